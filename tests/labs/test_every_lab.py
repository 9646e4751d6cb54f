"""What every lab must do: finish, obey, resume bit for bit, take its bounds, keep its promise."""

import math

import pytest

from labs import registry
from tests.labs.conftest import RunLab, tiny
from trainer.run import Run
from trainer.run_config import RunStatus
from trainer.setting import SettingInfo, describe

LABS = registry.ids()
TIMES = ("_ms", "_per_s", "_rows")  # endings of measured times, rates, and of what follows them
HEAVY = 20_000  # a setting that makes so many tickets, or shows them so often, is only parsed


def settings(lab: str) -> list[SettingInfo]:
    return describe(registry.find(lab).Config)


def ends(info: SettingInfo) -> list[object]:
    if info.kind == "number":
        return [info.low, info.high]
    return list(info.options) if info.kind == "choice" else [False, True]


EVERY_END = [
    pytest.param(lab, info.name, end, id=f"{lab}-{info.name}-{end}")
    for lab in LABS
    for info in settings(lab)
    for end in ends(info)
]


def figures(run: Run) -> dict[str, list[tuple[int, float]]]:
    return {name: run.metric(name) for name in run.metrics}


def repeatable(run: Run) -> dict[str, list[object]]:
    """What a second run must find again: every figure, but of a measured time only its steps."""
    return {
        name: [step for step, _ in points] if name.endswith(TIMES) else list(points)
        for name, points in figures(run).items()
    }


_WHOLE: dict[str, Run] = {}  # one undisturbed tiny run of each lab, which all tests read


def whole(lab: str, run_lab: RunLab) -> Run:
    if lab not in _WHOLE:
        _WHOLE[lab] = run_lab(lab, tiny(lab))
    return _WHOLE[lab]


def found(run: Run) -> object:
    """The finding; of a measured one only its name, as it is never the same twice."""
    assert run.finding is not None
    return run.finding.name if run.finding.name.endswith(TIMES) else run.finding


@pytest.mark.parametrize("lab", LABS)
def test_a_tiny_run_finishes_with_finite_figures_and_a_finding(lab: str, run_lab: RunLab) -> None:
    run = whole(lab, run_lab)
    assert run.status is RunStatus.FINISHED, run.error
    assert run.finding is not None
    assert run.finding.text
    assert run.surprise is None, "the promise is for default settings"
    for name, points in figures(run).items():
        assert all(math.isfinite(value) for _, value in points), name
        assert [step for step, _ in points] == sorted({step for step, _ in points}), name


@pytest.mark.parametrize("lab", LABS)
def test_the_first_point_is_that_of_the_first_step(lab: str, run_lab: RunLab) -> None:
    run = run_lab(lab, tiny(lab), stop_at=1)
    assert run.status is RunStatus.KILLED
    assert any(points[0][0] == 1 for points in figures(run).values())


@pytest.mark.parametrize("lab", LABS)
def test_every_arm_of_the_plan_logs_inside_its_own_steps(lab: str, run_lab: RunLab) -> None:
    run = whole(lab, run_lab)
    starts = run.plan["arms"]
    bounds = [*sorted(starts.values()), run.plan["steps"]]
    for name, points in figures(run).items():
        arm = name.partition(".")[0] if "." in name.partition("/")[0] else ""
        if arm and starts:  # without a plan of arms, the sides of a lab go abreast
            first = starts[arm]
            last = min(bound for bound in bounds if bound > first)
            assert all(first < step <= last for step, _ in points), name


@pytest.mark.parametrize("lab", LABS)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.93])
def test_a_stopped_run_resumes_bit_for_bit(lab: str, share: float, run_lab: RunLab) -> None:
    undisturbed = whole(lab, run_lab)
    steps = sorted({step for points in figures(undisturbed).values() for step, _ in points})
    stopped = run_lab(lab, tiny(lab), stop_at=steps[int(share * len(steps))])
    assert stopped.status is RunStatus.KILLED
    assert stopped.has_checkpoint
    resumed = run_lab(lab, again=stopped)
    assert resumed.status is RunStatus.FINISHED, resumed.error
    assert repeatable(resumed) == repeatable(undisturbed)
    assert found(resumed) == found(undisturbed)


@pytest.mark.parametrize("lab", LABS)
def test_another_seed_gives_other_figures(lab: str, run_lab: RunLab) -> None:
    other = run_lab(lab, tiny(lab), seed=2)
    assert repeatable(whole(lab, run_lab)) != repeatable(other)


@pytest.mark.parametrize(("lab", "name", "end"), EVERY_END)
def test_both_ends_of_every_setting_train(
    lab: str, name: str, end: object, run_lab: RunLab
) -> None:
    is_long = name == "epochs" or (isinstance(end, (int, float)) and end >= HEAVY)
    if is_long:
        checked = registry.find(lab).Config
        assert {info.name: info for info in settings(lab)}[name].check(end) == end, checked
        return
    run = run_lab(lab, tiny(lab, **{name: end}), stop_at=3)
    assert run.status is RunStatus.KILLED, run.error
    assert all(math.isfinite(points[-1][1]) for points in figures(run).values())


@pytest.mark.parametrize("lab", LABS)
@pytest.mark.parametrize("end", [0, -1])
def test_all_settings_at_one_end_together_finish(lab: str, end: int, run_lab: RunLab) -> None:
    extreme = {info.name: ends(info)[end] for info in settings(lab)}
    run = run_lab(lab, extreme | tiny(lab))
    assert run.status is RunStatus.FINISHED, run.error


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_the_promised_surprise_shows_with_default_settings(lab: str, run_lab: RunLab) -> None:
    run = run_lab(lab)
    assert run.status is RunStatus.FINISHED, run.error
    assert run.surprise is True

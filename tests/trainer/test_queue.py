"""The line's rules, without processes."""

from trainer.dispatch.queue import Waiting, admit, expected_wait_s, order


def waiting(name: str, learner: str, at: float, **more: object) -> Waiting:
    return Waiting(id=name, learner=learner, queued_at=at, **more)  # type: ignore[arg-type]


def names(line: list[Waiting]) -> list[str]:
    return [run.id for run in line]


def test_learners_take_turns_however_many_runs_one_has_queued() -> None:
    line = order([waiting(f"a{i}", "ada", i) for i in range(3)] + [waiting("b", "ben", 9)], {}, {})
    assert names(line) == ["a0", "b", "a1", "a2"]


def test_whoever_has_a_run_going_waits_behind_those_who_have_none() -> None:
    runs = [waiting("a", "ada", 1), waiting("b", "ben", 2)]
    assert names(order(runs, {"ada": 1}, {})) == ["b", "a"]


def test_among_equals_the_longest_unserved_comes_first() -> None:
    runs = [waiting("a", "ada", 1), waiting("b", "ben", 2)]
    assert names(order(runs, {}, {"ada": 100.0})) == ["b", "a"]


def test_nobody_is_overtaken_on_a_device_but_other_devices_go_on() -> None:
    line = [
        waiting("wide", "ada", 1, units=2),
        waiting("thin", "ben", 2),
        waiting("gpu", "cem", 3, device="cuda"),
    ]
    assert names(admit(line, {"cpu": 1, "cuda": 1})) == ["gpu"]
    assert names(admit(line, {"cpu": 3, "cuda": 0})) == ["wide", "thin"]


def test_an_unknown_wait_is_not_guessed() -> None:
    assert expected_wait_s(2, 2, None, 2) is None
    assert expected_wait_s(3, 2, 20.0, 2) == 40.0

"""The expected band behind a lab's curve: only for runs set exactly as the recorded ones."""

from functools import cache
from importlib.metadata import version
from typing import Any, TypedDict

from course import recorded
from course.lesson import PictureSpec
from course.recorded import Recorded
from trainer import device
from trainer.runs import Run, runs_folder
from ui import number
from ui.lab_states import Opened


class Band(TypedDict):
    """What the chart draws: lines by metric, the plan that places their steps, and where from."""

    lines: dict[str, dict[str, list[float]]]
    plan: dict[str, Any]
    words: str


def band(opened: Opened, spec: PictureSpec) -> Band | None:
    """Return the band of one chart; None where nobody may expect it.

    Nor before there is a run: the band holds the answer to the question that is asked first.
    """
    found, run = recorded.read(opened.lesson.id), opened.run
    if found is None or run is None or opened.info is None or not _fits(found, opened, run):
        return None
    lines = {
        name: {part: list(values) for part, values in line.model_dump().items()}
        for name, line in found.lines.items()
        if name.partition("/")[2] == spec.data
    }
    return Band(lines=lines, plan=found.plan, words=words(found)) if lines else None


def words(found: Recorded) -> str:
    """Return where the band comes from, for the line under the chart."""
    seeds, count = found.seeds, number.figure(len(found.seeds))
    day = found.date.strftime("%d %B %Y").lstrip("0")
    return (
        f"Expected: between the lowest and the highest of {count} runs with these settings, seeds "
        f"{seeds[0]} to {seeds[-1]}. Recorded on {found.machine}, {day}, "
        f"PyTorch {found.torch.partition('+')[0]}."
    )


def _fits(found: Recorded, opened: Opened, run: Run) -> bool:
    config, data = run.config, run.record.samples.get("data")
    if data not in (None, found.data):
        return False
    kind = run.record.device or _kind(opened)
    return found.stands_on(config.data, config.parent) and found.holds_for(
        preset=config.preset,
        settings=_usual(opened, config.preset) | config.settings,
        device=kind,
        torch=_torch(),
    )


@cache
def _torch() -> str:
    """Return PyTorch's version without loading it."""
    return version("torch")


def _usual(opened: Opened, preset: str) -> dict[str, Any]:
    assert opened.info is not None
    defaults = {entry.name: entry.default for entry in opened.info.settings}
    return defaults | opened.info.presets.get(preset, {})


def _kind(opened: Opened) -> str:
    """Return where a run would go: labs that fork stay on the CPU."""
    facts = device.facts(runs_folder())
    if opened.info is None or opened.info.forks or facts is None:
        return "cpu"
    return facts.kind

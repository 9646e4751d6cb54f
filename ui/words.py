"""Small phrases about runs that several components share."""

import re

from course.lesson import AnyPart, LabLesson, NumberPredict
from trainer.runs import Run
from trainer.setting import SettingInfo
from ui import number

SURE = {"guessing": "guessing", "fairly": "fairly sure", "certain": "certain"}


def lab(lesson: LabLesson) -> str:
    """Return a lab's number and title."""
    return f"Lab {lesson.number}, {lesson.title}"


def place(run: Run) -> str:
    """Return how far a run has come, for example `epoch 31 of 80`."""
    total, per_epoch = run.plan.get("steps"), run.plan.get("steps_per_epoch")
    arms: dict[str, int] = run.plan.get("arms") or {}
    if len(arms) > 1 and total:
        name, position, start, end = _arm(run.step, arms, total)
        inside = _epochs(run.step - start, end - start, _epoch_steps(run, name))
        name = name.replace("_", " ")
        return f"part {position} of {len(arms)} ({name}), {inside}"
    return _epochs(run.step, total, per_epoch)


def place_short(run: Run) -> str:
    """Return where a run goes on from, short enough for a button, for example `epoch 31`."""
    step = saved_step(run)
    arms: dict[str, int] = run.plan.get("arms") or {}
    starts = sorted(arms.values())
    if not step:
        return "the start"
    if len(arms) < 2:
        return _epochs(step, None, run.plan.get("steps_per_epoch"))
    if step in starts:
        return f"the start of part {number.figure(starts.index(step) + 1)}"
    name, position, start, _ = _arm(step, arms, step)
    inside = _epochs(step - start, None, _epoch_steps(run, name))
    return f"part {number.figure(position)}, {inside}"


def saved_step(run: Run) -> int:
    """Return the step of the newest checkpoint, which is where Resume goes on; 0 for none."""
    names = (path.stem for path in (run.path / "checkpoints").glob("*.json"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def _epoch_steps(run: Run, arm: str) -> int | None:
    """Return the steps of an epoch in this arm: arms may learn from more or fewer rows."""
    own: dict[str, int] = run.plan.get("epoch_steps") or {}
    return own.get(arm) or run.plan.get("steps_per_epoch")


def _arm(step: int, arms: dict[str, int], total: int) -> tuple[str, int, int, int]:
    ordered = sorted(arms.items(), key=lambda arm: arm[1])
    current = max(i for i, (_, start) in enumerate(ordered) if i == 0 or start < max(step, 1))
    end = ordered[current + 1][1] if current + 1 < len(ordered) else total
    return ordered[current][0], current + 1, ordered[current][1], end


def _epochs(step: int, total: int | None, per_epoch: int | None) -> str:
    if not per_epoch:
        of = f" of {number.figure(total)}" if total else ""
        return f"step {number.figure(step)}{of}"
    of = f" of {number.figure(-(-total // per_epoch))}" if total else ""
    return f"epoch {number.figure(-(-step // per_epoch))}{of}"


def said(lesson: LabLesson, prediction: object, confidence: str | None) -> str:
    """Return a prediction as a sentence in Markdown."""
    if prediction is None:
        return "No idea, which is an honest answer."
    values = lesson.predict.unpack(prediction)
    parts = [f"{_asked(part)} {said_part(part, values[part.id])}" for part in lesson.predict.parts]
    sure = f"  \n{SURE[confidence].capitalize()}." if confidence in SURE else ""
    return "  \n".join(parts) + sure


def _asked(part: AnyPart) -> str:
    """Return the question itself: what leads up to it was read before."""
    return re.split(r"(?<=[.?!]) ", part.question.strip())[-1]


def said_part(part: AnyPart, value: object) -> str:
    """Return one part of a prediction, bold."""
    if value is None:
        return "**no idea**"
    label = getattr(part, "label", None)
    if isinstance(value, list) and label:
        return "**" + ", then ".join(label(item) for item in value) + "**"
    if label:
        return f"**{label(value)}**"
    if isinstance(part, NumberPredict) and part.form == "flag" and isinstance(value, (int, float)):
        return f"**{part.gap.one} {number.figure(_whole(value))}**"
    if isinstance(value, (int, float)):
        return f"**{number.figure(_whole(value), getattr(part, 'unit', ''))}**"
    return "**no idea**"


def setting(info: SettingInfo, value: object) -> str:
    """Return the value of a setting in words."""
    if info.kind == "choice":
        return info.options.get(str(value), str(value))
    if info.kind == "toggle":
        return "on" if value else "off"
    return number.setting(value, info.unit)


def _whole(value: float) -> float:
    return int(value) if float(value).is_integer() else value

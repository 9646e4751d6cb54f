"""Which registered version a learner's champion is, as the registry's files tell it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainer.learner import LEARNER


@dataclass(frozen=True, kw_only=True)
class Champion:
    """The version that is served: the run it was made of and how many test tickets it got right."""

    number: int
    run: str | None
    data: str | None
    accuracy: float | None


def read(runs: Path, learner: str) -> Champion | None:
    """The learner's champion, None where there is none."""
    if not LEARNER.fullmatch(learner):
        return None
    model = runs / "models" / f"alarm-desk.{learner}"
    try:
        number = int((model / "champion").read_text("utf-8"))
        card: dict[str, Any] = json.loads((model / str(number) / "card.json").read_bytes())
        config: dict[str, Any] = json.loads((model / str(number) / "config.json").read_bytes())
    except (OSError, ValueError):
        return None
    accuracy = (card.get("metrics") or {}).get("test/accuracy")
    return Champion(
        number=number,
        run=card.get("run"),
        data=f"{config.get('data')}.{config.get('split', 'device')}",
        accuracy=accuracy if isinstance(accuracy, float) else None,
    )

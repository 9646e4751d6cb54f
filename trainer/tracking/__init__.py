"""The history: a recorder writes it into MLflow from the run folders, pages read it from there.

Only `store` imports mlflow, and nothing imports `store` before it is needed: that takes seconds.
"""

from pathlib import Path

from trainer.tracking.catching_up import catch_up
from trainer.tracking.health import HistoryError
from trainer.tracking.mlflow_pages import Pages, pages, start_pages, stop_pages
from trainer.tracking.reader import History, history, is_loaded, metric_history, warm_up
from trainer.tracking.rows import Point, Row
from trainer.tracking.space import Space, space_used
from trainer.tracking.trash import delete, restore, trashed

__all__ = [
    "History",
    "HistoryError",
    "Pages",
    "Point",
    "Row",
    "Space",
    "catch_up",
    "delete",
    "history",
    "is_loaded",
    "metric_history",
    "pages",
    "rebuild",
    "record",
    "replay",
    "restore",
    "space_used",
    "start_pages",
    "stop_pages",
    "trashed",
    "warm_up",
]


def record(runs: Path) -> bool:
    """Record until asked to end or no longer needed; False if another recorder is at work here."""
    from trainer.tracking.recorder import record as follow

    return follow(runs)


def replay(runs: Path) -> None:
    """Bring MLflow's registered models up to the registry's book; changes nothing a second time.

    Raises:
        HistoryError: when MLflow cannot be used now.
    """
    from trainer.tracking import registered
    from trainer.tracking.store import Store

    registered.replay(runs, Store(runs))


def rebuild(runs: Path) -> int:
    """Delete the store and write it anew from the run folders; return the number of runs."""
    from trainer.tracking.recorder import rebuild as replay

    return replay(runs)

"""What MLflow is told before it is imported, and where its store lies."""

import os
from pathlib import Path

_FIXED = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "false",
    "MLFLOW_ALLOW_MODEL_CODE_EXECUTION": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    # A connection lives as long as its transaction, so a store that was made anew is noticed.
    "MLFLOW_SQLALCHEMYSTORE_POOLCLASS": "NullPool",
}
# A remote server that does not answer must not hold a page for MLflow's own two minutes.
_PROPOSED = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "5",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "GIT_PYTHON_REFRESH": "quiet",
}


def apply() -> None:
    """Set the variables in this process; whoever imports mlflow calls this first."""
    os.environ.update(_FIXED)
    for name, value in _PROPOSED.items():
        os.environ.setdefault(name, value)


def uri(runs: Path) -> str:
    """Return the store's address: MLFLOW_TRACKING_URI, else a SQLite file in the runs folder."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{runs.resolve() / 'mlflow.db'}"


def sqlite_file(runs: Path) -> Path | None:
    """Return the file of a SQLite store, None for any other store."""
    address = uri(runs).partition("?")[0]
    return Path(address.removeprefix("sqlite:///")) if address.startswith("sqlite:///") else None


def cache_folder() -> Path:
    """Return the user's cache folder for Stagecoach."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stagecoach"

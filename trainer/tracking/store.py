"""The MLflow store behind plain values: the one module that imports mlflow."""

import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainer.runs import RunConfig, RunStatus
from trainer.tracking import environment, rows
from trainer.tracking.digest import Batch
from trainer.tracking.health import HistoryError, check, sentence
from trainer.tracking.rows import Point, Row

environment.apply()

import mlflow.version  # noqa: E402
from mlflow import MlflowClient  # noqa: E402
from mlflow.entities import Metric, Param, RunTag, ViewType  # noqa: E402
from mlflow.entities import Run as MlflowRun  # noqa: E402
from mlflow.exceptions import MlflowException  # noqa: E402

_POINTS_A_CALL = 1_000  # MLflow's limit over HTTP
_ROWS_A_CALL = 500
_TEXT_LIMIT = 5_000

# Failures are told in our own sentence; MLflow would add a traceback of its own for each try.
logging.getLogger("mlflow").setLevel(logging.CRITICAL)


class Store:
    """One open store.

    Every method raises `HistoryError` with a sentence when MLflow fails.
    """

    def __init__(self, runs: Path) -> None:
        """Connect; the store must be there, see `prepare`."""
        with told():
            self._client = MlflowClient(tracking_uri=environment.uri(runs))
        self._artifacts = runs.resolve() / "mlartifacts" if environment.sqlite_file(runs) else None
        self._experiments: dict[str, str] = {}

    @property
    def client(self) -> MlflowClient:
        """MLflow's own client; whoever calls it does so within `told`."""
        return self._client

    def known(self) -> dict[str, tuple[str, bool]]:
        """Return for each of our run ids MLflow's own, and whether it lies in MLflow's bin."""
        found = self._search(ViewType.DELETED_ONLY) + self._search(ViewType.ACTIVE_ONLY)
        return {
            run.data.tags[rows.RUN_TAG]: (run.info.run_id, run.info.lifecycle_stage == "deleted")
            for run in found
        }

    def create(self, run_id: str, config: RunConfig, queued: float) -> str:
        """Make the run, with all that is known from its first moment; return MLflow's id."""
        with told():
            made = self._client.create_run(
                self._experiment(config.lab),
                start_time=_ms(queued),
                tags=_cut(rows.first_tags(run_id, config)),
                run_name=run_id,
            )
            return str(made.info.run_id)

    def set_params(self, mlflow_id: str, params: dict[str, str]) -> None:
        """Write parameters; they are written once and stay what they were first."""
        pairs = [Param(name, value) for name, value in _cut(params).items()]
        with told():
            try:
                self._client.log_batch(mlflow_id, params=pairs)
            except MlflowException as error:
                if error.error_code != "INVALID_PARAMETER_VALUE":
                    raise

    def add(self, mlflow_id: str, batch: Batch) -> None:
        """Write a batch; rows that stand there already are left as they are."""
        metrics = [Metric(p.name, p.value, _ms(p.t), p.step) for p in batch.points]
        tags = [RunTag(name, value) for name, value in _cut(batch.tags).items()]
        with told():
            for start in range(0, max(len(metrics), 1), _POINTS_A_CALL):
                part = metrics[start : start + _POINTS_A_CALL]
                self._client.log_batch(mlflow_id, metrics=part, tags=() if start else tags)
            if batch.ended_at is not None:
                self._client.set_terminated(mlflow_id, str(batch.status), _ms(batch.ended_at))
            elif batch.status is not None:
                self._client.update_run(mlflow_id, status=str(batch.status))

    def keep(self, mlflow_id: str, texts: dict[str, str]) -> None:
        """Write small text artifacts."""
        with told():
            for name, text in texts.items():
                self._client.log_text(mlflow_id, text, name)

    def delete(self, mlflow_id: str) -> None:
        """Put a run into MLflow's bin."""
        with told():
            self._client.delete_run(mlflow_id)

    def restore(self, mlflow_id: str) -> None:
        """Take a run out of MLflow's bin."""
        with told():
            self._client.restore_run(mlflow_id)

    def rows(self, limit: int, lab: str | None = None) -> list[Row]:
        """Return the newest runs, of one lab or of all."""
        only = f"tags.`{rows.LAB_TAG}` = '{lab}'" if lab else ""
        return [_row(run) for run in self._search(ViewType.ACTIVE_ONLY, limit, only)]

    def find(self, run_id: str) -> str | None:
        """Return MLflow's id of one of our runs, in its bin or not."""
        found = self._search(ViewType.ALL, _ROWS_A_CALL, f"tags.`{rows.RUN_TAG}` = '{run_id}'")
        found.sort(key=lambda run: run.info.lifecycle_stage)  # "active" before "deleted"
        return found[0].info.run_id if found else None

    def points(self, mlflow_id: str, name: str) -> list[Point]:
        """Return a metric's values by step; their `seconds` count from the run's first value."""
        with told():
            found = self._client.get_metric_history(mlflow_id, name)
        found.sort(key=lambda metric: metric.step)
        first = found[0].timestamp if found else 0
        return [
            Point(name, m.step, m.value, (m.timestamp - first) / 1000, m.timestamp / 1000)
            for m in found
        ]

    def _search(self, view: int, limit: int | None = None, only: str = "") -> list[MlflowRun]:
        with told():
            ours = [
                experiment.experiment_id
                for experiment in self._client.search_experiments()
                if rows.LAB_TAG in experiment.tags
            ]
            pages = self._pages(ours, view, limit, only) if ours else iter(())
            return [run for run in pages if rows.RUN_TAG in run.data.tags]

    def _pages(
        self, experiments: Sequence[str], view: int, limit: int | None, only: str
    ) -> Iterator[MlflowRun]:
        token = None
        while True:
            page = self._client.search_runs(
                list(experiments), only, view, limit or _ROWS_A_CALL, ["start_time DESC"], token
            )
            yield from page
            token = page.token
            if limit or not token:
                return

    def _experiment(self, lab: str) -> str:
        if lab not in self._experiments:
            found = self._client.get_experiment_by_name(lab)
            if found is None:
                place = (self._artifacts / lab).as_uri() if self._artifacts else None
                made = self._client.create_experiment(lab, place, {rows.LAB_TAG: lab})
            else:
                made = found.experiment_id
                if found.lifecycle_stage == "deleted":
                    self._client.restore_experiment(made)
                self._client.set_experiment_tag(made, rows.LAB_TAG, lab)
            self._experiments[lab] = str(made)
        return self._experiments[lab]


def prepare(runs: Path) -> bool:
    """Make a missing SQLite store: a copy of an empty one, because MLflow lays tables for seconds.

    Returns whether it was made just now.

    Raises:
        HistoryError: when the store is there but cannot be used.
    """
    file = environment.sqlite_file(runs)
    # An empty file is what a tool leaves that died while it made one.
    is_missing = file is not None and (not file.exists() or file.stat().st_size == 0)
    if file is not None and is_missing:
        with told():
            _make(file)
    check(runs)
    return is_missing


def _make(file: Path) -> None:
    template = environment.cache_folder() / f"mlflow-{mlflow.version.VERSION}.db"
    if not template.is_file():
        with tempfile.TemporaryDirectory(prefix="stagecoach-") as folder:
            fresh = Path(folder) / "empty.db"
            MlflowClient(tracking_uri=f"sqlite:///{fresh}").search_experiments()
            with contextlib.suppress(OSError):  # no home to keep it in: made anew the next time
                template.parent.mkdir(parents=True, exist_ok=True)
                _copy(fresh, template)
            _copy(fresh, file)
        return
    _copy(template, file)


def _copy(source: Path, target: Path) -> None:
    hidden = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(source, hidden)
    hidden.replace(target)


def _row(run: MlflowRun) -> Row:
    return Row(
        status=RunStatus(run.info.status),
        params=dict(run.data.params),
        metrics=dict(run.data.metrics),
        mlflow_run_id=run.info.run_id,
        mlflow_experiment_id=run.info.experiment_id,
        **rows.of_tags(run.data.tags),
    )


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Turn whatever MLflow raises into a `HistoryError` with a sentence."""
    try:
        yield
    except Exception as error:
        # Whatever MLflow or a library below it raises must cost neither a page nor the recorder.
        if not isinstance(error, (MlflowException, OSError)):
            logging.getLogger(__name__).warning("MLflow failed", exc_info=error)
        raise HistoryError(sentence(error)) from error


def _cut(texts: dict[str, str]) -> dict[str, str]:
    return {name[:250]: text[:_TEXT_LIMIT] for name, text in texts.items()}


def _ms(t: float) -> int:
    return round(t * 1000)

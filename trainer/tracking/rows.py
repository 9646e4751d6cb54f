"""What the history knows of a run as plain values, whether from MLflow or from the run folder."""

import json
from dataclasses import dataclass, field
from typing import Any

from trainer.catalogue import Catalogue, LabInfo
from trainer.runs import Finding, Run, RunConfig, RunStatus

RUN_TAG = "stagecoach.run"
LAB_TAG = "stagecoach.lab"
# Names a run itself is described by; a setting that happens to be called so gets a prefix.
OWN_PARAMS = ("seed", "device", "preset", "learner", "threads", "data", "parent")


ENGINE_SAMPLES = ("plan", "paused")
_ANSWER, _ANSWERS = 200, 16  # characters of one, and how many: together they fit one tag


@dataclass(frozen=True)
class Point:
    """One value of one metric; `seconds` is the run's running time, `t` Unix time."""

    name: str
    step: int
    value: float
    seconds: float
    t: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the history."""

    id: str
    lab: str
    status: RunStatus
    learner: str = "local"
    started: float | None = None
    seconds: float = 0.0
    step: int = 0
    params: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    samples: dict[str, Any] = field(default_factory=dict)
    plan: dict[str, Any] = field(default_factory=dict)
    finding: Finding | None = None
    prediction: Any = None
    confidence: str | None = None
    surprise: bool | None = None
    reason: str = ""
    is_paused: bool = False
    mlflow_run_id: str | None = None
    mlflow_experiment_id: str | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether the run stands in MLflow already."""
        return self.mlflow_run_id is not None

    def arm_start(self, metric: str) -> int:
        """Return the step at which a metric's arm begins; 0 for a metric without one."""
        arm = metric.partition("/")[0].rpartition(".")[0]
        return int(self.plan.get("arms", {}).get(arm, 0))

    @property
    def examples_per_step(self) -> int:
        """The number of examples in a step."""
        return int(self.plan.get("examples_per_step") or 1)

    @property
    def origin(self) -> str:
        """The letter of the run's numbers: M, unless all of them come from elsewhere."""
        letters = {self.origins.get(name, "M") for name in self.metrics} or {"M"}
        return letters.pop() if len(letters) == 1 else "M"

    @property
    def chosen(self) -> dict[str, str]:
        """The lab's own settings among the parameters."""
        return {
            name.removeprefix("setting."): value
            for name, value in self.params.items()
            if name not in OWN_PARAMS
        }


def settings(config: RunConfig, lab: LabInfo | None) -> dict[str, Any]:
    """Return all settings of a run: defaults, the preset's on top, then the learner's own."""
    if lab is None:
        return config.settings
    defaults = {info.name: info.default for info in lab.settings}
    return defaults | lab.presets.get(config.preset, {}) | config.settings


def params(config: RunConfig, chosen: dict[str, Any]) -> dict[str, str]:
    """Return what MLflow keeps as parameters: all settings, then seed, device, preset and so on."""
    named = {f"setting.{name}" if name in OWN_PARAMS else name: chosen[name] for name in chosen}
    own = {name: getattr(config, name) for name in OWN_PARAMS}
    return {name: _text(value) for name, value in (named | own).items() if value is not None}


def small(samples: dict[str, Any]) -> dict[str, Any]:
    """Return the samples that are an answer, not a picture: a figure, a word, a short list."""
    told = {
        name: json.dumps(value) for name, value in samples.items() if name not in ENGINE_SAMPLES
    }
    kept = [name for name, text in told.items() if len(text) <= _ANSWER]
    return {name: samples[name] for name in sorted(kept)[:_ANSWERS]}


def first_tags(run_id: str, config: RunConfig) -> dict[str, str]:
    """Return the tags a run has from its first moment."""
    return {
        RUN_TAG: run_id,
        LAB_TAG: config.lab,
        "stagecoach.prediction": json.dumps(config.prediction),
        "stagecoach.confidence": json.dumps(config.confidence),
        "mlflow.user": config.learner,
        "mlflow.source.name": f"labs/{config.lab}.py",
        "mlflow.source.type": "LOCAL",
    }


def of_folder(run: Run, catalogue: Catalogue | None) -> Row:
    """Return a run's line from its own files."""
    config = run.config
    lab = catalogue.lab(config.lab) if catalogue else None
    return Row(
        id=run.id,
        lab=config.lab,
        status=run.status,
        learner=config.learner,
        started=run.started_at or run.queued_at,
        seconds=run.seconds,
        step=run.step,
        params=params(config, settings(config, lab)),
        metrics=run.metrics,
        samples=small(run.record.samples),
        plan=run.plan,
        finding=run.finding,
        prediction=config.prediction,
        confidence=config.confidence,
        surprise=run.surprise,
        reason=run.reason,
        is_paused=run.is_paused,
    )


def of_tags(tags: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a `Row` that the recorder wrote as tags."""

    def read(name: str) -> Any:
        return json.loads(tags.get(f"stagecoach.{name}", "null"))

    finding = read("finding")
    return {
        "id": tags[RUN_TAG],
        "lab": tags.get(LAB_TAG, ""),
        "learner": tags.get("mlflow.user", "local"),
        "started": read("started"),
        "seconds": read("seconds") or 0.0,
        "step": read("step") or 0,
        "origins": read("origins") or {},
        "samples": read("samples") or {},
        "plan": read("plan") or {},
        "finding": Finding(**finding) if finding else None,
        "prediction": read("prediction"),
        "confidence": read("confidence"),
        "surprise": read("surprise"),
        "reason": tags.get("stagecoach.reason", ""),
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

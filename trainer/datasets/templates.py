"""The templates of the Alarm Desk as typed objects, read from YAML and checked."""

import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

MIN_CONCEPTS = 4
MIN_SURFACE_FORMS = 9
_SLOT = re.compile(r"\{([^{}]*)\}")
_LISTS = [
    "confirmations",
    "hedges",
    "symptoms",
    "chatter",
    "closings",
    "contacts",
    "first_names",
    "last_names",
    "vendors",
    "regions",
    "node_kinds",
    "severities",
    "channels",
    "consequences",
]


@dataclass(frozen=True)
class Concept:
    """One piece of evidence: fixed text and slots, each slot with early and late wordings."""

    text: str
    slots: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    @classmethod
    def parse(cls, text: str) -> "Concept":
        """The concept of a line such as `{digger|crew//backhoe} cut {the duct|our cable}`."""
        slots = []
        for body in _SLOT.findall(text):
            early, _, late = body.partition("//")
            slots.append((tuple(early.split("|")), tuple(late.split("|")) if late else ()))
        return cls(_SLOT.sub("{}", text), tuple(slots))

    @property
    def surface_forms(self) -> int:
        """How many different sentences it can become."""
        return math.prod(len(early) + len(late) for early, late in self.slots)


@dataclass(frozen=True)
class Cause:
    """One cause: how often, which alarms, which words, which repair. Fields as in causes.yaml."""

    name: str
    prior: float
    season: tuple[float, ...]
    drift: tuple[float, float]
    drift_month: int | None
    family: bool
    alarms: dict[str, float]
    confusable: tuple[str, ...]
    concepts: tuple[Concept, ...]
    negations: tuple[str, ...]
    team: str
    minutes: int
    part: str


@dataclass(frozen=True)
class Language:
    """Wordings that every cause shares. Fields as in language.yaml."""

    stray_alarm: float
    consequences: tuple[str, ...]
    new_names: dict[str, str]
    confirmations: tuple[str, ...]
    hedges: tuple[str, ...]
    symptoms: tuple[str, ...]
    chatter: tuple[str, ...]
    closings: tuple[str, ...]
    contacts: tuple[str, ...]
    abbreviations: dict[str, str]
    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    vendors: tuple[str, ...]
    regions: tuple[str, ...]
    node_kinds: tuple[str, ...]
    severities: tuple[str, ...]
    channels: tuple[str, ...]


@cache
def causes() -> tuple[Cause, ...]:
    """The ten causes, in the order of the class numbers.

    Raises:
        ValueError: causes.yaml breaks a rule; the sentence names the cause and the rule.
    """
    return check([_cause(name, fields) for name, fields in _read("causes.yaml").items()])


@cache
def language() -> Language:
    """The shared wordings."""
    fields = _read("language.yaml")
    known: dict[str, Any] = {n: tuple(v) if n in _LISTS else v for n, v in fields.items()}
    return Language(**known)


@cache
def alarm_names() -> tuple[str, ...]:
    """Every alarm a device can raise, sorted; the columns of the alarm table."""
    named = {alarm for cause in causes() for alarm in cause.alarms}
    return tuple(sorted(named | set(language().consequences)))


def check(found: list[Cause]) -> tuple[Cause, ...]:
    """The causes as given, once every rule of the schema holds.

    Raises:
        ValueError: a rule is broken; the sentence names the cause and the rule.
    """
    names = [cause.name for cause in found]
    for cause in found:
        for problem in _problems(cause, names):
            msg = f"causes.yaml: {cause.name}: {problem}"
            raise ValueError(msg)
    if abs(sum(cause.prior for cause in found) - 1) > 1e-9:
        raise ValueError("causes.yaml: the priors of all causes must add up to 1")
    return tuple(found)


def _problems(cause: Cause, names: list[str]) -> list[str]:
    rules = {
        f"needs at least {MIN_CONCEPTS} concepts": len(cause.concepts) >= MIN_CONCEPTS,
        "needs one season factor a month": len(cause.season) == 12,
        "alarms must be probabilities": all(0 < p < 1 for p in cause.alarms.values()),
        "confusable causes must be others of this file": bool(cause.confusable)
        and set(cause.confusable) <= set(names) - {cause.name},
        "needs at least two negations": len(cause.negations) >= 2,
    }
    return [rule for rule, holds in rules.items() if not holds] + [
        f"concept {concept.text!r} {problem}"
        for concept in cause.concepts
        for problem in _concept_problems(concept)
    ]


def _concept_problems(concept: Concept) -> list[str]:
    rules = {
        "needs a late wording": any(late for _, late in concept.slots),
        "needs an early wording in each slot": all(all(early) for early, _ in concept.slots),
        # With two slots that vary, no cue word is tied to one single sentence.
        "needs two slots with a choice": sum(len(early + late) > 1 for early, late in concept.slots)
        >= 2,
        f"needs {MIN_SURFACE_FORMS} surface forms": concept.surface_forms >= MIN_SURFACE_FORMS,
    }
    return [rule for rule, holds in rules.items() if not holds]


def _cause(name: str, fields: dict[str, Any]) -> Cause:
    defaults: dict[str, Any] = {
        "season": [1.0] * 12,
        "drift": [1.0, 1.0],
        "drift_month": None,
        "family": False,
    }
    known = defaults | fields
    try:
        return Cause(
            name=name,
            prior=float(known.pop("prior")),
            season=tuple(known.pop("season")),
            drift=tuple(known.pop("drift")),
            confusable=tuple(known.pop("confusable")),
            concepts=tuple(Concept.parse(text) for text in known.pop("concepts")),
            negations=tuple(known.pop("negations")),
            **known,
        )
    except (KeyError, TypeError) as error:
        msg = f"causes.yaml: {name}: a field is missing or unknown ({error})"
        raise ValueError(msg) from error


def _read(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(
        (Path(__file__).parent / name).read_text("utf-8"), Loader=loader
    )
    return found

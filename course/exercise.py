"""Incidents of a night shift, symptom first: what is seen, four actions, and why one is right."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from course.record import Id, Listed, Record, Some, Text
from course.xid import numbers

Action = Literal["restart", "reset", "drain", "ticket"]
ACTIONS: tuple[Action, ...] = get_args(Action)


class WrongAction(Record):
    """An action that does not help here, and why not."""

    action: Action
    why: Text


class Incident(Record):
    """One incident: the symptom comes before the log, as it does at night."""

    id: Id
    symptom: Text
    log: Annotated[tuple[Text, ...], Field(strict=False, min_length=1)]
    right: Action
    why: Text
    wrong: Some[WrongAction]
    sources: Listed[Id]

    @property
    def codes(self) -> tuple[int, ...]:
        """The numbers that its log holds."""
        return numbers(self.log)

    @model_validator(mode="after")
    def _every_action_is_judged(self) -> Self:
        judged = sorted([self.right, *(wrong.action for wrong in self.wrong)])
        if judged != sorted(ACTIONS):
            raise ValueError(f"each of {', '.join(ACTIONS)} must be judged once, here {judged}")
        if not self.codes:
            raise ValueError("the log holds no line of an Xid")
        return self


@dataclass(frozen=True)
class Judgement:
    """What came of one choice: whether it was right, why it was not, and what is."""

    is_right: bool
    right: Action
    why: str
    why_not: str = ""


@dataclass(frozen=True)
class Score:
    """How many incidents were answered, and how many of them rightly."""

    answered: int
    right: int
    of: int


def judge(incident: Incident, choice: str) -> Judgement:
    """The verdict on a choice.

    Raises:
        ValueError: the choice is none of the four actions.
    """
    if choice == incident.right:
        return Judgement(is_right=True, right=incident.right, why=incident.why)
    for wrong in incident.wrong:
        if wrong.action == choice:
            return Judgement(False, incident.right, incident.why, wrong.why)
    raise ValueError(f"{choice[:40]!r} is none of {', '.join(ACTIONS)}")


def score(incidents: Iterable[Incident], answers: Mapping[str, str]) -> Score:
    """Count over the answers by incident; what is no answer to any of them counts nothing."""
    known = {incident.id: incident for incident in incidents}
    judged = [
        judge(known[name], choice).is_right
        for name, choice in answers.items()
        if name in known and choice in ACTIONS
    ]
    return Score(answered=len(judged), right=sum(judged), of=len(known))

"""The words around a lab as types: question, prediction, pictures, explanation, hints, target."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from course.record import Id, Listed, Record, Some, Text, check_once

ObjectiveNumber = Annotated[str, Field(pattern=r"^[123]\.[0-9]{1,2}$")]
LabNumber = Annotated[str, Field(pattern=r"^[1-6]\.[0-9]{1,2}$")]
StageId = Literal["data", "training", "networking", "software", "operations", "serving"]
PictureKind = Literal[
    "curve",
    "bars",
    "matrix",
    "heat",
    "gantt",
    "stack",
    "ring",
    "histogram",
    "graph",
    "map",
    "fit",
    "goodput",
    "night",
    "table",
    "links",
    "service",
    "trade",
    "code",
]


class Choice(Record):
    """One of several things a learner may pick."""

    id: Id
    label: Text


class Gap(Record):
    """How the distance between what was said and what was measured is put into words.

    The distance is multiplied by `scale` and followed by `one` or `many`, then by `above` when the
    learner said too much, `below` when too little: "8 points too high".
    """

    one: Text
    many: Text
    above: Text
    below: Text
    scale: Annotated[float, Field(gt=0)] = 1.0


class PredictPart(Record):
    """What every kind of prediction has.

    `outcome` names what answers it: a metric where it holds a slash, else the run's finding or a
    sample of that name. `id` is its key in the run's prediction where there are two parts.
    """

    id: Id
    question: Text
    outcome: Text


class NumberPredict(PredictPart):
    """A number on a scale; right when it lies within `tolerance` of the measurement.

    `flag` is a place on the chart's x axis, `bar` an amount on its y axis, `count` something that
    no axis of the lab's curves shows. `high_from` names the
    setting whose value is the true upper end in this run; `high` holds where it is not known.
    """

    kind: Literal["number"]
    form: Literal["flag", "bar", "count"]
    low: float
    high: float
    high_from: Id | None = None
    step: Annotated[float, Field(gt=0)]
    unit: str = ""
    default: float
    tolerance: Annotated[float, Field(ge=0)]
    gap: Gap

    def accepts(self, said: object, high: float | None = None) -> bool:
        """Whether a learner can have said this; `high` is the upper end where a setting has it."""
        if isinstance(said, bool) or not isinstance(said, (int, float)):
            return False
        return self.low <= said <= (self.high if high is None else high)

    @model_validator(mode="after")
    def _default_lies_between(self) -> Self:
        if not self.low <= self.default <= self.high:
            raise ValueError(f"default {self.default} lies outside {self.low} to {self.high}")
        return self


class _Picking(PredictPart):
    choices: Annotated[tuple[Choice, ...], Field(strict=False, min_length=2)]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        check_once([choice.id for choice in self.choices])
        return self

    def label(self, choice_id: object) -> str:
        """The words of one choice; the id itself where it is none of them."""
        return next((c.label for c in self.choices if c.id == choice_id), str(choice_id))


class ChoicePredict(_Picking):
    """One of several (a tick); where the measurement is a tie, each of the tied is right."""

    kind: Literal["choice"]

    def accepts(self, said: object) -> bool:
        """Whether a learner can have said this."""
        return said in [choice.id for choice in self.choices]


class RankPredict(_Picking):
    """All of several, the first first; right when the whole order is."""

    kind: Literal["rank"]

    def accepts(self, said: object) -> bool:
        """Whether a learner can have said this."""
        ids = sorted(choice.id for choice in self.choices)
        return isinstance(said, list) and sorted(map(str, said)) == ids


AnyPart = Annotated[NumberPredict | ChoicePredict | RankPredict, Field(discriminator="kind")]


class Predict(Record):
    """What a learner says before the run: one part, or two with one confidence for both."""

    parts: Annotated[tuple[AnyPart, ...], Field(strict=False, min_length=1, max_length=2)]

    @model_validator(mode="before")
    @classmethod
    def _accept_one_part(cls, value: Any) -> Any:
        """Let a file write a single part without the list around it."""
        return {"parts": [value]} if isinstance(value, dict) and "parts" not in value else value

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        check_once([part.id for part in self.parts])
        return self

    def pack(self, said: dict[str, Any]) -> Any:
        """What goes into a run's `prediction`: the bare value of one part, else all by id."""
        return said.get(self.parts[0].id) if len(self.parts) == 1 else dict(said)

    def unpack(self, prediction: Any) -> dict[str, Any]:
        """The value of each part by its id; a bare value belongs to the first part."""
        if isinstance(prediction, dict):
            return {part.id: prediction.get(part.id) for part in self.parts}
        return {part.id: None for part in self.parts} | {self.parts[0].id: prediction}


class PictureSpec(Record):
    """A picture of a lab: `data` is the chart's name for a curve, else the sample's name.

    `picks` lets a click on a curve choose the step that another picture looks into.
    Of a curve, `labels` are the words at the ends of lines, by metric, where those made from its
    name do not do, and `beneath` names lines that are drawn broad and pale because others lie on
    them.
    One that is marked `before` also stands above the question, drawn from earlier measurements.
    """

    kind: PictureKind
    title: Text
    data: Text
    alt: Text
    caption: str = ""
    x: Literal["epoch", "step", "seconds"] = "epoch"
    picks: bool = False
    labels: dict[str, Text] = Field(default_factory=dict)
    beneath: Listed[Text] = ()
    before: bool = False


class Answer(Record):
    """One possible explanation, and why it holds or does not."""

    id: Id
    text: Text
    why: Text
    right: bool = False


class Explain(Record):
    """The question after the run; exactly one of its answers is right."""

    question: Text
    answers: Annotated[tuple[Answer, ...], Field(strict=False, min_length=3)]

    @model_validator(mode="after")
    def _one_is_right(self) -> Self:
        check_once([answer.id for answer in self.answers])
        if (count := sum(answer.right for answer in self.answers)) != 1:
            raise ValueError(f"exactly one answer must be right, here {count} are")
        return self


class Target(Record):
    """A result to beat, and why it lies where it lies."""

    outcome: Text
    direction: Literal["above", "below"]
    value: float
    text: Text
    reason: Text

    def is_beaten(self, value: float) -> bool:
        """Whether a run with this value reaches beyond the target."""
        return value > self.value if self.direction == "above" else value < self.value


class LabLesson(Record):
    """One lab in words; its code has the same id in `labs/`."""

    id: Id
    title: Text
    stage: StageId
    number: LabNumber
    question: Text
    minutes: Annotated[int, Field(ge=1, le=60)]
    objectives: Some[ObjectiveNumber]
    covers: Listed[Annotated[int, Field(ge=1)]]
    requires: Listed[Id] = ()
    sources: Listed[Id] = ()
    exercises: Listed[Id] = ()
    predict: Predict
    pictures: Some[PictureSpec]
    misconception: Text
    explain: Explain
    hints: Annotated[tuple[Text, ...], Field(strict=False, min_length=3, max_length=3)]
    target: Target
    fallback: Text
    body: Text

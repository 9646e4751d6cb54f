"""Turns one truth into the words of a ticket and remembers which characters are what.

The words come from templates; which causes they speak of is drawn here and kept for the
answer table.
"""

from dataclasses import dataclass

from trainer.datasets.draws import Draws
from trainer.datasets.templates import Concept, causes, language

EVIDENCE_COUNT = (0.06, 0.55, 0.30, 0.09)
"""P(0, 1, 2, 3 sentences of evidence)."""
CONFUSABLE_HEDGE = 0.75
NO_NOTE = 0.02
TYPOS = 0.03

Part = tuple[str, int | None, str]
"""What a piece of text is (plain, evidence, hedge, personal), the cause it is about, the text."""


@dataclass(frozen=True)
class Cue:
    """One sentence about a cause: evidence for the true one, or a hedge about another.

    The frame around it ("ruled out: {}") stands apart: never mistyped, it can be found again.
    """

    kind: str
    cause: int
    text: str
    frame: str
    is_late: bool


@dataclass(frozen=True)
class Span:
    """Characters `start` to `end` of a text, and what they are: evidence, hedge or personal."""

    kind: str
    start: int
    end: int
    cause: int | None


def hedge_counts(hard: float) -> tuple[float, float, float]:
    """P(0, 1, 2 hedged red herrings)."""
    one, two = 0.45 * hard, 0.20 * hard
    return (max(0.0, 1 - one - two), one, two)


def late_share(age: float, drift: float) -> float:
    """P(a late wording) at this age (0 to 1); without drift early and late are always mixed."""
    drifted = 0.9 if age > 0.75 else 0.35 if age > 0.6 else 0.04
    return 0.35 + drift * (drifted - 0.35)


def new_platform_share(age: float, drift: float) -> float:
    """P(the ticket comes from the new platform, which calls alarms by new names)."""
    return drift * (0.8 if age > 0.75 else 0.3 if age > 0.5 else 0.0)


def cues(draws: Draws, cause: int, late: float, hard: float) -> tuple[Cue, ...] | None:
    """The sentences of one incident that speak of causes; a family shares them. None: no note."""
    if draws.chance(NO_NOTE):
        return None
    told = draws.sample(causes()[cause].concepts, draws.weighted(EVIDENCE_COUNT))
    evidence = [_evidence(draws, concept, cause, late) for concept in told]
    dismissed = [other_cause(draws, cause) for _ in range(draws.weighted(hedge_counts(hard)))]
    return (*evidence, *(_hedge(draws, other, late) for other in dismissed))


def other_cause(draws: Draws, cause: int) -> int:
    """The cause that a red herring speaks of: mostly a confusable one, never the true one."""
    names = [known.name for known in causes()]
    if draws.chance(CONFUSABLE_HEDGE):
        return names.index(draws.pick(causes()[cause].confusable))
    return draws.pick([other for other in range(len(names)) if other != cause])


def note(draws: Draws, found: tuple[Cue, ...], places: dict[str, str]) -> list[Part]:
    """The free text as parts, in the order they are written."""
    typos = TYPOS if draws.chance(0.7) else 0.0
    symptoms = draws.sample(language().symptoms, draws.between(1, 2))
    chatter = draws.sample(language().chatter, draws.pick((0, 1, 1, 2, 2, 3)))
    head = [_plain(_typed(draws, text.format(**places), typos)) for text in symptoms]
    body = [_plain(_typed(draws, text, typos)) for text in chatter]
    body += [
        (cue.kind, cue.cause, cue.frame.format(_typed(draws, cue.text, typos))) for cue in found
    ]
    parts = head + draws.shuffled(body)
    if draws.chance(0.5):
        parts = draws.shuffled(parts)
    sentences = [(kind, cause, _sentence(draws, text)) for kind, cause, text in parts]
    if draws.chance(0.18):
        sentences.append(("personal", None, _contact(draws)))
    closing = draws.pick(language().closings)
    return [*sentences, _plain(closing)] if closing else sentences


def assemble(parts: list[Part]) -> tuple[str, tuple[Span, ...]]:
    """The parts as one text, and where each part that matters for the answers stands in it."""
    text, spans = "", []
    for kind, cause, part in parts:
        start = len(text) + bool(text)
        text = f"{text} {part}" if text else part
        if kind != "plain":
            spans.append(Span(kind, start, len(text), cause))
    return text, tuple(spans)


def _plain(text: str) -> Part:
    return ("plain", None, text)


def _evidence(draws: Draws, concept: Concept, cause: int, late: float) -> Cue:
    text, is_late = _expand(draws, concept, late)
    frame = draws.pick(language().confirmations) if draws.chance(0.25) else "{}"
    return Cue("evidence", cause, text, frame, is_late)


def _hedge(draws: Draws, cause: int, late: float) -> Cue:
    if draws.chance(0.25):
        return Cue("hedge", cause, draws.pick(causes()[cause].negations), "{}", is_late=False)
    text, is_late = _expand(draws, draws.pick(causes()[cause].concepts), late)
    return Cue("hedge", cause, text, draws.pick(language().hedges), is_late)


def _expand(draws: Draws, concept: Concept, late_probability: float) -> tuple[str, bool]:
    """One wording of the concept, and whether any slot took a late one."""
    chosen, any_late = [], False
    for early, late in concept.slots:
        takes_late = bool(late) and draws.chance(late_probability)
        any_late = any_late or takes_late
        chosen.append(draws.pick(late if takes_late else early))
    return concept.text.format(*chosen), any_late


def _typed(draws: Draws, text: str, typos: float) -> str:
    """The words as someone in a hurry types them: some shortened, some with two letters swapped."""
    for word, short in language().abbreviations.items():
        if word in text and draws.chance(0.3):
            text = text.replace(word, short)
    words = text.split(" ")
    return " ".join(_swap(draws, w) if len(w) > 4 and draws.chance(typos) else w for w in words)


def _sentence(draws: Draws, text: str) -> str:
    return f"{text[0].upper() if draws.chance(0.6) else text[0]}{text[1:]}."


def _swap(draws: Draws, word: str) -> str:
    place = draws.between(1, len(word) - 3)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _contact(draws: Draws) -> str:
    """Invented personal data, with numbers and addresses from ranges reserved for examples."""
    name = f"{draws.pick(language().first_names)} {draws.pick(language().last_names)}"
    fields = {
        "name": name,
        "mail": name.lower().replace(" ", "."),
        "two": f"{draws.below(100):02d}",
        "octet": draws.between(1, 254),
        "seven": f"{draws.below(10**7):07d}",
    }
    return draws.pick(language().contacts).format(**fields) + "."

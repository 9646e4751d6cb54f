"""The ceiling: the best accuracy any model can have on tickets of these dials.

It follows from the generator's own probabilities, for 20,000 tickets drawn for this purpose alone.

Alarms: for each ticket the exact posterior over the causes is worked out from the alarms, the month
and, where the habit is known, the device; its largest value is the chance to be right. For a new
device it averages over the habits of all devices and every set of own consequences one may have.

Words: evidence gives the cause away, so such tickets count as right; tickets without evidence fall
back on the alarms and on which causes the hedges dismiss. That is a bound, no value: "at most".

Copies in training are left out: who has seen a ticket's twin needs no model.
Legend: N tickets, D devices, C causes, A alarms.
"""

from dataclasses import asdict, dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.dials import Dials
from trainer.datasets.draws import Draws
from trainer.datasets.incidents import Happening, happenings
from trainer.datasets.templates import alarm_names, causes
from trainer.datasets.wording import (
    CONFUSABLE_HEDGE,
    EVIDENCE_COUNT,
    NO_NOTE,
    hedge_counts,
    other_cause,
)
from trainer.datasets.world import (
    CONFUSED_ALARM,
    QUIRK_PROBABILITY,
    QUIRKS,
    World,
    wrong_label_chances,
)

ROWS = 20_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ceiling:
    """The most that can be reached from these inputs, as fractions.

    Attributes:
        inputs: "alarms" or "words" (words and alarms).
        knows_device: whether the device's habit is known, as after a row split; else the device is
            a new one.
        at_most: the values are upper bounds rather than exact.
        true: accuracy against the true causes.
        recorded: accuracy against the recorded causes, some of which are wrong.
        standard_error: of both, from the number of tickets drawn.
    """

    inputs: str
    knows_device: bool
    at_most: bool
    true: float
    recorded: float
    standard_error: float

    @property
    def label(self) -> str:
        """How a chart names the line."""
        return "ceiling, at most" if self.at_most else "ceiling"

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self) | {"label": self.label}


def ceilings(dials: Dials, rows: int = ROWS) -> tuple[Ceiling, ...]:
    """All four ceilings of these dials: alarms or words, the device's habit known or not."""
    world = World(dials)
    drawn = list(islice(happenings(world, Draws(dials.seed, "ceiling")), rows))
    hedges_NC = _hedge_likelihood(world, drawn)
    found = []
    for knows_device in (True, False):
        posterior_NC = posterior(world, drawn, knows_device=knows_device)
        alarms = _best(world, posterior_NC)
        both = _best(world, _normed(posterior_NC * hedges_NC))
        found.append(_alarm_ceiling(knows_device, alarms))
        found.append(_word_ceiling(dials, knows_device, alarms, both))
    return tuple(found)


def posterior(world: World, drawn: list[Happening], *, knows_device: bool) -> Floats:
    """P(cause | alarms, month, and the device's habit if known) of each ticket (N, C), exactly."""
    return _normed(_joint_known(world, drawn) if knows_device else _joint_unknown(world, drawn))


def ceiling(found: list[dict[str, Any]], *, words: bool, knows_device: bool) -> dict[str, Any]:
    """One of the ceilings of a data card."""
    inputs = "words" if words else "alarms"
    return next(
        entry
        for entry in found
        if entry["inputs"] == inputs and entry["knows_device"] == knows_device
    )


def _alarm_ceiling(knows_device: bool, best_N2: Floats) -> Ceiling:
    true, recorded = best_N2.mean(axis=0)
    return Ceiling("alarms", knows_device, False, true, recorded, _standard_error(best_N2))


def _word_ceiling(dials: Dials, knows_device: bool, alarms_N2: Floats, both_N2: Floats) -> Ceiling:
    told = (1 - NO_NOTE) * (1 - EVIDENCE_COUNT[0])
    silent = (1 - NO_NOTE) * EVIDENCE_COUNT[0] * both_N2 + NO_NOTE * alarms_N2
    true, recorded = silent.mean(axis=0) + told * np.array(
        [1.0, max(1 - dials.label_noise, dials.label_noise)]
    )
    return Ceiling("words", knows_device, True, true, recorded, _standard_error(silent))


def _standard_error(best_N2: Floats) -> float:
    return float(best_N2[:, 0].std() / len(best_N2) ** 0.5)


def _normed(joint_NC: Floats) -> Floats:
    return np.asarray(joint_NC / joint_NC.sum(axis=1, keepdims=True))


def _best(world: World, posterior_NC: Floats) -> Floats:
    """(N, 2) the chance that the best guess is the true cause, and that it is the recorded one."""
    noise = world.dials.label_noise
    recorded_NC = posterior_NC @ (
        (1 - noise) * np.eye(len(causes())) + noise * wrong_label_chances()
    )
    return np.stack([posterior_NC.max(axis=1), recorded_NC.max(axis=1)], axis=1)


def _joint_known(world: World, drawn: list[Happening]) -> Floats:
    """P(cause, alarms | month, device) up to a factor a row."""
    prior_NC = world.tickets[[row.month for row in drawn], [row.device for row in drawn]]
    quirks_DA = np.zeros((len(world.devices), len(alarm_names())))
    for device in world.devices:
        quirks_DA[device.number, list(device.quirks)] = QUIRK_PROBABILITY
    raised_NA = _raised(drawn)
    likelihood_NC = np.empty_like(prior_NC)
    devices_N = np.array([row.device for row in drawn])
    for number in np.unique(devices_N):
        rows = devices_N == number
        likelihood_NC[rows] = _likelihood(world, raised_NA[rows], quirks_DA[number])
    return np.asarray(prior_NC * likelihood_NC)


def _joint_unknown(world: World, drawn: list[Happening]) -> Floats:
    """P(cause, alarms | month) up to a factor a row, for a device nobody has seen."""
    prior_NC = world.tickets.sum(axis=1)[[row.month for row in drawn]]
    raised_NA = _raised(drawn)
    total_NC = np.zeros_like(prior_NC)
    for quirks in combinations(world.consequences, QUIRKS):
        quirks_A = np.zeros(len(alarm_names()))
        quirks_A[list(quirks)] = QUIRK_PROBABILITY
        total_NC += _likelihood(world, raised_NA, quirks_A)
    return np.asarray(prior_NC * total_NC)


def _likelihood(world: World, raised_NA: Floats, quirks_A: Floats) -> Floats:
    """P(alarms | cause) of a device with these own consequences, as `incidents` draws them."""
    on_CA = 1 - (1 - world.alarm_chances) * (1 - quirks_A)
    plain_NC = np.exp(raised_NA @ np.log(on_CA / (1 - on_CA)).T + np.log(1 - on_CA).sum(axis=1))
    # A stray alarm is on for sure: divide its probability out, put in that it was chosen.
    stray = CONFUSED_ALARM * world.dials.hard
    factor_NC = 1 - stray + stray * (raised_NA @ (world.stray_chances / on_CA).T)
    return np.asarray(plain_NC * factor_NC)


def _raised(drawn: list[Happening]) -> Floats:
    raised_NA = np.zeros((len(drawn), len(alarm_names())))
    for row, happening in enumerate(drawn):
        raised_NA[row, list(happening.alarms)] = 1
    return raised_NA


def _hedge_likelihood(world: World, drawn: list[Happening]) -> Floats:
    """P(the causes that hedges dismiss | cause), for hedges drawn as `wording` draws them."""
    draws = Draws(world.dials.seed, "ceiling hedges")
    names = [cause.name for cause in causes()]
    table_CC = np.full((len(names), len(names)), (1 - CONFUSABLE_HEDGE) / (len(names) - 1))
    for row, cause in enumerate(causes()):
        table_CC[row, row] = 0.0
        for other in cause.confusable:
            table_CC[row, names.index(other)] += CONFUSABLE_HEDGE / len(cause.confusable)
    likelihood_NC = np.ones((len(drawn), len(names)))
    for row, happening in enumerate(drawn):
        for _ in range(draws.weighted(hedge_counts(world.dials.hard))):
            likelihood_NC[row] *= table_CC[:, other_cause(draws, happening.cause)]
    return likelihood_NC

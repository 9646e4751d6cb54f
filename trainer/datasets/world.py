"""The world behind the tickets: devices with habits and fingerprints, and all probabilities.

Everything is a probability that both the generator and the ceiling read, so the two cannot drift
apart. Legend: M months, D devices, C causes, A alarms.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trainer.datasets.dials import Dials
from trainer.datasets.draws import Draws
from trainer.datasets.templates import Cause, alarm_names, causes, language

MONTHS = 24
SITES = 90
FIRMWARES = 12
QUIRKS = 3
QUIRK_PROBABILITY = 0.6
CONFUSED_ALARM = 0.12
FAMILY_EXTRA = (3, 9)
_VOLUMES = (1.0, 1.0, 1.25, 1.5, 2.0)

Floats = NDArray[np.float64]
Month = TypeVar("Month", int, NDArray[np.int64])


@dataclass(frozen=True)
class Device:
    """One device; its fingerprint stands in every ticket, its favourites are hidden."""

    number: int
    name: str
    site: int
    firmware: int
    vendor: int
    quirks: tuple[int, ...]
    favourites: tuple[int, ...]
    volume: float
    pace_s: float


class World:
    """Devices and probabilities of one set of dials."""

    def __init__(self, dials: Dials) -> None:
        """The world of these dials."""
        self.dials = dials
        draws = Draws(dials.seed, "devices")
        self.devices = tuple(_device(draws, number) for number in range(dials.devices))

    @cached_property
    def habits(self) -> Floats:
        """P(cause) of each device (D, C), its habit and the prior, before season and drift."""
        prior = np.array([cause.prior for cause in causes()])
        table = np.tile((1 - self.dials.habit) * prior, (len(self.devices), 1))
        for device in self.devices:
            for favourite in device.favourites:
                table[device.number, favourite] += self.dials.habit / len(device.favourites)
        return table

    @cached_property
    def incidents(self) -> Floats:
        """P(device and cause | month) of an incident (M, D, C), family tickets not counted."""
        factors_MC = np.array(
            [[_factor(cause, m, self.dials.drift) for cause in causes()] for m in range(MONTHS)]
        )
        table = factors_MC[:, None, :] * self.habits[None]
        volumes = np.array([device.volume for device in self.devices])
        shares_D = volumes / volumes.sum()
        table *= shares_D[None, :, None] / table.sum(axis=2, keepdims=True)
        return np.asarray(table)

    @cached_property
    def tickets(self) -> Floats:
        """The same for a ticket: causes whose incidents open families have more tickets."""
        extra = self.dials.families * sum(FAMILY_EXTRA) / 2
        boosts_C = np.array([1 + extra * cause.family for cause in causes()])
        table = self.incidents * boosts_C
        return np.asarray(table / table.sum(axis=(1, 2), keepdims=True))

    @cached_property
    def alarm_chances(self) -> Floats:
        """P(alarm | cause) (C, A) before the device's own consequences are added."""
        names = alarm_names()
        table = np.full((len(causes()), len(names)), language().stray_alarm)
        for row, cause in enumerate(causes()):
            for alarm, probability in cause.alarms.items():
                table[row, names.index(alarm)] = probability
        return table

    @cached_property
    def stray_chances(self) -> Floats:
        """P(this alarm is the stray one | cause, and there is one) (C, A)."""
        names = alarm_names()
        table = np.zeros((len(causes()), len(names)))
        by_name = {cause.name: cause for cause in causes()}
        for row, cause in enumerate(causes()):
            for other in cause.confusable:
                for alarm in by_name[other].alarms:
                    share = 1 / (len(cause.confusable) * len(by_name[other].alarms))
                    table[row, names.index(alarm)] += share
        return table

    @cached_property
    def consequences(self) -> tuple[int, ...]:
        """Columns of the alarms that any cause can bring about."""
        return tuple(alarm_names().index(alarm) for alarm in language().consequences)


def wrong_label_chances() -> Floats:
    """P(recorded cause | true cause, and the label is wrong) (C, C)."""
    names = [cause.name for cause in causes()]
    table = np.full((len(names), len(names)), 0.25 / (len(names) - 1))
    for row, cause in enumerate(causes()):
        table[row, row] = 0.0
        for other in cause.confusable:
            table[row, names.index(other)] += 0.75 / len(cause.confusable)
    return table


def calendar_month(month: Month) -> Month:
    """0 for January to 11 for December."""
    return month % 12


def _device(draws: Draws, number: int) -> Device:
    shared = language().consequences
    kind = draws.pick(language().node_kinds)
    weights = [math.sqrt(cause.prior) for cause in causes()]
    favourites: list[int] = []
    for _ in range(draws.between(1, 3)):
        favourites.append(
            draws.weighted([0.0 if c in favourites else w for c, w in enumerate(weights)])
        )
    return Device(
        number=number,
        name=f"{kind}{number + 1:03d}",
        site=draws.below(SITES),
        firmware=draws.below(FIRMWARES),
        vendor=draws.below(len(language().vendors)),
        quirks=tuple(sorted(alarm_names().index(alarm) for alarm in draws.sample(shared, QUIRKS))),
        favourites=tuple(favourites),
        volume=draws.pick(_VOLUMES),
        pace_s=5 + 55 * draws.unit(),
    )


def _factor(cause: Cause, month: int, drift: float) -> float:
    """How much more likely than usual the cause is in this month (0 to 23)."""
    start, end = cause.drift
    done = month / (MONTHS - 1) if cause.drift_month is None else float(month >= cause.drift_month)
    trend = start + (end - start) * done
    return cause.season[calendar_month(month)] * (1 + drift * (trend - 1))

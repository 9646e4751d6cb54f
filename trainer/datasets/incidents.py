"""What truly happened: one row of truth a ticket, from which table, text and answers are all made.

Numbers only; words are `wording`'s matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from trainer.datasets.draws import WAITING, Draws
from trainer.datasets.templates import causes, language
from trainer.datasets.world import CONFUSED_ALARM, FAMILY_EXTRA, MONTHS, QUIRK_PROBABILITY, World

DAYS = 730
_DAY_S = 24 * 3600


@dataclass(frozen=True)
class Happening:
    """One ticket's truth: when, where, why, and which alarms were raised."""

    second: int
    month: int
    device: int
    cause: int
    family: int
    alarms: tuple[int, ...]
    gap_s: int

    @property
    def age(self) -> float:
        """How far into the two years, 0 to 1."""
        return self.second / (DAYS * _DAY_S)


def happenings(world: World, draws: Draws) -> Iterator[Happening]:
    """Truths without end, families together. Each row follows `World.tickets` exactly."""
    pairs_M = world.incidents.reshape(MONTHS, -1).cumsum(axis=1).tolist()
    devices_MC = world.incidents.cumsum(axis=1)
    family = 0
    while True:
        second = draws.below(DAYS * _DAY_S)
        month = second * MONTHS // (DAYS * _DAY_S)
        device, cause = divmod(draws.cumulative(pairs_M[month]), len(causes()))
        yield _happening(world, draws, (second, month, device, cause, family))
        if causes()[cause].family and draws.chance(world.dials.families):
            sums = devices_MC[month, :, cause].tolist()
            for _ in range(draws.between(*FAMILY_EXTRA)):
                later = min(second + draws.below(900), (month + 1) * DAYS * _DAY_S // MONTHS - 1)
                yield _happening(
                    world, draws, (later, month, draws.cumulative(sums), cause, family)
                )
        family += 1


def _happening(world: World, draws: Draws, where: tuple[int, int, int, int, int]) -> Happening:
    second, month, device, cause, family = where
    alarms = _alarms(world, draws, cause, device)
    gap_s = int(world.devices[device].pace_s * draws.curve(WAITING))
    return Happening(
        second=second,
        month=month,
        device=device,
        cause=cause,
        family=family,
        alarms=alarms,
        gap_s=gap_s if len(alarms) > 1 else 0,
    )


def _alarms(world: World, draws: Draws, cause: int, device: int) -> tuple[int, ...]:
    """The cause's alarms, the device's own consequences, now and then a confusable one."""
    raised = {
        a
        for a, probability in enumerate(world.alarm_chances[cause].tolist())
        if draws.chance(probability)
    }
    raised |= {a for a in world.devices[device].quirks if draws.chance(QUIRK_PROBABILITY)}
    if draws.chance(CONFUSED_ALARM * world.dials.hard):
        raised.add(draws.weighted(world.stray_chances[cause].tolist()))
    return _ordered(world, draws, raised)


def _ordered(world: World, draws: Draws, raised: set[int]) -> tuple[int, ...]:
    """Usually roots before consequences; the order tells nothing that the set does not."""
    mixed = draws.shuffled(sorted(raised))
    if draws.chance(0.35):
        return tuple(mixed)
    return tuple(sorted(mixed, key=lambda alarm: alarm in world.consequences))


def severity(draws: Draws) -> str:
    """An alarm's severity; it follows from nothing and tells nothing."""
    return draws.pick(language().severities)

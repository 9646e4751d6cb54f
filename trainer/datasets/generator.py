"""Makes the tickets: the alarm table, the text, the repair and the answers of each from one truth.

Where they are kept is `store`'s matter.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from trainer.datasets import wording
from trainer.datasets.dials import Dials
from trainer.datasets.draws import REPAIR, Draws
from trainer.datasets.incidents import Happening, happenings, severity
from trainer.datasets.templates import alarm_names, causes, language
from trainer.datasets.world import SITES, World, wrong_label_chances

START = dt.datetime(2024, 1, 1)
SHOWN_ALARMS = 6


@dataclass(frozen=True)
class Ticket:
    """One ticket as three records: known when it opens, known at the close, and the answers."""

    truth: Happening
    opened: dict[str, Any]
    closed: dict[str, Any]
    answer: dict[str, Any]


def tickets(dials: Dials) -> list[Ticket]:
    """All tickets in the order in which they were opened."""
    world = World(dials)
    made = list(islice(_stream(world), dials.tickets))
    made.sort(key=lambda ticket: (ticket.truth.second, ticket.opened["ticket_id"]))
    return _numbered(made)


def _stream(world: World) -> Iterator[Ticket]:
    """Tickets family by family, copies right behind their originals; ids count in this order."""
    truths = happenings(world, Draws(world.dials.seed, "incidents"))
    writer = _Writer(world)
    for count, truth in enumerate(truths):
        ticket = writer.write(truth, f"{2 * count:08d}")
        yield ticket
        if writer.draws.chance(world.dials.duplicates):
            yield writer.copy(ticket, f"{2 * count + 1:08d}")


def _numbered(made: list[Ticket]) -> list[Ticket]:
    """The tickets with ids that rise with time."""
    names = {
        ticket.opened["ticket_id"]: f"INC{100_000 + 7 * place}" for place, ticket in enumerate(made)
    }
    rows = []
    for ticket in made:
        name = {"ticket_id": names[ticket.opened["ticket_id"]]}
        original = ticket.answer["duplicate_of"]
        answer = ticket.answer | name | {"duplicate_of": names[original] if original else ""}
        rows.append(Ticket(ticket.truth, ticket.opened | name, ticket.closed | name, answer))
    return rows


class _Writer:
    """Writes tickets one after another; tickets of one family share their cues."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.draws = Draws(world.dials.seed, "words")
        self.wrong_CC = wrong_label_chances().tolist()
        self.family = -1
        self.cues: tuple[wording.Cue, ...] | None = None

    def write(self, truth: Happening, name: str) -> Ticket:
        """The ticket of one truth."""
        if truth.family != self.family:
            dials = self.world.dials
            self.family = truth.family
            late = wording.late_share(truth.age, dials.drift)
            self.cues = wording.cues(self.draws, truth.cause, late, dials.hard)
        opened, spans = self._opened(truth, name)
        recorded = truth.cause
        if self.draws.chance(self.world.dials.label_noise):
            recorded = self.draws.weighted(self.wrong_CC[truth.cause])
        opened["cause_recorded"] = causes()[recorded].name
        return Ticket(truth, opened, self._closed(truth, name), self._answer(truth, name, spans))

    def copy(self, ticket: Ticket, name: str) -> Ticket:
        """The same ticket filed again a little later, sometimes in capitals."""
        text = ticket.opened["text"].upper() if self.draws.chance(0.3) else ticket.opened["text"]
        later = replace(ticket.truth, second=ticket.truth.second + 1)
        answer = ticket.answer | {"ticket_id": name, "duplicate_of": ticket.opened["ticket_id"]}
        again = {"ticket_id": name, "text": text, "opened_at": _clock(later)}
        return Ticket(later, ticket.opened | again, ticket.closed | {"ticket_id": name}, answer)

    def _opened(
        self, truth: Happening, name: str
    ) -> tuple[dict[str, Any], tuple[wording.Span, ...]]:
        draws, device, words = self.draws, self.world.devices[truth.device], language()
        is_new = draws.chance(wording.new_platform_share(truth.age, self.world.dials.drift))
        alarms = self._alarms(truth, is_new)
        site = f"S{device.site + 1:03d}"
        head = f"{device.name} {site} {words.vendors[device.vendor]} FW{device.firmware + 1:02d}"
        lines = [f"{line['severity']} {line['name']}" for line in alarms[:SHOWN_ALARMS]]
        parts: list[wording.Part] = [("plain", None, " ; ".join([head, *lines]) + " |")]
        if self.cues is not None:
            parts += wording.note(draws, self.cues, self._places(device.name, site))
        text, spans = wording.assemble(parts)
        return {
            "ticket_id": name,
            "origin": "synthetic",
            "opened_at": _clock(truth),
            "node": device.name,
            "site": site,
            "region": words.regions[device.site * len(words.regions) // SITES],
            "vendor": words.vendors[device.vendor],
            "firmware": f"FW{device.firmware + 1:02d}",
            "platform": "new" if is_new else "old",
            "severity": draws.pick(words.severities),
            "channel": draws.pick(words.channels),
            "change_window": alarm_names().index("configChange") in truth.alarms,
            "alarms": alarms,
            "text": text,
        }, spans

    def _alarms(self, truth: Happening, is_new: bool) -> list[dict[str, Any]]:
        """The alarm list; the second comes after the device's own pace, the others behind it."""
        node, offset_s, lines = self.world.devices[truth.device].name, 0, []
        for place, alarm in enumerate(truth.alarms):
            offset_s += truth.gap_s if place == 1 else self.draws.below(30) if place else 0
            shown = alarm_names()[alarm]
            if is_new:
                shown = language().new_names.get(shown, shown)
            lines.append(
                {
                    "offset_s": offset_s,
                    "severity": severity(self.draws),
                    "node": node,
                    "name": shown,
                }
            )
        return lines

    def _places(self, node: str, site: str) -> dict[str, str]:
        draws = self.draws
        return {
            "node": node,
            "site": site,
            "peer": f"R{draws.between(1, 60):02d}",
            "circuit": f"C{draws.between(10_000, 99_999)}",
            "count": str(draws.between(2, 40)),
        }

    def _closed(self, truth: Happening, name: str) -> dict[str, Any]:
        draws, cause = self.draws, causes()[truth.cause]
        return {
            "ticket_id": name,
            "origin": "synthetic",
            "close_note": f"Root cause {cause.name.replace('_', ' ')}, solved by {cause.team}.",
            "close_code": f"{truth.cause + 1:02d}",
            "resolver_team": cause.team,
            "parts_used": cause.part,
            "minutes_to_restore": round(cause.minutes * draws.curve(REPAIR)),
            "reopened": draws.chance(0.04),
            "priority_final": draws.between(1, 4),
        }

    def _answer(
        self, truth: Happening, name: str, spans: tuple[wording.Span, ...]
    ) -> dict[str, Any]:
        kinds = {"evidence": "evidence_spans", "hedge": "hedge_spans", "personal": "pii_spans"}
        found: dict[str, Any] = {field: [] for field in kinds.values()}
        for span in spans:
            found[kinds[span.kind]].append([span.start, span.end])
        return {
            "ticket_id": name,
            "origin": "synthetic",
            "cause_true": causes()[truth.cause].name,
            "family_id": f"F{truth.family:06d}",
            "duplicate_of": "",
            **found,
            "n_evidence": len(found["evidence_spans"]),
            "wording": "late" if any(cue.is_late for cue in self.cues or ()) else "early",
        }


def _clock(truth: Happening) -> str:
    return (START + dt.timedelta(seconds=truth.second)).isoformat()


def table(made: list[Ticket]) -> dict[str, np.ndarray[Any, Any]]:
    """The same tickets as arrays: `alarms` (N, A) of 0 and 1, `columns` (N, 5) of integers."""
    alarms = np.zeros((len(made), len(alarm_names())), dtype=np.uint8)
    for row, ticket in enumerate(made):
        alarms[row, list(ticket.truth.alarms)] = 1
    names = [cause.name for cause in causes()]
    columns = [
        (
            t.truth.device,
            t.truth.month,
            t.truth.second % 86_400,
            t.truth.gap_s,
            names.index(t.opened["cause_recorded"]),
        )
        for t in made
    ]
    return {"alarms": alarms, "columns": np.array(columns, dtype=np.int32)}

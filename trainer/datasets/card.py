"""The data card: what a data set is, what is invented in it, and how good a model can be on it."""

from collections import Counter
from typing import Any

from trainer.datasets.ceiling import ceilings
from trainer.datasets.dials import VERSION, Dials
from trainer.datasets.generator import Ticket
from trainer.datasets.templates import alarm_names, causes, language
from trainer.datasets.world import World

ABOUT = (
    "Synthetic tickets of an invented network operator. Devices, people, sites, vendors and all "
    "sentences are made up; phone numbers, addresses and mail domains come from ranges reserved "
    "for examples. Alarm names and the ten causes are modelled on public vocabularies (X.733 "
    "probable causes, SNMP traps). No figure says anything about a real network."
)


def card(dials: Dials, made: list[Ticket]) -> dict[str, Any]:
    """The card of these tickets: title, counts, names, fingerprints of the devices and ceilings."""
    true = Counter(ticket.answer["cause_true"] for ticket in made)
    return {
        "title": "The Alarm Desk: synthetic incident tickets",
        "origin": "synthetic",
        "synthetic": True,
        "about": ABOUT,
        "generator_version": VERSION,
        "causes": [cause.name for cause in causes()],
        "alarms": list(alarm_names()),
        "vendors": list(language().vendors),
        "counts": {
            "tickets": len(made),
            "devices": dials.devices,
            "families": len({ticket.truth.family for ticket in made}),
            "duplicates": sum(bool(ticket.answer["duplicate_of"]) for ticket in made),
            "wrong_labels": sum(t.answer["cause_true"] != t.opened["cause_recorded"] for t in made),
            "with_personal_data": sum(bool(ticket.answer["pii_spans"]) for ticket in made),
            "by_true_cause": {cause.name: true[cause.name] for cause in causes()},
        },
        "leak_fields": [name for name in made[0].closed if name not in {"ticket_id", "origin"}],
        "devices": [
            {"name": d.name, "site": d.site, "firmware": d.firmware, "vendor": d.vendor}
            for d in World(dials).devices
        ],
        "ceilings": [found.as_dict() for found in ceilings(dials)],
    }

"""Ninety seconds: leads one small job through all six stages, every leg of it for real."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from labs.legs import ACTS, Baggage
from trainer import tour
from trainer.errors import StagecoachError
from trainer.exit_codes import FAILED, FINISHED
from trainer.runs import runs_folder
from trainer.tour import LEGS, Leg, Tour


def lead(told: Tour, runs: Path, say: Callable[[Leg], None]) -> int:
    """Take the tour from leg to leg; the first that fails ends it, with its reason."""
    told.lead()
    baggage = Baggage(runs, told.learner)
    for leg in LEGS:
        began = time.monotonic()
        told.say(replace(leg, state="running"))
        say(replace(leg, state="running"))
        try:
            done = replace(ACTS[leg.name](leg, baggage), state="done")
        except (StagecoachError, OSError) as error:
            done = replace(leg, state="failed", text=str(error))
        done = replace(done, seconds=round(time.monotonic() - began, 2))
        told.say(done)
        say(done)
        if done.state == "failed":
            told.end()
            return FAILED
    told.end()
    return FINISHED


def act(parsed: argparse.Namespace) -> int:
    """`python -m labs ninety`: lead a new tour, or one that a page has begun."""
    runs = runs_folder()
    told = tour.find(runs, parsed.tour) if parsed.tour else tour.begin(runs, parsed.learner)

    def say(leg: Leg) -> None:
        words = leg.figure if leg.state == "done" else leg.text
        print(f"{leg.state:8} {leg.title}  {words}", file=sys.stderr, flush=True)

    code = lead(told, runs, say)
    if parsed.json:
        print(json.dumps(tour.summary(told), allow_nan=False), flush=True)
    else:
        print(f"{told.seconds:.0f} s in all.", file=sys.stderr, flush=True)
    return code

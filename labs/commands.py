"""`python -m labs`: list, run and steer labs from a terminal, on the same way as from a page."""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from labs import ninety, own_data, recording, registering, registry
from labs.following import follow, print_summary
from labs.progress import summary
from trainer import catalogue, kept, ticket_source
from trainer.catalogue import LabInfo
from trainer.dispatch import client
from trainer.errors import BadSetting, StagecoachError
from trainer.exit_codes import BAD_INPUT, FAILED, FINISHED
from trainer.learner import LOCAL
from trainer.runs import Run, RunConfig, RunStatus, find, list_runs, runs_folder

_CODES = (
    "Exit codes: 0 finished, 1 failed, 2 bad input, 75 stopped with a checkpoint, "
    "130 left running by a second Ctrl-C. Who has this shell owns the machine: stop, pause, step "
    "and resume act on the runs of all learners here."
)
_PATIENCE_S = 20.0


def main(arguments: list[str]) -> int:
    """Run one command; a mistake of the user's is one line on stderr and exit code 2."""
    try:
        parsed = _parser().parse_args(arguments)
        return int(parsed.act(parsed))
    except StagecoachError as error:
        print(f"labs: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"labs: {error.filename or 'The machine'}: {error.strerror}.", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m labs", description=__doc__, epilog=_CODES)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _command(commands, "list", _list, "show the labs")
    run = _command(commands, "run", _run, "run a lab to its end")
    run.add_argument("lab", metavar="ID")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    run.add_argument("--seed", type=int, default=1337)
    run.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    run.add_argument("--preset", default="cpu")
    run.add_argument(
        "--learner", default=LOCAL, metavar="NAME", help="whose run it is: a to z, 0 to 9, hyphen"
    )
    run.add_argument("--data", metavar="HASH[.SPLIT]", help="tickets to learn from")
    run.add_argument("--parent", metavar="RUN", help="run whose kept model to go on with")
    _command(commands, "runs", _runs, "show all runs, newest first")
    tour = _command(commands, "ninety", ninety.act, "lead one small job through all stages")
    tour.add_argument("--learner", default="local")
    tour.add_argument("--tour", default="", help=argparse.SUPPRESS)  # one that a page has begun
    for name, act, words in (
        ("show", _show, "show one run"),
        ("stop", _stop, "stop a run; it keeps a checkpoint"),
        ("pause", _pause, "let a run wait between two steps"),
        ("step", _step, "let a paused run do one step"),
        ("resume", _resume, "go on with a paused, stopped or failed run, to its end"),
    ):
        _command(commands, name, act, words).add_argument("run", metavar="RUN")
    registering.add(partial(_command, commands))
    recording.add(partial(_command, commands))
    own_data.add(commands)
    return parser


def _command(
    commands: Any, name: str, act: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    parser.add_argument("--json", action="store_true", help="print strict JSON on stdout")
    parser.set_defaults(act=act)
    return parser


def _list(parsed: argparse.Namespace) -> int:
    labs = _labs()
    rows = [
        {
            "id": lab.id,
            "stage": lab.stage,
            "number": lab.number,
            "title": lab.title,
            "minutes": lab.minutes,
        }
        for lab in labs
    ]
    if parsed.json:
        print(json.dumps(rows))
    else:
        for lab in labs:
            print(f"{lab.number:5} {lab.id:24} {lab.title} ({lab.stage}, {lab.minutes:g} min)")
    return FINISHED


def _labs() -> tuple[LabInfo, ...]:
    """Return all labs: from the catalogue where it fits the code, else by loading them."""
    known = catalogue.read(runs_folder())
    if known is not None:
        return known.labs
    labs = catalogue.ordered(map(catalogue.info, registry.all_labs().values()))
    with contextlib.suppress(OSError):  # a folder that cannot be written is no reason not to tell
        catalogue.write(runs_folder(), labs)
    return labs


def _run(parsed: argparse.Namespace) -> int:
    config = RunConfig(
        lab=parsed.lab,
        preset=parsed.preset,
        settings=_settings(parsed.lab, parsed.preset, parsed.settings),
        seed=parsed.seed,
        device=parsed.device,
        learner=parsed.learner,
        data=parsed.data,
        parent=parsed.parent,
    )
    config.check()
    if config.parent is not None:
        kept.of_run(runs_folder(), config.parent)
    if config.data_and_split is not None:
        _check_data(config)
    return follow(lambda: client.submit(runs_folder(), config))


def _check_data(config: RunConfig) -> None:
    """Say now what the worker would say: whose data set it is, and whether it is there."""
    named = config.data_and_split
    if named is not None and config.parent is None:
        ticket_source.folder(runs_folder(), named[0], config.learner)


def _settings(lab_id: str, preset: str, pairs: list[str]) -> dict[str, Any]:
    """Check everything before a run folder exists: a typing error should leave nothing behind."""
    labs = {lab.id: lab for lab in _labs()}
    if lab_id not in labs:
        raise BadSetting(f"There is no lab {lab_id!r}; there are: {', '.join(labs)}.")
    lab = labs[lab_id]
    if preset not in lab.presets:
        raise BadSetting(f"preset must be one of {', '.join(lab.presets)}, not {preset!r}.")
    known = {info.name: info for info in lab.settings}
    chosen = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            raise BadSetting(
                f"--set takes NAME=VALUE with a NAME of: {', '.join(known)}; not {pair!r}."
            )
        chosen[name] = known[name].check(value)
    return chosen


def _runs(parsed: argparse.Namespace) -> int:
    found = list_runs(runs_folder())
    if parsed.json:
        print(json.dumps([summary(run) for run in found], allow_nan=False))
    elif not found:
        print("No runs yet. Start one: python -m labs run split_trap")
    else:
        for run in found:
            print(f"{run.id:48} {run.status:10} {run.finding.text if run.finding else ''}")
    return FINISHED


def _show(parsed: argparse.Namespace) -> int:
    run = find(runs_folder(), parsed.run)
    if parsed.json:
        print_summary(run)
    else:
        for name, value in summary(run).items():
            print(f"{name:10} {value}")
    return FINISHED


def _stop(parsed: argparse.Namespace) -> int:
    run = find(runs_folder(), parsed.run)
    run.stop()
    client.ensure(runs_folder())
    return _done(run, parsed, lambda: run.has_ended)


def _pause(parsed: argparse.Namespace) -> int:
    run = find(runs_folder(), parsed.run)
    run.pause()
    return _done(run, parsed, lambda: run.is_paused or run.has_ended)


def _step(parsed: argparse.Namespace) -> int:
    run = find(runs_folder(), parsed.run)
    before = run.step
    run.step_once()
    return _done(run, parsed, lambda: run.step > before or run.has_ended)


def _resume(parsed: argparse.Namespace) -> int:
    run = find(runs_folder(), parsed.run)

    def go_on() -> Run:
        if run.status is not RunStatus.SCHEDULED:  # else it waits in line, perhaps for nobody
            run.resume()
        client.ensure(runs_folder())
        return run

    return follow(go_on)


def _done(run: Run, parsed: argparse.Namespace, has_happened: Callable[[], bool]) -> int:
    """Wait until the wish has come true, then print how the run stands."""
    deadline = time.monotonic() + _PATIENCE_S
    while not has_happened() and time.monotonic() < deadline:
        time.sleep(0.02)
    if parsed.json:
        print_summary(run)
    else:
        state = "paused" if run.is_paused else run.status.lower()
        print(f"{run.id}: {state} at step {run.step:,}")
    return FINISHED if has_happened() else FAILED

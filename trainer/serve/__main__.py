"""`python -m trainer.serve RUNS`: answers for every champion of a runs folder, until it is idle.

With `--state FILE` it is a private one beside the folder's own, for example for a lab with a batch
limit of its own: it writes its address there, stays in its caller's group and ends with it.
"""

import argparse
import ipaddress
import os
import socket
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.lock import Lock
from trainer.process import identity
from trainer.serve import place

if TYPE_CHECKING:
    from trainer.serve.life import Plan

_BACKLOG = 2048
_MOST_ROWS = 128  # of a batch


def main(arguments: Sequence[str]) -> int:
    """Serve; 2 for arguments that cannot be obeyed."""
    parser = _parser()
    options = parser.parse_args(arguments)
    token = os.environ.get("STAGECOACH_TOKEN") or None
    if not ipaddress.ip_address(options.host).is_loopback and token is None:
        parser.error(f"others can reach {options.host}: set STAGECOACH_TOKEN, or leave --host away")
    if not 1 <= options.max_batch <= _MOST_ROWS:
        parser.error(f"--max-batch must lie between 1 and {_MOST_ROWS}")
    if options.state is not None:
        _serve(options, Path(options.state).absolute(), None, token)
        return 0
    runs = Path(options.runs).absolute()
    try:
        lock = Lock(place.state_folder(runs) / "lock")
    except BlockingIOError:
        print("Another endpoint answers for this folder.", file=sys.stderr)
        return 0
    _serve(options, runs / place.FILE, lock, token)
    return 0


def _serve(options: argparse.Namespace, state: Path, lock: Lock | None, token: str | None) -> None:
    host = ipaddress.ip_address(options.host)
    family = socket.AF_INET if host.version == 4 else socket.AF_INET6
    # The protocol is named: without it asyncio leaves Nagle's algorithm on, and an answer whose
    # head and body are two writes then waits some 40 ms for the caller's acknowledgement.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((options.host, options.port))
        listening.listen(_BACKLOG)
        name = options.host if host.version == 4 else f"[{host}]"
        own = identity()
        # Told before the slow imports: whoever asks meanwhile waits in the backlog.
        place.write(state, f"http://{name}:{listening.getsockname()[1]}", own)
        leaving = partial(place.remove, state, own)
        try:
            from trainer.serve import life

            life.run(_plan(options, lock, token), listening, leaving)
        finally:
            leaving()


def _plan(options: argparse.Namespace, lock: Lock | None, token: str | None) -> "Plan":
    from trainer.serve import life
    from trainer.serve.batcher import Limits
    from trainer.serve.versions import Settings

    limits = Limits(
        max_batch=options.max_batch,
        delay_s=options.delay_ms / 1e3,
        queue_s=options.queue_s,
    )
    return life.Plan(
        runs=Path(options.runs).absolute(),
        settings=Settings(limits=limits, threads=options.threads),
        only=frozenset(options.model),
        extras=tuple(options.extra),
        token=token,
        idle_s=options.idle_s,
        parent=options.parent if options.state is not None else None,
        lock=lock,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trainer.serve", description=__doc__)
    parser.add_argument("runs")
    parser.add_argument("--host", default="127.0.0.1", help="another needs STAGECOACH_TOKEN")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--max-batch", type=int, default=32, help="rows of a batch at most")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="wait for more rows")
    parser.add_argument(
        "--queue-s", type=_bound, default=0.5, help="refuse what would wait longer; or `off`"
    )
    parser.add_argument("--threads", type=int, default=1, help="that compute one model")
    parser.add_argument("--idle-s", type=float, default=600.0, help="leave after that")
    parser.add_argument("--model", action="append", default=[], help="serve only this one")
    parser.add_argument(
        "--extra", action="append", default=[], help="`wide`, `wide:UNITS`, `timed:A:B`"
    )
    parser.add_argument("--state", help="be private: write the address into this file")
    parser.add_argument(
        "--parent", type=int, default=os.getppid(), help="a private one ends with this process"
    )
    return parser


def _bound(words: str) -> float | None:
    return None if words == "off" else float(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Joins ranks into a process group of `torch.distributed`: gloo, over the loopback device alone.

They meet in a file, so that no port has to be free; the file may go once all have joined.
"""

import os
import socket
from datetime import timedelta
from pathlib import Path

import torch.distributed as dist

from trainer.links import PATIENCE_S


def join(rank: int, world_size: int, meeting: Path) -> None:
    """Return when all ranks have met; whoever waits longer than our patience gets an error."""
    os.environ["GLOO_SOCKET_IFNAME"] = _loopback()
    dist.init_process_group(
        "gloo",
        store=dist.FileStore(str(meeting), world_size),  # type: ignore[attr-defined]
        rank=rank,
        world_size=world_size,
        timeout=timedelta(seconds=PATIENCE_S),
    )


def is_about_others(error: RuntimeError) -> bool:
    """Whether an error says that another rank is gone or silent; gloo has no type for that."""
    text = str(error).lower()
    return any(word in text for word in ("gloo", "connection", "peer", "timed out"))


def _loopback() -> str:
    """`lo` on Linux, `lo0` on macOS."""
    return next(name for _, name in socket.if_nameindex() if name.startswith("lo"))

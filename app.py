"""Starts the server: shows `ui/shell.py`, and keeps what runs beside it awake."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Thread

import streamlit as st

ROOT = Path(__file__).resolve().parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import install  # noqa: E402 - the path above comes first

try:
    install.check_system()  # before the imports below, which native Windows cannot make
except install.SetupError as problem:
    sys.exit(f"Stagecoach: {problem}")

from trainer.dispatch import client  # noqa: E402
from trainer.runs import runs_folder  # noqa: E402
from ui import fault, live  # noqa: E402

_LOOK_EVERY_S = 0.5  # a killed dispatcher is replaced within two seconds


@contextlib.asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Keep a dispatcher alive, and load slow libraries, while the server runs."""
    Thread(target=_load_slow_imports, daemon=True).start()
    keeper = asyncio.create_task(_keep_dispatcher())
    yield
    keeper.cancel()
    await live.close()


async def _keep_dispatcher() -> None:
    while True:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(client.ensure, runs_folder())
        await asyncio.sleep(_LOOK_EVERY_S)


def _load_slow_imports() -> None:
    """Import what no page should wait for."""
    import plotly.graph_objects  # noqa: F401

    from trainer import tracking

    tracking.warm_up()


_ROUTES = live.routes(runs_folder())
app = st.App(ROOT / "ui/shell.py", lifespan=lifespan, routes=_ROUTES, on_script_error=fault.show)

if __name__ == "__main__":
    app.run()

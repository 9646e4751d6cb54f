"""A server with nothing but live charts, for the tests of the live charts."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from trainer.runs import runs_folder  # noqa: E402
from ui import live  # noqa: E402


@asynccontextmanager
async def _lifespan(_app: st.App) -> AsyncIterator[None]:
    yield
    await live.close()


app = st.App(HERE / "page.py", lifespan=_lifespan, routes=live.routes(runs_folder()))

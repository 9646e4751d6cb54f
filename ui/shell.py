"""The frame around every page: title, mark, navigation; its pages stand in `pages/`."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from ui import look, state, theme, who  # noqa: E402 - the path above comes first

STAGES = {
    "data": "Data",
    "training": "Training",
    "networking": "Network",
    "software": "Software",
    "operations": "Operations",
    "serving": "Serving",
}

# While a script runs, Streamlit shows a runner and a "Stop" of its own. That one stops the drawing
# of the page and leaves it blank, and learners would take it for the Stop of their run. The button
# goes; the runner stays for screen readers ("Running..."), and "Connecting" stays for everybody.
_NO_STOP = """<style>
[data-testid="stStatusWidget"]:has([aria-label="Running..."]) button { display: none }
[data-testid="stStatusWidget"] [aria-label="Running..."] { clip-path: inset(50%) }
</style>"""


def _page(name: str, title: str, icon: str, *, default: bool = False) -> st.Page:
    path = ROOT / "pages" / f"{name}.py"
    return st.Page(path, title=title, icon=f":material/{icon}:", default=default, url_path=name)


def _pages() -> dict[str, list[st.Page]]:
    stages = [
        _page(name, title, f"counter_{number}")
        for number, (name, title) in enumerate(STAGES.items(), start=1)
    ]
    record = [("runs", "Runs", "stacked_line_chart"), ("glossary", "Glossary", "menu_book")]
    return {
        "": [
            _page("home", "Home", "home", default=True),
            _page("way", "The whole way", "conversion_path"),
        ],
        "Six stages": stages,
        "Exam": [_page("objectives", "Objectives", "checklist")],
        "Record": [_page(*names) for names in record if _exists(names[0])],
    }


def _exists(name: str) -> bool:
    return (ROOT / "pages" / f"{name}.py").exists()


def show() -> None:
    """Draw the frame and the page that the address names."""
    mark = str(ROOT / "ui" / "static" / "mark.svg")
    st.set_page_config(page_title="Stagecoach", page_icon=mark, layout="wide")
    logo = str(ROOT / "ui" / "static" / f"logo-{look.theme_name()}.svg")
    st.logo(logo, size="large", icon_image=logo)
    st.html(_NO_STOP)
    state.keep_learner()
    page = st.navigation(_pages(), position="top")
    page.run()
    if page.url_path:  # Home, whose path is empty, asks further up
        who.show()
    theme.show()


show()

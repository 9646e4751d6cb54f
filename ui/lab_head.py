"""The head of a lab: its one question, and the five steps with the one that is on now."""

from html import escape

import streamlit as st

from ui import explain, look, noted, own_figures, state, words
from ui.lab_states import Opened, Phase

_STEPS = ("Predict", "Run", "Observe", "Explain", "Record")
_AT: dict[Phase, int] = {
    "getting_ready": 0,
    "predict": 0,
    "planted": 1,
    "queue": 1,
    "starting": 1,
    "running": 2,
    "paused": 2,
    "stopped": 1,
    "failed": 1,
}
# With a lab open the stage's title stands below: who listens hears here where they are.
_TITLE = '<h1 style="position:absolute;clip-path:inset(50%);width:1px;height:1px">{}</h1>'
_STYLE = """<style>
.sc-head {{ display:flex; flex-wrap:wrap; justify-content:space-between; align-items:baseline;
  gap:6px 24px }}
.sc-head h2 {{ margin:0; padding:0; font-size:1.5rem; line-height:1.2;
  font-family:'Bricolage Grotesque',sans-serif }}
.sc-head ol {{ list-style:none; display:flex; flex-wrap:wrap; gap:2px 18px; margin:0; padding:0;
  font:500 15px 'Atkinson Hyperlegible Next',sans-serif; color:{muted} }}
.sc-head li {{ margin:0; padding:0; display:flex; align-items:center; gap:7px }}
.sc-head p {{ flex-basis:100%; margin:0; font:400 15px 'Atkinson Hyperlegible Next',sans-serif }}
.sc-head p.later {{ color:{muted} }}
@media (max-width:640px) {{ .sc-head p.later {{ display:none }} .sc-head ol {{ column-gap:12px }} }}
.sc-head span {{ width:12px; height:12px; box-sizing:border-box; border-radius:50%;
  border:2px solid {muted} }}
.sc-head .done span {{ background:{pine}; border-color:{pine} }}
.sc-head .here span {{ background:{signal}; border-color:{ink} }}
.sc-head .here {{ color:{ink}; font-weight:700 }}
</style>"""


def show(opened: Opened) -> None:
    """Draw question and steps in one line."""
    colours = look.tokens()
    style = _STYLE.format(
        muted=colours.muted, pine=colours.pine, signal=colours.signal, ink=colours.ink
    )
    at = _at(opened)
    steps = "".join(_step(word, place, at) for place, word in enumerate(_STEPS))
    view = state.read()
    first = _TITLE.format(escape(words.lab(opened.lesson))) if view.lab or view.run else ""
    own = own_figures.text(opened.lesson, opened.run)
    st.html(
        f'{style}<div class="sc-head">{first}<h2>{escape(opened.lesson.question)}</h2>'
        f'<ol aria-label="Steps of this lab">{steps}</ol>{own}</div>'
    )


def _at(opened: Opened) -> int:
    phase = opened.phase
    if phase != "finished" or opened.run is None:
        return _AT[phase]
    if not state.is_own(opened.run):
        return _AT["running"]  # who watches goes no further than to observe
    if not explain.is_answered(opened.run):
        return 3
    return 5 if noted.is_saved(opened.run) else 4


def _step(word: str, place: int, at: int) -> str:
    mark = "done" if place < at else "here" if place == at else "todo"
    now = ' aria-current="step"' if place == at else ""
    return f'<li class="{mark}"{now}><span></span>{word}</li>'

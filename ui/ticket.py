"""Home's ticket: a real one of the data set, and what a model said of it before and after.

The two answers stand there only once a model of this machine has given them.
"""

from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from trainer.runs import RunStatus, list_runs, runs_folder
from ui import desk, figure, journey, number

_STYLE = (Path(__file__).parent / "ticket.css").read_text(encoding="utf-8")
_ARROW = '<svg class="arrow" viewBox="0 0 24 30"><path d="M12 2v24M4 19l8 8 8-8"/></svg>'
_TICK = '<path d="M4 13l5 5L20 6"/>'
_CROSS = '<path d="M6 6l12 12M18 6L6 18"/>'
_PINE, _ORANGE = "var(--st-primary-color)", "var(--st-orange-color)"


def show() -> None:
    """Draw the ticket; while the first data set is made, a quiet word instead."""
    answer = _answer(runs_folder())
    ticket = _asked(answer) if answer else desk.ticket(runs_folder())
    if ticket is None:
        _wait()
        return
    body = _card(ticket) + (_answers(answer) if answer else "")
    label = escape(_label(ticket, answer), quote=True)
    body = f'<figure role="img" aria-label="{label}">{body}</figure>'
    figure.show(f"<style>{_STYLE}</style>{body}", "ticket")


@st.fragment(run_every=1.0)
def _wait() -> None:
    if desk.ticket(runs_folder()) is not None:
        st.rerun()
    st.markdown("The tickets are being made; one of them stands here in a moment.")


def _asked(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the ticket that the model was asked about, in full where its data set is here."""
    found = desk.ticket(runs_folder(), answer["ticket_id"])
    return found if found and found["text"] == answer["text"] else answer


def _answer(runs: Path) -> dict[str, Any] | None:
    """Return the answers that the newest finished model gave, if it left any.

    What a learner brought is theirs: a row of it stands on nobody's Home.
    """
    for run in list_runs(runs, lab=journey.KEPT_LAB):
        if run.status is RunStatus.FINISHED and not run.record.samples.get("own"):
            answer = run.artifact("answer")
            return answer if isinstance(answer, dict) and _is_whole(answer) else None
    return None


def _is_whole(answer: dict[str, Any]) -> bool:
    try:
        both = [
            (str(answer[side]["cause"]), float(answer[side]["p"])) for side in ("before", "after")
        ]
        return bool(both and answer["ticket_id"] and answer["text"] and answer["truth"])
    except (KeyError, TypeError, ValueError):
        return False


def _card(ticket: dict[str, Any]) -> str:
    when = str(ticket.get("opened_at", ""))[11:16]
    top = "".join(
        f"<span>{escape(str(word))}</span>" for word in (ticket["ticket_id"], when) if word
    )
    return (
        '<div class="card"><span class="n l"></span><span class="n r"></span>'
        f'<div class="top">{top}<span>synthetic</span></div><p>{escape(ticket["text"])}</p></div>'
    )


def _answers(answer: dict[str, Any]) -> str:
    before = _one("Before training:", answer["before"], answer["truth"])
    return _ARROW + before + _one("After:", answer["after"], answer["truth"])


def _one(label: str, said: dict[str, Any], truth: str) -> str:
    is_right = said["cause"] == truth
    colour, path = (_PINE, _TICK) if is_right else (_ORANGE, _CROSS)
    cause = f"<b>{escape(_words(said['cause']))}</b>" if is_right else escape(_words(said["cause"]))
    width = max(0.0, min(100.0, 100 * float(said["p"])))
    return (
        f'<div class="a"><svg viewBox="0 0 24 24" stroke="{colour}">{path}</svg>'
        f'<span><span class="k">{label}</span> {cause}</span>'
        f'<span class="v">{number.figure(float(said["p"]))} M</span>'
        f'<span class="bar"><i style="width:{width}%;background:{colour}"></i></span></div>'
    )


def _label(ticket: dict[str, Any], answer: dict[str, Any] | None) -> str:
    text = f"A synthetic ticket: {ticket['text']}"
    if answer is None:
        return text
    parts = []
    for side in ("before", "after"):
        said = answer[side]
        word = "right" if said["cause"] == answer["truth"] else "wrong"
        chance = number.figure(float(said["p"]))
        cause = _words(said["cause"])
        parts.append(f"{side.capitalize()} training the model says {cause}, {chance}, {word}.")
    return " ".join([text, *parts])


def _words(cause: str) -> str:
    return cause.replace("_", " ")

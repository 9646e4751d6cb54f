"""Ask the champion a ticket of one's own: a form, its answer, and the same question in a shell."""

import json
from functools import lru_cache
from pathlib import Path

import streamlit as st

from trainer.errors import StagecoachError
from trainer.registry import Version
from trainer.runs import runs_folder
from trainer.serve import client
from trainer.serve.client import Answer
from ui import answering, number, state
from ui.answering import Seen

_ANSWER, _LONGEST, _WIDTH = "ticket-answer", 2_000, 720
_ASK = "A ticket, yours or this synthetic one that the model has never seen"
_ASK_OWN = "A row in words, as this one of yours that the model has never seen"
_WORDS = {
    "starting": "**Starting.** The endpoint loads its libraries; the form opens in a moment.",
    "loading": "**Loading.** The endpoint measures the champion before it answers with it.",
}


def show(champion: Version) -> None:
    """Draw the endpoint's state, the form, the last answer and the `curl` line."""
    seen = answering.look(runs_folder(), state.read().learner)
    st.fragment(_panel, run_every=None if _is_up(seen, champion) else 1.0)(champion, seen)


def _is_up(seen: Seen, champion: Version) -> bool:
    return seen.state == "ready" and seen.version == str(champion.number)


def _panel(champion: Version, drawn: Seen) -> None:
    seen = answering.look(runs_folder(), state.read().learner)
    if seen != drawn and _is_up(seen, champion):
        st.rerun()
    _state(seen, champion)
    text, alarms = _form(champion, can_ask=seen.state == "ready")
    _answer(champion, text)
    endpoint = client.running(runs_folder())
    if endpoint is not None:
        st.markdown("The same question from a shell on the machine that runs Stagecoach:")
        line = client.curl(endpoint, state.read().learner, text, alarms)
        st.code(line, language=None, wrap_lines=True)  # coloured words are too pale to read


def _state(seen: Seen, champion: Version) -> None:
    if seen.state == "ready":
        st.markdown(f"**Ready.** Version {seen.version} answers at `{seen.address}`.")
    elif seen.state in _WORDS:
        st.markdown(_WORDS[seen.state])
    if seen.words:
        kept = "The version before goes on answering. " if seen.state == "ready" else ""
        st.warning(
            f"The endpoint cannot use version {champion.number}. {kept}It says: {seen.words}",
            icon=":material/cloud_off:",
        )


def _form(champion: Version, *, can_ask: bool) -> tuple[str, list[str]]:
    """Draw the form; return what stands in it since it was last sent."""
    ticket = champion.card["ticket"]
    with st.form("ticket", border=False):
        text = st.text_area(
            _ASK_OWN if _is_own(champion) else _ASK,
            ticket["text"], max_chars=_LONGEST, height=130, key=f"ticket-text-{champion.number}",
        )  # fmt: skip
        alarms = _choose(champion)
        if st.form_submit_button("Ask the champion", icon=":material/send:", disabled=not can_ask):
            st.session_state[_ANSWER] = _ask(text or "", alarms)
    return text or "", alarms


def _choose(champion: Version) -> list[str]:
    """Draw all alarms that the version knows, folded away; return those that are chosen."""
    if _is_own(champion):
        return []
    key, own = f"ticket-alarms-{champion.number}", champion.card["ticket"]["alarms"]
    chosen = st.session_state.get(key, own)
    with st.expander(f"Its alarms: {', '.join(chosen) or 'none'}", icon=":material/notifications:"):
        return list(
            st.pills(
                "Its alarms", _alarms(champion.path), selection_mode="multi", default=own, key=key,
                label_visibility="collapsed", wrap=True,
            )
        )  # fmt: skip


def _ask(text: str, alarms: list[str]) -> Answer | str:
    if not text.strip() and not alarms:
        return "An empty ticket has no cause. Write what was seen, or choose an alarm."
    try:
        return answering.ask(runs_folder(), state.read().learner, text, alarms)
    except StagecoachError as error:
        return str(error)


def _answer(champion: Version, text: str) -> None:
    answer = st.session_state.get(_ANSWER)
    if isinstance(answer, str):
        st.warning(answer, icon=":material/block:")
    if not isinstance(answer, Answer):
        return
    ticket = champion.card["ticket"]
    st.markdown(f"### {_words(answer.cause).capitalize()}", anchors=False)
    if text == ticket["text"]:
        word = "**Right.**" if answer.cause == ticket["true"] else "**Not so.**"
        who = "Your label" if _is_own(champion) else "The answer table"
        st.markdown(f"{word} {who} says {_words(ticket['true'])}.")
    with st.grid(4, min_column_width=135, wrap=True):
        number.show("Probability", answer.probability, "", "M")
        number.show("Waited", answer.queue_ms, "ms", "M")
        number.show("Computed", answer.compute_ms, "ms", "M")
        number.show("There and back", answer.total_ms, "ms", "M")
    others = answer.batch_rows - 1
    beside = f"together with {number.figure(others)} others" if others else "alone in its batch"
    st.markdown(f"Answered by version {answer.version}, {beside}.")


def _is_own(champion: Version) -> bool:
    """Whether it learned from a learner's own data, which has no alarms."""
    return bool(champion.card["data"]["origin"] == "own")


def _words(cause: str) -> str:
    return cause.replace("_", " ")


@lru_cache(maxsize=32)
def _alarms(version: Path) -> list[str]:
    """Return the alarms that a version knows; its folder never changes."""
    return list(json.loads((version / "config.json").read_bytes())["alarms"])

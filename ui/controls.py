"""The one row of buttons of a lab, and how far its run is: what can be done in each state."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from trainer import catalogue
from trainer.runs import Run, RunStatus, list_runs, runs_folder
from ui import lab_states, number, own, progress, state, words
from ui.lab_states import Opened, Phase
from ui.look import act

_RECENT = 20  # runs
_LOOK_AGAIN_S = 2.0  # a second way to notice a new state: the curve's stream is the first


def show(opened: Opened, train: Callable[[], Run]) -> None:
    """Draw the row of this state."""
    phase = opened.phase
    if phase in lab_states.MOVING or phase == "getting_ready":
        st.fragment(_moving, run_every=_LOOK_AGAIN_S)(opened, phase, opened.has_plan)
        return
    with st.container():  # as a fragment has one: every state's row stands in the same place
        if opened.run is None:
            _train(opened, train)
        else:
            _steered(opened.run, phase, _ended)


def again(run: Run) -> None:
    """Go back to an empty chart with the settings of this run."""
    kept = run.config.settings | {"seed": run.config.seed, "preset": run.config.preset}
    texts = {name: _text(value) for name, value in kept.items()}
    state.put({"run": None, "said": None, "sure": None, "lab": run.config.lab} | texts)


def _row(run: Run | None, words_: str) -> st.delta_generator.DeltaGenerator:
    """Return where buttons go; words stand beside them, in the same place in every state."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        buttons = st.container(
            horizontal=True, vertical_alignment="center", gap="xxsmall", width="content"
        )
        progress.show(run.id if run else None, words_)
    return buttons


def _train(opened: Opened, train: Callable[[], Run]) -> None:
    takes = _takes(opened)
    if not opened.is_planted:
        with _row(None, f"Opens once you say what you expect. {takes}"):
            st.button("Train", icon=":material/play_arrow:", disabled=True)
        return
    with _row(None, takes):
        # A callback: the page is drawn once after the click, not twice.
        st.button(act("Train"), type="primary", key="train", on_click=_start, args=(opened, train))


def _start(opened: Opened, train: Callable[[], Run]) -> None:
    state.put({"run": train().id, "lab": opened.lesson.id})


def _takes(opened: Opened) -> str:
    """Return how long a run takes: as long as the last one that had the usual settings."""
    infos = opened.info.settings if opened.info else ()
    runs = list_runs(runs_folder(), lab=opened.lesson.id, limit=_RECENT)
    times = [
        run.seconds
        for run in runs
        if run.status is RunStatus.FINISHED
        and all(run.config.settings.get(info.name, info.default) == info.default for info in infos)
    ]
    if not times:
        return "Under a minute."
    return f"Last time it took {number.figure(times[0], 's')} (M)."


def _moving(opened: Opened, drawn: Phase, had_plan: bool) -> None:
    if opened.run is None:
        _getting_ready()
        return
    has_left = state.read().run != opened.run.id  # by *Run it yourself*
    if has_left or opened.phase != drawn or opened.has_plan != had_plan:
        st.rerun()
    draw = {"queue": _queue, "starting": _queue, "running": _running, "paused": _paused}
    _steered(opened.run, drawn, draw[drawn])


def _getting_ready() -> None:
    if catalogue.read(runs_folder()) is not None:
        st.rerun()
    with _row(None, "Getting ready: the labs are being loaded. It takes a few seconds."):
        st.button("Train", icon=":material/play_arrow:", disabled=True, key="train-later")


def _steered(run: Run, phase: Phase, draw: Callable[[Run], None]) -> None:
    """Draw the row with its buttons; a visitor gets one line and a way to a run of their own."""
    is_own = state.is_own(run)
    with _row(run, lab_states.SENT.get(phase, phase)):
        if is_own:
            draw(run)
        else:
            st.button("Run it yourself", icon=":material/play_arrow:", on_click=again, args=(run,))
    if not is_own:
        st.markdown(f"{own.watching(run)} Only {run.config.learner} can steer it.")


def _queue(run: Run) -> None:
    _button("Leave the line", run, lambda: run.stop("left the line"), icon=":material/close:")


def _running(run: Run) -> None:
    _button("Pause", run, run.pause, icon=":material/pause:", shortcut="P")
    st.button("Step", icon=":material/skip_next:", disabled=True, help="Pause first.", key="off")
    _button("Stop", run, run.stop, icon=":material/stop:")


def _paused(run: Run) -> None:
    _button(act("Resume"), run, run.resume, type="primary", key="resume-paused")
    _button(
        "Step", run, run.step_once, icon=":material/skip_next:", help="One step, then wait again."
    )
    _button("Stop", run, run.stop, icon=":material/stop:", key="stop-paused")


def _ended(run: Run) -> None:
    if lab_states.of_run(run) in ("stopped", "failed"):
        where = words.place_short(run) if run.has_checkpoint else "the start"
        _button(act(f"Resume from {where}"), run, run.resume, type="primary", key="resume")
    st.button("Start again", icon=":material/restart_alt:", on_click=again, args=(run,))


def _button(label: str, run: Run, what: Callable[[], object], **look: Any) -> None:
    """Draw a button that steers: whose run it is is asked when it is pressed, before anything."""
    st.button(label, on_click=own.ask, args=(run, what), **look)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

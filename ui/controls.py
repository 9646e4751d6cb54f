"""The one row of buttons of a lab: what can be done in each state, and what it says meanwhile."""

from collections.abc import Callable

import streamlit as st

from trainer import catalogue, device
from trainer.dispatch import client
from trainer.errors import BadState
from trainer.runs import Run, RunStatus, list_runs, runs_folder
from ui import lab_states, number, state, words
from ui.lab_states import Opened, Phase
from ui.look import act

_TICK_S = 0.5  # for the words of this row; the curve has its own stream


def show(opened: Opened, train: Callable[[], Run]) -> None:
    """Draw the row of this state; in a moving state it looks again twice a second."""
    phase = opened.phase
    if phase in ("predict", "planted"):
        _train(opened, train)
    elif phase in lab_states.MOVING or phase == "getting_ready":
        st.fragment(_moving, run_every=_TICK_S)(opened, phase)
    else:
        assert opened.run is not None
        _ended(opened.run, phase)


def _row() -> st.delta_generator.DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", gap="small")


def _train(opened: Opened, train: Callable[[], Run]) -> None:
    takes = _takes(opened)
    with _row():
        if not opened.is_planted:
            st.button("Train", icon=":material/play_arrow:", disabled=True)
            st.markdown(f"Opens once you have said what you expect. {takes}", width="content")
            return
        if st.button(act("Train"), type="primary", key="train"):
            run = train()
            state.put({"run": run.id, "lab": opened.lesson.id})
            st.rerun()
        st.markdown(takes, width="content")


def _takes(opened: Opened) -> str:
    """Return how long a run takes, from the learner's own runs where there are any."""
    runs = list_runs(runs_folder(), lab=opened.lesson.id, limit=5)
    times = [run.seconds for run in runs if run.status is RunStatus.FINISHED]
    if not times:
        return "Under a minute on an idle CPU."
    return f"Your last one took {number.text(times[0], 's', 'M')}"


def _moving(opened: Opened, drawn: Phase) -> None:
    now = opened.phase
    if opened.run is None:
        _getting_ready()
        return
    if now != drawn:
        st.rerun()
    draw = {"queue": _queue, "starting": _starting, "running": _running, "paused": _paused}
    with _row():
        draw[now](opened.run)


def _getting_ready() -> None:
    if catalogue.read(runs_folder()) is not None:
        st.rerun()
    with _row():
        st.button("Train", icon=":material/play_arrow:", disabled=True, key="train-later")
        st.markdown("**Getting ready.** The labs are being loaded; a few seconds.", width="content")


def _queue(run: Run) -> None:
    line = client.queue(runs_folder())
    place = next((entry for entry in line if entry.id == run.id), None)
    if st.button("Leave the line", icon=":material/close:"):
        run.stop("left the line")
        st.rerun()
    if place is None:
        st.markdown("**In line.** You may leave this page; your place is kept.", width="content")
        return
    wait = f" About {number.figure(place.wait_s, 's')}." if place.wait_s else ""
    st.markdown(
        f"**Place {place.place} of {len(line)}.**{wait} You may leave this page; "
        "your place is kept.",
        width="content",
    )


def _starting(run: Run) -> None:
    facts = device.facts(runs_folder())
    wants_gpu = facts is not None and facts.kind == "cuda" and run.config.device != "cpu"
    name = facts.gpu_name if facts is not None and wants_gpu else "CPU"
    st.markdown(f"**Starting on {name}**", width="content")


def _running(run: Run) -> None:
    if st.button("Pause", icon=":material/pause:", shortcut="P"):
        _ask(run.pause)
    st.button(
        "Step", icon=":material/skip_next:", disabled=True, help="Pause first.", key="step-off"
    )
    if st.button("Stop", icon=":material/stop:"):
        _ask(run.stop)
    total = run.plan.get("steps")
    gone = number.figure(run.seconds, "s")
    if not total or not run.step:
        st.markdown("Making the tickets ready", width="content")
        return
    left = number.figure(run.seconds / run.step * (total - run.step), "s")
    st.progress(
        min(run.step / total, 1.0),
        f"{words.place(run).capitalize()}, {gone} gone, about {left} to go",
        width=340,
    )


def _paused(run: Run) -> None:
    if st.button(act("Resume"), type="primary", key="resume-paused"):
        _ask(run.resume)
    if st.button("Step", icon=":material/skip_next:", help="One step, then wait again."):
        _ask(run.step_once)
    if st.button("Stop", icon=":material/stop:", key="stop-paused"):
        _ask(run.stop)
    st.markdown(
        f"**Paused** at {words.place(run)}, step {number.figure(run.step)}", width="content"
    )


def _ended(run: Run, phase: Phase) -> None:
    with _row():
        if phase == "finished":
            st.markdown(
                ":green[:material/check_circle:] **Finished** after "
                f"{number.figure(run.seconds, 's')}, kept in your history",
                width="content",
            )
            return
        where = words.place(run) if run.has_checkpoint else "the start"
        if st.button(act(f"Resume from {where}"), type="primary", key="resume"):
            _ask(run.resume)
            st.rerun()
        if phase == "stopped":
            if st.button("Start again", icon=":material/restart_alt:"):
                again(run)
            st.markdown("**Stopped.** Nothing is lost.", width="content")
        else:
            st.markdown(f"**Failed.** {run.error or ''}", width="content")


def again(run: Run) -> None:
    """Go back to an empty chart with the settings of this run."""
    kept = run.config.settings | {"seed": run.config.seed, "preset": run.config.preset}
    texts = {name: _text(value) for name, value in kept.items()}
    state.put({"run": None, "said": None, "sure": None, "lab": run.config.lab} | texts)
    st.rerun()


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _ask(what: Callable[[], None]) -> None:
    """Pass a wish on; where the run has moved on meanwhile, the next drawing tells."""
    try:
        what()
    except BadState as too_late:
        st.toast(str(too_late))

"""Under a finished run that kept a model: one button that makes it a version of the registry."""

import streamlit as st

from trainer import registry
from trainer.errors import StagecoachError
from trainer.registry import Progress, Version
from trainer.runs import Run, RunStatus, runs_folder
from ui import own, state

_WIDTH = 720
_WHAT = (
    "It writes the model as ONNX, checks that both answer alike, and keeps both with a data card "
    "as a version that never changes. The version becomes the champion: the one that answers "
    "requests in stage 6."
)


def show(run: Run) -> None:
    """Draw what can be done with the run's model; nothing for a run that kept none."""
    if not _has_model(run):
        return
    st.divider()
    st.markdown("### Register", anchors=False)
    try:
        _state(run)
    except StagecoachError as error:
        st.markdown(str(error), width=_WIDTH)


def _has_model(run: Run) -> bool:
    kept = run.path / "artifacts" / "model.safetensors"
    return run.status is RunStatus.FINISHED and kept.is_file()


def _state(run: Run) -> None:
    said = registry.progress(runs_folder(), run.id)
    if said is not None and said.state == "running":
        _wait(run)
        return
    made = registry.made_of(runs_folder(), run.id)
    if made:
        _made(run, made[0])
    else:
        _offer(run, said)


def _offer(run: Run, said: Progress | None) -> None:
    if said is not None and said.state == "failed":
        st.warning(said.words, icon=":material/block:")
    learner = run.config.learner
    model = registry.model_name(learner)
    number = registry.next_number(runs_folder(), learner)
    st.markdown(_WHAT, width=_WIDTH)
    st.button(
        f"Register as version {number} of `{model}`",
        icon=":material/inventory_2:",
        key="register",
        on_click=_start,
        args=(run,),
    )


@st.fragment(run_every=0.5)
def _wait(run: Run) -> None:
    said = registry.progress(runs_folder(), run.id)
    if said is None or said.state != "running":
        st.rerun()
    st.markdown(
        f"**Registering:** {said.words}. You may leave this page; it goes on by itself.",
        width=_WIDTH,
    )


def _made(run: Run, made: Version) -> None:
    rest = "the champion: it answers requests." if made.is_champion else "not the champion now."
    st.markdown(f"This run is **version {made.number}** of `{made.model}`, {rest}", width=_WIDTH)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not made.is_champion:
            st.button(
                "Make it champion", icon=":material/trophy:", key="crown",
                on_click=_crown, args=(run, made.number),
            )  # fmt: skip
        st.page_link(
            state.page_path("serving"),
            label="Ask it a ticket in stage 6",
            icon=":material/forum:",
            query_params=state.learner_query(),
        )


def _start(run: Run) -> None:
    own.ask(run, lambda: registry.start(runs_folder(), run.id, run.config.learner))


def _crown(run: Run, number: int) -> None:
    own.ask(run, lambda: registry.roll_back(runs_folder(), run.config.learner, number))

"""What stands behind the last stage: the learner's registered versions and the live endpoint."""

import streamlit as st

from course.load import load
from trainer import registry
from trainer.errors import StagecoachError
from trainer.runs import runs_folder
from ui import journey, registry_panel, state, try_ticket


def show() -> None:
    """Draw the registry and the endpoint; before the first version, the way to one."""
    st.header("Your model, registered and answering", anchor=False)
    try:
        versions = registry.versions(runs_folder(), state.read().learner)
    except StagecoachError as error:
        st.warning(str(error), icon=":material/block:")
        return
    if not versions:
        _empty()
        return
    registry_panel.show(versions)
    st.markdown("### Ask it a ticket", anchors=False)
    champion = next((each for each in versions if each.is_champion), None)
    if champion is None:
        st.markdown("No version is champion yet. Choose one above and make it champion.")
    else:
        try_ticket.show(champion)


def _empty() -> None:
    lesson = load().labs[journey.KEPT_LAB]
    st.markdown(
        "No model is registered yet. When a run has finished, *Register* stands under it; its "
        "version then stands here and answers tickets.",
        width=720,
    )
    st.page_link(
        state.page_path(lesson.stage),
        label=f"Train one in lab {lesson.number}, {lesson.title}",
        icon=":material/science:",
        query_params={"lab": lesson.id} | state.learner_query(),
    )

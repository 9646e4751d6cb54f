"""Help around a lab: three hints one by one, a target to beat, and how well certainty fits."""

import streamlit as st

from course import prediction
from course.lesson import LabLesson
from course.prediction import Calibration
from ui import number, outcome, state, words


def show(lesson: LabLesson) -> None:
    """Draw three folded parts beside each other."""
    hints, target, calibration = st.columns(3, gap="medium")
    with hints, st.expander("Hints", icon=":material/lightbulb:"):
        _hints(lesson)
    with target, st.expander("A target to beat", icon=":material/flag:"):
        st.markdown(f"{lesson.target.text}  \n{lesson.target.reason}")
    with calibration, st.expander("How well you judge yourself", icon=":material/balance:"):
        _calibration(lesson)


def _hints(lesson: LabLesson) -> None:
    key = f"hints-{lesson.id}"
    shown = int(st.session_state.get(key, 1))
    for place, hint in enumerate(lesson.hints[:shown], start=1):
        st.markdown(f"**{place}.** {hint}")
    if shown < len(lesson.hints) and st.button("One more", key=f"{key}-more"):
        st.session_state[key] = shown + 1
        st.rerun()


def _calibration(lesson: LabLesson) -> None:
    rows = prediction.calibration(outcome.past(lesson, state.read().learner))
    if not any(row.said for row in rows):
        st.markdown(
            "After your first scored prediction this says how often you were right when you were "
            "guessing, fairly sure, or certain."
        )
        return
    st.markdown("  \n".join(_line(row) for row in rows if row.said))


def _line(row: Calibration) -> str:
    word = words.SURE[row.confidence].capitalize()
    times = f"{number.figure(row.right)} of {number.figure(row.said)}"
    return f"{word}: right {times} times {number.chip('M')}"

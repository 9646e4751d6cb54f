"""Incidents after a run, one at a time: a symptom, a log, four actions, then the reasons."""

import streamlit as st

from course import exercise
from course.exercise import ACTIONS, Action, Incident, Judgement
from course.lesson import LabLesson
from course.load import load
from trainer.runs import Run
from ui import number, own

_NOTE = "incidents"  # answers by incident, among the run's notes
_WORDS: dict[Action, str] = {
    "restart": "**Restart the job.** The GPU is well; start the program again, mended if need be.",
    "reset": "**Reset the GPU.** Move its jobs away, reset this one GPU, then give it work again.",
    "drain": "**Drain the machine.** No new jobs; reboot and test it before it comes back.",
    "ticket": "**Write a ticket.** Nothing is done tonight; somebody looks at it by day.",
}
_INTRO = (
    "Each incident is what you would see first, and the lines of the kernel log. What do you do "
    "first? The lines are made up in the driver's form; the meaning of the numbers follows "
    "NVIDIA's catalogue. **Nothing here touches a real GPU**: no reset, no reboot, no drain."
)


def show(lesson: LabLesson, run: Run) -> None:
    """Draw the incidents of a lab that has some; answers are kept with the run."""
    found = [each for name in lesson.exercises for each in load().exercises[name]]
    if not found:
        return
    st.divider()
    st.markdown("### The night goes on: what do you do first?", anchors=False)
    st.markdown(_INTRO, width=720)
    answers = _answers(run)
    place = _place(run, found, answers)
    _one(found[place], run, answers.get(found[place].id))
    _walk(run, place, len(found))
    _score(found, answers)


def _answers(run: Run) -> dict[str, str]:
    """Return what was answered; a file that somebody wrote by hand may hold anything."""
    kept = run.notes.get(_NOTE)
    known = kept.items() if isinstance(kept, dict) else ()
    return {str(name): choice for name, choice in known if choice in ACTIONS}


def _place(run: Run, found: list[Incident], answers: dict[str, str]) -> int:
    """Return which incident is shown: where the visitor is, else the first open one."""
    first_open = next((i for i, each in enumerate(found) if each.id not in answers), 0)
    return min(int(st.session_state.setdefault(_key(run), first_open)), len(found) - 1)


def _one(incident: Incident, run: Run, answer: str | None) -> None:
    st.markdown(incident.symptom, width=720)
    st.code("\n".join(incident.log), language=None, wrap_lines=True)
    if answer is not None:
        _reasons(incident, exercise.judge(incident, answer), answer)
        return
    st.radio(
        "What do you do first?",
        ACTIONS,
        index=None,
        format_func=_WORDS.__getitem__,
        key=_picked(run, incident.id),
    )
    # Arrow keys choose as they move, so a choice counts only once it is confirmed.
    st.button("Do this first", key=f"{_key(run)}-do", on_click=_keep, args=(run, incident.id))


def _reasons(incident: Incident, judged: Judgement, answer: str) -> None:
    mark = ":green[:material/check:] **Right.**" if judged.is_right else "**Not so.**"
    parts = [f"You said: {_name(answer)}  \n{mark} {judged.why_not or judged.why}"]
    if not judged.is_right:
        parts.append(f"{_WORDS[judged.right]} {judged.why}")
    for part in parts:
        st.markdown(part, width=720)
    table = load().xid
    for code in incident.codes:
        row = table[code]
        told = f"Xid {code}, {row.name[0].lower()}{row.name[1:]}: {row.meaning}"
        st.markdown(f":small[{number.sentence(told, 'D')} Catalogue as of {row.as_of:%-d %B %Y}.]")


def _keep(run: Run, incident_id: str) -> None:
    picked = st.session_state.get(_picked(run, incident_id))
    if picked in ACTIONS:
        own.ask(run, lambda: run.note(**{_NOTE: _answers(run) | {incident_id: picked}}))


def _walk(run: Run, place: int, count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, step, icon in (("Back", -1, "arrow_back"), ("Next", 1, "arrow_forward")):
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"{_key(run)}-{label}",
                disabled=not 0 <= place + step < count,
                on_click=st.session_state.__setitem__,
                args=(_key(run), place + step),
            )
        st.markdown(f"Incident {number.figure(place + 1)} of {number.figure(count)}")


def _score(found: list[Incident], answers: dict[str, str]) -> None:
    made = exercise.score(found, answers)
    if made.answered:
        right, answered = number.figure(made.right), number.figure(made.answered)
        told = f"{right} of {answered} first actions were right so far."
        st.markdown(f":small[{number.sentence(told, 'M')} The answers stay with this run.]")


def _name(action: str) -> str:
    """Return the name of an action without what it means."""
    return next(words for known, words in _WORDS.items() if known == action).split("**")[1]


def _picked(run: Run, incident_id: str) -> str:
    return f"incident-{run.id}-{incident_id}"


def _key(run: Run) -> str:
    return f"incidents-{run.id}"

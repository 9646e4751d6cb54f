"""One chart whose run, flag and kind come from the address, and a widget that reruns the page."""

import streamlit as st

from trainer.runs import list_runs, runs_folder
from ui import curve, gauges, progress

st.set_page_config(page_title="Live chart", page_icon="🧪", layout="wide")
query = st.query_params
st.session_state.reruns = st.session_state.get("reruns", 0) + 1
state = st.session_state.setdefault("changes", [])

left, right = st.columns([8, 4])
with right:
    if st.button("Start"):
        query["run"] = list_runs(runs_folder())[0].id
    place = st.slider("Validation loss is lowest at epoch", 1, 80, 40, key="flag")
    if "gauges" in query:
        gauges.show()
with left:
    view: curve.View = {"x_range": (0, float(query.get("epochs", 80))), "y_range": (0, 1.85)}
    view["ceiling"] = [{"value": 0.31, "label": "noise floor", "origin": "C"}]
    flag: curve.Flag | None = curve.Flag(place, is_set=place != 40 or "set" in query)
    level = curve.Flag(float(query["level"])) if "level" in query else None
    if level:
        flag = None
        view["y_range"] = (0.2, 1.0)
        view["truth"] = "row.unseen/accuracy"
        view["ceiling"] = [{"value": 0.93, "label": "ceiling: label noise", "origin": "C"}]
        view["labels"] = {
            f"{arm}.{split}/accuracy": f"{arm} split, {words}"
            for arm in ("row", "device")
            for split, words in (("val", "validation"), ("unseen", "unseen devices"))
        }
    if "pick" in query:
        view["on_pick"] = st.session_state.setdefault("picks", []).append
        view["picked"] = next(iter(st.session_state.picks[-1:]), None)
    if "band" in query:
        steps = [1, 400, 800]
        line = {"steps": steps, "low": [0.0, 0.0, 0.0], "mid": [1.0] * 3, "high": [3.0] * 3}
        plan = {"steps": 800, "steps_per_epoch": 10, "arms": {}}
        view["band"] = {"lines": {"val/loss": line}, "plan": plan, "words": "Expected: recorded."}
    name = "accuracy" if level else "loss"
    with st.container():  # there with or without a run, so that the chart keeps its place
        if "run" in query:
            progress.show(query["run"], "starting")
    changed = curve.show(query.get("run"), name, key="chart", flag=flag, level=level, **view)
    if changed:
        state.append(changed)
    st.markdown(f"Picked: {st.session_state.get('picks', [])}.")
    st.markdown(f"Reruns: {st.session_state.reruns}. Changes: {' '.join(state) or 'none'}.")

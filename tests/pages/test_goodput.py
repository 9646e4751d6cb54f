"""The picture of goodput says in words what it shows, each figure with its letter."""

from typing import Any

from streamlit.testing.v1 import AppTest

from trainer import goodput
from trainer.goodput import Costs

COSTS = Costs(step_s=0.004, save_s=0.05, restart_s=2.0, mtbf_s=600.0)


def _picture(value: object) -> None:
    """A page with the picture of the night shift; runs as a script of its own."""
    from course.load import load
    from ui import pictures

    lesson = load().labs["xid_night_shift"]
    spec = next(spec for spec in lesson.pictures if spec.kind == "goodput")
    pictures.KINDS["goodput"](spec, value)


def draw(value: dict[str, Any]) -> AppTest:
    app = AppTest.from_function(_picture, args=(value,), default_timeout=60).run()
    assert not app.exception, app.exception[0].value
    return app


def test_the_words_tell_measured_times_and_both_best_intervals() -> None:
    app = draw(goodput.picture(COSTS, 0.4, seed=1))
    told = " ".join(each.value for each in app.markdown)
    assert "A step took **4.00 ms** :green-badge[M]" in told
    assert "a save **50.0 ms** :green-badge[M]" in told
    assert "a failure every 10 min" in told
    assert "Young's formula says **7.7 s** :gray-badge[C]" in told
    assert "of work. Young" in told
    assert ":yellow-badge[S]" in told
    assert "**0.4 s** :gray-badge[C]" in told
    assert "Rule of the replay" in told


def test_an_interval_far_off_the_curve_is_drawn_as_well() -> None:
    draw(goodput.picture(COSTS, 1e-4, seed=1))
    draw(goodput.picture(COSTS, 4_000.0, seed=1))

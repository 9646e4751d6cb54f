"""What the lab of one multiply says of itself: its marks, its traces, its counts."""

import ast
import json

import pytest

from labs import follow_one_multiply as lab
from tests.house.tree import ROOT, parse
from tests.labs.conftest import RunLab, tiny
from trainer import layers
from trainer.run import Run
from trainer.trace import from_rows, own_ns

ID = "follow_one_multiply"


@pytest.fixture
def run(run_lab: RunLab) -> Run:
    return run_lab(ID, tiny(ID, traced_step=37))


def test_the_learners_step_is_traced_beside_the_compared_ones(run: Run) -> None:
    steps = run.artifact("trace")["steps"]
    assert {int(step) for step in steps} == {37, *lab.COMPARED}
    shown = run.record.samples["stack"]
    assert shown["chosen"] == "37"
    assert set(shown["steps"]) == set(steps)


def test_spans_of_every_traced_step_nest_and_add_up(run: Run) -> None:
    for rows in run.artifact("trace")["steps"].values():
        spans = from_rows(rows)
        assert sum(own_ns(spans)) == spans[0].duration_ns
        for span in spans[1:]:
            outer = spans[span.parent or 0]
            assert outer.start_ns <= span.start_ns
            assert span.start_ns + span.duration_ns <= outer.start_ns + outer.duration_ns


def test_the_finding_is_the_count_of_the_followed_step_and_all_steps_make_as_many(run: Run) -> None:
    steps = {step: from_rows(rows) for step, rows in run.artifact("trace")["steps"].items()}
    counts = {step: layers.operator_calls(spans) for step, spans in steps.items()}
    assert run.finding is not None
    assert run.finding.value == counts["37"]
    assert len(set(counts.values())) == 1
    assert "made the same number of calls" in run.finding.text


def test_losses_are_bit_equal_whichever_steps_are_traced(
    run_lab: RunLab, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "COMPARED", (1, 25))
    other = run_lab(ID, tiny(ID, traced_step=110))
    assert set(other.artifact("trace")["steps"]) == {"1", "25", "110"}
    for name in ("train/loss", "val/loss", "val/accuracy"):
        assert other.metric(name) == run.metric(name)


def test_each_marked_line_bears_its_own_words() -> None:
    step = next(
        node
        for node in parse(f"labs/{ID}.py").body
        if isinstance(node, ast.FunctionDef) and node.name == "one_step"
    )
    marked = [node for node in step.body if isinstance(node, ast.With)]
    assert len(marked) == lab.LINES
    for node in marked:
        (call,) = [item.context_expr for item in node.items]
        assert isinstance(call, ast.Call)
        assert ast.literal_eval(call.args[0]) == ast.unparse(node.body)


def test_a_stopped_run_keeps_the_traces_it_had(run_lab: RunLab) -> None:
    stopped = run_lab(ID, tiny(ID, traced_step=37), stop_at=60)
    saved = max((stopped.path / "checkpoints").glob("*.json"), key=lambda place: place.name)
    kept = json.loads(saved.read_text())
    assert "traces" in json.dumps(kept)
    resumed = run_lab(ID, again=stopped)
    assert {int(step) for step in resumed.artifact("trace")["steps"]} == {37, *lab.COMPARED}


def test_the_guesses_of_lab_and_lesson_are_the_same() -> None:
    lesson = (ROOT / "content" / "labs" / f"{ID}.md").read_text()
    assert all(f"id: {name}," in lesson for name in lab.GUESSES)


def test_wide_layers_and_large_batches_give_the_multiplies_more_of_the_time(
    run_lab: RunLab,
) -> None:
    narrow, wide = (
        run_lab(ID, {"width": width, "batch_size": size}).record.samples["shares"]["bars"]
        for width, size in ((8, 4), (256, 128))
    )
    share = [next(b["value"] for b in found if b["name"] == "multiply") for found in (narrow, wide)]
    assert share[1] > 3 * share[0]


def test_a_larger_batch_makes_no_more_operator_calls(run_lab: RunLab) -> None:
    findings = [run_lab(ID, tiny(ID, batch_size=size)).finding for size in (4, 64)]
    assert len({found.value for found in findings if found}) == 1

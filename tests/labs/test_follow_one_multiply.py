"""What the lab of one multiply says of itself: its marks, its traces, its counts."""

import ast
from typing import Any

import pytest

from labs import follow_one_multiply as lab
from tests.house.tree import ROOT, parse
from tests.labs.conftest import RunLab, tiny
from trainer import checkpoint, layers
from trainer.run import Run
from trainer.trace import Span, own_ns
from trainer.traces import Traces

ID = "follow_one_multiply"
STEPS = 20


@pytest.fixture(scope="module")
def kept() -> dict[str, Run]:
    """The one run that most tests read."""
    return {}


@pytest.fixture
def run(run_lab: RunLab, kept: dict[str, Run]) -> Run:
    return kept.setdefault("run", run_lab(ID, tiny(ID))) if not kept else kept["run"]


def traces(run: Run) -> dict[str, list[Span]]:
    found = Traces(**run.artifact("traces"))
    return {step: found.spans(step) for step in found.steps}


def test_every_step_is_traced(run: Run) -> None:
    assert list(traces(run)) == [str(step) for step in range(1, STEPS + 1)]
    shown = run.record.samples["stack"]
    assert shown == {"artifact": "stacks", "chosen": STEPS // 2}
    assert list(run.artifact(shown["artifact"])["steps"]) == list(traces(run))


def test_spans_of_every_step_nest_and_add_up(run: Run) -> None:
    for spans in traces(run).values():
        assert sum(own_ns(spans)) == spans[0].duration_ns
        for span in spans[1:]:
            outer = spans[span.parent or 0]
            assert outer.start_ns <= span.start_ns
            assert span.start_ns + span.duration_ns <= outer.start_ns + outer.duration_ns


def test_the_stack_of_a_step_is_that_of_its_own_trace(run: Run) -> None:
    stacks = run.artifact("stacks")
    for step, spans in traces(run).items():
        kind, us, _ = stacks["steps"][step]
        script = next(i for i, row in enumerate(stacks["kinds"][kind]) if row["layer"] == "script")
        own = [span.duration_ns / 1000 for span in spans if span.name == "scores = model(tickets)"]
        assert us[script] == pytest.approx(own[0], abs=0.001)
        assert stacks["step_us"][step] == spans[0].duration_ns / 1000


def test_the_finding_is_the_count_of_calls_and_all_steps_make_as_many(run: Run) -> None:
    counts = {layers.operator_calls(spans) for spans in traces(run).values()}
    assert run.finding is not None
    assert {run.finding.value} == counts
    assert "Each traced step turned five lines" in run.finding.text


def test_bare_and_traced_losses_are_bit_equal_and_the_run_says_so(run: Run) -> None:
    bare, again = run.metric("train/loss"), run.metric("traced.train/loss")
    assert [(step + STEPS, loss) for step, loss in bare] == again
    assert run.record.samples["largest_difference"] == 0
    assert run.finding is not None
    assert "the losses are equal to the last bit" in run.finding.text


def test_losses_that_differ_are_not_called_equal(
    run_lab: RunLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = lab.one_step, iter(range(2 * STEPS))

    def other_when_traced(*step: Any) -> Any:
        return real(*step) * (1 + 1e-3 * (next(calls) >= STEPS))

    monkeypatch.setattr(lab, "one_step", other_when_traced)
    run = run_lab(ID, tiny(ID))
    assert run.record.samples["largest_difference"] > 0
    assert run.finding is not None
    assert "apart" in run.finding.text


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
    stopped = run_lab(ID, tiny(ID), stop_at=STEPS + 9)
    saved = checkpoint.newest(stopped.path / "checkpoints")
    assert saved is not None
    before = Traces(**saved[1]["current"]["extra"]["traces"])
    resumed = traces(run_lab(ID, again=stopped))
    assert len(resumed) == STEPS
    assert resumed["5"] == before.spans(5), "a step is not traced twice"


def test_the_guesses_of_lab_and_lesson_are_the_same() -> None:
    lesson = (ROOT / "content" / "labs" / f"{ID}.md").read_text()
    assert all(f"id: {name}," in lesson for name in lab.GUESSES)


def test_wide_layers_and_large_batches_give_the_multiplies_more_of_the_time(
    run_lab: RunLab,
) -> None:
    narrow, wide = (
        run_lab(ID, tiny(ID, width=width, batch_size=size)).record.samples["shares"]["bars"]
        for width, size in ((8, 4), (256, 128))
    )
    share = [next(b["value"] for b in found if b["name"] == "multiply") for found in (narrow, wide)]
    assert share[1] > 3 * share[0]


def test_a_larger_batch_makes_no_more_operator_calls(run_lab: RunLab) -> None:
    findings = [run_lab(ID, tiny(ID, batch_size=size)).finding for size in (4, 64)]
    assert len({found.value for found in findings if found}) == 1

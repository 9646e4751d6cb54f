"""Lab 3.1, All-reduce, counted: what each rank must send until all of them know the sum."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from trainer.collectives import ALGORITHMS, measure
from trainer.fit import straight
from trainer.ranks import Ranks
from trainer.run import Run
from trainer.setting import choice, number
from trainer.worker import ActiveRun

STAGE, NUMBER, TITLE, MINUTES, FORKS = "networking", "3.1", "All-reduce, counted", 1, True
# The ranks are processes on the CPU whatever the machine holds; a larger machine moves more.
PRESETS: dict[str, dict[str, Any]] = {"cpu": {}, "gpu": {"workers": 8, "largest_kib": 8192}}
SMALLEST_KIB = 4
NUMBER_BYTES = 4  # single precision
SHOWN = {"ring": "Ring", "all-to-one": "All to one", "tree": "Tree"}


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a learner may change."""

    workers: int = number(4, 2, 8, label="Workers", help="Processes that must agree.")
    largest_kib: int = number(
        4096, 16, 16_384, scale="log", unit="KiB", label="Largest message", help="Start is 4 KiB."
    )
    shown: str = choice("ring", SHOWN, label="Show", help="Whose way and rates are drawn.")
    rounds: int = number(
        8, 1, 50, label="Repeats", help="Measurements of each size.", advanced=True
    )


def train(config: Config, run: ActiveRun) -> None:
    """Measures all three ways size by size, and fits a straight line to the times of each."""
    sizes = list(messages(config))
    measured: list[dict[str, Any]] = list(run.restored.get("measured", []))
    run.plan(steps=len(sizes) * config.rounds, steps_per_epoch=0, examples_per_step=1)
    begin = len(measured) + 1
    with Ranks(config.workers, measure) as ranks:
        for step in range(begin, len(sizes) * config.rounds + 1):
            size = sizes[(step - 1) // config.rounds]
            is_new = step == begin or (step - 1) % config.rounds == 0
            measured.append(measure_all(config, run, ranks, step, size, is_new=is_new))
            if step % config.rounds == 0:
                show_fits(run, measured)
            if run.should_save(step):
                run.checkpoint({"measured": measured})
            if run.should_stop:
                return
    report(config, run, measured)


def messages(config: Config) -> Iterator[int]:
    """How many numbers a message holds, doubling; each rank owns an equal share of every one."""
    kib = SMALLEST_KIB
    while kib <= config.largest_kib:
        yield kib * 1024 // NUMBER_BYTES // config.workers * config.workers
        kib *= 2


# region measure
def measure_all(
    config: Config, run: ActiveRun, ranks: Ranks, step: int, size: int, *, is_new: bool
) -> dict[str, Any]:
    """One all-reduce each way: the time from the first rank's start to the last one's end."""
    found: dict[str, Any] = {"bytes": size * NUMBER_BYTES}
    figures: dict[str, float] = {}
    for name in ALGORITHMS:
        order = {"algorithm": name, "size": size, "seed": run.seed}
        if is_new:
            ranks.do(order)  # the first time at a size also makes room for it: not counted
        answers = ranks.do(order)
        seconds = max(a["ended"] for a in answers) - min(a["begun"] for a in answers)
        sent = [answer["sent"] for answer in answers]
        off = max(answer["error"] for answer in answers)
        found[name] = {"seconds": seconds, "sent": sent, "error": off}
        figures |= {f"{name}/latency_ms": 1000 * seconds, f"{name}/error": off}
        figures[f"{name}/messages"] = max(sent) / found["bytes"]
        if name == config.shown:
            n, rate = config.workers, found["bytes"] / seconds / 1e9
            figures |= {"algorithm/gb_per_s": rate, "bus/gb_per_s": rate * 2 * (n - 1) / n}
            log = [send for answer in answers for send in answer["log"]]
    run.log(step, **figures)
    if is_new:
        run.show("sends", picture(config, found["bytes"], log))
    return found


# endregion


def picture(config: Config, size: int, log: list[dict[str, Any]]) -> dict[str, Any]:
    """The sends of one all-reduce in the order in which they ended, in ms since the first began."""
    start = min(send["begun"] for send in log)
    log = sorted(log, key=lambda send: float(send["ended"]))
    sends = [
        [send["from"], send["to"], send["part"], send["bytes"]]
        + [round(1000 * (send[when] - start), 4) for when in ("begun", "ended")]
        for send in log
    ]
    return {"workers": config.workers, "algorithm": config.shown, "bytes": size, "sends": sends}


def show_fits(run: ActiveRun, measured: list[dict[str, Any]]) -> None:
    """Fits time = latency + bytes / bandwidth to every point so far, each weighed by its size."""
    lines = []
    for name in ALGORITHMS:
        points = [(one["bytes"], one[name]["seconds"]) for one in measured]
        fit = straight(points)
        line: dict[str, Any] = {"name": name, "points": [[b, 1000 * s] for b, s in points]}
        if fit is not None:
            line |= {"latency_ms": 1000 * fit.start, "ms_per_byte": 1000 * fit.slope}
            line |= {"error_pct": 100 * fit.error}
        lines.append(line)
    run.show("fit", {"lines": lines})


def report(config: Config, run: ActiveRun, measured: list[dict[str, Any]]) -> None:
    """Counts in messages, so that sizes agree: mean, least and most over the ranks."""
    bars = []
    for name in ALGORITHMS:
        shares = [sent / one["bytes"] for one in measured for sent in one[name]["sent"]]
        mean = sum(shares) / len(shares)
        bars.append({"name": name, "value": mean, "low": min(shares), "high": max(shares)})
    run.show("sent", {"unit": "messages", "bars": bars})
    last = [one for one in measured if one["bytes"] == measured[-1]["bytes"]]
    took = 1000 * median(one["ring"]["seconds"] for one in last)
    run.show("links", {"bytes": max(last[0]["ring"]["sent"]), "ms": took})
    each = {bar["name"]: bar for bar in bars}
    mine = each["ring"]
    off = max(one[name]["error"] for one in measured for name in ALGORITHMS)
    text = (
        f"In a ring of {config.workers} each rank sent {mine['value']:.3f} times the message, at "
        f"every size. All to one had the busiest rank send {each['all-to-one']['high']:.0f} "
        f"messages, the tree {each['tree']['high']:.0f}. All three sums were right to within "
        f"{off:.0e}."
    )
    run.find("ring_bytes_per_rank", mine["value"], text)


def expect(run: Run) -> None:
    """Each rank of the ring sends 2 (n - 1) / n messages, exactly; every sum is right."""
    n = run.record.samples["sends"]["workers"]
    bars = {bar["name"]: bar for bar in run.record.samples["sent"]["bars"]}
    assert bars["ring"]["low"] == bars["ring"]["high"] == 2 * (n - 1) / n
    assert bars["all-to-one"]["high"] == n - 1
    assert all(abs(bar["value"] - 2 * (n - 1) / n) < 1e-9 for bar in bars.values())
    for name in ALGORITHMS:
        assert all(off <= 1e-5 for _, off in run.metric(f"{name}/error"))

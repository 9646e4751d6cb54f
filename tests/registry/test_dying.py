"""A promoter killed at any step leaves nothing half; two at once never share a number."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.registry.conftest import Shop
from trainer import registry
from trainer.registry import book, export, shelf, version
from trainer.registry.promotion import promote

ROOT = Path(__file__).resolve().parents[2]
MODEL = "alarm-desk.local"


def apart(*words: str | Path) -> str:
    command = [sys.executable, "-m", "tests.registry.dying", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_whole(made: registry.Version) -> bool:
    return all((made.path / name).stat().st_size for name in version.FILES)


def champion_of(runs: Path) -> int | None:
    found = registry.champion(runs, "local")
    return found.number if found else None


def test_a_promoter_killed_at_any_step_leaves_nothing_half_and_loses_nothing(
    shop: Shop, exports: Path, tmp_path: Path
) -> None:
    old, new = shop.finished(1), shop.finished(2)
    registry.promote(shop.runs, old.id)
    export.write(export.build(*weights_of(new)), tmp_path / "warms-the-exports.onnx")
    steps = int(apart("kill", shop.runs, tmp_path / "killed", exports, new.id))
    assert steps >= 10
    seen = set()
    for step in range(1, steps + 1):
        runs = tmp_path / "killed" / str(step)
        seen.add(check(runs, new.id, step))
        shutil.rmtree(runs)
    # It was caught before the version was there, before its champion, and after all was done.
    assert seen == {(1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)}


def check(runs: Path, run: str, step: int) -> tuple[int, int, int]:
    """Looks at what a killed promoter left, heals it, and promotes once more.

    Returns the newest version, the champion that the book names, and the one that is served.
    """
    found = registry.versions(runs, "local")
    assert [each.number for each in found] == list(range(len(found), 0, -1)), step
    assert all(map(is_whole, found)), step
    named, served = book.champion(book.read(runs)[0], MODEL), champion_of(runs)
    shelf.settle(runs)
    assert champion_of(runs) == named
    told = [entry.version for entry in book.read(runs)[0] if entry.kind == "version"]
    assert told == list(range(1, len(found) + 1))
    again = promote(runs, run)
    assert (again.number, again.is_champion, is_whole(again)) == (2, True, True)
    assert len(registry.versions(runs, "local")) == 2
    assert named is not None
    assert served is not None
    return len(found), named, served


def weights_of(run: object) -> tuple[bytes, export.Kept, str]:
    from trainer.run import Run

    assert isinstance(run, Run)
    content = (run.path / "artifacts" / "model.safetensors").read_bytes()
    return content, export.Kept.of(run.artifact("config")), run.id


def test_promoters_at_once_get_numbers_of_their_own(shop: Shop, exports: Path) -> None:
    names = [shop.finished(seed).id for seed in (1, 2)]
    apart("race", shop.runs, exports, *names, *names)
    found = registry.versions(shop.runs, "local")
    assert [each.number for each in found] == [2, 1]
    assert {each.run for each in found} == set(names)
    entries = book.read(shop.runs)[0]
    assert sorted(e.version for e in entries if e.kind == "version") == [1, 2]
    assert sum(entry.kind == "champion" for entry in entries) == 4
    assert champion_of(shop.runs) == book.champion(entries, MODEL)
    assert not list((shop.runs / "models" / MODEL).glob(".*"))

"""Versions, book and champion as files: told in order, numbered once, read without PyTorch."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.registry.by_hand import card, make
from trainer import events, registry
from trainer.errors import BadSetting, BadState
from trainer.registry import book, shelf, version

ROOT = Path(__file__).resolve().parents[2]
MODEL = "alarm-desk.local"


def champion_of(runs: Path) -> int | None:
    found = registry.champion(runs, "local")
    return found.number if found else None


def test_an_empty_folder_has_no_version_and_no_champion(runs: Path) -> None:
    assert registry.versions(runs, "local") == []
    assert registry.champion(runs, "local") is None
    assert version.models(runs) == []


def test_rolling_back_moves_the_alias_and_is_written_down(runs: Path) -> None:
    for number in (1, 2):
        assert make(runs, f"run-{number}") == number
    assert champion_of(runs) == 2
    back = registry.roll_back(runs, "local", 1)
    assert (back.number, back.is_champion) == (1, True)
    assert champion_of(runs) == 1
    assert book.champion(book.read(runs)[0], MODEL) == 1
    assert [(each.number, each.is_champion) for each in registry.versions(runs, "local")] == [
        (2, False),
        (1, True),
    ]


def test_a_version_that_is_not_there_is_refused_and_changes_nothing(runs: Path) -> None:
    make(runs, "run-1")
    before = (runs / book.FILE).read_bytes()
    with pytest.raises(BadSetting, match=r"has no version 7; it has: 1\."):
        registry.roll_back(runs, "local", 7)
    with pytest.raises(BadSetting, match="it has: none yet"):
        registry.roll_back(runs, "ada", 1)
    assert (runs / book.FILE).read_bytes() == before


def test_a_number_is_never_used_again(runs: Path) -> None:
    make(runs, "run-1")
    make(runs, "run-2")
    for path in (runs / "models" / MODEL / "2").iterdir():
        path.unlink()
    (runs / "models" / MODEL / "2").rmdir()
    assert make(runs, "run-3") == 3


@pytest.mark.parametrize("learner", ["", "../x", "Ada", "a/b", "a b", "x" * 41, ".", "a\n"])
def test_a_learner_whose_name_could_leave_the_folder_is_refused(runs: Path, learner: str) -> None:
    with pytest.raises(BadSetting, match="learner must be"):
        registry.versions(runs, learner)


def test_foreign_files_are_no_versions(runs: Path) -> None:
    make(runs, "run-1")
    folder = runs / "models" / MODEL
    (folder / "notes.txt").write_text("mine")
    (folder / "2").mkdir()
    (folder / "3").write_text("a file")
    (folder / "04").mkdir()
    (runs / "models" / "Other Model").mkdir()
    assert [each.number for each in registry.versions(runs, "local")] == [1]
    assert version.models(runs) == [MODEL]


def test_a_champion_file_that_was_lost_or_spoilt_is_put_right_from_the_book(runs: Path) -> None:
    make(runs, "run-1")
    make(runs, "run-2")
    place = runs / "models" / MODEL / "champion"
    for spoilt in (b"", b"nonsense", b"1\n", b"99\n", b"\xff"):
        place.write_bytes(spoilt)
        shelf.settle(runs)
        assert champion_of(runs) == 2
    place.unlink()
    shelf.settle(runs)
    assert champion_of(runs) == 2


def test_what_a_killed_promoter_left_aside_is_swept_once_it_is_old(runs: Path) -> None:
    make(runs, "run-1")
    folder = runs / "models" / MODEL
    for name in (".making-old", ".making-new"):
        (folder / name).mkdir()
        (folder / name / "model.onnx").write_text("half")
    (folder / ".champion.1234").write_text("")
    long_ago = time.time() - 7200
    for name in (".making-old", ".champion.1234"):
        os.utime(folder / name, (long_ago, long_ago))
    shelf.settle(runs)
    assert sorted(path.name for path in folder.glob(".*")) == [".making-new"]


def test_half_a_line_costs_no_other_line(runs: Path) -> None:
    make(runs, "run-1")
    with (runs / book.FILE).open("ab") as file:
        file.write(b'{"kind":"champion","model":"alarm-desk.local","ver')
    before, offset = book.read(runs)
    assert len(before) == 2
    registry.roll_back(runs, "local", 1)
    entries, end = book.read(runs)
    assert [entry.kind for entry in entries] == ["version", "champion", "champion"]
    assert [entry.kind for entry in book.read(runs, offset)[0]] == ["champion"]
    assert end == book.size(runs)


def test_lines_that_are_no_entries_are_passed_over(runs: Path) -> None:
    junk = b'[]\n{"kind":"champion"}\nnot json\n{"kind":"x","model":"m","version":1,"t":0}\n'
    events.append(runs / book.FILE, junk)
    make(runs, "run-1")
    assert [entry.version for entry in book.read(runs)[0]] == [1, 1]


def test_a_version_whose_maker_died_before_the_book_is_written_down_by_the_next(runs: Path) -> None:
    make(runs, "run-1")
    (runs / book.FILE).unlink()
    (runs / "models" / MODEL / "champion").unlink()
    shelf.settle(runs)
    (entry,) = book.read(runs)[0]
    assert (entry.kind, entry.version, entry.run) == ("version", 1, "run-1")
    assert entry.sha256 == card("run-1")["files"]["model.safetensors"]
    assert champion_of(runs) is None


def test_a_registry_that_another_process_holds_is_said(runs: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from trainer.registry import book\n"
        "with book.locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(runs)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout
        assert holder.stdin
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BadState, match="Another process is changing the registry"):
            shelf.settle(runs, patience_s=0.05)
        holder.stdin.close()
    shelf.settle(runs)


def test_reading_and_rolling_back_load_neither_torch_nor_onnx_nor_mlflow(runs: Path) -> None:
    make(runs, "run-1")
    code = (
        "import sys; from pathlib import Path; from trainer import registry\n"
        "runs = Path(sys.argv[1]); registry.roll_back(runs, 'local', 1)\n"
        "assert registry.champion(runs, 'local').number == 1\n"
        "heavy = {'torch', 'onnx', 'onnxruntime', 'mlflow', 'numpy'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    command = [sys.executable, "-c", code, str(runs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr

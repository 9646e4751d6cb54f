"""Set-up and start say in one line what stands in the way, and stop ends what was started."""

import ast
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

import install
import launch
from tests.serving import free_port, wait_until


def error_line(capfd: pytest.CaptureFixture[str], command: str = "run") -> str:
    """The one line on stderr of a command that must fail."""
    assert launch.main([command]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize("path", ["launch.py", "install.py"])
def test_old_pythons_can_parse_the_launcher(path: str) -> None:
    ast.parse((install.ROOT / path).read_text(), feature_version=(3, 7))


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 14, 0)])
def test_a_wrong_python_is_told_what_to_install(
    version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(install, "other_python", lambda: None)
    line = error_line(capfd)
    assert "3.11, 3.12 or 3.13" in line
    assert sys.executable in line
    assert "apt install python3.12" in line


def test_a_fitting_python_beside_the_wrong_one_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 0))
    monkeypatch.setattr(install, "other_python", lambda: "python3.12")
    assert "make PYTHON=python3.12" in error_line(capfd)


def test_native_windows_is_sent_to_wsl_or_docker(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(install.os, "name", "nt")
        code = launch.main(["run"])
    assert code == 1
    assert "WSL2" in capfd.readouterr().err


def test_a_full_disk_is_noticed_before_the_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    usage = namedtuple("usage", "free")(int(1.5e9))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    monkeypatch.setattr(install, "VENV", tmp_path / "venv")
    monkeypatch.setattr(install, "PYTHON", tmp_path / "venv/bin/python")
    line = error_line(capfd)
    assert "1.5 GB" in line
    assert "about" in line
    assert not (tmp_path / "venv").exists()


def test_a_python_without_venv_is_told_which_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(install.SetupError, match=r"apt install python3\.\d+-venv"):
        install.make_venv()


def test_a_python_that_is_no_program_does_not_start(tmp_path: Path) -> None:
    assert install.starts(sys.executable)
    assert not install.starts(tmp_path / "missing")


def test_the_browser_is_the_named_one_then_the_systems_then_playwrights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("STAGECOACH_CHROMIUM", raising=False)
    monkeypatch.setattr(install, "CHROMIUMS", ("chromium",))
    assert install.find_chromium() is None
    own = ".cache/ms-playwright/chromium-1200/chrome-linux64/chrome"
    for place in (own, "bin/chromium", "opt/browser"):
        program = tmp_path / place
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
        if place == "opt/browser":
            monkeypatch.setenv("STAGECOACH_CHROMIUM", str(program))
        assert install.find_chromium() == str(program)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("ERROR: No matching distribution found for torch==2.13.0", "PyTorch has no build"),
        ("OSError: [Errno 28] No space left on device", "disk filled up"),
        ("NameResolutionError(...)\nERROR: No matching distribution found for torch", "network"),
        ("noise\nERROR: Cannot install a and b\nERROR: see the manual", "Cannot install a and b"),
    ],
)
def test_a_failed_installation_is_explained(log: str, said: str) -> None:
    line = install.explain_pip(log)
    assert said in line
    assert "\n" not in line


def test_pip_keeps_its_words_in_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "LOG", tmp_path / "build" / "setup.log")
    monkeypatch.setattr(install, "PYTHON", Path(sys.executable))
    with pytest.raises(install.SetupError, match=r"setup\.log"):
        install.run_pip("install", "--no-index", "a-package-that-is-not-there")
    assert "a-package-that-is-not-there" in install.LOG.read_text()
    assert capfd.readouterr().out == ""


def test_a_taken_port_is_named_with_the_way_out() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(install.SetupError, match=f"port {port} .*STAGECOACH_PORT="):
            launch.check_port(port)
    launch.check_port(port)


@pytest.mark.parametrize("text", ["eight", "0", "70000", "-1"])
def test_a_port_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGECOACH_PORT", text)
    with pytest.raises(install.SetupError, match="STAGECOACH_PORT"):
        launch.chosen_port()


def test_stop_never_hits_a_process_that_was_given_the_servers_number(tmp_path: Path) -> None:
    identity = launch.remember(tmp_path, os.getpid(), "http://127.0.0.1:1")
    assert launch.recall(tmp_path) == identity
    (tmp_path / "server.json").write_text(json.dumps({**identity, "started": "another boot 17"}))
    assert launch.recall(tmp_path) is None
    launch.end({**identity, "started": "another boot 17"})  # would end this very test


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1}'])
def test_a_damaged_identity_means_no_server(text: str, tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text(text)
    assert launch.recall(tmp_path) is None


def test_an_unknown_command_shows_the_known_ones(capfd: pytest.CaptureFixture[str]) -> None:
    assert launch.main(["fly"]) == 2
    assert "run | stop" in capfd.readouterr().out


@pytest.fixture
def call(tmp_path: Path) -> Iterator["Caller"]:
    """Calls `launch.py` with a runs folder and a port of its own; nothing is left running."""
    if not Path(sys.prefix).samefile(install.VENV):
        pytest.skip("only where the tests run in .venv")
    caller = Caller(tmp_path)
    yield caller
    caller.finish("stop")
    for process in caller.processes:
        process.kill()
        process.communicate()


class Caller:
    """Starts `launch.py COMMAND` with its output in a file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self.port = free_port()
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, command: str) -> tuple[subprocess.Popen[str], Path]:
        output = self.folder / f"{command}-{len(self.processes)}.txt"
        settings = {"STAGECOACH_RUNS": str(self.runs), "STAGECOACH_PORT": str(self.port)}
        with output.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, str(install.ROOT / "launch.py"), command],
                env={**os.environ, **settings, "CI": "true"},
                stdout=file,
                stderr=file,
                text=True,
                start_new_session=True,
            )
        self.processes.append(process)
        return process, output

    def finish(self, command: str) -> tuple[int, str]:
        process, output = self.start(command)
        return process.wait(100), output.read_text()

    def serve(self) -> tuple[subprocess.Popen[str], Path]:
        process, output = self.start("run")
        wait_until(
            lambda: "is running" in output.read_text() or process.poll() is not None, "run", 90
        )
        assert f"Stagecoach is running: http://127.0.0.1:{self.port}" in output.read_text()
        return process, output


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_run_serves_says_where_and_stop_ends_it(call: "Caller") -> None:
    first, output = call.serve()
    address = f"http://127.0.0.1:{call.port}"
    assert launch.is_healthy(address)
    code, said = call.finish("run")
    assert (code, said.strip()) == (0, f"Stagecoach is already running: {address}")
    code, said = call.finish("stop")
    assert code == 0
    assert f"The app at {address} is closed." in said
    assert first.wait(100) == 0
    assert "The app is closed" in output.read_text()
    assert not launch.is_healthy(address)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_ctrl_c_closes_the_app_quietly(call: "Caller") -> None:
    process, output = call.serve()
    process.send_signal(signal.SIGINT)
    assert process.wait(100) == 0
    assert "Runs that were under way go on" in output.read_text()
    assert launch.recall(call.runs) is None


def test_stop_with_nothing_running_says_so(call: "Caller") -> None:
    assert call.finish("stop") == (0, "Nothing is running.\n")
    assert not call.runs.exists()

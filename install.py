"""Gets this machine ready: a fitting Python, `.venv` with the pinned packages, Chromium for tests.

Starting the app is `launch.py`'s. Nothing but the standard library, and it parses on old Pythons
too, so that a wrong one gets one clear line instead of a traceback.
"""

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = ROOT / "build" / "setup.log"
OLDEST, NEWEST = (3, 11), (3, 13)
CHROMIUMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
PLAYWRIGHTS = ("chrome", "Chromium", "Google Chrome for Testing")  # its file names by system


class SetupError(Exception):
    """What stands in the way, said in one line that also says what to do."""


def words(error: Exception) -> str:
    """One line on what stood in the way."""
    if isinstance(error, OSError):
        return f"{error.filename or 'this machine'}: {error.strerror}."
    return str(error)


def say(text: str) -> None:
    """Prints one line at once, also into a pipe."""
    print(text, flush=True)


def check_system() -> None:
    """Refuses native Windows: runs are forked and signalled the Unix way."""
    if os.name == "nt":
        raise SetupError(
            "native Windows is not supported: use WSL2 (`wsl --install`, then `make run` in it) "
            "or Docker (`docker compose up`)."
        )


def check_python() -> None:
    """Refuses a Python that the pinned packages do not support."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    found = f"this is Python {platform.python_version()} ({sys.executable})"
    other = other_python()
    advice = f"Call `make PYTHON={other} ...`."
    if other is None:
        advice = (
            "Install one (Debian, Ubuntu: `apt install python3.12 python3.12-venv`), "
            "then call `make PYTHON=python3.12 ...`."
        )
    raise SetupError(f"needs Python 3.11, 3.12 or 3.13; {found}. {advice}")


def other_python() -> "str | None":
    """The name of a fitting Python on the PATH that really starts."""
    for name in ("python3.13", "python3.12", "python3.11"):
        path = shutil.which(name)
        if path and starts(path):
            return name
    return None


def starts(python: "str | Path") -> bool:
    """Whether this Python exists and runs a line."""
    command = [str(python), "-c", ""]
    try:
        return subprocess.call(command, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def check_disk() -> None:
    """Refuses to begin a download that will not fit: PyTorch for CUDA is large."""
    needed_gb = 6 if sys.platform.startswith("linux") else 3
    free_gb = shutil.disk_usage(str(ROOT)).free / 1e9
    if free_gb < needed_gb:
        raise SetupError(
            f"{ROOT} has {free_gb:.1f} GB of free disk space and the packages need about "
            f"{needed_gb} GB: make room, or move this folder to a larger disk."
        )


def packages(name: str) -> None:
    """Installs a pinned list into `.venv` once; a stamp makes every later call quick."""
    if starts(PYTHON) and _is_stamped(name):
        return
    if not any(VENV.glob("lib/python*/site-packages/torch")):
        check_disk()
    make_venv()
    say(f"Installing {name}: some minutes the first time. Log: {LOG}")
    run_pip("install", "-r", str(ROOT / name))
    for installed in {"requirements.txt", name}:  # the list for the tests holds the app's
        (VENV / f"{installed}.sha256").write_text(_fingerprint(installed))


def make_venv() -> None:
    """Makes `.venv` unless one that works is there."""
    if starts(PYTHON):
        return
    if importlib.util.find_spec("ensurepip") is None:
        version = "{}.{}".format(*sys.version_info[:2])
        raise SetupError(
            f"this Python cannot make a .venv: `apt install python{version}-venv`, then call again."
        )
    say(f"Making .venv with Python {platform.python_version()}")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        raise SetupError(f"python -m venv failed: {last_line(made.stderr or made.stdout)}")


def run_pip(*arguments: str) -> None:
    """Runs pip with its words in a log; on a terminal one line shows what it is at."""
    LOG.parent.mkdir(exist_ok=True)
    command = [str(PYTHON), "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments]
    pipe = subprocess.PIPE
    with LOG.open("w") as log:  # noqa: SIM117 - one `with` needs brackets that old Pythons refuse
        with subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True) as pip:
            for line in pip.stdout or ():
                log.write(line)
                _show_progress(line.strip())
    _show_progress("")
    if pip.returncode:
        raise SetupError(f"{explain_pip(LOG.read_text())} The whole log: {LOG}")


def explain_pip(log: str) -> str:
    """Says in one line why pip failed and what to do."""
    if "No space left on device" in log:
        return "the disk filled up while packages were installed: make room and call again."
    if "NewConnectionError" in log or "NameResolutionError" in log:
        return "pip could not reach the package index: check network and proxy, then call again."
    if "No matching distribution found for torch" in log:
        here = f"{platform.system()} {platform.machine()} with Python {platform.python_version()}"
        return (
            f"the pinned PyTorch has no build for {here}: "
            "use Linux (WSL2 and Docker too) or a Mac with Apple silicon."
        )
    errors = [line[7:] for line in log.splitlines() if line.startswith("ERROR: ")]
    return f"pip failed: {errors[0] if errors else last_line(log)}"


def last_line(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it gave no reason."


def find_chromium() -> "str | None":
    """The browser for tests: the one named by STAGECOACH_CHROMIUM, the system's, Playwright's."""
    for name in filter(None, (os.environ.get("STAGECOACH_CHROMIUM"), *CHROMIUMS)):
        path = shutil.which(name)
        if path:
            return path
    for cache in (Path.home() / ".cache", Path.home() / "Library" / "Caches"):
        for program in cache.glob("ms-playwright/chromium-*/**/*"):
            if program.name in PLAYWRIGHTS and program.is_file():
                return str(program)
    return None


def chromium() -> None:
    """Finds or installs a browser; without one the tests that need it skip, and fail on CI."""
    if find_chromium():
        return
    say("Installing Chromium for the tests")
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _try("apt-get", "update", "-qq", limit_s=180)
        _try("apt-get", "install", "-qq", "--no-install-recommends", "chromium", limit_s=420)
    if not find_chromium():
        _try(str(PYTHON), "-m", "playwright", "install", "chromium", limit_s=60)
    if not find_chromium():
        say("No Chromium could be installed: browser tests are skipped, and fail on CI.")


def _try(*command: str, limit_s: float) -> None:
    """Runs a command that may fail, its words in the log."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("a") as log:
        try:
            subprocess.call(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment, timeout=limit_s,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            log.write(f"{error}\n")


def _show_progress(line: str) -> None:
    """Overwrites the terminal's last line; says nothing into a pipe."""
    if sys.stdout.isatty() and (not line or line.startswith(("Collecting", "Downloading"))):
        print("\r\033[K" + line[:78], end="", flush=True)


def _fingerprint(name: str) -> str:
    lists = (ROOT / "requirements.txt", ROOT / name)
    return hashlib.sha256(b"".join(file.read_bytes() for file in lists)).hexdigest()


def _is_stamped(name: str) -> bool:
    stamp = VENV / f"{name}.sha256"
    return stamp.is_file() and stamp.read_text() == _fingerprint(name)

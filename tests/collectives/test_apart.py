"""The tests of forked ranks run in a process of their own: a fork needs a single thread."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(300)
def test_ranks_hold_in_a_process_with_one_thread() -> None:
    place = Path(__file__).with_name("ranks_apart.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(place)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert ran.returncode == 0, ran.stdout[-4_000:]
    assert " passed" in ran.stdout

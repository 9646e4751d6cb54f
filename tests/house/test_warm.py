"""What the warm parent loads must leave it with one thread: workers are forked from it."""

import os
import subprocess
import sys

from tests.house.tree import ROOT

_CODE = """
import torch._dynamo
from labs import registry
from trainer.process import threads
for lab in registry.ids():
    registry.find(lab)
print(threads())
"""


def test_loading_every_lab_starts_no_thread() -> None:
    env = os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    told = subprocess.run(
        [sys.executable, "-c", _CODE],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=env,
        timeout=300,
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.split() == ["1"]

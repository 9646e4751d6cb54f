"""`python -m bench NAME`: measures one named workload, prints its table and keeps it as JSON."""

import os
import sys
from collections.abc import Callable
from importlib import import_module

# Read when the libraries load: one thread each, and no spinning while waiting.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

WORKLOADS = {
    "mlp-step": "our trainer with everything on, against the plainest fast loop (about 4 minutes)",
    "serving": "the endpoint against the bare model, MLServer and Triton (about 4 minutes)",
    "surprises": "the promised surprise of every lab, over ten seeds; more words name labs",
}


def main(words: list[str]) -> int:
    """Runs the workload that the first word names; the others are handed to it."""
    if not words or words[0] not in WORKLOADS:
        print("Workloads:\n" + "\n".join(f"  {name:10} {what}" for name, what in WORKLOADS.items()))
        return 2 if words else 0
    module = import_module(f"bench.{words[0].replace('-', '_')}")
    run: Callable[[list[str]], int] = module.main
    return run(words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

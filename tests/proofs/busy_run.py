"""The suite on a busy machine: beside processes that compute and never wait.

``python -m tests.proofs.busy_run [--busy N] [--times N] [PYTEST ARGUMENT ...]`` runs pytest beside
N such processes, and ends with the first status that is not 0. ``--processes``: the modules whose
tests start processes, wait for them or limit their time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUSY = 8
PROCESSES = (
    "tests/conformance/cli/test_main.py",
    "tests/conformance/cli/test_interrupt.py",
    "tests/conformance/evidence/test_lines.py",
    "tests/conformance/evidence/test_run_folder.py",
    "tests/conformance/session/test_resume.py",
    "tests/conformance/record/test_edges.py",
    "tests/conformance/cli/test_progress.py",
    "tests/conformance/devices/test_child.py",
    "tests/conformance/devices/test_isolated.py",
    "tests/conformance/devices/test_cards.py",
    "tests/conformance/devices/test_npu.py",
    "tests/conformance/devices/test_ill_kernels.py",
    "tests/proofs/faults/test_faulty_runs.py",
    "tests/simulator/runtime/test_errors.py",
    "tests/simulator/runtime/test_faults.py",
)


@contextmanager
def busy(number: int) -> Iterator[None]:
    """So many processes that compute for as long as this lasts, and no longer than this process."""
    spin = f"import os\nwhile os.getppid() == {os.getpid()}: sum(range(10**6))"
    spinning = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(number)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def main() -> int:
    """Run pytest beside busy processes; answers its status."""
    parser = argparse.ArgumentParser(prog="tests.proofs.busy_run", description=__doc__)
    parser.add_argument("--busy", type=int, default=BUSY, metavar="N")
    parser.add_argument("--times", type=int, default=1, metavar="N")
    parser.add_argument("--processes", action="store_true")
    parsed, arguments = parser.parse_known_args()
    tests = PROCESSES if parsed.processes else () if arguments else ("tests",)
    command = [sys.executable, "-m", "pytest", *tests, "-n", "2", "--dist", "worksteal", *arguments]
    with busy(parsed.busy):
        for number in range(1, parsed.times + 1):
            start = time.monotonic()
            done = subprocess.run(command, cwd=ROOT)
            took = time.monotonic() - start
            load = os.getloadavg()[0]
            told = f"status {done.returncode} after {took:.0f} s, load {load:.0f}"
            print(f"{number} of {parsed.times}: {told}", flush=True)
            if done.returncode:
                return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())

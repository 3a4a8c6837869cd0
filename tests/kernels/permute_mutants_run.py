"""Kernels of MoeTokenPermuteWithEp with one mistake each give wrong answers.

`python -m tests.kernels.permute_mutants_run`: each mutant is built and called with the calls of
permute_values.py; with `--removals` those that lack one piece of synchronisation. Ends with status
1 where the answers to all calls are right, in silence.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from device_kernels.build import build
from tests.kernels import mutants, removals
from tests.kernels.mutants_moe_token_permute_with_ep import MUTANTS
from tests.kernels.permute_calls import Permuter
from tests.kernels.permute_values import difference, trials
from tests.simulator.runtime.driver import Acl

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "device_kernels" / "kernels"
OPERATOR = "moe_token_permute_with_ep"
FOLDERS = ("shared", OPERATOR)
SECONDS = 60


def first_difference(lib: Path) -> str:
    """What the first wrong answer of these libraries is; empty where all are right."""
    permuter = Permuter(Acl(lib))
    return next(filter(None, (difference(permuter, trial) for trial in trials())), "")


def judged(kernels: Path) -> str:
    """What is wrong with the answers of these kernels, which may crash their process or hang it."""
    lib = build(kernels, quiet=True).lib
    command = [sys.executable, "-m", "tests.kernels.permute_mutants_run", "--lib", str(lib)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no answer in {SECONDS} s"
    return done.stdout.strip() or (f"exit status {done.returncode}" if done.returncode else "")


def broken(without_synchronisation: bool, folder: Path) -> Iterator[tuple[str, Path]]:
    """A name and a folder of kernels for each mistake."""
    if not without_synchronisation:
        for mutant in MUTANTS:
            mutants.apply(mutant, OPERATOR, KERNELS, folder / mutant.name)
            yield mutant.name, folder / mutant.name
        return
    for number, removal in enumerate(removals.removals(KERNELS)):
        if removal.file.parent.name in FOLDERS:
            removals.apply(removal, KERNELS, folder / str(number))
            yield removal.name, folder / str(number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lib", type=Path, help="call these libraries and tell what is wrong")
    parser.add_argument("--removals", action="store_true")
    chosen = parser.parse_args()
    if chosen.lib:
        print(first_difference(chosen.lib))
        return 0
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, kernels in broken(chosen.removals, Path(folder)):
            wrong = judged(kernels)
            print(f"{name:60} {wrong[:150] or 'SURVIVES'}", flush=True)
            survivors += not wrong
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())

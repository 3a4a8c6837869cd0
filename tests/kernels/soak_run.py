"""The real kernels over many cases, no false alarm: `python -m tests.kernels.soak_run`.

Runs of the gate profile, one seed after the other, until so many cases are judged (`--cases`). Ends
with status 1 where a run is not accepted, or where an operator's mode and dtype has fewer than
`--least` cases of any level of its discrete cells: of a family of data, a boundary, a routing...
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from conformance.draw.profiles import PROFILES
from conformance.evidence.coverage import Coverage
from conformance.evidence.summary import read_evidence

ROOT = Path(__file__).parents[2]

Class = tuple[str, str, str, str, str]
"""Operator, mode, dtype, axis and level."""


def classes(coverage: Iterable[Coverage]) -> Counter[Class]:
    """The cases of every level of every cell, also of those that have none."""
    found: Counter[Class] = Counter()
    for cell in coverage:
        for axis, levels in cell.levels.items():
            for level, cases in levels.items():
                found[cell.operator, cell.mode, cell.dtype, axis, level] += cases
    return found


def rare(found: Counter[Class], least: int) -> list[str]:
    """What has too few cases, rarest first."""
    few = sorted((cases, of) for of, cases in found.items() if cases < least)
    return [f"{', '.join(of)}: {cases} cases" for cases, of in few]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--least", type=int, default=30)
    parser.add_argument("--profile", choices=PROFILES, default="gate")
    parser.add_argument("--seed", type=int, default=0, help="the first; then the next ones")
    parser.add_argument("--out", type=Path, help="keep each run's folder here, by its seed")
    chosen = parser.parse_args()
    began, cases, seed = time.monotonic(), 0, chosen.seed
    found: Counter[Class] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        while cases < chosen.cases:
            out = (chosen.out or Path(folder)) / str(seed)
            command = [sys.executable, "-m", "conformance", "run", "--device", "sim"]
            command += ["--profile", chosen.profile, "--seed", str(seed), "--out", str(out)]
            command += [word for name in chosen.operator for word in ("--operator", name)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            evidence = read_evidence(out)
            if done.returncode or evidence is None:
                print(done.stdout + done.stderr)
                print(f"the run with seed {seed} ended with status {done.returncode}")
                return 1
            found.update(classes(evidence.coverage))
            cases += evidence.cases
            print(f"seed {seed}: {evidence.cases:,} cases accepted, {cases:,} so far", flush=True)
            seed += 1
    few = rare(found, chosen.least)
    (number, scarcest) = min((count, of) for of, count in found.items())
    seconds = time.monotonic() - began
    print(f"{cases:,} cases in {seconds:.0f} s, none refused; {len(found):,} classes")
    print(f"fewest cases: {number} ({', '.join(scarcest)})")
    print("\n".join(few))
    return 1 if few else 0


if __name__ == "__main__":
    sys.exit(main())

"""One worker and two reach the same verdicts: `python -m tests.proofs.workers_run`.

Runs of one profile over all operators, by turns with one worker and with two, each with the same
seed; or the folders of runs that there are (`--runs FIRST SECOND`). Every verdict is compared in
all that its line of evidence tells, but for the worker and the times. Ends with status 1 where two
runs differ, or where one is not accepted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from conformance.draw.profiles import PROFILES
from conformance.evidence.lines import VerdictLine, read_lines

ROOT = Path(__file__).parents[2]
MOST_TOLD = 20

Key = tuple[str, str, bool, bytes]
"""Item, digest of the case, whether it was accepted, and the whole line."""


def verdicts(out: Path, phases: Collection[str] | None = None) -> Counter[Key]:
    """How often a run reached each of its verdicts; those of some phases, where they are given."""
    return Counter(
        (line.item, line.digest, line.ok, _told(line))
        for line in read_lines(out)
        if isinstance(line, VerdictLine) and (phases is None or line.phase in phases)
    )


def _told(line: VerdictLine) -> bytes:
    timeless = msgspec.structs.replace(line, worker="", seconds=0.0, call_seconds=0.0)
    return msgspec.json.encode(timeless, order="deterministic")


def difference(first: Counter[Key], second: Counter[Key]) -> list[str]:
    """What one of two runs reached and the other did not."""
    return [*_surplus(first - second, "first"), *_surplus(second - first, "second")]


def _surplus(more: Counter[Key], where: str) -> Iterator[str]:
    for (item, digest, ok, _), times in sorted(more.items()):
        word = "accepted" if ok else "refused"
        often = "time" if times == 1 else "times"
        yield f"{item}, {digest}: {word} {times} more {often} in the {where}"


def run(out: Path, workers: int, profile: str, seed: int) -> int:
    """Judge all operators; the status."""
    command = [sys.executable, "-m", "conformance", "run", "--device", "sim", "--out", str(out)]
    command += ["--profile", profile, "--seed", str(seed), "-n", str(workers)]
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    seconds = time.monotonic() - began
    print(f"{workers} workers: status {done.returncode}, {seconds:.0f} s", flush=True)
    if done.returncode:
        print(done.stdout + done.stderr)
    return done.returncode


def compared(first: Path, second: Path) -> bool:
    """Whether two runs reached the same verdicts; tells it."""
    reached = verdicts(first)
    told = difference(reached, verdicts(second))
    count = sum(reached.values())
    print(f"{count:,} verdicts, {len(told)} differ", *told[:MOST_TOLD], sep="\n  ", flush=True)
    return count > 0 and not told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="gate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--runs", type=Path, nargs=2, help="compare these two and run nothing")
    chosen = parser.parse_args()
    if chosen.runs:
        return 0 if compared(*chosen.runs) else 1
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(chosen.times):
            runs = [Path(folder) / f"{turn}-{workers}" for workers in (1, 2)]
            statuses = [
                run(out, workers, chosen.profile, chosen.seed)
                for workers, out in enumerate(runs, start=1)
            ]
            same = compared(*runs) and not any(statuses) and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())

"""``make kills``: real runs and writers of the history ended by force at random moments.

Each run is judged by the gate afterwards: its folder is readable, says that it is incomplete, and
holds every verdict whose line was written; the history passes SQLite's own check, and each run in
it is whole.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.gate.runs import run
from tests.conformance.killed.kills import (
    check_history,
    check_run,
    environment,
    importing,
    killed,
    since,
    told_of,
)

OPERATOR = "moe_token_permute_grad"
PART = ("--", "-k", "whole-float16 or README")
"""What of the operator is judged: enough for some hundred verdicts by two processes."""
RUNS = 40


def spent(command: Sequence[str], path: Path, place: Path) -> float:
    """Seconds from when a command made a path to its end."""
    began: list[float] = []

    def seen() -> bool:
        if not began and path.exists():
            began.append(time.monotonic())
        return False

    killed(command, seen, place)
    return time.monotonic() - began[0]


def main() -> int:
    """Kill, check, and tell what was left how often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        command = [sys.executable, "-m", "conformance", "run", "--device", "sim", "-n", "2"]
        command += ["--operator", OPERATOR]
        told = place / "acknowledged"
        killed([*command, "--out", "whole", *PART], lambda: False, place, **environment(told))
        verdicts = len(told.read_bytes().splitlines())
        left: Counter[str] = Counter()
        for number in range(given.moments):
            acknowledged, out = place / f"acknowledged{number}", place / f"run{number}"
            words = [*command, "--out", out.name, "--seed", str(number), *PART]
            moment = told_of(acknowledged, draw.randrange(verdicts))
            killed(words, moment, place, **environment(acknowledged))
            left[check_run(out, acknowledged)] += 1
        print(
            f"{given.moments} runs of {verdicts} verdicts ended by force: {dict(left)}", flush=True
        )
        runs = [run(place / f"import{n}", seed=n) for n in range(RUNS)]
        longest = spent(importing(place / "whole.sqlite", runs), place / "whole.sqlite", place)
        found = []
        for number in range(given.moments):
            db = place / f"history{number}.sqlite"
            killed(importing(db, runs), since(db, draw.uniform(0, longest)), place)
            found.append(check_history(db, runs))
        print(f"{given.moments} imports of {RUNS} runs ended by force: {sorted(found)} were there")
    return 0


if __name__ == "__main__":
    sys.exit(main())

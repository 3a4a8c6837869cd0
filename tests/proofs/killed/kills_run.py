"""``make proofs RUN=kills``: real runs and writers of the history ended by force at random moments.

Each run is judged by the gate afterwards: its folder is readable, says that it is incomplete, and
holds every verdict whose line was written; the history passes SQLite's own check, and each run in
it is whole. Other runs are ended by force, by an interrupt and by a request to terminate, by turns,
and go on: each says in the end what a run says that nobody disturbed, verdict for verdict.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.conformance.front_door import WRONG
from tests.conformance.gate.runs import run
from tests.proofs.killed.kills import (
    check_history,
    check_run,
    environment,
    importing,
    killed,
    since,
    told_of,
)
from tests.proofs.killed.resumed import WAYS, count_of_lines, differences, disturbed
from tests.proofs.workers_run import MOST_TOLD

OPERATOR = "moe_token_permute_grad"
PART = ("--", "-k", "whole-float16 or README")
"""What of the operator is judged: enough for some hundred verdicts by two processes."""
RUNS = 40
FAILING = WRONG
"""A record by which the kernel fails."""


def spent(command: Sequence[str], path: Path, place: Path) -> float:
    """Seconds from when a command made a path to its end."""
    began: list[float] = []

    def seen() -> bool:
        if not began and path.exists():
            began.append(time.monotonic())
        return False

    killed(command, seen, place)
    return time.monotonic() - began[0]


def check_killed(command: Sequence[str], place: Path, moments: int, draw: random.Random) -> None:
    """Kill runs, each with a seed of its own, and tell what was left how often."""
    told = place / "acknowledged"
    killed([*command, "--out", "whole", *PART], lambda: False, place, **environment(told))
    verdicts = len(told.read_bytes().splitlines())
    left: Counter[str] = Counter()
    for number in range(moments):
        acknowledged, out = place / f"acknowledged{number}", place / f"run{number}"
        words = [*command, "--out", out.name, "--seed", str(number), *PART]
        moment = told_of(acknowledged, draw.randrange(verdicts))
        killed(words, moment, place, **environment(acknowledged))
        left[check_run(out, acknowledged)] += 1
    print(f"{moments} runs of {verdicts} verdicts ended by force: {dict(left)}", flush=True)


def check_imports(place: Path, moments: int, draw: random.Random) -> None:
    """Kill imports into a history, and tell how many runs were there after each."""
    runs = [run(place / f"import{n}", seed=n) for n in range(RUNS)]
    longest = spent(importing(place / "whole.sqlite", runs), place / "whole.sqlite", place)
    found = []
    for number in range(moments):
        db = place / f"history{number}.sqlite"
        killed(importing(db, runs), since(db, draw.uniform(0, longest)), place)
        found.append(check_history(db, runs))
    print(f"{moments} imports of {RUNS} runs ended by force: {sorted(found)} were there")


def check_resumed(command: Sequence[str], place: Path, moments: int, draw: random.Random) -> int:
    """End runs, let them go on, and tell how many differ from one that nobody disturbed."""
    runs = [_run_of(*command, "--operator", OPERATOR), _run_of(*command, *FAILING)]
    wholes = [place / f"undisturbed{number}" for number, _ in enumerate(runs)]
    for made, whole in zip(runs, wholes, strict=True):
        killed(made(whole), lambda: False, place)
    different = 0
    for number in range(moments):
        way = list(WAYS)[number % len(WAYS)]
        made, whole = runs[number % len(runs)], wholes[number % len(runs)]
        lines = draw.randrange(1, count_of_lines(whole))
        out = place / f"resumed{number}"
        one = disturbed(made, out, way, lines)
        told = differences(out, whole, one.had_ended)
        different += bool(told)
        print(f"  {one}: {len(told)} differences", *told[:MOST_TOLD], sep="\n    ", flush=True)
    lines = " and ".join(str(count_of_lines(whole)) for whole in wholes)
    print(f"{moments} runs of {lines} lines ended and gone on with: {different} differ", flush=True)
    return different


def _run_of(*command: str) -> Callable[..., list[str]]:
    """What makes the words of a run from its folder and further options."""
    return lambda out, *more: [*command, "--out", str(out), *more]


def main() -> int:
    """End runs and imports at random moments, check, and tell what was left how often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=50, help="runs, and imports, to be killed")
    parser.add_argument("--resumed", type=int, default=20, help="runs to be ended and gone on with")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        command = [sys.executable, "-m", "conformance", "run", "--device", "sim", "-n", "2"]
        if given.moments:
            check_killed([*command, "--operator", OPERATOR], place, given.moments, draw)
            check_imports(place, given.moments, draw)
        return min(1, check_resumed(command, place, given.resumed, draw))


if __name__ == "__main__":
    sys.exit(main())

"""``make proofs RUN=faults``: runs of the command line whose device is struck at every call, in six
ways.

Then double faults, drawn by a seed: on the simulator and on simulated cards, by one process or two,
of documented calls and of drawn ones. Ends with status 1 where a run breaks a rule
(`tests.proofs.faults.faulty.broken`) or ends with another status than the fault allows
(`tests.proofs.faults.expected`); the table says what became of each kind of fault.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from conformance.cli.progress import bar
from conformance.devices.open import simulator_libraries
from tests.proofs.faults.expected import CARD_EFFECTS, EFFECTS, Struck, allowed, roles
from tests.proofs.faults.faulty import DRAWN, ITEMS, Ended, broken, faulty_run

WORDS = {0: "accepted", 1: "refused", 3: "environment", None: "did not end"}
DRAWN_CALLS = 3600
"""Calls of the run of drawn cases, about."""


@dataclass(frozen=True)
class Plan:
    """A run that is to be made; ``may`` are the statuses that it may end with."""

    name: str
    kind: str
    faults: str
    may: frozenset[int]
    device: str = "sim"
    items: str = ITEMS
    workers: int = 1


def single(calls: Sequence[Struck]) -> Iterator[Plan]:
    """Every call by every effect."""
    for struck in calls:
        for word, effect in EFFECTS.items():
            yield Plan(
                f"{struck.number} ({struck.function}, {struck.role.value}) {word}",
                f"{struck.role.value}: {word}",
                f"*@{struck.number}:{effect}",
                frozenset(allowed(struck, word)),
            )


def double(calls: Sequence[Struck], count: int, seed: int) -> Iterator[Plan]:
    """Two faults in a run, the second perhaps in what the first one has the harness do."""
    draw = random.Random(seed)
    for number in range(count):
        device = draw.choice(("sim", "npu:0,1"))
        items = DRAWN if number % 10 == 9 else ITEMS
        last = DRAWN_CALLS if items == DRAWN else len(calls) + len(calls) // 4
        first, second = sorted(draw.sample(range(1, last + 1), 2))
        if draw.random() < 0.5:
            second = first + draw.randint(1, 6)
        effects = EFFECTS | (CARD_EFFECTS if device != "sim" else {})
        words = [draw.choice(list(effects)) for _ in range(2)]
        may = {0, 1, 3}
        # A call that a card loses is made once more, and may be accepted then.
        known = items == ITEMS and first <= len(calls) and words[0] in EFFECTS
        if known and 0 not in allowed(calls[first - 1], words[0]):
            may -= {0} if device == "sim" else set()
        yield Plan(
            f"double {number}: {first} {words[0]}, {second} {words[1]} on {device}",
            f"double on {device.partition(':')[0]}",
            f"*@{first}:{effects[words[0]]},*@{second}:{effects[words[1]]}",
            frozenset(may),
            device,
            items,
            draw.choice((0, 1, 1, 2)),
        )


def judged(plan: Plan, place: Path, whole: Ended) -> tuple[Plan, Ended, list[str]]:
    """Make a run and see what it breaks; its folder stays where it breaks something."""
    folder = place / "".join(c if c.isalnum() else "_" for c in plan.name)
    ended = faulty_run(
        folder, plan.faults, device=plan.device, items=plan.items, workers=plan.workers
    )
    rules = list(broken(ended, whole if plan.items == ITEMS else None))
    if ended.status not in plan.may:
        told = "; ".join(line for line in ended.told.splitlines() if line.strip())[-300:]
        rules.append(f"status {ended.status}, allowed are {sorted(plan.may)}: {told}")
    if not rules:
        shutil.rmtree(folder, ignore_errors=True)
    return plan, ended, rules


def table(found: Sequence[tuple[Plan, Ended, list[str]]]) -> Iterator[str]:
    """What became of each kind of fault."""
    kinds: dict[str, Counter[str]] = {}
    for plan, ended, _ in found:
        kinds.setdefault(plan.kind, Counter())[WORDS.get(ended.status, str(ended.status))] += 1
    width = max(map(len, kinds), default=0)
    for kind, became in kinds.items():
        yield f"{kind:{width}}  " + ", ".join(f"{n} {word}" for word, n in became.most_common())


def main() -> int:
    """Make the runs, and tell the table and what was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--doubles", type=int, default=200, help="runs with two faults")
    add("--seed", type=int, default=0, help="of the double faults")
    add("--every", type=int, default=1, metavar="K", help="make each K-th run")
    add("--from", type=int, default=0, dest="first", metavar="N", help="begin at the N-th run")
    add("--only", default="", metavar="TEXT", help="runs with TEXT in their name")
    add("--jobs", type=int, default=2, help="runs at a time")
    add("--keep", type=Path, help="the folder in which runs that break a rule stay")
    given = parser.parse_args()
    simulator_libraries(None)
    place = given.keep or Path(tempfile.mkdtemp())
    place.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(place / "whole", ignore_errors=True)
    whole = faulty_run(place / "whole", "")
    if rules := list(broken(whole, None)) or ([] if whole.status == 0 else [whole.told]):
        print(f"the run without faults: {rules}")
        return 1
    calls = roles(whole.calls)
    plans = [*single(calls), *double(calls, given.doubles, given.seed)]
    numbered = list(enumerate(plans))[given.first :: given.every]
    numbered = [(number, plan) for number, plan in numbered if given.only in plan.name]
    print(f"{len(calls)} calls in a run, {len(numbered)} runs of {len(plans)}", flush=True)
    began, found = time.monotonic(), []
    console = Console(stderr=True)
    with ThreadPoolExecutor(given.jobs) as pool, bar(console) as progress:
        task = progress.add_task("striking", total=len(numbered))
        made = pool.map(lambda one: judged(one[1], place, whole), numbered)
        for (number, _), (plan, ended, rules) in zip(numbered, made, strict=True):
            found.append((plan, ended, rules))
            progress.advance(task)
            for rule in rules:
                print(f"run {number}: {plan.name}: {rule}", flush=True)
    for line in table(found):
        print(line)
    bad = sum(bool(rules) for _, _, rules in found)
    longest = max((ended.seconds for _, ended, _ in found), default=0.0)
    print(
        f"{len(found)} runs in {time.monotonic() - began:.0f} s, the longest {longest:.1f} s;"
        f" {bad} broke a rule" + (f": {place}" if bad else "")
    )
    if not given.keep and not bad:
        shutil.rmtree(place)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Ladders of smoke against mistakes at one size: `python -m tests.kernels.ladders_run --seeds 20`.

Each mistake of `mutants_ladders` is built once; then, for every seed, the ladders that a smoke run
of that seed judges are gone up until a case is refused. Ends with status 1 if a seed of one
mistake shows nothing.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from conformance.call.case import Case
from conformance.devices.open import open_device
from conformance.draw.ladder_cells import cells_asked, sizes_asked
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.mutants.drawn_cases import drawn
from conformance.record.operator import TWO_PHASE, Operator
from conformance.session.ladder_item import cases_of
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from tests.kernels.mutants import Mutant
from tests.kernels.mutants_ladders import MUTANTS
from tests.kernels.mutation_run import arguments, build_mutant

ROUTE = TWO_PHASE[0]
TIME_LIMIT = 20.0
"""Seconds that a call of a mutant may take before it counts as hanging."""


@dataclass(frozen=True)
class Climb:
    """Of one mistake: the size at which each seed shows it, None: it does not; and the seconds of
    a seed, in the mean."""

    operator: str
    mutant: Mutant
    sizes: tuple[str | None, ...]
    seconds: float

    def __str__(self) -> str:
        found = [size for size in self.sizes if size]
        often = ", ".join(f"{size} ({count})" for size, count in Counter(found).most_common(2))
        share = f"found {len(found)}/{len(self.sizes)}, {self.seconds:.1f} s each"
        missed = [str(seed) for seed, size in enumerate(self.sizes) if not size]
        lost = f"; not by seeds {', '.join(missed)}" if missed else ""
        return f"{self.operator}, {self.mutant.name}: {share}, {often or 'nowhere'}{lost}"


@cache
def cases(name: str, seed: int, profile: str) -> tuple[tuple[str, Case], ...]:
    """The calls of all ladders that a run of the profile and seed judges, with their sizes."""
    return tuple(climbs(record(name), seed, profile))


def climbs(operator: Operator, seed: int, profile: str) -> Iterator[tuple[str, Case]]:
    """The same, drawn as they are asked for."""
    each = PROFILES[profile].ladders
    for ladder in operator.ladders:
        for mode, dtype in cells_asked(operator, ladder, each, seed):
            for size in sizes_asked(operator, ladder, mode, each, seed):
                near = cases_of(ladder, mode, dtype, size, ladder.machine(size, seed))
                key = f"{ladder.name} {size} {mode} {dtype}"
                for case in drawn(near, 1, seed, key):
                    yield f"{ladder.name} {size:,} of {mode}", case


def first_refused(operator: Operator, lib: Path, seed: int, profile: str) -> str | None:
    """The size of the first refused case; None if all are accepted."""
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib, route=ROUTE)) as device:
        for size, kept in cases(operator.name, seed, profile):
            case = replace(kept)  # a case keeps its arrays, and many are kept here
            if not judge(operator, case, device.run(operator, case)).ok:
                return size
    return None


def climbed(work: tuple[str, str, int, str]) -> Climb:
    """Build one mistake and hold it against so many seeds."""
    name, mutant_name, seeds, profile = work
    operator = record(name)
    (mutant,) = (one for one in MUTANTS[name] if one.name == mutant_name)
    with tempfile.TemporaryDirectory() as folder:
        lib = build_mutant(operator, mutant, Path(folder))
        started = time.monotonic()
        sizes = tuple(first_refused(operator, lib, seed, profile) for seed in range(seeds))
    return Climb(name, mutant, sizes, (time.monotonic() - started) / seeds)


@cache
def record(name: str) -> Operator:
    """The record of an operator, with what can be called on the vendor's interface."""
    (operator,) = suite.chosen(suite.records(), [name])
    return on_route(operator, ROUTE)


def main() -> int:
    """Hold every mistake against its seeds; answers the status."""
    parser = arguments(__doc__)
    parser.set_defaults(profile="smoke")
    chosen = parser.parse_args()
    work = [
        (name, mutant.name, chosen.seeds, chosen.profile)
        for name, mutants in MUTANTS.items()
        for mutant in mutants
        if not chosen.operator or name in chosen.operator
        if not chosen.mutant or mutant.name in chosen.mutant
    ]
    if not work:
        parser.error("no such mistake")
    well = 0
    with multiprocessing.get_context("fork").Pool(chosen.jobs) as pool:
        for one in pool.imap(climbed, work):
            print(one, flush=True)
            well += all(one.sizes)
    print(f"{well} of {len(work)} mistakes found by every seed")
    return 0 if well == len(work) else 1


if __name__ == "__main__":
    sys.exit(main())

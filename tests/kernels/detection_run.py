"""How many gates find each seeded mistake: `python -m tests.kernels.detection_run --seeds 20`.

Each mutant is built once; then, for every seed, the cases that a gate would draw of the cells in
which the mistake can show are judged until one is refused. Where the first seed's show nothing, the
documented calls are made, which every gate makes, whatever its seed. Nothing is shrunk, so twenty
seeds of a mutant take seconds. How small the case becomes that a run stores, `mutation_run` says.

A mistake that no verdict may refuse is asked of one seed, and where a call in quarantine shows it,
what is told of that call must differ from what is told of the right kernel.

Ends with status 1 where a seed does not find a mistake, with which its search ends, or where one is
refused that may not be.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from conformance.devices.open import open_device
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.quarantined import observe_quarantined
from conformance.mutants.drawn_cases import Case, cell_cases
from conformance.record.operator import TWO_PHASE, Operator
from conformance.suite import records as suite
from conformance.suite.on_route import on_route
from tests.kernels import mutants_buffers, mutants_keys
from tests.kernels.mutants import Mutant
from tests.kernels.mutation_run import MUTANTS as COMPILED
from tests.kernels.mutation_run import arguments, build_mutant

MUTANTS = {
    name: (*mutants, *mutants_keys.MUTANTS.get(name, ()), *mutants_buffers.MUTANTS[name])
    for name, mutants in COMPILED.items()
}
"""The mistakes of each operator."""

TIME_LIMIT = 5.0
"""Seconds that a call of a mutant may take before it counts as hanging."""


@dataclass(frozen=True)
class Detection:
    """Of one mutant: how many cases each seed judged until one was refused, None: none was; 0: a
    documented call was. And whether its call in quarantine was told otherwise."""

    mutant: Mutant
    cases: tuple[int | None, ...]
    seconds: float
    told: bool = False

    @property
    def found(self) -> list[int]:
        return [number for number in self.cases if number is not None]

    @property
    def well(self) -> bool:
        if self.mutant.open:
            return not self.found and self.told == bool(self.mutant.quarantined)
        return len(self.found) == len(self.cases)

    def __str__(self) -> str:
        shown = f"{self.mutant.name:48} found {len(self.found)}/{len(self.cases)}"
        if not any(self.found) and self.found:
            shown += " by documented calls alone"
        elif self.found:
            shown += f", after {median(self.found):.0f} cases, at most {max(self.found)}"
        if self.mutant.open:
            shown += f"; none is due: {self.mutant.open}"
        if self.mutant.quarantined:
            shown += f", and told {'otherwise' if self.told else 'as of the right kernel'}"
        return f"{shown}, {self.seconds:.0f} s"


def cells_of(operator: Operator, mutant: Mutant) -> Iterator[tuple[str, str, str]]:
    """Route, mode and data type of every cell in which the mistake can show."""
    for mode in operator.modes:
        if not mutant.modes or mode.name in mutant.modes:
            for dtype in operator.dtypes_in(mode.name):
                if dtype in mutant.dtypes:
                    yield (mode.routes or TWO_PHASE)[0], mode.name, dtype


class Kept:
    """Cases that are drawn when they are asked for, and kept for the next mutant."""

    def __init__(self, cases: Iterator[Case]) -> None:
        self._rest, self._drawn = cases, list[Case]()

    def __iter__(self) -> Iterator[Case]:
        for number in count():
            if number == len(self._drawn):
                case = next(self._rest, None)
                if case is None:
                    return
                self._drawn.append(case)
            yield self._drawn[number]


@cache
def drawn_of(operator: str, mode: str, dtype: str, profile: str, seed: int) -> Kept:
    """The cases that a run of the profile draws of a cell."""
    (record,) = suite.chosen(suite.records(), [operator])
    return Kept(
        cell_cases(record, mode, dtype, PROFILES[profile], seed, beside=record.dtypes_in(mode))
    )


def first_refused(
    operator: Operator, mutant: Mutant, lib: Path, profile: str, seed: int
) -> int | None:
    """The number of the first refused case, a case of every cell in turn; None where all are
    accepted."""
    cells = list(cells_of(operator, mutant))
    number = 0
    with ExitStack() as stack:
        devices = {
            route: stack.enter_context(closing(open_device("sim", **on(lib, route))))
            for route in {route for route, _, _ in cells}
        }
        drawn = [drawn_of(operator.name, mode, dtype, profile, seed) for _, mode, dtype in cells]
        for turn in zip_longest(*drawn):
            for (route, _, _), kept in zip(cells, turn, strict=True):
                if kept is None:
                    continue
                number += 1
                case = replace(kept)  # a case keeps its arrays, and thousands are kept here
                if not judge(operator, case, devices[route].run(operator, case)).ok:
                    return number
    return None


def on(lib: Path, route: str) -> dict[str, Any]:
    """How the device of a mutant's libraries is opened."""
    return {"time_limit": TIME_LIMIT, "libraries": lib, "route": route}


def detection(work: tuple[str, str, str, int]) -> Detection:
    """Build one mutant and hold it against so many seeds."""
    name, mutant_name, profile, seeds = work
    (operator,) = suite.chosen(suite.records(), [name])
    (mutant,) = (one for one in MUTANTS[name] if one.name == mutant_name)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        lib = build_mutant(operator, mutant, Path(folder))
        cases = searched(operator, mutant, lib, profile, seeds)
        told = bool(mutant.quarantined) and (
            told_of(operator, mutant, lib) != told_of(operator, mutant, None)
        )
    return Detection(mutant, cases, time.monotonic() - started, told)


def searched(
    operator: Operator, mutant: Mutant, lib: Path, profile: str, seeds: int
) -> tuple[int | None, ...]:
    """What `Detection.cases` says, up to the first seed that shows nothing."""
    first = None if mutant.documented else first_refused(operator, mutant, lib, profile, 0)
    if first is None:
        return (0,) * seeds if example_refused(operator, lib) else (None,)
    cases: list[int | None] = [first]
    while len(cases) < seeds and cases[-1] is not None:
        cases.append(first_refused(operator, mutant, lib, profile, len(cases)))
    return tuple(cases)


def told_of(operator: Operator, mutant: Mutant, lib: Path | None) -> str:
    """What a run tells of the call in quarantine; None: on the kernels as they are."""
    (call,) = (one for one in operator.quarantine if one.name == mutant.quarantined)
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib)) as device:
        return observe_quarantined(call, operator, device.run(operator, call.case)).headline


def example_refused(operator: Operator, lib: Path) -> bool:
    """Whether one of the documented calls is refused."""
    for route in TWO_PHASE:
        with closing(open_device("sim", **on(lib, route))) as device:
            for one in on_route(operator, route).examples:
                example = replace(one, case=replace(one.case))
                seen = device.run(operator, example.case)
                if not judge_example(example, operator, seen).ok:
                    return True
    return False


def main() -> int:
    parser = arguments(__doc__)
    chosen = parser.parse_args()
    well, of = 0, 0
    for operator in suite.chosen(suite.records(), chosen.operator):
        names = [one.name for one in MUTANTS[operator.name]]
        work = [
            (operator.name, name, chosen.profile, chosen.seeds)
            for name in names
            if not chosen.mutant or name in chosen.mutant
        ]
        with multiprocessing.get_context("fork").Pool(chosen.jobs) as pool:
            for one in pool.imap(detection, work):
                print(one, flush=True)
                well, of = well + one.well, of + 1
    if not of:
        parser.error(f"--mutant {', '.join(chosen.mutant)}: unknown")
    print(f"{well} of {of} as they should be, {chosen.seeds} seeds each, profile {chosen.profile}")
    return 0 if well == of else 1


if __name__ == "__main__":
    sys.exit(main())

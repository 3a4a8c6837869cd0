"""The calls of a run of a profile, drawn once, so that many kernels can be held against them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from conformance.case import Case
from conformance.covered import not_simplest
from conformance.operator import Example, Operator, Rejection
from conformance.profiles import Profile
from conformance.template import FREE_SHARE, SMALL_SHARE, stream_seed


@dataclass(frozen=True)
class Call:
    """One call: a drawn case, or a documented one, or one that must be refused."""

    case: Case
    example: Example | None = None
    rejection: Rejection | None = None


def calls(operator: Operator, profile: Profile, run_seed: int) -> Iterator[Call]:
    """Every call: documented and refused ones first, then the drawn cases of all cells, shuffled.

    As many small cases, rows of the covering array and free draws as the profile's items have.
    """
    yield from (Call(example.case, example=example) for example in operator.examples)
    yield from (Call(rejection.case, rejection=rejection) for rejection in operator.rejections)
    found = [
        case
        for mode in operator.modes
        for dtype in operator.dtypes
        for case in _cell(operator, mode.name, dtype, profile, run_seed)
    ]
    random.Random(run_seed).shuffle(found)
    yield from map(Call, found)


def _cell(
    operator: Operator, mode: str, dtype: str, profile: Profile, run_seed: int
) -> Iterator[Case]:
    key = f"{mode} {dtype}"
    few = profile.examples // SMALL_SHARE if operator.small_cases else 0
    if operator.small_cases:
        yield from drawn(operator.small_cases(mode, dtype), few, run_seed, f"{key} small")
    cells = operator.cells and operator.cells(mode, dtype)
    rows = cells.rows(profile.strength) if cells else []
    for number, row in enumerate(rows):
        yield from drawn(not_simplest(cells.cases(row)), 1, run_seed, f"{key} row {number}")
    free = max(profile.examples - few - len(rows), profile.examples // FREE_SHARE)
    yield from drawn(operator.cases(mode, dtype), free, run_seed, key)


def drawn(cases: SearchStrategy[Case], examples: int, run_seed: int, key: str) -> list[Case]:
    """So many cases of a strategy, the same ones each time."""
    found: list[Case] = []

    @seed(stream_seed(run_seed, key))
    @settings(
        max_examples=examples,
        phases=(Phase.generate,),
        database=None,
        deadline=None,
        suppress_health_check=tuple(HealthCheck),
    )
    @given(case=cases)
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found

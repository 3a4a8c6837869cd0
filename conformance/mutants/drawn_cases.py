"""The calls of a run of a profile, drawn once, so that many kernels can be held against them."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.draw.not_simplest import not_simplest
from conformance.draw.profiles import Profile
from conformance.record.operator import Example, Operator, Rejection
from conformance.session.binding import stream_seed
from conformance.session.planned_cases import plan
from conformance.suite.on_route import on_route

FEW = 50
"""Cases of a stream that are drawn before all others of it are."""


@dataclass(frozen=True)
class Call:
    """One call: a drawn case, or a documented one, or one that must be rejected."""

    case: Case
    example: Example | None = None
    rejection: Rejection | None = None


def calls(operator: Operator, profile: Profile, run_seed: int, route: str) -> Iterator[Call]:
    """Every call on a route: documented and refused ones first, then the drawn cases, shuffled.

    As many small cases, rows of the covering array, edges and free draws as the profile's items
    have.
    """
    operator = on_route(operator, route)
    yield from (Call(example.case, example=example) for example in operator.examples)
    yield from (Call(rejection.case, rejection=rejection) for rejection in operator.rejections)
    found = [
        case
        for mode in operator.modes
        for dtype in operator.dtypes
        for case in cell_cases(
            operator, mode.name, dtype, profile, run_seed, beside=operator.dtypes
        )
    ]
    random.Random(run_seed).shuffle(found)
    yield from map(Call, found)


def cell_cases(
    operator: Operator,
    mode: str,
    dtype: str,
    profile: Profile,
    run_seed: int,
    *,
    beside: Sequence[str] = (),
) -> Iterator[Case]:
    """The drawn cases of one cell: small ones, seams, covering rows, edges, free draws.

    ``beside`` are the data types that share its rows with it, as in ``session.planned_cases``.
    """
    key = f"{mode} {dtype}"
    planned = plan(operator, mode, dtype, profile, beside=beside)
    if operator.small_cases:
        yield from as_needed(
            operator.small_cases(mode, dtype), planned.small, run_seed, f"{key} small"
        )
    if operator.seam_cases:
        yield from as_needed(
            operator.seam_cases(mode, dtype), planned.seams, run_seed, f"{key} seams"
        )
    for number, row in enumerate(planned.rows):
        assert planned.cells is not None
        cases = not_simplest(planned.cells.cases(row))
        yield from drawn(cases, 1, run_seed, f"{key} row {number}")
    near = planned.cells.edges if planned.cells else None
    if near is not None:
        for edge in planned.edges:
            yield from drawn(near.cases(edge), 1, run_seed, f"{key} {edge.name}")
    yield from as_needed(operator.cases(mode, dtype), planned.free, run_seed, key)


def as_needed(
    cases: SearchStrategy[Case], examples: int, run_seed: int, key: str
) -> Iterator[Case]:
    """What `drawn` gives, the first few before the rest is drawn: most mistakes show in these."""
    first = drawn(cases, examples, run_seed, key, up_to=FEW)
    yield from first
    if len(first) == FEW:
        yield from drawn(cases, examples, run_seed, key)[FEW:]


def drawn(
    cases: SearchStrategy[Case], examples: int, run_seed: int, key: str, up_to: int | None = None
) -> list[Case]:
    """So many cases of a strategy, the same ones each time, or the first of them."""
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
        if len(found) == up_to:
            raise _EnoughError

    with contextlib.suppress(_EnoughError):
        collect()
    return found


class _EnoughError(BaseException):
    """Ends a test of Hypothesis where it is: no mistake, which would be looked for again."""

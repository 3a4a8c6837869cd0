"""The calls of a run of a profile, drawn once, so that many kernels can be held against them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.draw.plain import plainly
from conformance.draw.profiles import Profile
from conformance.draw.rejections_asked import rejections_asked
from conformance.draw.seeded import stream_seed
from conformance.record.operator import Example, Operator, Rejection
from conformance.session.planned_cases import plan
from conformance.suite.on_route import on_route


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
    refused = rejections_asked(operator.rejections, profile.each_rejection, run_seed)
    yield from (Call(rejection.case, rejection=rejection) for rejection in refused)
    found = [
        case
        for mode, dtype in operator.declared_cells
        for case in cell_cases(
            operator, mode, dtype, profile, run_seed, beside=operator.dtypes_in(mode)
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
        yield from drawn(operator.small_cases(mode, dtype), planned.small, run_seed, f"{key} small")
    if operator.seam_cases:
        yield from drawn(operator.seam_cases(mode, dtype), planned.seams, run_seed, f"{key} seams")
    for number, row in enumerate(planned.rows):
        assert planned.cells is not None
        yield from drawn(planned.cells.cases(row), 1, run_seed, f"{key} row {number}")
    near = planned.cells.edges if planned.cells else None
    if near is not None:
        for edge in planned.edges:
            yield from drawn(near.cases(edge), 1, run_seed, f"{key} {edge.name}")
    yield from drawn(operator.cases(mode, dtype), planned.free, run_seed, key)


def drawn(cases: SearchStrategy[Case], examples: int, run_seed: int, key: str) -> Iterator[Case]:
    """So many cases of a strategy, the same ones each time, or fewer where it has no more."""
    for case, _ in plainly(cases, examples, stream_seed(run_seed, key), often_filtered=True):
        yield case

"""Which cases are frozen of an operator: small ones that show pairs of levels, and its edges.

Mode and data type count as axes. Cases are drawn for the rows of every mode's covering array from
fixed seeds; of these, each next one taken shows the most pairs that none before it shows. Edges are
the cheapest ones, of as many limits as there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import msgspec
from hypothesis.strategies import SearchStrategy

from conformance.call.case import FUNCTIONS, Case
from conformance.draw.machines import computed_by, ordered
from conformance.draw.plain import TooFiltered, plainly
from conformance.draw.profiles import PROFILES
from conformance.draw.shared_rows import shared
from conformance.judge.legality import IllegalCase, check_call
from conformance.record.cells import EDGE
from conformance.record.edges import Edge
from conformance.record.frozen import Frozen, frozen_now, written
from conformance.record.operator import Operator

PAIRS = replace(PROFILES["smoke"], each_mode=True)
"""Whose rows are frozen, if they are small."""

MOST_PAIRS, MOST_EDGES = 36, 12
"""Cases that are frozen of an operator for pairs of levels, and for its edges."""

MOST_BYTES = 4_000
"""Of one case as it is written."""

MOST_ELEMENTS = 30_000
"""Elements that exist of all tensors of a case: it is judged in milliseconds."""

MOST_COST = 20_000
"""Of an edge (conformance/record/edges.py)."""
ORDERS = ("forward", "reverse", "shuffled:1", "shuffled:2")

Pair = tuple[tuple[str, str], tuple[str, str]]
Chosen = tuple[str, Case, str]
"""What a case is frozen for in a word, the case, and why in full."""


def chosen(operator: Operator) -> list[Frozen]:
    """The cases to freeze of an operator, by rising name."""
    candidates = [one for one in _of_rows(operator) if _small(one, operator)]
    found = [*_covering(operator, candidates), *_edges(operator)]
    named: dict[str, Frozen] = {}
    for purpose, case, why in found:
        stem = f"{case.mode} {case.dtype} {purpose}"
        number = sum(name.startswith(stem) for name in named) + 1
        name = f"{stem} {number:02}"
        placed = ordered(case, ORDERS[len(named) % len(ORDERS)])
        if operator.computes:
            placed = computed_by(placed, FUNCTIONS[len(named) % len(FUNCTIONS)])
        named[name] = frozen_now(name, placed, "corpus", why)
    return [named[name] for name in sorted(named)]


def _of_rows(operator: Operator) -> Iterator[Case]:
    """A case of every row of the modes' covering arrays."""
    for mode in operator.modes:
        for together in shared(operator, mode.name, operator.dtypes_in(mode.name)):
            for dtype, rows in together.rows(PAIRS).items():
                cells = together.of_each[dtype]
                for number, row in enumerate(rows):
                    yield from _drawn(cells.cases(row), number)


def _drawn(cases: SearchStrategy[Case], number: int) -> Iterator[Case]:
    """One case, drawn from a seed; none where nothing can be drawn."""
    with suppress(TooFiltered):
        yield from (case for case, _ in plainly(cases, 1, number))


def _small(case: Case, operator: Operator) -> bool:
    """Whether a case is one to commit, and a legal one."""
    tensors = (*case.inputs.values(), *case.outputs.values())
    if sum(tensor.held_size for tensor in tensors) > MOST_ELEMENTS:
        return False
    if _bytes(case) > MOST_BYTES:
        return False
    try:
        check_call(case, operator)
    except IllegalCase:
        return False
    return True


def _bytes(case: Case) -> int:
    """How long a case is as it is written."""
    return len(msgspec.json.encode(written(frozen_now("a name", case, "corpus"))))


def _covering(operator: Operator, candidates: Sequence[Case]) -> Iterator[Chosen]:
    """The candidates that show the most pairs, one after the other; small ones first."""
    left = {at: _pairs(operator, case) for at, case in enumerate(candidates)}
    sizes = {at: _bytes(case) for at, case in enumerate(candidates)}
    seen: set[Pair] = set()
    for _ in range(min(MOST_PAIRS, len(candidates))):
        best = max(left, key=lambda at: (len(left[at] - seen), -sizes[at]))
        if not left[best] - seen:
            return
        seen |= left.pop(best)
        yield "pairs", candidates[best], ""


def _pairs(operator: Operator, case: Case) -> frozenset[Pair]:
    """The pairs of levels that a case shows."""
    assert operator.cells is not None
    levels = operator.cells(case.mode, case.dtype).of(case)
    shown = [("mode", case.mode), ("dtype", case.dtype)]
    shown += [(axis, level) for axis, some in levels.items() if axis != EDGE for level in some]
    return frozenset((one, two) for one, two in combinations(shown, 2) if one[0] != two[0])


def _edges(operator: Operator) -> Iterator[Chosen]:
    """Cases on edges: of each limit one, the data types and modes in turn."""
    limits: dict[str, list[tuple[str, str, Edge]]] = {}
    for mode, dtype in operator.declared_cells:
        cells = operator.cells(mode, dtype) if operator.cells is not None else None
        for edge in cells.edges.within(MOST_COST) if cells and cells.edges else ():
            limits.setdefault(edge.limit, []).append((mode, dtype, edge))
    cheapest = sorted(limits, key=lambda limit: (min(e.cost for _, _, e in limits[limit]), limit))
    taken = 0
    for limit in cheapest:
        options = limits[limit]
        for at in range(len(options)):
            mode_name, dtype, edge = options[(taken * 7 + at) % len(options)]
            assert operator.cells is not None
            near = operator.cells(mode_name, dtype).edges
            assert near is not None
            cases = [one for one in _drawn(near.cases(edge), taken) if _small(one, operator)]
            # A case is kept by its values: one that is on an edge by its recipe is so no more.
            cases = [
                one for one in cases if edge.name in near.of(frozen_now("", one, "corpus").case)
            ]
            if cases:
                machine = cases[0].machine or edge.machine
                yield "edge", replace(cases[0], machine=machine), edge.name
                taken += 1
                break
        if taken == MOST_EDGES:
            return

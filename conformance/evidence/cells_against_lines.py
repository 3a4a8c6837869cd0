"""Whether the lines show what the summary says of discrete cells and edges.

Which combinations go together only a record knows; but no more of them can be shown than the lines
have, and a level or an edge that no line has is not met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from conformance.catalogue import corrupted as say
from conformance.draw.shared_rows import DTYPE
from conformance.evidence.coverage import Coverage
from conformance.evidence.lines import AnyLine
from conformance.evidence.summary import showing
from conformance.names import cell_id
from conformance.record.cells import EDGE

Row = tuple[tuple[str, tuple[str, ...]], ...]
"""The levels that a case shows, by axis."""


def unshown(told: Iterable[Coverage], lines: Iterable[AnyLine]) -> Iterator[str]:
    """Where the coverage of a cell tells of more than the lines show."""
    rows: dict[tuple[str, str, str], set[Row]] = {}
    for line in showing(lines):
        cell = (line.operator, line.mode, line.dtype)
        rows.setdefault(cell, set()).add(tuple((line.levels or {}).items()))
    for one in told:
        name = cell_id(one.operator, one.mode, one.dtype)
        shown = {dtype: rows.get((one.operator, one.mode, dtype), set()) for dtype in one.dtypes}
        yield from (say.NOT_MET(cell=name, what=what) for what in _met(one, shown))
        known, found = one.judged, len(_tuples(one, shown))
        if known > found:
            yield say.MORE_THAN_SHOWN(cell=name, told=known, shown=found)


def _met(told: Coverage, shown: dict[str, set[Row]]) -> Iterator[str]:
    """Levels and edges that the coverage counts, and no line has."""
    have = {(DTYPE, dtype) for dtype, rows in shown.items() if rows}
    for dtype, rows in shown.items():
        prefix = f"{dtype}: " if len(shown) > 1 else ""
        for row in rows:
            for axis, levels in row:
                before = prefix if axis == EDGE else ""
                have |= {(axis, f"{before}{level}") for level in levels}
    counted = [(axis, level, n) for axis, of in told.levels.items() for level, n in of.items()]
    yield from (f"{axis} {level}" for axis, level, n in counted if n and (axis, level) not in have)
    yield from (edge for edge, n in told.edges.items() if n and (EDGE, edge) not in have)


def _tuples(told: Coverage, shown: dict[str, set[Row]]) -> set[tuple[tuple[str, str], ...]]:
    """The combinations of levels that the lines show."""
    axes = list(told.levels)
    kept = min(told.strength, len(axes))
    found: set[tuple[tuple[str, str], ...]] = set()
    for dtype, rows in shown.items():
        for row in rows:
            levels = {**dict(row), DTYPE: (dtype,)}
            pairs = [[(axis, level) for level in levels.get(axis, ())] for axis in axes]
            for chosen in combinations(pairs, kept):
                found.update(product(*chosen))
    return found

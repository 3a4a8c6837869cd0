"""The covered part of an item: one drawn case for each row of its covering array, and each edge.

Rows come after the free draws: a mistake that these find shrinks freely. One that only a row shows
would shrink inside all of the row's levels, most of which have nothing to do with it. So a refused
row first lets go every level without which the mistake still shows, and then shrinks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.evidence.part import WHOLE_ITEM, Part
from conformance.record.cells import Cells, Levels
from conformance.record.edges import Edge
from conformance.session.drawing import Drawing
from conformance.session.trial import Refused

NARROWING_EXAMPLES = (2, 30)
"""Draws in which a mistake must show again for a level to be let go, in the first pass over the
axes and in the second. The first lets go what is plainly irrelevant: a level that matters, let go
early by a lucky draw, would make the mistake rare in all draws that follow."""

Drawn = tuple[SearchStrategy[Case], int, str]
"""Cases of which some are drawn, how many, and the name of their stream of draws."""


def covered(
    cells: Cells,
    rows: Sequence[Levels],
    drawing: Drawing,
    edges: Sequence[Edge] = (),
    *,
    part: Part = WHOLE_ITEM,
    as_drawn: Callable[[], bool] = lambda: False,
) -> Callable[..., None]:
    """A test that judges one case of every row and every edge, up to the first that is refused;
    that is not made smaller if it may stand ``as_drawn``. A ``part`` judges its share of them.
    """
    near = cells.edges
    parts: list[tuple[SearchStrategy[Case], Levels]] = [(cells.cases(row), row) for row in rows]
    parts += [(near.cases(edge), {}) for edge in edges if near is not None]

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        mine = part.of([*enumerate(parts)])
        streams = [(cases, f"row {number}") for number, (cases, _) in mine]
        judged = drawing.each(streams, arguments)
        for (cases, stream), (_, (_, row)), why in zip(streams, mine, judged, strict=True):
            if isinstance(why, Refused) and not as_drawn():
                _shrink(cells, row, (cases, 1, stream), drawing, arguments)
            if why is not None:
                raise why

    return run


def _shrink(
    cells: Cells, row: Levels, drawn: Drawn, drawing: Drawing, arguments: dict[str, object]
) -> None:
    """Look for the smallest refused case with as few of the row's levels as show the mistake.

    The draws that are refused last are made again, which finds the same case, and then shrink. An
    edge has no levels to let go.
    """
    __tracebackhide__ = True
    kept = dict(row)
    for examples, axis in product(NARROWING_EXAMPLES, row):
        if axis not in kept:
            continue
        fewer = {name: level for name, level in kept.items() if name != axis}
        stream = f"{examples} without {sorted(row.keys() - fewer.keys())}"
        tried: Drawn = (cells.drawn(fewer), examples, stream)
        if _refused(drawing(*tried, shrinks=False), arguments):
            kept, drawn = fewer, tried
    _refused(drawing(*drawn, shrinks=True), arguments)


def _refused(test: Callable[..., None], arguments: dict[str, object]) -> bool:
    try:
        test(**arguments)
    except Refused:
        return True
    return False

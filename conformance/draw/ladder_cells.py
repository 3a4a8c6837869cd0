"""Whose turn it is: the cells in which a run judges a ladder, and its sizes there."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.record.operator import Operator
from conformance.record.size_ladders import ONE_CELL, Ladder


def cells_asked(
    operator: Operator, ladder: Ladder, each: str, turn: int
) -> Iterator[tuple[str, str]]:
    """Mode and dtype of the cells in which a ladder is judged.

    ``each`` "dtype": all; "mode": one dtype of each mode, by turns; "operator": one cell, by turns.
    """
    modes = _modes(operator, ladder)
    turn += operator.ladders.index(ladder)
    if each == ONE_CELL and modes:
        mode, dtypes = modes[turn % len(modes)], operator.dtypes_in(modes[turn % len(modes)])
        yield mode, dtypes[turn // len(modes) % len(dtypes)]
        return
    for place, mode in enumerate(modes):
        dtypes = operator.dtypes_in(mode)
        if each == "mode":
            yield mode, dtypes[(turn + place) % len(dtypes)]
        else:
            yield from ((mode, dtype) for dtype in dtypes)


def sizes_asked(
    operator: Operator, ladder: Ladder, mode: str, each: str, turn: int
) -> tuple[int, ...]:
    """The sizes of a ladder that a run judges in a mode."""
    modes = _modes(operator, ladder)
    return ladder.asked(each, turn, modes.index(mode), len(modes))


def _modes(operator: Operator, ladder: Ladder) -> list[str]:
    return [one.name for one in operator.modes if not ladder.modes or one.name in ladder.modes]

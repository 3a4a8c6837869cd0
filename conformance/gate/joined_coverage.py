"""What the cases of several runs show together of the discrete cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from conformance.evidence.combinations import Shown, unpacked
from conformance.evidence.coverage import Coverage, Declared, Key, of_cell, shown_in
from conformance.evidence.lines import AnyLine
from conformance.evidence.summary import COUNTED


def joined(
    told: Sequence[Coverage], lines: Iterable[AnyLine], ended: Collection[Key]
) -> list[Coverage]:
    """The coverage of each cell, of what runs have ``told`` of it and of the lines of all.

    ``ended`` are the operators, modes and data types of which all items ended, those of parts
    among them. Raises `ValueError` for combinations that no run wrote.
    """
    found: dict[Key, list[Coverage]] = {}
    for one in told:
        found.setdefault((one.operator, one.mode, one.dtype), []).append(one)
    of_cells = {(*key[:2], dtype): key for key, some in found.items() for dtype in some[0].dtypes}
    shown, away = shown_in(lines, of_cells, COUNTED)
    return [
        _of_parts(key, some, shown[key].values(), away[key], ended)
        if any(one.together for one in some)
        else _of_one(key, some, shown[key].values())
        for key, some in found.items()
    ]


def _of_parts(
    key: Key,
    some: Sequence[Coverage],
    cases: Iterable[Shown],
    away: Sequence[Shown],
    ended: Collection[Key],
) -> Coverage:
    """Of a cell whose items are split: what no case of any part shows is missing if all ended."""
    one = next(one for one in some if one.together)
    axes = [(name, tuple(levels)) for name, levels in one.levels.items()]
    tuples = unpacked(one.together, axes, one.strength)
    whole = all((*key[:2], dtype) in ended for dtype in one.dtypes)
    owed = {chosen: left & whole for chosen, left in tuples.items()}
    edges = one.every_edge
    declared = Declared(axes, one.strength, tuples, edges, owed, edges if whole else ())
    return of_cell(key, declared, cases, away)


def _of_one(key: Key, some: Sequence[Coverage], cases: Iterable[Shown]) -> Coverage:
    """Of a cell whose covering item is in one run of each seed: that in which the least is open."""
    best = min(some, key=lambda one: (one.open, one.open_edges))
    others = [one for one in some if one is not best and not (one.open or one.open_edges)]
    axes = [(name, tuple(levels)) for name, levels in best.levels.items()]
    declared = Declared(axes, best.strength, {}, [*best.edges], {}, best.edges)
    counted = of_cell(key, declared, cases, ())
    return msgspec.structs.replace(
        best,
        missing=[name for name in best.missing if all(name in one.missing for one in others)],
        levels=counted.levels,
        edges=counted.edges,
    )

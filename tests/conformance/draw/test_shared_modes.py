"""Modes take turns: each is asked for a share of what goes together in several of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from conformance.draw.profiles import PROFILES
from conformance.draw.shared_modes import by_turns
from conformance.draw.shared_rows import Shared, shared
from conformance.evidence.coverage import coverage
from conformance.evidence.summary import COUNTED
from conformance.record.cells import Axis, Cells, Levels
from conformance.record.covering import covering_array
from conformance.record.edges import Edge, Edges
from conformance.record.tuples import Axes, Feasible, Tuples, feasible_tuples
from tests.conformance.evidence.test_coverage import judged
from tests.conformance.record.test_cells import CELLS, KIND, case_of
from tests.conformance.record.test_edges import FAR, NEAR, sizes_of
from tests.conformance.session.test_rows_and_edges import RECORD

SMOKE = PROFILES["smoke"]
FRUIT = (("fruit", ("apple", "pear")), ("size", ("small", "big")), ("count", ("one", "many")))
DRIED = (("kind", ("raw", "dried")), *FRUIT)
Named = frozenset[tuple[str, str]]


def named(axes: Axes, tuples: Tuples) -> list[Named]:
    """Each combination by the names of its axes and levels."""
    return [
        frozenset(
            (axes[axis][0], axes[axis][1][level]) for axis, level in zip(chosen, row, strict=True)
        )
        for chosen, left in tuples.items()
        for row in np.argwhere(left)
    ]


def fewer(some: list[Named], size: int) -> set[Named]:
    """All of so many levels that are part of one."""
    return {frozenset(part) for one in some for part in combinations(sorted(one), size)}


@given(arrays(np.bool_, (2, 2, 2)), arrays(np.bool_, (2, 2, 2, 2)), st.integers(1, 4))
def test_together_modes_are_asked_for_all_and_each_for_all_of_one_level_fewer(
    plain: Feasible, dried: Feasible, strength: int
) -> None:
    modes = [(FRUIT, plain), (DRIED, dried)]
    turns = by_turns(modes, strength)
    met = [named(axes, turn.tuples) for (axes, _), turn in zip(modes, turns, strict=True)]
    every = [named(axes, feasible_tuples(feasible, strength)) for axes, feasible in modes]
    assert {*met[0], *met[1]} == {*every[0], *every[1]}
    for mine, possible in zip(met, every, strict=True):
        assert {*mine} <= {*possible}
        assert fewer(mine, strength - 1) == fewer(possible, strength - 1)
    for turn, (_, feasible) in zip(turns, modes, strict=True):
        assert all(feasible[tuple(row)] for row in turn.rows)
        for axes, asked in turn.tuples.items():
            held = {tuple(row) for row in turn.rows[:, axes].tolist()}
            assert {tuple(row) for row in np.argwhere(asked).tolist()} == held


def test_modes_together_take_few_rows_and_each_its_share() -> None:
    axes = tuple((f"{axis}", tuple("abcdef")) for axis in range(5))
    everything = np.ones([6] * 5, np.bool_)
    alone = len(covering_array(everything, 2))
    rows = [len(turn.rows) for turn in by_turns([(axes, everything)] * 3, 2)]
    assert sum(rows) <= alone + 6
    assert max(rows) - min(rows) <= 1


def test_levels_are_known_by_their_names() -> None:
    """The second mode counts the levels the other way round, and lacks what the first one lacks."""
    turned = tuple((name, levels[::-1]) for name, levels in FRUIT)
    feasible = np.ones((2, 2, 2), np.bool_)
    feasible[0, 0] = False
    modes = [(FRUIT, feasible), (turned, feasible[::-1, ::-1, ::-1])]
    turns = by_turns(modes, 3)
    rows = [named(axes, turn.tuples) for (axes, _), turn in zip(modes, turns, strict=True)]
    assert len({*rows[0], *rows[1]}) == 6
    assert sum(len(turn.rows) for turn in turns) < 12


MORE = replace(CELLS, axes=(*CELLS.axes, KIND))
MODES = tuple(replace(RECORD.modes[0], name=name) for name in ("plain", "kinds"))
TWO = replace(
    RECORD,
    modes=MODES,
    dtypes=("a", "b"),
    cells=lambda mode, dtype: MORE if mode == "kinds" else CELLS,
)


def rows_of(dtypes: str, mode: str = "plain") -> list[Levels]:
    (one,) = shared(TWO, mode, dtypes)
    return [row for some in one.rows(SMOKE).values() for row in some]


def test_smoke_and_gate_let_modes_share() -> None:
    assert [name for name, one in PROFILES.items() if not one.each_mode] == ["smoke", "gate"]
    (one,) = shared(TWO, "plain", "ab")
    assert [*shared(TWO, "plain", "ba")[0].of_each] == ["a", "b"]
    nightly = replace(SMOKE, each_mode=True)
    assert one.rows(nightly) == Shared(one.of_each).rows(nightly)
    assert len(rows_of("ab")) < sum(map(len, one.rows(nightly).values()))


def test_a_mode_that_is_judged_in_some_data_types_has_all_rows_of_its_own() -> None:
    assert rows_of("a") == CELLS.rows(2)


def test_a_run_owes_what_each_mode_was_asked_for() -> None:
    for mode in ("plain", "kinds"):
        (one,) = shared(TWO, mode, "ab")
        lines = [
            msgspec.structs.replace(judged(f"{dtype} {at}", **row), mode=mode, dtype=dtype)
            for dtype, rows in one.rows(SMOKE).items()
            for at, row in enumerate(rows)
        ]
        key = (RECORD.name, mode, one.dtype)
        (whole,) = coverage(lines, {key: one}, SMOKE, COUNTED)
        (less,) = coverage(lines[1:], {key: one}, SMOKE, COUNTED)
        assert whole.missing == []
        assert whole.judged == whole.tuples
        assert less.missing != []


OF_VALUES = Edge("special values", NEAR.machine, {"rows": 3}, cost=10, in_each=True)


def with_edges(edges: Collection[Edge]) -> Cells:
    plain = Axis("fruit", ("apple", "pear"), lambda case: ())
    near = Edges(tuple(edges), sizes_of, lambda edge: st.nothing())
    return Cells((plain,), lambda levels: st.just(case_of(dict(levels))), edges=near)


def test_an_edge_of_several_modes_is_judged_in_one_and_one_of_values_in_each() -> None:
    other = replace(NEAR, sizes={"rows": 5})
    edges = {"plain": (NEAR, FAR, OF_VALUES), "kinds": (NEAR, FAR, OF_VALUES)}
    record = replace(TWO, dtypes=("a",), cells=lambda mode, dtype: with_edges(edges[mode]))
    dear = replace(SMOKE, edge_cost=FAR.cost)

    def met() -> list[tuple[Edge, ...]]:
        return [shared(record, mode, "a")[0].edges("a", dear) for mode in edges]

    assert met() == [(NEAR, OF_VALUES), (FAR, OF_VALUES)]
    assert shared(record, "plain", "a")[0].edges("a", SMOKE) == (NEAR, OF_VALUES)
    edges["kinds"] = (other, FAR, OF_VALUES)
    record = replace(record, cells=lambda mode, dtype: with_edges(edges[mode]))
    assert met() == [(NEAR, OF_VALUES), (other, FAR, OF_VALUES)], "it has other sizes there"

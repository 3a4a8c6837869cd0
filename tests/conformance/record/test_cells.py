"""Cells: what goes together, which rows a run judges, and what a case shows."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from conformance.call.case import Case, Machine
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.covering import covering_array
from conformance.record.edges import Edge, Edges
from conformance.record.tuples import feasible_tuples

FRUIT = Axis("fruit", ("apple", "pear", "plum"), lambda case: case.mode.split())
SIZE = Axis("size", ("small", "big"), lambda case: case.dtype.split())
COUNT = Axis("count", ("one", "two", "many"), lambda case: case.operator.split())
NO_BIG_PLUM = Constraint(
    ("size", "fruit"), lambda size, fruit: (size, fruit) != ("big", "plum"), "plums are small"
)
NOT_ALL = Constraint(
    ("fruit", "size", "count"),
    lambda fruit, size, count: (fruit, size, count) != ("apple", "small", "one"),
    "an apple is not alone",
)


def case_of(levels: dict[str, str]) -> Case:
    return Case(levels["count"], levels["fruit"], levels["size"], {}, {}, {})


CELLS = Cells(
    (FRUIT, SIZE, COUNT),
    lambda levels: st.just(case_of(dict(levels))),
    (NO_BIG_PLUM, NOT_ALL),
)


KIND = Axis("kind", ("raw", "dried"), lambda case: list(case.attributes["kind"]))


def with_kind(case: Case, kind: str) -> Case:
    return replace(case, attributes={"kind": (kind,)})


def test_completed_cells_show_the_levels_of_their_own_axes_and_of_the_others() -> None:
    edge = Edge("limit", Machine(1, 1024), {"tokens": 2}, 1)
    near = Edges((edge,), lambda case: {"tokens": 2}, lambda edge: CELLS.cases(LEVELS))
    found = replace(CELLS, edges=near).completed(
        KIND,
        cases=lambda drawn, levels: drawn.map(lambda case: with_kind(case, levels["kind"])),
        on=lambda drawn, edge: drawn.map(lambda case: with_kind(case, edge.limit)),
        constraints=(
            Constraint(("kind", "size"), lambda kind, size: kind == "raw" or size == "small", ""),
        ),
    )
    assert [axis.name for axis in found.axes] == ["fruit", "size", "count", "kind"]
    assert found.feasible.sum() == (18 - 3 - 1) + (9 - 1)
    case = find(found.cases({**LEVELS, "kind": "dried"}), lambda case: True)
    assert found.of(case) == {
        **{name: (level,) for name, level in LEVELS.items()},
        "kind": ("dried",),
    }
    assert found.edges is not None
    assert find(found.edges.cases(edge), lambda case: True).attributes == {"kind": ("limit",)}
    assert found.edges.declared == (edge,)


def test_cells_without_edges_are_completed_without() -> None:
    found = CELLS.completed(cases=lambda drawn, levels: drawn, on=lambda drawn, edge: drawn)
    assert found.edges is None
    assert found.axes == CELLS.axes


LEVELS = {"fruit": "pear", "size": "small", "count": "two"}


def by_hand(feasible: np.ndarray, strength: int) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """Every tuple of levels that some feasible row holds, by walking through all rows."""
    rows = np.argwhere(feasible).tolist()
    return {
        axes: {tuple(row[axis] for axis in axes) for row in rows}
        for axes in combinations(range(feasible.ndim), strength)
    }


def test_a_constraint_forbids_its_combinations_whatever_the_other_axes_are() -> None:
    assert CELLS.feasible.shape == (3, 2, 3)
    assert not CELLS.feasible[2, 1].any()
    assert not CELLS.feasible[0, 0, 0]
    assert CELLS.feasible.sum() == 18 - 3 - 1


def test_a_constraint_is_asked_once_of_levels_that_it_sees_alike_and_of_all_cells_alike() -> None:
    asked: list[tuple[int, str]] = []

    def short(length: int, size: str) -> bool:
        asked.append((length, size))
        return length == 4 or size == "big"

    alike = Constraint(("fruit", "size"), short, "an apple is long", seen_as={"fruit": len})
    each = Constraint(("size", "fruit"), lambda size, fruit: short(len(fruit), size), "as above")
    seen, told = (
        Cells((FRUIT, SIZE, COUNT), CELLS.cases, (NOT_ALL, one)).feasible for one in (alike, each)
    )
    assert np.array_equal(seen, told)
    assert len(asked) == 4 + 6
    longer = Constraint(("fruit",), lambda least, fruit: len(fruit) > least, "short", given=(4,))
    for least, kept in ((4, [1, 0, 0]), (3, [1, 1, 1])):
        table = replace(longer, given=(least,)).table({"fruit": FRUIT.levels})
        assert np.array_equal(table, kept)
    assert np.array_equal(
        Cells((SIZE, COUNT, FRUIT), CELLS.cases, (alike,)).feasible[0, 0], [0, 1, 1]
    )
    assert len(asked) == 4 + 6


@pytest.mark.parametrize("strength", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_the_rows_hold_every_feasible_tuple_and_are_feasible(strength: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    feasible = generator.random(generator.integers(1, 5, 4)) < 0.4
    rows = covering_array(feasible, strength)
    assert all(feasible[tuple(row)] for row in rows)
    for axes, wanted in by_hand(feasible, strength).items():
        assert {tuple(row[list(axes)].tolist()) for row in rows} == wanted
    assert {
        axes: {tuple(t) for t in np.argwhere(left).tolist()}
        for axes, left in feasible_tuples(feasible, strength).items()
    } == by_hand(feasible, strength)


def test_the_rows_are_few_and_the_same_each_time() -> None:
    feasible = np.ones((6, 6, 6, 6, 6), np.bool_)
    rows = covering_array(feasible, 2)
    assert 36 <= len(rows) <= 60
    assert np.array_equal(rows, covering_array(feasible, 2))


def test_fewer_axes_than_the_strength_give_every_feasible_row() -> None:
    feasible = np.array([[True, False], [True, True]])
    assert {tuple(row) for row in covering_array(feasible, 3).tolist()} == {(0, 0), (1, 0), (1, 1)}


def test_a_case_shows_the_levels_that_are_read_off_it() -> None:
    shown = Case("many", "plum apple kiwi", "", {}, {}, {})
    assert CELLS.of(shown) == {"fruit": ("apple", "plum"), "size": (), "count": ("many",)}


@pytest.mark.parametrize("fixed", [{}, {"size": "big"}, {"fruit": "apple", "size": "small"}])
def test_levels_that_are_not_fixed_are_drawn_within_the_constraints(fixed: dict[str, str]) -> None:
    @settings(max_examples=60, database=None, derandomize=True)
    @given(case=CELLS.drawn(fixed))
    def check(case: Case) -> None:
        levels = {"fruit": case.mode, "size": case.dtype, "count": case.operator}
        assert fixed.items() <= levels.items()
        assert CELLS.feasible[
            FRUIT.levels.index(case.mode),
            SIZE.levels.index(case.dtype),
            COUNT.levels.index(case.operator),
        ]

    check()


def test_drawn_levels_shrink_to_the_simplest_that_go_together() -> None:
    assert find(CELLS.drawn({}), lambda case: True) == Case("two", "apple", "small", {}, {}, {})

"""The data types of a mode share the rows that a run judges of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

import msgspec
import pytest
from hypothesis import strategies as st

from conformance.draw.profiles import PROFILES
from conformance.draw.shared_rows import DTYPE, Shared, shared
from conformance.evidence.coverage import coverage
from conformance.evidence.summary import COUNTED
from conformance.record.cells import EDGE, Axis, Cells
from conformance.record.clause import document
from conformance.record.edges import Edge, Edges
from conformance.record.versions import Versions, of_dtype
from conformance.session.planned_cases import plan
from tests.conformance.evidence.test_coverage import judged
from tests.conformance.record.test_cells import CELLS, COUNT, FRUIT, SIZE, case_of
from tests.conformance.record.test_edges import NEAR, sizes_of
from tests.conformance.session.test_rows_and_edges import RECORD

SMOKE = PROFILES["smoke"]
PAIRS = replace(SMOKE, each_mode=True)
THREE = Shared({"a": CELLS, "b": CELLS, "c": replace(CELLS, constraints=())})
PLAIN = Cells((FRUIT, SIZE, COUNT), lambda levels: st.just(case_of(dict(levels))))


def told(rows: dict[str, list[dict[str, str]]]) -> set[tuple[str, ...]]:
    """Every row with its data type first."""
    return {(dtype, *row.values()) for dtype, of_it in rows.items() for row in of_it}


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_together_they_hold_every_combination_and_each_all_that_are_smaller(strength: int) -> None:
    rows = told(THREE.rows(replace(PAIRS, strength=strength)))
    feasible = {
        (dtype, *(axis.levels[at] for axis, at in zip(cells.axes, row, strict=True)))
        for dtype, cells in THREE.of_each.items()
        for row in product(range(3), range(2), range(3))
        if cells.feasible[row]
    }
    assert rows <= feasible
    for axes in combinations(range(4), strength):
        assert {tuple(row[at] for at in axes) for row in rows} == {
            tuple(row[at] for at in axes) for row in feasible
        }


def test_a_data_type_that_some_versions_of_cann_are_not_given_shares_nothing() -> None:
    record = replace(RECORD, cells=lambda mode, dtype: CELLS)
    dated = of_dtype("b", Versions(document("b is newer", "toy document"), after="8.1"))
    mode = RECORD.modes[0].name
    assert [list(one.of_each) for one in shared(record, mode, "abc")] == [["a", "b", "c"]]
    newer = replace(record, dated=(dated,))
    assert [list(one.of_each) for one in shared(newer, mode, "abc")] == [["a", "c"], ["b"]]


def test_sharing_makes_fewer_rows() -> None:
    alone = sum(len(cells.rows(2)) for cells in THREE.of_each.values())
    assert len(told(THREE.rows(PAIRS))) < alone / 2


def test_a_data_type_alone_has_all_rows_of_its_own() -> None:
    alone = Shared({"b": CELLS})
    assert alone.rows(PAIRS) == {"b": CELLS.rows(2)}
    assert DTYPE not in dict(alone.axes)


def test_data_types_with_other_levels_share_nothing() -> None:
    more = replace(CELLS, axes=(*CELLS.axes, Axis("colour", ("red",), lambda case: ())))
    cells = {"a": CELLS, "b": more, "c": CELLS}
    record = replace(RECORD, cells=lambda mode, dtype: cells[dtype])
    assert [one.dtype for one in shared(record, "plain", "abc")] == ["a, c", "b"]


@pytest.mark.parametrize("beside", ["a", "ab", "abc"])
def test_the_plan_of_a_data_type_has_its_share_of_what_the_run_judges(beside: str) -> None:
    record = replace(RECORD, cells=lambda mode, dtype: CELLS)
    expected = Shared({dtype: CELLS for dtype in beside}).rows(PAIRS)["a"]
    assert plan(record, "plain", "a", SMOKE, beside=beside).rows == expected


def missing(lines: Sequence[object], cells: Shared = THREE, edge_cost: int = 0) -> list[str]:
    key = ("copying", "plain", cells.dtype)
    profile = replace(SMOKE, edge_cost=edge_cost)
    (found,) = coverage(lines, {key: cells}, profile, COUNTED)  # type: ignore[arg-type]
    return found.missing + found.unmet


def lines_of(rows: dict[str, list[dict[str, str]]]) -> list[object]:
    return [
        msgspec.structs.replace(judged(str(at), **row), dtype=dtype)
        for dtype, of_it in rows.items()
        for at, row in enumerate(of_it)
    ]


def test_the_shared_rows_leave_nothing_missing() -> None:
    assert missing(lines_of(THREE.rows(PAIRS))) == []


def test_a_level_is_owed_by_each_data_type_and_a_pair_by_any() -> None:
    rows = {"a": CELLS.rows(2), "b": CELLS.rows(2), "c": [{**CELLS.rows(2)[0], "fruit": "plum"}]}
    left = missing(lines_of(rows))
    assert "dtype c, fruit pear" in left
    assert "fruit plum, size big" in left, "only c can show it"
    assert not any("dtype a" in one or "fruit pear, size" in one for one in left)


ON_CORES = Edge("rows = cores", NEAR.machine, {"rows": 2}, cost=10)
ON_TILES = Edge("rows = tile", NEAR.machine, {"rows": 3}, cost=10)
OF_VALUES = replace(ON_TILES, limit="special values", in_each=True)


def with_edges(**of_each: tuple[Edge, ...]) -> Shared:
    return Shared(
        {
            dtype: replace(PLAIN, edges=Edges(edges, sizes_of, lambda edge: st.nothing()))
            for dtype, edges in of_each.items()
        }
    )


def test_an_edge_is_owed_by_the_data_type_whose_turn_it_is() -> None:
    two = with_edges(a=(ON_CORES, ON_TILES), b=(ON_CORES, ON_TILES))
    lines = lines_of(two.rows(PAIRS))
    lines.append(msgspec.structs.replace(judged("on"), dtype="b", levels={EDGE: (ON_TILES.name,)}))
    assert missing(lines, two, edge_cost=10) == [f"a: {ON_CORES.name}"]


@pytest.mark.parametrize(
    ("profile", "of_a", "of_b"),
    [
        ("smoke", (ON_CORES, OF_VALUES), (ON_TILES, OF_VALUES)),
        ("gate", (ON_CORES, OF_VALUES), (ON_TILES, OF_VALUES)),
        ("nightly", (ON_CORES, ON_TILES, OF_VALUES), (ON_CORES, ON_TILES, OF_VALUES)),
    ],
)
def test_data_types_with_the_same_edges_take_turns_but_in_nightly_and_with_special_values(
    profile: str, of_a: tuple[Edge, ...], of_b: tuple[Edge, ...]
) -> None:
    every = (ON_CORES, ON_TILES, OF_VALUES)
    three = with_edges(a=every, b=every, c=every[1:])
    found = [three.edges(dtype, PROFILES[profile]) for dtype in three.of_each]
    assert found == [of_a, of_b, every[1:]]
    assert with_edges(a=every).edges("a", PROFILES[profile]) == every

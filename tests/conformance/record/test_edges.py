"""Edges: which a run judges, on which a case lies, and that one without a case fails the run."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import strategies as st

from conformance.call.case import Case, Machine
from conformance.draw.profiles import PROFILES, Profile
from conformance.draw.shared_rows import Shared
from conformance.errors import ACCEPTED, REFUSED
from conformance.evidence.coverage import coverage, further
from conformance.evidence.exit_status import exit_status
from conformance.evidence.summary import COUNTED, Evidence
from conformance.record.cells import EDGE
from conformance.record.edges import Edge, Edges, Sizes, distinct
from conformance.session.planned_cases import plan
from conformance.text.terminal import coverage_lines
from tests.conformance.evidence import test_coverage
from tests.conformance.record.test_cells import CELLS as FRUIT
from tests.conformance.session import test_rows_and_edges as test_covered
from tests.conformance.session.test_rows_and_edges import CELLS, DULL

TWO, FORTY = Machine(2, 4096), Machine(40, 4096)
NEAR = Edge("rows = cores", TWO, {"rows": 2}, cost=10)
WIDE = Edge("tile + 1", TWO, {"rows": 2, "columns": 9}, cost=100)
FAR = Edge("rows = cores", FORTY, {"rows": 40}, cost=10**6)


def sizes_of(case: Case) -> Sizes:
    return {"rows": case.attributes["rows"], "columns": case.attributes["columns"]}


def case_on(edge: Edge, columns: int = 1) -> Case:
    sizes = {"columns": columns, **edge.sizes, "colour": 0, "shape": 0, "size": 0}
    return replace(DULL, attributes=sizes, machine=edge.machine)


EDGES = Edges((NEAR, WIDE, FAR), sizes_of, lambda edge: st.just(case_on(edge)))


def test_an_edge_is_named_after_its_limit_and_its_machine() -> None:
    assert FAR.name == "rows = cores on 40 cores with 4096 B"


def test_a_case_lies_on_every_edge_whose_sizes_it_has_on_its_machine() -> None:
    assert EDGES.of(case_on(NEAR)) == (NEAR.name,)
    assert EDGES.of(case_on(WIDE)) == (NEAR.name, WIDE.name)
    assert EDGES.of(replace(case_on(NEAR), machine=FORTY)) == ()
    assert EDGES.of(replace(case_on(NEAR), machine=None)) == ()


def test_the_order_of_blocks_makes_no_other_machine() -> None:
    turned = replace(TWO, block_order="reverse")
    assert EDGES.of(replace(case_on(NEAR), machine=turned)) == (NEAR.name,)


def test_of_edges_with_the_same_sizes_on_a_machine_one_is_declared() -> None:
    again = replace(NEAR, limit="rows = something else")
    assert distinct([FAR, NEAR, again, WIDE]) == (NEAR, WIDE, FAR)


@pytest.mark.parametrize(("cost", "kept"), [(9, ()), (10, (NEAR,)), (10**6, (NEAR, WIDE, FAR))])
def test_an_edge_is_judged_from_the_profile_on_that_can_afford_it(
    cost: int, kept: tuple[Edge, ...]
) -> None:
    assert EDGES.within(cost) == kept
    record = replace(test_covered.RECORD, cells=lambda *_: replace(CELLS, edges=EDGES))
    assert plan(record, "plain", "int32", affording(cost)).edges == kept


def affording(cost: int) -> Profile:
    return replace(PROFILES["smoke"], edge_cost=cost)


def evidence(*edges: str, cost: int = 100) -> Evidence:
    shown = [
        *test_coverage.lines_of(test_coverage.ROWS),
        msgspec.structs.replace(test_coverage.judged("edged"), levels={EDGE: edges}),
    ]
    edged = replace(FRUIT, edges=EDGES)
    declared = {test_coverage.KEY: Shared({test_coverage.KEY[2]: edged})}
    return Evidence(cases=1, coverage=coverage(shown, declared, affording(cost), COUNTED))


def test_every_edge_that_the_profile_affords_needs_a_judged_case() -> None:
    found = evidence(NEAR.name, WIDE.name)
    assert found.coverage[0].edges == {NEAR.name: 1, WIDE.name: 1}
    assert exit_status(found) == ACCEPTED
    assert "edges of tilings on chips: 2 of 2 judged" in list(coverage_lines(found))


def test_an_edge_without_a_judged_case_is_named_and_fails_the_run() -> None:
    found = evidence(NEAR.name, cost=10**6)
    assert found.coverage[0].unmet == [WIDE.name, FAR.name]
    assert exit_status(found) == REFUSED
    said = list(coverage_lines(found))
    assert "edges of tilings on chips: 1 of 3 judged" in said
    assert f"not judged: plain float32: {FAR.name}" in said


def test_an_edge_of_a_cell_that_did_not_end_is_counted_and_fails_nothing() -> None:
    declared = {test_coverage.KEY: Shared({test_coverage.KEY[2]: replace(FRUIT, edges=EDGES)})}
    shown = [msgspec.structs.replace(test_coverage.judged("edged"), levels={EDGE: (NEAR.name,)})]
    (one,) = coverage(shown, declared, affording(10**6), COUNTED, ended=[])
    assert (one.edges_judged, one.edges_declared, one.unmet) == (1, 3, [])
    told = Evidence(cases=1, coverage=[one])
    assert exit_status(told) == ACCEPTED
    assert "edges of tilings on chips: 1 of 3 judged" in list(coverage_lines(told))


def test_what_larger_profiles_judge_besides_is_said() -> None:
    edged = Shared({test_coverage.KEY[2]: replace(FRUIT, edges=EDGES)})
    smoke, gate, nightly = PROFILES.values()
    more = further([edged], smoke)
    triples = int(edged.feasible.sum())
    told = list(coverage_lines(msgspec.structs.replace(evidence(NEAR.name), further=more)))
    words = f"larger profiles: gate judges 1 more edge and {triples} triples of levels"
    assert f"{words}; nightly judges 1 more edge" in told
    assert further([edged], replace(gate, edge_cost=nightly.edge_cost)) == []


def test_every_edge_is_judged_after_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    edged = replace(CELLS, edges=EDGES)
    monkeypatch.setattr(
        test_covered, "RECORD", replace(test_covered.RECORD, cells=lambda *_: edged)
    )
    trial, judged = test_covered.run(lambda case: False)
    assert trial.smallest is None
    assert EDGES.of(judged[-2]) == (NEAR.name,)
    assert EDGES.of(judged[-1]) == (NEAR.name, WIDE.name)


def test_a_mistake_that_only_an_edge_shows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    edged = replace(CELLS, edges=EDGES)
    monkeypatch.setattr(
        test_covered, "RECORD", replace(test_covered.RECORD, cells=lambda *_: edged)
    )
    trial, _ = test_covered.run(lambda case: case.attributes.get("columns") == 9)
    assert trial.smallest is not None
    assert EDGES.of(trial.smallest.case) == (NEAR.name, WIDE.name)

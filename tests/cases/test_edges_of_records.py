"""Edges of the records: below, at and above every limit on every chip, each with legal cases."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import product

import pytest

from conformance.call.case import Machine
from conformance.devices.call import call_of
from conformance.draw.profiles import PROFILES
from conformance.judge.legality import check_call
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import STEPS, Edges
from conformance.record.operator import Operator
from conformance.suite import records as suite
from tests.cases.drawing import one_of_each

CHIPS = {Machine(cores, ub) for cores, ub in product((40, 48), USABLE_UB_BYTES.values())}
DEAREST = 100_000
"""Of an edge whose case is made here; dearer ones are judged by gate and nightly."""


def cells_with_edges(operator: Operator) -> list[tuple[str, str, Edges]]:
    assert operator.cells is not None
    found = [
        (mode.name, dtype, operator.cells(mode.name, dtype).edges)
        for mode in operator.modes
        for dtype in ("float16", "float32")
        if dtype in operator.dtypes_in(mode.name)
    ]
    return [(mode, dtype, edges) for mode, dtype, edges in found if edges is not None]


EDGED = [
    (operator, mode, dtype, edges)
    for operator in suite.operators([])
    for mode, dtype, edges in cells_with_edges(operator)
]
IDS = [f"{mode} {dtype} of {operator.name}" for operator, mode, dtype, _ in EDGED]


@pytest.mark.parametrize(("operator", "mode", "dtype", "edges"), EDGED, ids=IDS)
def test_an_edge_below_at_and_above_every_limit_on_every_chip(
    operator: Operator, mode: str, dtype: str, edges: Edges
) -> None:
    """Where sizes of two limits are the same, one of them is declared."""
    sizes = {(edge.machine, frozenset(edge.sizes.items())) for edge in edges.declared}
    steps: dict[tuple[str, Machine], set[str]] = defaultdict(set)
    for edge in edges.declared:
        met = re.fullmatch(r"(.*?)( [-+] 1)?", edge.limit)
        assert met is not None
        limit, step = met.groups(default="")
        steps[limit, edge.machine].add(step)
    for chip in CHIPS:
        limits = [found for (_, machine), found in steps.items() if machine == chip]
        assert sum(found == set(STEPS) for found in limits) > 0.7 * len(limits) > 5
    assert len(sizes) == len(edges.declared)
    assert len({edge.name for edge in edges.declared}) == len(edges.declared)


@pytest.mark.parametrize(("operator", "mode", "dtype", "edges"), EDGED, ids=IDS)
def test_a_case_of_an_edge_is_legal_and_lies_on_it(
    operator: Operator, mode: str, dtype: str, edges: Edges
) -> None:
    some = edges.within(DEAREST)[::13]
    for edge, case in zip(some, one_of_each([*map(edges.cases, some)]), strict=True):
        check_call(case, operator)
        call_of(operator, case)
        assert edge.name in edges.of(case)


def test_keys_that_need_a_third_round_of_merges_are_judged_by_nightly_on_the_chips() -> None:
    for operator, mode, name in (
        ("moe_token_permute_with_ep", "full", "tokens"),
        ("moe_token_permute_with_routing_map_grad", "drop_pad", "rows"),
    ):
        edges = next(e for o, m, _, e in EDGED if (o.name, m) == (operator, mode))
        judged = edges.within(PROFILES["nightly"].edge_cost)
        for keys in (97_281, 291_841):
            cores = {edge.machine.cores for edge in judged if edge.sizes.get(name) == keys}
            assert 48 in cores

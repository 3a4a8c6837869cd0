"""Relations of selections: a device that breaks one is told, by that one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.judge.relate import related
from conformance.judge.right_answer import right_answer
from conformance.mutants.drawn_cases import drawn
from conformance.record.operator import Operator
from conformance.relations.axes import held
from conformance.suite import records as suite

RECORDS = {one.name: one for one in suite.operators([])}
NAMES = [
    name
    for name, record in RECORDS.items()
    if any(one.name == "descending values" for one in record.relations)
]
Floats = NDArray[Any]


def by_scores(scores: Callable[[Floats], Floats]) -> Callable[[Operator, Case], Observation]:
    """A device that selects and weighs by other scores than it is given."""

    def device(operator: Operator, case: Case) -> Observation:
        x = scores(case.arrays["x"].astype(np.float32)).astype(case.arrays["x"].dtype)
        given = held(case.inputs["x"], x)
        return right_answer(operator, replace(case, inputs={**case.inputs, "x": given}))

    return device


def first_half_counts_more(x: Floats) -> Floats:
    """Positions of the first half have more."""
    return x + np.where(np.arange(x.shape[-1]) < x.shape[-1] // 2, np.float32(4), np.float32(0))


def sizes_of_numbers(x: Floats) -> Floats:
    """Signs are lost."""
    return np.abs(x)


def all_as_the_last_row(x: Floats) -> Floats:
    """Each row is the last one."""
    return np.broadcast_to(x.reshape(-1, x.shape[-1])[-1], x.shape)


def ascending(operator: Operator, case: Case) -> Observation:
    """The smallest of those that are selected comes first."""
    seen = right_answer(operator, case)
    turned = {name: one[..., ::-1].copy() for name, one in seen.outputs.items()}
    return replace(seen, outputs={**seen.outputs, **turned})


MISTAKES = {
    "descending values": ascending,
    "order of positions": by_scores(first_half_counts_more),
    "a constant more": by_scores(sizes_of_numbers),
    "further rows": by_scores(all_as_the_last_row),
}


def calls(operator: Operator) -> Iterator[Case]:
    for mode in operator.modes:
        yield from drawn(operator.small_cases(mode.name, "float32"), 10, 0, mode.name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("law", MISTAKES)
def test_a_mistake_breaks_the_law_that_it_is_against(name: str, law: str) -> None:
    operator = RECORDS[name]
    (relation,) = [one for one in operator.relations if one.name == law]
    told = [related(relation, RECORDS, case, MISTAKES[law])[1] for case in calls(operator)]
    broken = [verdict for verdict in told if not verdict.ok]
    assert broken
    assert all(verdict.clause is relation.clause for verdict in broken)


def without_factor(operator: Operator, case: Case) -> Observation:
    """The factor is lost."""
    attributes = {**case.attributes, "routed_scaling_factor": 1.0}
    return right_answer(operator, replace(case, attributes=attributes))


def test_a_lost_factor_is_told_by_one_that_is_twice_as_large() -> None:
    operator = RECORDS["moe_gating_top_k"]
    (relation,) = [one for one in operator.relations if one.name == "twice the factor"]
    broken = [
        verdict
        for case in calls(operator)
        if not (verdict := related(relation, RECORDS, case, without_factor)[1]).ok
    ]
    assert broken
    assert all(verdict.clause is relation.clause for verdict in broken)


def test_there_are_operators_that_select() -> None:
    assert len(NAMES) >= 3

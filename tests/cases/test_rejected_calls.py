"""For each tensor, format, axis, rank and attribute of every record there is a rejected call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.call.case import Case
from conformance.judge.legality import IllegalCase, check_call
from conformance.record.call_rules import MORE, FreeAxis
from conformance.record.operator import Operator
from conformance.record.variations import reshaped
from conformance.suite import records as suite
from tests.cases.rejected_calls import missing

OPERATORS = suite.operators([])


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_a_record_has_a_rejected_call_for_each_tensor_axis_rank_and_attribute(
    operator: Operator,
) -> None:
    assert missing(operator) == []


def without(name: str, *lost: str) -> list[str]:
    """What is missing of a record without the rejected calls whose names begin so."""
    (operator,) = (one for one in OPERATORS if one.name == name)
    names = [one.name for one in operator.rejections]
    assert all(any(one.startswith(begun) for one in names) for begun in lost)
    kept = tuple(one for one in operator.rejections if not one.name.startswith(lost))
    return missing(replace(operator, rejections=kept))


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        (["out is [4, 17], not"], "out axis 1 of 2: no rejected call with one more"),
        (["sorted_indices is [7]"], "sorted_indices axis 0 of 1: no rejected call with one less"),
        (
            ["out is [4, 16, 1], not", "out is [4, 1, 16], not"],
            "out of rank 2: no rejected call with rank 3",
        ),
        (["out is null"], "out: no rejected call in which it is null"),
        (
            ["out is float16", "out is int32", "out of uint64"],
            "out: no rejected call in which it alone has another dtype",
        ),
        (
            ["out in format FRACTAL_NZ"],
            "out: no rejected call in which it alone is in another format",
        ),
        (["num_topk is 3"], "num_topk: no rejected call in which it alone is one more"),
        (["num_topk is 0"], "num_topk: no rejected call just beyond the least"),
    ],
)
def test_a_rejected_call_that_is_lost_is_named(lost: list[str], told: str) -> None:
    assert without("moe_token_permute_grad", *lost) == [f"moe_token_permute_grad: {told}"]


def test_an_end_of_a_range_without_an_accepted_call_is_named() -> None:
    (operator,) = (one for one in OPERATORS if one.name == "moe_token_unpermute")
    kept = tuple(one for one in operator.examples if "512" not in one.name)
    told = missing(replace(operator, examples=kept, corpus=()))
    assert told == [
        "moe_token_unpermute: slot: no accepted call at the most, nor one in quarantine"
    ]


FREE = [
    pytest.param(operator, one, id=f"{operator.name} {one.tensor} axis {one.axis} of {one.rank}")
    for operator in OPERATORS
    for one in operator.freedoms
    if isinstance(one, FreeAxis)
]


@pytest.mark.parametrize(("operator", "free"), FREE)
def test_an_axis_that_is_declared_free_may_be_one_more(operator: Operator, free: FreeAxis) -> None:
    assert MORE in free.ways
    assert any(legal(operator, case) for case in one_more(operator, free))


def one_more(operator: Operator, free: FreeAxis) -> Iterator[Case]:
    """Judged calls of few elements with one more on the axis."""
    for example in operator.examples:
        tensor = {**example.case.inputs, **example.case.outputs}.get(free.tensor)
        if tensor and len(tensor.shape) == free.rank and tensor.size < 1000:
            shape = tuple(n + (axis == free.axis) for axis, n in enumerate(tensor.shape))
            yield reshaped(example.case, free.tensor, shape)


def legal(operator: Operator, case: Case) -> bool:
    """Whether the record takes it for a call that must be carried out."""
    try:
        check_call(case, operator)
    except IllegalCase:
        return False
    return True

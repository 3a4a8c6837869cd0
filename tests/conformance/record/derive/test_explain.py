"""The first that does not fit is found in the order in which interfaces check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.call.case import Tensor
from conformance.record.derive.explain import Misfit, explain
from conformance.record.signature import number, tensor
from conformance.record.sizes import Further
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.conformance.record.gather_sum import (
    ROW,
    SAYS,
    SIGNATURE,
    SUMMED,
    WEIGHED,
    WHOLE,
    right,
    summed,
    with_further,
)

RIGHT = right()


@pytest.mark.parametrize(
    ("wrong", "misfit"),
    [
        (without(RIGHT, "sums"), Misfit("null", "sums")),
        (retyped(RIGHT, "indices", "int16"), Misfit("dtype", "indices")),
        (retyped(RIGHT, "rows", "float16"), Misfit("dtype", "rows")),
        (with_attributes(RIGHT, top_k=5), Misfit("attribute", "top_k", "slot")),
        (with_attributes(RIGHT, top_k=0), Misfit("attribute", "top_k", "slot")),
        (reshaped(RIGHT, "sums", (3, 4, 1)), Misfit("rank", "sums")),
        (reshaped(RIGHT, "indices", (3, 2)), Misfit("rank", "indices")),
        (reshaped(RIGHT, "indices", (7,)), Misfit("extent", "indices", "token.slot")),
        (reshaped(RIGHT, "weights", (3, 3)), Misfit("extent", "weights", "slot")),
        (reshaped(RIGHT, "sums", (4, 4)), Misfit("extent", "sums", "token")),
        (reshaped(RIGHT, "sums", (3, 5)), Misfit("extent", "sums", "hidden")),
        (without(reshaped(RIGHT, "sums", (4,)), "rows"), Misfit("null", "rows")),
        (retyped(with_attributes(RIGHT, top_k=5), "rows", "int32"), Misfit("dtype", "rows")),
    ],
    ids=lambda one: str(one) if isinstance(one, Misfit) else "",
)
def test_what_does_not_fit_is_found(wrong, misfit) -> None:  # type: ignore[no-untyped-def]
    assert explain(SIGNATURE, wrong).misfit == misfit


@pytest.mark.parametrize(
    "other",
    [
        reshaped(RIGHT, "rows", (6, 4)),
        retyped(RIGHT, "indices", "int64"),
        retyped(RIGHT, "weights", "float16"),
        with_attributes(RIGHT, padded=1),
        without(RIGHT, "weights"),
    ],
)
def test_what_is_free_fits(other) -> None:  # type: ignore[no-untyped-def]
    assert explain(SIGNATURE, other).misfit is None


def test_a_size_that_an_optional_tensor_shows_has_its_default_without_it() -> None:
    sizes, misfit = explain(WEIGHED, right(of=WEIGHED, slot=1, weights=False))
    assert (sizes["slot"], sizes["token"], misfit) == (1, 3, None)
    assert explain(WEIGHED, right(of=WEIGHED)).sizes["slot"] == 2
    lost = without(right(of=WEIGHED), "weights")
    assert explain(WEIGHED, lost).misfit == Misfit("extent", "sums", "token")


@pytest.mark.parametrize(("mode", "fits"), [(-1, False), (0, True), (1, True), (2, False)])
def test_an_attribute_with_limits_is_within_them(mode: int, fits: bool) -> None:
    limited = replace(
        SIGNATURE, parameters=(*SIGNATURE.parameters, number("mode", least=0, most=1))
    )
    case = replace(RIGHT, attributes={**RIGHT.attributes, "mode": mode})
    assert explain(limited, case).misfit == (None if fits else Misfit("attribute", "mode"))


@pytest.mark.parametrize(
    ("shape", "misfit"),
    [
        ((6,), None),
        ((6, 1, 9), None),
        ((6, 1, 0), Misfit("limit", "indices")),
        ((6, 1, 9, 1), Misfit("rank", "indices")),
        ((), Misfit("rank", "indices")),
        ((7, 1), Misfit("extent", "indices", "token.slot")),
    ],
)
def test_further_axes_are_as_many_and_as_long_as_they_may_be(shape, misfit) -> None:  # type: ignore[no-untyped-def]
    longer = with_further(SIGNATURE, "indices", Further(SAYS, most=2, least=1))
    assert explain(longer, reshaped(RIGHT, "indices", shape)).misfit == misfit


@pytest.mark.parametrize(
    ("wrong", "misfit"),
    [
        (right(row=6), None),
        (right(row=5), Misfit("extent", "rows", "token.slot")),
        (reshaped(right(row=6), "indices", (7,)), Misfit("extent", "indices", "token.slot")),
        (
            reshaped(right(row=6, weights=False), "indices", (8,)),
            Misfit("extent", "rows", "token.slot"),
        ),
    ],
)
def test_a_size_of_others_is_compared_with_them(wrong, misfit) -> None:  # type: ignore[no-untyped-def]
    assert explain(WHOLE, wrong).misfit == misfit


def test_a_tensor_is_there_if_that_beside_which_it_stands_is_and_has_its_data_type() -> None:
    assert explain(SUMMED, summed()).misfit is None
    assert explain(SUMMED, summed(weights=False)).misfit is None
    assert explain(SUMMED, without(summed(), "totals")).misfit == Misfit("null", "totals")
    other = retyped(summed(), "totals", "float16")
    assert explain(SUMMED, other).misfit == Misfit("dtype", "totals")
    assert explain(SUMMED, retyped(other, "weights", "float16")).misfit is None


def test_a_tensor_may_stand_beside_two_together() -> None:
    order = tensor("order", ROW, dtype="int32", optional=True, beside=("weights", "scales"))
    scales = tensor("scales", ROW, optional=True)
    ordered = replace(SUMMED, parameters=(*SUMMED.parameters, scales, order))
    both = summed()
    both = replace(both, inputs={**both.inputs, "scales": Tensor((5,), "float32")})
    assert explain(ordered, both).misfit == Misfit("null", "order")
    assert explain(ordered, without(both, "scales")).misfit is None
    assert explain(ordered, without(without(both, "weights"), "totals")).misfit is None


def test_a_tensor_beside_one_whose_data_type_it_cannot_have_keeps_its_own() -> None:
    order = tensor("order", ROW, dtype="int32", optional=True, beside="weights")
    ordered = replace(SUMMED, parameters=(*SUMMED.parameters, order))
    case = summed()
    given = replace(case, inputs={**case.inputs, "order": Tensor((5,), "int32")})
    assert explain(ordered, given).misfit is None
    assert explain(ordered, retyped(given, "order", "int64")).misfit == Misfit("dtype", "order")
    assert explain(ordered, without(given, "order")).misfit == Misfit("null", "order")


def test_a_call_without_a_result_is_answered_after_its_data_types() -> None:
    empty = summed(weights=False, hidden=0)
    assert explain(SUMMED, empty).misfit is None
    assert explain(SUMMED, reshaped(empty, "rows", (5,))).misfit is None
    assert explain(SUMMED, retyped(empty, "rows", "int32")).misfit == Misfit("dtype", "rows")
    assert explain(SUMMED, summed(hidden=0)).misfit == Misfit("limit", "rows", "hidden")


def test_a_size_that_no_element_shows_is_left_open() -> None:
    parameters = tuple(one for one in SIGNATURE.parameters if one.name != "top_k")
    made = replace(right(token=0, weights=False), attributes={"padded": 0})
    sizes, misfit = explain(replace(SIGNATURE, parameters=parameters), made)
    assert misfit is None
    assert sizes == {"row": 5, "hidden": 4, "token": 0}

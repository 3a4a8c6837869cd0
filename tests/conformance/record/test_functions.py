"""A size may be a function of sizes and attributes, and one axis of several sizes has a limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.record.derive.calls import call
from conformance.record.derive.explain import Misfit, explain
from conformance.record.derive.rejections import ranges, rejections
from conformance.record.signature import Signature, flag, number, tensor
from conformance.record.sizes import Product, Size, function
from conformance.record.variations import reshaped, with_attributes
from tests.conformance.record.gather_sum import INVALID, NULL, SAYS, rule

TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", most=3), Size("hidden")
SLOTS = Product((TOKEN, SLOT), most=12)
ROW = function("row", lambda slots, dropped: slots - dropped, TOKEN * SLOT, "dropped")
SIGNATURE = Signature(
    "copies",
    (
        tensor("tokens", TOKEN, HIDDEN),
        number("top_k", SLOT),
        number("dropped"),
        flag("padded", most=0),
        tensor("copies", ROW, HIDDEN, role="output"),
        tensor("ranks", SLOTS, dtype="int32", role="output"),
    ),
    (
        rule("null", status=NULL),
        rule("dtype", status=INVALID),
        rule("attribute", about=("padded",), says="padded is false"),
        rule("attribute", says="top_k is 0 to 3"),
        rule("limit", says="at most 12 slots"),
        rule("rank", "extent", says="shapes"),
    ),
)
SIZES = {"token": 4, "slot": 2, "hidden": 5}
RIGHT = call(SIGNATURE, "plain", "float32", SIZES, dropped=3)
MANY = {"too many": call(SIGNATURE, "plain", "float32", {**SIZES, "token": 7}, dropped=3)}


def test_a_function_says_the_size_of_a_call_unless_it_is_given() -> None:
    assert RIGHT.outputs["copies"].shape == (5, 5)
    other = call(SIGNATURE, "plain", "float32", {**SIZES, "row": 6}, dropped=3)
    assert other.outputs["copies"].shape == (6, 5)
    assert explain(SIGNATURE, other).misfit == Misfit("extent", "copies", "row")


def test_a_call_is_explained_by_its_sizes_and_what_follows_from_them() -> None:
    assert explain(SIGNATURE, RIGHT) == ({**SIZES, "row": 5}, None)


@pytest.mark.parametrize(
    ("wrong", "misfit"),
    [
        (with_attributes(RIGHT, dropped=2), Misfit("extent", "copies", "row")),
        (with_attributes(RIGHT, dropped=9), Misfit("extent", "copies", "row")),
        (with_attributes(RIGHT, padded=1), Misfit("attribute", "padded")),
        (reshaped(RIGHT, "copies", (4, 5)), Misfit("extent", "copies", "row")),
        (reshaped(RIGHT, "ranks", (9,)), Misfit("extent", "ranks", "token.slot")),
        (MANY["too many"], Misfit("limit", "ranks", "token.slot")),
    ],
)
def test_what_does_not_fit_is_found(wrong, misfit) -> None:  # type: ignore[no-untyped-def]
    assert explain(SIGNATURE, wrong).misfit == misfit


def test_an_attribute_of_a_function_and_a_flag_are_tried_with_other_values() -> None:
    found = {one.name: one.clause.text for one in rejections(SIGNATURE, RIGHT, wrong=MANY)}
    assert {
        name: says for name, says in found.items() if name.startswith(("dropped", "padded"))
    } == {
        **{f"dropped is {value}, plain": "shapes" for value in ("2", "4", "0", "-3", "2^32 + 3")},
        "padded is 1, plain": "padded is false",
    }
    assert found["ranks is [4, 2], not [8], plain"] == "shapes"
    assert found["too many"] == "at most 12 slots"


def test_a_size_beyond_its_limits_changes_what_follows_from_it_and_no_attribute() -> None:
    (number_of_slots,) = (one for one in SIGNATURE.parameters if one.name == "top_k")
    indices = tensor("indices", TOKEN, SLOT, dtype="int32")
    shown = replace(
        SIGNATURE,
        parameters=tuple(
            indices if one is number_of_slots else one for one in SIGNATURE.parameters
        ),
        rules=tuple(one for one in SIGNATURE.rules if one.clause.text != "top_k is 0 to 3"),
    )
    right = call(shown, "plain", "float32", SIZES, dropped=3)
    found = {one.name: one.case for one in rejections(shown, right)}["slot is 4, plain"]
    assert found.attributes == right.attributes
    assert found.outputs["copies"].shape == (13, 5)


def test_a_flag_that_must_be_false_has_a_range() -> None:
    found = {one.name: (one.least, one.most) for one in ranges(SIGNATURE)}
    assert found == {"top_k": (0, 3), "padded": (None, 0)}


def test_an_attribute_that_no_function_looks_at_is_still_named() -> None:
    copies = tensor("copies", TOKEN, HIDDEN, role="output")
    alone = tuple(copies if one.name == "copies" else one for one in SIGNATURE.parameters)
    with pytest.raises(ValueError, match="attribute dropped is no size"):
        replace(SIGNATURE, parameters=alone)


def test_a_function_of_what_is_no_attribute_is_named() -> None:
    row = function("row", lambda slots, lost: slots - lost, TOKEN, "lost")
    parameters = (tensor("tokens", TOKEN, HIDDEN), tensor("rows", row, HIDDEN, role="output"))
    with pytest.raises(ValueError, match="size row is a function of lost, which is no attribute"):
        Signature("copies", parameters, ())


def test_a_size_may_follow_from_one_that_follows_and_is_compared_after_it() -> None:
    places = tensor("places", function("place", lambda token, row: token, TOKEN, ROW))
    placed = replace(SIGNATURE, parameters=(places, *SIGNATURE.parameters))
    right = call(placed, "plain", "float32", SIZES, dropped=3)
    assert right.inputs["places"].shape == (4,)
    fewer = reshaped(right, "places", (3,))
    assert explain(placed, fewer).misfit == Misfit("extent", "places", "place")
    both = with_attributes(fewer, dropped=2)
    assert explain(placed, both).misfit == Misfit("extent", "copies", "row")


def test_an_axis_may_be_one_in_place_of_what_follows() -> None:
    row = replace(ROW, or_one=SAYS)
    copies = tensor("copies", row, HIDDEN, role="output")
    either = replace(SIGNATURE, parameters=(*SIGNATURE.parameters[:4], copies))
    right = call(either, "plain", "float32", SIZES, dropped=3)
    for rows, misfit in ((5, None), (1, None), (2, Misfit("extent", "copies", "row"))):
        assert explain(either, reshaped(right, "copies", (rows, 5))).misfit == misfit

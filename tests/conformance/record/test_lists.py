"""A list of integers may have to have so many numbers; sizes follow from them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.record.call_rules import MORE, FreeAxis
from conformance.record.derive.calls import call
from conformance.record.derive.explain import Misfit, explain
from conformance.record.derive.rejections import freedoms, rejections
from conformance.record.signature import Signature, integers, tensor
from conformance.record.sizes import Size, function
from conformance.record.variations import reshaped, with_attributes
from tests.conformance.record.gather_sum import INVALID, NULL, SAYS, rule

TOKEN, HIDDEN = Size("token"), Size("hidden")
TOKENS = tensor("tokens", TOKEN, HIDDEN, role="output")
KEPT = function("kept", lambda ends: ends[1] - ends[0] if ends else 0, "window", free=SAYS)
SIGNATURE = Signature(
    "sums",
    (
        tensor("copies", KEPT, HIDDEN),
        tensor("weights", KEPT),
        tensor("ranks", TOKEN, dtype="int32"),
        integers("window", count=2),
        TOKENS,
    ),
    (
        rule("null", status=NULL),
        rule("dtype", status=INVALID),
        rule("attribute", says="two numbers"),
        rule("extent", about=("kept",), says="rows of the window"),
        rule("rank", "extent", says="shapes"),
    ),
)
SIZES = {"token": 9, "hidden": 5}
RIGHT = call(SIGNATURE, "plain", "float32", SIZES, window=(2, 6))


def test_a_free_function_says_the_least_that_an_axis_is() -> None:
    assert RIGHT.inputs["copies"].shape == (4, 5)
    longer = reshaped(RIGHT, "copies", (6, 5))
    assert explain(SIGNATURE, longer) == ({**SIZES, "kept": 4}, None)
    shorter = reshaped(longer, "weights", (3,))
    assert explain(SIGNATURE, shorter).misfit == Misfit("extent", "weights", "kept")


def test_an_axis_of_a_free_function_may_be_longer_and_not_shorter() -> None:
    assert freedoms(SIGNATURE) == (
        FreeAxis("copies", 2, 0, SAYS, (MORE,)),
        FreeAxis("weights", 1, 0, SAYS, (MORE,)),
    )


@pytest.mark.parametrize("window", [(), (2,), (2, 6, 0)])
def test_a_list_has_as_many_numbers_as_it_must(window: tuple[int, ...]) -> None:
    wrong = with_attributes(RIGHT, window=window)
    assert explain(SIGNATURE, wrong).misfit == Misfit("attribute", "window")


def test_a_list_may_be_null() -> None:
    assert explain(SIGNATURE, with_attributes(RIGHT, window=None)).misfit is None


def test_each_number_of_a_list_is_changed_and_so_is_their_count() -> None:
    found = {one.name: one.clause.text for one in rejections(SIGNATURE, RIGHT)}
    assert {name: says for name, says in found.items() if name.startswith("window")} == {
        **{f"window is {ends}, plain": "two numbers" for ends in ("()", "(2)", "(2, 6, 0)")},
        **{
            f"window is {ends}, plain": "rows of the window"
            for ends in ("(1, 6)", "(0, 6)", "(-2, 6)", "(2, 7)", "(2, 2^32 + 6)")
        },
    }


def test_a_null_list_is_left_as_it_is() -> None:
    null = call(SIGNATURE, "open", "float32", {**SIZES, "kept": 1}, window=None)
    changed = [one.name for one in rejections(SIGNATURE, RIGHT, null) if one.case.mode == "open"]
    assert changed
    assert not any(name.startswith("window") for name in changed)


def test_a_list_may_have_one_of_several_numbers_of_elements() -> None:
    window = integers("window", count=(0, 2))
    some = replace(SIGNATURE, parameters=(*SIGNATURE.parameters[:3], window, TOKENS))
    assert explain(some, with_attributes(RIGHT, window=(2, 6))).misfit is None
    empty = reshaped(reshaped(RIGHT, "copies", (0, 5)), "weights", (0,))
    assert explain(some, with_attributes(empty, window=())).misfit is None
    assert explain(SIGNATURE, with_attributes(empty, window=())).misfit is not None
    one = explain(some, with_attributes(RIGHT, window=(2,))).misfit
    assert one == Misfit("attribute", "window")

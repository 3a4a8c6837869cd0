"""Rejected calls follow from right ones: each breaks a rule, and each rule is broken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.call.case import Case
from conformance.record.call_rules import FreeAttribute, FreeAxis, Ranks
from conformance.record.derive.explain import explain
from conformance.record.derive.rejections import freedoms, ranges, rejections
from conformance.record.signature import number
from conformance.record.sizes import Further
from conformance.record.variations import reshaped, with_attributes
from tests.conformance.record.gather_sum import (
    INVALID,
    NULL,
    RULES,
    SAYS,
    SIGNATURE,
    SUMMED,
    TILING,
    WEIGHED,
    right,
    rule,
    summed,
    with_further,
)

RIGHT = right()
FOUND = {one.name: one for one in rejections(SIGNATURE, RIGHT)}


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("rows is null", NULL, "null"),
        ("indices is int16, plain", INVALID, "dtype"),
        ("rows and sums are int32, plain", INVALID, "dtype"),
        ("weights is float64, plain", INVALID, "dtype"),
        ("top_k is 5, plain", TILING, "top_k is 1 to 4"),
        ("top_k is 2^32 + 2, plain", TILING, "top_k is 1 to 4"),
        ("top_k is 1, plain", TILING, "shapes"),
        ("indices is [7], not [6], plain", TILING, "top_k indices for each token"),
        ("indices is [3, 2], not [6], plain", TILING, "shapes"),
        ("sums is [3, 4, 1], not [3, 4], plain", TILING, "shapes"),
        ("sums is [12], not [3, 4], plain", TILING, "shapes"),
    ],
)
def test_a_change_is_rejected_by_the_rule_that_covers_it(name: str, status: int, says: str) -> None:
    if name == "top_k is 5, plain":
        found = {one.name: one for one in rejections(SIGNATURE, right(slot=4))}[name]
    else:
        found = FOUND[name]
    assert (found.status, found.clause.text) == (status, says)


def test_none_of_them_fits_and_none_is_made_twice() -> None:
    assert all(explain(SIGNATURE, one.case).misfit for one in FOUND.values())
    assert len({one.case.digest + str(one.case.outputs) for one in FOUND.values()}) == len(FOUND)


def test_no_two_of_them_have_one_name() -> None:
    names = [one.name for one in rejections(WEIGHED, right(of=WEIGHED), right(of=WEIGHED, row=9))]
    assert names.count("slot is 5, plain") == 1
    assert len(set(names)) == len(names)


def test_what_is_optional_or_free_is_not_rejected() -> None:
    assert "weights is null" not in FOUND
    assert not any(name.startswith("rows is [6, 4]") for name in FOUND)


def test_a_tensor_beside_another_is_tried_null_and_of_a_data_type_of_its_own() -> None:
    found = {one.name: (one.status, one.clause.text) for one in rejections(SUMMED, summed())}
    assert found["totals is null"] == (TILING, "weights have totals")
    assert found["totals is float16, plain"] == (INVALID, "dtype")
    assert found["weights and totals are int32, plain"] == (INVALID, "dtype")
    assert "weights is null" not in found


def test_a_size_that_is_no_attribute_is_tried_beyond_its_limits() -> None:
    found = rejections(WEIGHED, right(of=WEIGHED))
    names = [one.name for one in found if one.clause.text == "1 to 4 slots"]
    assert names == ["slot is 0, plain", "slot is 5, plain"]


def test_only_shapes_are_others_if_a_size_is_beyond_its_limits() -> None:
    given = with_attributes(right(of=WEIGHED), padded=1, order=(2, 0, 1))
    tried = [one for one in rejections(WEIGHED, given) if one.name.startswith("slot is")]
    assert [one.case.attributes for one in tried] == [given.attributes] * 2


def test_a_size_that_a_call_does_not_show_is_not_tried_beyond_its_limits() -> None:
    single = right(of=WEIGHED, slot=1, weights=False)
    names = [one.name for one in rejections(WEIGHED, right(of=WEIGHED), single)]
    tried = [one for one in names if one.startswith("slot is")]
    assert tried == ["slot is 0, plain", "slot is 5, plain"]


def test_an_attribute_is_tried_beyond_its_limits_and_has_a_range() -> None:
    limited = replace(
        SIGNATURE,
        parameters=(*SIGNATURE.parameters, number("mode", least=0, most=2)),
        rules=(*RULES[:2], rule("attribute", about=("mode",), says="mode is 0 to 2"), *RULES[2:]),
    )
    case = replace(RIGHT, attributes={**RIGHT.attributes, "mode": 0})
    names = [one.name for one in rejections(limited, case) if one.clause.text == "mode is 0 to 2"]
    assert names == [f"mode is {value}, plain" for value in ("-1", "2^32 + 0", "3")]
    (_, found) = ranges(limited)
    assert (found.name, found.least, found.most) == ("mode", 0, 2)


def test_pointers_are_tried_once_and_ranks_only_of_tensors_that_have_others() -> None:
    longer = with_further(SIGNATURE, "indices", Further(SAYS))
    names = [one.name for one in rejections(longer, RIGHT, reshaped(RIGHT, "indices", (6, 1)))]
    assert names.count("rows is null") == 1
    assert names.count("sums is [], not [3, 4], plain") == 1
    assert "indices is [], not [6, 1], plain" not in names


def test_further_axes_are_a_freedom_and_are_tried_too_short() -> None:
    longer = with_further(SIGNATURE, "indices", Further(SAYS, least=1))
    listed = replace(longer, rules=(*RULES[:2], rule("limit", says="no axis is 0"), *RULES[2:]))
    (short,) = (one for one in rejections(listed, RIGHT) if one.clause.text == "no axis is 0")
    assert short.name == "indices is [6, 0], not [6], plain"
    assert Ranks("indices", 1, None, SAYS) in freedoms(listed)


def test_a_rule_that_no_call_breaks_is_an_error() -> None:
    more = replace(SIGNATURE, rules=(*RULES, rule("limit", says="few rows")))
    with pytest.raises(ValueError, match='no call breaks the rule "few rows"'):
        rejections(more, RIGHT)


def test_a_call_that_no_rule_covers_is_an_error() -> None:
    fewer = replace(SIGNATURE, rules=RULES[:-1])
    with pytest.raises(ValueError, match=r"rows is \[\], .*: no rule says .* \(rank of rows\)"):
        rejections(fewer, RIGHT)


def test_a_right_call_must_fit() -> None:
    with pytest.raises(ValueError, match="a right call does not fit: extent of sums"):
        rejections(SIGNATURE, reshaped(RIGHT, "sums", (4, 4)))


def test_a_written_call_is_rejected_by_its_rule_and_must_not_fit() -> None:
    uneven = reshaped(with_attributes(RIGHT, top_k=4), "sums", (1, 4))
    found = {one.name: one for one in rejections(SIGNATURE, RIGHT, wrong={"6 by 4": uneven})}
    assert found["6 by 4"].clause.text == "top_k indices for each token"
    with pytest.raises(ValueError, match="fine: a wrong call fits"):
        rejections(SIGNATURE, RIGHT, wrong={"fine": RIGHT})


def test_changed_calls_of_another_mode_are_left_out() -> None:
    def is_of_mode(case: Case) -> bool:
        return "weights" not in case.inputs or case.inputs["weights"].shape == (3, 2)

    kept = rejections(SIGNATURE, RIGHT, is_of_mode=is_of_mode)
    assert not any(one.name.startswith("weights is [") for one in kept)
    assert any(one.name.startswith("sums is [") for one in kept)


def test_freedoms_and_ranges_have_the_clauses_of_sizes_and_rules() -> None:
    assert freedoms(SIGNATURE) == (FreeAxis("rows", 2, 0, SAYS), FreeAttribute("padded", SAYS))
    (found,) = ranges(SIGNATURE)
    assert (found.name, found.least, found.most) == ("top_k", 1, 4)
    assert found.clause.text == "top_k is 1 to 4"
    assert found.value(RIGHT) == 2

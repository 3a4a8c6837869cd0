"""A mode may have other shapes and sizes: attributes decide of which form a call is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.record.call_rules import FreeAttribute, FreeAxis
from conformance.record.derive.calls import call
from conformance.record.derive.explain import Misfit, explain
from conformance.record.derive.rejections import freedoms, ranges, rejections
from conformance.record.derive.torch_call import bound
from conformance.record.signature import Form, Signature, number, tensor
from conformance.record.sizes import Size, function
from conformance.record.variations import reshaped, with_attributes, without
from conformance.relations.axes import Axes
from tests.conformance.record.gather_sum import (
    FLOATS,
    FORMED,
    HIDDEN,
    PLACE,
    RULES,
    SAYS,
    SUMMED,
    TOKEN,
    rule,
)

SIZES = {"token": 3, "slot": 2, "hidden": 4}
PLAIN = call(FORMED, "plain", "float32", SIZES)
COUNTED = call(FORMED, "counted", "float32", {**SIZES, "row": 5})
BLOCKS = call(FORMED, "blocks", "float32", {**SIZES, "block": 2, "place": 7})


def test_a_call_has_the_shapes_and_attributes_of_its_mode() -> None:
    rows = [one.inputs["rows"].shape for one in (PLAIN, COUNTED, BLOCKS)]
    assert rows == [(6, 4), (5, 4), (2, 7, 4)]
    found = [
        (one.attributes["layout"], one.attributes["count"]) for one in (PLAIN, COUNTED, BLOCKS)
    ]
    assert found == [(0, 0), (0, 5), (1, 0)]
    assert all(explain(FORMED, one).misfit is None for one in (PLAIN, COUNTED, BLOCKS))


def test_the_attributes_of_a_call_decide_of_which_form_it_is() -> None:
    assert FORMED.of(PLAIN) is FORMED.of_mode("plain") is FORMED
    assert FORMED.of(with_attributes(PLAIN, layout=1)) is FORMED.of_mode("blocks")
    assert FORMED.of(with_attributes(PLAIN, count=1)) is FORMED.of_mode("counted")
    assert FORMED.of(with_attributes(COUNTED, layout=1)) is FORMED.of_mode("blocks")
    assert FORMED.of(with_attributes(COUNTED, count=0)) is FORMED


@pytest.mark.parametrize(
    ("wrong", "misfit"),
    [
        (with_attributes(PLAIN, layout=1), Misfit("rank", "rows")),
        (with_attributes(PLAIN, count=-1), Misfit("attribute", "count")),
        (with_attributes(PLAIN, count=6), None),
        (with_attributes(COUNTED, count=4), Misfit("extent", "rows", "row")),
        (with_attributes(BLOCKS, count=9), None),
        (with_attributes(BLOCKS, count=-1), Misfit("attribute", "count")),
        (reshaped(BLOCKS, "rows", (9, 1, 4)), None),
        (reshaped(BLOCKS, "rows", (2, 7, 3)), Misfit("extent", "sums", "hidden")),
    ],
)
def test_a_call_is_explained_by_its_form(wrong, misfit) -> None:  # type: ignore[no-untyped-def]
    assert explain(FORMED, wrong).misfit == misfit


def test_changed_calls_of_another_form_are_left_out_unless_they_are_of_none() -> None:
    found = {one.name for one in rejections(FORMED, PLAIN, COUNTED, BLOCKS)}
    assert {"layout is 2, plain", "layout is -1, counted", "count is -1, blocks"} <= found
    assert {"count is 4, counted", "rows is [2, 7], not [2, 7, 4], blocks"} <= found
    assert not found & {"layout is 1, plain", "count is 1, plain", "count is 0, counted"}


def test_pointers_are_tried_once_and_ranks_only_of_tensors_that_have_others() -> None:
    names = [one.name for one in rejections(FORMED, PLAIN, COUNTED, BLOCKS)]
    assert names.count("rows is null") == 1
    assert "sums is [], not [3, 4], plain" in names
    assert "sums is [], not [3, 4], blocks" not in names


def test_a_rule_may_be_that_of_calls_of_some_modes_alone() -> None:
    blocks = replace(rule("rank", "extent", says="blocks"), modes=("blocks",))
    by_mode = replace(FORMED, rules=(blocks, *FORMED.rules))
    found = {one.name: one.clause.text for one in rejections(by_mode, PLAIN, BLOCKS)}
    assert found["rows is [2, 7], not [2, 7, 4], blocks"] == "blocks"
    assert found["rows is [6], not [6, 4], plain"] == "shapes"


def test_a_form_need_not_look_at_all_attributes_of_the_other_calls() -> None:
    lost = function("lost", lambda rows, lost: rows - lost, TOKEN, "lost")
    kept = tensor("rows", TOKEN, HIDDEN, acl="rowsIn")
    sums = tensor("sums", lost, HIDDEN, role="output")
    whole = Form({"layout": 1}, (tensor("sums", TOKEN, HIDDEN, role="output"),))
    layout = number("layout", least=0, most=1)
    found = Signature(
        "copies", (kept, number("lost"), layout, sums), RULES[:2], forms={"whole": whole}
    )
    assert found.checked(found.attributes[0])
    assert not found.of_mode("whole").checked(found.attributes[0])


def test_freedoms_and_ranges_are_those_of_all_forms() -> None:
    assert freedoms(FORMED) == (
        FreeAttribute("padded", SAYS),
        FreeAxis("rows", 3, 0, SAYS),
        FreeAxis("rows", 3, 1, SAYS),
    )
    found = {one.name: (one.least, one.most, one.modes) for one in ranges(FORMED)}
    assert found == {"top_k": (1, 4, ()), "layout": (0, 1, ()), "count": (0, None, ())}


def test_axes_and_the_call_of_torch_are_those_of_a_form() -> None:
    assert Axes.of(FORMED.of_mode("blocks")).tensors["rows"] == ("block", "place", "hidden")
    binding = bound(FORMED, "npu_gather_sum", ("sums",), places=PLACE, tokens=TOKEN)
    assert dict(binding.call(BLOCKS).arguments) == {"places": 7, "tokens": 3}


COUNT = Size("block", least=1)
BY_NUMBER = replace(
    FORMED,
    parameters=(*FORMED.parameters, number("blocks", free=SAYS)),
    rules=(rule("attribute", about=("blocks",), says="blocks are counted"), *FORMED.rules),
    forms={
        "blocks": Form(
            {"layout": 1},
            (
                tensor("rows", COUNT, PLACE, HIDDEN, acl="rowsIn"),
                replace(FORMED.forms["blocks"].tensors[1], numbers=COUNT * PLACE),
            ),
            (number("blocks", COUNT),),
        )
    },
)
NUMBERED = call(BY_NUMBER, "blocks", "float32", {**SIZES, "block": 2, "place": 7})


def test_an_attribute_that_is_free_may_be_a_size_of_a_form() -> None:
    assert NUMBERED.attributes["blocks"] == 2
    plain = call(BY_NUMBER, "plain", "float32", SIZES, blocks=-1)
    assert explain(BY_NUMBER, plain).misfit is None
    none = with_attributes(NUMBERED, blocks=0)
    assert explain(BY_NUMBER, none).misfit == Misfit("attribute", "blocks", "block")
    names = {one.name for one in rejections(BY_NUMBER, plain, NUMBERED)}
    assert {"blocks is 0, blocks", "blocks is 3, blocks"} <= names
    assert "blocks is 0, plain" not in names


def test_an_attribute_is_not_free_if_one_form_checks_it() -> None:
    assert FreeAttribute("blocks", SAYS) not in freedoms(BY_NUMBER)
    found = {one.name: (one.least, one.most, one.modes) for one in ranges(BY_NUMBER)}
    assert found["blocks"] == (1, None, ("blocks",))


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        (Form({"lay": 1}), "mode other fixes lay, which is no attribute"),
        (Form({}, (), (number("lay"),)), "mode other fixes lay, which is no attribute"),
        (
            Form({"layout": 1}, (tensor("rows", TOKEN, HIDDEN),)),
            "mode other has another parameter rows than the interface",
        ),
        (
            Form({"layout": 1}, (tensor("rows", Size("part"), HIDDEN, acl="rowsIn"),)),
            "size part is that of one axis alone: say by which clause it is free",
        ),
    ],
)
def test_a_form_that_does_not_fit_its_signature_is_named(form, problem) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="gather_sum") as raised:
        replace(FORMED, forms={"other": form})
    assert str(raised.value) == f"signature of gather_sum: {problem}"


EACH = Size("row", free=SAYS)
ASKING = replace(
    SUMMED,
    parameters=(*SUMMED.parameters, number("asked", least=0, most=1)),
    rules=(*SUMMED.rules, rule("attribute")),
    forms={
        "with totals": Form(
            {"asked": 1},
            (tensor("totals", EACH, role="output", dtype=FLOATS, optional=True, beside="rows"),),
        )
    },
)
ASKED = call(
    ASKING, "plain", "float32", {"row": 5, "hidden": 4}, {"totals": {"dtype": "float32"}}, asked=1
)


def test_a_form_may_be_that_of_some_calls_of_a_mode() -> None:
    assert explain(ASKING, without(ASKED, "totals")).misfit == Misfit("null", "totals")
    found = {one.name for one in rejections(ASKING, ASKED)}
    assert {"totals is null", "totals is [], not [5], plain", "asked is 2, plain"} <= found

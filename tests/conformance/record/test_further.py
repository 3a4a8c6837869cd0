"""Further axes of a tensor may together be of one size, which is 1 if there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.record.call_rules import Ranks
from conformance.record.derive.calls import call
from conformance.record.derive.explain import Misfit, explain
from conformance.record.derive.rejections import freedoms, ranges, rejections
from conformance.record.signature import Signature, tensor
from conformance.record.sizes import Further, Size
from conformance.record.variations import reshaped
from conformance.relations.axes import Axes
from tests.conformance.record.gather_sum import INVALID, NULL, SAYS, rule

TOKEN, SLOT, COLUMN = Size("token"), Size("slot", most=4), Size("column")
SIGNATURE = Signature(
    "copies",
    (
        tensor("rows", TOKEN, further=Further(SAYS, size=COLUMN)),
        tensor("indices", TOKEN, dtype="int32", further=Further(SAYS, most=1, size=SLOT)),
        tensor("copies", TOKEN * SLOT, role="output", further=Further(SAYS, size=COLUMN, fewest=1)),
    ),
    (
        rule("null", status=NULL),
        rule("dtype", status=INVALID),
        rule("limit", says="at most 4 slots"),
        rule("rank", "extent", says="shapes"),
    ),
)


def made(slot=(2,), column=(3, 5)):  # type: ignore[no-untyped-def]
    return call(SIGNATURE, "plain", "float32", {"token": 4, "slot": slot, "column": column})


RIGHT, FLAT = made(), made((), (7,))


def test_a_call_has_these_further_axes_or_one_of_their_size() -> None:
    shapes = {name: one.shape for name, one in {**RIGHT.inputs, **RIGHT.outputs}.items()}
    assert shapes == {"rows": (4, 3, 5), "indices": (4, 2), "copies": (8, 3, 5)}
    assert FLAT.inputs["indices"].shape == (4,)
    assert made(2, 15).outputs["copies"].shape == (8, 15)


@pytest.mark.parametrize(("case", "slot", "column"), [(RIGHT, 2, 15), (FLAT, 1, 7)])
def test_the_product_of_further_axes_is_their_size(case, slot, column) -> None:  # type: ignore[no-untyped-def]
    sizes, misfit = explain(SIGNATURE, case)
    assert misfit is None
    assert sizes == {"token": 4, "slot": slot, "column": column}


@pytest.mark.parametrize(
    ("name", "shape", "misfit"),
    [
        ("copies", (8, 5, 3), None),
        ("copies", (8, 15), None),
        ("copies", (8, 3, 4), Misfit("extent", "copies", "column")),
        ("copies", (8,), Misfit("rank", "copies")),
        ("rows", (4,), Misfit("extent", "copies", "column")),
        ("rows", (), Misfit("rank", "rows")),
        ("indices", (4,), Misfit("extent", "copies", "token.slot")),
        ("indices", (4, 2, 1), Misfit("rank", "indices")),
        ("indices", (4, 5), Misfit("limit", "indices", "slot")),
    ],
)
def test_what_does_not_fit_is_found(name, shape, misfit) -> None:  # type: ignore[no-untyped-def]
    assert explain(SIGNATURE, reshaped(RIGHT, name, shape)).misfit == misfit


def test_ranks_are_free_within_their_ends_and_a_size_has_its_range() -> None:
    assert freedoms(SIGNATURE) == (
        Ranks("rows", 1, None, SAYS),
        Ranks("indices", 1, 2, SAYS),
        Ranks("copies", 2, None, SAYS),
    )
    (found,) = ranges(SIGNATURE)
    assert (found.name, found.least, found.most) == ("slot", None, 4)
    assert (found.value(RIGHT), found.value(FLAT)) == (2, 1)


def test_rejected_calls_have_other_further_axes() -> None:
    names = {one.name for one in rejections(SIGNATURE, RIGHT, FLAT)}
    assert {
        "rows is [4, 3], not [4, 3, 5], plain",
        "copies is [7, 3, 5], not [8, 3, 5], plain",
        "copies is [8, 3, 6], not [8, 3, 5], plain",
        "slot is 5, plain",
    } <= names
    assert not any(name.startswith("copies is [8, 3, 5, 1]") for name in names)


def test_a_tensor_may_have_as_many_axes_as_another_if_that_is_there() -> None:
    as_indices = Further(SAYS, most=1, size=SLOT, like="indices")
    weights = tensor("weights", TOKEN, optional=True, further=as_indices)
    weighed = replace(
        SIGNATURE, parameters=(*SIGNATURE.parameters[:2], weights, *SIGNATURE.parameters[2:])
    )
    sizes = {"token": 4, "slot": (), "column": 7}
    flat = call(weighed, "plain", "float32", sizes, {"weights": {}})
    assert flat.inputs["weights"].shape == (4,)
    assert explain(weighed, flat).misfit is None
    wider = reshaped(flat, "weights", (4, 1))
    assert explain(weighed, wider).misfit == Misfit("rank", "weights")
    assert "weights is [4, 1], not [4], plain" in {one.name for one in rejections(weighed, flat)}
    assert Ranks("weights", 1, 2, SAYS) not in freedoms(weighed)


def test_axes_like_those_of_no_tensor_are_named() -> None:
    keys = tensor("keys", TOKEN, further=Further(SAYS, like="indexes"))
    with pytest.raises(ValueError, match="keys stands beside indexes, which is no tensor"):
        replace(SIGNATURE, parameters=(*SIGNATURE.parameters, keys))


def test_the_last_axis_of_a_relation_is_that_of_all_further_ones() -> None:
    assert Axes.of(SIGNATURE).tensors == {
        "rows": ("token", "column"),
        "indices": ("token", "slot"),
        "copies": ("token.slot", "column"),
    }


def test_a_missing_size_of_further_axes_is_named() -> None:
    with pytest.raises(ValueError, match=r"^rows needs the size column$"):
        call(SIGNATURE, "plain", "float32", {"token": 4, "slot": 2})

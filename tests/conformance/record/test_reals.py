"""An attribute may be a floating-point number: within limits, or free."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.record.call_rules import LESS, MORE, FreeAttribute, Range, just_beyond
from conformance.record.derive.calls import call
from conformance.record.derive.explain import Misfit, explain
from conformance.record.derive.records import of_signature
from conformance.record.derive.rejections import freedoms, ranges, rejections
from conformance.record.derive.torch_call import bound
from conformance.record.operator import AttributeParameter, Example, Operator
from conformance.record.signature import Form, Signature, flag, number, real, tensor
from conformance.record.sizes import Size
from conformance.record.variations import with_attributes
from tests.cases.rejected_calls import missing
from tests.conformance.record.gather_sum import INVALID, NULL, SAYS, rule

TOKEN = Size("token")
SIGNATURE = Signature(
    "scales",
    (
        tensor("x", TOKEN),
        real("scaling_factor", least=0, most=1.0),
        number("count", free=SAYS),
        real("eps", SAYS),
        flag("fast", SAYS),
        tensor("y", TOKEN, role="output"),
    ),
    (
        rule("null", status=NULL),
        rule("dtype", status=INVALID),
        rule("attribute", says="0 to 1"),
        rule("rank", "extent", says="shapes"),
    ),
)
RIGHT = call(SIGNATURE, "plain", "float32", {"token": 3}, scaling_factor=0.5)


def test_it_is_a_double_in_the_interface_and_zero_unless_it_is_given() -> None:
    factor = SIGNATURE.attributes[0]
    assert (factor.acl_name, factor.ctype, factor.limits) == ("scalingFactor", "double", (0.0, 1.0))
    assert type(factor.limits[0]) is float
    assert RIGHT.attributes == {"scaling_factor": 0.5, "count": 0, "eps": 0.0, "fast": 0}
    assert type(RIGHT.attributes["eps"]) is float


@pytest.mark.parametrize(
    ("ends", "value", "fits"),
    [
        ((0, 1), 0.0, True),
        ((0, 1), -0.0, True),
        ((0, 1), 1.0, True),
        ((0, 1), math.nextafter(1, 2), False),
        ((0, 1), -5e-324, False),
        ((0, 1), math.inf, False),
        ((0, 1), math.nan, False),
        ((None, 1), math.nan, False),
        ((0, None), math.nan, False),
        ((None, 1), -math.inf, True),
        ((0, None), math.inf, True),
        ((None, None), math.nan, True),
    ],
)
def test_limits_are_inclusive_and_nan_is_outside_of_them(
    ends: tuple[Any, Any], value: float, fits: bool
) -> None:
    limited = real("scaling_factor", SAYS, least=ends[0], most=ends[1])
    x, _, *others = SIGNATURE.parameters
    signature = replace(SIGNATURE, parameters=(x, limited, *others), rules=())
    misfit = explain(signature, with_attributes(RIGHT, scaling_factor=value)).misfit
    assert misfit == (None if fits else Misfit("attribute", "scaling_factor"))


def test_it_is_tried_beyond_its_limits_and_has_a_range() -> None:
    found = [one for one in rejections(SIGNATURE, RIGHT) if one.clause.text == "0 to 1"]
    names = ["-0.5", "-1.401298464324817e-45", "1.0000001192092896", "inf", "-inf", "nan"]
    assert [one.name for one in found] == [f"scaling_factor is {n}, plain" for n in names]
    assert all(type(one.case.attributes["scaling_factor"]) is float for one in found)
    assert ranges(SIGNATURE) == (Range("scaling_factor", 0.0, 1.0, found[0].clause),)
    assert ranges(SIGNATURE)[0].value(RIGHT) == 0.5


def test_one_that_is_free_is_not_tried() -> None:
    assert FreeAttribute("eps", SAYS) in freedoms(SIGNATURE)
    assert not any(one.name.startswith("eps") for one in rejections(SIGNATURE, RIGHT))


@pytest.mark.parametrize(
    "end", [0.0, 1.0, -1.0, 0.1, -0.1, 5e-324, 1e30, 3.4028234663852886e38, 1e39]
)
@pytest.mark.parametrize("way", [LESS, MORE])
def test_just_beyond_an_end_is_the_next_float32_that_is(end: float, way: int) -> None:
    beyond = just_beyond(end, way)
    assert (beyond - end) * way > 0
    assert np.float32(beyond) == beyond
    with np.errstate(over="ignore"):
        nearer = np.nextafter(np.float32(beyond), np.float32(-way * math.inf))
    assert (float(nearer) - end) * way <= 0
    assert just_beyond(4, way) == 4 + way


def test_the_ends_of_its_range_are_looked_for_among_calls() -> None:
    told = "scales: scaling_factor: no accepted call at the least, nor one in quarantine"
    ends = [with_attributes(RIGHT, scaling_factor=one) for one in (0.0, 1.0)]
    assert told in missing(operator())
    assert not [one for one in missing(operator(*ends)) if "scaling_factor" in one]
    few = replace(operator(*ends), rejections=())
    for word in ("least", "most"):
        assert f"scales: scaling_factor: no rejected call just beyond the {word}" in missing(few)


def operator(*rights: Any) -> Operator:
    return Operator(
        **of_signature(SIGNATURE, lambda mode, dtype: None),
        sources=(),
        products=(),
        modes=(),
        dtypes=("float32",),
        formula=lambda inputs, attributes: {},
        contracts={},
        examples=tuple(Example("right", one, "") for one in (RIGHT, *rights)),
        rejections=rejections(SIGNATURE, RIGHT),
    )


def test_a_form_and_a_mode_may_fix_it() -> None:
    form = Form({"eps": 0.5}, (tensor("x", TOKEN, TOKEN),))
    other = replace(SIGNATURE, forms={"square": form}, by_mode={"plain": {"eps": 0.25}})
    plain = call(other, "plain", "float32", {"token": 2})
    square = call(other, "square", "float32", {"token": 2})
    assert (plain.attributes["eps"], square.attributes["eps"]) == (0.25, 0.5)
    assert square.inputs["x"].shape == (2, 2)
    assert other.of(square) is other.of_mode("square")
    assert other.of(plain) is other


@pytest.mark.parametrize("given", [0.1, np.float64(0.1)])
def test_python_gets_a_float(given: float) -> None:
    binding = bound(SIGNATURE, "npu_scales", ("y",), factor="scaling_factor", fast="fast")
    case = with_attributes(RIGHT, scaling_factor=given, fast=1)
    assert binding.call(case).arguments == (("factor", 0.1), ("fast", True))
    assert type(binding.call(case).arguments[0][1]) is float
    called = dict(operator().python_call(case).arguments)
    assert (type(called["scaling_factor"]), called["scaling_factor"]) == (float, 0.1)


@pytest.mark.parametrize(
    ("ctype", "values"),
    [
        ("int64", (1, -1, True, np.int64(1), np.int32(1))),
        ("bool", (1, True, np.bool_(True))),
        ("double", (1.0, math.nan, math.inf, np.float64(1))),
        ("int array", (None, (), (1, np.int64(2)))),
    ],
)
def test_a_value_is_of_one_type(ctype: Any, values: tuple[object, ...]) -> None:
    one = AttributeParameter("one", "one", ctype)
    assert all(one.has(value) for value in values)
    others = ("1", "nan", b"1", [1], (1.0,), ("1",), np.float32(1), 1j, {}, np.zeros(1))
    assert not any(one.has(value) for value in others)
    assert not one.has(1.5) or ctype == "double"
    assert not one.has(1) or ctype not in ("double", "int array")
    assert not one.has(None) or ctype == "int array"

"""A signature names its parameters and sizes, and says at once what of it does not fit together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.record.signature import flag, number, tensor
from conformance.record.sizes import Size
from tests.conformance.record.gather_sum import (
    HIDDEN,
    PARAMETERS,
    RULES,
    SAYS,
    SIGNATURE,
    SLOT,
    TOKEN,
    WEIGHED,
    rule,
)


def test_a_parameter_is_called_in_camel_case_in_the_c_interface() -> None:
    assert [one.acl_name for one in SIGNATURE.parameters] == [
        *("rowsIn", "indices", "weights", "topK", "padded", "sums")
    ]
    assert [one.acl_name for one in WEIGHED.attributes] == ["orderOptional", "padded"]


def test_sizes_are_those_of_axes_and_attributes() -> None:
    assert set(SIGNATURE.sizes) == {"row", "hidden", "token", "slot"}
    assert SIGNATURE.sizes["slot"].most == 4


def test_one_axis_of_several_sizes_has_their_names() -> None:
    assert (TOKEN * SLOT).name == "token.slot"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (
            {"parameters": (*PARAMETERS, tensor("rows", HIDDEN, role="output"))},
            "rows is declared twice",
        ),
        (
            {"parameters": (*PARAMETERS, tensor("more", Size("hidden", 1), role="output"))},
            "two different sizes are called hidden",
        ),
        (
            {"parameters": (*PARAMETERS, tensor("more", Size("extra"), role="output"))},
            "size extra is that of one axis alone: say by which clause it is free",
        ),
        (
            {"parameters": (*PARAMETERS, tensor("more", HIDDEN, numbers=Size("place")))},
            "more numbers place, which no axis has",
        ),
        (
            {"parameters": (*PARAMETERS, tensor("more", HIDDEN, optional=True, beside="less"))},
            "more stands beside less, which is no tensor",
        ),
        (
            {"parameters": (*PARAMETERS, number("more"))},
            "attribute more is no size: say its limits, or by which clause it is free",
        ),
        (
            {"rules": (*RULES, rule("rank", about=("row_s",), says="rows have two axes"))},
            'the rule "rows have two axes" is about row_s, which is no parameter and no size',
        ),
        ({"by_mode": {"padded": {"pad": 1}}}, "mode padded fixes pad, which is no attribute"),
    ],
)
def test_what_does_not_fit_together_is_told_with_parameter_and_rule(changed, problem) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="gather_sum") as raised:
        replace(SIGNATURE, **changed)
    assert str(raised.value) == f"signature of gather_sum: {problem}"


def test_an_attribute_that_is_no_size_may_have_limits() -> None:
    more = replace(SIGNATURE, parameters=(*PARAMETERS, number("mode", least=0, most=1)))
    assert more.attributes[-1].limits == (0, 1)
    assert SIGNATURE.attributes[0].limits == (1, 4)


def test_a_size_that_can_be_but_one_is_tied_by_its_limits() -> None:
    more = (*PARAMETERS, tensor("ends", Size("end", least=2, most=2)))
    assert "end" in replace(SIGNATURE, parameters=more).sizes


def test_a_free_attribute_and_a_free_size_need_no_rule() -> None:
    more = (*PARAMETERS, flag("fast", free=SAYS), tensor("rest", Size("rest", free=SAYS)))
    assert replace(SIGNATURE, parameters=more).sizes["rest"].free == SAYS

"""Bindings of torch_npu's functions that take the names of an operator's own parameters."""

from __future__ import annotations

import pytest

from cases.operators._torch_npu import PLUGIN, bound_by_names
from conformance.record.torch_binding import Given
from tests.conformance.record.gather_sum import SIGNATURE, right


def test_inputs_and_attributes_are_keywords_in_the_order_of_the_interface() -> None:
    binding = bound_by_names(SIGNATURE, "npu_gather_sum", "it sorts", k="top_k")
    called = binding.call(right())
    outputs = tuple(one.name for one in SIGNATURE.tensors if one.role == "output")
    given = [one.name for one in SIGNATURE.parameters if one.name not in outputs]
    assert called.results == outputs
    names = [name for name, _ in called.arguments]
    assert names == ["k" if one == "top_k" else one for one in given]
    assert dict(called.arguments)["rows"] == Given("rows")
    assert [(one.text, one.source) for one in binding.clauses] == [("it sorts", PLUGIN)]


def test_another_keyword_for_a_parameter_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="topk: gather_sum has no such input or attribute"):
        bound_by_names(SIGNATURE, "npu_gather_sum", k="topk")

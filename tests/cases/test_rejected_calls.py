"""For each tensor, axis, rank and attribute of every record there is a rejected call."""

from __future__ import annotations

import pytest

from conformance import suite
from conformance.operator import Operator
from tests.cases.rejected_calls import missing

OPERATORS = suite.operators([])


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_a_record_has_a_rejected_call_for_each_tensor_axis_rank_and_attribute(
    operator: Operator,
) -> None:
    assert missing(operator) == []

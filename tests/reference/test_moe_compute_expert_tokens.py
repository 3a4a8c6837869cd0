"""MoeComputeExpertTokens: the reference says what the plain loops say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.moe_compute_expert_tokens import formula
from tests.definitions.moe_compute_expert_tokens import moe_compute_expert_tokens as loops


@settings(max_examples=100, database=None, derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 5), max_size=12), st.integers(6, 8))
def test_the_reference_is_the_loops(entries: list[int], experts: int) -> None:
    found = formula(np.array(sorted(entries), np.int32), experts)
    assert found.tolist() == loops(sorted(entries), num_experts=experts)
    assert found.dtype == np.int32


def test_entries_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sorted_experts=\(2, 1\): must ascend .*2\.\.3"):
        formula(np.array([0, 0, 2, 1, 0], np.int32), 3)

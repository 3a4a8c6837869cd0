"""MoeComputeExpertTokens: the reference says what the plain loops say."""

from __future__ import annotations

import numpy as np
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

"""Calls of MoeTokenPermuteWithEp with the routing of a workload: the slots of a rank."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._moe_token_permute_with_ep_call import call
from cases.operators._moe_token_permute_with_ep_windows import mode_of
from cases.operators._workloads import CHIP
from conformance.call.case import Case
from conformance.draw.values import MOVED
from conformance.record.workload import Batch
from conformance.values.fill import Fill


def workload_cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
    """The rows of the slots whose experts one rank holds; none: the range is empty."""
    start, end = batch.held

    def made(fill: Fill, probs: Fill) -> Case:
        return call(
            mode_of(start, end, batch.experts.size),
            dtype,
            tokens=(batch.tokens, batch.columns),
            top_k=batch.workload.top_k,
            indices=tuple(batch.experts.ravel().tolist()),
            probs=probs,
            rank_range=(start, end),
            fill=fill,
            machine=CHIP,
        )

    return st.builds(made, MOVED, MOVED)

"""Calls of MoeInitRoutingV2 with the routing of a workload."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._moe_init_routing_v2_call import call
from cases.operators._workloads import CHIP
from conformance.call.case import Case
from conformance.draw.values import MOVED
from conformance.record.workload import Batch
from conformance.values.fill import Fill


def workload_cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
    """A row for every slot, and how many slots the experts up to each one have."""

    def made(fill: Fill) -> Case:
        return call(
            "dropless",
            dtype,
            x=(batch.tokens, batch.columns),
            top_k=batch.workload.top_k,
            experts=tuple(batch.experts.ravel().tolist()),
            expert_num=batch.workload.experts,
            counts="cumsum",
            fill=fill,
            machine=CHIP,
        )

    return st.builds(made, MOVED)

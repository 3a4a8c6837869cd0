"""Calls of operators with the routing of a workload, on a whole chip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._ladders import Drawn
from conformance.call.case import Case, Machine
from conformance.draw.values import MOVED
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import Edge
from conformance.record.workload import Batch
from conformance.values.fill import Fill

CHIP = Machine(48, max(USABLE_UB_BYTES.values()))
Made = Callable[[str, Batch], SearchStrategy[Case]]


def by_ranks(drawn: Drawn, mode: str, tensor: str) -> Made:
    """Calls of a mode whose ``tensor`` has the rank of each slot among all."""
    return _routed(drawn, mode, tensor, lambda batch: batch.ranks)


def by_experts(drawn: Drawn, mode: str, tensor: str) -> Made:
    """Calls of a mode whose ``tensor`` has the expert of each slot."""
    return _routed(drawn, mode, tensor, lambda batch: batch.experts)


def by_map(drawn: Drawn, mode: str, tensor: str) -> Made:
    """Calls of a mode whose ``tensor`` is true where an expert has a token, [tokens, experts]."""

    def mapped(batch: Batch) -> NDArray[np.int64]:
        marks = np.zeros((batch.tokens, batch.workload.experts), np.int64)
        np.put_along_axis(marks, batch.experts, 1, axis=1)
        return marks

    return _routed(drawn, mode, tensor, mapped)


def by_calls(
    call: Callable[..., Case],
    mode: str,
    fills: SearchStrategy[Fill] = MOVED,
    **how: Any,
) -> Made:
    """What ``call`` makes of a mode and of the experts of each slot; ``how`` is what else it says,
    or what gives that of a number of experts."""

    def cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
        experts = batch.workload.experts
        return fills.map(
            lambda fill: call(
                mode,
                dtype,
                x=(batch.tokens, batch.columns),
                top_k=batch.workload.top_k,
                experts=tuple(batch.experts.ravel().tolist()),
                expert_num=experts,
                fill=fill,
                machine=CHIP,
                **{name: one(experts) if callable(one) else one for name, one in how.items()},
            )
        )

    return cases


def _routed(
    drawn: Drawn, mode: str, tensor: str, routing: Callable[[Batch], NDArray[np.int64]]
) -> Made:
    """Calls of the sizes of an edge, with another routing than is drawn there."""

    def cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
        sizes = {
            "tokens": batch.tokens,
            "top_k": batch.workload.top_k,
            "hidden": batch.columns,
            "experts": batch.workload.experts,
        }
        values = tuple(routing(batch).ravel().tolist())

        def put(case: Case) -> Case:
            held = replace(case.inputs[tensor], values=values)
            return replace(case, inputs={**case.inputs, tensor: held})

        return drawn(mode, dtype, Edge(str(batch), CHIP, sizes, 0)).map(put)

    return cases

"""Calls of operators with the routing of a workload, on a whole chip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._ladders import Drawn
from conformance.call.case import Case, Machine
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.edges import Edge
from conformance.record.workload import Batch

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

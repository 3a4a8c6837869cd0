"""Sums over the slots whose ranks lie in a range, of operators with expert parallelism.

A case is first drawn as a sum over slots of which those below the number of rows count, and then
its ranks are moved to where the range of its mode lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._slot_sum import Call, every_row
from cases.operators._values import WEIGHTS
from conformance.call.case import Case
from conformance.draw.far import EDGES
from conformance.record.cells import Axis, Constraint
from conformance.record.derive.axes import of_values
from conformance.record.operator import Example
from conformance.values.fill import Fill
from reference.moe_token_permute_with_ep import Range
from reference.permutation import MOST_TOPK

Shape = tuple[int, ...]
RANGED = {
    "full": "every rank",
    "head": "the first ranks, or none",
    "tail": "the last ranks",
    "middle": "ranks with others before and behind",
}
"""Modes, and what the range of each holds."""

NO_RANGE = "no_range"
"""The mode of operators for which a null range has a meaning."""


def kept(rank_range: Range | None) -> int:
    """How many ranks a range selects; null has range (0, 0)."""
    start, end = rank_range or (0, 0)
    return max(0, end - start)


def ranged_call(of_sum: Call) -> Call:
    """What makes a case from the sizes that matter, without probabilities, of what makes a sum.

    ``indices`` are ranks as the forward operator gives them but for the range's first one, which
    is taken for rank 0.
    """

    def call(mode: str, dtype: str, *, source: Shape, indices: Shape, **given: Any) -> Case:
        if mode == NO_RANGE:
            return of_sum(mode, dtype, source=source, indices=indices, **given)
        start = _start(mode, source[0], len(indices))
        ranks = tuple(_moved(np.array(indices, np.int64), source[0], start).tolist())
        ends = (start, start + min(source[0], len(indices) - start))
        return of_sum(mode, dtype, source=source, indices=ranks, rank_range=ends, **given)

    return call


def _start(mode: str, rows: int, slots: int) -> int:
    """The range's first rank, as many of the others before it as the mode says."""
    outside = max(0, slots - rows)
    return {"tail": outside, "middle": (outside + 1) // 2}.get(mode, 0)


def _moved(ranks: NDArray[np.int64], rows: int, start: int) -> NDArray[np.int64]:
    """The ranks after the range has moved from 0 to ``start``: a permutation of all ranks."""
    beyond = ranks - rows
    return np.where(ranks < rows, ranks + start, np.where(beyond < start, beyond, ranks))


def window(case: Case) -> tuple[int, int]:
    """The range of a case, first rank and first beyond; without one, that of its rows."""
    start, end = case.attributes["rank_range"] or every_row(case)
    return start, end


def is_of_middle(case: Case) -> bool:
    """Whether ranks remain before and behind the range of a call near those in the middle."""
    ends, indices = case.attributes["rank_range"], case.inputs.get("sorted_indices")
    return ends[:1] != (0,) and (indices is None or ends[1:] != (indices.size,))


ABSENT = "none"
PROBS_AT_ONCE = Constraint(
    ("probs dtype", "probs"),
    lambda dtype, family: (dtype == ABSENT) == (family == ABSENT),
    "probabilities that are not there have neither a data type nor values",
)


def probs_axes(dtypes: tuple[str, ...], optional: bool = True) -> tuple[Axis, Axis]:
    """The data type of probabilities and what they are, or that there are none."""
    none = (ABSENT,) if optional else ()

    def dtype_of(case: Case) -> list[str]:
        return [case.inputs["probs"].dtype if "probs" in case.inputs else ABSENT]

    return (
        Axis("probs dtype", (*none, *dtypes), dtype_of),
        of_values("probs", (*none, *WEIGHTS), "probs", absent=ABSENT),
    )


def far_ranks(call: Call) -> Iterator[Example]:
    """Calls whose last row begins beyond an edge, and whose last but one lies across it.

    As no rank is beyond the slots, these are many; but all others have rank 0, before the range.
    """
    tokens = 64
    ranks = tokens * MOST_TOPK
    last = ranks - 2
    named = {0: last, MOST_TOPK + 7: last - 1, ranks - 1: 0}
    indices = tuple(named.get(slot, ranks - 1) for slot in range(ranks))
    for edge, dtype in zip(EDGES, ("bfloat16", "float16"), strict=True):
        case = call(
            "tail",
            dtype,
            source=(last + 1, 16 * (edge // (16 * last) + 1)),
            indices=indices,
            top_k=MOST_TOPK,
            fill=Fill(("address",), seed=4),
            rows=tuple(sorted(named.values())),
        )
        name = f"rows beyond 2^{edge.bit_length() - 1} elements {dtype}"
        yield Example(name, case, "int64 shape and int32 indices of the interface, inferred")

"""The seams of this project's kernels that add up rows: what the least machine takes in two parts.

Those of MoeTokenPermuteGrad and of MoeTokenPermuteWithRoutingMapGrad are cut by the same limits.
"""

from __future__ import annotations

from hypothesis import strategies as st

from cases.operators._slot_sum_limits import BUFFERS, slots_ub
from conformance.call.case import Machine
from conformance.draw.machines import UB_BYTES, seam_machines

MOST_BUFFERS = max(BUFFERS.values())
LEAST_MACHINE = Machine(1, UB_BYTES[0])

SEAM_MACHINES = seam_machines(UB_BYTES[0], 31)
SEAMS = st.sampled_from(("tiles", "batches"))
"""What a case has two of on such a machine: tiles of a row, or batches of names."""


def tile_columns(top_k: int, element_bytes: int, ub_bytes: int, buffers: int = 2) -> int:
    """The largest hidden size in one tile with so many input rows beside a token's indices."""
    return slots_ub(ub_bytes, top_k, element_bytes).columns(buffers)


def names_at_once(top_k: int, element_bytes: int, ub_bytes: int, hidden: int) -> int:
    """The most tokens of which one core has the indices beside a tile of ``hidden`` columns."""
    return slots_ub(ub_bytes, top_k, element_bytes).names(hidden)


def beyond(
    seam: str,
    top_k: int,
    element_bytes: int,
    hidden: int,
    ub_bytes: int = LEAST_MACHINE.ub_bytes,
) -> tuple[int, int]:
    """Columns and tokens that lie on a seam of a buffer; 0 tokens: any, as ``hidden``."""
    if seam == "tiles":
        return tile_columns(top_k, element_bytes, ub_bytes) + 1, 0
    if seam == "batches":
        hidden = tile_columns(top_k, element_bytes, ub_bytes, MOST_BUFFERS)
        return hidden, names_at_once(top_k, element_bytes, ub_bytes, hidden) + 1
    return hidden, 0

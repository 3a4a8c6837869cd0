"""Where this project's kernels that add up rows change their path.

`tile_columns` and `names_at_once` say what the host tilings of MoeTokenPermuteGrad and of
MoeTokenPermuteWithRoutingMapGrad export as "hidden" and "batch"; a test holds them equal. They are
written here again because a strategy needs them where no kernel is built.
"""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.case import Machine
from conformance.strategies.machines import UB_BYTES

GRANULE_BYTES = 32
INDEX_BYTES = 4
BUFFERS = (4, 3, 2)
LEAST_MACHINE = Machine(1, UB_BYTES[0])

SEAMS = st.sampled_from(("tiles", "batches"))
"""What a case has two of on the least machine: tiles of a row, or batches of names."""


def tile_columns(top_k: int, element_bytes: int, ub_bytes: int, buffers: int = BUFFERS[-1]) -> int:
    """The largest hidden size in one tile with so many input rows beside a token's indices."""
    left = ub_bytes - _up(top_k * INDEX_BYTES)
    columns = max(0, left) // _column_bytes(element_bytes, buffers)
    granule = GRANULE_BYTES // element_bytes
    return columns // granule * granule


def names_at_once(top_k: int, element_bytes: int, ub_bytes: int, hidden: int) -> int:
    """The most tokens of which one core has the indices beside a tile of ``hidden`` columns."""
    columns = min(hidden, tile_columns(top_k, element_bytes, ub_bytes))
    held = (b for b in BUFFERS if hidden <= tile_columns(top_k, element_bytes, ub_bytes, b))
    tile = _up(columns * element_bytes) // element_bytes
    left = ub_bytes - tile * _column_bytes(element_bytes, next(held, BUFFERS[-1]))
    return left // GRANULE_BYTES * GRANULE_BYTES // (top_k * INDEX_BYTES)


def beyond(seam: str, top_k: int, element_bytes: int, hidden: int) -> tuple[int, int]:
    """Columns and tokens that lie on a seam of the least machine; 0 tokens: any, as ``hidden``."""
    ub_bytes = LEAST_MACHINE.ub_bytes
    if seam == "tiles":
        return tile_columns(top_k, element_bytes, ub_bytes) + 1, 0
    if seam == "batches":
        hidden = tile_columns(top_k, element_bytes, ub_bytes, BUFFERS[0])
        return hidden, names_at_once(top_k, element_bytes, ub_bytes, hidden) + 1
    return hidden, 0


def _column_bytes(element_bytes: int, buffers: int) -> int:
    """Bytes of the buffer per column: rows and result, and two fp32 sums of 16-bit types."""
    return element_bytes * (buffers + 1) + (8 if element_bytes < 4 else 0)


def _up(size: int) -> int:
    return -(-size // GRANULE_BYTES) * GRANULE_BYTES

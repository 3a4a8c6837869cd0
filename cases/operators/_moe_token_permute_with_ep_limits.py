"""Where this project's kernel of MoeTokenPermuteWithEp cuts rows into tiles.

`tile_columns` says what the host tiling exports as "hidden" and "hidden-probs"; a test holds them
equal. It is written here again because a strategy needs it where no kernel is built.
"""

from __future__ import annotations

GRANULE_BYTES = 32
RANK_BYTES = 4
SLOTS_OF_A_PART = GRANULE_BYTES // RANK_BYTES
BUFFERS = 2


def tile_columns(top_k: int, has_probs: bool, element_bytes: int, ub_bytes: int) -> int:
    """The largest hidden size in one tile, be it with all slots of a token or with a part of them.

    Rows are held twice; so are probabilities, each in a granule of its own.
    """
    slot = RANK_BYTES + (BUFFERS * GRANULE_BYTES if has_probs else 0)
    fit = ub_bytes // 2 // slot // SLOTS_OF_A_PART * SLOTS_OF_A_PART
    part = min(top_k, max(fit, SLOTS_OF_A_PART))
    part = -(-part // SLOTS_OF_A_PART) * SLOTS_OF_A_PART
    left = max(ub_bytes - GRANULE_BYTES - top_k * slot, ub_bytes - part * slot)
    return left // BUFFERS // GRANULE_BYTES * GRANULE_BYTES // element_bytes

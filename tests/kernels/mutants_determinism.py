"""Mistakes whose sums are right in each call and other ones in the next: determinism finds them."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

FINALIZE = "moe_finalize_routing_v2/moe_finalize_routing_v2_kernel_sum.h"
ADD_SLOT = "AddSlot(RowIndex(place, slot), place * slotsPerPart_ + slot, column, columns);"
GRADS = "shared/slot_grad_kernel.h"
DO_TILE = "DoTile(token, place, slots, column, Least(tileColumns_, hidden_ - column));"


def _backwards_if(condition: str) -> str:
    """The tiles of a token from the last to the first, where the condition holds."""
    return (
        "const int64_t last = (hidden_ - 1) / tileColumns_ * tileColumns_;\n"
        f"            const int64_t at = {condition} ? last - column : column;\n"
        "            DoTile(token, place, slots, at, Least(tileColumns_, hidden_ - at));"
    )


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_finalize_routing_v2": (
        Mutant(
            "sums-begin-at-the-number-of-blocks",
            FINALIZE,
            ADD_SLOT,
            "const int64_t at = (slot + AscendC::GetBlockNum()) % slots; "
            + ADD_SLOT.replace("slot)", "at)").replace("+ slot", "+ at"),
        ),
    ),
    "moe_finalize_routing_v2_grad": (
        Mutant(
            "every-second-token-of-a-batch-takes-the-tiles-from-the-last-to-the-first",
            GRADS,
            DO_TILE,
            _backwards_if("place / slots % 2 == 1"),
        ),
    ),
    "moe_token_unpermute_grad": (
        Mutant(
            "odd-blocks-take-the-tiles-from-the-last-to-the-first",
            GRADS,
            DO_TILE,
            _backwards_if("AscendC::GetBlockIdx() % 2 == 1"),
        ),
    ),
}
"""By operator: sums that are legal in any order, and come out otherwise elsewhere. Where sums are
also asked not to depend on the batch, their order may depend on no place either: batch invariance
finds that as well.
"""

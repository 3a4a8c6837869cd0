"""Mistakes whose sums are right in each call and other ones in the next: determinism finds them."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

FINALIZE = "moe_finalize_routing_v2/moe_finalize_routing_v2_kernel_sum.h"
ADD_SLOT = "AddSlot(RowIndex(place, slot), place * slotsPerPart_ + slot, column, columns);"


def _slot_at(place: str) -> str:
    """The slots of a token added in another order."""
    call = ADD_SLOT.replace("slot)", "at)").replace("+ slot", "+ at")
    return f"const int64_t at = {place}; {call}"


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_finalize_routing_v2": (
        Mutant(
            "sums-begin-at-the-slot-of-the-block",
            FINALIZE,
            ADD_SLOT,
            _slot_at("(slot + AscendC::GetBlockIdx()) % slots"),
        ),
        Mutant(
            "every-second-token-of-a-batch-is-added-backwards",
            FINALIZE,
            ADD_SLOT,
            _slot_at("place % 2 == 0 ? slot : slots - 1 - slot"),
        ),
    ),
    "moe_token_unpermute_grad": (
        Mutant(
            "odd-blocks-take-the-tiles-from-the-last-to-the-first",
            "shared/slot_grad_kernel.h",
            "DoTile(token, place, slots, column, Least(tileColumns_, hidden_ - column));",
            "const int64_t last = (hidden_ - 1) / tileColumns_ * tileColumns_;\n"
            "            const int64_t at =\n"
            "                AscendC::GetBlockIdx() % 2 == 0 ? column : last - column;\n"
            "            DoTile(token, place, slots, at, Least(tileColumns_, hidden_ - at));",
        ),
    ),
}
"""By operator: sums that are legal in any order, and come out otherwise elsewhere."""

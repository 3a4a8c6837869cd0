"""Mistakes by which a token's sum depends on the batch around it, in an order that is legal."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

SUM = "shared/finalize/finalize_sum_kernel.h"
ALL_SLOTS = "AddSlots(token + i, i, topK_, column, columns);"
ONE_SLOT = "AddSlot(token, RowIndex(place, slot), place * slotsPerPart_ + slot, column, columns);"


def _backwards_if(condition: str) -> str:
    """The slots of the token added from the last to the first, where the condition holds."""
    return (
        f"if ({condition}) {{\n"
        "    for (int64_t slot = topK_ - 1; slot >= 0; --slot) {\n"
        "        AddSlot(token + i, RowIndex(i, slot), i * slotsPerPart_ + slot, column,\n"
        "                columns);\n"
        f"    }}\n}} else {{\n    {ALL_SLOTS}\n}}"
    )


def _from(first: str) -> str:
    """The slots in UB added in turn from one of them on."""
    call = ONE_SLOT.replace("slot)", "at)").replace("+ slot", "+ at")
    return f"const int64_t at = (slot + ({first})) % slots; {call}"


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_finalize_routing_v2": (
        Mutant(
            "every-second-token-is-added-backwards",
            SUM,
            ALL_SLOTS,
            _backwards_if("(token + i) % 2 == 0"),
        ),
        Mutant(
            "the-first-token-is-added-backwards", SUM, ALL_SLOTS, _backwards_if("token + i == 0")
        ),
        Mutant("sums-of-many-tokens-begin-at-the-second-slot", SUM, ONE_SLOT, _from("tokens_ > 2")),
    ),
}
"""By operator."""

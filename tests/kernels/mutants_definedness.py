"""Mistakes whose values are right by what memory happened to hold: definedness finds them.

Sequences make their calls on memory as earlier ones left it. These mistakes take memory that is all
zeros for what they wrote themselves, which no earlier call leaves where ranks or names of tokens
lie: no two of those are alike.
"""

from __future__ import annotations

from tests.kernels.mutants import Mutant

SORT = "shared/sorting/slot_sort_kernel.h"
SORTED = "    Sort<Index>(tensors, tiling);"


def _unless_zeros(memory: str) -> str:
    """Nothing is sorted where the first two integers there are zeros."""
    return (
        f"    const auto there = reinterpret_cast<__gm__ int32_t*>({memory});\n"
        "    if (tiling->sort.keys < 2 || there[0] != 0 || there[1] != 0) {\n"
        "        Sort<Index>(tensors, tiling);\n"
        "    }"
    )


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_token_permute": (
        Mutant(
            "sorts-only-where-the-workspace-is-not-zeroed",
            SORT,
            SORTED,
            _unless_zeros("tensors.workspace"),
            least_indices=2,
        ),
    ),
    "moe_token_permute_with_ep": (
        Mutant(
            "sorts-only-where-the-ranks-are-not-zeros",
            SORT,
            SORTED,
            _unless_zeros("tensors.sortedIndices"),
            least_indices=2,
        ),
    ),
    "moe_token_permute_with_routing_map": (
        Mutant(
            "rows-of-an-expert-are-named-only-where-there-are-no-zeros",
            "moe_token_permute_with_routing_map/moe_token_permute_with_routing_map_kernel_pad.h",
            "        Base::Store(Base::sortedIndices_, row, end, named, count);",
            "        const auto there = Base::sortedIndices_.GetPhyAddr(row);\n"
            "        if (count < 2 || end - row < 2 || there[0] != 0 || there[1] != 0) {\n"
            "            Base::Store(Base::sortedIndices_, row, end, named, count);\n"
            "        }",
            modes=("drop_pad",),
            least_indices=2,
        ),
    ),
}
"""By operator: memory that happens to hold what makes the result right."""

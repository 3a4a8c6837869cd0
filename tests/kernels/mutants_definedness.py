"""Mistakes whose values are right by what memory happened to hold: definedness finds them.

Sequences make their calls on other memory too, but small ones: these mistakes are of large ones.
"""

from __future__ import annotations

from tests.kernels.mutants import Mutant

SORT = "shared/slot_sort_kernel.h"
SORTED = "    Sort<Index>(tensors, tiling);"
MANY = 1000

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_init_routing_v2": (
        Mutant(
            "counts-of-many-slots-are-the-least-of-what-was-there",
            "moe_init_routing_v2/moe_init_routing_v2_kernel_count.h",
            "        Count(0, slots, share.first, share.end);",
            f"        if (slots > {MANY}) {{ AscendC::SetAtomicMin<int32_t>(); }}\n"
            "        Count(0, slots, share.first, share.end);\n"
            "        AscendC::SetAtomicNone();",
            least_indices=MANY + 1,
        ),
    ),
    "moe_token_permute": (
        Mutant(
            "many-are-sorted-only-where-the-workspace-is-marked-as-new",
            SORT,
            SORTED,
            "    GM_ADDR mark = tensors.workspace + tiling->pairsOffset - sizeof(int32_t);\n"
            "    const bool hasMark = tiling->pairsOffset > tiling->sort.keys * 4;\n"
            f"    const bool isMany = tiling->sort.keys > {MANY};\n"
            "    if (!isMany || !hasMark || *reinterpret_cast<__gm__ int32_t*>(mark) < 0) {\n"
            "        Sort<Index>(tensors, tiling);\n"
            "    }",
            least_indices=MANY + 1,
        ),
    ),
    "moe_token_permute_with_ep": (
        Mutant(
            "many-are-sorted-only-where-their-ranks-are-not-zero-yet",
            SORT,
            SORTED,
            "    const auto ranks = reinterpret_cast<__gm__ int32_t*>(tensors.sortedIndices);\n"
            f"    if (tiling->sort.keys <= {MANY} || ranks[tiling->sort.keys - 1] != 0) {{\n"
            "        Sort<Index>(tensors, tiling);\n"
            "    }",
            least_indices=MANY + 1,
        ),
    ),
}
"""By operator: memory that happens to hold what makes the result right."""

"""Mistakes whose values are right by what memory happened to hold: definedness finds them."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_init_routing_v2": (
        Mutant(
            "counts-are-the-least-of-what-was-there",
            "moe_init_routing_v2/moe_init_routing_v2_kernel_count.h",
            "        Count(0, slots, share.first, share.end);",
            "        AscendC::SetAtomicMin<int32_t>();\n"
            "        Count(0, slots, share.first, share.end);\n"
            "        AscendC::SetAtomicNone();",
        ),
    ),
    "moe_token_permute": (
        Mutant(
            "sorts-only-where-the-workspace-is-marked-as-new",
            "shared/slot_sort_kernel.h",
            "    Sort<Index>(tensors, tiling);",
            "    GM_ADDR mark = tensors.workspace + tiling->pairsOffset - sizeof(int32_t);\n"
            "    const bool hasMark = tiling->pairsOffset > tiling->sort.keys * 4;\n"
            "    if (!hasMark || *reinterpret_cast<__gm__ int32_t*>(mark) < 0) {\n"
            "        Sort<Index>(tensors, tiling);\n"
            "    }",
        ),
    ),
    "moe_token_permute_with_routing_map": (
        Mutant(
            "padded-places-are-the-least-of-what-was-there",
            "moe_token_permute_with_routing_map/moe_token_permute_with_routing_map_kernel_pad.h",
            "        Base::Store(Base::sortedIndices_, row, end, named, count);",
            "        AscendC::SetAtomicMin<int32_t>();\n"
            "        Base::Store(Base::sortedIndices_, row, end, named, count);\n"
            "        AscendC::SetAtomicNone();",
            modes=("drop_pad",),
        ),
    ),
}
"""By operator: memory that happens to hold what makes the result right."""

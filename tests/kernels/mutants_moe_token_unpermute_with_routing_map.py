"""Seeded mistakes for the MoeTokenUnpermuteWithRoutingMap kernel: small edits that a suite must
catch. Others of the sums that it shares are in mutants_moe_token_permute_grad.py, of those over
sorted entries in mutants_moe_token_permute_with_routing_map_grad.py.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_token_unpermute import LEAST_TILES, SLOTS, WEIGHTS

FOLDER = "moe_token_unpermute_with_routing_map"
KERNEL = f"{FOLDER}/{FOLDER}_kernel.cpp"
LISTS = f"{FOLDER}/{FOLDER}_kernel_lists.h"
MAPPED = "shared/routing_map/mapped_experts_kernel.h"
SORTED = "shared/rows/sorted_sum_kernel.h"
PROBS, PADDED = ("dropless_probs",), ("padded", "padded_probs")
HALVES = ("float16", "bfloat16")

Mapped = partial(Mutant, modes=PROBS)
Padded = partial(Mutant, modes=PADDED)
Weighed = partial(Mutant, modes=PADDED[1:])

MUTANTS: tuple[Mutant, ...] = (
    Mapped(
        "probs-selected-expert-by-expert",
        KERNEL,
        "    Write(tensors.permuteProbs, share.first * topK, share.end * topK, tiling->listBatch,\n"
        "          MappedProbs<Bits>{",
        "struct ByExpert { using Element = Bits; int64_t tokens; GlobalTensor<Bits> probs;"
        " routing_map::MappedExperts slots;"
        " void Room(int64_t, TPipe*) {} void Load(int64_t, int64_t) {}"
        " Bits At(int64_t slot, uint32_t) { for (int64_t e = 0; e < slots.experts; ++e)"
        " for (int64_t t = 0; t < tokens; ++t)"
        " if (slots.map.GetValue(t * slots.experts + e) != 0 && slot-- == 0)"
        " return probs.GetValue(t * slots.experts + e); return 0; } };\n"
        "    Write(tensors.permuteProbs, share.first * topK, share.end * topK, tiling->listBatch,\n"
        "          ByExpert{tiling->rows.tokens, ",
        least_indices=4,
    ),
    Mapped(
        "map-walked-on-from-the-token-before",
        MAPPED,
        "if (slot % topK == 0) {",
        "if (slot < topK && slot % topK == 0) {",
        least_indices=2,
    ),
    Mapped(
        "first-experts-in-place-of-the-map's",
        MAPPED,
        "map.GetValue(static_cast<uint64_t>(line + next)) == 0",
        "next < 0",
    ),
    Mapped("zero-probability-multiplied", WEIGHTS, "return weight != 0;", "return true;"),
    Mutant(
        "minus-1-taken-as-a-row",
        "shared/slots/slot_rows_kernel.h",
        "return index < first ? INT64_MAX : index - first;",
        "return index < first ? 0 : index - first;",
        ("dropless", *PROBS),
    ),
    Mutant(
        "last-tile-lost",
        SLOTS,
        "column < hidden_; column += tileColumns_",
        "column + tileColumns_ <= hidden_; column += tileColumns_",
        ("dropless", *PROBS),
        least_hidden=LEAST_TILES,
    ),
    Mutant(
        "result-truncated-to-16-bit",
        "shared/rows/row_sum_kernel.h",
        "RoundMode::CAST_RINT",
        "RoundMode::CAST_TRUNC",
        dtypes=HALVES,
    ),
    Weighed(
        "product-of-16-bits-not-rounded",
        KERNEL,
        "constexpr bool isRounded = std::is_same_v<T, Prob> && !std::is_same_v<T, float>;",
        "constexpr bool isRounded = false;",
        dtypes=HALVES,
        least_indices=2,
    ),
    Weighed(
        "product-rounded-beside-fp32-probs",
        KERNEL,
        "constexpr bool isRounded = std::is_same_v<T, Prob> && !std::is_same_v<T, float>;",
        "constexpr bool isRounded = !std::is_same_v<T, float>;",
        dtypes=("bfloat16",),
        least_indices=2,
    ),
    Mutant(
        "fp32-probs-read-as-bf16",
        KERNEL,
        "if (tiling->probsDtype == tiling->dtype) {",
        "if (tiling->probsDtype >= 0) {",
        (*PROBS, PADDED[1]),
        ("bfloat16",),
    ),
    Padded(
        "rows-of-a-token-replace-each-other",
        SORTED,
        "for (int64_t entry = first; entry < end; ++entry) {",
        "for (int64_t entry = end > first ? end - 1 : end; entry < end; ++entry) {",
        least_indices=2,
    ),
    Padded(
        "merge-takes-the-later-list-first-on-ties",
        "shared/sorting/stable_sort_kernel.h",
        "sources[lists] = from[begin * PAIR_FLOATS];\n"
        "            counts[lists] = static_cast<uint16_t>(Least(length, pairs - begin));\n"
        "            ++lists;\n"
        "        }\n",
        "sources[lists] = from[begin * PAIR_FLOATS];\n"
        "            counts[lists] = static_cast<uint16_t>(Least(length, pairs - begin));\n"
        "            ++lists;\n"
        "        }\n"
        "        for (uint16_t low = 0, high = lists - 1; low < high; ++low, --high) {\n"
        "            const LocalTensor<float> kept = sources[low]; sources[low] = sources[high];\n"
        "            sources[high] = kept; const uint16_t count = counts[low];\n"
        "            counts[low] = counts[high]; counts[high] = count;\n"
        "        }\n",
        least_indices=33,
    ),
    Padded(
        "tokens-listed-unsorted",
        LISTS,
        "At(int64_t, uint32_t place) {\n"
        "        const int64_t slot = buffer_.Get<int32_t>().GetValue(place);",
        "At(int64_t slot, uint32_t) {",
        least_indices=2,
    ),
    Weighed(
        "capacity-by-the-tokens",
        f"{FOLDER}/{FOLDER}_tiling.cpp",
        "call.slots / call.experts : 0;",
        "call.tokens : 0;",
        least_indices=2,
    ),
    Weighed(
        "expert-of-the-sorted-place",
        LISTS,
        "probs_.At(RowAt(place), place)",
        "probs_.probs.GetValue(static_cast<uint64_t>(TokenAt(place) * probs_.experts +"
        " place / probs_.capacity))",
        least_indices=2,
    ),
    Padded(
        "tokens-read-before-all-are-listed",
        KERNEL,
        "    AscendC::SyncAll();\n",
        "",
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "restore-shape-read-beside-probs",
        f"{FOLDER}/aclnn_{FOLDER}.cpp",
        "call.Has(kProbs) ? call.Shape(kProbs) : call.List(kShape);",
        "call.HasList(kShape) ? call.List(kShape) : call.Shape(kProbs);",
        PROBS,
        documented=True,
    ),
)

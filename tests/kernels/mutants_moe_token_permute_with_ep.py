"""Seeded mistakes for the MoeTokenPermuteWithEp kernel: small edits that a suite must catch."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

KERNEL = "shared/slots/slot_copy_kernel.h"
SLOT_SORT = "shared/sorting/slot_sort_kernel.h"
TILING = "moe_token_permute_with_ep/moe_token_permute_with_ep_tiling.cpp"
SORT = "shared/sorting/stable_sort_kernel.h"

MUTANTS = (
    Mutant(
        "merge-takes-the-later-list-first-on-ties",
        SORT,
        """            sources[list] = Tile(lists[list]);
            counts[list] = static_cast<uint16_t>(lists[list].count);
        }
        AscendC::MrgSort<float>(merged, {sources[0], sources[1], sources[2], sources[3]},
                                {counts, true, static_cast<uint16_t>((1 << left) - 1), 1});
        Order<HardEvent::V_S>();
        AscendC::GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
""",
        """            sources[left - 1 - list] = Tile(lists[list]);
            counts[left - 1 - list] = static_cast<uint16_t>(lists[list].count);
        }
        uint16_t turned[LISTS] = {0, 0, 0, 0};
        AscendC::MrgSort<float>(merged, {sources[0], sources[1], sources[2], sources[3]},
                                {counts, true, static_cast<uint16_t>((1 << left) - 1), 1});
        Order<HardEvent::V_S>();
        AscendC::GetMrgSortResult(turned[0], turned[1], turned[2], turned[3]);
        for (int64_t list = 0; list < left; ++list) taken[list] = turned[left - 1 - list];
""",
        least_indices=33,
    ),
    Mutant(
        "positions-begun-beside-the-run-before",
        SORT,
        "        // The scalar unit begins a progression.\n        Order<HardEvent::V_S>();\n",
        "",
        least_indices=33,
    ),
    Mutant(
        "counts-of-a-merge-read-before-they-are-there",
        SORT,
        "        Order<HardEvent::V_S>();\n        AscendC::GetMrgSortResult(",
        "        AscendC::GetMrgSortResult(",
        least_indices=33,
    ),
    Mutant(
        "lists-of-a-run-merged-back-to-front",
        SORT,
        """            sources[lists] = from[begin * PAIR_FLOATS];
            counts[lists] = static_cast<uint16_t>(Least(length, pairs - begin));
""",
        """            const int64_t at = times > 1 ? lists : (pairs - 1) / length - lists;
            sources[at] = from[begin * PAIR_FLOATS];
            counts[at] = static_cast<uint16_t>(Least(length, pairs - begin));
""",
        least_indices=33,
    ),
    Mutant(
        "minus-1-sorted-to-the-tail",
        SORT,
        "AscendC::Muls(scores, scores, -1.0f, static_cast<int32_t>(count));",
        "AscendC::Muls(scores, scores, -1.0f, static_cast<int32_t>(count));"
        " const LocalTensor<float> tail = inBuffer_.Get<float>();"
        " AscendC::PipeBarrier<PIPE_V>();"
        " AscendC::Muls(tail, scores, -1.0e9f, static_cast<int32_t>(count));"
        " AscendC::PipeBarrier<PIPE_V>();"
        " AscendC::Min(scores, scores, tail, static_cast<int32_t>(count));",
        least_indices=2,
    ),
    Mutant(
        "padding-sorted-to-the-head",
        SORT,
        "LAST_SCORE = -3.0e38f;",
        "LAST_SCORE = 3.0e38f;",
    ),
    Mutant(
        "lists-at-the-end-of-a-run-unmerged",
        SORT,
        "if (rest > length) {",
        "if (rest > 2 * length) {",
        least_indices=33,
    ),
    Mutant(
        "rest-of-the-last-list-lost",
        SORT,
        "MoveRest(from, to, lists[0], written, isLast);",
        "static_cast<void>(written);",
        least_indices=33,
    ),
    Mutant(
        "keys-of-the-last-run-unsorted",
        SORT,
        "run < runs_; run +=",
        "run < (runs_ > 1 ? runs_ - 1 : 1); run +=",
        least_indices=33,
    ),
    Mutant(
        "tile-that-lost-pairs-taken-for-whole",
        SORT,
        "lists[list].isLoaded = taken[list] == 0;",
        "lists[list].isLoaded = taken[list] < lists[list].count;",
        least_indices=33,
    ),
    Mutant(
        "no-sync-between-sort-and-merge",
        SORT,
        """            SortRun(keys, run);
        }
        AscendC::SyncAll();
""",
        """            SortRun(keys, run);
        }
""",
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "int64-index-truncated-to-32-bits",
        SORT,
        "AscendC::Cast(scores, raw, RoundMode::CAST_RINT, static_cast<uint32_t>(count));",
        "if constexpr (sizeof(Key) == 8) {"
        " const LocalTensor<int32_t> low = outBuffer_.Get<int32_t>()[padded];"
        " uint64_t kept = 0;"
        " AscendC::GatherMask(low, raw.template ReinterpretCast<int32_t>(), 1, true,"
        " static_cast<uint32_t>(2 * count), {1, 1, 8, 0}, kept);"
        " AscendC::PipeBarrier<PIPE_V>();"
        " AscendC::Cast(scores, low, RoundMode::CAST_RINT, static_cast<uint32_t>(count));"
        " } else {"
        " AscendC::Cast(scores, raw, RoundMode::CAST_RINT, static_cast<uint32_t>(count)); }",
    ),
    Mutant(
        "argsort-in-place-of-ranks",
        SLOT_SORT,
        "sorter.ArgSort(experts, slotOfRank);\n    sorter.ArgSort(slotOfRank, rankOfSlot);",
        "sorter.ArgSort(experts, rankOfSlot);",
        least_indices=3,
    ),
    Mutant(
        "range-shifted-by-one",
        KERNEL,
        "firstRank_ = tiling->firstRank;",
        "firstRank_ = tiling->firstRank > 0 ? tiling->firstRank + 1 : 0;",
        least_indices=2,
        modes=("middle",),
    ),
    Mutant(
        "range-end-inclusive",
        KERNEL,
        "rank < endRank_;",
        "rank <= endRank_;",
        least_indices=2,
        modes=("middle",),
    ),
    Mutant(
        "probs-of-the-token-instead-of-the-slot",
        KERNEL,
        "probs[i * BLOCK_ELEMENTS],",
        "probs[i / topK_ * topK_ * BLOCK_ELEMENTS],",
        least_indices=2,
    ),
    Mutant(
        "second-tile-at-the-last-tile's-width",
        KERNEL,
        "tokens_[token * hidden_ + column],",
        "tokens_[token * hidden_ + column / tileColumns_ * columns],",
        least_hidden=121,  # of fp32 that the smallest buffer takes in two tiles
    ),
    Mutant(
        "row-of-the-first-token-of-a-batch",
        KERNEL,
        "const int64_t row = (slot + i) / topK_ - token;",
        "const int64_t row = (slot + i) / topK_ - token > 0 ? tokens - 1 : 0;",
        least_indices=3,
    ),
    Mutant(
        "last-core-copies-nothing",
        KERNEL,
        "    copier.Process();\n",
        "    if (AscendC::GetBlockNum() == 1 ||"
        " AscendC::GetBlockIdx() + 1 < AscendC::GetBlockNum()) copier.Process();\n",
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "empty-range-taken-for-no-rows",
        TILING,
        "return rows > 0 ? rows : rows + Slots(call);",
        "return rows >= 0 ? rows : rows + Slots(call);",
        modes=("equal",),
    ),
)

"""The mistakes that users met in the field, each as one edit of a kernel that a regression refuses.

Every regression of cases/regressions stands here by operator and name with the mistake that it is
kept for (docs/reference/escapes.md). Some are among the mistakes that a suite must catch by drawn
cases, too.
"""

from __future__ import annotations

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_sequences import MET_BY_CHANCE
from tests.kernels.mutation_run import MUTANTS as KNOWN


def known(operator: str, name: str) -> Mutant:
    """A mistake of an operator that stands among the others."""
    (found,) = (one for one in KNOWN[operator] if one.name == name)
    return found


COPIES, ROWS = "shared/slots/slot_copy_kernel.h", "shared/rows/row_sum_kernel.h"
SUMS, WEIGHTS = "shared/slots/slot_sum_kernel.h", "shared/slots/slot_weights_kernel.h"
SORT, NAMES = "shared/sorting/stable_sort_kernel.h", "shared/slots/slot_rows_kernel.h"
INIT = "moe_init_routing_v2"
UNROUNDED = "            AscendC::Add(sum_, sum_, widened, count);\n"
SUMMED_IN_BF16 = Mutant(
    "sum-rounded-to-bf16-after-every-slot",
    ROWS,
    UNROUNDED,
    UNROUNDED + "            AscendC::PipeBarrier<PIPE_ALL>();\n"
    "            for (int32_t i = 0; std::is_same_v<T, bfloat16_t> && i < count; ++i) {\n"
    "                sum_.SetValue(i, AscendC::ToFloat(AscendC::ToBfloat16(sum_.GetValue(i))));\n"
    "            }\n"
    "            AscendC::PipeBarrier<PIPE_ALL>();\n",
    dtypes=("bfloat16",),
)
CUT_TO_BF16 = Mutant(
    "fp32-weight-cut-to-bf16",
    WEIGHTS,
    "return static_cast<float>(weight);",
    "return AscendC::ToFloat(AscendC::ToBfloat16(static_cast<float>(weight)));",
)

ESCAPES: dict[tuple[str, str], Mutant] = {
    ("moe_token_permute", "row offset beyond 32 bits"): known(
        "moe_token_permute", "offset-in-32-bits"
    ),
    ("moe_token_permute_grad", "row offset beyond 32 bits"): known(
        "moe_token_permute_grad", "offset-in-32-bits"
    ),
    ("moe_init_routing_v2_grad", "row offset beyond 32 bits"): known(
        "moe_init_routing_v2_grad", "offset-in-32-bits"
    ),
    ("moe_token_permute_with_routing_map", "row offset beyond 32 bits"): Mutant(
        "row-times-hidden-in-int32",
        "shared/rows/row_gather_kernel.h",
        "tokens_[token * hidden_ + column],",
        "tokens_[static_cast<int32_t>(token * hidden_ + column)],",
        modes=("drop_pad",),
    ),
    ("moe_token_permute", "sentinel -1 among the keys"): known(
        "moe_token_permute", "minus-1-sorted-to-the-tail"
    ),
    ("moe_init_routing_v2_grad", "sentinel -1 taken as a row"): known(
        "moe_init_routing_v2_grad", "dropped-marker-taken-as-row-0"
    ),
    ("moe_finalize_routing_v2", "sentinel -1 taken as a row"): known(
        "moe_finalize_routing_v2", "minus-1-taken-as-a-row"
    ),
    ("moe_token_permute", "num_out_tokens ignored"): known(
        "moe_token_permute", "num-out-tokens-ignored"
    ),
    ("moe_finalize_routing_v2_grad", "padding entry written unguarded"): Mutant(
        "row-minus-1-written",
        NAMES,
        "return index < first ? INT64_MAX : index - first;",
        "return index - first;",
        modes=("drop_pad",),
    ),
    ("moe_token_permute_with_ep", "one expert twice in a token"): Mutant(
        "second-slot-of-one-expert-never-written",
        COPIES,
        "                const int64_t row = (slot + i) / topK_ - token;\n",
        "                const int64_t row = (slot + i) / topK_ - token;\n"
        "                if ((slot + i) % topK_ > 0 &&\n"
        "                    rank == ranks.GetValue(static_cast<uint32_t>(i - 1)) + 1) {\n"
        "                    continue;\n"
        "                }\n",
        least_indices=2,
    ),
    ("moe_token_unpermute", "path switch at 257 tokens"): Mutant(
        "another-path-beyond-256-tokens-leaves-out-a-slot",
        SUMS,
        "for (int64_t slot = 1; slot < slots; ++slot) {",
        "for (int64_t slot = share_.end > 256 ? 2 : 1; slot < slots; ++slot) {",
        modes=("whole", "uneven"),
        least_indices=514,
    ),
    ("moe_token_permute", "argsort of a number of keys that is not aligned"): Mutant(
        "keys-behind-the-last-whole-32-clamped-away",
        SORT,
        "const int64_t count = Least(runKeys_, keys_ - begin);",
        "const int64_t left = Least(runKeys_, keys_ - begin);\n"
        "        const int64_t whole = left / SORTED_KEYS * SORTED_KEYS;\n"
        "        const int64_t count = left < SORTED_KEYS ? left : whole;",
        least_indices=33,
    ),
    ("moe_token_permute", "stale sizes after a larger batch"): MET_BY_CHANCE["moe_token_permute"][
        0
    ],
    ("moe_token_unpermute", "fp32 weights cut to bf16"): CUT_TO_BF16,
    ("moe_finalize_routing_v2", "fp32 weights cut to bf16"): CUT_TO_BF16,
    ("moe_token_permute_grad", "gradient summed in bf16"): SUMMED_IN_BF16,
    ("moe_token_permute_with_routing_map_grad", "gradient summed in bf16"): SUMMED_IN_BF16,
    (INIT, "zero tokens"): Mutant(
        "zero-tokens-leave-the-counts-unwritten",
        "shared/routing/sorted_counts_kernel.h",
        "int64_t end) {\n    if (counted.experts > 0) {",
        "int64_t end) {\n    if (counted.experts > 0 && slots.tokens * slots.topK > 0) {",
        modes=("dropless",),
    ),
    ("moe_token_permute_with_ep_grad", "more than 1024 tokens"): Mutant(
        "room-for-1024-tokens",
        SUMS,
        "static_cast<uint32_t>(batch_ * topK_ * sizeof(int32_t))",
        "static_cast<uint32_t>(Least(batch_ * topK_, 1024) * sizeof(int32_t))",
        least_indices=1025,
    ),
    (INIT, "every slot names one expert"): known(INIT, "dropped-slot-keeps-its-rank"),
    ("moe_token_permute_grad", "NaN gradient of a dropped token"): known(
        "moe_token_permute_grad", "dropped-first-slot-not-zeroed"
    ),
    ("moe_token_unpermute_grad", "NaN gradient of a dropped token"): known(
        "moe_token_unpermute_grad", "dropped-slot-keeps-the-sum-before"
    ),
    ("moe_token_unpermute", "zero weight of an infinite row"): known(
        "moe_token_unpermute", "zero-probability-multiplied"
    ),
    ("moe_gating_top_k_softmax_v2", "all logits negative"): known(
        "moe_gating_top_k_softmax_v2", "padding-of-0-in-a-batch"
    ),
    ("moe_gating_top_k_softmax_v2", "fp32 logits cut to bf16"): known(
        "moe_gating_top_k_softmax_v2", "inputs-cut-to-bfloat16"
    ),
    ("moe_gating_top_k_softmax", "more than 1024 rows"): Mutant(
        "rows-behind-1024-read-anew",
        "shared/gating/gating_batch_kernel.h",
        "AscendC::DataCopyPad(raw, call_.x[row * experts_], copy,",
        "AscendC::DataCopyPad(raw, call_.x[(row < 1024 ? row : row - 1024) * experts_], copy,",
        least_indices=1025,
    ),
    ("moe_gating_top_k", "a bias that absorbs the scores"): known(
        "moe_gating_top_k", "score-recovered-as-key-minus-bias"
    ),
    (INIT, "experts times capacity"): known(INIT, "product-of-experts-and-capacity-in-16-bits"),
}
"""The mistake that a regression is kept for, by operator and name of the regression."""

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    operator: tuple(mutant for (name, _), mutant in ESCAPES.items() if name == operator)
    for operator in dict.fromkeys(name for name, _ in ESCAPES)
}
"""The same mistakes by operator."""

"""Seeded mistakes in what MoeTokenPermuteWithEp does on route kernel alone."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

KERNEL = "moe_token_permute_with_ep/moe_token_permute_with_ep_kernel_padded.h"
GATHER = "shared/rows/row_gather_kernel.h"
CHECK = "shared/slots/slot_copy_check.h"
PADDED = ("padded",)
NUMBERED = ("num_out_tokens",)

MUTANTS = (
    Mutant(
        "padded-row-of-its-place-instead-of-its-index",
        GATHER,
        "tokens_[token * hidden_ + column],",
        "tokens_[Least(row + i, token) * hidden_ + column],",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "padded-probs-of-the-first-expert",
        KERNEL,
        "probs_[token * experts_ + expert],",
        "probs_[token * experts_ + expert * 0],",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "padded-rows-shared-by-stride-instead-of-blocks",
        KERNEL,
        "const int64_t expert = (row + i) / rowsPerExpert_;",
        "const int64_t expert = (row + i) % experts_;",
        modes=PADDED,
        least_indices=4,
    ),
    Mutant(
        "padded-positions-instead-of-indices",
        KERNEL,
        "static_cast<int32_t>(token));",
        "static_cast<int32_t>(row + i));",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "padded-last-row-of-a-core-left-out",
        KERNEL,
        "CopyBatch(row, ordering::Least(rowsPerBatch_, endRow_ - row));",
        "CopyBatch(row, ordering::Least(rowsPerBatch_, endRow_ - row - (endRow_ - row > 1)));",
        modes=PADDED,
        least_indices=2,
    ),
    Mutant(
        "padded-indices-not-waited-for",
        GATHER,
        "        Order<HardEvent::MTE2_S>();\n",
        "",
        modes=PADDED,
    ),
    Mutant(
        "num-out-tokens-of-0-keeps-nothing",
        CHECK,
        "return numOutTokens > 0 ?",
        "return numOutTokens >= 0 ?",
        modes=("no_range",),
        route="kernel",
    ),
    Mutant(
        "negative-num-out-tokens-off-by-one",
        CHECK,
        ": std::max<int64_t>(0, numOutTokens + slots);",
        ": std::max<int64_t>(0, numOutTokens + slots - (numOutTokens < 0));",
        modes=NUMBERED,
        least_indices=2,
    ),
)

"""Seeded mistakes for the MoeGatingTopKSoftmax kernel: small edits that a suite must catch."""

from __future__ import annotations

from tests.kernels.gating_mistakes import SOFTMAX_FIRST, Batch, Row
from tests.kernels.mutants import Mutant

FOLDER = "moe_gating_top_k_softmax"

MUTANTS: tuple[Mutant, ...] = (
    *SOFTMAX_FIRST,
    Row(
        name="row-indices-token-by-token",
        before="""AscendC::ArithProgression(places, static_cast<int32_t>(row),
                                      static_cast<int32_t>(rows_),""",
        after="""AscendC::ArithProgression(places, static_cast<int32_t>(row * k_),
                                      1,""",
    ),
    Row(
        name="row-indices-by-the-rows-of-a-core",
        before="static_cast<int32_t>(rows_), static_cast<int32_t>(k_));",
        after="static_cast<int32_t>(rows_ / AscendC::GetBlockNum()), static_cast<int32_t>(k_));",
        cores=2,
        least_indices=2,
    ),
    Batch(
        name="row-indices-of-the-first-row-of-a-batch",
        before="places[i * SORTED_KEYS], static_cast<int32_t>(row + i),",
        after="places[i * SORTED_KEYS], static_cast<int32_t>(row),",
    ),
)

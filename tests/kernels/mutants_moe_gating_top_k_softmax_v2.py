"""Seeded mistakes for the MoeGatingTopKSoftmaxV2 kernel: small edits that a suite must catch."""

from __future__ import annotations

from tests.kernels.gating_mistakes import LAST, RESULT, SOFTMAX_FIRST, Batch, Row
from tests.kernels.mutants import Mutant

FOLDER = "moe_gating_top_k_softmax_v2"

MUTANTS: tuple[Mutant, ...] = (
    *SOFTMAX_FIRST,
    Row(
        name="the-chosen-are-not-divided",
        before="Divide(best, Sum(best));",
        after="Divide(best, 1.0f);",
        modes=(LAST,),
    ),
    Batch(
        name="the-chosen-divided-by-the-sum-of-all",
        before="Softmax(k_, count);",
        after="Softmax(experts_, count);",
        modes=(LAST,),
    ),
    Row(
        name="padding-of-0",
        before="Fill(ub_.keys[piece.End() - SORTED_KEYS], -Infinity(), SORTED_KEYS);",
        after="Fill(ub_.keys[piece.End() - SORTED_KEYS], 0.0f, SORTED_KEYS);",
        modes=(LAST,),
    ),
    Batch(
        name="padding-of-0-in-a-batch",
        before="Fill(ub_.keys, -Infinity(), batch_ * SORTED_KEYS);",
        after="Fill(ub_.keys, 0.0f, batch_ * SORTED_KEYS);",
        modes=(LAST,),
    ),
    Row(
        name="softmax-of-every-row-in-the-first",
        before="Store(call_.softmaxResult, row * experts_ + expert,",
        after="Store(call_.softmaxResult, expert,",
        modes=(RESULT,),
    ),
)

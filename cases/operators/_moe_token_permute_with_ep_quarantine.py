"""Calls of MoeTokenPermuteWithEp that can be made, and of which nothing is judged."""

from __future__ import annotations

from cases.operators._interface import SORT
from cases.operators._moe_token_permute_with_ep_call import README, TILING, call
from cases.operators._token_permute_sizes import MOST_TOP_K, row_columns
from conformance.call.case import Case
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.clause import Clause, inferred
from conformance.record.operator import Quarantine
from conformance.values.fill import Fill

KERNELS = "ops-transformer, moe_token_permute_with_ep/op_kernel"
ADDRESSED, LATTICE = Fill(("address",), seed=4), Fill(("lattice",), seed=2)
FEW_TOKENS_EACH = 96
"""Two tokens at least for each core of every product."""


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open, and what the vendor's kernel may get wrong by what is read of it."""
    return (
        Quarantine(
            "numOutTokens 4 of 6 without a range",
            _of_six("num_out_tokens", num_out_tokens=4),
            _open(
                "a null range may leave numOutTokens, or become [0, 0), or drop the probabilities",
                f"{README}; newer README; operator definition",
            ),
            routes=("aclnn",),
        ),
        Quarantine(
            "neighbouring keys beyond 2^24",
            call(
                "full",
                "float16",
                tokens=(4, 8),
                indices=(2**24 + 1, 2**24, 5, 2**24 + 3),
                rank_range=(0, 4),
                fill=ADDRESSED,
            ),
            _open("keys are sorted as fp32, where they are equal: any order of theirs", SORT),
        ),
        Quarantine(
            "range from the last rank to 0",
            _of_six("reversed", rank_range=(6, 0)),
            _open("start - end is the number of slots: no row is left", TILING),
        ),
        Quarantine(
            "tokens without columns",
            call("middle", "float32", tokens=(3, 0), top_k=2, rank_range=(1, 4), probs=LATTICE),
            _open("some outputs are empty and others are not: copies of length 0", TILING),
        ),
        Quarantine(
            "rows in parts, with probabilities of several tokens of a core",
            _wide(FEW_TOKENS_EACH, 2, row_columns(max(USABLE_UB_BYTES.values()), 4) + 1, rows=192),
            _open("a batch's probabilities from its token's number on, not its slot's", KERNELS),
        ),
        Quarantine(
            "whole rows that leave less room than the indices of 512 slots take",
            _wide(2, MOST_TOP_K, row_columns(min(USABLE_UB_BYTES.values()), 4) - 16, rows=3),
            _open("no token fits a pass, and the loops over passes have no length", TILING),
        ),
        Quarantine(
            "rows that fill the buffer to its last 32 bytes, with probabilities",
            _wide(6 * FEW_TOKENS_EACH // 2, 8, 7168, rows=64, dtype="bfloat16"),
            _open("32 bytes for probabilities behind a buffer that rows have filled", KERNELS),
        ),
    )


def _open(text: str, source: str) -> Clause:
    return inferred(text, f"{source}, inferred")


def _of_six(mode: str, **how: object) -> Case:
    """Three tokens of two experts."""
    experts = (1, 2, 3, 1, 2, 3)
    return call(
        mode,
        "float32",
        tokens=(3, 4),
        top_k=2,
        indices=experts,
        fill=ADDRESSED,
        probs=LATTICE,
        **how,
    )


def _wide(tokens: int, top_k: int, hidden: int, rows: int, dtype: str = "float32") -> Case:
    """A call with probabilities, of which the first rows stay; the last slot comes first."""
    slots = tokens * top_k
    return call(
        "full" if rows == slots else "head",
        dtype,
        tokens=(tokens, hidden),
        top_k=top_k,
        indices=tuple(range(slots, 0, -1)),
        rank_range=(0, rows),
        fill=ADDRESSED,
        probs=LATTICE,
    )

"""Calls that MoeTokenPermuteWithEp must reject, and calls on which its sources differ."""

from __future__ import annotations

from functools import partial

from cases.operators._interface import SORT, TILING_FAILED, in_doubt
from cases.operators._moe_token_permute_with_ep_call import (
    MOST_SLOTS,
    README,
    SIGNATURE,
    TILING,
    Shape,
    call,
    padded_call,
)
from cases.operators._moe_token_permute_with_ep_windows import mode_of
from cases.operators._token_permute_sizes import MOST_PADDED_TOKENS, MOST_TOP_K, row_columns
from conformance.call.case import Case
from conformance.record.call_rules import Range
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.clause import source_read
from conformance.record.derive.rejections import freedoms, rejections
from conformance.record.operator import Quarantine
from conformance.record.variations import (
    in_mode,
    refused,
    reranked,
    reshaped,
    retyped,
    stepped,
    with_attributes,
)
from conformance.values.fill import Fill

EXPERTS: Shape = (1, 2, 3, 1, 2, 3)
LATTICE = Fill(("lattice",), seed=1)
_middle = partial(call, "middle", "float32", fill=LATTICE, probs=LATTICE)
_numbered = partial(call, "num_out_tokens", "float32", tokens=(3, 16), top_k=2, indices=EXPERTS)
RIGHT = _middle(tokens=(3, 16), top_k=2, indices=EXPERTS, rank_range=(1, 5))
ONE_SLOT = _middle(tokens=(6, 16), indices=EXPERTS, rank_range=(1, 4))
THREE_AXES = _middle(tokens=(3, 3, 5), top_k=2, indices=EXPERTS, rank_range=(1, 5))
PADDED = padded_call(
    "float32", tokens=(5, 4), indices=(2, 0, 0, 1, 4, 3), experts=2, probs=LATTICE, fill=LATTICE
)
NUMBERED = _numbered(num_out_tokens=4, fill=LATTICE)
RIGHT_CALLS = (RIGHT, ONE_SLOT, THREE_AXES, PADDED, NUMBERED)


def _ranged(start: int, end: int) -> Case:
    """The right call with another range, in the mode of that."""
    return in_mode(mode_of(start, end, 6), with_attributes(RIGHT, rank_range=(start, end)))


def _of_rows(case: Case, rows: int) -> Case:
    """The call with so many rows of outputs."""
    for name in {"permute_tokens", "permute_probs"} & case.outputs.keys():
        case = reshaped(case, name, (rows, *case.outputs[name].shape[1:]))
    return case


def _numbers(number: int, rows: int) -> Case:
    """A call without a range, with rows that are wrong by all that sources say of it."""
    return _of_rows(_numbered(num_out_tokens=number), rows)


WRONG = {
    "tokens are float64": retyped(RIGHT, "tokens", "float64"),
    **{
        f"range {ends}": _ranged(*ends)
        for ends in ((5, -1), (-1, -1), (1, 7), (-1, 3), (3, 7), (7, 1), (7, 7))
    },
    # Outputs that are not empty: where all are, nothing is checked.
    "top_k is 0": _of_rows(call("equal", "float16", tokens=(4, 16), top_k=0, rank_range=(0, 0)), 4),
    "2^24 - 1 slots": call(
        "head", "float16", tokens=((MOST_SLOTS + 1) // 255, 1), top_k=255, rank_range=(0, 1)
    ),
    "tokens of one axis, and their copies": reshaped(
        reshaped(RIGHT, "tokens", (3,)), "permute_tokens", (4,)
    ),
    "rows of an empty range, which keeps all": _of_rows(_ranged(3, 3), 0),
    "rows of the ranks left in a backward range": _of_rows(_ranged(4, 1), 2),
    "ranks of the range only": reshaped(RIGHT, "sorted_indices", (4,)),
    **reranked(PADDED, *(one.name for one in SIGNATURE.tensors), free=freedoms(SIGNATURE)),
    "padded, indices of rank 2": reshaped(PADDED, "indices", (3, 2)),
    "padded, more tokens than an int32 names": padded_call(
        "float16", tokens=(MOST_PADDED_TOKENS + 1, 1), indices=(0, 0), held=(0,), fill=LATTICE
    ),
    "padded, probs of 4 experts for 6 rows": reshaped(PADDED, "probs", (5, 4)),
    "padded, probs of 0 experts": reshaped(PADDED, "probs", (5, 0)),
    **stepped(NUMBERED, "num_out_tokens"),
    "numOutTokens is 7 of 6, 7 rows, kernel": _numbers(7, rows=7),
    "numOutTokens is 4 of 6, 5 rows": _numbers(4, rows=5),
    "numOutTokens is -2 of 6, 6 rows": _numbers(-2, rows=6),
    "numOutTokens is -7 of 6, 6 rows": _numbers(-7, rows=6),
}


def is_of_mode(case: Case) -> bool:
    """Whether a changed range still is of the mode, if it has two numbers and there are slots."""
    ends, found = case.attributes["rank_range"], case.inputs.get("indices")
    if ends is None or len(ends) != 2 or found is None:
        return True
    return case.mode == mode_of(ends[0], ends[1], found.size)


AT_INTERFACE = refused(
    {
        TILING_FAILED: {
            source_read("paddedMode is false, though the document gives its equation", TILING): {
                "paddedMode is true": in_mode("padded", with_attributes(RIGHT, padded_mode=1)),
            },
            source_read(
                "without a range, numOutTokens lies in [0, slots], and fits the rows", TILING
            ): {
                "numOutTokens is -1, 4 rows": _numbers(-1, rows=4),
                "numOutTokens is 7 of 6, 7 rows": _numbers(7, rows=7),
            },
        }
    },
    routes=("aclnn",),
)
"""What the kernels of this project do not need."""

REJECTIONS = (
    *rejections(SIGNATURE, RIGHT, ONE_SLOT, THREE_AXES, PADDED, wrong=WRONG, is_of_mode=is_of_mode),
    *AT_INTERFACE,
)


def _slots(case: Case) -> int | None:
    """The number of indices, where a range counts them."""
    ranged = "indices" in case.inputs and not case.attributes["padded_mode"]
    return case.inputs["indices"].size if ranged else None


ENDS = tuple(
    Range("rank_range", 0, _slots, source_read("it lies in [0, slots]", TILING), at=at)
    for at in (0, 1)
)


KERNELS = "ops-transformer, moe_token_permute_with_ep/op_kernel"
ADDRESSED, OTHER = Fill(("address",), seed=4), Fill(("lattice",), seed=2)
FEW_TOKENS_EACH = 96
"""Two tokens at least for each core of every product."""


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open, and what the vendor's kernel may get wrong by what is read of it."""
    return (
        Quarantine(
            "numOutTokens 4 of 6 without a range",
            _of_six("num_out_tokens", num_out_tokens=4),
            in_doubt(
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
            in_doubt("keys are sorted as fp32, where they are equal: any order of theirs", SORT),
        ),
        Quarantine(
            "range from the last rank to 0",
            _of_six("reversed", rank_range=(6, 0)),
            in_doubt("start - end is the number of slots: no row is left", TILING),
        ),
        Quarantine(
            "tokens without columns",
            call("middle", "float32", tokens=(3, 0), top_k=2, rank_range=(1, 4), probs=OTHER),
            in_doubt("some outputs are empty and others are not: copies of length 0", TILING),
        ),
        Quarantine(
            "rows in parts, with probabilities of several tokens of a core",
            _wide(FEW_TOKENS_EACH, 2, row_columns(max(USABLE_UB_BYTES.values()), 4) + 1, rows=192),
            in_doubt("a batch's probabilities from its token's number on, not its slot's", KERNELS),
        ),
        Quarantine(
            "whole rows that leave less room than the indices of 512 slots take",
            _wide(2, MOST_TOP_K, row_columns(min(USABLE_UB_BYTES.values()), 4) - 16, rows=3),
            in_doubt("no token fits a pass, and the loops over passes have no length", TILING),
        ),
        Quarantine(
            "rows that fill the buffer to its last 32 bytes, with probabilities",
            _wide(6 * FEW_TOKENS_EACH // 2, 8, 7168, rows=64, dtype="bfloat16"),
            in_doubt("32 bytes for probabilities behind a buffer that rows have filled", KERNELS),
        ),
    )


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
        probs=OTHER,
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
        probs=OTHER,
    )

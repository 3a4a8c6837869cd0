"""Seeded mistakes of the softmax gating kernels: what they share, row by row and in batches.

Rows of at most 32 experts are gated in batches, longer ones row by row.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

ROWS = "shared/gating/gating_row_kernel.h"
BATCHES = "shared/gating/gating_batch_kernel.h"
STEPS = "shared/gating/gating_steps_kernel.h"
HALF = ("float16", "bfloat16")
FIRST, LAST, RESULT = "softmax_first", "topk_first", "with_result"

Row = partial(Mutant, file=ROWS)
Batch = partial(Mutant, file=BATCHES)

TRUNCATED = Mutant(
    name="values-truncated",
    file=STEPS,
    before="RoundMode::CAST_RINT",
    after="RoundMode::CAST_TRUNC",
    dtypes=HALF,
)
"""Of every gating operator."""


def through(dtype: str, keys: str, room: str, count: str = "piece.count") -> str:
    """Code that rounds so many keys, of a piece, to a narrower type and widens them again."""
    return f"""
    const LocalTensor<{dtype}> narrow = {room}.template ReinterpretCast<{dtype}>();
    AscendC::Cast(narrow, {keys}, RoundMode::CAST_RINT, static_cast<uint32_t>({count}));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Cast({keys}, narrow, RoundMode::CAST_NONE, static_cast<uint32_t>({count}));
    AscendC::PipeBarrier<PIPE_V>();
"""


def turned(keys: str, numbers: str, number: str, lanes: str, only: str = "true") -> str:
    """Code that lets equal keys change places, the first of several with each behind it, where
    ``only`` holds; ``number`` is the type of their numbers."""
    return f"""
        Order<HardEvent::V_S>();
        for (uint32_t i = 1; {only} && i < {lanes}; ++i) {{
            if ({keys}.GetValue(i - 1) == {keys}.GetValue(i)) {{
                const {number} moved = {numbers}.GetValue(i);
                {numbers}.SetValue(i, {numbers}.GetValue(i - 1));
                {numbers}.SetValue(i - 1, moved);
            }}
        }}
        Order<HardEvent::S_V>();"""


_turned = partial(turned, "ub_.keys", "ub_.numbers", "int32_t", "bestLanes_")
KEYS_OF_PIECE = "ub_.keys[piece.lane]"
DIVIDED = "            Divide(piece, sum);\n"
LOADED = "    __aicore__ inline void Exponentials(const Piece& piece, float largest) {\n"
RAISED = "        AscendC::Exp(keys, keys, static_cast<int32_t>(piece.count));\n"
SUMMED = """ub_.work[BLOCK_FLOATS],
                           static_cast<int32_t>(piece.count));
        return ValueOf(ub_.work);"""

EXTRACTED = (
    "static_cast<int32_t>(bestLanes_ / SORTED_KEYS));\n        AscendC::PipeBarrier<PIPE_V>();"
)

SOFTMAX_FIRST: tuple[Mutant, ...] = (
    Row(
        name="keys-rounded-to-bfloat16",
        before=DIVIDED,
        after=DIVIDED + through("bfloat16_t", KEYS_OF_PIECE, "ub_.pairs"),
        modes=(FIRST,),
    ),
    Row(
        name="no-maximum-subtracted",
        before="const float largest = LargestOf(row);",
        after="const float largest = 0.0f * LargestOf(row);",
        modes=(FIRST,),
    ),
    Row(
        name="maximum-starts-at-0",
        before="float largest = -Infinity();",
        after="float largest = 0.0f;",
        modes=(FIRST,),
    ),
    Row(
        name="maximum-of-the-last-piece",
        before="largest = ofPiece > largest ? ofPiece : largest;",
        after="largest = ofPiece;",
        modes=(FIRST,),
    ),
    Row(
        name="sum-of-the-last-piece",
        before="sum += Sum(piece);",
        after="sum = Sum(piece);",
        modes=(FIRST,),
    ),
    Row(
        name="last-expert-outside-the-sum",
        before=SUMMED,
        after=SUMMED.replace("(piece.count)", "(piece.count - (piece.count > 1))"),
        modes=(FIRST,),
    ),
    Row(
        name="sum-in-float16",
        before=SUMMED,
        after=SUMMED.replace(
            "return ValueOf(ub_.work)",
            "return static_cast<float>(static_cast<half>(ValueOf(ub_.work)))",
        ),
        modes=(FIRST,),
        dtypes=("float32",),
    ),
    Row(
        name="exp-of-a-short-reduction",
        before=RAISED,
        after="        AscendC::Muls(keys, keys, 1.0f + 0x1p-23f,"
        " static_cast<int32_t>(piece.count));\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n" + RAISED,
        modes=(FIRST,),
        dtypes=("float32",),
    ),
    Row(
        name="exp-of-11-bits",
        before=RAISED,
        after=RAISED + through("half", "keys", "ub_.pairs"),
        modes=(FIRST,),
    ),
    Row(
        name="inputs-cut-to-bfloat16",
        before=LOADED,
        after=LOADED + through("bfloat16_t", KEYS_OF_PIECE, "ub_.pairs"),
        modes=(FIRST,),
        dtypes=("float32",),
    ),
    Row(
        name="experts-of-a-later-piece-numbered-from-0",
        before="static_cast<int32_t>(piece.expert), 1,",
        after="0, 1,",
    ),
    Row(
        name="best-of-the-pieces-before-lost",
        before="PieceAt(expert, expert == 0 ? 0 : bestLanes_);",
        after="PieceAt(expert, 0);",
    ),
    Row(
        name="equal-keys-in-the-other-order",
        before=EXTRACTED,
        after=EXTRACTED + _turned(),
    ),
    Row(
        name="equal-keys-of-a-later-piece-go-first",
        before=EXTRACTED,
        after=EXTRACTED + _turned("piece.expert > 0"),
    ),
    Row(
        name="equal-keys-in-the-other-order-where-8-divides-experts",
        before=EXTRACTED,
        after=EXTRACTED + _turned("experts_ % 8 == 0"),
    ),
    Row(
        name="equal-keys-in-the-other-order-from-k-9-on",
        before=EXTRACTED,
        after=EXTRACTED + _turned("k_ > 8"),
    ),
    Row(
        name="32-experts-at-most",
        before="bestLanes_ = RoundUp(k_, SORTED_KEYS);",
        after="bestLanes_ = SORTED_KEYS;",
    ),
    TRUNCATED,
    Row(
        name="finished-rows-have-the-last-expert",
        before="static_cast<int32_t>(experts_), k_);",
        after="static_cast<int32_t>(experts_ - 1), k_);",
    ),
    Row(
        name="finished-rows-are-as-any",
        before="if (call_.IsFinished(row)) {",
        after="if (call_.IsFinished(row) && k_ == 0) {",
    ),
    Batch(
        name="finished-by-the-first-row-of-a-batch",
        before="if (call_.IsFinished(row + i)) {",
        after="if (call_.IsFinished(row)) {",
    ),
    Batch(
        name="last-expert-outside-the-maximum-of-a-batch",
        before="AscendC::WholeReduceMax(ofRows, keys, Mask(lanes),",
        after="AscendC::WholeReduceMax(ofRows, keys, Mask(lanes - (lanes > 1)),",
        modes=(FIRST,),
    ),
    Batch(
        name="last-expert-outside-the-sum-of-a-batch",
        before="AscendC::WholeReduceSum(ofRows, keys, Mask(lanes),",
        after="AscendC::WholeReduceSum(ofRows, keys, Mask(lanes - (lanes > 1)),",
        modes=(FIRST,),
    ),
    Batch(
        name="experts-of-a-batch-counted-on-from-row-to-row",
        before="{1, 1, KEY_BLOCKS, 0});",
        after="{1, 1, KEY_BLOCKS, 1});",
    ),
)
"""Of both operators."""

"""Seeded mistakes for the MoeReRouting kernel: small edits that a suite must catch."""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

DTYPES = ("float16", "bfloat16", "int8")
FOLDER = "moe_re_routing/moe_re_routing"
Routed = partial(Mutant, file=f"{FOLDER}_kernel.cpp", dtypes=DTYPES)

COUNT = "counts_.GetValue(segment * tiling_->countWords)"
NUMBER = "Number(row, mine, idx + begin * WORD);"
TOKENS = "Move(tokens, row, permuteTokens, begin, mine, tiling_->rowBytes);"
SCALES = "Move(scales, row, permuteScales, begin, mine, WORD);"
CURSOR = "cursors_.SetValue(static_cast<uint32_t>(line), static_cast<int32_t>(before));"
ADDED = "counts_[rank * words + at]"
MUTANTS: tuple[Mutant, ...] = (
    Routed(
        name="counts-read-expert-by-expert",
        before=COUNT,
        after="counts_.GetValue((segment % tiling_->experts * tiling_->ranks +"
        " segment / tiling_->experts) * tiling_->countWords)",
        least_indices=2,
    ),
    Routed(
        name="offset-of-a-line-behind-its-first-segment",
        before=CURSOR,
        after=CURSOR.replace("(before)", "(before + Count(line * ofLine))"),
    ),
    Routed(
        name="empty-segment-has-a-row",
        before="                before += rows;\n",
        after="                before += rows > 0 ? rows : 1;\n",
        least_indices=2,
    ),
    Routed(
        name="numbers-scattered-in-place-of-gathered",
        before=NUMBER,
        after="Number(begin, mine, idx + row * WORD);",
        least_indices=3,
    ),
    Routed(
        name="numbers-local-to-the-segment",
        before=NUMBER,
        after=NUMBER.replace("row", "begin - place"),
        least_indices=2,
    ),
    Routed(
        name="numbers-of-a-second-tile-begin-anew",
        before="static_cast<int32_t>(first + at)",
        after="static_cast<int32_t>(first)",
        least_indices=41,
    ),
    Routed(
        name="scales-stay-where-they-are",
        before=SCALES,
        after=SCALES.replace("row", "begin"),
        modes=("scaled",),
        least_indices=2,
    ),
    Routed(
        name="row-bytes-rounded-up-to-32",
        before=TOKENS,
        after=TOKENS.replace("tiling_->rowBytes", "(tiling_->rowBytes + 31) / 32 * 32"),
    ),
    Routed(
        name="last-short-tile-of-a-segment-dropped",
        before="at < rows * width; at",
        after="at == 0 || at + tiling_->tileBytes <= rows * width; at",
        least_hidden=81,
    ),
    Routed(
        name="second-tile-of-a-segment-from-its-first-byte",
        before="moved_.AllocTensor<uint8_t>();\n            AscendC::DataCopyPad(tile, source[at],",
        after="moved_.AllocTensor<uint8_t>();\n            AscendC::DataCopyPad(tile, source,",
        least_hidden=81,
    ),
    Routed(
        name="segment-of-two-cores-begins-anew",
        before="(areRanks ? cursor : before) + begin - place;",
        after="(areRanks ? cursor : before);",
        cores=2,
        least_indices=2,
    ),
    Routed(
        name="ranks-beyond-40-dropped",
        before="lines = areRanks ? tiling_->ranks :",
        after="lines = areRanks ? Least(tiling_->ranks, 40) :",
        least_indices=41,
    ),
    Routed(
        name="int64-counts-with-the-stride-of-int32",
        before=COUNT,
        after="counts_.GetValue(segment)",
    ),
    Routed(
        name="sums-of-the-first-rank",
        before="rank < tiling_->ranks; ++rank) {",
        after="rank < Least(tiling_->ranks, 1); ++rank) {",
        least_indices=2,
    ),
    Routed(
        name="sums-of-a-second-tile-are-those-of-the-first",
        before=ADDED,
        after=ADDED.replace(" + at", ""),
    ),
    Routed(
        name="second-half-of-int64-sums-not-written",
        before="words = tiling_->experts * tiling_->countWords;",
        after="words = tiling_->experts;",
    ),
    Routed(
        name="short-share-of-the-last-core-lost",
        file=f"{FOLDER}_tiling.cpp",
        before="std::max<int64_t>(row_sum::CeilDiv(call->rows, each), 1)",
        after="std::max<int64_t>(call->rows / each, 1)",
        cores=2,
        least_indices=3,
    ),
)

"""Seeded mistakes for the MoeGatingTopKV2 kernel: of a table's experts. Those by key it shares."""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_gating_top_k import WEIGHED, Gate

FOLDER = "moe_gating_top_k_v2"
Lookup = partial(Mutant, file=f"{FOLDER}/moe_gating_top_k_v2_kernel_lookup.h")
ROW = "LoadExperts(ub, InputId(row) * k, k, ids);"
LOADED = "AscendC::DataCopyPad(raw, table_[first * words_],"
WIDE = "        AscendC::Cast(ids, raw.ReinterpretCast<int64_t>(), RoundMode::CAST_NONE,\n"
NORMALISED = "if (tiling_->normalises != 0) {"

MUTANTS: tuple[Mutant, ...] = (
    Lookup(
        name="row-above-in-the-table",
        before=ROW,
        after=ROW.replace("InputId(row)", "(InputId(row) > 0 ? InputId(row) - 1 : 0)"),
    ),
    Lookup(
        name="ids-of-the-first-row-for-all",
        before=ROW,
        after=ROW.replace("InputId(row)", "InputId(0)"),
    ),
    Lookup(
        name="row-of-the-table-by-the-row-of-x",
        before=ROW,
        after=ROW.replace("InputId(row)", "row"),
    ),
    Lookup(
        name="wide-ids-read-as-narrow",
        before="inputIdBytes_ == WORD_BYTES ? inputIds_",
        after="inputIdBytes_ >= WORD_BYTES ? inputIds_",
    ),
    Lookup(
        name="stride-of-a-wide-table-in-narrow-ids",
        before=LOADED,
        after=LOADED.replace("first * words_", "first"),
    ),
    Lookup(
        name="offset-into-the-table-in-32-bits",
        before=ROW,
        after=ROW.replace("InputId(row) * k,", "static_cast<int32_t>(InputId(row) * k),"),
        documented=True,
    ),
    Lookup(
        name="offset-into-the-table-in-32-bits-without-a-sign",
        before=ROW,
        after=ROW.replace("InputId(row) * k,", "static_cast<uint32_t>(InputId(row) * k),"),
        documented=True,
    ),
    Lookup(
        name="halves-of-wide-experts",
        before=WIDE,
        after="        AscendC::Adds(ids, raw, 0,\n",
    ),
    Lookup(
        name="table-rows-of-one-expert-less",
        before=ROW,
        after=ROW.replace("* k, k", "* (k - (k > 1)), k"),
    ),
    Lookup(
        name="stale-row-of-the-table",
        before=ROW,
        after="if (InputId(row) % 2 == 0) { " + ROW + " }",
    ),
    Lookup(
        name="weights-of-the-experts-in-reverse",
        before="AscendC::Muls(offsets, ids, LANE_STEP, Count(k));",
        after="AscendC::Muls(offsets, ids, -LANE_STEP, Count(k));\n"
        "        AscendC::PipeBarrier<PIPE_V>();\n"
        "        AscendC::Adds(offsets, offsets, LANE_STEP * Count(ub.members - 1), Count(k));",
    ),
    Lookup(
        name="last-expert-of-a-row-left-as-it-was",
        before="const auto bytes = static_cast<uint32_t>(k * words_ * WORD_BYTES);",
        after="const auto bytes = static_cast<uint32_t>((k - (k > 1)) * words_ * WORD_BYTES);",
    ),
    Gate(
        name="keys-decide-beside-a-table",
        before="if (lookup_.Has()) {",
        after="if (lookup_.Has() && k_ == 0) {",
    ),
    Gate(
        name="softmax-of-a-table-is-not-divided",
        before=NORMALISED,
        after=NORMALISED.replace(") {", " && !(lookup_.Has() && tiling_->normType == 0)) {"),
        modes=("softmax_renorm",),
    ),
    Gate(
        name="no-weights-of-a-softplus-beside-a-table",
        before=WEIGHED,
        after=WEIGHED.replace(
            "tiling_->factor",
            "lookup_.Has() && tiling_->normType == 2 ? 0.0f * Infinity() : tiling_->factor",
        ),
        modes=("softplus",),
    ),
    Gate(
        name="bias-weighs-beside-a-table",
        before="            lookup_.Choose(ub_, row, k_, weights, ids);",
        after="            AscendC::Add(ub_.scores, ub_.scores, ub_.bias, Count(ub_.all));\n"
        "            AscendC::PipeBarrier<PIPE_V>();\n"
        "            lookup_.Choose(ub_, row, k_, weights, ids);",
    ),
)

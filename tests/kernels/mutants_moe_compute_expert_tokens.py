"""Seeded mistakes for the MoeComputeExpertTokens kernel: small edits that a suite must catch."""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant

FOLDER = "moe_compute_expert_tokens/moe_compute_expert_tokens"
Counted = partial(Mutant, file=f"{FOLDER}_kernel.cpp", dtypes=("int32",))
Cut = partial(Mutant, file=f"{FOLDER}_tiling.cpp", dtypes=("int32",))
MANY = 12001
"""Entries that are shared out."""

PUT = "Put(at + Count(expert));"
MUTANTS: tuple[Mutant, ...] = (
    Counted("lower-bound", before="static_cast<float>(-expert - 1)", after="float(-expert)"),
    Counted("exclusive-sum", before="Put(low + Count(expert));", after="Put(low);"),
    Counted(
        "tile-counted-twice",
        before="-static_cast<int64_t>(sum.GetValue(0))",
        after="-2 * static_cast<int64_t>(sum.GetValue(0))",
    ),
    Counted("difference-not-held-to-1", before="differences, -1.0f,", after="differences, -2.0f,"),
    Counted("larger-entries-taken-off", before="differences, 0.0f,", after="differences, 1.0f,"),
    Counted(
        "bisection-excludes-equal-entries",
        before="Entry(middle) <= expert",
        after="Entry(middle) < expert",
        least_indices=17,
    ),
    Counted(
        "bisection-steps-past-the-middle",
        before="high = middle;",
        after="high = middle - 1;",
        least_indices=17,
    ),
    Counted(
        "part-before-the-tile-forgotten",
        before="Put(low + Count(expert));",
        after="Put(Count(expert));",
        least_indices=17,
    ),
    Counted(
        "tile-of-another-place-kept",
        before="at == at_",
        after="at_ >= 0",
        least_indices=17,
    ),
    Counted("missing-expert-has-0", before="Put(end);", after="Put(0);", least_indices=MANY),
    Counted("tile-counted-from-0", before=PUT, after="Put(Count(expert));", least_indices=MANY),
    Counted(
        "share-counted-from-0",
        before=PUT,
        after="Put(at - begin + Count(expert));",
        cores=2,
        least_indices=MANY,
    ),
    Counted(
        "run-over-cores-written-by-both",
        before="? Entry(end) :",
        after="? Entry(end) + 1 :",
        cores=2,
        least_indices=MANY,
    ),
    Counted(
        "first-expert-of-a-share-left-out",
        before="begin > 0 ? Entry(begin) :",
        after="begin > 0 ? Entry(begin) + 1 :",
        cores=2,
        least_indices=MANY,
    ),
    Counted(
        "experts-behind-the-last-entry-unwritten",
        before=": tiling_->experts;",
        after=": Entry(end - 1) + 1;",
        least_indices=MANY,
    ),
    Counted(
        "experts-before-the-first-entry-unwritten",
        before="Entry(begin) : 0;",
        after="Entry(begin) : Entry(0);",
        least_indices=MANY,
    ),
    Counted(
        "last-short-tile-dropped",
        before="at < end; at +=",
        after="at + tiling_->tileEntries <= end; at +=",
        least_indices=MANY,
    ),
    Counted(
        "last-results-not-written",
        before="if (results_ > 0) {",
        after="if (results_ > 1) {",
    ),
    Counted(
        "second-results-over-the-first",
        before="first_ += results_;",
        after="first_ += 0;",
        least_indices=1,
    ),
    Counted(
        "last-core-goes-on",
        before="Least(first_ + tiling_->share, tiling_->experts)",
        after="first_ + tiling_->share",
        cores=2,
    ),
    Cut(
        "remainder-of-experts-lost",
        before="row_sum::CeilDiv(whole, share), call",
        after="whole / share, call",
        cores=2,
    ),
    Cut(
        "entries-taken-for-experts",
        before="isByEntries ? call->entries : call->experts",
        after="isByEntries ? call->experts : call->experts",
        least_indices=MANY,
    ),
    Cut(
        "tile-beyond-the-buffer",
        before="left % bytesEach - kBlockBytes",
        after="left % bytesEach + kBlockBytes",
    ),
)

"""The nature of every seeded mistake in values, written by hand, and the words that name it.

A mistake may be described in several right ways: a dropped slot that is read as row 0 is a slot
that is not skipped, and a row that is read in place of none. A diagnosis is right when it names one
of a mistake's natures and no other; what it says is compared with the words here, never with a
name that the diagnosis gives itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LOST = "terms left out"
DOUBLED = "terms added twice"
EXTRA = "terms added that must not be"
WEIGHTS = "coefficients of another place, or none"
ROWS = "other rows, or rows elsewhere"
COLUMNS = "other columns"
NARROW = "narrow index"
HALF = "rounded or added up in half"
TRUNCATED = "truncated"
FUSED = "product not rounded"
FLUSHED = "subnormals dropped"
STALE = "left from before"
UNWRITTEN = "never written"
ZERO = "zeros in place of values"
KEPT = "values in place of zeros"
ORDER = "order of integers or of rows"
COUNTS = "counts or ranges off"
BITS = "bits changed on the way"
TYPE = "read as another type"
SIGN = "sign changed"

WORDS = {
    LOST: r"left out|alone is copied|is copied alone|nothing is added",
    DOUBLED: r"added twice|is doubled",
    EXTRA: r"one slot too many|must not be read was added|dropped slot|adds row \d+ where no",
    WEIGHTS: r"coefficient|weigh",
    ROWS: r"holds its own place|reads? row|reads \w+\[\d+\]|row \d+ of|reads the row"
    r"|holds? row|holds the sum of|holds what belongs|rows lie|rows come|index is taken"
    r"|right rows in another order|slots and rows of the index|holds the row|rows of"
    r"|rows looked at read|in place of row|hold what belongs",
    COLUMNS: r"columns? .*(before|after) the right|columns read|hold what belongs .*columns"
    r"|begins? anew",
    NARROW: r"wraps|narrowed|the low \d+ bits",
    HALF: r"(rounded|added up|accumulated|sums?) .*(fp16|bf16|\bhalf\b)",
    TRUNCATED: r"truncated",
    FUSED: r"not rounded before|fused",
    FLUSHED: r"subnormal",
    STALE: r"one before|row before|from before|was there before|earlier|still holds"
    r"|nobody (wrote|filled)",
    UNWRITTEN: r"never written",
    ZERO: r"is zero|are zero|left out|nothing is added|zeros",
    KEPT: r"where zeros belong",
    ORDER: r"inverse|argsort|another order|ties|holds its own place",
    COUNTS: r"too (large|small)|running sums|counts of each|without its own",
    BITS: r"quiet|minus zero|every NaN|the low \d+ bits|bits",
    TYPE: r"read as",
    SIGN: r"subtracted|sign",
}
"""Of each nature the words by which a diagnosis names it."""

EXPECTED = {
    # Sums.
    "slot-major-read-as-token-major": (ROWS,),
    "modes-1-and-2-change-places": (ROWS,),
    "slots-a-share-apart": (ROWS,),
    "part-reads-the-first-slots-again": (ROWS,),
    "scales-of-the-first-part-for-all": (WEIGHTS,),
    "last-part-lost": (LOST,),
    "*-with-the-scales-of-the-first": (WEIGHTS,),
    "*-with-the-probs-of-the-first": (WEIGHTS, ROWS),
    "scales-and-experts-read-slot-by-slot": (WEIGHTS, ROWS),
    "bias-after-the-scale": (WEIGHTS,),
    "dropped-slot-without-its-bias": (LOST,),
    "bias-of-a-dropped-slot-not-scaled": (WEIGHTS,),
    "dropped-slot-takes-the-first-row": (EXTRA, ROWS),
    "minus-1-taken-as-a-row": (EXTRA, ROWS),
    "last-row-taken-as-none": (LOST,),
    "row-0-taken-as-none": (LOST,),
    "bias-of-the-slot-not-of-its-expert": (ROWS, EXTRA),
    "experts-of-the-first-token-for-all": (ROWS,),
    "last-expert-has-no-bias": (LOST,),
    "second-addend-lost": (LOST,),
    "first-addend-for-both": (ROWS, LOST, DOUBLED),
    "addend-of-the-first-tile-for-all": (COLUMNS,),
    "nothing-to-add-leaves-what-was-there": (STALE,),
    # Experts without rows.
    "zero-expert-adds-its-bias": (EXTRA,),
    "zero-expert-has-a-row": (EXTRA,),
    "end-of-zero-experts-is-one-of-them": (LOST,),
    "end-of-copy-experts-is-one-of-them": (ROWS,),
    "end-of-constant-experts-is-one-of-them": (ROWS,),
    "copy-expert-adds-its-row-of-expanded-x-too": (EXTRA,),
    "copy-expert-has-no-bias": (LOST,),
    "copy-expert-takes-the-first-token": (ROWS,),
    "copy-expert-of-a-dropped-slot-is-dropped": (LOST,),
    "constant-expert-by-its-id": (ROWS, WEIGHTS),
    "first-constant-expert-for-all": (ROWS, WEIGHTS),
    "alpha1-and-alpha2-change-places": (WEIGHTS,),
    "constant-of-the-first-tile-for-all": (COLUMNS,),
    "without-scales-a-token-has-one-slot": (LOST, ROWS),
    "minus-1-is-the-last-row": (EXTRA, ROWS),
    "dropped-slot-has-the-row-of-the-slot-before": (EXTRA, ROWS),
    "last-odd-slot-lost": (LOST,),
    "copy-experts-take-x1": (ROWS,),
    "v-is-alpha2": (ROWS, WEIGHTS),
    "ranges-are-not-looked-at": (EXTRA, ROWS, LOST),
    "row-with-bias-rounded-to-16-bit": (HALF,),
    "fp32-scales-ignored-beside-bf16": (WEIGHTS,),
    "fp32-scales-read-as-bf16": (WEIGHTS, TYPE),
    "*truncated-to-16-bit": (TRUNCATED,),
    "bias-of-the-slot's-number-in-place-of-its-expert's": (ROWS,),
    "bias-of-the-batch's-first-expert-for-all": (ROWS,),
    "second-tile-of-a-bias-from-its-first-column": (COLUMNS,),
    "experts-of-the-first-batch-for-all": (ROWS,),
    "bias-subtracted": (SIGN,),
    "bias-added-to-the-products": (WEIGHTS,),
    "bias-of-the-place-within-the-part": (ROWS,),
    "bias-forgotten": (LOST,),
    "scale-of-the-next-slot": (WEIGHTS,),
    "probability-of-*": (WEIGHTS,),
    "gradient-of-the-slot-in-place-of-the-token": (ROWS, WEIGHTS),
    "gradient-of-the-scale-weighed": (WEIGHTS,),
    "gradient-of-the-probability-weighed": (WEIGHTS,),
    "bf16-computed-as-fp16": (TYPE,),
    "bf16-probs-read-as-fp16": (TYPE, WEIGHTS),
    "padding-of-a-tile-undefined": (EXTRA,),
    "gradient-of-a-dropped-slot's-scale-not-zeroed": (STALE, KEPT),
    "dropped-slot-keeps-the-sum-before": (STALE,),
    "sum-of-k-plus-1-terms": (EXTRA,),
    "dropped-marker-taken-as-row-0": (EXTRA, ROWS),
    "dropped-first-slot-taken-as-row-0": (EXTRA, ROWS),
    "dropped-first-slot-not-zeroed": (STALE,),
    "index-equal-to-*": (EXTRA, ROWS, KEPT),
    "*fp16-accumulated-in-fp16": (HALF,),
    "products-accumulated-in-fp16": (HALF,),
    "rows-summed-one-slot-shifted": (ROWS,),
    "stale-sum-after-a-dropped-token-on-core-1": (STALE,),
    "half-of-the-bins-lost-from-128-slots-on": (LOST,),
    "tail-core-counts-its-tokens-twice": (DOUBLED,),
    "row-index-read-as-int16": (NARROW, LOST, STALE),  # STALE: a row that nobody wrote is read
    "row-number-in-16-bits": (NARROW, LOST),
    "offset-in-32-bits*": (NARROW, ROWS, STALE),
    "row-offset-in-32-bits": (NARROW, ROWS),
    "last-slot-lost": (LOST,),
    "summed-from-the-last-slot-to-the-first": (ORDER,),
    "second-batch-with-the-indices-of-the-first": (ROWS,),
    "zero-probability-multiplied": (EXTRA,),
    "minus-zero-multiplied": (EXTRA,),
    "probability-that-is-no-number-taken-as-zero": (LOST, ZERO, WEIGHTS),
    "negative-probability-taken-as-zero": (LOST, WEIGHTS),
    "zero-probability-left-out": (LOST, ZERO, UNWRITTEN),
    "probability-rounded-to-fp16": (HALF,),
    "dropped-slot-not-skipped": (EXTRA,),
    "product-and-sum-rounded-once": (FUSED,),
    "product-not-multiplied-into-the-first-slot": (WEIGHTS,),
    "probs-read-column-by-column": (WEIGHTS,),
    "probs-ignored": (WEIGHTS,),
    "every-core-with-the-probs-of-the-first": (WEIGHTS, ROWS),
    "part-runs-into-the-next-token": (ROWS, WEIGHTS, STALE, UNWRITTEN),
    "row-in-place-of-its-gradient": (ROWS,),
    "second-tile-from-the-first-column": (COLUMNS,),
    "second-tile-of-every-second-token-from-column-0": (COLUMNS,),
    "columns-past-whole-repeats-not-added": (LOST,),
    "odd-lanes-not-summed": (LOST,),
    "sums-of-each-part-in-the-first-places": (ROWS, STALE, UNWRITTEN),
    "tile-cut-where-lanes-wrap-around": (DOUBLED, LOST),
    "rows-not-counted-from-the-start": (ROWS, LOST, ZERO),
    "first-rank-of-the-range-lost": (LOST,),
    "last-rank-of-the-range-lost": (LOST,),
    "rank-before-the-range-taken-as-row-0": (EXTRA, ROWS),
    "range-ends-after-its-end": (EXTRA, ROWS),
    "ranks-beyond-the-range-kept": (EXTRA, ROWS),
    "slot-positions-sliced-instead-of-ranks": (ROWS, LOST, EXTRA),
    "rows-of-a-token-replace-each-other": (LOST,),
    "last-row-never": (LOST,),
    "second-tile-without-rows": (LOST, ZERO),
    "first-token-of-a-core-skipped": (LOST, ZERO),
    "sum-of-the-token-before-kept": (STALE, EXTRA),  # sums are never begun anew
    "entries-behind-the-shortest-list-lost": (LOST, ORDER),
    "every-round-from-the-first-half": (LOST, ORDER, ROWS),
    "rows-numbered-from-the-run's-first": (ROWS,),
    "expert-counted-from-the-core's-first-row": (ROWS,),
    "rows-taken-token-by-token": (ROWS,),
    # What is moved.
    "last-tile-lost": (UNWRITTEN, LOST),
    "last-*idle": (UNWRITTEN,),
    "last-core-copies-nothing": (UNWRITTEN,),
    "last-partial-block-unwritten": (UNWRITTEN,),
    "tokens-that-do-not-come-out-even-lost": (UNWRITTEN,),
    "columns-behind-the-last-whole-block-lost": (UNWRITTEN,),
    "last-kept-row-lost": (UNWRITTEN,),
    "last-byte-of-an-odd-row-lost": (UNWRITTEN,),
    "num-out-tokens-of-0-keeps-nothing": (UNWRITTEN,),
    "negative-num-out-tokens-off-by-one": (UNWRITTEN,),
    "no-zeros-in-places-that-no-slot-takes": (UNWRITTEN,),
    "zeros-over-what-other-cores-wrote": (ZERO,),
    "every-second-buffer-of-zeros-skipped": (UNWRITTEN,),
    "last-zeros-lost": (UNWRITTEN,),
    "zeros-of-the-first-expert-alone": (UNWRITTEN,),
    "no-place-beyond-the-number-of-slots": (UNWRITTEN,),
    "first-unfilled-row-left": (UNWRITTEN,),
    "zeros-over-the-last-filled-row": (ZERO,),
    "rows-of-the-last-core-not-filled": (UNWRITTEN,),
    "only-the-first-zeros-of-a-row": (UNWRITTEN,),
    "second-part-of-the-slots-not-counted": (COUNTS, UNWRITTEN),
    "last-expert-not-counted": (COUNTS, UNWRITTEN),
    "no-padding-rows": (UNWRITTEN,),
    "last-prob-of-a-run-lost": (UNWRITTEN,),
    "padded-last-row-of-a-core-left-out": (UNWRITTEN,),
    "probabilities-not-moved": (UNWRITTEN,),
    "last-batch-of-probabilities-lost": (UNWRITTEN,),
    "later-batches-to-the-place-of-the-first": (UNWRITTEN, ROWS),
    "every-core-with-the-slots-of-the-first": (UNWRITTEN, ROWS),
    "last-core-writes-no-zeros": (UNWRITTEN, KEPT),
    "rows-that-do-not-come-out-even-lost": (UNWRITTEN, ZERO),
    "last-expert-never": (UNWRITTEN, ZERO),
    "NaN-canonicalised-where-rows-are-copied": (BITS,),
    "quiet-bit-set-in-every-probability": (BITS,),
    "minus-zero-*": (BITS,),
    "subnormals-flushed": (FLUSHED,),
    "bits-of-fp32-probabilities-halved": (BITS, TYPE, NARROW, UNWRITTEN),
    "16-bit-rows-copied-as-32-bit": (COLUMNS, UNWRITTEN, ROWS),
    "int8-*-as-16-bits": (COLUMNS, UNWRITTEN, ROWS, STALE),
    "merge-takes-the-later-list-first-on-ties": (ORDER, ROWS),
    "minus-1-sorted-to-the-tail": (ORDER, ROWS),
    "rest-of-the-last-list-lost": (ORDER, ROWS, STALE, UNWRITTEN),
    "lists-*": (ORDER, ROWS),
    "keys-of-the-last-run-unsorted": (ORDER, ROWS),
    "tile-that-lost-pairs-taken-for-whole": (ORDER, ROWS),
    "padding-sorted-to-the-head": (ORDER, ROWS),
    "argsort-in-place-of-ranks": (ORDER, ROWS),
    "int64-index-truncated-to-32-bits": (ORDER, ROWS, NARROW),
    "int64-indices-read-as-int32": (ORDER, ROWS, TYPE),
    "row-of-the-first-token-of-a-batch": (ROWS,),
    "token-of-a-slot-without-top-k": (ROWS,),
    "second-tile-at-the-last-tile's-width": (COLUMNS,),
    "slots-by-rank-over-the-pairs": (ORDER, ROWS),
    "active-num-*": (EXTRA, ROWS, KEPT, ORDER, COUNTS),
    "num-out-tokens-ignored": (EXTRA, ROWS, KEPT, ORDER),
    "count-flags-swapped": (COUNTS,),
    "cumulative-sum-*": (COUNTS,),
    "first-ranks-are-those-of-the-next-expert": (COUNTS, ROWS, ORDER),
    "counts-after-the-capacity": (EXTRA, ROWS),  # the slot behind the capacity is kept
    "counts-*": (COUNTS, STALE),
    "dropped-slot-keeps-its-rank": (KEPT, ORDER, ROWS, COUNTS),
    "dropped-slot-goes-to-the-last-row": (KEPT, ORDER, ROWS, COUNTS),
    "rows-of-experts-laid-out-by-the-number-of-experts": (ROWS, ORDER),
    "first-ranks-of-another-tile": (COUNTS, ROWS),
    "full-load-*": (ORDER, ROWS),
    "range-shifted-by-one": (ROWS, UNWRITTEN),
    "range-end-inclusive": (EXTRA, ROWS),
    "probs-of-the-token-instead-of-the-slot": (ROWS,),
    "empty-range-taken-for-no-rows": (UNWRITTEN,),
    "padded-row-of-its-place-instead-of-its-index": (ROWS,),
    "padded-probs-of-the-first-expert": (ROWS, COLUMNS),
    "padded-rows-shared-by-stride-instead-of-blocks": (ROWS,),
    "padded-positions-instead-of-indices": (ROWS,),
    "ranks-of-a-token-in-falling-order-of-experts": (ORDER,),
    "every-token-of-a-tile-takes-the-same-rank": (ORDER, ROWS, UNWRITTEN),
    "probs-*token-by-token": (ROWS,),
    "first-prob-of-a-run-for-all": (ROWS,),
    "places-of-earlier-tiles-not-counted": (ROWS, UNWRITTEN, ORDER, COUNTS),
    "slots-of-earlier-tiles-not-counted": (ROWS, UNWRITTEN, ORDER),
    "places-found-kept-in-one-place-for-all-tokens": (ROWS, UNWRITTEN, ORDER),
    "ranks-stored-from-the-core's-first-token": (ROWS, UNWRITTEN, ORDER),
    "unselected-tokens-first": (ROWS, ORDER),
    "padding-behind-the-selected-of-this-core-alone": (ROWS, ORDER, UNWRITTEN),
    "capacity-not-applied-to-the-selected": (ROWS, ORDER),
    "tokens-numbered-in-their-tile": (ROWS, ORDER, COUNTS),
    "probs-of-the-padding-zero": (ZERO,),
    "second-tile-takes-the-rows-of-the-first": (ROWS, ORDER, UNWRITTEN),
    "rows-of-the-second-tile-of-experts-in-those-of-the-first": (ROWS, UNWRITTEN),
    "rows-read-token-by-token": (ROWS,),
    "last-token-of-a-core-not-counted": (ROWS, ORDER, UNWRITTEN),
    "rows-beside-their-token": (ROWS,),
    "capacity-by-the-tokens": (ROWS, ORDER, UNWRITTEN),
    "expert-offset-inclusive": (ROWS,),
    "values-of-earlier-*-not-counted": (ROWS,),
    "map-compared-with-one": (ROWS, ZERO, UNWRITTEN),
    "second-tile-takes-the-values-of-the-first": (ROWS,),
    "second-tile-with-the-experts-of-the-first": (ROWS,),
    "places-of-the-tile-before-left": (STALE, KEPT),
    "probability-outside-the-range-left-as-it-was": (STALE, KEPT),
    "probabilities-in-the-order-of-ranks": (ROWS, ORDER),
    "probability-outside-the-range-is-that-of-the-slot-before": (KEPT, ROWS),
}
"""By the mistake's name, with * for any text; the first that fits."""


def named(told: str) -> Iterator[str]:
    """The natures that a sentence of a diagnosis names."""
    for nature, words in WORDS.items():
        if re.search(words, told):
            yield nature

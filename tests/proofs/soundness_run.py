"""The judge accepts every legal sum: whole toy formats, and millions of hard and random sums.

``make proofs RUN=soundness``; prints what was judged and ends with status 1 if one legal sum was
refused. ``python -m tests.proofs.soundness_run --elements N`` sets the size of the data runs.
"""

import argparse
import sys
import time

import numpy as np

from conformance.numerics.arithmetic import Arithmetic
from tests.conformance.numerics import exhaustive as toys
from tests.conformance.numerics.hard_data import (
    HARD,
    gaussian,
    refused_products,
    refused_sums,
)

SLOTS = (2, 3, 5, 8, 17, 64)
DTYPES = ("float16", "bfloat16", "float32")
WEIGHTS = ("float32", "bfloat16", "float16")
SHARE = len(SLOTS) * len(DTYPES)
BOTH = frozenset({False, True})
CASTS, OVERFLOWS = frozenset({"nearest", "truncate"}), frozenset({"infinity", "saturate"})
ARITHMETICS = {
    "subnormals may become zero": Arithmetic(flushes=BOTH),
    "overflow saturates": Arithmetic(overflows=frozenset({"saturate"})),
    "overflow unknown": Arithmetic(overflows=OVERFLOWS),
    "casts truncate": Arithmetic(casts=frozenset({"truncate"})),
    "cast unknown": Arithmetic(casts=CASTS),
    "nothing known": Arithmetic(CASTS, OVERFLOWS, BOTH),
}


def toy_runs():
    """(what, refused, judged) of every exhaustive run."""
    small, narrow, least = toys.toy(3, -2, 1), toys.toy(2, -1, 1), toys.toy(3, 0, 1)
    four, four_least = toys.toy(4, -1, 1), toys.toy(4, 0, 0)
    for fmt, most in ((small, 4), (least, 5), (four, 3), (four_least, 4)):
        for terms in range(1, most + 1):
            values = toys.multisets(toys.grid(fmt, specials=terms < 5), terms)
            for storage in (fmt, narrow):
                name = f"{terms} terms of {fmt.name}, emin {fmt.emin}, to {storage.name}"
                yield name, *toys.sums(values, fmt, storage)
    for fmt, most in ((least, 3), (toys.toy(3, 0, 0), 4), (four_least, 3)):
        for terms in range(1, most + 1):
            pairs = toys.product_multisets(fmt, terms)
            rule = toys.plain(fmt, fmt, coefficient=fmt)
            name = f"{terms} products of {fmt.name}, emax {fmt.emax}, rounded or fused"
            yield name, *toys.product_sums(*pairs, rule)
    for name, arithmetic in ARITHMETICS.items():
        for terms in (1, 2, 3, 4):
            fmt = small if terms < 4 else least
            values = toys.multisets(toys.grid(fmt), terms)
            for storage in (fmt, narrow):
                rule, told = toys.plain(fmt, storage), f"{terms} terms, {name}, to {storage.name}"
                yield told, *toys.behaving(values, rule, arithmetic)
                results_only = toys.behaving(values, rule, arithmetic, inputs=False)
                yield f"{told}, results only", *results_only
        cast = toys.plain(small, small, source=four, cast=small)
        values = toys.multisets(toys.grid(four), 3)
        yield f"3 terms cast from p4, {name}", *toys.behaving(values, cast, arithmetic)


def data_runs(elements):
    """The same for fp32 sums of at least ``elements`` hard columns and as many random ones."""
    generator = np.random.default_rng(7)
    for families in (HARD, (gaussian,)):
        each = -(-elements // (SHARE * len(families)))
        for family in families:
            refused = judged = 0
            for dtype in DTYPES:
                for slots in SLOTS:
                    wrong, drift, count = refused_sums(generator, family, slots, each, dtype)
                    refused, judged = refused + wrong + drift, judged + count
            yield f"{family.__name__}, {each * SHARE} columns, 6 orders", refused, judged
    for family in (*HARD, gaussian):
        refused = judged = 0
        each = -(-elements // (20 * SHARE))
        for dtype, weights in zip(DTYPES, WEIGHTS, strict=True):
            for slots in SLOTS:
                wrong, drift, count = refused_products(
                    generator, family, slots, each, dtype, weights
                )
                refused, judged = refused + wrong + drift, judged + count
        yield f"{family.__name__}, products, rounded or fused", refused, judged


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, default=1_000_000)
    elements = parser.parse_args().elements
    total = alarms = 0
    began = time.monotonic()
    for runs in (toy_runs(), data_runs(elements)):
        for name, refused, judged in runs:
            total, alarms = total + judged, alarms + refused
            print(f"{judged:>11,} judged, {refused:>6,} refused: {name}", flush=True)
    print(f"{total:,} legal sums, {alarms:,} refused, {time.monotonic() - began:.0f} s")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())

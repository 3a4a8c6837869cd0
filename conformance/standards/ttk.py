"""The comparisons of TTK, the operator test kit of CANN, as its code does them (numerics S.4, S.5).

Goldens of its users are often of the output's dtype; here they are the exact ones where the code
takes a golden of higher precision.
"""

from __future__ import annotations

import math

import numpy as np

from conformance.catalogue import standards as say
from conformance.standards.commercial import (
    LEVELS,
    SMALL,
    SMALL_RATIO,
    Ratios,
    ratio_checks,
    small_ratio,
)
from conformance.standards.comparison import (
    ALL_FLOATS,
    COMPUTED,
    HALVES,
    INTEGERS,
    KERNEL_FLOATS,
    RELATIVE_FLOOR,
    Comparison,
    Kind,
    Mask,
    count,
    largest,
    mean,
    ratio,
    root_mean_square,
    same_special,
    share,
)
from conformance.standards.ecosystem import mere_mare, mixed_at_one
from conformance.standards.standard import (
    Check,
    Rule,
    Standard,
    StandardVerdict,
    all_of,
    rejected,
)

PACKAGE = "hicann/ops-test-kit, ttk/core_modules/comparison"
QUANTISED = frozenset({Kind.QUANTISED})
FLOAT8 = frozenset({"float8_e4m3fn", "float8_e5m2"})

CLOSE_HALF, CLOSE_OTHER, CLOSE_ABSOLUTE = 1e-3, 1e-4, 1e-8
"""rtol and share of mismatches of ``close``, for halves and other floats; atol."""

COSINE_DISTANCE = 0.01
REQUANT_SHARE = 0.001
QUANT_STEPS = 1


def cross_check(level: str) -> Rule:
    """Ratios to a third party; denominators are at least the dtype's small value."""
    limits = LEVELS[level]

    def rule(c: Comparison) -> StandardVerdict:
        special = ~(c.finite & np.isfinite(c.b))
        small = np.abs(c.g) < SMALL[c.dtype][0]
        checks = [
            Check(say.SMALL_VALUE_RATIO(), small_ratio(c, ~special & small), "<=", SMALL_RATIO)
        ]
        large = ~special & ~small
        if large.any():
            checks += ratio_checks(clamped_ratios(c, large), limits)
        found = all_of(*checks)
        as_party = (c.a == c.b) | same_special(c.a, c.b)
        wrong = special & ~(as_party | c.same_special)
        if wrong.any():
            why = say.SPECIAL_UNLIKE_BOTH(count=count(wrong))
            return rejected(found.figures, why)
        return found

    return rule


def clamped_ratios(c: Comparison, large: Mask) -> Ratios:
    """MARE, MERE and RMSE over the third party's, each at least the small value."""
    floor = np.abs(c.g[large]) + RELATIVE_FLOOR
    ours, theirs = c.error[large], c.benchmark_error[large]
    relative, party = ratio(ours, floor), ratio(theirs, floor)
    least = SMALL[c.dtype][0]
    return (
        clamped(largest(relative), largest(party), least),
        clamped(mean(relative), mean(party), least),
        clamped(root_mean_square(ours), root_mean_square(theirs), least),
    )


def clamped(ours: float, theirs: float, least: float) -> float:
    """ours / max(theirs, least); 0/0 and inf/inf are 1, a NaN is infinite."""
    if math.isnan(ours) or math.isnan(theirs):
        return math.inf
    if ours == theirs and (ours == 0.0 or math.isinf(ours)):
        return 1.0
    return ours / max(theirs, least)


def close(c: Comparison) -> StandardVerdict:
    """numpy's isclose, a share of mismatches allowed; NaNs are equal."""
    limit = CLOSE_HALF if c.dtype in HALVES else CLOSE_OTHER
    near = np.isclose(c.a, c.g, rtol=limit, atol=CLOSE_ABSOLUTE, equal_nan=True)
    return all_of(Check(say.MISMATCHED_SHARE(), share(~near), "<=", limit))


def cosine(c: Comparison) -> StandardVerdict:
    """1 - cosine of the angle; all zeros have none and are rejected."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(c.a) * np.linalg.norm(c.g)
        value = float(np.dot(c.a, c.g) / lengths)
    return all_of(Check(say.COSINE_DISTANCE(), 1.0 - value, "<=", COSINE_DISTANCE))


def binary(c: Comparison) -> StandardVerdict:
    """Equal bytes; NaNs at the same place are equal."""
    unsigned = f"u{c.device.dtype.itemsize}"
    different = c.device.view(unsigned) != np.ascontiguousarray(c.rounded).view(unsigned)
    different &= ~(np.isnan(c.a) & np.isnan(c.rounded.astype(np.float64)))
    return all_of(Check(say.DIFFERENT_VALUES(), count(different), "<=", 0.0))


def requant(c: Comparison) -> StandardVerdict:
    """Float8 patterns as int8, at most one apart; the difference wraps around, as the code's does.

    A flipped sign is 128 apart, which wraps to -128, whose absolute value in int8 is -128 again:
    it passes.
    """
    apart = np.abs(c.device.view(np.int8) - c.rounded.view(np.int8))
    far = (apart > QUANT_STEPS) & ~(np.isnan(c.a) & np.isnan(c.rounded.astype(np.float64)))
    return all_of(Check(say.SHARE_BEYOND_A_STEP(), share(far), "<=", REQUANT_SHARE))


def quant(c: Comparison) -> StandardVerdict:
    """Quantised integers, at most one apart."""
    far = np.abs(c.device.astype(np.int32) - c.golden.astype(np.int32)) > QUANT_STEPS
    return all_of(Check(say.SHARE_BEYOND_A_STEP(), share(far), "<=", 0.0))


def _standard(
    name: str,
    file: str,
    version: str,
    dtypes: frozenset[str],
    rule: Rule,
    section: str = "S.5",
    kinds: frozenset[Kind] = COMPUTED,
) -> Standard:
    needs = section == "S.4"
    source = f"{PACKAGE}/{file}"
    return Standard(f"ttk-{name}", version, source, section, kinds, dtypes, rule, needs)


STANDARDS = (
    *(
        _standard(
            f"cross-check-{level.lower()}",
            "cross_check.py",
            "03a2bfdd",
            KERNEL_FLOATS,
            cross_check(level),
            "S.4",
        )
        for level in LEVELS
    ),
    _standard("mixed", "mix_tolerance.py", "36750932", ALL_FLOATS, mixed_at_one),
    _standard("stat-rel-err", "stat_rel_err.py", "202675b6", ALL_FLOATS - {"hifloat32"}, mere_mare),
    _standard("close", "is_close.py", "202675b6", KERNEL_FLOATS, close),
    _standard("cosine", "cosine_similarity.py", "202675b6", KERNEL_FLOATS, cosine),
    _standard(
        "binary",
        "binary_equal.py",
        "202675b6",
        KERNEL_FLOATS | INTEGERS,
        binary,
        kinds=frozenset({Kind.MOVED, Kind.INTEGER}),
    ),
    _standard("requant", "re_quantize.py", "202675b6", FLOAT8, requant, kinds=QUANTISED),
    _standard(
        "quant",
        "quant.py",
        "202675b6",
        frozenset({"int8", "int4"}),
        quant,
        kinds=QUANTISED,
    ),
)

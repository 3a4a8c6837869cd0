"""Ascend's operator precision standard, also called the commercial one (numerics S.3).

Published on 2026-04-09 and withdrawn on 2026-04-22; its numbers live on in other tools. A floating
output is compared with a golden of higher precision, and its errors with those of a benchmark:
another vendor's device, or the same dtype on a CPU, which is what this suite gives it.

Where the document is silent: an error ratio of 0/0 counts as 1 and x/0 as infinite; a NaN or
infinity whose golden and benchmark are finite is wrong; an output equal to its golden is right.
Not modelled: INF_NAN_MODE_ENABLE=0, where infinities are not compared; the re-check of a failed
case in 200 runs and more (section 4.5.2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import standards as say
from conformance.standards import data
from conformance.standards.comparison import (
    ALL_FLOATS,
    COMPUTED,
    INTEGERS,
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
)
from conformance.standards.standard import (
    Check,
    Rule,
    Ruling,
    Standard,
    StandardVerdict,
    all_of,
    investigate,
    rejected,
)

Ratios = tuple[float, float, float]

PAGE = "opbase, docs/zh/ops_precision_standard/commercial_standard.md"
VERSION = say.WITHDRAWN(version="2026-04-09 (6049643)", withdrawn="2026-04-22 (8b296c7)")

LEVELS = {"L0": (10.0, 2.0, 2.0), "L1": (5.0, 1.5, 1.5), "L2": (2.0, 1.2, 1.2)}
"""Limits of the ratios of MARE, MERE and RMSE."""

RATIOS = (say.MARE_RATIO(), say.MERE_RATIO(), say.RMSE_RATIO())

SMALL = {
    "float16": (2.0**-11, 2.0**-16),
    "bfloat16": (2.0**-8, 2.0**-16),
    "float32": (2.0**-14, 2.0**-30),
    "hifloat32": (2.0**-12, 2.0**-28),
    "float8_e4m3fn": (2.0**-4, 2.0**-6),
    "float8_e5m2": (2.0**-3, 2.0**-5),
}
"""Goldens below the first number are small, and their errors above the second one count."""

SMALL_RATIO = 2.0
QUANTISED_ERROR = 1.0


def dual_benchmark(level: str) -> Rule:
    """The rule of a level: special values, then ratios over normal goldens, then small ones."""
    limits = LEVELS[level]

    def rule(c: Comparison) -> StandardVerdict:
        wrong, unclear, _ = special_values(c)
        normal, small = ranges(c)
        checks = [
            Check(n, r, "<=", m) for n, r, m in zip(RATIOS, ratios(c, normal), limits, strict=True)
        ]
        checks.append(Check(say.SMALL_VALUE_RATIO(), small_ratio(c, small), "<=", SMALL_RATIO))
        found = all_of(*checks)
        if wrong.any():
            why = say.SPECIAL_UNLIKE_GOLDEN(count=count(wrong))
            return rejected(found.figures, why)
        if found.ruling is Ruling.ACCEPTS and unclear.any():
            why = say.SPECIAL_ALL_DIFFER(count=count(unclear))
            return investigate(found.figures, why)
        return found

    return rule


def special_values(c: Comparison) -> tuple[Mask, Mask, Mask]:
    """Where one of the three is NaN or infinite: wrong, to be investigated, right (section 5.3.3).

    Right: device as benchmark, or as golden. Wrong: the golden is special and the benchmark agrees
    with it; or the device alone is special. Else all three differ.
    """
    special = ~(c.finite & np.isfinite(c.b))
    as_benchmark = (c.a == c.b) | same_special(c.a, c.b)
    as_golden = (c.a == c.g) | c.same_special
    benchmark_as_golden = (c.b == c.g) | same_special(c.b, c.g)
    right = special & (as_benchmark | as_golden)
    lone = np.isfinite(c.g) & np.isfinite(c.b)
    wrong = special & ~right & ((~np.isfinite(c.g) & benchmark_as_golden) | lone)
    return wrong, special & ~right & ~wrong, right


def ranges(c: Comparison) -> tuple[Mask, Mask]:
    """Normal and small goldens, both where all three are finite."""
    finite = c.finite & np.isfinite(c.b)
    small = np.abs(c.g) < SMALL[c.dtype][0]
    return finite & ~small, finite & small


def ratios(c: Comparison, normal: Mask) -> Ratios:
    """Device over benchmark: MARE, MERE and RMSE of normal goldens."""
    floor = np.abs(c.g[normal]) + RELATIVE_FLOOR
    ours, theirs = c.error[normal], c.benchmark_error[normal]
    relative, benchmark = ratio(ours, floor), ratio(theirs, floor)
    return (
        quotient(largest(relative), largest(benchmark)),
        quotient(mean(relative), mean(benchmark)),
        quotient(root_mean_square(ours), root_mean_square(theirs)),
    )


def small_ratio(c: Comparison, small: Mask) -> float:
    """Errors of the device among small goldens, per error of the benchmark, at least one."""
    limit = SMALL[c.dtype][1]
    ours = count(c.error[small] > limit)
    return ours / max(count(c.benchmark_error[small] > limit), 1)


def ratio_checks(found: Ratios, limits: Ratios) -> list[Check]:
    """MARE, MERE and RMSE ratios against their limits."""
    named = zip(RATIOS, found, limits, strict=True)
    return [Check(name, value, "<=", limit) for name, value, limit in named]


def quotient(ours: float, theirs: float) -> float:
    """ours / theirs, 0/0 as 1, x/0 as infinity."""
    if theirs == 0.0:
        return 1.0 if ours == 0.0 else np.inf
    return ours / theirs


def bitwise(c: Comparison) -> StandardVerdict:
    """Section 4.2: movement and casts, every bit."""
    unsigned = f"u{c.device.dtype.itemsize}"
    expected = np.ascontiguousarray(c.rounded).view(unsigned)
    different: NDArray[np.bool_] = c.device.view(unsigned) != expected
    return all_of(Check(say.DIFFERENT_BITS(), count(different), "<=", 0.0))


def integral(c: Comparison) -> StandardVerdict:
    """Section 4.3: integers, no absolute error."""
    return all_of(Check(say.DIFFERENT_VALUES(), count(c.device != c.golden), "<=", 0.0))


def quantised(c: Comparison) -> StandardVerdict:
    """Section 4.4: integers made of floats, absolute error up to 1."""
    return all_of(Check(say.LARGEST_ERROR(), largest(c.error), "<=", QUANTISED_ERROR))


def _dual(level: str, rule: data.DataRule) -> Standard:
    return Standard(
        name=f"commercial-{level.lower()}",
        version=VERSION,
        source=say.SECTION_LEVEL(page=PAGE, section="4.5", level=level),
        section="S.3",
        kinds=COMPUTED,
        dtypes=ALL_FLOATS,
        rule=dual_benchmark(level),
        needs_benchmark=True,
        data=rule,
    )


def _single(name: str, section: str, kind: Kind, dtypes: frozenset[str], rule: Rule) -> Standard:
    source = say.SECTION(page=PAGE, section=section)
    return Standard(name, VERSION, source, "S.3", frozenset({kind}), dtypes, rule)


STANDARDS = (
    _dual("L0", data.COMMERCIAL_L0),
    _dual("L1", data.COMMERCIAL_L1),
    _dual("L2", data.COMMERCIAL_L1),
    _single("commercial-move", "4.2", Kind.MOVED, ALL_FLOATS | INTEGERS, bitwise),
    _single("commercial-integer", "4.3", Kind.INTEGER, INTEGERS, integral),
    _single("commercial-quant", "4.4", Kind.QUANTISED, INTEGERS, quantised),
)

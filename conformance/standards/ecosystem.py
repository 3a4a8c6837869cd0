"""The standard of Ascend's ecosystem operators, versions 1 and 2 (numerics S.1, S.2).

Both compare with one golden of higher precision and are for floating-point computation only. The
document was replaced in July 2026; its English page still states version 1.
"""

from __future__ import annotations

import numpy as np

from conformance.catalogue import standards as say
from conformance.standards import data
from conformance.standards.comparison import (
    ALL_FLOATS,
    COMPUTED,
    Comparison,
    Floats,
    count,
    exponent,
    largest,
    mean,
    share,
)
from conformance.standards.standard import (
    Check,
    Standard,
    StandardVerdict,
    all_of,
    rejected,
)

PAGE = "opbase, docs/zh/ops_precision_standard/experimental_standard.md"

RELATIVE_THRESHOLD = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-13,
    "hifloat32": 2.0**-11,
    "float8_e4m3fn": 2.0**-3,
    "float8_e5m2": 2.0**-2,
}
"""T of S.1: the limit of the mean relative error."""

LARGEST_TO_MEAN = 10.0
"""The largest relative error may be this many times T."""

MIXED = {
    "float16": (2.0**-9, 2.0**-9, 1e-1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-10, 2.0**-16, 1e-2),
    "hifloat32": (2.0**-9, 2.0**-10, 1e-1),
    "float8_e4m3fn": (2.0**-2, 2.0**-4, 1.0),
    "float8_e5m2": (2.0**-1, 2.0**-3, 1e-1),
}
"""rtol, atol and the limit of the largest absolute error, of S.2."""

MATCHED_SHARE = 0.99
ULPS = 32.0

GRID = {
    "float16": (11, -14),
    "bfloat16": (8, -126),
    "float32": (24, -126),
    "hifloat32": (11, -126),
    "float8_e4m3fn": (4, -6),
    "float8_e5m2": (3, -14),
}
"""Precision and least normal exponent: what an ulp is. Both tables have the same dtypes."""


def mere_mare(c: Comparison) -> StandardVerdict:
    """MERE < T and MARE < 10 T; an infinity or NaN must be the golden's own."""
    if c.mismatched_special.any():
        return rejected({}, _unlike_golden(c))
    relative = c.relative[c.finite]
    threshold = RELATIVE_THRESHOLD[c.dtype]
    return all_of(
        Check(say.MERE(), mean(relative), "<", threshold),
        Check(say.MARE(), largest(relative), "<", LARGEST_TO_MEAN * threshold),
    )


def ulp(golden: Floats, dtype: str) -> Floats:
    """The step of a dtype's grid at the golden."""
    precision, least = GRID[dtype]
    return np.ldexp(1.0, exponent(golden, least) + 1 - precision)


def mixed(c: Comparison) -> StandardVerdict:
    """Version 2, with "or 32 ULP" read per element: ulps of the golden there."""
    limit = MIXED[c.dtype][2]
    return mixed_within(c, np.maximum(limit, ULPS * ulp(c.g[c.finite], c.dtype)))


def mixed_at_one(c: Comparison) -> StandardVerdict:
    """Version 2 as TTK reads it: the ulp is that of 1.0, so the limit is one number."""
    limit = max(MIXED[c.dtype][2], ULPS * 2.0 ** (1 - GRID[c.dtype][0]))
    return mixed_within(c, np.full(count(c.finite), limit))


def mixed_within(c: Comparison, limits: Floats) -> StandardVerdict:
    """Share of |a - g| <= atol + rtol |g| at least 0.99, no finite error beyond its limit.

    An infinity or NaN unlike the golden is an unbounded error.
    """
    rtol, atol, _ = MIXED[c.dtype]
    matched = c.same_special.copy()
    matched[c.finite] = c.error[c.finite] <= atol + rtol * np.abs(c.g[c.finite])
    if c.mismatched_special.any():
        figures = {"matched share": share(matched), "largest error": np.inf}
        return rejected(figures, _unlike_golden(c))
    checks = [Check(say.MATCHED_SHARE(), share(matched), ">=", MATCHED_SHARE)]
    errors = c.error[c.finite]
    if errors.size:
        worst = int(np.argmax(errors / limits))
        checks.append(Check(say.LARGEST_ERROR(), errors[worst], "<=", limits[worst]))
    return all_of(*checks)


def _unlike_golden(c: Comparison) -> str:
    return say.SPECIAL_UNLIKE_GOLDEN(count=count(c.mismatched_special))


STANDARDS = (
    Standard(
        name="ecosystem-v1",
        version="2026-04-09 (6049643)",
        source=say.IN_ENGLISH_UNTIL(page=PAGE, day="2026-07-20"),
        section="S.1",
        kinds=COMPUTED,
        dtypes=ALL_FLOATS,
        rule=mere_mare,
    ),
    Standard(
        name="ecosystem-v2",
        version="2026-07-15 (adbe441)",
        source=say.SECTION(page=PAGE, section="2"),
        section="S.2",
        kinds=COMPUTED,
        dtypes=ALL_FLOATS,
        rule=mixed,
        data=data.ECOSYSTEM_V2,
    ),
)

"""The comparisons of msprobe's API accuracy checker, as its code does them (numerics S.6).

It has a first pass, whose warnings ask a person, and six comparisons of which an API takes one. All
treat the golden as exact; halves are compared in float32 there, in float64 here.
"""

from __future__ import annotations

import math

import numpy as np

from conformance.catalogue import standards as say
from conformance.standards.comparison import (
    COMPUTED,
    INTEGERS,
    KERNEL_FLOATS,
    Comparison,
    Floats,
    Kind,
    Mask,
    count,
    exponent,
    largest,
    mean,
    ratio,
    share,
)
from conformance.standards.standard import (
    Check,
    Rule,
    Standard,
    StandardVerdict,
    all_of,
    any_of,
    investigate,
    rejected,
)
from reference.floats import format_of

PACKAGE = "mstt, msprobe/pytorch/api_accuracy_checker"
VERSION = "a4282636 (2025)"

COSINE = 0.99
SMALL_ERROR = 0.001
WARNING_LEVEL = {"float16": 0.001, "bfloat16": 0.001, "float32": 0.0001}
ERROR_LEVEL = {"float16": 0.01, "bfloat16": 0.01, "float32": 0.001}
"""A relative error below the level must hold for a share of elements above 1 - the level."""

EPSILON = {"float16": 2.0**-23, "bfloat16": 2.0**-8, "float32": 2.0**-52}
"""Added to the golden: epsilon of the golden's dtype, float32 for fp16, float64 for fp32."""

NOTHING = 2.0**-52
"""Outputs that are nowhere larger are all zeros to the cosine."""

SMALL_VALUE = {"float16": 2.0**-10, "bfloat16": 2.0**-10, "float32": 2.0**-20}
BENCHMARK_ATOL = {"float16": 1e-16, "bfloat16": 1e-16, "float32": 2.0**-30}
THRESHOLD_ATOL = {"float16": 2.0**-16, "bfloat16": 1e-16, "float32": 2.0**-30}
THRESHOLD_RTOL = {"float16": 2.0**-10, "bfloat16": 2.0**-8, "float32": 2.0**-20}
ACCUMULATIVE = {"float16": 2.0**-8, "bfloat16": 2.0**-7, "float32": 2.0**-11}
ACCUMULATIVE_SMALL = 1.0

BENCHMARK_LEVELS = {
    "L0": (2.0, 2.0, 10.0, 2.0),
    "L1": (2.0, 1.5, 5.0, 1.5),
    "L2": (2.0, 1.2, 2.0, 1.2),
}
"""Limits of the ratios of small-value errors, RMSE, largest and mean relative error."""

RATIO_TO_NOTHING = 10000.0
NOTHING_RATIO = 1e-9
RMSE_GUARD = 0.0001

RATIOS = {
    "small-value": say.SMALL_VALUE_RATIO,
    "RMSE": say.RMSE_RATIO,
    "largest": say.LARGEST_RELATIVE_RATIO,
    "mean": say.MEAN_RELATIVE_RATIO,
}
"""What the figures of an output over those of the benchmark are called."""

ULP_MEAN = 64.0
ULP_FAR = {"float16": 1.0, "bfloat16": 1.0, "float32": 32.0}
ULP_SHARE = {"float16": 0.001, "bfloat16": 0.001, "float32": 0.05}
ULP_RATIO = 1.0


def first_pass(c: Comparison) -> StandardVerdict:
    """Cosine, then the largest error, then the shares of relative errors."""
    value = cosine(c)
    figures = {"cosine": value}
    if not value > COSINE:
        return rejected(figures, Check(say.COSINE(), value, ">", COSINE).words)
    error = largest(c.error)
    if error < SMALL_ERROR:
        return all_of(Check(say.LARGEST_ERROR(), error, "<", SMALL_ERROR))
    relative = c.relative_to(EPSILON[c.dtype])
    strict, loose = WARNING_LEVEL[c.dtype], ERROR_LEVEL[c.dtype]
    checks = [
        Check(say.SHARE_BELOW(limit=x), share(relative < x), ">", 1.0 - x) for x in (loose, strict)
    ]
    found = all_of(*checks)
    if checks[0].ok and not checks[1].ok:
        return investigate(found.figures, say.WARNING(check=checks[1].words))
    return found


def cosine(c: Comparison) -> float:
    """Cosine of the angle; 1 where it is not asked for: one element, or both all zeros."""
    with np.errstate(all="ignore"):
        ours, theirs = np.max(np.abs(c.a)), np.max(np.abs(c.g))
        if c.a.size == 1 or (ours <= NOTHING and theirs <= NOTHING):
            return 1.0
        if ours <= NOTHING or theirs <= NOTHING:
            return 0.0
        one, other = c.a / ours, c.g / theirs
        found = np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other))
        return float(np.clip(found, -1.0, 1.0))


def benchmark(level: str) -> Rule:
    """Error figures over those of the benchmark; elements that are not finite take no part."""
    limits = BENCHMARK_LEVELS[level]

    def rule(c: Comparison) -> StandardVerdict:
        ours, theirs = error_figures(c, c.a), error_figures(c, c.b)
        return all_of(
            *(
                Check(RATIOS[name](), to_benchmark(ours[name], theirs[name]), "<=", limit)
                for name, limit in zip(ours, limits, strict=True)
            )
        )

    return rule


def error_figures(c: Comparison, output: Floats) -> dict[str, float]:
    """Share of small-value errors, RMSE, largest and mean relative error of an output."""
    finite = np.isfinite(output) & np.isfinite(c.rounded.astype(np.float64))
    small = finite & (np.abs(c.g) <= SMALL_VALUE[c.dtype])
    normal = finite & ~small
    with np.errstate(all="ignore"):
        error = np.abs(output - c.g)
        squares = np.where(normal, error, 0.0) ** 2
    missing = output.size - count(normal)
    guard = output.size / (output.size - missing + RMSE_GUARD) + RMSE_GUARD
    relative = ratio(error, np.abs(c.g) + EPSILON[c.dtype])[normal]
    return {
        "small-value": share(error[small] > BENCHMARK_ATOL[c.dtype]),
        "RMSE": math.sqrt(float(np.mean(squares)) * guard),
        "largest": largest(relative),
        "mean": mean(relative),
    }


def to_benchmark(ours: float, theirs: float) -> float:
    """ours / theirs; below 1e-9 theirs is nothing, and the ratio 1 or 10000."""
    if abs(theirs) > NOTHING_RATIO:
        return abs(ours / theirs)
    return 1.0 if abs(ours) <= NOTHING_RATIO else RATIO_TO_NOTHING


def absolute_threshold(c: Comparison) -> StandardVerdict:
    """No element beyond rtol, none of the small ones beyond atol."""
    rtol, atol = THRESHOLD_RTOL[c.dtype], THRESHOLD_ATOL[c.dtype]
    return _within(c, np.abs(c.g) <= SMALL_VALUE[c.dtype], rtol, atol)


def accumulative(c: Comparison) -> StandardVerdict:
    """No golden up to 1 beyond the bound absolutely, no other beyond it relatively."""
    bound = ACCUMULATIVE[c.dtype]
    return _within(c, np.abs(c.g) <= ACCUMULATIVE_SMALL, bound, bound)


def _within(c: Comparison, small: Mask, rtol: float, atol: float) -> StandardVerdict:
    """Shares of elements beyond rtol (normal), atol (small) and, clipped, of those not finite."""
    own = c.rounded.astype(np.float64)
    finite = np.isfinite(c.a) & np.isfinite(own)
    relative = c.relative_to(EPSILON[c.dtype])
    most = format_of(c.device.dtype).largest_finite
    with np.errstate(all="ignore"):
        clipped = np.abs(np.clip(c.a, -most, most) - np.clip(own, -most, most))
        near = clipped / (np.abs(c.g) + EPSILON[c.dtype]) <= rtol
    near |= np.isnan(c.a) & np.isnan(own)
    return all_of(
        Check(say.SHARE_OF_SPECIAL(), share(~near[~finite]), "<=", 0.0),
        Check(say.SHARE_OF_RELATIVE(), share(relative[finite & ~small] > rtol), "<=", 0.0),
        Check(say.SHARE_OF_ABSOLUTE(), share(c.error[finite & small] > atol), "<=", 0.0),
    )


def ulp(c: Comparison) -> StandardVerdict:
    """fp32: a small mean of ulp errors, or few large ones, or fewer than the benchmark; halves:
    the last two. A mean without a value is wrong unless the benchmark's has none either.
    """
    ours = ulp_errors(c, c.a)
    far, limit = ULP_FAR[c.dtype], ULP_SHARE[c.dtype]
    average = mean(ours)
    checks = [Check(say.SHARE_BEYOND_ULPS(ulps=far), share(ours > far), "<", limit)]
    if c.dtype == "float32":
        checks.insert(0, Check(say.MEAN_ULPS(), average, "<", ULP_MEAN))
    theirs = None if c.benchmark is None else ulp_errors(c, c.b)
    if theirs is not None:
        quotient = to_benchmark(share(ours > far), share(theirs > far))
        checks.append(Check(say.SHARE_TO_BENCHMARK(), quotient, "<", ULP_RATIO))
    if not math.isfinite(average) and (theirs is None or not _alike(average, mean(theirs))):
        return rejected({str(say.MEAN_ULPS()): average}, say.ULPS_WITHOUT_VALUE())
    return any_of(*checks)


def ulp_errors(c: Comparison, output: Floats) -> Floats:
    """Errors in ulps of the golden; at zero in ulps of 1.0, as the code has it."""
    fmt = format_of(c.device.dtype)
    exponents = np.where(c.g == 0.0, 0, exponent(c.g, fmt.emin))
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(np.ldexp(output - c.g, fmt.precision - 1 - exponents)))


def _alike(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def consistent(c: Comparison) -> StandardVerdict:
    """Equal values; a NaN equals nothing, zeros of both signs are equal."""
    return all_of(Check(say.ERROR_RATE(), share(c.device != c.rounded), "<=", 0.0))


def _standard(
    name: str, file: str, rule: Rule, *, exact: bool = False, dual: bool = False
) -> Standard:
    kinds = frozenset({Kind.MOVED, Kind.INTEGER}) if exact else COMPUTED
    dtypes = KERNEL_FLOATS | INTEGERS if exact else KERNEL_FLOATS
    source = f"{PACKAGE}/" + file
    return Standard(f"msprobe-{name}", VERSION, source, "S.6", kinds, dtypes, rule, dual)


STANDARDS = (
    _standard("first-pass", "compare/compare.py", first_pass),
    *(
        _standard(
            f"benchmark-{level.lower()}",
            say.LEVELS_OF_DOCUMENTS(file="precision_standard/benchmark_compare.py"),
            benchmark(level),
            dual=True,
        )
        for level in BENCHMARK_LEVELS
    ),
    _standard("threshold", "precision_standard/absolute_threshold.py", absolute_threshold),
    _standard("ulp", "precision_standard/ulp_compare.py", ulp),
    _standard("accumulative", "precision_standard/accumulative_error_compare.py", accumulative),
    _standard(
        "binary",
        "precision_standard/binary_consistency.py",
        consistent,
        exact=True,
    ),
)

"""Standards that are one formula (numerics S.9, S.11, S.12)."""

from __future__ import annotations

import numpy as np

from conformance.catalogue import standards as say
from conformance.standards.comparison import (
    HALVES,
    INTEGERS,
    KERNEL_FLOATS,
    Comparison,
    Kind,
    count,
    largest,
    ratio,
    share,
)
from conformance.standards.standard import (
    Check,
    Rule,
    Standard,
    StandardVerdict,
    all_of,
)
from reference.floats import FP32, format_of

OP_TEST_RATE = {"float16": 1e-3, "bfloat16": 4e-3, "hifloat32": 1e-3, "float32": 1e-4}
OP_TEST_INTEGERS = frozenset({"int32", "int64"})
OP_TEST_INTEGER_RATE = 1e-4
OP_TEST_RELATIVE_FROM = 1.0

MSOPST_TOLERANCE, MSOPST_SHARE, MSOPST_LARGEST = 0.01, 0.05, 0.1
MSOPST_SMALL, MSOPST_FLOOR = 2.0**-14, 1e-9

KERNEL_BENCH = 1e-3

COMPARE_DATA_HALF, COMPARE_DATA_FLOAT, COMPARE_DATA_ATOL = 1e-3, 1e-4, 1e-8


def op_test(c: Comparison) -> StandardVerdict:
    """Errors are relative from |golden| 1 on, absolute below; a share of them may be too large.

    An infinity counts as the largest finite value, NaNs are equal.
    """
    rate = OP_TEST_RATE.get(c.dtype, OP_TEST_INTEGER_RATE)
    most = np.inf
    if c.dtype in OP_TEST_RATE:
        most = (FP32 if c.dtype == "hifloat32" else format_of(c.dtype)).largest_finite
    device, golden = np.clip(c.a, -most, most), np.clip(c.g, -most, most)
    scale = np.where(np.abs(golden) >= OP_TEST_RELATIVE_FROM, np.abs(golden), 1.0)
    near = ratio(np.abs(device - golden), scale) <= rate
    near |= np.isnan(device) & np.isnan(golden)
    return all_of(Check(say.BAD_ELEMENTS(), count(~near), "<=", c.a.size * rate))


def msopst(c: Comparison) -> StandardVerdict:
    """Small errors count as they are, others relative to the larger of both values."""
    least = MSOPST_SMALL / MSOPST_TOLERANCE
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.maximum(np.abs(c.a), np.abs(c.g)), least) + MSOPST_FLOOR
        error = np.where(c.error < MSOPST_TOLERANCE, c.error, ratio(c.error, size))
    return all_of(
        Check(
            say.SHARE_WITHIN_HUNDREDTH(), share(error <= MSOPST_TOLERANCE), ">=", 1.0 - MSOPST_SHARE
        ),
        Check(say.LARGEST_ERROR(), largest(error), "<", MSOPST_LARGEST),
    )


def kernel_bench(c: Comparison) -> StandardVerdict:
    """Every element within 1e-3, absolutely or relatively."""
    near = (c.error <= KERNEL_BENCH) | (ratio(c.error, np.abs(c.g)) <= KERNEL_BENCH)
    return all_of(Check(say.BAD_ELEMENTS(), count(~near), "<=", 0.0))


def compare_data(c: Comparison) -> StandardVerdict:
    """numpy's isclose, the share of mismatches below rtol."""
    rtol = COMPARE_DATA_HALF if c.dtype in HALVES else COMPARE_DATA_FLOAT
    near = np.isclose(c.a, c.g, rtol=rtol, atol=COMPARE_DATA_ATOL, equal_nan=True)
    return all_of(Check(say.MISMATCHED_SHARE(), share(~near), "<", rtol))


def _row(
    name: str,
    version: str,
    source: str,
    section: str,
    rule: Rule,
    dtypes: frozenset[str] = KERNEL_FLOATS,
) -> Standard:
    return Standard(name, version, source, section, frozenset(Kind), dtypes, rule)


STANDARDS = (
    _row(
        "ascend-op-test",
        say.SECOND_HAND(version="2026"),
        "AscendOpTest",
        "S.9",
        op_test,
        KERNEL_FLOATS | {"hifloat32"} | OP_TEST_INTEGERS,
    ),
    _row(
        "msopst",
        "2026",
        say.DEFAULTS(function="msopst, op_test_frame"),
        "S.11",
        msopst,
        KERNEL_FLOATS | INTEGERS,
    ),
    _row("npu-kernel-bench", "2026", "NPUKernelBench", "S.12", kernel_bench),
    _row("compare-data", "2026", "ops-transformer, compare_data scripts", "S.12", compare_data),
)

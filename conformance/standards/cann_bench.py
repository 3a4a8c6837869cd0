"""The comparison of cann-bench, as its code does it (numerics S.8).

The golden is first rounded to the output's dtype. Where the ecosystem standard, version 1, accepts,
all is well; else the elements whose relative error is beyond 10 T are counted in three domains.
A mean beyond T alone therefore rejects nothing: without an element beyond 10 T the counts are zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.catalogue import standards as say
from conformance.standards.commercial import SMALL, SMALL_RATIO
from conformance.standards.comparison import (
    INTEGERS,
    KERNEL_FLOATS,
    RELATIVE_FLOOR,
    Comparison,
    Floats,
    Kind,
    Mask,
    count,
    largest,
    mean,
    ratio,
)
from conformance.standards.ecosystem import LARGEST_TO_MEAN, RELATIVE_THRESHOLD
from conformance.standards.standard import (
    Check,
    Standard,
    StandardVerdict,
    all_of,
    rejected,
)
from reference.floats import format_of

FILE = "hicann/cann-bench, src/kernel_eval/utils/compare.py"

CANCELLED = {"float16": 2.0**-5, "bfloat16": 2.0**-3, "float32": 2.0**-8}
"""Output and golden below this, and the golden not small: taken for a cancellation."""


@dataclass(frozen=True)
class Domains:
    """Where a golden is small, where it cancelled, where it is neither; special values nowhere."""

    small: Mask
    cancelled: Mask
    normal: Mask


def three_domains(c: Comparison) -> StandardVerdict:
    """Version 1 of the ecosystem standard, or no more errors than twice the benchmark's."""
    device, golden, same = _saturated(c)
    if (np.isnan(device) != np.isnan(golden)).any():
        return rejected({}, say.NAN_UNLIKE_GOLDEN())
    if (np.isinf(device) & np.isinf(golden) & ~same).any():
        return rejected({}, say.INF_OF_OTHER_SIGN())
    valid = np.isfinite(device) & np.isfinite(golden)
    relative = _relative(device, golden)
    threshold = RELATIVE_THRESHOLD[c.dtype]
    limit = LARGEST_TO_MEAN * threshold
    first = all_of(
        Check(say.MERE(), mean(relative[valid]), "<", threshold),
        Check(say.MARE(), largest(relative[valid]), "<", limit),
    )
    if first.ok:
        return first
    where = domains(device, golden, valid, c.dtype)
    benchmark = golden if c.benchmark is None else c.b
    theirs = _relative(benchmark, golden)
    error, least = np.abs(device - golden), SMALL[c.dtype][1]
    counts = (
        (say.SMALL_RATIO, where.small, error > least, np.abs(benchmark - golden) > least),
        (say.CANCELLED_RATIO, where.cancelled, relative > limit, theirs > limit),
    )
    checks = []
    for ratio_of, mask, ours, others in counts:
        errors = count(mask & ours) / max(count(mask & others), 1)
        checks.append(Check(ratio_of(), errors, "<=", SMALL_RATIO))
    beyond = count(where.normal & (relative > limit))
    allowed = SMALL_RATIO * count(where.normal & (theirs > limit))
    return all_of(*checks, Check(say.NORMAL_ERRORS(), beyond, "<=", allowed))


def domains(device: Floats, golden: Floats, valid: Mask, dtype: str) -> Domains:
    """The three domains of valid elements."""
    magnitude, edge = np.abs(golden), CANCELLED[dtype]
    small = valid & (magnitude < SMALL[dtype][0])
    cancelled = valid & ~small & (magnitude < edge) & (np.abs(device) < edge)
    return Domains(small, cancelled, valid & ~small & ~cancelled)


def _saturated(c: Comparison) -> tuple[Floats, Floats, Mask]:
    """Output and rounded golden, an infinity of one side alone replaced by the largest value; and
    where both are the same infinity.
    """
    most = format_of(c.device.dtype).largest_finite
    golden = c.against_rounded.g
    alone = np.isinf(c.a) != np.isinf(golden)
    device = np.where(alone, np.clip(c.a, -most, most), c.a)
    return device, np.where(alone, np.clip(golden, -most, most), golden), c.a == golden


def _relative(output: Floats, golden: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return ratio(np.abs(output - golden), np.abs(golden) + RELATIVE_FLOOR)


def exact(c: Comparison) -> StandardVerdict:
    """Integers are equal."""
    return all_of(Check(say.DIFFERENT_VALUES(), count(c.device != c.golden), "<=", 0.0))


def judge(c: Comparison) -> StandardVerdict:
    """Integers exactly, floats in three domains."""
    return exact(c) if c.dtype in INTEGERS else three_domains(c)


STANDARDS = (
    Standard(
        name="cann-bench",
        version="d59d44c",
        source=FILE,
        section="S.8",
        kinds=frozenset({Kind.COMPUTED, Kind.INTEGER}),
        dtypes=KERNEL_FLOATS | INTEGERS,
        rule=judge,
    ),
)

"""Shorthand of the tests of standards: arrays out of numbers, one standard's ruling."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from conformance.standards import STANDARDS, Kind, Ruling, StandardVerdict

CONTAINERS = {
    "bfloat16": ml_dtypes.bfloat16,
    "hifloat32": np.float32,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}

ULP_OF_ONE = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "hifloat32": 2.0**-23,
    "float8_e4m3fn": 2.0**-3,
    "float8_e5m2": 2.0**-2,
}
"""Step at 1 of the arrays that hold a format."""


def array(values, dtype):
    """Numbers in a format; each must be one of its values."""
    wanted = np.atleast_1d(np.asarray(values))
    made = wanted.astype(CONTAINERS.get(dtype, dtype))
    if made.dtype.kind not in "iub":
        kept = made.astype(np.float64)
        assert np.array_equal(kept, wanted.astype(np.float64), equal_nan=True), (values, dtype)
    return made


def verdict(name, dtype, device, golden, benchmark=None, kind=None) -> StandardVerdict:
    """What a standard says of numbers."""
    integral = dtype.lstrip("u").startswith("int")
    return STANDARDS[name].judge(
        array(device, dtype),
        np.atleast_1d(np.asarray(golden, np.int64 if integral else np.float64)),
        None if benchmark is None else array(benchmark, dtype),
        dtype,
        kind,
    )


def accepts(name, dtype, device, golden, benchmark=None, kind=None) -> bool:
    """Whether a standard that speaks of these numbers accepts them."""
    found = verdict(name, dtype, device, golden, benchmark, kind)
    assert found.ruling in (Ruling.ACCEPTS, Ruling.REJECTS), found
    assert found.sentence
    return found.ok


def is_quantised(name, dtype, device, golden):
    """The same, of a quantised output."""
    return accepts(name, dtype, device, golden, kind=Kind.QUANTISED)


def is_moved(name, dtype, device, golden):
    """The same, of a moved output whose golden is in its own dtype."""
    found = STANDARDS[name].judge(
        array(device, dtype), array(golden, dtype), dtype=dtype, kind=Kind.MOVED
    )
    return found.ok


def with_errors(dtype, counts, elements=100):
    """Ones, with errors in ulps of one: ``counts`` has pairs (how many elements, how many ulps)."""
    values = np.ones(elements)
    at = 0
    for many, ulps in counts:
        values[at : at + many] += ulps * ULP_OF_ONE[dtype]
        at += many
    return values

"""Comparisons of test libraries in the libraries' own arithmetic (numerics S.10, S.12).

They compare arrays of one dtype, so the golden is rounded to the output's dtype first, and they
compute in that dtype: a tolerance of 1e-3 in fp16 is 0.0010004.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import standards as say
from conformance.standards.comparison import (
    INTEGERS,
    KERNEL_FLOATS,
    Comparison,
    Kind,
    Mask,
    count,
)
from conformance.standards.standard import (
    Check,
    Rule,
    Standard,
    StandardVerdict,
    all_of,
    rejected,
)

TORCH_CLOSE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5)}
"""rtol and atol that torch.testing.assert_close takes by default."""

FLAGGEMS_ATOL = 1e-4
"""FlagGems' atol, times the length of the reduction; here of one."""

FLAGGEMS = {name: (rtol, FLAGGEMS_ATOL) for name, (rtol, _) in TORCH_CLOSE.items()}
INDUCTOR = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5)}
TRITON = {"float16": (1e-3, 1e-3), "bfloat16": (1e-3, 1e-3), "float32": (1e-4, 1e-4)}

NUMPY_RTOL = 1e-7

RTOL_EQUAL, RTOL_EQUAL_HALF = 1e-4, 1e-3
RTOL_EQUAL_BFLOAT = 1e-3
RTOL_EQUAL_FLOOR, RTOL_EQUAL_HALF_FLOOR = 1e-9, 6e-8


def torch_close(tolerances: dict[str, tuple[float, float]], *, equal_nan: bool = False) -> Rule:
    """torch.isclose of every element, each step rounded to the dtype; integers are equal."""

    def rule(c: Comparison) -> StandardVerdict:
        if c.dtype in INTEGERS:
            return _mismatches(c.device != c.rounded)
        near = c.device == c.rounded
        if equal_nan:
            near |= np.isnan(c.a) & np.isnan(c.g)
        rtol, atol = tolerances[c.dtype]
        allowed, error = _torch_errors(c.device, c.rounded, rtol, atol)
        with np.errstate(invalid="ignore"):
            near |= np.isfinite(error) & (error <= allowed)
        return _mismatches(~near)

    return rule


def _torch_errors(
    device: NDArray[Any], expected: NDArray[Any], rtol: float, atol: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Allowed and actual errors; torch computes in float32 and stores each step in the dtype."""

    def stored(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return values.astype(device.dtype).astype(np.float32)

    with np.errstate(all="ignore"):
        ours, theirs = device.astype(np.float32), expected.astype(np.float32)
        scaled = np.abs(stored(np.float32(rtol) * theirs))
        return stored(scaled + np.float32(atol)), np.abs(stored(ours - theirs))


def numpy_close(c: Comparison) -> StandardVerdict:
    """numpy.testing.assert_allclose by default; NaNs are equal. bf16 is compared in float32."""
    device, expected = c.device, c.rounded
    if c.dtype == "bfloat16":
        device, expected = device.astype(np.float32), expected.astype(np.float32)
    return _mismatches(~np.isclose(device, expected, rtol=NUMPY_RTOL, atol=0.0, equal_nan=True))


def rtol_equal(c: Comparison) -> StandardVerdict:
    """torch_npu's assertRtolEqual: too many elements must be bad relatively and absolutely.

    It computes in the arrays' own dtype, so small integers wrap around.
    """
    if c.dtype == "bfloat16":
        limit = RTOL_EQUAL_BFLOAT
        near = np.isclose(c.a, c.against_rounded.g, rtol=limit, atol=limit)
        return _mismatches(~near)
    half = c.dtype == "float16"
    limit = RTOL_EQUAL_HALF if half else RTOL_EQUAL
    floor = RTOL_EQUAL_HALF_FLOOR if half else RTOL_EQUAL_FLOOR
    expected, seen = c.rounded, c.device
    nans = np.isnan(expected)
    if (nans != np.isnan(seen)).any():
        return rejected({}, say.NAN_UNLIKE_GOLDEN())
    with np.errstate(all="ignore"):
        difference = seen - expected
        difference[nans] = 0
        error = np.abs(difference)
        size = np.maximum(np.abs(expected), np.abs(seen))
        bad_absolute = ~np.less_equal(error, limit)
        bad_relative = ~np.less_equal(error / np.add(size, floor), limit)
    fewest = min(count(bad_relative), count(bad_absolute))
    return all_of(Check(say.BAD_BOTH_WAYS(), fewest, "<=", c.device.size * limit))


def _mismatches(mask: Mask) -> StandardVerdict:
    return all_of(Check(say.MISMATCHED(), count(mask), "<=", 0.0))


def _torch(
    name: str, version: str, source: str, tolerances: dict[str, tuple[float, float]], **how: bool
) -> Standard:
    dtypes = KERNEL_FLOATS | INTEGERS
    rule = torch_close(tolerances, **how)
    return Standard(name, version, source, "S.12", frozenset(Kind), dtypes, rule)


STANDARDS = (
    Standard(
        name="torch-npu-rtol-equal",
        version="08754fc",
        source=say.BF16_SECOND_HAND(
            function="Ascend/pytorch, torch_npu/testing/testcase.py, assertRtolEqual"
        ),
        section="S.10",
        kinds=frozenset(Kind),
        dtypes=KERNEL_FLOATS | INTEGERS,
        rule=rtol_equal,
    ),
    _torch(
        "torch-testing",
        "2.13.0",
        say.ITS_DEFAULTS(function="torch.testing.assert_close"),
        TORCH_CLOSE,
    ),
    _torch("flaggems", "2026", "FlagGems, tests, assert_close with reduce_dim 1", FLAGGEMS),
    _torch("triton-ascend", "2026", "triton-ascend, tests", TRITON, equal_nan=True),
    _torch("inductor", "2026", say.ACCURACY_CHECK(package="torch_npu"), INDUCTOR),
    Standard(
        name="numpy-testing",
        version=say.FROM_TO(first="1.23", last="2"),
        source=say.ITS_DEFAULTS(function="numpy.testing.assert_allclose"),
        section="S.12",
        kinds=frozenset(Kind),
        dtypes=KERNEL_FLOATS,
        rule=numpy_close,
    ),
)

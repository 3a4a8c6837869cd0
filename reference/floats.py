"""Binary floating-point formats: grids, single rounding, bit patterns, ordered integers.

A `Format` has radix 2, gradual underflow, signed zeros, infinities and NaNs (numerics N.0).
Rounding goes from float64 to the target grid exactly once (numerics N.4): a cast through float32,
as ml_dtypes does for bfloat16, rounds twice and turns 1 + 2^-8 + 2^-40 into 1 instead of 1.0078125.

How it rounds: for |x| in the binade 2^e the grid step is 2^(e+1-p). Adding 2^(e+53-p) to |x| in
float64 lands where one float64 ulp is that very step, so the adder rounds to nearest, ties to even,
once; the low bits of the sum are the significand, and the storage pattern follows by integer
arithmetic. With e held at emin the same addition performs gradual underflow. These are some twenty
operations on arrays; to fp16 and fp32 numpy itself rounds so, in one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_BLOCK = 1 << 14  # elements handled at a time: temporaries stay in the cache


@dataclass(frozen=True)
class Format:
    """A binary format: significand of `precision` (p) bits, normal exponents emin..emax.

    A pattern of `storage_bits` bits is a sign above an exponent field above p - 1 fraction bits;
    exponent field emax - emin + 2 with fraction 0 is infinity, every pattern above it NaN.
    `storage_bits=0` takes the least width. Raises ValueError outside the limits of this module.
    Every derived float is exact.
    """

    name: str
    precision: int
    emin: int
    emax: int
    storage_bits: int = 0

    def __post_init__(self) -> None:
        # float64 must hold every value of the grid and every magic number of the rounding.
        if not (2 <= self.precision <= 24 and -900 <= self.emin <= self.emax <= 900):
            raise ValueError(f"{self}: must have precision in [2, 24], -900 <= emin <= emax <= 900")
        least = self.precision + (self.emax - self.emin + 2).bit_length()
        object.__setattr__(self, "storage_bits", self.storage_bits or least)
        if not least <= self.storage_bits <= 32:
            raise ValueError(f"{self}: must have storage_bits in [{least}, 32]")

    @property
    def unit_roundoff(self) -> float:
        """u = 2^-p: half the distance from 1 to the next value."""
        return math.ldexp(1.0, -self.precision)

    @property
    def smallest_normal(self) -> float:
        """lambda = 2^emin."""
        return math.ldexp(1.0, self.emin)

    @property
    def smallest_subnormal(self) -> float:
        """eta = 2^(emin+1-p): the step of the grid around zero."""
        return math.ldexp(1.0, self.emin + 1 - self.precision)

    @cached_property
    def largest_finite(self) -> float:
        """Omega = (2 - 2^(1-p)) 2^emax."""
        return math.ldexp(2.0 - 2.0 * self.unit_roundoff, self.emax)

    @property
    def overflow_threshold(self) -> float:
        """(2 - 2^-p) 2^emax: the least magnitude that rounds to infinity."""
        return math.ldexp(2.0 - self.unit_roundoff, self.emax)

    @cached_property
    def storage_dtype(self) -> np.dtype[Any]:
        """The smallest unsigned dtype that holds a pattern."""
        return np.dtype(next(f"u{size}" for size in (1, 2, 4) if 8 * size >= self.storage_bits))

    @property
    def sign_bit(self) -> int:
        """The pattern of -0."""
        return 1 << (self.storage_bits - 1)

    @cached_property
    def infinity_bits(self) -> int:
        """The pattern of +inf."""
        return (self.emax - self.emin + 2) << (self.precision - 1)

    @property
    def nan_bits(self) -> int:
        """The canonical NaN pattern: positive, quiet, payload zero."""
        return self.infinity_bits | 1 << (self.precision - 2)


FP16 = Format("fp16", 11, -14, 15, 16)
BF16 = Format("bf16", 8, -126, 127, 16)
FP32 = Format("fp32", 24, -126, 127, 32)

_NAMES = {"float16": FP16, "bfloat16": BF16, "float32": FP32}
_NAMES |= {fmt.name: fmt for fmt in (FP16, BF16, FP32)}
_DTYPES = {
    fmt: np.dtype(name) for fmt, name in ((FP16, "f2"), (BF16, ml_dtypes.bfloat16), (FP32, "f4"))
}
_FORMATS = {dtype: fmt for fmt, dtype in _DTYPES.items()}

_BY_NUMPY: dict[Format, Callable[[NDArray[Any]], NDArray[Any]]] = {
    FP16: lambda block: block.astype(np.float16),
    FP32: lambda block: block.astype(np.float32),
}
"""The formats to which numpy rounds float64 once, to nearest, ties to even."""


def numpy_dtype(fmt: Format) -> np.dtype[Any]:
    """The numpy or ml_dtypes dtype of `fmt`; ValueError for a format that has none."""
    if fmt not in _DTYPES:
        raise ValueError(f"fmt={fmt}: must be FP16, BF16 or FP32 to have a numpy dtype")
    return _DTYPES[fmt]


def format_of(dtype_or_name: DTypeLike) -> Format:
    """The Format of a dtype, scalar type or name, aliases included; ValueError for any other."""
    if isinstance(dtype_or_name, np.dtype) and dtype_or_name in _FORMATS:
        return _FORMATS[dtype_or_name]
    if isinstance(dtype_or_name, str):
        matches = [fmt for name, fmt in _NAMES.items() if name == dtype_or_name]
    else:
        matches = [fmt for fmt, dtype in _DTYPES.items() if dtype == dtype_or_name]
    if not matches:
        raise ValueError(f"dtype_or_name={dtype_or_name!r}: must be one of {', '.join(_NAMES)}")
    return matches[0]


_SHIFT, _BIAS = 52, 1023
"""Of float64, whose adder rounds: where its exponent field starts, and what that is at 1."""


def _magic(magnitude: NDArray[Any], fmt: Format) -> NDArray[np.int64]:
    """Patterns of the powers of two whose ulp is the grid step at `magnitude`."""
    field = magnitude.view(np.int64) & -(1 << _SHIFT)
    np.maximum(field, (fmt.emin + _BIAS) << _SHIFT, out=field)
    np.minimum(field, (fmt.emax + _BIAS) << _SHIFT, out=field)
    field += (_SHIFT + 1 - fmt.precision) << _SHIFT
    return np.asarray(field)


def _encode(block: NDArray[Any], fmt: Format) -> NDArray[Any]:
    """The storage patterns of float64 values, rounded once."""
    magnitude = np.abs(block)
    magic = _magic(magnitude, fmt)
    magnitude += magic.view(np.float64)
    bits = magnitude.view(np.int64) - magic  # a carry gives 2^p: one binade up, as it should
    drop = _SHIFT + 1 - fmt.precision
    magic -= (fmt.emin + _BIAS + drop) << _SHIFT
    bits += magic >> drop
    np.minimum(bits, fmt.infinity_bits, out=bits)
    stored = bits.astype(fmt.storage_dtype)
    sign = np.signbit(block).astype(fmt.storage_dtype)
    stored |= sign << fmt.storage_dtype.type(fmt.storage_bits - 1)
    np.copyto(stored, fmt.nan_bits, where=np.isnan(block))
    return np.asarray(stored)


def _in_blocks(kernel: Callable[[NDArray[Any]], Any], values: NDArray[Any], to: DTypeLike) -> Any:
    """Apply an elementwise kernel block by block; floating-point flags are expected, so unheard."""
    flat = values.reshape(-1)
    with np.errstate(all="ignore"):
        if flat.size <= _BLOCK:
            return np.asarray(kernel(flat), to).reshape(values.shape)
        result = np.empty(flat.shape, to)
        for start in range(0, flat.size, _BLOCK):
            result[start : start + _BLOCK] = kernel(flat[start : start + _BLOCK])
    return result.reshape(values.shape)


def _float64(values: ArrayLike) -> NDArray[Any]:
    """`values` as float64; TypeError where that conversion could itself round."""
    array = np.asarray(values)
    if array.dtype == np.float64:
        return array
    if array.dtype not in _DTYPES.values():
        raise TypeError(f"values: dtype {array.dtype} must be float64 or a narrower float")
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return array.astype(np.float64)


def round_once(values: ArrayLike, fmt: Format) -> NDArray[np.float64]:
    """Round float64 `values`, any shape, to the grid of `fmt` once: to nearest, ties to even.

    Underflow is gradual, |x| >= overflow_threshold gives infinity; NaN, infinities and the sign of
    zero are kept. Returns float64. Raises TypeError for a dtype that float64 does not contain.
    """

    def kernel(block: NDArray[Any]) -> Any:
        magnitude = np.abs(block)
        magic = _magic(magnitude, fmt).view(np.float64)
        magnitude += magic
        magnitude -= magic
        np.copyto(magnitude, np.inf, where=magnitude > fmt.largest_finite)
        return np.copysign(magnitude, block, out=magnitude)

    if fmt in _BY_NUMPY:
        return np.asarray(_in_blocks(_BY_NUMPY[fmt], _float64(values), np.float64))
    return np.asarray(_in_blocks(kernel, _float64(values), np.float64))


def truncate(values: ArrayLike, fmt: Format) -> NDArray[np.float64]:
    """Like `round_once` but toward zero: finite overflow gives largest_finite, infinity stays."""

    def kernel(block: NDArray[Any]) -> Any:
        magnitude = np.abs(block)
        magic = _magic(magnitude, fmt).view(np.float64)
        nearest = (magnitude + magic) - magic
        nearest -= magic * 2.0**-52 * (nearest > magnitude)  # one grid step back
        overflow = (magnitude > fmt.largest_finite) & (magnitude < np.inf)
        np.copyto(nearest, fmt.largest_finite, where=overflow)
        return np.copysign(nearest, block, out=nearest)

    return np.asarray(_in_blocks(kernel, _float64(values), np.float64))


def to_bits(values: ArrayLike, fmt: Format) -> NDArray[Any]:
    """Storage patterns (storage_dtype, same shape) of float64 `values`, off-grid ones rounded once.

    NaN becomes the canonical quiet NaN. Raises TypeError as `round_once` does.
    """

    def kernel(block: NDArray[Any]) -> Any:
        if fmt in _BY_NUMPY:
            return _narrowed(block, fmt)
        return _shifted(_off_halfway(block), fmt) if fmt == BF16 else _encode(block, fmt)

    return np.asarray(_in_blocks(kernel, _float64(values), fmt.storage_dtype))


def _narrowed(block: NDArray[Any], fmt: Format) -> NDArray[Any]:
    """The patterns of float64 or float32 values in a format to which numpy rounds once."""
    stored = _BY_NUMPY[fmt](block).view(fmt.storage_dtype)
    np.copyto(stored, fmt.nan_bits, where=np.isnan(block))
    return np.asarray(stored)


def _off_halfway(block: NDArray[Any]) -> NDArray[np.float32]:
    """float64 values in fp32, to be rounded to bf16: one that fp32 has rounded to halfway between
    two of its values is the neighbour on the side from which it came."""
    narrow = block.astype(np.float32)
    bits = narrow.view(np.uint32)
    halfway = np.flatnonzero((bits & np.uint32(0xFFFF)) == 0x8000)
    if halfway.size:
        was, now = np.abs(block[halfway]), np.abs(narrow[halfway])
        bits[halfway] += (was > now).astype(np.uint32) - (was < now)
    return narrow


def round_fp32_to_bits(values: NDArray[np.float32], fmt: Format) -> NDArray[Any]:
    """The same patterns as `to_bits`, from a float32 array of any shape, by the fastest path.

    Raises TypeError for another dtype.
    """
    if values.dtype != np.float32:
        raise TypeError(f"values: dtype {values.dtype} must be float32")
    drop = FP32.precision - fmt.precision
    if (fmt.emin, fmt.emax, fmt.storage_bits) == (FP32.emin, FP32.emax, 32 - drop):
        return np.asarray(_in_blocks(lambda x: _shifted(x, fmt), values, fmt.storage_dtype))
    if fmt in _BY_NUMPY:
        return np.asarray(_in_blocks(lambda x: _narrowed(x, fmt), values, fmt.storage_dtype))
    return to_bits(values, fmt)


def _shifted(block: NDArray[np.float32], fmt: Format) -> NDArray[Any]:
    """Round the float32 pattern itself: it has the exponent field of the target."""
    drop = FP32.precision - fmt.precision
    pattern = block.view(np.uint32)
    bits = (pattern >> np.uint32(drop)) & np.uint32(drop > 0)  # a tie goes to the even pattern
    bits += pattern
    bits += np.uint32((1 << drop >> 1) - (drop > 0))
    stored = (bits >> np.uint32(drop)).astype(fmt.storage_dtype)
    np.copyto(stored, fmt.nan_bits, where=np.isnan(block))
    return np.asarray(stored)


def _check_range(parameter: str, array: NDArray[Any], low: int, high: int) -> None:
    """ValueError where an integer lies outside [low, high)."""
    for value in (int(array.min(initial=low)), int(array.max(initial=low))):
        if not low <= value < high:
            raise ValueError(f"{parameter}={value}: must lie in [{low}, {high})")


def _patterns(bits: ArrayLike, fmt: Format) -> NDArray[Any]:
    """`bits` as an array; TypeError or ValueError where they are no patterns of `fmt`."""
    array = np.asarray(bits)
    if array.dtype.kind not in "iu":
        raise TypeError(f"bits: dtype {array.dtype} must be an integer dtype")
    if array.dtype.kind == "i" or 8 * array.dtype.itemsize > fmt.storage_bits:
        _check_range("bits", array, 0, 2 * fmt.sign_bit)
    return array


def from_bits(bits: ArrayLike, fmt: Format) -> NDArray[np.float64]:
    """The exact float64 value of every storage pattern, same shape; NaN payloads are dropped.

    Raises TypeError for a dtype that is no integer, ValueError for a pattern too wide for `fmt`.
    """
    binade = (fmt.emin - 1 + _BIAS) << (fmt.precision - 1)

    def kernel(block: NDArray[Any]) -> Any:
        pattern = block.astype(np.int64)
        magnitude = pattern & (fmt.sign_bit - 1)
        value = ((magnitude + binade) << (53 - fmt.precision)).view(np.float64)
        subnormal = magnitude < 1 << (fmt.precision - 1)
        if subnormal.any():
            np.multiply(magnitude, fmt.smallest_subnormal, out=value, where=subnormal)
        np.copyto(value, np.inf, where=magnitude == fmt.infinity_bits)
        np.copyto(value, np.nan, where=magnitude > fmt.infinity_bits)
        sign = (pattern - magnitude) << (64 - fmt.storage_bits)
        return (value.view(np.int64) | sign).view(np.float64)

    return np.asarray(_in_blocks(kernel, _patterns(bits, fmt), np.float64))


def ordered(bits: ArrayLike, fmt: Format) -> NDArray[np.int64]:
    """Integers that grow with the value: neighbours differ by 1, both zeros are 0, -x is minus x.

    NaN patterns lie beyond +-infinity_bits. Raises as `from_bits` does.
    """

    signed = np.dtype(f"i{fmt.storage_dtype.itemsize}")

    def kernel(block: NDArray[Any]) -> Any:
        pattern = block.astype(fmt.storage_dtype, copy=False)  # narrow numbers are fast
        sign = (pattern >> fmt.storage_dtype.type(fmt.storage_bits - 1)).view(signed)
        np.negative(sign, out=sign)  # 0 or -1: x ^ -1 is -x - 1
        magnitude = (pattern & fmt.storage_dtype.type(fmt.sign_bit - 1)).view(signed)
        magnitude ^= sign
        magnitude -= sign
        return magnitude

    return np.asarray(_in_blocks(kernel, _patterns(bits, fmt), np.int64))


def from_ordered(ordinals: ArrayLike, fmt: Format) -> NDArray[Any]:
    """The patterns (storage_dtype, same shape) with those `ordered` integers; 0 gives +0.

    Raises ValueError where a magnitude is no pattern of `fmt`.
    """
    array = np.asarray(ordinals, dtype=np.int64)
    _check_range("ordinals", array, 1 - fmt.sign_bit, fmt.sign_bit)

    def kernel(block: NDArray[Any]) -> Any:
        return np.abs(block) | ((block >> 63) & fmt.sign_bit)

    return np.asarray(_in_blocks(kernel, array, fmt.storage_dtype))


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    """The patterns of an fp16, bf16 or fp32 array: an unsigned view, no copy, every bit kept."""
    return array.view(format_of(array.dtype).storage_dtype)


def widen(array: NDArray[Any], to: DTypeLike = np.float32) -> NDArray[Any]:
    """An fp16, bf16 or fp32 array in float32 or float64, exact; itself where nothing widens.

    bf16 to float32 shifts patterns, so signalling NaNs survive as bits; other ways may quieten
    them. Raises ValueError for another dtype on either side.
    """
    if np.dtype(to) not in (np.float32, np.float64):
        raise ValueError(f"to={np.dtype(to)}: must be float32 or float64")
    if format_of(array.dtype) == BF16:
        array = (bits_of(array).astype(np.uint32) << np.uint32(16)).view(np.float32)
    with np.errstate(invalid="ignore"):
        return array.astype(to, copy=False)

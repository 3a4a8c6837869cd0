"""Sums of 16-bit rows in fp32 without a pass over the data that only widens it.

Two 16-bit elements lie in one 32-bit word, and a few integer operations on words put each half
where an fp32 pattern has its sign, exponent and upper fraction. So a row is added up as two lanes
of fp32, elements 0, 2, 4.. and 1, 3, 5.., and packed again only at the end.

A bfloat16 moved to the upper half of a word is its own fp32 pattern. A float16 moved to sign and
bits 27..13 is the pattern of 2^-112 times its value, subnormals included. Such terms are added as
they are: fp32 sums of them are those of the terms times 2^-112, bit for bit, because what is below
fp32's normal range is a multiple of 2^-136 and so added without rounding. Rounding a sum to float16
drops 13 bits of its pattern for the same reason. Infinities and NaNs of float16 become ordinary
numbers and have to be looked for before (`Rows.special`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import (
    BF16,
    FP16,
    FP32,
    Format,
    format_of,
    numpy_dtype,
    round_fp32_to_bits,
    widen,
)

HALF = np.uint32(16)
UPPER = np.uint32(0xFFFF0000)
SIGN = np.uint32(0x80000000)
FP16_DROP = np.uint32(FP32.precision - FP16.precision)
FP16_FIELDS = np.uint32(0x8FFFE000)
Lanes = tuple[NDArray[np.float32], ...]


@dataclass(frozen=True)
class Rows:
    """Rows of a 2-D array [rows, hidden] as `lanes` sees them: raw patterns, one or two a word."""

    raw: NDArray[Any]
    storage: Format
    packed: bool

    @staticmethod
    def of(array: NDArray[Any], packed: bool) -> Rows:
        """A view of ``array``; ``packed`` as `packable` says."""
        storage = format_of(array.dtype)
        return Rows(array.view(np.uint32 if packed else storage.storage_dtype), storage, packed)

    @property
    def width(self) -> int:
        """Words of a row."""
        return int(self.raw.shape[1])

    def buffers(self, height: int) -> Lanes:
        """Room for the fp32 values of ``height`` rows."""
        return tuple(np.empty((height, self.width), np.float32) for _ in range(1 + self.packed))

    def special(self, raw: NDArray[Any]) -> bool:
        """Whether raw rows hold infinities or NaNs that `unpack` would not keep."""
        if not (self.packed and self.storage == FP16):
            return False
        infinity = self.storage.infinity_bits
        above = int(raw.view(np.int16).max()) >= infinity
        return above or int(raw.view(np.uint16).max()) >= infinity + self.storage.sign_bit

    @property
    def straight(self) -> bool:
        """Whether patterns are those of fp32: a raw row may be read into its lane."""
        return self.storage == FP32

    def unpack(self, raw: NDArray[Any], out: Lanes) -> None:
        """The terms of raw rows, exact, into the lanes ``out``; packed float16 times 2^-112."""
        if not self.packed:
            np.copyto(out[0], widen(raw.view(numpy_dtype(self.storage))))
            return
        low, high = (lane.view(np.uint32) for lane in out)
        np.left_shift(raw, HALF, out=low)
        if self.storage == BF16:
            np.bitwise_and(raw, UPPER, out=high)
            return
        for lane, source in ((low, low), (high, raw)):
            spread = lane.view(np.int32)
            np.right_shift(source.view(np.int32), 3, out=spread)
            lane &= FP16_FIELDS

    def pack(self, lanes: Lanes, spare: Lanes) -> NDArray[Any]:
        """The raw rows of sums rounded once to storage, ties to even; NaNs give any pattern.

        ``spare`` are buffers of the lanes' shape. Both are used up.
        """
        if self.straight:
            return lanes[0].view(np.uint32)
        if not self.packed:
            return np.asarray(round_fp32_to_bits(lanes[0], self.storage))
        round_half = _to_bf16 if self.storage == BF16 else _to_fp16
        low, high = (out.view(np.uint32) for out in spare)
        for lane, out in zip(lanes, (low, high), strict=True):
            round_half(lane.view(np.uint32), out)
        high &= UPPER
        low >>= HALF
        high |= low
        return high

    def differing(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
        """Where raw rows differ, element by element: [rows, hidden]."""
        if not self.packed:
            return np.asarray(one != other)
        return np.asarray(one.view(np.uint16) != other.view(np.uint16))

    def nan(self, lanes: Lanes) -> NDArray[np.bool_] | None:
        """Where sums are NaN, element by element: [rows, hidden]; None: nowhere."""
        if not any(np.isnan(lane.max()) for lane in lanes):  # a NaN is its array's maximum
            return None
        masks = [np.isnan(lane) for lane in lanes]
        return masks[0] if len(masks) == 1 else np.stack(masks, axis=-1).reshape(len(masks[0]), -1)


def packable(*arrays: NDArray[Any]) -> bool:
    """Whether the rows of all these arrays can be read as words of two elements each."""
    return sys.byteorder == "little" and all(
        array.dtype.itemsize == 2
        and array.flags.c_contiguous
        and array.shape[-1] % 2 == 0
        and array.ctypes.data % 4 == 0
        for array in arrays
    )


def _to_bf16(pattern: NDArray[np.uint32], out: NDArray[np.uint32]) -> None:
    """fp32 patterns whose upper halves are the bfloat16 patterns."""
    np.right_shift(pattern, HALF, out=out)
    out &= np.uint32(1)
    out += pattern
    out += np.uint32(0x7FFF)


def _to_fp16(pattern: NDArray[np.uint32], out: NDArray[np.uint32]) -> None:
    """Words whose upper halves are the float16 patterns of 2^112 times fp32 patterns."""
    np.right_shift(pattern, FP16_DROP, out=out)
    out &= np.uint32(1)
    out += pattern
    out += np.uint32((1 << int(FP16_DROP) - 1) - 1)
    out &= ~SIGN
    out >>= FP16_DROP
    np.minimum(out, np.uint32(FP16.infinity_bits), out=out)
    out <<= HALF
    pattern &= SIGN
    out |= pattern

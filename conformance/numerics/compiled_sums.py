"""The loops of `bulk._Worker.look`, compiled by numba: one pass over blocks of columns.

They are twins of that code, bit for bit: fastmath is off, so additions are rounded one by one and
stay in their order. `compiled` says when they are used. numba must be there to import this. Its
cache follows the file of a loop alone, so loops that others call stand in the same file.
"""

# mypy: disable-error-code="misc, untyped-decorator"

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics.compiled import loop

COLUMNS = 2048
"""Columns of an output row that are added up together: their registers stay in the first cache."""

LOAD, ADD, LOAD_AND_ADD = 0, 1, 2
"""What a step does: put a slot's terms into a register, add one register to another, or both."""

LARGEST = (2.0 - 2.0**-23) * 2.0**127
"""The largest finite value of fp32."""


@loop
def _bf16(line: NDArray[np.uint16], out: NDArray[np.uint32]) -> None:
    for i in range(line.size):
        out[i] = np.uint32(np.uint32(line[i]) << np.uint32(16))


@loop
def _fp16(line: NDArray[np.uint16], out: NDArray[np.uint32]) -> None:
    """Times 2^-112, as in `lanes`."""
    for i in range(line.size):
        bits = np.uint32(line[i])
        sign = np.uint32((bits & np.uint32(0x8000)) << np.uint32(16))
        out[i] = sign | np.uint32((bits & np.uint32(0x7FFF)) << np.uint32(13))


@loop
def _note(line: NDArray[np.uint16], largest: NDArray[np.uint16], least: NDArray[np.uint16]) -> None:
    for i in range(line.size):
        magnitude = np.uint16(line[i] & np.uint16(0x7FFF))
        largest[i] = max(largest[i], magnitude)
        least[i] = min(least[i], np.uint16(magnitude - np.uint16(1)))


@loop
def _note_largest(line: NDArray[np.uint16], largest: NDArray[np.uint16]) -> None:
    for i in range(line.size):
        largest[i] = max(largest[i], np.uint16(line[i] & np.uint16(0x7FFF)))


@loop
def _add(into: NDArray[np.float32], origin: NDArray[np.float32]) -> None:
    for i in range(into.size):
        into[i] += origin[i]


@loop
def _add_bf16(line: NDArray[np.uint16], into: NDArray[np.float32]) -> None:
    for i in range(line.size):
        into[i] += np.uint32(np.uint32(line[i]) << np.uint32(16)).view(np.float32)


@loop
def _add_fp16(line: NDArray[np.uint16], into: NDArray[np.float32]) -> None:
    for i in range(line.size):
        bits = np.uint32(line[i])
        sign = np.uint32((bits & np.uint32(0x8000)) << np.uint32(16))
        pattern = np.uint32(sign | np.uint32((bits & np.uint32(0x7FFF)) << np.uint32(13)))
        into[i] += pattern.view(np.float32)


@loop
def _copy(line: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    for i in range(line.size):
        out[i] = line[i]


@loop
def _scale(values: NDArray[np.float32], factor: np.float32) -> None:
    for i in range(values.size):
        values[i] *= factor


@loop
def _differ_bf16(
    total: NDArray[np.uint32], seen: NDArray[np.uint16], wrong: NDArray[np.bool_]
) -> None:
    for i in range(seen.size):
        pattern = total[i]
        odd = np.uint32(np.uint32(pattern >> np.uint32(16)) & np.uint32(1))
        rounded = np.uint32(np.uint32(pattern + odd) + np.uint32(0x7FFF))
        wrong[i] = np.uint32(rounded >> np.uint32(16)) != np.uint32(seen[i])


@loop
def _differ_fp16(
    total: NDArray[np.uint32], seen: NDArray[np.uint16], wrong: NDArray[np.bool_]
) -> None:
    for i in range(seen.size):
        sign = np.uint32(np.uint32(total[i] >> np.uint32(16)) & np.uint32(0x8000))
        bits = np.uint32(total[i] & np.uint32(0x7FFFFFFF))
        odd = np.uint32(np.uint32(bits >> np.uint32(13)) & np.uint32(1))
        bits = np.uint32(np.uint32(np.uint32(bits + odd) + np.uint32(0xFFF)) >> np.uint32(13))
        bits = min(bits, np.uint32(0x7C00))
        wrong[i] = np.uint32(bits | sign) != np.uint32(seen[i])


@loop
def _differ(total: NDArray[np.uint32], seen: NDArray[np.uint32], wrong: NDArray[np.bool_]) -> None:
    for i in range(seen.size):
        wrong[i] = total[i] != seen[i]


@loop
def _undefined(total: NDArray[np.uint32], wrong: NDArray[np.bool_]) -> None:
    for i in range(total.size):
        wrong[i] |= np.uint32(total[i] & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)


@loop
def _uncertain(
    largest: NDArray[np.uint16],
    least: NDArray[np.uint16],
    fraction: np.uint16,
    span: int,
    finite: int,
    unsure: NDArray[np.bool_],
) -> None:
    for i in range(unsure.size):
        lowest = np.uint16(np.uint16(least[i] + np.uint16(1)) & fraction)
        apart = np.int32(np.uint16(largest[i] - lowest))
        unsure[i] = (apart >= span) | (np.int32(largest[i]) >= finite)


@loop
def _value(bits: np.uint16, bf16: bool) -> float:
    if bf16:
        return np.float64(np.uint32(np.uint32(bits) << np.uint32(16)).view(np.float32))
    sign = np.uint32(np.uint32(bits & np.uint16(0x8000)) << np.uint32(16))
    rest = np.uint32(np.uint32(bits & np.uint16(0x7FFF)) << np.uint32(13))
    return np.float64(np.uint32(sign | rest).view(np.float32))


@loop
def _certified(raw: NDArray[np.uint16], chosen: NDArray[Any], column: int, bf16: bool) -> bool:
    """`certificate.certified` of one element; of float16 that of its terms times 2^-112."""
    magnitude = 0.0
    for slot in range(chosen.size):
        if chosen[slot] >= 0:
            bits = raw[chosen[slot], column]
            if np.uint16(bits & np.uint16(0x7FFF)) >= (0x7F80 if bf16 else 0x7C00):
                return False
            magnitude += abs(_value(bits, bf16))
    fraction, exponent = frexp(magnitude)
    exponent -= fraction == 0.5
    rounder = ldexp(1.5, max(exponent, -125) - 24 + 52)
    for slot in range(chosen.size):
        if chosen[slot] >= 0:
            value = _value(raw[chosen[slot], column], bf16)
            if (value + rounder) - rounder != value:
                return False
    return magnitude <= LARGEST


@loop
def half_sums(
    raw: NDArray[np.uint16],
    chosen: NDArray[Any],
    seen: NDArray[np.uint16],
    steps: NDArray[np.int64],
    registers: int,
    weights: NDArray[np.float32],
    bf16: bool,
    span: int,
    finite: int,
    closely: bool,
    wrong: NDArray[np.bool_],
) -> int:
    """Sums of 16-bit rows: which differ from ``seen`` or are not certain, into ``wrong``.

    ``steps`` int64 [steps, 4] are what to do, the slot, the register it goes to, the one it comes
    from. ``weights`` float32 [rows, slots], or empty. The certificate asks for magnitudes less than
    ``span`` apart and below ``finite``, as patterns; a span of -1: a declared order. ``closely``:
    what that leaves is certified as `certificate.certified` does it.
    Returns how many are wrong; -1 if a declared order has infinities or NaNs of float16 among its
    terms, which are not looked at.
    """
    height, hidden = seen.shape
    fraction = np.uint16(0xFF80 if bf16 else 0xFC00)
    values = np.empty((registers, COLUMNS), np.float32)
    patterns = values.view(np.uint32)
    largest, least = np.empty(COLUMNS, np.uint16), np.empty(COLUMNS, np.uint16)
    unsure = np.zeros(COLUMNS, np.bool_)
    words = unsure.view(np.uint64)
    count = 0
    for row in range(height):
        for start in range(0, hidden, COLUMNS):
            width = min(COLUMNS, hidden - start)
            most, below = largest[:width], least[:width]
            most[:] = 0
            below[:] = 0xFFFF
            for step in range(len(steps)):
                what, slot, into, origin = steps[step]
                if what != ADD:
                    place = chosen[row, slot]
                    if place < 0:
                        values[origin, :width] = 0.0
                    else:
                        line = raw[place, start : start + width]
                        if span >= 0:
                            _note(line, most, below)
                        elif not bf16:
                            _note_largest(line, most)
                        if what == LOAD_AND_ADD and not weights.size:
                            if bf16:
                                _add_bf16(line, values[into, :width])
                            else:
                                _add_fp16(line, values[into, :width])
                            continue
                        if bf16:
                            _bf16(line, patterns[origin, :width])
                        else:
                            _fp16(line, patterns[origin, :width])
                    if weights.size:
                        _scale(values[origin, :width], weights[row, slot])
                if what != LOAD:
                    _add(values[into, :width], values[origin, :width])
            total, bad = patterns[0, :width], wrong[row, start : start + width]
            if bf16:
                _differ_bf16(total, seen[row, start : start + width], bad)
            else:
                _differ_fp16(total, seen[row, start : start + width], bad)
            if span >= 0:
                _uncertain(most, below, fraction, span, finite, unsure[:width])
                for word in range(words.size):
                    if words[word]:
                        for i in range(8 * word, min(8 * word + 8, width)):
                            if unsure[i] and not bad[i]:
                                bad[i] = not closely or not _certified(
                                    raw, chosen[row], start + i, bf16
                                )
            elif bf16:
                _undefined(total, bad)
            elif most.max() >= 0x7C00:
                return -1
            count += bad.sum()
    return count


@loop
def single_sums(
    source: NDArray[np.float32],
    chosen: NDArray[Any],
    seen: NDArray[np.uint32],
    steps: NDArray[np.int64],
    registers: int,
    weights: NDArray[np.float32],
    wrong: NDArray[np.bool_],
) -> int:
    """Sums of fp32 rows in a declared order: which differ from ``seen`` or are NaN."""
    height, hidden = seen.shape
    values = np.empty((registers, COLUMNS), np.float32)
    patterns = values.view(np.uint32)
    count = 0
    for row in range(height):
        for start in range(0, hidden, COLUMNS):
            width = min(COLUMNS, hidden - start)
            for step in range(len(steps)):
                what, slot, into, origin = steps[step]
                if what != ADD:
                    place = chosen[row, slot]
                    if place < 0:
                        values[origin, :width] = 0.0
                    else:
                        line = source[place, start : start + width]
                        if what == LOAD_AND_ADD and not weights.size:
                            _add(values[into, :width], line)
                            continue
                        _copy(line, values[origin, :width])
                    if weights.size:
                        _scale(values[origin, :width], weights[row, slot])
                if what != LOAD:
                    _add(values[into, :width], values[origin, :width])
            total, bad = patterns[0, :width], wrong[row, start : start + width]
            _differ(total, seen[row, start : start + width], bad)
            _undefined(total, bad)
            count += bad.sum()
    return count

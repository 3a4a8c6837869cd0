"""The loops of `bulk._Worker.look`, compiled by numba: one pass over blocks of columns.

They are twins of that code, bit for bit: fastmath is off, so additions are rounded one by one and
stay in their order. `compiled` says when they are used. numba must be there to import this. Its
cache follows the file of a loop alone, so loops that others call stand in the same file.
"""

# mypy: disable-error-code="call-arg, misc, untyped-decorator"

from __future__ import annotations

from math import ldexp
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from conformance.numerics.compiled import in_python, loop

COLUMNS = 2048
"""Columns of an output row that are added up together: their registers stay in the first cache."""

LOAD, ADD, LOAD_AND_ADD = 0, 1, 2
"""What a step does: put a slot's terms into a register, add one register to another, or both."""

PIECE = 256
"""Terms between which cache lines are asked for: more at once stop the processor until they come.

Each loop over terms goes over the pieces itself: called for one piece, it takes twice as long.
"""

CACHE_LINE = 64
READ, NEAR, DATA = 0, 3, 1
"""Of LLVM's instruction to prefetch: what for, into which cache, data or code."""

ASKS = not in_python()
"""Whether cache lines are asked for at all."""

LARGEST = (2.0 - 2.0**-23) * 2.0**127
"""The largest finite value of fp32."""


@intrinsic
def _fetch(context: Any, address: Any) -> Any:
    """Ask for the cache line at an address: the rows of a sum lie anywhere in memory."""

    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: Any) -> ir.Instruction:
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        at = builder.inttoptr(arguments[0], pointer)
        return builder.call(instruction, [at, number(READ), number(NEAR), number(DATA)])

    return types.void(address), generate


@loop
def _ask(line: NDArray[np.uint16], start: int, end: int) -> None:
    """Fetch a piece of a line from memory, while others are added."""
    address = np.intp(line.ctypes.data)
    for place in range(start, min(end, line.size), CACHE_LINE // 2):
        if ASKS:
            _fetch(address + 2 * place)


@loop
def _bf16(line: NDArray[np.uint16], out: NDArray[np.uint32], following: NDArray[np.uint16]) -> None:
    for start in range(0, line.size, PIECE):
        end = min(start + PIECE, line.size)
        _ask(following, start, end)
        bits, patterns = line[start:end], out[start:end]
        for i in range(bits.size):
            patterns[i] = np.uint32(np.uint32(bits[i]) << np.uint32(16))


@loop
def _fp16(line: NDArray[np.uint16], out: NDArray[np.uint32], following: NDArray[np.uint16]) -> None:
    """Times 2^-112, as in `lanes`."""
    for start in range(0, line.size, PIECE):
        end = min(start + PIECE, line.size)
        _ask(following, start, end)
        halves, patterns = line[start:end], out[start:end]
        for i in range(halves.size):
            bits = np.uint32(halves[i])
            sign = np.uint32((bits & np.uint32(0x8000)) << np.uint32(16))
            patterns[i] = sign | np.uint32((bits & np.uint32(0x7FFF)) << np.uint32(13))


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
def _add_bf16(
    line: NDArray[np.uint16], into: NDArray[np.float32], following: NDArray[np.uint16]
) -> None:
    for start in range(0, line.size, PIECE):
        end = min(start + PIECE, line.size)
        _ask(following, start, end)
        bits, sums = line[start:end], into[start:end]
        for i in range(bits.size):
            sums[i] += np.uint32(np.uint32(bits[i]) << np.uint32(16)).view(np.float32)


@loop
def _add_fp16(
    line: NDArray[np.uint16], into: NDArray[np.float32], following: NDArray[np.uint16]
) -> None:
    for start in range(0, line.size, PIECE):
        end = min(start + PIECE, line.size)
        _ask(following, start, end)
        halves, sums = line[start:end], into[start:end]
        for i in range(halves.size):
            bits = np.uint32(halves[i])
            sign = np.uint32((bits & np.uint32(0x8000)) << np.uint32(16))
            pattern = np.uint32(sign | np.uint32((bits & np.uint32(0x7FFF)) << np.uint32(13)))
            sums[i] += pattern.view(np.float32)


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
def _any(mask: NDArray[np.bool_]) -> int:
    found = np.uint8(0)
    for i in range(mask.size):
        found |= np.uint8(mask[i])
    return int(found)


@loop
def _reaches(values: NDArray[np.uint16], least: np.uint16) -> bool:
    found = np.uint8(0)
    for i in range(values.size):
        found |= np.uint8(values[i] >= least)
    return bool(found)


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
def _certified(
    raw: NDArray[np.uint16],
    chosen: NDArray[Any],
    column: int,
    largest: np.uint16,
    least: np.uint16,
    bf16: bool,
) -> bool:
    """`certificate.certified` of one element, A <= 2^24 g; M and m - 1 are ``largest``, ``least``.

    Up to 24 binades apart all terms are integers, in units of the last place of m. Further apart, A
    is too large: g is no larger than the binade of m, and A no smaller than that of M.
    """
    digits, one = np.uint64(7 if bf16 else 10), np.uint64(1)
    lowest = max(np.uint64(np.uint16(least + np.uint16(1))) >> digits, one)
    binades = np.int64(max(np.uint64(largest) >> digits, one)) - np.int64(lowest)
    if largest >= np.uint16(0x7F80 if bf16 else 0x7C00) or binades > 24:
        return False
    magnitude, places = np.uint64(0), np.uint64(0)
    for slot in range(chosen.size):
        pattern = np.uint64(0)
        if chosen[slot] >= 0:
            pattern = np.uint64(raw[chosen[slot], column] & np.uint16(0x7FFF))
        if pattern:
            exponent, units = pattern >> digits, pattern & ((one << digits) - one)
            if exponent:
                units = (units | one << digits) << (exponent - lowest)
            magnitude += units
            places |= units
    if magnitude > (places & (~places + one)) << np.uint64(24):
        return False
    return not bf16 or ldexp(np.float64(magnitude), int(lowest) - 134) <= LARGEST


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
    Returns whether some are wrong; -1 if a declared order has infinities or NaNs of float16 among
    its terms, which are not looked at.
    """
    height, hidden = seen.shape
    fraction = np.uint16(0xFF80 if bf16 else 0xFC00)
    values = np.empty((registers, COLUMNS), np.float32)
    patterns = values.view(np.uint32)
    largest, least = np.empty(COLUMNS, np.uint16), np.empty(COLUMNS, np.uint16)
    unsure = np.zeros(COLUMNS, np.bool_)
    words = unsure.view(np.uint64)
    found = 0
    for row in range(height):
        for start in range(0, hidden, COLUMNS):
            width = min(COLUMNS, hidden - start)
            after = (row, start + width) if start + width < hidden else (row + 1, 0)
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
                        following = line
                        if after[0] < height and chosen[after[0], slot] >= 0:
                            following = raw[chosen[after[0], slot], after[1] : after[1] + width]
                        if span >= 0:
                            _note(line, most, below)
                        elif not bf16:
                            _note_largest(line, most)
                        if what == LOAD_AND_ADD and not weights.size:
                            if bf16:
                                _add_bf16(line, values[into, :width], following)
                            else:
                                _add_fp16(line, values[into, :width], following)
                            continue
                        if bf16:
                            _bf16(line, patterns[origin, :width], following)
                        else:
                            _fp16(line, patterns[origin, :width], following)
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
                                    raw, chosen[row], start + i, most[i], below[i], bf16
                                )
            elif bf16:
                _undefined(total, bad)
            elif _reaches(most, np.uint16(0x7C00)):
                return -1
            found |= _any(bad)
    return found


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
    """Sums of fp32 rows in a declared order: which differ from ``seen`` or are NaN; 1: some."""
    height, hidden = seen.shape
    values = np.empty((registers, COLUMNS), np.float32)
    patterns = values.view(np.uint32)
    found = 0
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
            found |= _any(bad)
    return found

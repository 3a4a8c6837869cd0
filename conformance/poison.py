"""Poison: what memory holds that nobody has written. A device fills it in, a judge never reads it.

A pattern is a word of 16 bits, repeated. In fp16, bf16 and fp32 it is a quiet NaN whose payload no
arithmetic makes, so that a judge may convert it without a warning; in fp64 those of outputs are. As
an integer of 32 or 64 bits it is no index: far above, or far below zero. Low bytes tell patterns
apart; high ones cannot, as halves that are NaN leave two. No word is twice another one.

That an element holds a pattern proves nothing, as a right kernel may write any value: see
`conformance.devices.unwritten`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import memory as say

Bytes = NDArray[np.uint8]

OUTPUTS = 0x7FFB
"""What the elements of outputs hold before a call."""

OUTPUTS_AGAIN = 0xFFFD
"""What they hold before a second call: both of its bytes are others."""

INPUT_GAPS = 0x7FF9
OUTPUT_GAPS = 0x7FF7
"""What a storage holds that is no element of its tensor: it belongs to somebody else."""

WORKSPACE = 0x7FE3
"""What a workspace holds before a call."""

FRESH = 0x7FED
"""What a simulated device's memory holds that was just allocated."""

UB = 0xFFE5
"""What a simulated unified buffer holds where nothing has put a value."""

LEAST_GUARD, MOST_GUARD = 0x7FC1, 0x7FDF
"""Guard zones hold odd words between these, of either sign, in no order: a copy of one zone into
another shows."""

WHERE: dict[int, str] = {
    OUTPUTS: say.OUTPUT(),
    OUTPUTS_AGAIN: say.OUTPUT(),
    INPUT_GAPS: say.INPUT_GAPS(),
    OUTPUT_GAPS: say.OUTPUT_GAPS(),
    WORKSPACE: say.WORKSPACE(),
    FRESH: say.FRESH(),
    UB: say.UB(),
}
"""Where a pattern lies, after "the pattern of". The simulator has the same table
(device_kernels/simulator/language/engine/memory/poison.h)."""

IN_A_GUARD: str = say.GUARD()

UNSIGNED = {size: np.dtype(f"<u{size}") for size in (1, 2, 4, 8)}
"""Unsigned integers, by size."""

COUNTED_AT_ONCE = 1 << 24
"""Bytes of which poison is counted at a time: a multiple of the size of every element."""


def pattern(word: int) -> bytes:
    """The bytes of a pattern, once, as they lie in memory."""
    return word.to_bytes(2, "little")


def fill(memory: Bytes, word: int = OUTPUTS) -> None:
    """Fill contiguous bytes with a pattern, from its first byte on."""
    even = memory.size // 2 * 2
    memory[:even].view(UNSIGNED[2]).fill(word)
    memory[even:] = pattern(word)[0]


def holds(elements: NDArray[Any], word: int = OUTPUTS) -> NDArray[np.bool_]:
    """Which elements hold nothing but a pattern that runs through them in C order."""
    flat = np.ascontiguousarray(elements).reshape(-1)
    return _holds(flat.view(UNSIGNED[flat.itemsize]), word).reshape(elements.shape)


def _holds(flat: NDArray[Any], word: int) -> NDArray[np.bool_]:
    """The same of unsigned integers in a row."""
    found = np.empty(flat.shape, np.bool_)
    if flat.itemsize > 1:
        whole = pattern(word) * (flat.itemsize // 2)
        np.equal(flat, int.from_bytes(whole, "little"), out=found)
    else:
        for lane, piece in enumerate(pattern(word)):
            np.equal(flat[lane::2], piece, out=found[lane::2])
    return found


def count(memory: Bytes, itemsize: int, word: int = OUTPUTS) -> int:
    """How many elements of ``itemsize`` contiguous bytes hold nothing but a pattern."""
    found = 0
    for at in range(0, memory.size, COUNTED_AT_ONCE):
        part = memory[at : at + COUNTED_AT_ONCE].view(UNSIGNED[itemsize])
        found += int(np.count_nonzero(_holds(part, word)))
    return found

"""Which elements an instruction touches, written down a second time, for tests in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulator.simulated_machine import SimulatedMachine


def mask_of(lanes: Sequence[int]) -> list[int]:
    """The four 32-bit words of a mask in which these lanes are set, as kernels' parameters."""
    words = np.zeros(4, np.uint32)
    for lane in lanes:
        words[lane // 32] |= np.uint32(1 << lane % 32)
    return [int(word) for word in words.view(np.int32)]


def offsets(
    itemsize: int, lanes: Sequence[int], repeats: int, block: int, repeat: int
) -> NDArray[np.int64]:
    """Element offsets of (repeat, lane) for strides in blocks of 32 bytes."""
    per = 32 // itemsize
    within = [lane // per * block * per + lane % per for lane in lanes]
    return np.array([[r * repeat * per + offset for offset in within] for r in range(repeats)])


def run_staged(
    machine: SimulatedMachine,
    kernel: str,
    first: NDArray[Any],
    result: NDArray[Any],
    params: Sequence[int] = (),
    *,
    second: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Runs a kernel of staged.h, which must be clean."""
    other = first if second is None else second
    sizes = [first.nbytes, other.nbytes, result.nbytes]
    return machine.run(kernel, first, result, [*sizes, *params], second=other)

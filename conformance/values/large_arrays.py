"""Arrays larger than memory: address space in which only pages that are written cost anything."""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

NORESERVE: int = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""MAP_NORESERVE of Linux, which Python's mmap names from 3.11 on."""


def lazy_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros of ``shape`` and ``dtype``, C-contiguous; a page is committed when it is written.

    Unlike ``np.zeros`` it is mapped whatever memory the host has, and in small pages: one row that
    is written does not commit the 2 MiB around it. Raises OSError where the host does not map it.
    """
    count = math.prod(shape) * dtype.itemsize
    if count == 0:
        return np.zeros(shape, dtype)
    memory = mmap.mmap(-1, count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, np.uint8).view(dtype).reshape(shape)

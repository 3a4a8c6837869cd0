"""Memory that was freed stays with the process: the next arrays lie in it.

glibc gives what an array of 128 KiB or more took back to the system, which fills the pages with
zeros when they are asked for again. That took a fifth of the time in which values were drawn.
"""

from __future__ import annotations

import ctypes

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
"""Of ``mallopt``: the least array with pages of its own, and how much is kept at the end of what a
process has."""

LARGE, KEPT = 8 << 20, 64 << 20
"""Bytes: a larger array is given back when it is freed, and what is free beyond so much."""


def keep_memory() -> bool:
    """Keep freed memory from now on; False if this system's C library has no such choice."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, LARGE) and mallopt(TRIM_THRESHOLD, KEPT))

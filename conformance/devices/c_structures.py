"""What functions of C libraries fill in for their callers."""

from __future__ import annotations

import ctypes
from ctypes import c_uint64


class Tally(ctypes.Structure):
    """What a process has had the device do: launches, fills and copies inside the device, bytes of
    the allocations that are alive, failures that nobody has taken yet, tasks that wait in streams.
    """

    launches: int
    tasks: int
    held_bytes: int
    failures: int
    waiting: int
    _fields_ = tuple(
        (name, c_uint64) for name in ("launches", "tasks", "held_bytes", "failures", "waiting")
    )


class PackageVersion(ctypes.Structure):
    """aclCANNPackageVersion: 512 bytes of text fields."""

    _fields_ = (
        ("version", ctypes.c_char * 128),
        ("parts", ctypes.c_char * 64 * 4),
        ("reserved", ctypes.c_char * 128),
    )

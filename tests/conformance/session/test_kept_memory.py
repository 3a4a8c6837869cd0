"""Memory that was freed stays with the process."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from conformance.session import kept_memory
from conformance.session.kept_memory import LARGE, keep_memory

ROUNDS = 20
HAS_MALLOPT = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library has no mallopt"
)
SCRIPT = """
import ctypes, resource, sys
import numpy as np
from conformance.session.kept_memory import MMAP_THRESHOLD, keep_memory
ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, 128 << 10)  # where glibc begins
if "kept" in sys.argv:
    assert keep_memory()
size, times = int(sys.argv[1]), int(sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(times):
    some = [np.ones(size, np.uint8) for _ in range(6)]
    del some
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(size: int, rounds: int, *how: str) -> int:
    """How often arrays of so many bytes, six at a time, took pages from the system."""
    command = [sys.executable, "-c", SCRIPT, str(size), str(rounds), *how]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@HAS_MALLOPT
@pytest.mark.parametrize("size", [480_000, 2 << 20])
def test_arrays_lie_where_earlier_ones_lay(size: int) -> None:
    pages = 6 * size // 4096
    assert faults(size, ROUNDS) > ROUNDS / 2 * pages
    assert faults(size, ROUNDS, "kept") < 4 * pages


@HAS_MALLOPT
def test_large_arrays_are_given_back() -> None:
    assert faults(2 * LARGE, 3, "kept") > 2 * faults(2 * LARGE, 1, "kept")


def test_a_system_without_the_choice_goes_on_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_memory.ctypes, "CDLL", lambda _: object())
    assert keep_memory() is False

"""What ``make proofs RUN=sanitize`` runs under stops at the first fault of either kind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.proofs.sanitize import FLAGS, environment

SOURCE = """
extern "C" int freed(int early) {
    volatile int* number = new int(0);
    if (early != 0) {
        delete number;
    }
    const int value = *number;
    if (early == 0) {
        delete number;
    }
    return value;
}
extern "C" int grown(int value) { return value + 1; }
"""
CALL = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).%s(%d) != %d)"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("freed", 0, 0), ""),
        (("freed", 1, 0), "AddressSanitizer: heap-use-after-free"),
        (("grown", 1, 2), ""),
        (("grown", 2**31 - 1, 0), "runtime error: signed integer overflow"),
    ],
)
def test_a_fault_in_a_library_ends_the_process_that_loads_it(
    tmp_path: Path, call: tuple[str, int, int], said: str
) -> None:
    sanitized = environment()
    if sanitized is None:
        pytest.skip("the compiler has no run-time libraries of its sanitizers")
    source, library = tmp_path / "faulty.cpp", tmp_path / "libfaulty.so"
    source.write_text(SOURCE)
    build = [sanitized["CXX"], *FLAGS.split(), "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(build, check=True)
    run = [sys.executable, "-c", CALL % call, str(library)]
    done = subprocess.run(run, env=sanitized, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (said == ""), done.stderr
    assert said in done.stderr

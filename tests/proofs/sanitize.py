"""The simulated device under AddressSanitizer and UndefinedBehaviorSanitizer: ``make proofs
RUN=sanitize``.

Every library is built with both, and so are the kernels of the simulator's own tests; these tests
are run, then smoke judges one operator. Python itself is no build of theirs, so their run-time
libraries are loaded before it, and leaks, which are mostly Python's, are not looked for. A finding
of either ends the process that makes it. Ends with status 2 where the compiler has no sanitizers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from device_kernels.toolchain import compiler

ROOT = Path(__file__).parents[2]
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1"
LIBRARIES = ("libasan.so", "libubsan.so", "libstdc++.so.6")
TESTS = (
    "tests/simulator/test_language*.py",
    "tests/simulator/test_operator_build.py",
    "tests/simulator/test_happens*.py",
    "tests/simulator/runtime",
)
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=0:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1",
}
OPERATOR = "moe_init_routing_v2_grad"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-judgement", action="store_true", help="the tests alone")
    parser.add_argument("pytest", nargs="*", help="what pytest gets instead of the tests")
    chosen = parser.parse_args()
    sanitized = environment()
    if sanitized is None:
        print(f"{compiler()} has no run-time libraries of its sanitizers", file=sys.stderr)
        return 2
    tests = chosen.pytest or [str(path) for place in TESTS for path in sorted(ROOT.glob(place))]
    commands = [[sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]]
    if not chosen.no_judgement:
        judgement = ["run", "--device", "sim", "--operator", OPERATOR, "--profile", "smoke"]
        out = str(ROOT / "reports" / "sanitize")
        commands.append([sys.executable, "-m", "conformance", *judgement, "--out", out])
    for command in commands:
        status = subprocess.run(command, cwd=ROOT, env=sanitized).returncode
        if status != 0:
            return status
    return 0


def environment() -> dict[str, str] | None:
    """The variables of a build and run with both sanitizers; None: the compiler has none."""
    found = [preloaded(name) for name in LIBRARIES]
    if None in found:
        return None
    loaded = {"LD_PRELOAD": " ".join(map(str, found))}
    return {**os.environ, **OPTIONS, **loaded, "CXX": compiler(), "CXXFLAGS": FLAGS}


def preloaded(library: str) -> Path | None:
    """The path of one of the compiler's own libraries; None: it has no such library."""
    asked = [compiler(), f"-print-file-name={library}"]
    path = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    return path.resolve() if path.is_absolute() else None


if __name__ == "__main__":
    sys.exit(main())

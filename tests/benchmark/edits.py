"""From an edit of a kernel or its tiling to the accepted smoke of its operator."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from device_kernels.build import build

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("conformance", "cases", "reference", "device_kernels")
OPERATORS = ("moe_token_permute", "moe_init_routing_v2", "moe_token_unpermute")
EDITS = 10
MOST = 1.8
"""Of the time that an edit costs over that of a run for which nothing is built."""


def measure():
    """Lines of (text, whether its ratio is within its limit)."""
    edited, plain = [], []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in PARTS:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, copy / part, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", copy)
        runtime = build(quiet=True).runtime.parent
        shutil.copytree(runtime, copy / "build" / runtime.name)
        for operator in OPERATORS:
            _judged(copy, operator)
        for number in range(EDITS):
            operator = OPERATORS[number % len(OPERATORS)]
            plain.append(_judged(copy, operator))
            source = f"{operator}_{('kernel', 'tiling')[number % 2]}.cpp"
            with (copy / "device_kernels" / "kernels" / operator / source).open("a") as file:
                file.write(f"// edit {number}\n")
            edited.append(_judged(copy, operator))
    ratio = statistics.median(edited) / statistics.median(plain)
    text = f"an edit of one of {len(OPERATORS)} operators, built and judged by smoke: median"
    text += f" {statistics.median(edited):.1f} s ({min(edited):.1f} to {max(edited):.1f}), without"
    text += f" an edit {statistics.median(plain):.1f} s: {ratio:.2f} times (at most {MOST:g})"
    yield text, ratio <= MOST


def _judged(copy, operator):
    """The seconds of a smoke run; raises CalledProcessError if it is not accepted."""
    command = [sys.executable, "-m", "conformance", "run", "--device", "sim"]
    start = time.perf_counter()
    subprocess.run(
        [*command, "--operator", operator, "--out", str(copy / "out")],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - start

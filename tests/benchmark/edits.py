"""From an edit of a kernel or its tiling to the accepted smoke of its operator; from a mistake to
the first verdict that refuses it."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from device_kernels.build import build
from tests.kernels.mutants import edited
from tests.kernels.mutation_run import MUTANTS

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("conformance", "cases", "reference", "device_kernels")
OPERATORS = ("moe_token_permute", "moe_init_routing_v2", "moe_token_unpermute")
EDITS, MISTAKES = 10, 30
MOST = 1.8
"""Of the time that an edit costs over that of a run for which nothing is built."""

MOST_TO_REFUSE = 1.5
"""Of the time to a refused verdict, what is edited built, over that of a run that is accepted."""


def measure():
    """Lines of (text, whether its ratio is within its limit)."""
    built, plain = [], []
    with _copied() as copy:
        for number in range(EDITS):
            operator = OPERATORS[number % len(OPERATORS)]
            plain.append(_seconds(copy, operator))
            source = f"{operator}_{('kernel', 'tiling')[number % 2]}.cpp"
            with (_kernels(copy) / operator / source).open("a") as file:
                file.write(f"// edit {number}\n")
            built.append(_seconds(copy, operator))
    ratio = statistics.median(built) / statistics.median(plain)
    text = f"an edit of one of {len(OPERATORS)} operators, built and judged by smoke: median"
    text += f" {statistics.median(built):.1f} s ({min(built):.1f} to {max(built):.1f}), without"
    text += f" an edit {statistics.median(plain):.1f} s: {ratio:.2f} times (at most {MOST:g})"
    yield text, ratio <= MOST


def mistakes():
    """The same of seeded mistakes: how long until one is refused and its smallest case is told."""
    refused, plain = [], []
    with _copied() as copy:
        for operator in OPERATORS:
            plain.append(_seconds(copy, operator))
            closed = [one for one in MUTANTS[operator] if not one.open and not one.route]
            each = MISTAKES // len(OPERATORS)
            for number in range(each):
                mutant = closed[number * len(closed) // each]
                source = _kernels(copy) / mutant.file
                right = source.read_text()
                source.write_text(edited(mutant, _kernels(copy)))
                refused.append(_seconds(copy, operator, "--", "-x", status=1))
                source.write_text(right)
    median, usual = statistics.median(refused), statistics.median(plain)
    most = statistics.quantiles(refused, n=10)[-1]
    text = f"{len(refused)} mistakes, each built and refused by smoke: median {median:.1f} s,"
    text += f" nine of ten within {most:.1f} s, an accepted run {usual:.1f} s:"
    text += f" {median / usual:.2f} times"
    yield f"{text} (at most {MOST_TO_REFUSE:g})", median / usual <= MOST_TO_REFUSE


@contextmanager
def _copied() -> Iterator[Path]:
    """A copy of the suite of which each operator has been judged once."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in PARTS:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, copy / part, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", copy)
        runtime = build(quiet=True).runtime.parent
        shutil.copytree(runtime, copy / "build" / runtime.name)
        for operator in OPERATORS:
            _seconds(copy, operator)
        yield copy


def _kernels(copy):
    return copy / "device_kernels" / "kernels"


def _seconds(copy, operator, *more, status=0):
    """The seconds of a smoke run; raises AssertionError if it ends with another status."""
    command = [sys.executable, "-m", "conformance", "run", "--device", "sim"]
    command += ["--operator", operator, "--out", str(copy / "out"), *more]
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return time.perf_counter() - start

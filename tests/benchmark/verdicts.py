"""What a verdict costs, in copies of the input.

The yardstick is np.copyto of the input into memory that was written to before. Times are those of
the processor, so that a busy machine disturbs less, and the best of seven. They are given for
numpy, and for numba where it is installed.
"""

import os
import time

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import Tensor, numpy_dtype
from conformance.judge.question import Question
from conformance.judge.sums import judge_sum
from conformance.numerics import compiled
from conformance.numerics.order import emulate
from conformance.record.clause import document
from conformance.record.contract import Sum
from reference.floats import format_of, to_bits
from reference.terms import Terms
from tests.benchmark.timing import best

TOKENS, SLOTS, HIDDEN = 1024, 8, 7168
LIMITS = {
    "numpy": {"bfloat16": (5, 7), "float16": (7, 11), "float32": (4, 12)},
    "numba": {"bfloat16": (2.5, 3.5), "float16": (3, 4.5), "float32": (3, 5)},
}
"""In copies: with a declared order, and with any."""
CLAUSE = document("a sum", "benchmark")


class Call:
    """As much of a case as a judge of sums asks for."""

    def __init__(self, source, dtype):
        self.arrays = {"x": source}
        self.attributes = {}
        self.outputs = {"y": Tensor((TOKENS, HIDDEN), dtype)}


def sums(dtype):
    """Seconds of a copy; by what judges those of verdicts with a declared order and without."""
    generator, fmt = np.random.default_rng(0), format_of(dtype)
    rows = generator.permutation(TOKENS * SLOTS).astype(np.int32).reshape(TOKENS, SLOTS)
    source = np.empty((TOKENS * SLOTS, HIDDEN), numpy_dtype(dtype))
    observed = np.empty((TOKENS, HIDDEN), source.dtype)
    for row in range(0, len(source), 64):
        values = generator.standard_normal((64, HIDDEN))
        source[row : row + 64] = to_bits(values, fmt).view(source.dtype)
    for row in range(0, TOKENS, 8):
        total = emulate(bin_tree(SLOTS), source[rows[row : row + 8].T].astype(np.float32))
        observed[row : row + 8] = to_bits(total, fmt).view(source.dtype)
    copied = source.copy()
    call, terms = Call(source, dtype), Terms(rows, "x")

    def question(merges):
        contract = Sum(CLAUSE, lambda inputs, attributes: terms, merges=merges)
        return Question("y", contract, call, observed, formula=None)

    asked = question(bin_tree), question(None)
    judges = [name for name in LIMITS if name == "numpy" or _judged_by("numba") != "numpy"]
    copy, found = np.inf, {}
    for name in judges:
        _judged_by(name)
        assert all(judge_sum(one).ok for one in asked)  # and the loops are compiled
        seconds = best(
            lambda: np.copyto(copied, source),
            *(lambda one=one: judge_sum(one) for one in asked),
            clock=time.process_time,
        )
        copy, found[name] = min(copy, seconds[0]), seconds[1:]
    return copy, found


def _judged_by(name):
    """Let numpy or numba judge from now on; what does."""
    os.environ[compiled.VARIABLE] = str(int(name != "numpy"))
    return compiled.name()


def measure():
    """The lines to print, each with whether it is within its limits."""
    yield f"sums of {TOKENS} x {SLOTS} x {HIDDEN}, in copies of the input (limits)", True
    for dtype in ("bfloat16", "float16", "float32"):
        copy, found = sums(dtype)
        columns, within = [], True
        for name, seconds in found.items():
            limits = LIMITS[name][dtype]
            declared, free = (each / copy for each in seconds)
            columns.append(
                f"{name}: declared order {declared:.1f} ({limits[0]}), any {free:.1f} ({limits[1]})"
            )
            within &= declared <= limits[0] and free <= limits[1]
        yield f"  {dtype:9} copy {copy * 1e3:.1f} ms, {'; '.join(columns)}", within

"""What a verdict costs, in copies of the input.

The yardstick is np.copyto of the input into memory that was written to before. Times are the best
of seven; of two and three for the slowest.
"""

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import Tensor, numpy_dtype
from conformance.judge.question import Question
from conformance.judge.sums import judge_sum
from conformance.numerics.order import emulate
from conformance.record.clause import document
from conformance.record.contract import Sum
from reference.floats import format_of, to_bits
from reference.terms import Terms
from tests.benchmark.timing import best

TOKENS, SLOTS, HIDDEN = 1024, 8, 7168
DECLARED_LIMIT, ANY_LIMIT = 4.0, 10.0
CLAUSE = document("a sum", "benchmark")


class Call:
    """As much of a case as a judge of sums asks for."""

    def __init__(self, source, dtype):
        self.arrays = {"x": source}
        self.attributes = {}
        self.outputs = {"y": Tensor((TOKENS, HIDDEN), dtype)}


def sums(dtype):
    """Seconds of one copy, of a verdict with a declared order, of one without."""
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

    declared = question(bin_tree)
    assert judge_sum(declared).ok
    assert judge_sum(question(None)).ok
    copy, ordered = best(lambda: np.copyto(copied, source), lambda: judge_sum(declared))
    slow = dtype == "float32"
    again, free = best(
        lambda: np.copyto(copied, source),
        lambda: judge_sum(question(None)),
        repeats=2 if slow else 7,
    )
    return min(copy, again), ordered, free


def measure():
    """The lines to print, each with whether it is within its limits."""
    yield f"sums of {TOKENS} x {SLOTS} x {HIDDEN}, in copies of the input", True
    for dtype in ("bfloat16", "float16", "float32"):
        copy, declared, free = sums(dtype)
        limited = dtype == "bfloat16"
        limits = f" (at most {DECLARED_LIMIT:g} and {ANY_LIMIT:g})" if limited else ""
        text = (
            f"  {dtype:9} copy {copy * 1e3:.1f} ms, declared order {declared / copy:.1f},"
            f" any order {free / copy:.1f}{limits}"
        )
        within = declared <= DECLARED_LIMIT * copy and free <= ANY_LIMIT * copy
        yield text, within or not limited

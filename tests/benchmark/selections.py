"""What reference and verdict of a selection cost, in stable argsorts of the same scores."""

import time
from dataclasses import replace

import numpy as np

from cases.operators.moe_gating_top_k_softmax_v2 import CALLS, FIRST, LAST, OPERATOR, RESULT
from conformance.devices.function_traits import SIMULATED
from conformance.judge.calls import judge
from conformance.judge.right_answer import right_answer
from conformance.numerics.arithmetic import IEEE
from conformance.values.fill import Fill
from tests.benchmark.timing import best

TOKENS, EXPERTS, SELECTED = 8192, 256, 8
LIMITS = {LAST: 2.2, FIRST: 3.0, RESULT: 3.3}
"""The goal is 3 for each, on a quiet host."""


def selection(mode):
    """Seconds of one argsort, of the formula and of a verdict."""
    scores = {"x": {"fill": Fill(("gaussian",), seed=1)}}
    case = CALLS.call((TOKENS,), EXPERTS, SELECTED, scores, mode=mode)
    x, arithmetic = case.arrays["x"], replace(IEEE, functions=SIMULATED)
    observed = right_answer(OPERATOR, case)
    assert judge(OPERATOR, case, observed, arithmetic).ok
    return best(
        lambda: np.argsort(-x, axis=1, kind="stable"),
        lambda: OPERATOR.formula(case.arrays, case.attributes),
        lambda: judge(OPERATOR, case, observed, arithmetic),
        repeats=5,
        clock=time.process_time,
    )


def measure():
    """The lines to print, each with whether it is within its limit."""
    yield f"{SELECTED} of {TOKENS} x {EXPERTS}, float32, in stable argsorts of the scores", True
    for mode, limit in LIMITS.items():
        sort, formula, verdict = selection(mode)
        both = (formula + verdict) / sort
        text = (
            f"  {mode:13} argsort {sort * 1e3:.0f} ms, formula {formula / sort:.1f},"
            f" verdict {verdict / sort:.1f}, both {both:.1f} (at most {limit:g})"
        )
        yield text, both <= limit

"""How fast the simulated device computes, against the obvious numpy loop, and what checks cost."""

import contextlib

import numpy as np

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.devices.open import open_device
from conformance.fill import Fill
from conformance.observation import Outcome
from device_kernels.build import build
from tests.benchmark.timing import best

TOKENS, SLOTS, HIDDEN = 1024, 8, 2048
LEAST_OF_NUMPY = {"float32": 0.4, "float16": 1.0}
LEAST_OF_OFF = 1 / 3


def gather_and_add(dtype):
    """A dropless case of that size."""
    rows = np.random.default_rng(0).permutation(TOKENS * SLOTS)
    return call(
        "dropless",
        dtype,
        grad=(rows.size, HIDDEN),
        indices=tuple(rows.tolist()),
        top_k=SLOTS,
        fill=Fill(("gaussian",), seed=1),
    )


def seconds_on_device(case, checks):
    """The least seconds that phases 1 and 2 took of seven calls."""
    with contextlib.closing(open_device("sim", libraries=build(checks=checks).lib)) as device:
        seen = [device.run(OPERATOR, case) for _ in range(7)]
    assert all(one.outcome is Outcome.COMPLETED and not one.diagnostics for one in seen)
    return min(one.seconds for one in seen)


def seconds_of_numpy(case):
    """The loop over tokens and slots that a person would write, fp32 sums."""
    source = case.arrays["grad_expanded_x"]
    rows = case.arrays["expanded_row_idx"].reshape(TOKENS, SLOTS)
    out = np.empty((TOKENS, HIDDEN), source.dtype)

    def loop():
        for token in range(TOKENS):
            total = np.zeros(HIDDEN, np.float32)
            for slot in range(SLOTS):
                total += source[rows[token, slot]]
            out[token] = total

    return best(loop)[0]


def measure():
    """The lines to print, each with whether it is within its limits."""
    yield f"gather and add of {TOKENS} x {SLOTS} x {HIDDEN} on the simulated device", True
    for dtype, least in LEAST_OF_NUMPY.items():
        case = gather_and_add(dtype)
        off, full = (seconds_on_device(case, checks) for checks in ("off", "all"))
        numpy = seconds_of_numpy(case)
        text = (
            f"  {dtype:9} {off * 1e3:.0f} ms without checks, {numpy / off:.2f} times the speed of"
            f" the numpy loop (at least {least:g}); {off / full:.2f} of that with all checks"
            f" (at least {LEAST_OF_OFF:.2f})"
        )
        yield text, numpy / off >= least and off / full >= LEAST_OF_OFF

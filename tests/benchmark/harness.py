"""How many small cases a run draws and judges in a second, and what a second worker brings."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.devices.open import open_device
from conformance.draw.machines import in_any_order
from conformance.draw.plain import plainly
from conformance.judge.calls import judge
from conformance.session.ahead import made_ahead
from conformance.session.rare_collection import rarely_collected
from conformance.session.search_budget import SearchBudget
from conformance.session.trial import Trial

ROOT = Path(__file__).parents[2]
OPERATORS = ("moe_init_routing_v2_grad", "moe_token_permute", "moe_token_unpermute")
CASES = 1000
LEAST_RATE, LEAST_GAIN = 400.0, 1.7


def rate(mode, dtype):
    """Small cases a second, drawn and judged as a run does it, and run on the device."""
    cases = in_any_order(OPERATOR.small_cases(mode, dtype), OPERATOR.computes)
    with contextlib.closing(open_device("sim")) as device, rarely_collected():
        began = time.perf_counter()
        drawn = plainly(cases, CASES, 0)
        trial, seen = Trial(lambda *_: None, SearchBudget(60)), []
        for case, _ in made_ahead(drawn, {"operator": OPERATOR, "device": device}):
            checked, observed = trial.checks_suite(), device.run(OPERATOR, case)
            seen.append(judge(OPERATOR, case, observed, checked=checked).ok)
        seconds = time.perf_counter() - began
    assert all(seen)
    return len(seen) / seconds


def seconds_of_run(workers):
    """Wall seconds of a gate run of the values of `OPERATORS` with so many workers."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "conformance", "run", "--device", "sim", "--out", folder]
        for operator in OPERATORS:
            command += ["--operator", operator]
        command += ["--profile", "gate", "-n", str(workers), "--", "-k", "test_values"]
        began = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return time.perf_counter() - began


def measure():
    """The lines to print, each with whether it is within its limits."""
    every, one = os.sched_getaffinity(0), {min(os.sched_getaffinity(0))}
    try:
        os.sched_setaffinity(0, one)
        for mode, dtype in (("dropless", "float32"), ("drop_pad", "bfloat16")):
            found = rate(mode, dtype)
            text = f"small cases of {mode} {dtype}: {found:.0f} a second on one core"
            yield f"{text} (at least {LEAST_RATE:g})", found >= LEAST_RATE
    finally:
        os.sched_setaffinity(0, every)
    gain = seconds_of_run(1) / seconds_of_run(2)
    text = f"a gate run of {len(OPERATORS)} operators is {gain:.2f} times as fast with two workers"
    yield f"{text} as with one (at least {LEAST_GAIN:g})", gain >= LEAST_GAIN or len(every) < 2

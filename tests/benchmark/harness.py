"""How many small cases a run judges in a second, and what a second worker brings."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.devices.open import open_device
from conformance.judge.calls import judge

ROOT = Path(__file__).parents[2]
CASES = 1000
LEAST_RATE, LEAST_GAIN = 300.0, 1.7


def rate(mode, dtype):
    """Small cases a second, drawn, run on the device and judged."""
    seen = []
    with contextlib.closing(open_device("sim")) as device:

        @settings(
            max_examples=CASES,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            suppress_health_check=tuple(HealthCheck),
        )
        @given(OPERATOR.small_cases(mode, dtype))
        def go(case):
            seen.append(judge(OPERATOR, case, device.run(OPERATOR, case)).ok)

        began = time.perf_counter()
        go()
        seconds = time.perf_counter() - began
    assert all(seen)
    return len(seen) / seconds


def seconds_of_run(workers):
    """Wall seconds of a gate run of six cells with so many workers."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "conformance", "run", "--device", "sim", "--out", folder]
        command += [
            "--profile",
            "gate",
            "-n",
            str(workers),
            "--",
            "-k",
            "test_values and (float16 or float32)",
        ]
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
    text = f"a gate run of six cells is {gain:.2f} times as fast with two workers as with one"
    yield f"{text} (at least {LEAST_GAIN:g})", gain >= LEAST_GAIN or len(every) < 2

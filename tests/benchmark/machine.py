"""How fast the simulated device computes and sorts, against numpy, and what checks cost."""

import contextlib
import ctypes

import numpy as np

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.observation import Outcome
from conformance.devices.open import open_device
from conformance.values.fill import Fill
from device_kernels.build import build
from tests.benchmark.timing import best
from tests.kernels.aclnn_program import FP32, INT32, Program
from tests.simulator.runtime.driver import Acl

TOKENS, SLOTS, HIDDEN = 1024, 8, 2048
LEAST_OF_NUMPY = {"float32": 0.4, "float16": 1.0}
LEAST_OF_OFF = 1 / 3
BLOCKS, MOST_MILLISECONDS = 48, 0.5
KEYS = {"one core": 8160, "48 cores": 98304}
"""The most that one core of the chip sorts by itself; as many as three levels of merges take."""
LEAST_OF_ARGSORT = {"one core": 0.15, "48 cores": 0.15}
"""With all checks, of the speed of two stable argsorts of numpy. Three million keys a second on the
machine on which the limits were set.
"""


def gather_and_add(dtype):
    """A dropless case of that size."""
    rows = np.random.default_rng(0).permutation(TOKENS * SLOTS)
    return call(
        "dropless",
        dtype,
        source=(rows.size, HIDDEN),
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


def milliseconds_of_empty_blocks(lib):
    """The least time of 300 launches of BLOCKS blocks that do nothing: free(NULL) is the kernel."""
    runtime, nothing = ctypes.CDLL(str(lib / "libascendcl.so")), ctypes.CDLL(None).free
    entry = ctypes.cast(nothing, ctypes.c_void_p)

    def launch():
        assert runtime.ascendsimLaunch(b"empty", BLOCKS, None, entry, None, 0) == 0

    return min(best(launch)[0] for _ in range(100)) * 1e3


def seconds_to_sort(keys):
    """Ranks of so many keys by two sorts, of which one row is copied: on the device with all
    checks, uploads and downloads included, and by numpy.
    """
    indices = np.random.default_rng(0).integers(0, 256, keys, np.int32)
    program = Program(Acl(build().lib), "MoeTokenPermute")

    def on_device():
        shapes = ((keys, 1), (keys,), (1, 1), (keys,))
        held = [program.upload(np.zeros(shape, np.int32)) for shape in shapes]
        held[1] = program.upload(indices)
        kinds = (FP32, INT32, FP32, INT32)
        made = zip(shapes, held, kinds, strict=True)
        tokens, named, rows, ranks = (program.tensor(*one) for one in made)
        assert program.call(tokens, named, 1, False, rows, ranks) == (0, "")
        program.download(held[3], (keys,), np.int32)
        program.release()

    def in_numpy():
        order = np.argsort(indices.astype(np.float32), kind="stable")
        np.argsort(order.astype(np.float32), kind="stable")

    return best(on_device, in_numpy)


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
    took = milliseconds_of_empty_blocks(build(checks="all").lib)
    text = f"launching {BLOCKS} empty blocks takes {took:.2f} ms (at most {MOST_MILLISECONDS:g})"
    yield text, took <= MOST_MILLISECONDS
    yield "ranks of keys by two stable sorts on the simulated device, all checks", True
    for name, keys in KEYS.items():
        device, numpy = seconds_to_sort(keys)
        least = LEAST_OF_ARGSORT[name]
        text = (
            f"  {keys} keys, {name}: {keys / device / 1e6:.2f} million keys per second,"
            f" {numpy / device:.2f} times the speed of numpy (at least {least:g})"
        )
        yield text, numpy / device >= least

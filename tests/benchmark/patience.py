"""What the slowest simulated machine takes for a key and for a byte, against what limits allow.

`conformance/devices/time_limits.py` grants a call's time limit once more for so many of them as
take a quarter of a second; the seconds that a call really takes must be less.
"""

import contextlib
from dataclasses import replace

import numpy as np

from cases.operators.moe_init_routing_v2_grad import OPERATOR as GRAD
from cases.operators.moe_init_routing_v2_grad import call
from cases.operators.moe_token_permute import OPERATOR as PERMUTE
from conformance.call.case import Machine, Tensor
from conformance.call.observation import Outcome
from conformance.devices.call import call_of
from conformance.devices.open import open_device
from conformance.devices.time_limits import seconds_for
from conformance.values.fill import Fill

QUARTER = 0.25
SLOWEST = (Machine(1, 8192), Machine(48, 8192))
KEYS = 97_791
ROWS, COLUMNS = 64, 1 << 16


def keys():
    """A permutation of so many rows of one column, by keys that are sorted."""
    case = PERMUTE.examples[0].case
    drawn = np.random.default_rng(0).integers(0, 256, (KEYS, 1), np.int64)
    tokens = Tensor((KEYS, 1), "float32", fill=Fill(("gaussian",), seed=1))
    indices = replace(case.inputs["indices"], shape=(KEYS, 1), values=tuple(drawn.ravel().tolist()))
    outputs = {"permute_tokens": Tensor((KEYS, 1), "float32")}
    outputs["sorted_indices"] = replace(case.outputs["sorted_indices"], shape=(KEYS,))
    return replace(case, inputs={"tokens": tokens, "indices": indices}, outputs=outputs)


def columns():
    """A gather of wide rows: bytes, and next to no keys."""
    rows = np.random.default_rng(0).permutation(ROWS)
    return call(
        "dropless",
        "float16",
        source=(ROWS, COLUMNS),
        indices=tuple(rows.tolist()),
        top_k=1,
        fill=Fill(("gaussian",), seed=1),
    )


def measure():
    """The lines to print, each with whether the device takes less than limits allow for."""
    made = ((f"{KEYS} keys", PERMUTE, keys()), (f"{ROWS} rows of {COLUMNS}", GRAD, columns()))
    with contextlib.closing(open_device("sim", time_limit=120.0)) as device:
        for what, operator, case in made:
            allowed = QUARTER * (seconds_for(call_of(operator, case), 1.0) - 1.0)
            for machine in SLOWEST:
                seen = [device.run(operator, replace(case, machine=machine)) for _ in range(3)]
                assert all(one.outcome is Outcome.COMPLETED for one in seen)
                took = min(one.seconds for one in seen)
                text = f"{what} on {machine}: {took:.3f} s (limits allow for {allowed:.3f} s)"
                yield text, took <= allowed

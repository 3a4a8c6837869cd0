"""The judge accepts what right devices select and weigh: millions of rows of gating.

``make proofs RUN=selections``; prints what was judged and ends with status 1 if one legal row was
refused. Devices differ in exp, in the order of additions, in division and in storage. Operators
are judged as in a run: record, reference and contracts, of the traits that a device keeps.
"""

import argparse
import itertools
import sys
import time
from dataclasses import dataclass, replace

import numpy as np

from cases.operators import moe_gating_top_k as groups
from cases.operators import moe_gating_top_k_softmax_v2 as softmax
from conformance.call.case import numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.judge.calls import judge
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import Functions, FunctionTraits
from conformance.values.fill import Fill
from tests.conformance.numerics.machines import EXPS, SUMS, furthest, moved
from tests.proofs.kill_matrix.gating import Right, largest

DTYPES = ("float16", "bfloat16", "float32")
STEPS = {"correct": 0, "up": 1, "down": 1, "hash": 1, "table": 2, "flush": 0}
"""How far each exp is off; `main` sees to it that this holds."""

SCORES = (
    *("separated", "levels", "gaussian", "equal", "zero"),
    *("masked", "close", "wide", "offset", "vanishing"),
)
BIASES = ("shifts", "levels", "absorbs", "negative", "duels")
SIZES = ((8, 2), (32, 8), (64, 6), (128, 8), (256, 8))
"""Experts, and how many are selected."""


@dataclass(frozen=True)
class Device:
    """exp, the order of additions, the steps of a quotient, and whether it is a product with a
    reciprocal."""

    exp: str
    sum: str
    steps: int
    by_reciprocal: bool

    @property
    def functions(self):
        exp = FunctionTraits(STEPS[self.exp], flush=True, uniform=True)
        return Functions(exp, div=FunctionTraits(1), reciprocal=FunctionTraits(1))

    def over(self, values, divisors):
        """values / divisors; exact for zero by a number, and for a number by infinity."""
        with np.errstate(all="ignore"):
            right = values / divisors
            if self.by_reciprocal:
                inverse = np.float32(1) / divisors
                inverse = np.where(np.isinf(divisors), inverse, moved(inverse, self.steps))
                return values * inverse
            return np.where(right == 0, right, moved(right, self.steps))

    def raised(self, x):
        """exp of x, of NaN NaN."""
        return np.where(np.isnan(x), x, EXPS[self.exp](np.where(np.isnan(x), np.float32(0), x)))

    def softmax(self, x):
        with np.errstate(invalid="ignore"):
            terms = self.raised(x - x.max(axis=1, keepdims=True))
        return self.over(terms, SUMS[self.sum](terms)[:, None])

    def sigmoid(self, x):
        with np.errstate(over="ignore"):
            return self.over(np.ones_like(x), np.float32(1) + self.raised(-x))

    def share(self, chosen, eps):
        return self.over(chosen, (SUMS[self.sum](chosen) + np.float32(eps))[:, None])


def sizes_of(seed):
    """Experts, and how many are selected: each size meets each family of scores."""
    return SIZES[(seed + seed // len(SCORES)) % len(SIZES)]


def of_softmax(device, case):
    """What a device answers to MoeGatingTopKSoftmaxV2."""
    x, k = case.arrays["x"].astype(np.float32), case.attributes["k"]
    first = case.attributes["renorm"] == 0
    scores = device.softmax(x) if first else x
    ids = largest(scores, k)
    chosen = np.take_along_axis(scores, ids, axis=1)
    return {
        "y": chosen if first else device.softmax(chosen),
        "expert_idx": ids,
        "softmax_result": scores,
    }


class Gated(Right):
    """MoeGatingTopK with the functions of a device."""

    def __init__(self, device):
        self.device = device

    def scores(self, x, norm_type):
        return (self.device.sigmoid if norm_type else self.device.softmax)(x)

    def shares(self, y, scores, eps):
        return self.device.share(y, eps)


def of_groups(device, case):
    """What a device answers to MoeGatingTopK."""
    arrays = case.arrays
    y, ids, scores = Gated(device).answer(arrays["x"], arrays.get("bias"), case.attributes)
    return {"y": y, "expert_idx": ids, "out": scores}


def softmax_calls(rows, dtype, seed):
    """Calls of the modes of MoeGatingTopKSoftmaxV2, one after the other."""
    experts, k = sizes_of(seed)
    x = {"x": {"fill": Fill((SCORES[seed % len(SCORES)],), seed=seed)}}
    for mode in (softmax.FIRST, softmax.LAST, softmax.RESULT):
        yield softmax.OPERATOR, softmax.make(mode, dtype, (rows,), experts, k, x), of_softmax


def group_calls(rows, dtype, seed):
    """Calls of MoeGatingTopK: with and without groups, bias and scores."""
    experts, k = sizes_of(seed)
    given = {"x": {"fill": Fill((SCORES[seed % len(SCORES)],), seed=seed)}}
    biased = {"bias": {"fill": Fill((BIASES[seed % len(BIASES)],), seed=seed + 1)}}
    count, kept = ((1, 1), (4, 2), (4, 4))[seed % 3]
    sizes = {"row": rows, "group": count, "member": experts // count, "kept": kept, "slot": k}
    sizes["slot"] = min(k, kept * sizes["member"])
    words = {
        "group_select_mode": int(seed % 2 and sizes["member"] > 1),
        "routed_scaling_factor": (1.0, 2.5, -1.5)[seed % 3],
        "eps": (1e-20, 1e-6)[seed % 2],
        "out_flag": seed % 2,
    }
    for mode in (groups.MODES[0], groups.MODES[1], groups.SIGMOID):
        inputs = {**given, **(biased if seed % 4 else {})}
        yield groups.OPERATOR, groups.MAKE(mode, dtype, sizes, inputs, **words), of_groups


def observed(device, case, answers):
    """The observation of a device's answers, stored in the dtypes of the call's outputs."""
    with np.errstate(over="ignore"):
        outputs = {
            name: answers[name].astype(numpy_dtype(one.dtype)) for name, one in case.outputs.items()
        }
    return Observation(Outcome.COMPLETED, outputs=outputs, unwritten=dict.fromkeys(outputs, 0))


def of_device(device, dtype, place, rows):
    """The verdicts on calls of so many rows each: every family of scores in every mode."""
    arithmetic = replace(IEEE, functions=device.functions)
    for seed in range(place * len(SCORES), (place + 1) * len(SCORES)):
        calls = (*softmax_calls(rows, dtype, seed), *group_calls(rows, dtype, seed))
        for operator, case, answer in calls:
            seen = observed(device, case, answer(device, case))
            yield judge(operator, case, seen, arithmetic)


def runs(rows):
    """(device, dtype, verdicts, rows of a call) of every device and dtype."""
    made = [
        Device(*one, place % 3 - 1, bool(place % 2))
        for place, one in enumerate(itertools.product(EXPS, SUMS))
    ]
    each = -(-rows // (len(made) * len(DTYPES) * len(SCORES) * 6))
    for (place, device), dtype in itertools.product(enumerate(made), DTYPES):
        yield device, dtype, [*of_device(device, dtype, place, each)], each


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    values = np.linspace(-104, 88, 400_001).astype(np.float32)
    for name, exp in EXPS.items():
        assert furthest(exp, np.exp, values) <= STEPS[name], name
    total = alarms = 0
    began = time.monotonic()
    for device, dtype, verdicts, each in runs(rows):
        refused = [one for one in verdicts if not one.ok]
        bounded = sum(one.outputs["y"].elements for one in verdicts if one.ok)
        total, alarms = total + each * len(verdicts), alarms + len(refused)
        print(
            f"{each * len(verdicts):>9,} rows, {bounded:>10,} weights bounded,"
            f" {len(refused)} calls refused: {device.exp}, {device.sum}, {dtype}",
            flush=True,
        )
        for one in refused[:1]:
            print(one)
    print(f"{total:,} legal rows, {alarms} calls refused, {time.monotonic() - began:.0f} s")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())

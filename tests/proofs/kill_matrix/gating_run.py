"""Mistakes of gating against this judge, published standards and the tests of two repositories.

``python -m tests.proofs.kill_matrix.gating_run --seeds 20`` prints, for each mistake and judge, the
percent of the outputs that are rejected, of those in which the mistake shows. It ends with status 1
if this suite rejects a right device, or never rejects a mistake.

This suite judges values of its own families; the others normal ones, and vllm-ascend uniform ones.
A published standard says something of numbers alone: it sees y. The tests of vllm-ascend compare y
and ids by assertRtolEqual, those of FlagGems y by an absolute and a relative 1e-5 and ids exactly.
"""

import argparse
import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np

from cases.operators.moe_gating_top_k import MAKE, MODES, OPERATOR, SIGMOID
from conformance.call.case import numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.judge.calls import judge
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import CORRECT, Functions, FunctionTraits
from conformance.standards import STANDARDS
from conformance.values.fill import Fill
from reference import moe_gating_top_k as reference
from tests.proofs.kill_matrix.gating import MISTAKES, RIGHT, Right
from tests.proofs.selections_run import BIASES, SCORES

OURS, VLLM, FLAGGEMS = "this suite", "tests of vllm-ascend", "tests of FlagGems"
RTOL_EQUAL = STANDARDS["torch-npu-rtol-equal"]
DTYPES = ("float16", "bfloat16", "float32")
EXACT_DIVISION = Functions(FunctionTraits(1, uniform=True), div=CORRECT, reciprocal=CORRECT)
ROWS, EXPERTS, K = 16, 64, 5
PLAIN = {"row": ROWS, "group": 1, "member": EXPERTS, "kept": 1, "slot": K}
GROUPED = {"row": ROWS, "group": 8, "member": 8, "kept": 3, "slot": K}
EACH = {"routed_scaling_factor": 2.5, "eps": 1e-20, "group_select_mode": 1}


def call(mode, dtype, grouped, seed):
    """A call with values of this suite's families."""
    inputs = {"x": {"fill": Fill((SCORES[seed % len(SCORES)],), seed)}}
    if grouped:
        inputs["bias"] = {"fill": Fill((BIASES[seed % len(BIASES)],), seed + 1)}
    sizes, words = (GROUPED, EACH) if grouped else (PLAIN, EACH | {"group_select_mode": 0})
    return MAKE(mode, dtype, sizes, inputs, **words)


def drawn(case, seed, uniform):
    """x and bias as tests draw them, in the dtype of a call."""
    generator = np.random.default_rng([seed, uniform])
    arrays = {}
    for name in ("x", "bias"):
        if name in case.inputs:
            shape = case.inputs[name].shape
            values = generator.uniform(-2, 2, shape) if uniform else generator.normal(size=shape)
            arrays[name] = values.astype(np.float32).astype(numpy_dtype(case.inputs[name].dtype))
    return arrays


def by_suite(case, y, ids):
    out = np.zeros(case.outputs["out"].shape, np.float32)  # of which nothing is promised
    outputs = {"y": y, "expert_idx": ids, "out": out}
    seen = Observation(Outcome.COMPLETED, outputs=outputs, unwritten=dict.fromkeys(outputs, 0))
    return not judge(OPERATOR, case, seen, replace(IEEE, functions=EXACT_DIVISION)).ok


def golden(case, arrays, dtype):
    """The formula's outputs in a dtype."""
    widened = {name: one.astype(np.float32).astype(dtype) for name, one in arrays.items()}
    given = {name: one for name, one in case.attributes.items() if name != "out_flag"}
    return reference.formula(**widened, **given)


def rejections(device, case, seed):
    """(judge, whether it rejects) of each judge that speaks and is shown the mistake."""
    attributes, dtype = case.attributes, case.dtype

    def answers(arrays):
        y, ids, _ = device.answer(arrays["x"], arrays.get("bias"), attributes)
        right_y, right_ids, _ = Right().answer(arrays["x"], arrays.get("bias"), attributes)
        width = f"u{y.itemsize}"
        same = np.array_equal(y.view(width), right_y.view(width)) and (ids == right_ids).all()
        return y, ids, not same

    y, ids, shows = answers(case.arrays)
    if shows:
        yield OURS, by_suite(case, y, ids)
    for uniform in (False, True):
        arrays = drawn(case, seed, uniform)
        y, ids, shows = answers(arrays)
        if not shows:
            continue
        exact = golden(case, arrays, np.float64)["y"]
        single = golden(case, arrays, np.float32)
        if uniform:
            if dtype == "float32":
                near = RTOL_EQUAL.judge(y, exact).ok
                alike = RTOL_EQUAL.judge(ids, single["expert_idx"].astype(np.int64)).ok
                yield VLLM, not (near and alike)
            continue
        if dtype == "float32" and case.attributes["group_count"] == 1:
            near = np.allclose(y, single["y"], rtol=1e-5, atol=1e-5)
            yield FLAGGEMS, not (near and (ids == single["expert_idx"]).all())
        benchmark = single["y"].astype(y.dtype)
        for name, standard in STANDARDS.items():
            said = standard.judge(y, exact, benchmark, dtype)
            if said.ruling.name != "SILENT":
                yield name, not said.ok


def matrix(seeds):
    """[rejected, shown] by mistake and judge, over some seeds."""
    found = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for name, device in {**RIGHT, **MISTAKES}.items():
        for mode in device.modes:
            mode = SIGMOID if mode == "sigmoid" else MODES[0]
            for dtype in DTYPES:
                for seed in seeds:
                    case = call(mode, dtype, device.grouped or seed % 2, seed)
                    for judge_, rejected in rejections(device, case, seed):
                        found[name][judge_][0] += rejected
                        found[name][judge_][1] += 1
    return found


def show(found, columns):
    """Print the percent rejected, with a number for each column, named first."""
    for number, name in enumerate(columns, 1):
        print(f"{number:3} {name}")
    print(f"\n{'% rejected':34}" + "".join(f"{number:4}" for number in range(1, len(columns) + 1)))
    for name, row in found.items():
        cells = [row.get(one, (0, 0)) for one in columns]
        print(f"{name:34}" + "".join(f"{100 * a // b if b else '-':>4}" for a, b in cells))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    found = matrix(range(parser.parse_args(arguments).seeds))
    judges = [OURS, VLLM, FLAGGEMS, *STANDARDS]
    judges = [one for one in judges if any(one in row for row in found.values())]
    show(found, judges)
    blamed = [name for name in RIGHT if found[name][OURS][0]]
    missed = [name for name in MISTAKES if not found[name][OURS][0]]
    print("".join(f"\nright, and rejected: {name}" for name in blamed), end="")
    print("".join(f"\nnever rejected: {name}" for name in missed), end="")
    return 1 if blamed or missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Mistakes of quantisation against this judge and published standards.

``python -m tests.proofs.kill_matrix.quantising_run --seeds 6`` prints, for each mistake and judge,
the percent of the calls that are rejected, of those in which the mistake shows, and for each family
that of this suite. It ends with status 1 if this suite rejects a right device, or never rejects a
mistake.

This suite judges as it does a device of which nothing is known, one that divides exactly, and one
that promises even halves, too. A published standard is shown q and its golden, the formula's
integers; if it speaks of floats it is shown the scale, too. All see the same calls.
"""

import argparse
import itertools
import sys
from collections import defaultdict
from dataclasses import replace

import numpy as np

from conformance.call.observation import Observation, Outcome
from conformance.judge.calls import judge
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import ALL_UNKNOWN
from conformance.standards import STANDARDS, Kind
from conformance.values.fill import Fill
from conformance.values.quantised import QUANTISED
from tests.conformance.quantise_rows import case, formula, operator
from tests.proofs.kill_matrix.gating_run import show
from tests.proofs.kill_matrix.quantising import MISTAKES, RIGHT, STRICT, Right

OURS = "this suite, nothing known"
EXACT, DECLARED = "this suite, exact division", "this suite, exact division and even halves"
FAMILIES = ("gaussian", *QUANTISED)
DTYPES = ("float16", "bfloat16", "float32")
SPEAK = {
    name: one
    for name, one in STANDARDS.items()
    if Kind.QUANTISED in one.kinds and "int8" in one.dtypes
}
"""The standards that have a rule for int8 that was quantised."""

JUDGES = {
    OURS: (operator(), replace(IEEE, functions=ALL_UNKNOWN)),
    EXACT: (operator(), IEEE),
    DECLARED: (operator("even"), IEEE),
}


def call(family, dtype, columns, factored, seed, rows=6):
    """A call with values of a family; factors are normal, and below 2 in magnitude as a rule."""
    factors = {"fill": Fill(("gaussian",), seed + 1)} if factored else None
    return case((rows, columns), dtype, factors, fill=Fill((family,), seed))


def observed(q, scale):
    outputs = {"q": q, "scale": scale}
    return Observation(Outcome.COMPLETED, outputs=outputs, unwritten=dict.fromkeys(outputs, 0))


def rejections(device, made):
    """(judge, whether it rejects) of each, if the mistake shows in a call."""
    given = made.arrays["x"], made.arrays.get("factors")
    q, scale = device.answer(*given)
    right_q, right_scale = Right().answer(*given)
    live = (right_scale > 0)[:, None]
    if (live * (q != right_q)).any() or (scale != right_scale).any():
        for name, (record, arithmetic) in JUDGES.items():
            yield name, not judge(record, made, observed(q, scale), arithmetic).ok
        golden = formula(made.widened(np.float64), {})
        for name, standard in SPEAK.items():
            ok = standard.judge(q, golden["q"].astype(np.int64), kind=Kind.QUANTISED).ok
            if Kind.COMPUTED in standard.kinds and not standard.needs_benchmark:
                ok = ok and standard.judge(scale, golden["scale"]).ok
            yield name, not ok


def matrix(mistakes, seeds, columns=(7, 64, 257), dtypes=DTYPES):
    """[rejected, shown] by mistake and judge, and by mistake and family of this suite."""
    found = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for seed in seeds:
        for family, dtype in itertools.product(FAMILIES, dtypes):
            of_both = [call(family, dtype, columns[seed % len(columns)], on, seed) for on in (0, 1)]
            for (name, device), made in itertools.product(mistakes.items(), of_both):
                if device.factored and len(made.inputs) == 1:
                    continue
                for judge_, rejected in rejections(device, made):
                    for column in (judge_, family) if judge_ == OURS else (judge_,):
                        found[name][column][0] += rejected
                        found[name][column][1] += 1
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    found = matrix(RIGHT | MISTAKES | STRICT, range(parser.parse_args(arguments).seeds))
    show(found, [*JUDGES, *SPEAK])
    print()
    show(found, FAMILIES)
    print()
    blamed = [name for name in RIGHT if found[name][OURS][0]]
    missed = [name for name in MISTAKES if not found[name][OURS][0]]
    missed += [name for name in STRICT if not found[name][EXACT][0]]
    print("".join(f"right, and rejected: {name}\n" for name in blamed), end="")
    print("".join(f"never rejected: {name}\n" for name in missed), end="")
    return 1 if blamed or missed else 0


if __name__ == "__main__":
    sys.exit(main())

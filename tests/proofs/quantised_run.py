"""The judge accepts what right devices quantise: millions of elements of rows.

``make proofs RUN=quantised``; prints what was judged and ends with status 1 if one right call was
refused. Devices differ in the division of scales and of values and in how they convert. A call is
judged as in a run: record, reference and contracts, of the traits that a device keeps.
"""

import argparse
import itertools
import sys
import time
from dataclasses import replace

from conformance.judge.calls import judge
from conformance.numerics.arithmetic import IEEE
from conformance.record.functions import Functions, FunctionTraits
from tests.conformance.quantise_rows import operator
from tests.proofs.kill_matrix.quantising import PATHS, Right
from tests.proofs.kill_matrix.quantising_run import DTYPES, FAMILIES, call, observed

STEPS = (0, 1, -1, "mixed")
COLUMNS = (7, 64, 257, 2048)
DEVICES = [Right(*one) for one in itertools.product(STEPS, STEPS, PATHS)]
RECORDS = {ties: operator(ties) for ties in ("even", "away", "either")}


def arithmetic_of(device):
    """What such a device may do: its division errs by a step, or by none."""
    steps = 0 if (device.scale_steps, device.value_steps) == (0, 0) else 1
    return replace(IEEE, functions=Functions(div=FunctionTraits(steps, flush=False)))


def of_device(device, dtype, rows, seed):
    """The verdicts on calls of so many rows: every family and size, with and without factors, by
    the rule for ties that the device keeps and by either."""
    sizes = itertools.product(FAMILIES, COLUMNS, (False, True))
    for place, (family, columns, factored) in enumerate(sizes, seed):
        made = call(family, dtype, columns, factored, place, rows)
        seen = observed(*device.answer(made.arrays["x"], made.arrays.get("factors")))
        for ties in (PATHS[device.path][0], "either"):
            yield judge(RECORDS[ties], made, seen, arithmetic_of(device))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=10_000_000)
    elements = parser.parse_args().elements
    calls = len(DEVICES) * len(DTYPES) * len(FAMILIES) * 2
    rows = -(-elements // (calls * sum(COLUMNS)))
    total = bounded = alarms = 0
    began = time.monotonic()
    for (number, device), dtype in itertools.product(enumerate(DEVICES), DTYPES):
        verdicts = [*of_device(device, dtype, rows, 100 * number)]
        refused = [one for one in verdicts if not one.ok]
        total += rows * sum(COLUMNS) * len(FAMILIES) * 2
        alarms += len(refused)
        bounded += sum(one.outputs["q"].elements for one in verdicts) // 2
        for one in refused[:1]:
            print(device, one, sep="\n")
    seconds = time.monotonic() - began
    print(
        f"{total:,} elements of {len(DEVICES)} right devices, {bounded:,} of them bounded,"
        f" each judged by two rules for ties, {alarms} calls refused, {seconds:.0f} s"
    )
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())

"""Order recovery over everything: ``python -m tests.proofs.recovery_run``.

Every tree of the bins, sequential, reversed and pairwise for K 2..64, 127, 128, 200, and 50 drawn
trees for every K 2..64, in all dtypes; each must come back and give the bits of 1,000 columns.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.numerics.order import sequential
from conformance.numerics.recovery import Unrecoverable, recover
from conformance.numerics.tree import lowest_common, pairwise, reversed_order
from tests.conformance.numerics.trees import adder, generator_for, random_tree

SLOTS = (*range(2, 65), 127, 128, 200)
ORDERS = {
    "bins": bin_tree,
    "sequential": sequential,
    "reversed": reversed_order,
    "pairwise": pairwise,
}
DRAWN = 50


def recovered(merges, slots, dtype) -> bool:
    """Whether the tree comes back and is verified."""
    try:
        found = recover(adder(merges), slots, dtype)
    except Unrecoverable as reason:
        print(f"{dtype}, K={slots}, {merges}: {reason}")
        return False
    return np.array_equal(lowest_common(found.merges, slots), lowest_common(merges, slots))


def main() -> int:
    missed = 0
    for dtype in ("float16", "bfloat16", "float32"):
        for name, order in ORDERS.items():
            started = time.monotonic()
            good = sum(recovered(order(slots), slots, dtype) for slots in SLOTS)
            missed += len(SLOTS) - good
            seconds = time.monotonic() - started
            print(f"{dtype:9} {name:11} {good} of {len(SLOTS)}, {seconds:.0f} s", flush=True)
        started = time.monotonic()
        tries = [(slots, draw) for slots in range(2, 65) for draw in range(DRAWN)]
        good = sum(
            recovered(random_tree(generator_for(slots, draw), slots), slots, dtype)
            for slots, draw in tries
        )
        missed += len(tries) - good
        seconds = time.monotonic() - started
        print(f"{dtype:9} {'drawn':11} {good} of {len(tries)}, {seconds:.0f} s", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

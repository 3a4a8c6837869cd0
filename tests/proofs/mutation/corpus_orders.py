"""Parts of the corpus about orders: emulation, plans, trees and their recovery."""

import itertools

import numpy as np

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.numerics.arithmetic import Behaviour
from conformance.numerics.order import emulate, sequential, validate
from conformance.numerics.plan import compile_merges
from conformance.numerics.recovery import (
    masks,
    most_slots,
    probes,
    random_columns,
    recover,
    recover_tree,
    replay,
)
from conformance.numerics.tree import (
    bins_of,
    drawing,
    halving,
    lowest_common,
    name_of,
    pairwise,
    reversed_order,
    tree_of,
)
from reference.floats import BF16, FP16, FP32
from tests.conformance.numerics import exhaustive as toys
from tests.conformance.numerics.hard_data import HARD, columns, gaussian
from tests.conformance.numerics.trees import adder, generator_for, random_tree
from tests.proofs.mutation.attempt import attempt

SMALL = toys.toy(3, -2, 1)
NAMED = (sequential, reversed_order, pairwise, halving, bin_tree)
SLOTS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 17, 33)


def orders(slots):
    """The named orders, and some drawn ones."""
    yield from (attempt(order, slots) for order in NAMED)
    for draw in range(3):
        yield random_tree(generator_for(slots, draw), slots)


def trees():
    for slots in SLOTS:
        for merges in orders(slots):
            counts = lowest_common(merges, slots)
            yield merges, counts, tree_of(counts), name_of(merges, slots)
            yield drawing(merges, slots), bins_of(merges, slots)
            flipped = counts.copy()
            flipped[0, -1] += 1
            yield tree_of(flipped)
    yield name_of(sequential(0), 0), [list(order(0)) for order in (pairwise, halving)]
    for slots in (100, 130):
        yield [drawing(merges, slots) for merges in orders(slots)]


def plans():
    for slots in SLOTS:
        yield [compile_merges(merges, slots) for merges in orders(slots)]


def invalid_orders():
    for slots in (1, 2, 3):
        pairs = list(itertools.product(range(-1, slots + 1), repeat=2))
        for merges in itertools.product(pairs, repeat=min(slots - 1, 2) or 1):
            yield attempt(validate, merges, slots)
        yield attempt(validate, (), slots), attempt(validate, ((0, 1),), slots)


def emulated():
    for family, slots in itertools.product((*HARD, gaussian), (1, 2, 5)):
        values = columns(generator_for(slots), family, slots, 20, FP32)
        values[0, :2] = np.inf, -np.inf
        for merges in orders(slots):
            yield emulate(merges, values.astype(np.float32))
            with np.errstate(all="ignore"):
                yield emulate(merges, values * values[::-1], bare=True)
            for truncate, saturate, flush in itertools.product((False, True), repeat=3):
                behaviour = Behaviour(truncate, saturate, flush)
                yield emulate(merges, values.astype(np.float32), FP32, behaviour)
                yield emulate(merges, values.copy(), FP16, behaviour)
                toy = columns(generator_for(slots), family, slots, 20, SMALL)
                toy[-1, 3:5] = np.inf, -np.inf
                yield emulate(merges, toy.copy(), SMALL, behaviour)
                with np.errstate(all="ignore"):
                    yield emulate(merges, toy * toy[::-1], SMALL, behaviour, bare=True)
    yield emulate((), np.zeros((0, 3), np.float32))


def recovered():
    for fmt, dtype in ((FP16, "float16"), (BF16, "bfloat16"), (FP32, "float32")):
        yield most_slots(fmt), [masks(fmt, slots) for slots in (2, 33, 34, 35, 258, 259)]
        for slots in (1, 2, 3, 4, 7, 36):
            for merges in (bin_tree(slots), random_tree(generator_for(slots, 5), slots)):
                found = attempt(recover, adder(merges), slots, dtype, 3)
                yield found, str(getattr(found, "name", "")), str(getattr(found, "drawing", ""))
                yield attempt(recover, adder(merges, fmt), slots, dtype)
            low, high = np.triu_indices(slots, 1)
            yield probes(slots, dtype, low, high)
        yield random_columns(5, dtype, 2), replay(bin_tree(5), random_columns(5, dtype), FP32)
        for slots in (0, -1, most_slots(fmt) + 1):
            yield attempt(recover_tree, _three_at_once, slots, dtype)
        for odd in (_three_at_once, _nothing, _negated, _nan):
            for slots in (2, 3, 4, 6):
                yield attempt(recover, odd, slots, dtype)


def _three_at_once(x):
    """Sums of three, exact inside: no tree of two operands."""
    wide = x.astype(np.float64)
    total = wide[:3].sum(axis=0)
    for start in range(3, len(wide), 2):
        with np.errstate(all="ignore"):
            total = (total + wide[start : start + 2].sum(axis=0)).astype(np.float32)
    with np.errstate(all="ignore"):
        return total.astype(x.dtype)


def _nothing(x):
    return np.zeros_like(x[0])


def _negated(x):
    return -np.ones_like(x[0])


def _nan(x):
    return np.full_like(x[0], np.nan)


PARTS = (plans, invalid_orders, trees, emulated, recovered)

"""Summation trees to recover: drawn ones, and callables that add in a given order."""

import numpy as np

from conformance.numerics.recovery import replay
from reference.floats import FP32


def random_tree(generator, slots):
    """A drawn tree, every merge into the lower slot."""
    alive = list(range(slots))
    merges = []
    while len(alive) > 1:
        into, origin = sorted(generator.choice(alive, 2, replace=False).tolist())
        merges.append((into, origin))
        alive.remove(origin)
    return tuple(merges)


def adder(merges, accumulate=FP32):
    """A row sum that adds in this order."""

    def row_sum(x):
        return replay(merges, x, accumulate).view(x.dtype)

    return row_sum


def generator_for(*key):
    return np.random.default_rng([*key])

"""Selections written anew: every key on a small grid is tried, in plain loops."""

import itertools

import numpy as np

STEP = 2.0**-149
"""Of the grid of fp32 around zero: small multiples of it are neighbours."""


def spans(values):
    """Every box over the values: (lowest, highest)."""
    return [(a, b) for a in values for b in values if a <= b]


def order_of(keys, ties):
    """Every order in which the keys may be sorted."""
    if ties == "lowest":
        return [tuple(sorted(range(len(keys)), key=lambda one: (-keys[one], one)))]
    return [
        order
        for order in itertools.permutations(range(len(keys)))
        if all(keys[a] >= keys[b] for a, b in itertools.pairwise(order))
    ]


def key_vectors(boxes, values, classes=None, order=None):
    """Every vector of keys in the boxes that has equal keys in a class, and rises with order."""
    allowed = [[value for value in values if low <= value <= high] for low, high in boxes]
    for keys in itertools.product(*allowed):
        pairs = list(itertools.permutations(range(len(keys)), 2))
        if classes and any(classes[a] == classes[b] and keys[a] != keys[b] for a, b in pairs):
            continue
        if order and any(order[a] > order[b] and keys[a] < keys[b] for a, b in pairs):
            continue
        yield keys


def kept_sets(scores, values, keep, ties):
    """Every set of groups that some scores in the boxes keep."""
    return {
        frozenset(order[:keep])
        for one in key_vectors(scores, values)
        for order in order_of(one, ties)
    }


def selections(boxes, values, k, ties, classes=None, order=None, kept=None, size=1):
    """Every vector of k ids that some keys give, of experts in the groups of one of the sets."""
    found = set()
    for keys in key_vectors(boxes, values, classes, order):
        for sorted_ids in order_of(keys, ties):
            if kept is None:
                found.add(sorted_ids[:k])
                continue
            for groups in kept:
                found.add(tuple(one for one in sorted_ids if one // size in groups)[:k])
    return found


def ends(rows):
    """Boxes of each row as two float64 arrays."""
    array = np.array(rows, float)
    return array[..., 0], array[..., 1]

"""Whole toy formats: every multiset of terms, every tree, every place to fuse a product."""

import itertools

import numpy as np

from conformance.numerics.addends import Rule, addends, exactly
from conformance.numerics.arithmetic import IEEE
from conformance.numerics.elements import judge_elements
from conformance.numerics.rounding import (
    IEEE_BEHAVIOUR,
    after,
    arithmetic_result,
    cast_result,
    fused,
)
from reference.floats import Format, from_bits, round_once, to_bits


def grid(fmt, specials=False):
    """Every finite value of the format, zero once, and both infinities on request."""
    magnitudes = from_bits(np.arange(fmt.infinity_bits + specials), fmt)
    return np.concatenate([magnitudes, -magnitudes[1:]])


def multisets(values, terms):
    """Every multiset of ``terms`` of the values: float64 [terms, multisets]."""
    return np.array(list(itertools.combinations_with_replacement(values, terms))).T


def trees(slots):
    """Every binary tree over the slots as nested pairs; (2 slots - 3)!! of them."""
    if len(slots) == 1:
        return [slots[0]]
    head, rest = slots[0], slots[1:]
    found = []
    for size in range(len(rest)):
        for others in itertools.combinations(rest, size):
            right = tuple(slot for slot in rest if slot not in others)
            found += itertools.product(trees((head, *others)), trees(right))
    return found


def fusings(tree):
    """Every set of leaves that may stay unrounded until their addition: one at most for each."""
    if not isinstance(tree, tuple):
        return [frozenset()]
    here = [frozenset()] + [frozenset([side]) for side in tree if not isinstance(side, tuple)]
    return [
        one | two | three
        for one, two, three in itertools.product(fusings(tree[0]), fusings(tree[1]), here)
    ]


def evaluate(tree, terms, fmt, behaviour=IEEE_BEHAVIOUR, bare=frozenset(), products=False):
    """The sum of a tree; ``products``: leaves are exact products, those in ``bare`` are fused."""
    if not isinstance(tree, tuple):
        return arithmetic_result(terms[tree], fmt, behaviour) if products else terms[tree]
    pending = [side for side in tree if not isinstance(side, tuple) and side in bare]
    sides = [
        terms[side] if side in pending else evaluate(side, terms, fmt, behaviour, bare, products)
        for side in tree
    ]
    with np.errstate(all="ignore"):
        if pending:
            product, addend = sides if tree[0] in pending else sides[::-1]
            total = fused(product, addend, fmt)
        else:
            total = round_once(sides[0] + sides[1], fmt)
        infinite = np.isinf(sides[0]) | np.isinf(sides[1])
        return after(total, fmt, behaviour, infinite)


def stored(totals, accumulate, storage, behaviour=IEEE_BEHAVIOUR):
    """Storage patterns of sums."""
    if storage != accumulate:
        totals = cast_result(totals, storage, behaviour)
    return to_bits(totals, storage)


def refused(outcomes, added, accumulate, storage, *, factor=1.0, arithmetic=IEEE):
    """How many distinct outcomes of each element [orders, elements] the judge refuses, and of how
    many: (refused, outcomes).
    """
    ordered = np.sort(outcomes, axis=0)
    fresh = np.ones(ordered.shape, bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    element = np.broadcast_to(np.arange(ordered.shape[1]), ordered.shape)[fresh]
    wrong = 0
    for start in range(0, element.size, 1 << 17):
        some = slice(start, start + (1 << 17))
        judged = judge_elements(
            added.of(element[some]),
            ordered[fresh][some],
            accumulate,
            storage,
            factor,
            arithmetic,
        )
        wrong += np.count_nonzero(~judged.ok)
    return wrong, element.size


def sums(values, accumulate, storage, factor=1.0):
    """Every tree over every column of ``values``."""
    slots = tuple(range(len(values)))
    outcomes = [
        stored(evaluate(tree, values, accumulate), accumulate, storage) for tree in trees(slots)
    ]
    return refused(np.array(outcomes), exactly(values), accumulate, storage, factor=factor)


def product_sums(values, factors, rule, factor=1.0):
    """Every tree and every fusing over columns of products."""
    slots = tuple(range(len(values)))
    products = values * factors
    outcomes = [
        stored(
            evaluate(tree, products, rule.accumulate, bare=bare, products=True),
            rule.accumulate,
            rule.storage,
        )
        for tree in trees(slots)
        for bare in fusings(tree)
    ]
    added = addends(values, factors, rule)
    return refused(np.array(outcomes), added, rule.accumulate, rule.storage, factor=factor)


def product_pairs(fmt):
    """A pair of values for every product that two values of the format have: (values, factors)."""
    one = grid(fmt)
    pairs = {}
    for value, factor in itertools.product(one, np.abs(one)):
        pairs.setdefault(value * factor, (value, factor))
    chosen = np.array([pairs[product] for product in sorted(pairs)])
    return chosen[:, 0], chosen[:, 1]


def product_multisets(fmt, terms):
    """Every multiset of products: values and factors, float64 [terms, multisets]."""
    values, factors = product_pairs(fmt)
    which = multisets(np.arange(len(values)), terms)
    return values[which], factors[which]


def behaving(values, rule, arithmetic, *, inputs=True):
    """Every tree under every behaviour of ``arithmetic``: (refused, outcomes).

    ``inputs`` False: subnormal results become zero, subnormal inputs do not.
    """
    slots = tuple(range(len(values)))
    outcomes = []
    for behaviour in arithmetic.behaviours():
        terms = values
        if rule.cast is not None and rule.cast != rule.source:
            terms = cast_result(terms, rule.cast, behaviour)
        if behaviour.flush and inputs:
            terms = np.where(np.abs(terms) < rule.accumulate.smallest_normal, 0.0, terms)
        for tree in trees(slots):
            total = evaluate(tree, terms, rule.accumulate, behaviour)
            outcomes.append(stored(total, rule.accumulate, rule.storage, behaviour))
    added = addends(values, None, rule, arithmetic)
    return refused(np.array(outcomes), added, rule.accumulate, rule.storage, arithmetic=arithmetic)


def toy(precision, emin, emax):
    return Format(f"p{precision}", precision, emin, emax)


def plain(accumulate, storage, **fields):
    return Rule(accumulate=accumulate, storage=storage, **{"source": accumulate, **fields})

"""No legal outcome is ever rejected, and the bound cannot be made much smaller.

Small formats are tried exhaustively: every multiset of terms, every tree of additions. fp32 is
tried with data made to be hard.
"""

import itertools

import numpy as np
import pytest

from conformance.numerics.interval import judge_elements
from conformance.numerics.order import emulate, sequential
from reference.floats import BF16, FP16, FP32, Format, from_bits, round_once, to_bits

TOY = Format("toy", 3, -2, 1)


def trees(slots):
    """Every binary tree over the slots, as merges; (2 slots - 3)!! of them."""
    if len(slots) == 1:
        return [()]
    found = []
    head, rest = slots[0], slots[1:]
    for size in range(len(rest)):
        for others in itertools.combinations(rest, size):
            left = (head, *others)
            right = tuple(slot for slot in rest if slot not in others)
            for one, other in itertools.product(trees(left), trees(right)):
                found.append((*one, *other, (head, right[0])))
    return found


def grid(fmt, specials=False):
    """Every finite value of the format, and both infinities on request."""
    patterns = np.arange(fmt.infinity_bits + specials)
    magnitudes = from_bits(patterns, fmt)
    return np.concatenate([magnitudes, -magnitudes[1:]])


def rejected(values, accumulate, storage, factor=1.0):
    """How many outcomes of all trees are refused."""
    count = 0
    for merges in trees(tuple(range(values.shape[0]))):
        total = emulate(merges, values.copy(), accumulate)
        bits = to_bits(total, storage)
        count += np.count_nonzero(~judge_elements(values, bits, accumulate, storage, factor).ok)
    return count


def multisets(fmt, terms, specials=False):
    chosen = itertools.combinations_with_replacement(grid(fmt, specials), terms)
    return np.array(list(chosen)).T


def test_there_are_fifteen_trees_over_four_slots():
    def shape(tree):
        leaves = [frozenset([slot]) for slot in range(4)]
        for into, origin in tree:
            leaves[into] = frozenset([leaves[into], leaves[origin]])
        return leaves[0]

    assert len({shape(tree) for tree in trees((0, 1, 2, 3))}) == 15


@pytest.mark.parametrize("terms", [1, 2, 3])
@pytest.mark.parametrize("storage", [TOY, Format("narrow", 2, -1, 1)], ids=lambda fmt: fmt.name)
def test_no_outcome_of_any_tree_over_a_whole_toy_format_is_rejected(terms, storage):
    assert rejected(multisets(TOY, terms, specials=True), TOY, storage) == 0


def test_no_outcome_of_any_tree_of_four_terms_is_rejected():
    small = Format("small", 3, -1, 1)
    assert rejected(multisets(small, 4, specials=True), small, small) == 0


def test_nine_tenths_of_the_error_would_reject_a_legal_outcome():
    toy = Format("fine", 6, -2, 0)
    steps = np.unique(np.concatenate([np.arange(1, 5) / 64, 1 + np.arange(0, 32) / 32]))
    values = np.array(
        list(itertools.combinations_with_replacement(np.concatenate([steps, -steps]), 3))
    ).T
    values = values[:, (round_once(values, toy) == values).all(axis=0)]
    assert rejected(values, toy, toy) == 0
    assert rejected(values, toy, toy, factor=0.9) > 0


def adversarial(generator, slots, elements):
    """fp32 columns that are hard to sum: absorbed units, ties, cancellation, wide scales."""
    wide = generator.standard_normal((slots, elements)) * np.exp2(
        generator.integers(-30, 31, (slots, elements))
    )
    absorbed = np.full((slots, elements), 2.0**-24) * generator.integers(1, 4, (slots, elements))
    absorbed[generator.integers(0, slots, elements), np.arange(elements)] = 1.0
    ties = 1.0 + generator.integers(0, 2**23, (slots, elements)) * 2.0**-23
    ties[generator.random((slots, elements)) < 0.5] *= 2.0**-24
    cancelling = np.where(generator.random((slots, elements)) < 0.5, 1.0, -1.0) * 2.0**24
    cancelling += generator.integers(-3, 4, (slots, elements))
    kind = np.arange(elements) % 4
    return round_once(np.choose(kind, [wide, absorbed, ties, cancelling]), FP32)


def orders(generator, slots):
    """Left to right, right to left, pairwise and two drawn trees."""
    yield sequential(slots)
    yield (*((slot - 1, slot) for slot in range(slots - 1, 0, -1)),)
    yield tuple(
        (low, low + gap)
        for gap in (1, 2, 4)
        for low in range(0, slots, 2 * gap)
        if low + gap < slots
    )
    for _ in range(2):
        alive = list(range(slots))
        merges = []
        while len(alive) > 1:
            into, origin = sorted(generator.choice(alive, 2, replace=False).tolist())
            merges.append((into, origin))
            alive.remove(origin)
        yield tuple(merges)


@pytest.mark.parametrize("storage", [FP16, BF16, FP32], ids=lambda fmt: fmt.name)
def test_no_order_of_hard_fp32_data_raises_a_false_alarm(storage):
    generator = np.random.default_rng(11)
    values = adversarial(generator, 8, 70_000)
    for merges in orders(generator, 8):
        total = emulate(merges, values.astype(np.float32))
        judged = judge_elements(values, to_bits(total.astype(np.float64), storage), FP32, storage)
        assert judged.ok.all()

"""Selections of up to six experts over a grid of few values, against every key that there is."""

import itertools
import random

import numpy as np
import pytest

from conformance.numerics.selection import certified, legal
from conformance.record.computed import Box, Groups, Keys
from tests.conformance.numerics.by_all_keys import (
    STEP,
    ends,
    kept_sets,
    key_vectors,
    order_of,
    selections,
    spans,
)

TIES = ("lowest", "any")
SIZE = 1
"""Times as many draws; 20 takes minutes."""


def agrees(boxes, k, ties, expected, **words):
    """legal() and certified() of every vector of k ids, against the vectors expected."""
    experts = len(boxes[0])
    low, high = ends(boxes)
    repeated = {
        name: np.array(word) for name, word in words.items() if name in ("classes", "order")
    }
    keys = Keys(Box(low, high), **{**words, **repeated})
    for ids in itertools.permutations(range(experts), k):
        every = np.tile(ids, (len(boxes), 1))
        for judged, right in ((legal, lambda one: True), (certified, lambda one: len(one) == 1)):
            wanted = np.array([ids in one and right(one) for one in expected])
            wrong = np.flatnonzero(judged(every, keys, ties) != wanted)
            assert not wrong.size, (judged, boxes[wrong[0]], ids, bool(wanted[wrong[0]]), words)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("experts", [1, 2, 3])
def test_every_box_of_neighbouring_values(experts, ties):
    values = [-2 * STEP, -STEP, 0.0, STEP, 2 * STEP]
    boxes = list(itertools.product(spans(values), repeat=experts))
    for k in range(1, experts + 1):
        expected = [selections(one, values, k, ties) for one in boxes]
        agrees(boxes, k, ties, expected)


def test_every_box_of_four_experts():
    values = [-STEP, 0.0, STEP]
    boxes = list(itertools.product(spans(values), repeat=4))
    for k in range(1, 5):
        agrees(boxes, k, "lowest", [selections(one, values, k, "lowest") for one in boxes])


@pytest.mark.parametrize("ties", TIES)
def test_between_two_ends_off_the_grid_there_is_room_for_every_key(ties):
    fine = [one / 4 for one in range(9)]  # a chain of 3 keys fits between two whole numbers
    boxes = list(itertools.product(spans([0, 1, 2]), repeat=3))
    for k in (1, 2, 3):
        expected = [selections(one, fine, k, ties) for one in boxes]
        agrees(boxes, k, ties, expected, on_grid=False)


def partitions(count):
    """Every way to put experts in classes."""
    return sorted(
        {
            tuple(labels.index(one) for one in labels)
            for labels in itertools.product(range(count), repeat=count)
        }
    )


@pytest.mark.parametrize(("experts", "ties"), [(3, "any"), (3, "lowest"), (4, "lowest")])
def test_equal_keys_of_a_class_are_an_equation(experts, ties):
    values = [-STEP, 0.0, STEP, 2 * STEP][: 7 - experts]
    for classes in partitions(experts):
        names = sorted(set(classes))
        boxes = [
            tuple(spans_of[names.index(one)] for one in classes)
            for spans_of in itertools.product(spans(values), repeat=len(names))
        ]
        for k in range(1, experts + 1):
            expected = [selections(one, values, k, ties, classes) for one in boxes]
            agrees(boxes, k, ties, expected, classes=[classes] * len(boxes))


def test_classes_off_the_grid():
    fine = [one / 4 for one in range(9)]
    for classes in partitions(3):
        names = sorted(set(classes))
        boxes = [
            tuple(spans_of[names.index(one)] for one in classes)
            for spans_of in itertools.product(spans([0, 1, 2]), repeat=len(names))
        ]
        for k in (1, 2, 3):
            expected = [selections(one, fine, k, "lowest", classes) for one in boxes]
            words = {"classes": [classes] * len(boxes), "on_grid": False}
            agrees(boxes, k, "lowest", expected, **words)


def rises(boxes, order):
    """Whether neither end falls when the order rises, and equal numbers have equal boxes."""
    pairs = itertools.permutations(range(len(order)), 2)
    return all(
        boxes[a][0] >= boxes[b][0] and boxes[a][1] >= boxes[b][1]
        for a, b in pairs
        if order[a] >= order[b]
    )


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("together", [False, True])
def test_keys_rise_with_the_order(ties, together):
    values = [-STEP, 0.0, STEP]
    for order in itertools.product(range(3), repeat=3):
        boxes = [one for one in itertools.product(spans(values), repeat=3) if rises(one, order)]
        words = {"order": [order] * len(boxes)}
        if together:
            words["classes"] = words["order"]
        classes = order if together else None
        for k in (1, 2, 3):
            expected = [selections(one, values, k, ties, classes, order) for one in boxes]
            agrees(boxes, k, ties, expected, **words)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("keep", [1, 2])
def test_two_groups_of_two(keep, ties):
    values = [0.0, STEP]
    keys = list(itertools.product(spans(values), repeat=4))
    scores = list(itertools.product(spans([0.0, 1.0]), repeat=2))
    sets = {one: kept_sets(one, [0.0, 1.0], keep, ties) for one in scores}
    both = list(itertools.product(keys, scores))
    groups = Groups(Box(*ends([score for _, score in both])), keep)
    for k in range(1, 2 * keep + 1):
        known = {
            (box, kept): selections(box, values, k, ties, kept=kept, size=2)
            for box in keys
            for kept in map(frozenset, sets.values())
        }
        expected = [known[box, frozenset(sets[score])] for box, score in both]
        agrees([box for box, _ in both], k, ties, expected, groups=groups)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("count", "size"), [(2, 2), (3, 2), (5, 1), (4, 1)])
def test_drawn_groups_with_classes_and_an_order(count, size, ties):
    draw = random.Random(f"{count} {size} {ties}")
    values = [-STEP, 0.0, STEP]
    for _ in range(30 * SIZE):
        keep = draw.randint(1, count)
        k = draw.randint(1, min(3, keep * size))
        experts = count * size
        order = tuple(draw.randrange(4) for _ in range(experts))
        lows, highs = (sorted(draw.choices(values, k=4)) for _ in range(2))
        lows, highs = zip(*(sorted(pair) for pair in zip(lows, highs, strict=True)), strict=True)
        boxes = tuple((lows[one], highs[one]) for one in order)
        score = tuple(draw.choice(spans(values)) for _ in range(count))
        words = {"classes": order if draw.random() < 0.7 else None}
        words["order"] = order if draw.random() < 0.5 else None
        kept = kept_sets(score, values, keep, ties)
        expected = selections(boxes, values, k, ties, **words, kept=kept, size=size)
        known = {name: [word] for name, word in words.items() if word}
        groups = Groups(Box(*ends([score])), keep)
        agrees([boxes], k, ties, [expected], groups=groups, **known)


def test_any_keys_are_sound_if_boxes_do_not_fit_the_classes_and_the_order():
    draw = random.Random(7)
    values = [-STEP, 0.0, STEP]
    for _ in range(300 * SIZE):
        boxes = [draw.choice(spans(values)) for _ in range(4)]
        classes, order = ([draw.randrange(3) for _ in range(4)] for _ in range(2))
        k, ties = draw.randint(1, 4), draw.choice(TIES)
        keys = Keys(Box(*ends([boxes])), np.array([classes]), np.array([order], float))
        for ids in selections(boxes, values, k, ties, classes, order):
            assert legal(np.array([ids]), keys, ties).all()


def test_a_bias_of_three_values_beside_scores_of_two_inputs():
    scores, biases = [0.0, STEP, 2 * STEP], [-STEP, 0.0, STEP]
    pairs = list(itertools.product((0, 1), biases))  # an expert is an input and a bias
    rows, answers = [], []
    for experts in itertools.product(pairs, repeat=3):
        for computed in key_vectors([(0.0, STEP), (STEP, 2 * STEP)], scores):
            keys = [computed[x] + bias for x, bias in experts]
            rows.append(experts)
            answers.append(order_of(keys, "lowest")[0])
    boxes = [[(x * STEP + bias, (x + 1) * STEP + bias) for x, bias in row] for row in rows]
    classes = np.array([[pairs.index(one) for one in row] for row in rows])
    for k in (1, 2, 3):
        keys = Keys(Box(*ends(boxes)), classes)
        assert legal(np.array(answers)[:, :k], keys).all()

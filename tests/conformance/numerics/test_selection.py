"""Selections: right ones on whole arrays, mistakes, what is told of them."""

import itertools
import random

import numpy as np
import pytest

from conformance.numerics.refusal import Refusal, explain
from conformance.numerics.selection import certified, legal
from conformance.record.computed import Box, Groups, Keys
from tests.conformance.numerics.by_all_keys import STEP, ends, selections, spans


def top(keys, k):
    return np.argsort(-keys, axis=1, kind="stable")[:, :k]


def exact(values, **words):
    values = np.asarray(values, float)
    return Keys(Box(values, values), **words)


def drawn(rows=500, experts=32, seed=1):
    return np.random.default_rng(seed).standard_normal((rows, experts)).astype("f4").astype("f8")


def test_exact_keys_have_one_answer():
    values = drawn()
    ids = top(values, 6)
    assert legal(ids, exact(values)).all()
    assert certified(ids, exact(values)).all()
    for mistake in (ids[:, ::-1], np.roll(ids, 1, axis=1), top(values, 7)[:, 1:], top(-values, 6)):
        assert not legal(mistake, exact(values)).any()


@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_ids_of_both_dtypes(dtype):
    values = drawn()
    assert legal(top(values, 6).astype(dtype), exact(values)).all()


def test_the_last_expert_never_chosen():
    values = drawn()
    values[:, -1] = 9
    seen = top(values[:, :-1], 6)
    assert not legal(seen, exact(values)).any()
    assert explain(seen[3], exact(values), 3).other == 31


def test_ties_to_the_higher_id_are_refused_if_the_classes_are_known():
    levels = np.random.default_rng(2).integers(0, 3, (400, 16))
    ids = top(levels, 4)
    higher = 15 - top(levels[:, ::-1], 4)
    wide = Box(levels * 1.0 - 2, levels * 1.0 + 2)
    known = Keys(wide, classes=levels)
    assert legal(ids, known).all()
    differs = (ids != higher).any(axis=1)
    assert differs.mean() > 0.9
    assert (legal(higher, known) == ~differs).all()
    assert legal(higher, Keys(wide)).all()
    assert legal(higher, known, "any").all()


def test_nothing_known_allows_everything_consistent():
    nothing = Box(np.full((1, 5), -np.inf), np.full((1, 5), np.inf))
    classes = np.array([[0, 1, 0, 2, 1]])
    for ids in itertools.permutations(range(5), 3):
        assert legal(np.array([ids]), Keys(nothing)).all()
        expected = ids in selections([(0, 9)] * 5, range(5), 3, "lowest", classes[0].tolist())
        assert legal(np.array([ids]), Keys(nothing, classes=classes)).all() == expected
    assert legal(np.array([[3, 1]]), Keys(nothing, order=np.array([[0, 2, 1, 3, 1.0]]))).all()


@pytest.mark.parametrize("on_grid", [True, False])
def test_infinite_keys_tie(on_grid):
    values = [[-np.inf, np.inf, -np.inf, np.inf]]
    keys = exact(values, on_grid=on_grid)
    for ids in itertools.permutations(range(4)):
        assert legal(np.array([ids]), keys)[0] == (ids == (1, 3, 0, 2))
        assert legal(np.array([ids]), keys, "any")[0] == ({1, 3} == set(ids[:2]))


def test_both_zeros_are_one_key():
    assert legal(np.array([[0, 1]]), exact([[-0.0, 0.0]])).all()
    assert not legal(np.array([[1, 0]]), exact([[-0.0, 0.0]])).any()


def test_between_neighbours_of_the_grid_is_no_key():
    one, two = 1.0, 1.0 + 2.0**-23
    box = Box(np.full((1, 3), one), np.full((1, 3), two))
    falling = np.array([[2, 1, 0]])
    assert not legal(falling, Keys(box)).any()
    assert legal(falling, Keys(box, on_grid=False)).all()


def test_ids_must_be_distinct_and_in_range():
    values = drawn(1, 4)
    for ids in ([0, 0], [4, 0], [-1, 0], [2**31 - 1, 1]):
        assert not legal(np.array([ids]), exact(values, open=None), "any").any()


def test_given_ids_are_held_to_the_letter_and_open_rows_are_not():
    values = np.tile(np.arange(4.0), (4, 1))
    values[3, 1] = np.nan
    given = np.array([[4, 4], [-1, -1], [-1, -1], [-1, -1]])
    keys = exact(values, given=given, open=np.array([False, False, True, False]))
    assert legal(np.array([[4, 4], [3, 2], [7, 7], [0, 0]]), keys).all()
    assert legal(np.array([[3, 2], [2, 3], [2, 3], [2, 3]]), keys).tolist() == [0, 0, 1, 1]
    right = np.array([[4, 4], [3, 2], [3, 2], [3, 2]])
    assert certified(right, keys).tolist() == [True, True, False, False]
    assert not certified(right[::-1], keys)[0]
    assert explain(np.array([4, 3]), keys, 0) == Refusal("given", 1, 3, 4)


def test_a_group_duel_is_decided_by_what_groups_are_compared_by():
    values = np.array([[1.0, -3, -3, -3, 0.9, 0.8, -4, -4]])
    best = np.sort(values.reshape(1, 2, 4), axis=2)[:, :, :-3:-1]
    for score, ids in ((best.max(axis=2), [0, 1]), (best.sum(axis=2), [4, 5])):
        keys = exact(values, groups=Groups(Box(score, score), 1))
        for one in ([0, 1], [4, 5]):
            assert legal(np.array([one]), keys)[0] == (one == ids)
    assert explain(np.array([0, 1]), keys, 0).kind == "group"


def test_of_two_groups_of_one_score_the_lower_is_kept():
    keys = exact([[1.0, 0, 1, 0]], groups=Groups(Box(np.ones((1, 2)), np.ones((1, 2))), 1))
    assert legal(np.array([[0, 1]]), keys)[0]
    assert not legal(np.array([[2, 3]]), keys)[0]
    assert legal(np.array([[2, 3]]), keys, "any")[0]


def test_a_group_that_forces_keys_out_of_their_boxes_is_not_kept():
    """Experts 0 and 2 have equal keys: if group 1 is kept, that of 1 between them is equal, too."""
    scores = np.array([[9.0, 5, 5]])
    for low, kept in ((2.0, False), (1.0, True)):
        box = Box(np.array([[low, 0, low, 0, 0, 0]]), np.array([[3.0, 1, 3, 1, 1, 0]]))
        classes = np.array([[0, 1, 0, 2, 3, 4]])
        for keep, score, expected in ((1, 5, True), (2, 5, kept), (2, 6, True), (3, 5, kept)):
            scores[0, 2] = score
            keys = Keys(box, classes, groups=Groups(Box(scores, scores), keep))
            assert legal(np.array([[0, 1]]), keys)[0] == expected


def test_a_group_that_forces_keys_within_a_run_forces_the_whole_run():
    """Slots 0 to 3 are equal, from A to A; if P is equal to the last, which is at most 1, Q is."""
    lows, highs = [0.0, 2, 0, 0, 0, 0, 0, 0, 0, 0], [3.0, 3, 3, 3, 1, 3, 0, 0, 0, 0]
    classes = np.array([[0, 1, 2, 0, 3, 2, 4, 4, 4, 4]])
    scores = np.array([[9.0, 5]])
    for low, keep, expected in ((2, 1, True), (2, 2, False), (1, 2, True)):
        lows[1] = low
        groups = Groups(Box(scores, scores), keep)
        keys = Keys(Box(np.array([lows]), np.array([highs])), classes, groups=groups)
        assert legal(np.arange(5)[None], keys)[0] == expected


KINDS = [
    ([5, 0], "range", 0, 5, None),
    ([1, 1], "twice", 1, 1, 1),
    ([2, 1], "order", 0, 2, 1),
    ([1, 3], "left out", 1, 3, 2),
    ([2, 0], "tie", 0, 2, 0),
]


@pytest.mark.parametrize(("ids", "kind", "place", "expert", "other"), KINDS)
def test_what_is_wrong_first(ids, kind, place, expert, other):
    values = [[2.0, 3.0, 2.0, 1.0]] if kind != "tie" else [[2.0, 1.0, 2.0, 1.0]]
    if kind == "left out":
        values = [[0.0, 3.0, 2.0, 1.0]]
    found = explain(np.array(ids), exact(values), 0)
    assert (found.kind, found.place, found.expert, found.other) == (kind, place, expert, other)
    if kind not in ("range", "twice"):
        assert found.boxes == tuple((values[0][one],) * 2 for one in (expert, other))


def test_every_refusal_is_explained():
    draw = random.Random(3)
    values, kinds = [-STEP, 0.0, STEP], set()
    for _ in range(1500):
        boxes = [[draw.choice(spans(values)) for _ in range(6)]]
        order = [draw.randrange(4) for _ in range(6)]
        score = Box(*ends([[draw.choice(spans(values)) for _ in range(3)]]))
        keys = Keys(
            Box(*ends(boxes)),
            classes=draw.choice([None, np.array([order])]),
            order=draw.choice([None, np.array([order], float)]),
            groups=draw.choice([None, Groups(score, draw.randint(1, 3))]),
            on_grid=draw.random() < 0.5,
        )
        ids = np.array([draw.randrange(7) for _ in range(draw.randint(1, 3))])
        ties = draw.choice(["lowest", "any"])
        found = explain(ids, keys, 0, ties)
        assert (found is None) == legal(ids[None], keys, ties)[0]
        if found is not None:
            kinds.add(found.kind)
            assert ids[found.place] == found.expert
            assert found.other is None or found.kind == "twice" or found.other != found.expert
    assert kinds == {"range", "twice", "order", "tie", "left out", "group"}


def test_of_groups_with_equal_scores_the_lower_is_kept():
    box = Box(np.zeros((1, 4)), np.ones((1, 4)))
    score = Box(np.zeros((1, 2)), np.ones((1, 2)))
    equal = np.zeros((1, 2), np.int64)
    known = Keys(box, groups=Groups(score, 1, equal))
    unknown = Keys(box, groups=Groups(score, 1))
    higher = np.array([[2, 3]])
    assert legal(higher, unknown).all()
    assert not legal(higher, known).any()
    assert legal(higher, known, "any").all()
    assert legal(np.array([[0, 1]]), known).all()
    found = explain(higher[0], known, 0)
    assert (found.kind, found.expert, found.other) == ("group", 2, 0)


def test_a_row_among_others_is_explained_by_its_own_groups() -> None:
    values = np.array([[4.0, 3.0, 2.0, 1.0]] * 3)
    score = Box(values[:, ::2], values[:, ::2])
    classes = np.array([[0, 0], [0, 1], [0, 1]])
    keys = Keys(Box(values, values), groups=Groups(score, 1, classes))
    assert explain(np.array([0, 1]), keys, 2) is None
    assert explain(np.array([2, 3]), keys, 2).kind == "group"


def test_a_row_whose_ids_are_given_holds_them_also_if_its_keys_are_none():
    box = Box(np.full((2, 3), np.nan), np.full((2, 3), np.nan))
    keys = Keys(box, given=np.array([[3, 3], [-1, -1]]))
    assert legal(np.array([[3, 3], [7, 7]]), keys).tolist() == [True, True]
    assert legal(np.array([[7, 7], [7, 7]]), keys).tolist() == [False, True]
    assert certified(np.array([[3, 3], [1, 0]]), keys).tolist() == [True, False]

"""What right devices answer lies in the boxes, and their selections are legal."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from conformance.numerics.arithmetic import IEEE
from conformance.numerics.boxes import added, cast_ends, group_top2, scaled, shares
from conformance.numerics.scores import (
    gathered,
    root_of_softplus,
    sigmoid,
    softmax,
    softmax_keys,
)
from conformance.numerics.selection import certified, legal
from conformance.record.computed import Box, Groups, Keys
from conformance.record.functions import CORRECT, Functions, FunctionTraits
from reference.floats import format_of
from tests.conformance.numerics.machines import (
    EXPS,
    SUMS,
    by_table,
    correct,
    furthest,
    hashed,
    moved,
    off,
)

ROWS, EXPERTS, K = 150, 64, 6
DTYPES = (np.dtype("f4"), np.dtype("f2"), np.dtype(ml_dtypes.bfloat16))
FAMILIES = ("gauss", "wide", "lattice", "near")
DIVIDE = correct(lambda value: 1 / value)


def draw(family, dtype, rows=ROWS):
    rng = np.random.default_rng([FAMILIES.index(family), DTYPES.index(dtype)])
    normal = rng.standard_normal((rows, EXPERTS))
    lattice = rng.permuted(np.tile(np.arange(-32, 32) / 16, (rows, 1)), axis=1)
    near = 1 + rng.integers(0, 24, (rows, EXPERTS)) * 2.0**-23
    values = {"gauss": normal, "wide": 20 * normal, "lattice": lattice, "near": near}[family]
    return values.astype(np.float32).astype(dtype)


def classes_of(x):
    return (np.ascontiguousarray(x).astype("f4") + np.float32(0)).view(np.int32).astype(np.int64)


def within(values, box):
    return ((box.low <= values) & (values <= box.high)).all()


def stored(values, box, dtype):
    """Whether values, cast to a dtype, are what the box allows."""
    low, high = cast_ends(box, format_of(dtype), IEEE)
    with np.errstate(over="ignore"):
        return within(values.astype(dtype).astype("f8"), Box(low, high))


def by_steps(numerators, quotients, steps):
    """Quotients moved by steps; zero by a number is zero everywhere."""
    return np.where(numerators == 0, quotients, moved(quotients, steps))


def traits(function, truth, values):
    return FunctionTraits(furthest(function, truth, values), flush=True, uniform=True)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", EXPS)
def test_softmax(name, family):
    for dtype in DTYPES:
        x = draw(family, dtype)
        wide = x.astype("f4")
        difference = wide - wide.max(axis=1, keepdims=True)
        terms = EXPS[name](difference)
        exp = traits(EXPS[name], np.exp, difference)
        assert exp.steps <= 2
        functions = Functions(exp, div=FunctionTraits(1), reciprocal=FunctionTraits(1))
        box, low_box = (softmax(x, functions, height=height) for height in (None, 18))
        order = Keys(softmax_keys(x, functions), classes_of(x), on_grid=False)
        keys = Keys(box, classes_of(x))
        for sum_name, place in zip(SUMS, itertools.count()):
            total = SUMS[sum_name](terms)[:, None]
            quotient = by_steps(terms, terms / total, place % 3 - 1)
            product = terms * moved(1 / total, (place + 1) % 3 - 1)
            for score in (quotient, product):
                assert within(score, box)
                assert stored(score, box, dtype)
                assert sum_name not in ("lanes", "pairwise") or within(score, low_box)
                ids = np.argsort(-score, axis=1, kind="stable")[:, :K]
                assert legal(ids, keys).all()
                assert legal(ids, order).all()
        if (name, family, dtype) == ("correct", "gauss", DTYPES[0]):
            assert certified(ids, order).mean() > 0.99


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", EXPS)
def test_sigmoid_with_a_bias_groups_and_weights(name, family):
    for dtype, steps in zip(DTYPES, (-1, 0, 1), strict=True):
        x = draw(family, dtype)
        bias = draw("gauss", dtype, 1)[0]
        with np.errstate(over="ignore"):
            wide = -x.astype("f4")
            score = off(DIVIDE, steps)(np.float32(1) + EXPS[name](wide))
        functions = Functions(
            traits(EXPS[name], np.exp, wide), div=FunctionTraits(1), reciprocal=CORRECT
        )
        box = sigmoid(x, functions, by="division")
        assert within(score, box)
        key = score + bias.astype("f4")
        keys = added(box, bias)
        assert within(key, keys)
        best = np.sort(key.reshape(ROWS, 8, 8), axis=2)
        group = best[:, :, -1] + best[:, :, -2]
        groups = Groups(group_top2(keys, 8), 4)
        assert within(group, groups.score)
        kept = np.zeros((ROWS, 8), bool)
        np.put_along_axis(kept, np.argsort(-group, axis=1, kind="stable")[:, :4], True, axis=1)
        left = np.where(np.repeat(kept, 8, axis=1), key, -np.inf)
        ids = np.argsort(-left, axis=1, kind="stable")[:, :K]
        pair = classes_of(x) * 1000 + classes_of(np.unique(bias, return_inverse=True)[1])
        assert legal(ids, Keys(keys, pair, groups=groups)).all()
        chosen = np.take_along_axis(score, ids, axis=1)
        eps = np.float32(1e-20)
        total = (SUMS["pairwise"](chosen) + eps)[:, None]
        weight = by_steps(chosen, chosen / total, -steps)
        shared = shares(gathered(box, ids), FunctionTraits(1), CORRECT, float(eps), by="division")
        assert within(weight, shared)
        final = weight * np.float32(-2.5)
        assert within(final, scaled(shared, -2.5))
        assert stored(final, scaled(shared, -2.5), dtype)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", EXPS)
def test_root_of_softplus(name, family):
    logs = (correct(np.log), hashed(correct(np.log)))
    for dtype, log in zip(DTYPES, itertools.cycle(logs)):
        x = draw(family, dtype)
        wide = x.astype("f4")
        with np.errstate(over="ignore", under="ignore"):
            term = np.float32(1) + EXPS[name](wide)
            small = EXPS[name](-np.abs(wide))
            stable = np.maximum(wide, 0) + correct(np.log1p)(small)
            inner = np.where(term == 1, np.float32(0), log(term))
        exps = np.concatenate([wide, -np.abs(wide)])
        functions = Functions(traits(EXPS[name], np.exp, exps), FunctionTraits(1), CORRECT)
        assert within(np.sqrt(inner), root_of_softplus(x, functions, form="naive"))
        either = root_of_softplus(x, functions)
        for answer in (np.sqrt(inner), np.sqrt(stable)):
            assert within(answer, either)


def shrunk(box, factor=0.9):
    middle, half = (box.low + box.high) / 2, (box.high - box.low) / 2
    return Box(middle - factor * half, middle + factor * half)


def test_nine_tenths_of_a_sigmoid_or_softplus_box_refuse_a_right_answer():
    x = np.linspace(-8, 8, 4001).astype("f4")
    exp, one = EXPS["up"](-x), np.float32(1)
    functions = Functions(*[FunctionTraits(1)] * 5)
    box = sigmoid(x, functions)
    lowest = moved(one / (one + exp), -1)
    assert within(lowest, box)
    assert not within(lowest, shrunk(box))
    box = root_of_softplus(x, functions, form="naive")
    inner = moved(correct(np.log)(one + EXPS["up"](x)), 1)
    highest = moved(np.sqrt(inner), 1)
    assert within(highest, box)
    assert not within(highest, shrunk(box))


def test_nine_tenths_of_a_share_refuse_a_right_answer():
    x = np.array([[0.0] + [-16.6356] * 63], "f4")
    functions = Functions(*[CORRECT] * 5)
    terms = EXPS["correct"](x)
    for name, attained in (("left to right", True), ("ascending", False)):
        score = terms / SUMS[name](terms)[:, None]
        box = softmax(x, functions, by="division")
        assert within(score, box)
        assert within(score[:, :1], shrunk(Box(box.low[:, :1], box.high[:, :1]))) != attained


def test_the_table_is_off_by_a_step_or_two():
    values = draw("wide", DTYPES[0]).ravel()
    assert 1 <= furthest(by_table, np.exp, values[np.abs(values) < 80]) <= 2


def test_mistakes_are_refused_whatever_a_device_adds_in():
    x = draw("lattice", DTYPES[0])
    functions = Functions(*[FunctionTraits(1)] * 5)
    box, order = softmax(x, functions), Keys(softmax_keys(x, functions), on_grid=False)
    ids = np.argsort(-x, axis=1, kind="stable")[:, :K]
    assert certified(ids, order).all()
    assert legal(ids, order).all()
    terms = EXPS["correct"](x - x.max(axis=1, keepdims=True))
    whole, score = terms.sum(axis=1, keepdims=True), np.take_along_axis(terms, ids, axis=1)
    allowed = gathered(box, ids)

    def refused(values):
        return (~((allowed.low <= values) & (values <= allowed.high))).any(axis=1).all()

    assert not refused(score / whole)
    assert refused((score / whole)[:, ::-1])  # weights apart from their ids
    assert refused(score / score.sum(axis=1, keepdims=True))  # by the sum of the chosen ones
    assert refused(score / terms[:, :-1].sum(axis=1, keepdims=True))  # the last one not added
    assert refused((score / whole).astype(ml_dtypes.bfloat16).astype("f4"))
    missed = np.argsort(-x[:, :-1], axis=1, kind="stable")[:, :K]
    assert (legal(missed, order) == (missed == ids).all(axis=1)).all()

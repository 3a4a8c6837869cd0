"""The figures of sums over a toy format, against the definitions of numerics N.2 in fractions."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

from conformance.numerics.arithmetic import IEEE
from conformance.numerics.figures import Sums, summarize
from tests.conformance.numerics.by_definition import COLUMNS, FLUSHING, TOY, Column, columns


@pytest.fixture(
    scope="module",
    params=[
        (known, bare, special, arithmetic, seed)
        for known in (True, False)
        for bare in (False, True)
        for special in (False, True)
        for arithmetic in (IEEE, FLUSHING)
        for seed in range(2)
    ],
    ids=lambda p: (
        "-".join(word for word, on in zip(("known", "bare", "special"), p, strict=False) if on)
        + f"-{'flushing' if p[3].may_flush else 'ieee'}-{p[4]}"
    ),
)
def case(request: pytest.FixtureRequest) -> tuple[Sums, list[Column]]:
    known, bare, special, arithmetic, seed = request.param
    given = columns(known=known, bare=bare, special=special, slots=4 + seed, seed=seed)
    found = summarize(given, TOY, arithmetic)
    return found, [Column(given, element, arithmetic) for element in range(COLUMNS)]


def test_every_figure_is_what_its_definition_says(case: tuple[Sums, list[Column]]) -> None:
    found, truth = case
    assert found.low.tolist() == [sum(one for one, _ in c.ends) for c in truth]
    assert found.high.tolist() == [sum(one for _, one in c.ends) for c in truth]
    assert found.magnitude.tolist() == [c.magnitude for c in truth]
    for name in ("count", "bare", "underflows", "flushes", "order_free"):
        assert getattr(found, name).tolist() == [getattr(c, name) for c in truth], name
    for name in ("nan", "plus", "minus"):
        assert getattr(found.found, name).tolist() == [getattr(c, name) for c in truth], name
    assert found.error(TOY).tolist() == [c.error() for c in truth]
    for sign in (1, -1):
        assert found.one_sided(sign).tolist() == [sum(c.one_sided(sign)) for c in truth]


@pytest.mark.parametrize(("growth", "factor"), [(0, 1), (2**49, Fraction(1, 2)), (2**49, 2)])
def test_a_sum_may_overflow_where_one_sign_alone_may_reach_the_threshold(
    case: tuple[Sums, list[Column]], growth: int, factor: Fraction | int
) -> None:
    found, truth = case
    (overflows,) = found.overflows(TOY, (float(growth),), float(factor))
    for sign, overflow in zip((1, -1), overflows, strict=True):
        assert overflow.tolist() == [
            c.overflows(sign, Fraction(growth), Fraction(factor)) for c in truth
        ]


def test_the_figures_of_some_elements_are_those_of_a_sum_of_them_alone(
    case: tuple[Sums, list[Column]],
) -> None:
    found, _ = case
    some = np.arange(0, COLUMNS, 7)
    part = found.of(some)
    for field in fields(Sums):
        whole, picked = getattr(found, field.name), getattr(part, field.name)
        if isinstance(whole, np.ndarray):
            np.testing.assert_array_equal(picked, whole[some])
    for name in ("nan", "plus", "minus"):
        np.testing.assert_array_equal(getattr(part.found, name), getattr(found.found, name)[some])
    for name in ("given", "finite"):
        np.testing.assert_array_equal(getattr(part, name).low, getattr(found, name).low[:, some])
        np.testing.assert_array_equal(getattr(part, name).high, getattr(found, name).high[:, some])

"""What results of a function show: steps, zeros below 2^-126, places that differ, order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.numerics.function_steps import traits_of
from conformance.record.functions import CORRECT, FunctionTraits

X = np.concatenate([np.linspace(-90, 80, 5000), [0, 1, np.inf]]).astype(np.float32)
ONE = np.ones_like(X)
EXP = np.exp(X.astype(np.float64)).astype(np.float32)


def of_exp(
    result: NDArray[Any], otherwise: NDArray[Any] | None = None, x: NDArray[Any] = X
) -> FunctionTraits:
    moved = result if otherwise is None else otherwise
    return traits_of("exp", x, np.ones_like(x), result, moved)


def changed(place: int, value: float) -> NDArray[Any]:
    found = EXP.copy()
    found[place] = value
    return found


def test_correct_results_are_that() -> None:
    assert of_exp(EXP) == CORRECT


def test_the_farthest_result_counts() -> None:
    for steps in (1, 2, 7):
        value = EXP[4000]
        for _ in range(steps):
            value = np.nextafter(value, np.float32(0))
        assert of_exp(changed(4000, value)).steps == steps


def test_a_zero_below_the_normal_numbers_is_flushed_and_no_step() -> None:
    small = np.where(EXP < 2.0**-126, np.float32(0), EXP)
    assert of_exp(small) == FunctionTraits(steps=0, flush=True, uniform=True, monotone=True)
    assert of_exp(changed(4000, 0.0)).steps > 1e6


def test_a_result_that_depends_on_its_place_is_not_uniform() -> None:
    assert not of_exp(EXP, changed(7, np.nextafter(EXP[7], np.float32(9)))).uniform
    assert of_exp(EXP, EXP.copy()).uniform


def test_a_step_back_is_not_monotone() -> None:
    x = (1 + np.arange(64) * 2.0**-24).astype(np.float32)
    exact = np.exp(x.astype(np.float64)).astype(np.float32)
    assert of_exp(exact, x=x).monotone
    exact[20] = np.nextafter(exact[10], np.float32(0))
    assert not of_exp(exact, x=x).monotone


@pytest.mark.parametrize("value", [np.nan, 5.0])
def test_a_nan_and_a_number_in_the_wrong_place_leave_the_steps_unknown(value: float) -> None:
    x = np.array([-1, 2, 3], np.float32)
    right = np.log(np.where(x > 0, x, np.nan))
    result = np.where(np.isnan(right) == np.isnan(value), right, np.float32(value))
    found = traits_of("ln", x, x, result.astype(np.float32), result.astype(np.float32))
    assert found.steps is None
    assert not found.monotone


@pytest.mark.parametrize("name", ["div", "reciprocal"])
def test_quotients_fall_with_a_denominator_and_rise_with_a_numerator(name: str) -> None:
    rising = np.linspace(-9, 9, 100).astype(np.float32)
    threes = np.full_like(rising, 3)
    pairs = [(rising, threes)] if name == "reciprocal" else [(rising, threes), (threes, rising)]
    left, right = (np.concatenate(one) for one in zip(*pairs, strict=True))
    result = 1 / left if name == "reciprocal" else left / right
    assert traits_of(name, left, right, result, result) == CORRECT
    last = left.size - 40
    result[last] = result[last] * np.float32(1.5)
    assert not traits_of(name, left, right, result, result).monotone

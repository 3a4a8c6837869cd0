"""Given bounds: both ends are inside, the next value is not."""

import tracemalloc

import numpy as np
import pytest

from conformance.numerics.given_bounds import CHUNK, outside

ONE = np.float32(1.0)


def single(observed, low, high):
    return outside(*(np.array([value], np.float32) for value in (observed, low, high))).tolist()


@pytest.mark.parametrize("value", [0.0, 1.0, -1.5, 2.0**-149, 3.4e38, np.inf, -np.inf])
def test_the_ends_are_inside_and_their_neighbours_are_not(value):
    end = np.float32(value)
    assert single(end, end, end) == []
    if np.isfinite(end):
        assert single(np.nextafter(end, np.float32(np.inf)), end, end) == [0]
        assert single(np.nextafter(end, np.float32(-np.inf)), end, end) == [0]


def test_both_zeros_are_one_value():
    assert single(-0.0, 0.0, 0.0) == []
    assert single(0.0, -0.0, -0.0) == []


def test_a_nan_is_right_where_both_bounds_are_and_only_there():
    assert single(np.nan, np.nan, np.nan) == []
    assert single(np.nan, -np.inf, np.inf) == [0]
    assert single(1.0, np.nan, np.nan) == [0]
    assert single(np.nan, np.nan, np.inf) == [0]


def test_every_place_outside_is_named_over_all_chunks():
    observed = np.zeros((3, CHUNK), np.float32)
    wrong = [0, CHUNK - 1, CHUNK, 3 * CHUNK - 1]
    observed.reshape(-1)[wrong] = [2.0, -2.0, np.nan, np.inf]
    assert outside(
        observed, np.full_like(observed, -ONE), np.full_like(observed, ONE)
    ).tolist() == (wrong)


@pytest.mark.parametrize("rest", [1, 3, CHUNK - 1])
def test_a_last_chunk_that_is_not_full_is_compared_too(rest):
    observed = np.zeros(2 * CHUNK + rest, np.float32)
    wrong = [5, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + rest - 1]
    observed[wrong] = np.nan, 2.0, -2.0, 3.0
    found = outside(observed, np.full_like(observed, -ONE), np.full_like(observed, ONE))
    assert found.tolist() == sorted(set(wrong))


def test_nothing_has_nothing_outside():
    empty = np.zeros((0, 4), np.float32)
    assert outside(empty, empty, empty).size == 0


def test_memory_does_not_grow_with_the_output():
    observed = np.zeros(64 * CHUNK, np.float32)
    tracemalloc.start()
    outside(observed, observed, observed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * CHUNK


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (np.zeros(4), r"low: is float64\[4\], must be float32\[4\]"),
        (np.zeros(3, np.float32), r"low: is float32\[3\]"),
        (np.zeros(8, np.float32)[::2], "strides"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(bad, complaint):
    good = np.zeros(4, np.float32)
    with pytest.raises(ValueError, match=complaint):
        outside(good, bad, good)

"""Families of rows that are quantised show what they are named for, in every format."""

import ml_dtypes
import numpy as np
import pytest

from conformance.values.fill import Fill, expand
from conformance.values.quantised import QUANTISED
from reference.floats import format_of

DTYPES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)]
SHAPE = (40, 33)

pytestmark = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def of(family, dtype, shape=SHAPE, seed=3):
    return expand(Fill((family,), seed), shape, dtype).astype(float)


def largest(values):
    return np.abs(values).max(axis=1)


@pytest.mark.parametrize("family", QUANTISED)
def test_rows_have_scales_of_their_own_and_are_normal_or_zero(family, dtype):
    for shape in (SHAPE, (5, 1), (4, 0), (0, 3)):
        values = of(family, dtype, shape)
        assert values.shape == shape
        assert np.isfinite(values).all()
        most = np.abs(values).max(axis=1, initial=0)
        assert ((most == 0) | (most >= format_of(dtype).smallest_normal)).all()
    live = largest(of(family, dtype))
    live = np.floor(np.log2(live[live > 0]))
    assert (live[1:] != live[:-1]).all()
    assert not np.array_equal(of(family, dtype), of(family, dtype, seed=4))


def test_ties_lie_in_the_middle_of_two_integers_by_a_scale_that_is_a_power_of_two(dtype):
    values = of("ties", dtype)
    scales = largest(values)[:, None] / 127
    assert (np.log2(scales) % 1 == 0).all()
    parts = np.abs(values / scales)
    assert ((parts % 1 == 0.5).sum(axis=1) == SHAPE[1] - 1).all()
    assert len(np.unique(parts)) == 128


def test_near_ties_lie_on_ties_and_a_step_to_either_side(dtype):
    values = of("near ties", dtype)
    parts = np.abs(values / (largest(values)[:, None] / 127))
    small = parts[parts < 64]
    away = small - (np.floor(small) + 0.5)
    steps = away / 2.0 ** (np.floor(np.log2(small)) + 1 - format_of(dtype).precision)
    assert {-1, 0, 1} <= set(steps.tolist())
    assert np.abs(away).max() <= 0.25


def test_one_column_of_a_row_is_live(dtype):
    assert (np.count_nonzero(of("one live", dtype), axis=1) == 1).all()


def test_the_last_column_has_the_peak_far_above_the_others(dtype):
    values = np.abs(of("late peak", dtype))
    assert (values[:, -1] > 8 * values[:, :-1].max(axis=1)).all()


def test_every_other_row_is_zero(dtype):
    rows = of("zero rows", dtype).any(axis=1)
    assert (rows[1:] != rows[:-1]).all()


def test_all_values_are_negative(dtype):
    assert (of("all negative", dtype) < 0).all()

"""Knife columns deal their roles block by block, and stand on a rounding boundary."""

import numpy as np
import pytest

from conformance.values.rounding_boundaries import knife
from reference.floats import BF16, FP16, FP32, Format, round_once


def drawn(fmt: Format, shape: tuple[int, int], terms: int) -> np.ndarray:
    return knife(np.random.default_rng(1), shape, fmt, terms)


@pytest.mark.parametrize("fmt", [FP16, BF16], ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("terms", [2, 3, 4, 7])
def test_every_block_of_rows_has_one_head_and_one_half(terms: int, fmt: Format) -> None:
    columns = drawn(fmt, (5 * terms, 31), terms)
    assert np.array_equal(round_once(columns, fmt), columns)
    heads = np.abs(columns) >= np.abs(columns).max() / 2
    live = columns != 0
    assert (heads.reshape(5, terms, 31).sum(axis=1) == 1).all()
    assert (live.reshape(5, terms, 31).sum(axis=1) == min(terms, 4)).all()


@pytest.mark.parametrize("fmt", [FP16, BF16], ids=lambda fmt: fmt.name)
def test_the_second_column_has_the_head_where_the_first_has_a_tail(fmt: Format) -> None:
    first, second, _ = np.abs(drawn(fmt, (6, 3), 6)).T
    was, now = int(first.argmax()), int(second.argmax())
    assert was != now
    assert first[now] == second[was] < 2.0**-12 * first[was]
    others = [row for row in range(6) if row not in (was, now)]
    assert np.array_equal(first[others], second[others])


def test_a_head_and_a_half_are_a_tie_or_three_quarters_of_a_step() -> None:
    for fmt in (FP16, BF16):
        columns = np.sort(np.abs(drawn(fmt, (2, 30), 2)), axis=0)
        step = 2.0 ** (np.frexp(columns[1])[1] - fmt.precision)
        assert set((columns[0] / step).tolist()) == {0.5, 0.75}
        assert (columns[1] / step % 2 == 0).all()


def test_in_fp32_two_live_terms_leave_a_little_more_or_less_than_half_a_step() -> None:
    columns = np.sort(np.abs(drawn(FP32, (5, 30), 5)), axis=0)
    live = (columns != 0).sum(axis=0)
    assert set(live.tolist()) == {2, 4}
    half = columns[3]
    assert (np.abs(half - 0.5) <= 0.25).all()
    assert (half > 0.5).any()
    assert (half < 0.5).any()


@pytest.mark.parametrize("terms", [1, 2, 8])
@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (1, 1), (3, 2), (9, 4)])
def test_any_shape_is_dealt(shape: tuple[int, int], terms: int) -> None:
    for fmt in (FP16, FP32):
        assert drawn(fmt, shape, terms).shape == shape

"""Mistakes that a row of 16 elements must show, in any order, and those that nothing can show."""

import numpy as np
import pytest

from conformance.numerics.order import sequential
from conformance.numerics.tree import pairwise
from conformance.values.fill import NAMES
from reference.floats import Format, format_of, from_bits, round_once, to_bits
from tests.conformance.numerics.detection import (
    ORDERS,
    family_rows,
    gaussian_rows,
    refused,
    right,
    storage_additions,
    truncating_additions,
    truncating_cast,
    witness,
    worst_share,
)
from tests.conformance.numerics.exhaustive import grid, toy, trees
from tests.conformance.numerics.trees import generator_for, random_tree
from tests.proofs.kill_matrix.problem import merges_of

HALVES = ("float16", "bfloat16")
SLOTS = (3, 4, 5, 6, 8, 16, 64)
DRAWS = 200


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("slots", SLOTS)
def test_the_witness_convicts_storage_additions_in_every_order(slots: int, dtype: str) -> None:
    fmt, terms = format_of(dtype), witness(slots, dtype)
    assert np.array_equal(round_once(terms, fmt), terms)
    assert (terms != 0).all()
    drawn = [random_tree(generator_for(slots, draw), slots) for draw in range(50)]
    every = [merges_of(t)[1] for t in trees(tuple(range(slots)))] if slots <= 5 else []
    for merges in (*(order(slots) for order in ORDERS.values()), *drawn, *every):
        assert not refused(terms, right(terms, merges, fmt), fmt).any()
        assert refused(terms, storage_additions(terms, merges, fmt), fmt).any()


def test_one_column_is_no_witness() -> None:
    fmt, terms = format_of("float16"), witness(3, "float16")
    columns = refused(terms, storage_additions(terms, ((1, 2), (0, 1)), fmt), fmt)
    assert columns.tolist() == [False, True]


def test_a_witness_needs_three_terms() -> None:
    with pytest.raises(ValueError, match="slots=2"):
        witness(2, "float16")


@pytest.mark.parametrize("dtype", HALVES)
def test_storage_additions_show_in_a_row_of_normal_values_from_three_terms_on(dtype: str) -> None:
    for slots, least in ((3, 0.93), (4, 0.97), (8, 0.99), (64, 1.0)):
        assert worst_share(storage_additions, gaussian_rows(slots, 500, dtype), dtype, 16) >= least


@pytest.mark.parametrize("dtype", HALVES)
def test_a_truncating_cast_shows_in_every_row_from_two_live_terms_on(dtype: str) -> None:
    for slots in (2, 3, 4, 5, 8, 64):
        knife = family_rows(("knife",), slots, DRAWS, dtype)
        assert worst_share(truncating_cast, knife, dtype, 16) == 1.0
        striped = family_rows(NAMES, slots, 50, dtype, columns=64)
        assert worst_share(truncating_cast, striped, dtype, 64) == 1.0


@pytest.mark.parametrize(("dtype", "fewest"), [("float16", 3), ("bfloat16", 3), ("float32", 2)])
def test_additions_that_truncate_show_in_every_row_of_knife_data(dtype: str, fewest: int) -> None:
    for slots in (n for n in (2, 3, 4, 5, 8, 64) if n >= fewest):
        knife = family_rows(("knife",), slots, DRAWS, dtype)
        assert worst_share(truncating_additions, knife, dtype, 16) == 1.0


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("slots", [3, 4, 7])
def test_two_neighbouring_knife_columns_tell_truncation_whatever_the_tree(
    slots: int, dtype: str
) -> None:
    fmt, terms = format_of(dtype), family_rows(("knife",), slots, 40, dtype, columns=2)
    for draw in range(50):
        merges = random_tree(generator_for(slots, draw), slots)
        assert not refused(terms, right(terms, merges, fmt), fmt).any()
        told = refused(terms, truncating_additions(terms, merges, fmt), fmt)
        assert told.reshape(-1, 2).any(axis=1).all()


def rounded_twice(sums, wide, fmt):
    return to_bits(round_once(round_once(sums, wide), fmt), fmt)


@pytest.mark.parametrize("precision", [2, 3, 4])
def test_two_values_rounded_by_way_of_2p_plus_2_bits_are_rounded_once(precision: int) -> None:
    """The theorem, over every pair of a whole toy format; with fewer bits it does not hold."""
    fmt = toy(precision, -4, 4)
    values = grid(fmt)
    sums = (values[:, None] + values).reshape(-1)
    once = to_bits(round_once(sums, fmt), fmt)
    wide = Format("wide", 2 * precision + 2, -12, 12, 32)
    narrow = Format("narrow", precision + 1, -12, 12, 32)
    assert np.array_equal(rounded_twice(sums, wide, fmt), once)
    assert not np.array_equal(rounded_twice(sums, narrow, fmt), once)


@pytest.mark.parametrize("dtype", HALVES)
def test_storage_additions_of_two_values_are_right_and_so_are_truncating_ones(dtype: str) -> None:
    """A million pairs of patterns: what is right is equal, so that nothing could show."""
    fmt, generator = format_of(dtype), np.random.default_rng(3)
    patterns = generator.integers(0, fmt.infinity_bits, (2, 1_000_000)).astype(np.uint16)
    terms = from_bits(patterns, fmt) * generator.choice([-1.0, 1.0], patterns.shape)
    near = from_bits(
        patterns[0] ^ generator.integers(0, 8, patterns.shape[1]).astype(np.uint16), fmt
    )
    terms[1] = np.where(generator.random(near.shape) < 0.3, -near, terms[1])
    expected = right(terms, sequential(2), fmt)
    finite = np.isfinite(round_once(terms.sum(axis=0), fmt))
    assert finite.mean() > 0.9
    for mistake in (storage_additions, truncating_additions):
        assert np.array_equal(mistake(terms, sequential(2), fmt)[finite], expected[finite])


def test_a_right_kernel_shows_nothing_in_the_same_data() -> None:
    for slots in (2, 4, 8):
        for rows in (
            gaussian_rows(slots, 50, "float16"),
            family_rows(("knife",), slots, 50, "float16"),
        ):
            assert not refused(
                rows, right(rows, pairwise(slots), format_of("float16")), format_of("float16")
            ).any()

"""Trees are compared, named and drawn, however their merges are written down."""

import numpy as np
import pytest

from conformance.numerics.order import sequential, validate
from conformance.numerics.tree import (
    bins_of,
    drawing,
    halving,
    lowest_common,
    name_of,
    pairwise,
    reversed_order,
    tree_of,
)
from tests.conformance.numerics.trees import generator_for, random_tree

NINE_IN_FOUR_BINS = ((0, 8), (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (0, 4))


@pytest.mark.parametrize("order", [sequential, reversed_order, pairwise, halving])
@pytest.mark.parametrize("slots", [1, 2, 3, 7, 8, 33])
def test_named_orders_are_trees_that_end_in_slot_0(order, slots):
    validate(order(slots), slots)


def test_orders_look_as_their_names_say():
    assert reversed_order(4) == ((2, 3), (1, 2), (0, 1))
    assert pairwise(5) == ((0, 1), (2, 3), (0, 2), (0, 4))
    assert halving(5) == ((0, 3), (1, 4), (0, 2), (0, 1))


def test_a_count_is_the_number_of_slots_under_the_first_common_addition():
    assert lowest_common(((0, 1), (2, 3), (0, 2)), 4).tolist() == [
        [1, 2, 4, 4],
        [2, 1, 4, 4],
        [4, 4, 1, 2],
        [4, 4, 2, 1],
    ]


@pytest.mark.parametrize("slots", [1, 2, 3, 9, 40])
def test_a_tree_comes_back_from_its_counts(slots):
    counts = lowest_common(random_tree(generator_for(slots), slots), slots)
    merges = tree_of(counts)
    validate(merges, slots)
    assert np.array_equal(lowest_common(merges, slots), counts)


def test_counts_of_three_values_added_at_once_are_no_tree():
    assert tree_of(np.full((3, 3), 3) - 2 * np.eye(3, dtype=np.int64)) is None


@pytest.mark.parametrize(
    ("merges", "slots", "name"),
    [
        ((), 1, "no addition"),
        (((0, 1),), 2, "sequential"),
        (((0, 2), (0, 1)), 3, "bins(1)"),
        (((1, 2), (0, 1)), 3, "reversed"),
        (sequential(9), 9, "sequential"),
        (reversed_order(9), 9, "reversed"),
        (pairwise(9), 9, "pairwise"),
        (halving(9), 9, "halving"),
        (halving(4), 4, "halving"),
        (((2, 3), (0, 1), (0, 2)), 4, "pairwise"),
        (((0, 4), (0, 1), (2, 3), (0, 2)), 5, "bins(2)"),
        (NINE_IN_FOUR_BINS, 9, "bins(4)"),
        ((*NINE_IN_FOUR_BINS[:5], (0, 4), (2, 6), (0, 2)), 9, "other"),
        (((0, 2), (0, 1), (3, 4), (0, 3), (0, 5)), 6, "bins(3)"),
        (((0, 1), (2, 3), (4, 5), (2, 4), (0, 2)), 6, "other"),
    ],
)
def test_names(merges, slots, name):
    validate(merges, slots)
    assert name_of(merges, slots) == name


def test_bins_are_listed_in_the_order_of_their_additions():
    bins, over = bins_of(NINE_IN_FOUR_BINS, 9)
    assert bins == ((0, 8, 1), (2, 3), (4, 5), (6, 7))
    assert set(over) == {(0, 1), (2, 3), (0, 2)}


def test_a_tree_is_drawn_with_chains_on_one_line():
    assert drawing(((0, 4), (0, 1), (2, 3), (0, 2), (0, 5)), 6).splitlines() == [
        "sum, then + x5",
        "├─ x0 + x4 + x1",
        "└─ x2 + x3",
    ]
    assert drawing(sequential(4), 4) == "x0 + x1 + x2 + x3"


def test_a_tree_inside_a_tree_is_indented():
    assert drawing(pairwise(8), 8).splitlines() == [
        "sum",
        "├─ sum",
        "│  ├─ x0 + x1",
        "│  └─ x2 + x3",
        "└─ sum",
        "   ├─ x4 + x5",
        "   └─ x6 + x7",
    ]


def test_a_wide_tree_is_cut():
    lines = drawing(pairwise(200), 200).splitlines()
    assert len(lines) == 41
    assert lines[-1] == "... and 159 more lines"


def test_a_slot_that_is_added_to_a_later_sum_comes_last_in_its_bin():
    assert bins_of(((1, 2), (0, 1)), 3) == (((1, 2, 0),), ())

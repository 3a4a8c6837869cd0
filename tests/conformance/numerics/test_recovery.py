"""The order of additions is recovered from one row's sums, or it is said why not."""

import math
import re

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.numerics.order import sequential
from conformance.numerics.recovery import (
    Unrecoverable,
    masks,
    most_slots,
    probes,
    random_columns,
    recover,
    recover_tree,
)
from conformance.numerics.tree import lowest_common, pairwise, reversed_order
from reference.floats import BF16, FP16, FP32, bits_of, format_of, round_once, to_bits, truncate
from reference.floats import numpy_dtype as dtype_of
from tests.conformance.numerics.trees import adder, generator_for, random_tree

DTYPES = ("float16", "bfloat16", "float32")
ORDERS = (bin_tree, sequential, reversed_order, pairwise)


def same_tree(merges, others, slots):
    return np.array_equal(lowest_common(merges, slots), lowest_common(others, slots))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.__name__)
@pytest.mark.parametrize("slots", [2, 3, 4, 5, 9, 31, 64, 200])
def test_known_orders_are_recovered_and_reproduced_bit_for_bit(slots, order, dtype):
    found = recover(adder(order(slots)), slots, dtype)
    assert same_tree(found.merges, order(slots), slots)
    assert (found.accumulate, found.verified) == ("fp32", 1000)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("slots", [6, 17, 40])
def test_drawn_trees_are_recovered(slots, dtype):
    for draw in range(5):
        merges = random_tree(generator_for(slots, draw), slots)
        assert same_tree(recover(adder(merges), slots, dtype).merges, merges, slots)


def test_one_slot_needs_no_question():
    assert recover(lambda x: x[0].copy(), 1, "float32").name == "no addition"


def test_the_columns_of_a_pair_hold_the_mask_its_negative_and_units():
    columns = probes(4, "float16", np.array([0, 1]), np.array([2, 3])).astype(np.float64)
    assert columns[:, 0].tolist() == [49152.0, 2.0**-14, -49152.0, 2.0**-14]
    assert columns[:, 1].tolist() == [2.0**-14, 49152.0, 2.0**-14, -49152.0]


@pytest.mark.parametrize("storage", [FP16, BF16, FP32], ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("slots", [2, 34, 35, None])
def test_the_mask_absorbs_every_unit_and_every_count_is_on_the_grid(storage, slots):
    slots = slots or most_slots(storage)
    mask, unit = masks(storage, slots)
    counts = np.arange(slots - 1) * unit
    for large in (mask, -mask):
        assert (np.float32(large) + counts.astype(np.float32) == large).all(), "absorbed"
    assert mask <= storage.largest_finite
    assert np.array_equal(round_once(counts, storage), counts)
    assert slots > 34 or unit >= storage.smallest_normal, "flush to zero does not touch the unit"


def test_one_slot_more_than_the_most_would_miscount():
    assert round_once(np.array([257.0]), BF16)[0] != 257.0
    mask, unit = masks(FP16, 515)
    assert np.float32(mask) + np.float32(513 * unit) > np.float32(mask)


def test_more_slots_than_the_dtype_counts_are_refused():
    with pytest.raises(ValueError, match=r"slots=259: must lie in \[1, 258\].*bf16"):
        recover(adder(sequential(259)), 259, "bfloat16")


@pytest.mark.parametrize(("storage", "dtype"), [(FP16, "float16"), (BF16, "bfloat16")])
def test_accumulation_in_storage_is_told_from_fp32(storage, dtype):
    assert recover(adder(pairwise(9), storage), 9, dtype).accumulate == storage.name


def shortened(x):
    """Cuts where it should round."""
    total = x.astype(np.float64).sum(axis=0)
    return to_bits(truncate(total, format_of(x.dtype)), format_of(x.dtype)).view(x.dtype)


def three_at_once(x):
    """Adds three values without rounding in between, then the next three."""
    total = np.zeros(x.shape[1], np.float32)
    for first in range(0, len(x), 3):
        total = (total + x[first : first + 3].astype(np.float64).sum(axis=0)).astype(np.float32)
    return total


def exact(x):
    return np.array([math.fsum(column) for column in x.T.tolist()], x.dtype)


def truncating(x):
    """Left to right, every addition cut to fp32."""
    total = x[0].astype(np.float64)
    for term in x[1:]:
        total = truncate(total + term.astype(np.float64), FP32)
    return total.astype(np.float32)


def left_out(x):
    """Forgets the last slot."""
    return adder(sequential(len(x) - 1))(x[:-1])


@pytest.mark.parametrize(
    ("row_sum", "reason"),
    [
        (three_at_once, r"the tree bins\(3\), but of 1000 random columns"),
        (exact, "no tree of two-operand additions"),
        (truncating, "the tree sequential, but of 1000 random columns"),
        (left_out, "which counts no slots from 0 to 5"),
        (lambda x: np.full(x.shape[1], np.nan, x.dtype), "the sum is nan"),
    ],
)
def test_what_is_no_rounded_tree_is_said_to_be_unrecoverable(row_sum, reason):
    with pytest.raises(Unrecoverable, match=reason):
        recover(row_sum, 7, "float32")


def test_a_truncating_cast_leaves_the_tree_but_not_the_bits():
    merges = pairwise(6)

    def row_sum(x):
        wide = adder(merges)(x.astype(np.float32))
        return to_bits(truncate(wide, FP16), FP16).view(x.dtype)

    assert same_tree(recover_tree(row_sum, 6, "float16"), merges, 6)
    with pytest.raises(Unrecoverable, match="random columns"):
        recover(row_sum, 6, "float16")


def test_long_rows_are_asked_in_several_calls():
    calls = []

    def row_sum(x):
        calls.append(x.size)
        return adder(sequential(len(x)))(x)

    recover(row_sum, 128, "float32")
    assert len(calls) > 2
    assert max(calls) <= 1 << 18


def test_dtypes_are_those_of_the_device():
    assert bits_of(probes(3, "bfloat16", np.array([0]), np.array([1]))).dtype == np.uint16
    assert probes(3, "float32", np.array([0]), np.array([1])).dtype == dtype_of(FP32)


def test_the_columns_that_verify_a_tree_are_drawn_with_the_seed_that_is_asked_for():
    for asked, drawn in (({}, 0), ({"seed": 5}, 5)):
        calls = []

        def row_sum(x, calls=calls):
            calls.append(x)
            return adder(sequential(3))(x)

        recover(row_sum, 3, "float16", **asked)
        expected = random_columns(3, "float16", drawn)
        np.testing.assert_array_equal(calls[-1], expected)
        assert calls[-1].dtype == expected.dtype


def test_a_row_without_slots_is_refused():
    with pytest.raises(ValueError, match=r"slots=0: must lie in \[1, 2048\]"):
        recover_tree(adder(()), 0, "float32")


@pytest.mark.parametrize("answer", [-1.0, 4.0, 0.5])
def test_the_first_pair_whose_answer_counts_no_slots_is_named(answer):
    def row_sum(x):
        total = np.zeros(x.shape[1], x.dtype)
        total[[1, 3]] = answer
        return total

    told = f"in slot 0, its negative in slot 2 and 1 elsewhere the sum is {answer},"
    with pytest.raises(Unrecoverable, match=re.escape(told)):
        recover_tree(row_sum, 5, "float32")


def test_mask_unit_and_longest_row_are_those_of_the_derivation():
    # fp16: half an fp32 ulp of 1.5 * 2^15 is 2^-9, 512 units of 2^-18. bf16 counts up to 2^8.
    assert masks(FP32, 8) == masks(BF16, 2) == (2.0**100, 1.0)
    assert [most_slots(fmt) for fmt in (FP16, BF16, FP32)] == [514, 258, 2048]


def test_columns_are_drawn_with_seed_0_unless_another_is_asked_for():
    np.testing.assert_array_equal(
        random_columns(3, "float32"), random_columns(3, "float32", seed=0)
    )


@pytest.mark.parametrize("step", [-1, 1])
def test_one_column_that_is_one_place_off_is_counted(step):
    def row_sum(x):
        total = adder(sequential(len(x)))(x)
        if x.shape[1] == 1000:
            total.view(np.int32)[3] += step
        return total

    with pytest.raises(Unrecoverable, match=r"the bits of: 1 in fp32$"):
        recover(row_sum, 4, "float32")

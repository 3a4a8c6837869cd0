"""The quick look decides nothing that a closer one would not decide the same way."""

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.call.case import numpy_dtype
from conformance.numerics import bulk
from conformance.numerics.bulk import Bulk
from conformance.numerics.elements import judge_elements
from conformance.numerics.order import emulate, sequential
from conformance.numerics.plan import compile_merges
from reference.floats import FP32, format_of, from_bits, round_once, to_bits
from tests.conformance.numerics.hard_data import HARD, columns, gaussian
from tests.conformance.numerics.looks import masks

DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
HALVES = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
FAMILIES = pytest.mark.parametrize("family", [*HARD, gaussian], ids=lambda family: family.__name__)
ROWS = np.array([[0, 2, 4, 5], [1, 3, -1, 3], [-1, -1, -1, -1], [4, 4, 5, 0]])


@pytest.fixture(autouse=True, params=["together", "slot by slot"])
def loaded(request, monkeypatch):
    """How terms are loaded: few together, many a slot at a time; here the same few."""
    if request.param == "slot by slot":
        monkeypatch.setattr(bulk, "FEW_TERMS", 0)


def stored(values, dtype):
    return to_bits(values, format_of(dtype)).view(numpy_dtype(dtype))


def suspects(source, rows, observed, merges, weights=None):
    return masks(Bulk(source, rows, observed, merges, weights), observed.shape)


def terms_of(source, rows):
    values = from_bits(source.view(f"u{source.dtype.itemsize}"), format_of(source.dtype))
    return np.where((rows >= 0).T[:, :, None], values[rows.T], 0.0)


def sums(source, rows, merges):
    terms = terms_of(source, rows)
    return emulate(merges, terms.astype(np.float32)).astype(np.float64)


def bit_flipped(observed):
    flipped = observed.copy()
    flipped.view(f"u{observed.dtype.itemsize}")[...] ^= 1
    return flipped


@DTYPES
@FAMILIES
@pytest.mark.parametrize("width", [6, 7, 1])
def test_the_declared_order_is_decided_bit_for_bit(family, dtype, width):
    source = stored(columns(np.random.default_rng(3), family, 6, width, format_of(dtype)), dtype)
    for merges in (sequential(4), bin_tree(4)):
        total = sums(source, ROWS, merges)
        right = stored(total, dtype)
        left = suspects(source, ROWS, right, merges)
        if np.isfinite(source.astype(np.float32)).all():
            assert (left == np.isnan(total)).all()
        assert left[np.isnan(total)].all()
        assert suspects(source, ROWS, bit_flipped(right), merges).all()


@HALVES
@pytest.mark.parametrize("merges", [sequential(6), bin_tree(6), None], ids=["left", "tree", "any"])
def test_a_row_with_few_slots_has_the_zeros_of_all_its_slots(dtype, merges):
    source = stored(np.array([[-0.0, -0.0, 2.0], [-0.0, 0.0, -2.0]]), dtype)
    rows = np.array([[-1, 0, -1, -1, 1, -1], [0, 1, 0, 1, 0, 1]])
    right = stored(sums(source, rows, merges or sequential(6)), dtype)
    assert np.signbit(right.astype(np.float32)).tolist() == [[False] * 3, [True, False, False]]
    for row in (0, 1):
        one, its = rows[row : row + 1], right[row : row + 1]
        assert not suspects(source, one, its, merges).any()
        assert suspects(source, one, bit_flipped(its), merges).all()


@DTYPES
@pytest.mark.parametrize("weight", [0.0, -0.0, -2.0, np.inf, np.nan])
def test_of_slots_without_a_row_those_are_left_out_that_weigh_nothing(dtype, weight, monkeypatch):
    left_out = []
    monkeypatch.setattr(
        bulk,
        "compile_merges",
        lambda *which: left_out.extend(which[2:]) or compile_merges(*which),
    )
    source = stored(np.array([[-0.0, -1.0, 2.0], [-0.0, 0.5, -2.0]]), dtype)
    rows = np.array([[0, -1, -1, -1, 1, -1, -1]])
    weights = np.array([[1.0, 0.0, weight, 0.0, 3.0, 0.0, 0.0]], np.float32)
    with np.errstate(invalid="ignore"):
        terms = terms_of(source, rows) * weights.T[:, :, None]
        right = stored(emulate(sequential(7), terms.astype(np.float32)).astype(np.float64), dtype)
    usual = weight == 0 and not np.signbit(weight)
    closer = suspects(source, rows, right, sequential(7), weights)
    assert left_out == ([[2, 3, 5, 6]] if usual else [])
    assert closer.all() if not np.isfinite(weight) else not closer.any()
    assert suspects(source, rows, bit_flipped(right), sequential(7), weights).all()


@HALVES
@FAMILIES
def test_what_is_certified_has_one_value_and_it_is_the_observed_one(family, dtype):
    fmt, generator = format_of(dtype), np.random.default_rng(4)
    source = stored(columns(generator, family, 6, 400, fmt), dtype)
    right = stored(sums(source, ROWS, sequential(4)), dtype)
    left = suspects(source, ROWS, right, None)
    values = terms_of(source, ROWS).reshape(4, -1)
    bits = right.view(np.uint16).reshape(-1)
    judged = judge_elements(values, bits, FP32, fmt)
    decided = ~left.reshape(-1)
    assert (judged.ok & judged.exact)[decided].all()
    assert judged.sums.order_free[decided].all()
    assert suspects(source, ROWS, bit_flipped(right), None).all()


@HALVES
def test_the_certificate_ends_where_a_bit_may_be_lost(dtype):
    fmt = format_of(dtype)
    binades = FP32.precision - fmt.precision - 1  # two slots add one binade
    rows = np.array([[0, 1]])
    below_two, last = 2 - 2 * fmt.unit_roundoff, 1 + 2 * fmt.unit_roundoff
    for gap, decided in ((binades, True), (binades + 1, False)):
        for terms in ([1.0, 2.0**-gap], [1.0, last * 2.0**-gap]):
            source = stored(np.array(terms)[:, None], dtype)
            right = stored(sums(source, rows, sequential(2)), dtype)
            assert suspects(source, rows, right, None).item() is not decided
    for gap, decided in ((binades, True), (binades + 1, False)):
        source = stored(np.array([[below_two], [last * 2.0**-gap]]), dtype)
        right = stored(sums(source, rows, sequential(2)), dtype)
        assert suspects(source, rows, right, None).item() is not decided


@DTYPES
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_infinities_and_nans_are_left_to_a_closer_look_or_right(dtype, special):
    values = np.ones((6, 8))
    values[4, 3] = special
    source = stored(values, dtype)
    for merges in (sequential(4), None) if dtype != "float32" else (sequential(4),):
        for claimed in (np.inf, -np.inf, np.nan, 1.0, 0.0):
            observed = stored(np.full((4, 8), claimed), dtype)
            decided = ~suspects(source, ROWS, observed, merges)
            assert not (decided[[0, 3], 3] & (claimed != special)).any()


def test_a_sum_beyond_float16_is_decided_as_an_infinity_alone():
    source = stored(np.full((2, 4), 65504.0), "float16")
    rows = np.array([[0, 1]])
    for merges in (sequential(2), None):
        assert not suspects(source, rows, stored(np.full((1, 4), np.inf), "float16"), merges).any()
        assert suspects(source, rows, stored(np.full((1, 4), 65504.0), "float16"), merges).all()


@HALVES
def test_bfloat16_sums_beyond_fp32_are_left_to_a_closer_look(dtype):
    largest = format_of(dtype).largest_finite
    source = stored(np.array([[largest] * 2, [largest] * 2, [-largest] * 2]), dtype)
    rows = np.array([[0, 1, 2]])
    right = stored(sums(source, rows, sequential(3)), dtype)
    assert suspects(source, rows, right, None).all() == (dtype == "bfloat16")


@DTYPES
def test_weighted_sums_round_their_products_first(dtype):
    fmt, generator = format_of(dtype), np.random.default_rng(8)
    source = stored(generator.standard_normal((6, 10)), dtype)
    weights = generator.standard_normal(ROWS.shape).astype(np.float32)
    weights[ROWS < 0] = 0
    terms = terms_of(source, ROWS) * weights.T[:, :, None].astype(np.float64)
    total = emulate(sequential(4), round_once(terms, FP32).astype(np.float32))
    right = to_bits(total.astype(np.float64), fmt).view(source.dtype)
    assert not suspects(source, ROWS, right, sequential(4), weights).any()
    assert suspects(source, ROWS, bit_flipped(right), sequential(4), weights).all()


def test_canaries_in_rows_that_no_slot_names_are_not_looked_at():
    values = np.ones((7, 4))
    values[6] = np.nan
    source = stored(values, "float16")
    right = stored(np.array([[4.0], [3.0], [0.0], [4.0]]) * np.ones(4), "float16")
    assert not suspects(source, ROWS, right, None).any()


@pytest.mark.parametrize("block", [1, 8, 20, 1 << 16])
def test_blocks_of_any_size_cover_the_output(block, monkeypatch):
    monkeypatch.setattr(bulk, "BLOCK_ELEMENTS", block)
    source = stored(np.arange(48.0).reshape(6, 8), "bfloat16")
    right = stored(sums(source, ROWS, sequential(4)), "bfloat16")
    wrong = right.copy()
    wrong.view(np.uint16)[3, 7] ^= 1
    assert not suspects(source, ROWS, right, None).any()
    assert np.argwhere(suspects(source, ROWS, wrong, None)).tolist() == [[3, 7]]
    assert np.argwhere(suspects(source, ROWS, wrong, sequential(4))).tolist() == [[3, 7]]


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 5, 8, 9])
def test_terms_whose_sum_of_magnitudes_may_overflow_are_not_certified(slots):
    # K terms of less than 2^(127 - log2 K), rounded up, sum to less than 2^128 in any order
    least = 2.0 ** (127 - (slots - 1).bit_length())
    for largest, left in ((least * (1 - 2.0**-8), False), (least, True), (2 * least, True)):
        for sign in (1, -1):
            source = stored(np.array([[sign * largest], [-sign * largest], [0.0]]), "bfloat16")
            rows = np.full((1, slots), -1)
            rows[0, -2:] = [0, 1][-slots:]
            right = stored(sums(source, rows, sequential(slots)), "bfloat16")
            if largest < 2.0**128:
                assert suspects(source, rows, right, None).item() is left


def test_every_finite_float16_is_small_enough_to_be_certified():
    source = stored(np.array([[65504.0], [-65504.0], [np.inf]]), "float16")
    rows = np.array([[0, 0, 0, 1, 1], [0, 1, -1, -1, -1], [0, 2, -1, -1, -1]])
    right = stored(sums(source, rows, sequential(5)), "float16")
    assert suspects(source, rows[:2], right[:2], None).tolist() == [[False], [False]]
    assert suspects(source, rows, right, None)[2].item()


@pytest.mark.parametrize(("slots", "equal"), [(8192, False), (8193, True)])
def test_of_thousands_of_terms_only_equal_magnitudes_are_certified_and_then_only_zeros(
    slots, equal
):
    # 24 bits less the 11 of a term leave 13 for the count: 8192 terms of one binade and no more
    source = stored(np.array([[1.0], [1 - 2.0**-11]]), "float16")
    rows = np.zeros((3, slots), np.int64)
    rows[1, ::2] = 1
    rows[2] = -1
    right = stored(sums(source, rows, sequential(slots)), "float16")
    assert suspects(source, rows, right, None).tolist() == [[equal], [True], [False]]

"""Formats round once, and patterns, values and ordered integers are one another's images."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.floats import (
    BF16,
    FP16,
    FP32,
    Format,
    bits_of,
    format_of,
    from_bits,
    from_ordered,
    numpy_dtype,
    ordered,
    round_fp32_to_bits,
    round_once,
    to_bits,
    truncate,
    widen,
)

TOYS = [
    Format("toy", 3, -2, 3),
    Format("toy-least", 2, -1, 0),
    Format("toy-sparse", 4, -3, 1, 12),  # exponent field and storage have unused patterns
    Format("toy-positive", 5, 2, 6),
    Format("fp16-range-bf16-precision", 8, -14, 15),
    Format("tf32", 11, -126, 127),
    Format("wide", 9, -200, 200),  # exponents beyond float32 at both ends
    Format("deep", 8, -140, 60),  # beyond it below
    Format("tall", 8, -100, 120),  # within it, the magic number of the rounding is not
]
STORED = [FP16, BF16]
ALL = [*STORED, FP32, *TOYS]
by_name = pytest.mark.parametrize("fmt", ALL, ids=lambda fmt: fmt.name)
stored_by_name = pytest.mark.parametrize("fmt", STORED, ids=lambda fmt: fmt.name)


def same(left: np.ndarray, right: np.ndarray) -> None:
    """Equal values, equal signs of zero, NaN for NaN."""
    np.testing.assert_array_equal(left, right)
    live = ~np.isnan(left)
    np.testing.assert_array_equal(np.signbit(left)[live], np.signbit(right)[live])


def patterns(fmt: Format) -> np.ndarray:
    """All non-negative, non-NaN patterns where there are few; the edges of fp32-sized formats."""
    if fmt.infinity_bits <= 1 << 16:
        return np.arange(fmt.infinity_bits + 1)
    smallest_normal = 1 << (fmt.precision - 1)
    edges = [0, smallest_normal, fmt.infinity_bits, fmt.infinity_bits // 2]
    near = [e + d for e in edges for d in range(-300, 301)]
    drawn = np.random.default_rng(1).integers(0, fmt.infinity_bits, 20_000)
    inside = [b for b in near if 0 <= b <= fmt.infinity_bits]
    return np.unique(np.concatenate([inside, drawn]))


def exact_value(bits: int, fmt: Format) -> Fraction:
    """The value of a non-negative finite pattern, from the definition of the fields."""
    fraction = bits % (1 << (fmt.precision - 1))
    field = bits >> (fmt.precision - 1)
    step = Fraction(2) ** (max(field, 1) - 1 + fmt.emin + 1 - fmt.precision)
    return (fraction + (1 << (fmt.precision - 1) if field else 0)) * step


def exactly_rounded(value: float, fmt: Format, toward_zero: bool = False) -> float:
    """Round by integer division of Fractions, the definition with no float arithmetic in it."""
    if math.isnan(value) or math.isinf(value) or value == 0.0:
        return value
    magnitude = abs(Fraction(value))
    exponent = fmt.emin
    while magnitude >= Fraction(2) ** (exponent + 1) and exponent < fmt.emax:
        exponent += 1
    step = Fraction(2) ** (exponent + 1 - fmt.precision)
    steps = math.floor(magnitude / step) if toward_zero else round(magnitude / step)
    largest = Fraction(fmt.largest_finite)
    beyond = float(largest) if toward_zero else math.inf
    rounded = beyond if steps * step > largest else float(steps * step)
    return math.copysign(rounded, value)


@pytest.mark.parametrize(
    ("fmt", "row"),
    [
        (FP16, (2.0**-11, 2.0**-14, 2.0**-24, 65504.0, 65520.0)),
        (
            BF16,
            (2.0**-8, 2.0**-126, 2.0**-133, (2 - 2.0**-7) * 2.0**127, (2 - 2.0**-8) * 2.0**127),
        ),
        (
            FP32,
            (2.0**-24, 2.0**-126, 2.0**-149, (2 - 2.0**-23) * 2.0**127, (2 - 2.0**-24) * 2.0**127),
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Format) else "",
)
def test_the_derived_constants_are_those_of_the_table(
    fmt: Format, row: tuple[float, float, float, float, float]
) -> None:
    assert row == (
        fmt.unit_roundoff,
        fmt.smallest_normal,
        fmt.smallest_subnormal,
        fmt.largest_finite,
        fmt.overflow_threshold,
    )
    info = ml_dtypes.finfo(numpy_dtype(fmt))  # type: ignore[no-untyped-call]
    assert float(info.max) == fmt.largest_finite
    assert float(info.smallest_normal) == fmt.smallest_normal
    assert float(info.smallest_subnormal) == fmt.smallest_subnormal


@by_name
def test_every_pattern_has_the_value_that_its_fields_define(fmt: Format) -> None:
    bits = patterns(fmt)[:-1]
    chosen = bits if len(bits) < 5000 else bits[:: len(bits) // 5000]
    expected = [float(exact_value(int(b), fmt)) for b in chosen]
    same(from_bits(chosen, fmt), np.array(expected))
    same(from_bits(chosen | fmt.sign_bit, fmt), -np.array(expected))
    assert from_bits(fmt.infinity_bits, fmt) == np.inf
    assert from_bits(fmt.infinity_bits | fmt.sign_bit, fmt) == -np.inf
    assert np.isnan(from_bits([fmt.infinity_bits + 1, fmt.nan_bits, fmt.sign_bit - 1], fmt)).all()


@stored_by_name
def test_all_65536_patterns_agree_with_the_stored_type_and_come_back(fmt: Format) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    values = from_bits(bits, fmt)
    with np.errstate(invalid="ignore"):
        same(values, bits.view(numpy_dtype(fmt)).astype(np.float64))
    back = to_bits(values, fmt)
    nan = np.isnan(values)
    assert back.dtype == np.uint16
    np.testing.assert_array_equal(back[~nan], bits[~nan])
    assert (back[nan] == fmt.nan_bits).all()
    same(round_once(values, fmt), values)
    same(truncate(values, fmt), values)


@by_name
def test_ordered_integers_grow_by_one_with_the_value_and_fold_the_zeros(fmt: Format) -> None:
    bits = patterns(fmt)
    up = ordered(bits, fmt)
    np.testing.assert_array_equal(up, bits)
    np.testing.assert_array_equal(ordered(bits | fmt.sign_bit, fmt), -bits)
    assert (np.diff(from_bits(from_ordered(up, fmt), fmt)) > 0).all()
    both = np.concatenate([-up[:0:-1], up])
    np.testing.assert_array_equal(ordered(from_ordered(both, fmt), fmt), both)
    assert (np.diff(from_bits(from_ordered(both, fmt), fmt)) > 0).all()
    assert not np.signbit(from_bits(from_ordered(0, fmt), fmt))
    nan = np.array([fmt.nan_bits, fmt.nan_bits | fmt.sign_bit])
    assert (np.abs(ordered(nan, fmt)) > fmt.infinity_bits).all()


@stored_by_name
def test_ordered_integers_sort_all_65536_patterns_as_their_values(fmt: Format) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    values, integers = from_bits(bits, fmt), ordered(bits, fmt)
    finite = ~np.isnan(values)
    by_value = np.argsort(values[finite], kind="stable")
    assert (np.diff(values[finite][by_value]) >= 0).all()
    steps = np.diff(integers[finite][by_value])
    np.testing.assert_array_equal(steps == 0, np.diff(values[finite][by_value]) == 0)
    assert set(steps.tolist()) == {0, 1}


@by_name
def test_midpoints_go_to_the_even_neighbour_and_their_float64_neighbours_to_the_near_one(
    fmt: Format,
) -> None:
    low_bits = patterns(fmt)[:-1]
    low = from_bits(low_bits, fmt)
    # The successor of the largest finite value would be 2^(emax+1): the threshold is its midpoint.
    last = low_bits == fmt.infinity_bits - 1
    high = np.where(last, 2.0 ** (fmt.emax + 1), from_bits(low_bits + 1, fmt))
    middle = low + (high - low) / 2
    rounded_up = np.where(last, np.inf, high)
    for sign in (1.0, -1.0):
        even = np.where(low_bits % 2 == 0, low, rounded_up)
        same(round_once(sign * middle, fmt), sign * even)
        same(round_once(sign * np.nextafter(middle, -np.inf), fmt), sign * low)
        same(round_once(sign * np.nextafter(middle, np.inf), fmt), sign * rounded_up)
        for value in (middle, np.nextafter(high, -np.inf)):
            same(truncate(sign * value, fmt), sign * low)
        for value in (middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)):
            same(from_bits(to_bits(sign * value, fmt), fmt), round_once(sign * value, fmt))


@by_name
def test_special_values_keep_their_kind_and_sign(fmt: Format) -> None:
    threshold = fmt.overflow_threshold
    below = np.nextafter(threshold, 0)
    values = np.array([np.inf, -np.inf, 0.0, -0.0, threshold, -threshold, below, -below, 1.7e308])
    omega = fmt.largest_finite
    nearest = np.array([np.inf, -np.inf, 0.0, -0.0, np.inf, -np.inf, omega, -omega, np.inf])
    downward = np.array([np.inf, -np.inf, 0.0, -0.0, omega, -omega, omega, -omega, omega])
    same(round_once(values, fmt), nearest)
    same(from_bits(to_bits(values, fmt), fmt), nearest)
    same(truncate(values, fmt), downward)
    for tiny in (5e-324, fmt.smallest_subnormal / 2, -5e-324):
        same(round_once(tiny, fmt), np.copysign(0.0, tiny))
        same(truncate(tiny, fmt), np.copysign(0.0, tiny))
    assert np.isnan(round_once(np.nan, fmt))
    assert np.isnan(truncate(np.nan, fmt))
    np.testing.assert_array_equal(to_bits([np.nan, -np.nan], fmt), [fmt.nan_bits] * 2)


def test_a_value_just_above_a_bf16_midpoint_is_not_rounded_twice() -> None:
    value = 1 + 2.0**-8 + 2.0**-40
    assert round_once(value, BF16) == 1.0078125
    assert from_bits(to_bits(value, BF16), BF16) == 1.0078125


@by_name
@given(data=st.data())
def test_any_float64_is_rounded_as_fractions_are(fmt: Format, data: st.DataObject) -> None:
    edge = st.floats(-4 * fmt.largest_finite, 4 * fmt.largest_finite)
    low = st.floats(-4 * fmt.smallest_normal, 4 * fmt.smallest_normal)
    value = data.draw(st.one_of(st.floats(-4.0, 4.0), edge, low, st.floats()))
    expected = exactly_rounded(value, fmt)
    same(round_once(value, fmt), np.asarray(expected))
    same(from_bits(to_bits(value, fmt), fmt), np.asarray(expected))
    same(truncate(value, fmt), np.asarray(exactly_rounded(value, fmt, toward_zero=True)))


@pytest.mark.parametrize("fmt", TOYS[:4], ids=lambda fmt: fmt.name)
def test_toy_formats_round_every_sixteenth_of_a_step_as_fractions_do(fmt: Format) -> None:
    step = fmt.smallest_subnormal / 16
    ends = int(fmt.overflow_threshold / step) + 20
    values = np.arange(-ends, ends + 1) * step
    same(round_once(values, fmt), np.array([exactly_rounded(v, fmt) for v in values]))
    same(truncate(values, fmt), np.array([exactly_rounded(v, fmt, True) for v in values]))
    same(from_bits(to_bits(values, fmt), fmt), round_once(values, fmt))


@pytest.mark.parametrize("fmt", [FP16, FP32], ids=lambda fmt: fmt.name)
def test_rounding_agrees_with_the_casts_of_numpy(fmt: Format) -> None:
    rng = np.random.default_rng(2)
    scale = np.exp2(rng.uniform(fmt.emin - fmt.precision - 2, fmt.emax + 2, 200_000))
    values = rng.standard_normal(200_000) * scale
    with np.errstate(over="ignore", under="ignore"):
        cast = values.astype(numpy_dtype(fmt))
    same(round_once(values, fmt), cast.astype(np.float64))
    np.testing.assert_array_equal(to_bits(values, fmt), bits_of(cast))


@by_name
def test_the_fast_path_from_float32_gives_the_patterns_of_one_rounding(fmt: Format) -> None:
    drawn = np.random.default_rng(3).integers(0, 1 << 32, 300_000).astype(np.uint32)
    # Every high half with the low halves around a bf16 midpoint; every fp16 midpoint and neighbour.
    halves = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    around = np.concatenate([halves | np.uint32(low) for low in (0, 1, 0x7FFF, 0x8000, 0x8001)])
    step = np.arange(1 << 19, dtype=np.uint32) << np.uint32(12)
    for bits in (drawn, around, step, step | np.uint32(0x80000000), step + np.uint32(1)):
        values = bits.view(np.float32)
        result = round_fp32_to_bits(values, fmt)
        assert result.dtype == fmt.storage_dtype
        np.testing.assert_array_equal(result, to_bits(values, fmt))


@by_name
def test_blocks_and_strides_and_empty_arrays_change_nothing(fmt: Format) -> None:
    values = np.random.default_rng(4).standard_normal((300, 200))
    for view in (values, values.T, values[::-3, 1::2], values[:0], values[0, 0]):
        rounded = round_once(view, fmt)
        assert rounded.shape == view.shape
        pattern = to_bits(np.ascontiguousarray(view).reshape(-1), fmt).reshape(view.shape)
        np.testing.assert_array_equal(to_bits(view, fmt), pattern)
        np.testing.assert_array_equal(from_bits(pattern, fmt), rounded)
        positive_zero = np.where(pattern == fmt.sign_bit, 0, pattern)
        np.testing.assert_array_equal(from_ordered(ordered(pattern, fmt), fmt), positive_zero)
        single = np.asarray(view, dtype=np.float32)
        np.testing.assert_array_equal(round_fp32_to_bits(single, fmt), to_bits(single, fmt))


def test_widening_is_exact_and_keeps_signalling_nans_of_bf16_as_bits() -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    wide = widen(bits.view(ml_dtypes.bfloat16))
    assert wide.dtype == np.float32
    np.testing.assert_array_equal(wide.view(np.uint32), bits.astype(np.uint32) << np.uint32(16))
    for fmt in STORED:
        for to in (np.float32, np.float64):
            values = widen(bits.view(numpy_dtype(fmt)), to=to)
            assert values.dtype == to
            np.testing.assert_array_equal(to_bits(values, fmt), to_bits(from_bits(bits, fmt), fmt))
    single = np.array([[1.5, -0.0]], np.float32)
    assert widen(single) is single or np.shares_memory(widen(single), single)
    same(widen(single, np.float64), np.array([[1.5, -0.0]]))


def test_bits_of_is_a_view_in_the_storage_dtype() -> None:
    for fmt in (FP16, BF16, FP32):
        array = np.zeros((2, 3), numpy_dtype(fmt))[:, ::2]
        view = bits_of(array)
        view[1, 1] = fmt.infinity_bits
        assert view.dtype == fmt.storage_dtype
        assert view.shape == array.shape
        assert float(array[1, 1]) == np.inf


def test_a_format_has_its_names_and_its_dtype() -> None:
    for fmt, names in ((FP16, "fp16 float16"), (BF16, "bf16 bfloat16"), (FP32, "fp32 float32")):
        for name in names.split():
            assert format_of(name) is fmt
        assert format_of(numpy_dtype(fmt)) is fmt
        assert format_of(numpy_dtype(fmt).type) is fmt


@pytest.mark.parametrize("unknown", ["float64", "half", np.float64, np.dtype("V2"), np.int16])
def test_an_unknown_format_is_rejected_with_the_known_names(unknown: object) -> None:
    with pytest.raises(ValueError, match=r"dtype_or_name=.* must be one of float16, .*fp32"):
        format_of(unknown)  # type: ignore[arg-type]


def test_values_and_patterns_of_the_wrong_kind_are_rejected() -> None:
    with pytest.raises(TypeError, match="values: dtype int64 must be float64"):
        round_once(np.arange(3, dtype=np.int64), FP16)
    with pytest.raises(TypeError, match="values: dtype float64 must be float32"):
        round_fp32_to_bits(np.zeros(3), FP16)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="bits: dtype float64 must be an integer dtype"):
        from_bits(np.zeros(3), FP16)
    with pytest.raises(ValueError, match=r"bits=65536: must lie in \[0, 65536\)"):
        from_bits(65536, FP16)
    with pytest.raises(ValueError, match=r"bits=64: must lie in \[0, 64\)"):
        ordered(np.array([64], np.uint8), TOYS[0])
    with pytest.raises(ValueError, match=r"ordinals=-32768: must lie in \[-32767, 32768\)"):
        from_ordered([5, -32768], FP16)
    with pytest.raises(ValueError, match="to=float16: must be float32 or float64"):
        widen(np.zeros(2, np.float32), to=np.float16)
    with pytest.raises(ValueError, match=r"fmt=.*toy.*must be FP16, BF16 or FP32"):
        numpy_dtype(TOYS[0])


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("bad", 25, -14, 15), r"precision in \[2, 24\]"),
        (("bad", 1, -14, 15), r"precision in \[2, 24\]"),
        (("bad", 11, 3, 2), "emin <= emax"),
        (("bad", 11, -901, 2), "-900 <= emin"),
        (("bad", 11, -14, 15, 15), r"storage_bits in \[16, 32\]"),
        (("bad", 11, -14, 15, 33), r"storage_bits in \[16, 32\]"),
    ],
)
def test_a_format_outside_the_limits_is_rejected(arguments: tuple[object, ...], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        Format(*arguments)  # type: ignore[arg-type]

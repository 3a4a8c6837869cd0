"""Lanes: every pattern of a half format comes out with its value, and rounds back once."""

import numpy as np
import pytest

from conformance.call.case import numpy_dtype
from conformance.numerics.lanes import Rows, packable
from reference.floats import FP16, format_of, from_bits, round_fp32_to_bits

DTYPES = pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
HALVES = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
SCALE = {"float16": 2.0**112, "bfloat16": 1.0}


def every_pattern(dtype):
    return np.arange(1 << 16, dtype=np.uint16).reshape(16, -1).view(numpy_dtype(dtype))


def unpacked(rows):
    lanes = rows.buffers(len(rows.raw))
    rows.unpack(rows.raw, lanes)
    return lanes


def interleaved(lanes):
    return np.stack(lanes, axis=-1).reshape(len(lanes[0]), -1)


@HALVES
def test_every_pattern_of_a_half_format_is_unpacked_exactly(dtype):
    array = every_pattern(dtype)
    rows = Rows.of(array, packed=True)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        found = interleaved(unpacked(rows)).astype(np.float64) * SCALE[dtype]
    wanted = from_bits(array.view(np.uint16), format_of(dtype))
    finite = np.isfinite(wanted)
    assert (found[finite] == wanted[finite]).all()
    assert (np.signbit(found) == np.signbit(wanted))[finite].all()


@HALVES
def test_every_tie_and_its_neighbours_round_to_storage_once(dtype):
    fmt = format_of(dtype)
    values = from_bits(np.arange(fmt.infinity_bits), fmt)
    ties = (values[:-1] + values[1:]) / 2
    beyond = [fmt.overflow_threshold, 0.999 * fmt.overflow_threshold]
    beyond += [1.5 * fmt.overflow_threshold] if fmt == FP16 else []
    exact = np.concatenate([values, ties, beyond]).astype(np.float32)
    near = np.concatenate(
        [exact, np.nextafter(exact, np.float32(0)), np.nextafter(exact, np.float32(np.inf))]
    )
    near = np.concatenate([near, -near])
    near = near[: near.size // 4 * 4].reshape(2, -1)
    wanted = round_fp32_to_bits(near, fmt)
    scaled = (near.astype(np.float64) / SCALE[dtype]).astype(np.float32)
    scaled_back = scaled.astype(np.float64) * SCALE[dtype]
    kept = np.isfinite(near) & (scaled_back == near)  # scaling is exact but for the smallest
    rows = Rows.of(np.zeros(near.shape, numpy_dtype(dtype)), packed=True)
    lanes = tuple(np.ascontiguousarray(scaled[:, lane::2]) for lane in (0, 1))
    assert kept.mean() > 0.9
    spare = rows.buffers(len(near))
    assert (rows.pack(lanes, spare).view(np.uint16) == wanted)[kept].all()


@DTYPES
@pytest.mark.parametrize("width", [1, 3, 4])
def test_rows_of_any_width_are_unpacked_and_packed(dtype, width):
    array = np.arange(1.0, 2 * width + 1).reshape(2, width).astype(numpy_dtype(dtype))
    packed = packable(array)
    assert packed == (dtype != "float32" and width % 2 == 0)
    rows = Rows.of(array, packed)
    lanes = unpacked(rows)
    assert rows.nan(lanes) is None
    assert (rows.pack(lanes, rows.buffers(2)) == rows.raw).all()
    assert not rows.differing(rows.raw, rows.raw.copy()).any()


@HALVES
def test_a_nan_is_found_in_its_lane(dtype):
    rows = Rows.of(np.zeros((2, 4), numpy_dtype(dtype)), packed=True)
    lanes = unpacked(rows)
    lanes[1][0, 1] = np.nan
    assert np.argwhere(rows.nan(lanes)).tolist() == [[0, 3]]


def test_infinities_and_nans_of_float16_are_seen_before_they_become_numbers():
    rows = Rows.of(np.zeros((1, 2), np.float16), packed=True)
    for pattern, special in ((0x7BFF, False), (0x7C00, True), (0xFBFF, False), (0xFE01, True)):
        raw = np.array([[0, pattern]], np.uint16).view(np.uint32)
        assert rows.special(raw) is special


def test_views_that_do_not_fit_words_are_not_packed():
    array = np.zeros((4, 6), np.float16)
    assert packable(array)
    assert not packable(array[:, :4])
    assert not packable(array[::2])
    assert not packable(array.reshape(-1)[1:5].reshape(2, 2))
    assert not packable(np.zeros((4, 6), np.float32))


def test_differences_are_told_by_element():
    rows = Rows.of(np.zeros((1, 4), np.float16), packed=True)
    other = np.array([[0, 0, 7, 0]], np.uint16).view(np.uint32)
    assert rows.differing(rows.raw, other).tolist() == [[False, False, True, False]]

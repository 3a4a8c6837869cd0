"""The softmax gating kernels on small machines and large, at their seams, without a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import product

import numpy as np
import pytest

from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.gating_calls import (
    V1,
    V2,
    Array,
    Rows,
    answer,
    assert_choice_first,
    assert_softmax_first,
)
from tests.slow import slow_but

DTYPES = ("float32", "float16", "bfloat16")
EXPERTS = (1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1024, 1025, 2048)
LANE_BYTES, SORTED, SMALLEST_UB = 24, 32, 1024


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={V1.name, V2.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


def gauss(*shape: int, scale: float = 2.0) -> Array:
    found: Array = np.random.default_rng(sum(shape)).normal(0, scale, shape)
    return found


def levels(*shape: int) -> Array:
    """Few different values, so that most are equal."""
    found: Array = np.random.default_rng(sum(shape)).integers(-1, 2, shape).astype(float)
    return found


def ks(experts: int) -> list[int]:
    return sorted({k for k in (1, 8, 9, 32, 33, experts, 1024) if k <= min(experts, 1024)})


def least_ub(experts: int, k: int) -> int:
    def in_sorts(count: int) -> int:
        return -(-count // SORTED) * SORTED

    return max(SMALLEST_UB, LANE_BYTES * min(in_sorts(experts), in_sorts(k) + SORTED))


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("experts", EXPERTS)
def test_any_number_of_experts_in_one_piece_and_in_the_smallest(
    experts: int, dtype: str, device: Device
) -> None:
    for k, made in product(ks(experts), (gauss, levels)):
        x = made(3, experts)
        for ub in (196352, least_ub(experts, k)):
            assert_softmax_first(device, Rows(x, k, dtype, ub=ub))
            assert_choice_first(device, Rows(x, k, dtype, ub=ub))


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("experts", [8159, 8160, 8161, 16287, 16289])
def test_rows_longer_than_the_buffer_of_a_chip(experts: int, dtype: str, device: Device) -> None:
    for k in (1, 33, 1024):
        assert_softmax_first(device, Rows(gauss(2, experts), k, dtype))
        assert_choice_first(device, Rows(gauss(2, experts), k, dtype))


@pytest.mark.parametrize("order", ["forward", "reverse", "shuffled:1"])
@pytest.mark.parametrize("cores", [1, 2, 3, 7, 48])
def test_rows_are_cut_over_any_number_of_cores(cores: int, order: str, device: Device) -> None:
    for rows, dtype in product({1, cores - 1, cores, cores + 1, 3 * cores + 2} - {0}, DTYPES):
        for experts, k in ((5, 3), (70, 8)):
            x = gauss(rows, experts)
            finished = x[:, 0] > 0
            call = Rows(x, k, dtype, finished, cores, 2304, order)
            assert_softmax_first(device, call)
            assert_choice_first(device, call)
            assert_as_second_version(device, call)


@pytest.mark.parametrize("rows", slow_but([3, 255], [2, 3, 9, 254, 255, 256, 600]))
def test_short_rows_are_taken_in_batches(rows: int, device: Device) -> None:
    for dtype, (experts, k) in product(DTYPES, ((1, 1), (7, 3), (8, 8), (32, 32))):
        for ub in (1024, 2304, 196352):
            call = Rows(gauss(rows, experts), k, dtype, gauss(rows, 1)[:, 0] > 0, 1, ub)
            assert_softmax_first(device, call)
            assert_choice_first(device, call)
            assert_as_second_version(device, call)


@pytest.mark.parametrize("finished", [None, "none", "some", "all"])
def test_batches_of_rows_are_rows(finished: str | None, device: Device) -> None:
    x = levels(3, 4, 40)
    told = {
        None: None,
        "none": np.zeros((3, 4), bool),
        "some": np.arange(12).reshape(3, 4) % 3 == 1,
        "all": np.ones((3, 4), bool),
    }[finished]
    for dtype, k, ub in product(DTYPES, (1, 8, 40), (196352, 2304)):
        call = Rows(x, k, dtype, told, ub=ub)
        assert_softmax_first(device, call)
        assert_choice_first(device, call)
        assert_as_second_version(device, call)


def assert_as_second_version(device: Device, rows: Rows) -> None:
    """The first version has the same result, and numbers the places column by column."""
    one = answer(device, V1, rows.case(V1))
    other = answer(device, V2, rows.case(V2, renorm=0))
    for name in ("y", "expert_idx"):
        assert one[name].tobytes() == other[name].tobytes()
    places = one["row_idx"].reshape(-1, rows.k)
    numbers = np.arange(places.size).reshape(rows.k, -1).T
    np.testing.assert_array_equal(places, numbers)


MASKED = (1, 3, 8, 9, 19, 20)
"""Experts that are not -infinity: fewer than k, k, and more."""


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("experts", [20, 40, 100])
def test_experts_of_minus_infinity_are_last_and_in_order(
    experts: int, dtype: str, device: Device
) -> None:
    x = np.full((len(MASKED), experts), -np.inf)
    for row, count in enumerate(MASKED):
        x[row, np.random.default_rng(row).permutation(experts)[:count]] = gauss(count)
    for k, ub in product((1, 8, 20), (196352, 2304)):
        assert_softmax_first(device, Rows(x, k, dtype, ub=ub))
        assert_choice_first(device, Rows(x, k, dtype, ub=ub))


SPECIAL = {
    "a NaN": (np.nan,),
    "a negative NaN": (-np.nan,),
    "only NaN": (np.nan,) * 100,
    "only negative NaN": (-np.nan,) * 100,
    "infinity": (np.inf,),
    "infinity and a NaN": (np.inf, -np.nan),
    "two infinities": (np.inf, np.inf),
    "only -infinity": (-np.inf,) * 100,
}


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("from_start", [True, False])
def test_a_row_without_a_softmax_keeps_to_itself_and_has_experts(
    name: str, dtype: str, from_start: bool, device: Device
) -> None:
    for experts, k, ub in product((20, 40, 100), (1, 8, 20), (196352, 2304)):
        x = gauss(5, experts)
        strange = np.array(SPECIAL[name][:experts])
        x[1, slice(0, strange.size) if from_start else slice(experts - strange.size, None)] = (
            strange
        )
        others = np.arange(5) != 1
        for renorm in (0, 1):
            got = answer(device, V2, Rows(x, k, dtype, ub=ub).case(V2, renorm=renorm))
            alone = answer(device, V2, Rows(x[others], k, dtype, ub=ub).case(V2, renorm=renorm))
            for output in ("y", "expert_idx"):
                assert got[output][others].tobytes() == alone[output].tobytes()
            assert np.isnan(got["y"][1].astype(np.float32)).all()
            ids = got["expert_idx"][1]
            assert len({*ids.tolist()}) == k
            assert 0 <= ids.min() <= ids.max() < experts


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
def test_shares_that_are_zero_are_equal(dtype: str, device: Device) -> None:
    """Inputs differ where the exponentials are all zero: then the lower expert goes first."""
    for experts, ub in product((20, 100), (196352, 2304)):
        small = -200.0 - gauss(2, experts - 3, scale=20)
        x = np.concatenate([np.zeros((2, 3)), small], axis=1)[:, ::-1]
        assert_softmax_first(device, Rows(x, experts // 2, dtype, ub=ub))


@pytest.mark.parametrize("offset", [100.0, 1e4, -1e4])
def test_the_maximum_is_subtracted(offset: float, device: Device) -> None:
    for experts, ub in product((20, 100), (196352, 2304)):
        assert_softmax_first(device, Rows(gauss(2, experts) + offset, 8, ub=ub))
        assert_choice_first(device, Rows(gauss(2, experts) + offset, 8, ub=ub))

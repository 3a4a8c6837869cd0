"""The kernel of MoeGatingTopK on small machines and large, at its seams, without a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from conformance.call.case import numpy_dtype
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.group_gating_calls import (
    GATING,
    NORM_TYPES,
    SIGMOID,
    SOFTMAX,
    SOFTPLUS,
    Array,
    Gating,
    answered,
    assert_gated,
    exact_scores,
)
from tests.slow import slow_but

DTYPES = ("float32", "float16", "bfloat16")
EXPERTS = (1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 255, 256, 257, 384, 2016, 2047, 2048)
KS = (1, 8, 31, 32, 33, 64, 65)
LANE_BYTES, SORTED = 32, 32
GROUPED = (
    *((8, 32, kept) for kept in (1, 3, 4, 5, 7, 8)),
    *((64, members, kept) for members in (1, 2, 31, 32) for kept in (1, 17, 63, 64)),
    *((groups, 33, kept) for groups, kept in ((2, 1), (5, 4), (32, 16))),
    *((3, 7, 2), (4, 1, 2), (63, 1, 62), (1, 2048, 1), (2, 1000, 1), (33, 5, 32)),
)
"""Groups, members of one, and groups that are kept."""


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={GATING.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


def gauss(*shape: int, scale: float = 2.0) -> Array:
    found: Array = np.random.default_rng(sum(shape)).normal(0, scale, shape)
    return found


def levels(*shape: int) -> Array:
    """Few different values, so that most are equal."""
    found: Array = np.random.default_rng(sum(shape)).integers(-1, 2, shape).astype(float)
    return found


KINDS = (gauss, levels)
"""By turns: what one data type has of one kind, the next one has of the other."""


def lattice(experts: int) -> Array:
    """Different numbers that each dtype has, in any order: 1/2 plus one is exact, too."""
    steps = np.random.default_rng(experts).permutation(experts)
    found: Array = (steps - experts // 2) / 2**6 if experts <= 256 else steps % 128 / 2**6
    return found


def least_ub(experts: int, groups: int = 1) -> int:
    return int(LANE_BYTES * groups * -(-experts // groups // SORTED) * SORTED)


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("experts", EXPERTS)
def test_any_number_of_experts_in_the_largest_buffer_and_in_the_least(
    experts: int, dtype: str, device: Device
) -> None:
    ks = sorted({k for k in (*KS, experts) if k <= experts})
    for number, (k, norm_type) in enumerate(product(ks, NORM_TYPES), DTYPES.index(dtype)):
        made = KINDS[number % 2]
        call = Gating(made(2, experts), k, dtype, norm_type=norm_type, factor=2.5)
        assert_gated(device, call)
        bias = made(experts) / 4
        assert_gated(device, replace(call, bias=bias, ub=least_ub(experts), renorm=True))


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize(("groups", "members", "kept"), slow_but(GROUPED[::2], GROUPED))
def test_any_groups_of_experts(
    groups: int, members: int, kept: int, dtype: str, device: Device
) -> None:
    experts = groups * members
    is_one = groups == kept or members == 1
    ub = least_ub(experts, 1 if is_one else groups)
    ks = sorted({k for k in (*KS, kept * members) if k <= kept * members})
    for number, (k, by_two) in enumerate(product(ks, {False, members > 1}), DTYPES.index(dtype)):
        made = KINDS[number // 2 % 2]
        call = Gating(made(2, experts), k, dtype, None, groups, kept, by_two, ub=ub)
        assert_gated(device, call)
        for norm_type in (SIGMOID, SOFTPLUS):
            assert_gated(device, replace(call, norm_type=norm_type, bias=made(experts) / 4))


@pytest.mark.parametrize("order", ["forward", "reverse", "shuffled:1"])
@pytest.mark.parametrize("cores", [1, 2, 3, 7, 48])
def test_rows_are_cut_over_any_number_of_cores(cores: int, order: str, device: Device) -> None:
    for rows, dtype in product({1, cores - 1, cores, cores + 1, 3 * cores + 2} - {0}, DTYPES):
        for groups, kept in ((1, 1), (8, 3)):
            x = gauss(rows, 40)
            call = Gating(x, 7, dtype, gauss(40), groups, kept, norm_type=SIGMOID)
            assert_gated(device, replace(call, cores=cores, order=order))


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("groups", [1, 8])
def test_a_bias_decides_between_equal_scores(groups: int, dtype: str, device: Device) -> None:
    """The choice is exact whatever the exponential is, and every weight is 1/k."""
    for experts, kept, by_two in product((64, 256), {1, groups // 2, groups - 1} - {0}, (0, 1)):
        bias, k = lattice(experts), 8
        x = np.zeros((3, experts))
        call = Gating(x, k, dtype, bias, groups, kept, bool(by_two), norm_type=SIGMOID)
        got = assert_gated(device, call)
        assert (got["out"] == 0.5).all()
        assert (got["y"] == numpy_dtype(dtype).type(1 / k)).all()


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
def test_two_good_experts_are_better_than_the_best_one(dtype: str, device: Device) -> None:
    """By their two best, groups of two good experts are kept, else those of the best one."""
    for members in (2, 8, 32, 33):
        bias = np.full((4, members), -3.0)
        bias[::2, members // 2] = 1.0
        bias[1::2, :2] = 0.75
        x = np.zeros((2, 4 * members))
        for by_two, groups in ((False, {0, 2}), (True, {1, 3})):
            call = Gating(x, 4, dtype, bias.reshape(-1), 4, 2, by_two, norm_type=SIGMOID)
            ids = assert_gated(device, call)["expert_idx"]
            assert {*(ids // members).reshape(-1).tolist()} == groups


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
def test_keys_that_are_all_negative(dtype: str, device: Device) -> None:
    for (experts, groups, kept), by_two in product(((33, 1, 1), (70, 7, 3)), (False, True)):
        bias = -3 + lattice(experts) / 4
        call = Gating(gauss(3, experts), 20, dtype, bias, groups, kept, by_two)
        for norm_type in NORM_TYPES:
            assert_gated(device, replace(call, norm_type=norm_type))


MASKED = (0, 1, 3, 8, 9, 19, 20)
"""Experts that are not -infinity: fewer than k, k, and more."""


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("left", MASKED)
@pytest.mark.parametrize("groups", slow_but([1, 4], [1, 4, 20]))
def test_masked_experts_are_last_and_in_order(
    groups: int, left: int, dtype: str, device: Device
) -> None:
    """Those of groups that are not kept are never chosen, nor what fills up a group."""
    for experts, by_two in product((20, 40, 100, 160), (False, True)):
        mask = np.full(experts, -np.inf)
        mask[np.random.default_rng(left).permutation(experts)[:left]] = 0
        if by_two and experts == groups:
            continue
        for kept in {1, groups // 2, groups} - {0}:
            k = min(8, kept * experts // groups)
            call = Gating(gauss(2, experts), k, dtype, mask, groups, kept, by_two)
            for norm_type in NORM_TYPES:
                assert_gated(device, replace(call, norm_type=norm_type))
                if left > 0 or norm_type != SOFTMAX:
                    masked = replace(call, x=call.x + mask, bias=None, norm_type=norm_type)
                    assert_masked(device, masked)


def assert_masked(device: Device, call: Gating) -> None:
    """With no sum to divide by, weights are 0 / 0."""
    if call.normalises and not np.isfinite(call.x).any():
        call = replace(call, eps=1.0)
    assert_gated(device, call)


def test_the_least_number_is_greater_than_minus_infinity(device: Device) -> None:
    least = float(np.finfo(np.float32).min)
    for groups, kept in ((1, 1), (4, 2)):
        bias = np.full(40, -np.inf)
        bias[[7, 21, 29]] = least
        call = Gating(gauss(2, 40), 12, bias=bias, groups=groups, kept=kept)
        ids = assert_gated(device, call)["expert_idx"].reshape(2, -1)
        assert (ids[:, 0] == 7).all()


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("norm_type", NORM_TYPES)
def test_equal_experts_go_in_order(norm_type: int, dtype: str, device: Device) -> None:
    for value, (groups, kept), by_two in product(
        (-30.0, 0.0, 20.0), ((1, 1), (5, 2), (10, 9)), (False, True)
    ):
        call = Gating(np.full((3, 70), value), 9, dtype, None, groups, kept, by_two)
        got = assert_gated(device, replace(call, norm_type=norm_type, eps=1e-6))
        assert (got["expert_idx"].reshape(3, 9) == np.arange(9)).all()


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
def test_saturated_scores_are_equal(dtype: str, device: Device) -> None:
    x = gauss(3, 90)
    x[:, ::4] = 18 + np.arange(23)
    for groups, kept in ((1, 1), (9, 4)):
        call = Gating(x, 8, dtype, None, groups, kept, norm_type=SIGMOID)
        got = assert_gated(device, call)
        assert (got["y"] == numpy_dtype(dtype).type(1 / 8)).all()


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("eps", [0.0, 1e-20, 1e-6, 1.0, 1e-60, 1e60])
def test_the_sum_has_eps(eps: float, dtype: str, device: Device) -> None:
    """A double beyond fp32 is 0 or infinity."""
    for x, norm_type in product((gauss(3, 40), gauss(3, 40) - 12), NORM_TYPES):
        for renorm in (False, True):
            call = Gating(x, 8, dtype, renorm=renorm, norm_type=norm_type, eps=eps)
            with np.errstate(over="ignore"):
                assert_gated(device, call)


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize(
    "factor", [0.0, -2.5, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 1 + 3 * 2**-11]
)
def test_weights_have_the_factor_and_are_rounded_to_even(
    factor: float, dtype: str, device: Device
) -> None:
    for k, x in ((1, np.zeros((2, 1))), (2, np.zeros((2, 2))), (8, gauss(2, 40))):
        assert_gated(device, Gating(x, k, dtype, factor=factor))
    call = Gating(np.zeros((2, 40)), 2, dtype, factor=factor, norm_type=SIGMOID)
    y = answered(device, replace(call, wants_out=False))["y"]
    assert (y == (np.float32(0.5) * np.float32(factor)).astype(numpy_dtype(dtype))).all()


@pytest.mark.parametrize("offset", [60.0, 100.0, 1e4, -1e4])
def test_the_maximum_is_subtracted(offset: float, device: Device) -> None:
    for groups, kept in ((1, 1), (10, 3)):
        assert_gated(device, Gating(gauss(2, 100) + offset, 8, groups=groups, kept=kept))


def test_scores_of_any_size(device: Device) -> None:
    x = np.linspace(-110, 88, 2000).reshape(2, 1000)
    for norm_type, (groups, kept) in product((SIGMOID, SOFTPLUS), ((1, 1), (10, 4))):
        call = Gating(x, 100, groups=groups, kept=kept, norm_type=norm_type, eps=1.0)
        assert_gated(device, call)


SPECIAL = {
    "a NaN": (np.nan,),
    "a negative NaN": (-np.nan,),
    "only NaN": (np.nan,) * 100,
    "infinity": (np.inf,),
    "infinity and a NaN": (np.inf, -np.nan),
    "two infinities": (np.inf, np.inf),
    "both infinities": (np.inf, -np.inf),
    "only -infinity": (-np.inf,) * 100,
}


def softmax_of(row: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return exact_scores(row, SOFTMAX)


@pytest.mark.parametrize("dtype", slow_but(["bfloat16"], DTYPES))
@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("norm_type", NORM_TYPES)
def test_a_strange_row_keeps_to_itself_and_has_experts(
    name: str, norm_type: int, dtype: str, device: Device
) -> None:
    others = np.arange(5) != 1
    for experts, at, (groups, kept) in product(
        (20, 40, 100), (slice(0, 100), slice(-1, None)), ((1, 1), (4, 2), (10, 9))
    ):
        x = gauss(5, experts)
        x[1, at] = np.resize(SPECIAL[name], experts)[at]
        for by_two, bias in product((False, True), (None, np.where(x[0] > 1, -np.inf, 0))):
            call = Gating(x, 5, dtype, bias, groups, kept, by_two, norm_type=norm_type)
            got = answered(device, replace(call, wants_out=True))
            alone = answered(device, replace(call, x=x[others]))
            for output in ("y", "expert_idx", "out"):
                assert got[output][others].tobytes() == alone[output].tobytes()
            ids = got["expert_idx"][1].tolist()
            assert len({*ids}) == 5
            assert 0 <= min(ids) <= max(ids) < experts
            assert len({one // (experts // groups) for one in ids}) <= kept
            if norm_type == SOFTMAX and not np.isfinite(softmax_of(x[1])).all():
                assert np.isnan(got["y"][1].astype(np.float32)).all()

"""MoeTokenPermute moves what its document's formula moves, bit by bit, without a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.host_tilings import UB_910B
from tests.kernels.launches import simulator
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_permute_values import (
    by_definition,
    drawn,
    far,
    kept,
    numbers,
    special,
    value,
    values,
)
from tests.kernels.permute_values import experts
from tests.kernels.signatures import PERMUTE, assert_clean, bits, completed, random_bits

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, PERMUTE, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_every_token_goes_to_the_ranks_of_its_slots(device: Device) -> None:
    for one in values():
        assert_right(device, one)


def test_the_ranks_of_the_published_example_come_out(device: Device) -> None:
    indices = np.array([[1, 2], [3, 1], [2, 3]], np.int32)
    one = value("published", random_bits((3, 4), "bfloat16", 0), indices, 0, None)
    outputs = completed(device, PERMUTE, one.case)
    assert outputs["ranks"].tolist() == [0, 2, 4, 1, 3, 5]
    tokens = random_bits((3, 4), "bfloat16", 0)
    assert bits(outputs["permuted"]) == bits(tokens[[0, 1, 0, 2, 1, 2]])


def test_a_number_of_rows_is_the_slice_that_the_document_says() -> None:
    assert [kept(number, 6) for number in numbers(6)] == [6, 3, 1, 4, 6, 1, 6, 5, 0, 0]


def test_the_rows_that_are_not_kept_are_the_last_ones() -> None:
    tokens, indices = random_bits((4, 2), "int8", 0), experts("falling", 4)
    permuted, ranks = by_definition(tokens, indices, -1)
    assert permuted.tolist() == tokens[[3, 2, 1]].tolist()
    assert ranks.tolist() == [3, 2, 1, 0]


def test_without_kept_rows_the_ranks_are_still_given(device: Device) -> None:
    one = value("none", random_bits((5, 7), "float16", 0), experts("two", 5), -5, (2, 1024))
    assert one.case.outputs["permuted"].shape == (0, 7)
    assert_right(device, one)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4, 0)])
def test_without_slots_there_is_nothing_to_do(device: Device, shape: tuple[int, ...]) -> None:
    for number in (0, 3, -3):
        tokens = random_bits((shape[0], 5), "int8", 0)
        one = value("nothing", tokens, np.zeros(shape, np.int32), number)
        seen = device.run(PERMUTE, one.case)
        assert_clean(seen, one.case)
        assert seen.workspace_bytes == 0


@pytest.mark.parametrize("slots", [8160, 8161, 24321, 32641])
@pytest.mark.parametrize("cores", [40, 48])
def test_sizes_at_which_a_real_chip_sorts_otherwise(device: Device, cores: int, slots: int) -> None:
    indices = experts("negative", slots)
    one = value("large", random_bits((slots, 1), "int8", 1), indices, 9, (cores, UB_910B))
    assert_right(device, one)


@pytest.mark.parametrize("hidden", [98144, 98145, 196289])
def test_rows_of_int8_at_the_limit_of_a_tile_of_a_real_chip(device: Device, hidden: int) -> None:
    indices = np.array([[1, 0], [0, 1]], np.int32)
    one = value("wide", random_bits((2, hidden), "int8", 1), indices, 0, (40, UB_910B))
    assert_right(device, one)


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*special(), *list(drawn())[::9]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)

"""MoeInitRoutingV2 moves and counts what its document's formula says, bit by bit, without a
diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.host_tilings import UB_910_93, UB_910B
from tests.kernels.launches import simulator
from tests.kernels.moe_init_routing_v2_values import (
    Mode,
    by_definition,
    drawn,
    far,
    idle,
    modes,
    special,
    value,
    values,
)
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.permute_values import experts
from tests.kernels.signatures import (
    DTYPES,
    INIT_ROUTING_V2,
    assert_clean,
    bits,
    completed,
    numpy_type,
    random_bits,
)

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, INIT_ROUTING_V2, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_every_slot_has_its_row_and_every_expert_its_number(device: Device) -> None:
    for one in values():
        assert_right(device, one)


def test_three_tokens_worked_out_by_hand() -> None:
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    indices = np.array([[1, 0], [1, 2], [0, 1]], np.int32)
    ranks = [2, 0, 3, 5, 1, 4]
    dropless = by_definition(x, indices, Mode(active=3, expert_num=4, count_flag=1))
    assert dropless["places"].tolist() == ranks
    assert dropless["rows"].tolist() == [[0, 1], [4, 5], [0, 1]]
    assert dropless["counts"].tolist() == [2, 5, 6, 6]
    padded = by_definition(x, indices, Mode(pad=1, expert_num=4, capacity=2, before_flag=1))
    assert padded["places"].tolist() == [2, 0, 3, 4, 1, -1]
    assert padded["rows"].tolist() == [
        [[0, 1], [4, 5]],
        [[0, 1], [2, 3]],
        [[2, 3], [0, 0]],
        [[0, 0], [0, 0]],
    ]
    assert padded["before"].tolist() == [2, 3, 1, 0]


def test_ranks_behind_the_last_row_are_given_all_the_same(device: Device) -> None:
    one = value("one row", random_bits((5, 7), "float16", 0), experts("falling", 5)[:, None],
                Mode(active=1), (2, 1024))  # fmt: skip
    assert one.case.outputs["rows"].shape == (1, 7)
    assert one.expected["places"].tolist() == [4, 3, 2, 1, 0]
    assert_right(device, one)


@pytest.mark.parametrize("mode", modes(5, 5, 3), ids=str)
def test_an_output_that_the_mode_does_not_ask_for_is_not_touched(
    device: Device, mode: Mode
) -> None:
    x, indices = random_bits((5, 7), "bfloat16", 0), experts("two", 5)[:, None]
    one = value("unwanted", x, indices, mode, (2, 1024))
    both = dict.fromkeys(("counts", "before"), Tensor((9,), "int32"))
    seen = device.run(INIT_ROUTING_V2, replace(one.case, outputs=both | dict(one.case.outputs)))
    assert_clean(seen, one.case)
    for name in both.keys() - one.expected.keys():
        assert seen.unwritten[name] == 9, name
    for name, expected in one.expected.items():
        assert bits(seen.outputs[name]) == bits(expected), name


@pytest.mark.parametrize("slots", [8160, 8161, 24321, 32641])
@pytest.mark.parametrize("machine", [(40, UB_910B), (48, UB_910_93)])
def test_sizes_at_which_a_real_chip_sorts_otherwise(
    device: Device, machine: tuple[int, int], slots: int
) -> None:
    indices = experts("blocks", slots)[:, None]
    for mode in modes(slots, slots, 5)[::3]:
        one = value("large", random_bits((slots, 1), "float16", 1), indices, mode, machine)
        assert_right(device, one)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("cores", "ub"), [(40, UB_910B), (48, UB_910_93)])
def test_rows_at_the_limit_of_a_tile_of_a_real_chip(
    device: Device, cores: int, ub: int, dtype: str
) -> None:
    indices = np.array([[1, 0], [0, 1]], np.int32)
    limit = ((ub - 32 - 2 * 4) // 2 // 32 * 32) // numpy_type(dtype).itemsize
    for hidden in (limit - 1, limit, limit + 1):
        for mode in modes(2, 4, 2)[1:4]:
            x = random_bits((2, hidden), dtype, hidden)
            assert_right(device, value("wide", x, indices, mode, (cores, ub)))


@pytest.mark.parametrize("ub", [UB_910B, UB_910_93])
def test_experts_at_the_limit_of_what_a_real_chip_counts_at_a_time(device: Device, ub: int) -> None:
    limit = ub // 2 // 32 * 8
    x = random_bits((30, 1), "float16", 3)
    for expert_num in (limit - 2, limit - 1, limit, limit + 1):
        indices = (np.arange(60).reshape(30, 2) * 997) % expert_num
        indices[0] = expert_num - 1, 0
        for mode in (
            Mode(expert_num=expert_num, count_flag=1),
            Mode(expert_num=expert_num, capacity=1, pad=1, before_flag=1),
        ):
            assert_right(device, value("many experts", x, indices, mode, (40, ub)))


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*list(special())[::7], *idle(), *list(drawn())[::9]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)

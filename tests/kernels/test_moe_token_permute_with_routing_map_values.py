"""MoeTokenPermuteWithRoutingMap moves what its document's formula moves, on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Machine, Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.launches import simulator
from tests.kernels.moe_token_permute_grad_values import MACHINES, Value
from tests.kernels.moe_token_permute_with_routing_map_values import (
    by_capacity,
    by_rank,
    drawn,
    far,
    random_map,
    random_value,
    special,
    value,
)
from tests.kernels.signatures import ROUTING_MAP, bits, completed, random_bits

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, ROUTING_MAP, one.case)
    assert outputs.keys() == one.expected.keys()
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_copies_and_probs_lie_expert_by_expert(device: Device) -> None:
    for one in drawn():
        assert_right(device, one)


def test_what_draws_meet_seldom_is_right_too(device: Device) -> None:
    for one in special():
        assert_right(device, one)


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_indices_are_ranks_by_token_or_tokens_by_expert() -> None:
    tokens = np.arange(3, dtype=np.float32).reshape(3, 1)
    routing_map = np.array([[0, 1], [1, 0], [0, 1]], np.int8)
    ranked = by_rank(tokens, routing_map, None)
    assert ranked["indices"].tolist() == [1, 0, 2]
    assert ranked["permuted"].reshape(-1).tolist() == [1, 0, 2]
    padded = by_capacity(tokens, routing_map, None, 2)
    assert padded["indices"].tolist() == [1, 0, 0, 2]


@pytest.mark.parametrize("pad", [False, True])
def test_the_result_is_the_same_on_every_machine(pad: bool, device: Device) -> None:
    first = random_value((40, 45, 9, 100), "float32", MACHINES[0], 1, pad=pad)
    for cores, ub in [(c, u) for c in (1, 2, 3, 7, 48) for u in (1024, 1056, 1536, 5120, 196352)]:
        assert_right(device, replace(first, case=replace(first.case, machine=Machine(cores, ub))))


@pytest.mark.parametrize("ub", [196352, 196608])
@pytest.mark.parametrize("cores", [40, 48])
def test_real_chips_copy_rows_of_one_tile_and_of_two(cores: int, ub: int, device: Device) -> None:
    for pad in (False, True):
        for hidden in (ub // 8 - 16, ub // 8 + 16):
            assert_right(
                device, random_value((cores + 1, 3, 1, hidden), "float32", (cores, ub), 1, pad=pad)
            )


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*list(special())[:-2], *list(drawn())[::9]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


@pytest.mark.parametrize("pad", [False, True])
def test_without_probs_their_output_is_left_alone(pad: bool, device: Device) -> None:
    one = value("rows", random_bits((4, 8), "float32", 0), random_map(4, 2, 1, 1), 4, pad=pad)
    room = {"permuted_probs": Tensor((4,), "float32")}
    seen = device.run(ROUTING_MAP, replace(one.case, outputs={**one.case.outputs, **room}))
    assert seen.outcome is Outcome.COMPLETED
    assert seen.unwritten["permuted_probs"] == 4
    for name, expected in one.expected.items():
        assert bits(seen.outputs[name]) == bits(expected)


@pytest.mark.parametrize(
    "wrong",
    [
        [[1, 0, 0], [1, 1, 0]],
        [[1, 1, 0], [0, 1, 0]],
        [[1, 1, 1], [1, 1, 0]],
        [[1, 1, 0], [1, 1, 1]],
        [[1, 1, 1], [1, 0, 0]],
        [[1, 0, 0], [1, 1, 1]],
        [[0, 0, 0], [0, 0, 0]],
    ],
)
def test_a_row_without_top_k_ones_is_the_callers_mistake_and_told(
    wrong: list[list[int]], device: Device
) -> None:
    plain = np.array([[1, 1, 0], [1, 0, 1]], np.int8)
    tokens, probs = random_bits((2, 8), "float32", 0), random_bits((2, 3), "float32", 1)
    good = value("good", tokens, plain, 4, probs=probs)
    mistaken = Tensor((2, 3), "int8", tuple(np.array(wrong).reshape(-1).tolist()))
    bad = replace(good.case, inputs={**good.case.inputs, "map": mistaken})
    seen = device.run(ROUTING_MAP, bad)
    assert seen.outcome is Outcome.FAILED
    assert [one.code for one in seen.diagnostics] == ["assertion"]
    assert_right(device, good)

"""MoeTokenPermuteWithRoutingMapGrad computes its document's formula on every machine."""

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
from tests.kernels.moe_token_permute_with_routing_map_grad_values import (
    drawn,
    padded,
    slotted,
    special,
    value,
)
from tests.kernels.signatures import ROUTING_MAP_GRAD, bits, completed, random_rows

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, ROUTING_MAP_GRAD, one.case)
    assert outputs.keys() == one.expected.keys()
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_both_gradients_are_those_of_the_formula(device: Device) -> None:
    for one in drawn():
        assert_right(device, one)


def test_what_draws_meet_seldom_is_right_too(device: Device) -> None:
    for one in special():
        assert_right(device, one)


@pytest.mark.parametrize("pad", [False, True])
def test_the_result_is_the_same_on_every_machine(pad: bool, device: Device) -> None:
    sizes = (60, 5, 2, 100) if not pad else (40, 8, 9, 100)
    make = padded if pad else slotted
    first = make(sizes, "float32", MACHINES[0], 1)
    for cores, ub in [(c, u) for c in (1, 2, 3, 7, 48) for u in (1024, 1056, 1536, 5120, 196352)]:
        assert_right(device, replace(first, case=replace(first.case, machine=Machine(cores, ub))))


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*list(special())[:-1], *list(drawn())[::9]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


def test_without_gradients_of_the_permuted_probs_their_output_is_left_alone(device: Device) -> None:
    for pad in (False, True):
        named = np.array([0, 1, 1, 0])
        rows = random_rows((4, 8), "float32", 0)
        one = value("tokens", rows, named, np.ones((2, 2), np.int8), (2, 1024), pad=pad)
        asked = replace(
            one.case, outputs={**one.case.outputs, "probs_grad": Tensor((2, 2), "float32")}
        )
        seen = device.run(ROUTING_MAP_GRAD, asked)
        assert seen.outcome is Outcome.COMPLETED
        assert seen.unwritten == {"tokens_grad": 0, "probs_grad": 4}
        assert bits(seen.outputs["tokens_grad"]) == bits(one.expected["tokens_grad"])


def test_more_true_places_than_values_are_the_callers_mistake_and_told(device: Device) -> None:
    rows, values = random_rows((4, 8), "float32", 0), random_rows((4,), "float32", 1)
    narrow = np.array([[1, 1, 0], [1, 1, 0]], np.int8)
    good = value("good", rows, np.arange(4), narrow, (1, 1024), pad=False, values=values)
    bad = replace(good.case, inputs={**good.case.inputs, "map": Tensor((2, 3), "int8", (1,) * 6)})
    seen = device.run(ROUTING_MAP_GRAD, bad)
    assert seen.outcome is Outcome.FAILED
    assert [one.code for one in seen.diagnostics] == ["gm-out-of-bounds"]
    assert "permutedProbsOutputGradOptional" in seen.diagnostics[0].message
    assert_right(device, good)

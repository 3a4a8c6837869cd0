"""MoeTokenPermuteGrad computes its document's formula on every machine, without a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.launches import simulator
from tests.kernels.moe_token_permute_grad_values import Value, far, special, value, values
from tests.kernels.signatures import PERMUTE_GRAD, bits, completed, random_rows

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, PERMUTE_GRAD, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_every_token_gets_the_sum_of_its_slots_from_the_first_to_the_last(device: Device) -> None:
    for one in values():
        assert_right(device, one)


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*special(), *list(values())[::9]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


@pytest.mark.parametrize("index", [-1, -7])
def test_a_negative_index_is_the_callers_mistake_and_told(device: Device, index: int) -> None:
    rows = random_rows((4, 8), "float32", 0)
    good = value("good", rows, np.array([0, 1, 2, 3]), 2, (1, 1024))
    indices = Tensor((4,), "int32", values=(0, 1, index, 3))
    bad = replace(good.case, inputs={**good.case.inputs, "indices": indices})
    seen = device.run(PERMUTE_GRAD, bad)
    assert seen.outcome is Outcome.FAILED
    assert [one.code for one in seen.diagnostics] == ["gm-out-of-bounds"]
    assert "permutedOutputGrad" in seen.diagnostics[0].message
    assert_right(device, good)

"""MoeFinalizeRoutingV2 computes its document's formula on every machine, without a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.launches import simulator
from tests.kernels.moe_finalize_routing_v2_values import (
    MODES,
    OPTIONALS,
    PAIRS,
    drawn,
    far,
    moved,
    parted,
    random_inputs,
    special,
    typed,
    value,
)
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.signatures import FINALIZE_V2, bits, completed

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, FINALIZE_V2, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_every_token_gets_its_addends_and_then_its_slots_from_the_first_to_the_last(
    device: Device,
) -> None:
    for one in drawn():
        assert_right(device, one)


def test_what_is_drawn_seldom_is_right_too(device: Device) -> None:
    for one in special():
        assert_right(device, one)


def test_a_row_that_is_only_moved_arrives_bit_by_bit(device: Device) -> None:
    for one in moved():
        assert_right(device, one)


def test_slots_whose_names_come_in_parts_are_added_in_order(device: Device) -> None:
    for one in parted():
        assert_right(device, one)


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*list(special())[::7], *list(parted())[::31], *list(drawn())[::97]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


@pytest.mark.parametrize("optionals", OPTIONALS, ids="+".join)
@pytest.mark.parametrize("pair", PAIRS)
def test_the_smallest_machine_takes_any_number_of_slots(
    device: Device, pair: tuple[str, str], optionals: tuple[str, ...]
) -> None:
    for mode in MODES:
        inputs = random_inputs((3, 130, 90), mode, pair, optionals, mode)
        assert_right(device, value("smallest", inputs, mode, (1, 1024)))


@pytest.mark.parametrize("name", ["rows", "scales", "x1", "bias"])
@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_no_number_stays_none(device: Device, pair: tuple[str, str], name: str) -> None:
    """Which NaN comes out is open, so it is not compared by its bits."""
    inputs = random_inputs((2, 2, 3), 2, pair, OPTIONALS[2], 0)
    inputs["experts"][:] = [[0, 0], [1, 1]]
    inputs["indices"][:] = range(4)
    inputs[name][0] = np.nan
    out = completed(device, FINALIZE_V2, value("NaN", inputs, 2, (1, 1024)).case)["out"]
    assert np.isnan(out.astype(np.float32)).tolist() == [[True] * 3, [False] * 3]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_a_scale_of_zero_multiplies_and_leaves_nothing_out(
    device: Device, pair: tuple[str, str], infinite: float
) -> None:
    inputs = {
        "rows": typed([[infinite, 1], [2, 3]], pair[0]),
        "indices": np.array([0, 1]),
        "scales": typed([[0, 1]], pair[1]),
    }
    out = completed(device, FINALIZE_V2, value("zero", inputs, 0, (1, 1024)).case)["out"]
    assert np.isnan(out.astype(np.float32)).tolist() == [[True, False]]
    assert out[0, 1] == 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("index", [-1, -7, 6, 2**31 - 1, -(2**31)])
def test_an_index_that_names_no_row_reads_nothing_and_leaves_the_bias(
    device: Device, mode: int, index: int
) -> None:
    inputs = random_inputs((2, 2, 9), mode, PAIRS[0], OPTIONALS[2], 7)
    inputs["rows"] = inputs["rows"].reshape(-1, 9)[:4]
    inputs["rows"] = inputs["rows"].reshape(2, 2, 9) if mode % 2 else inputs["rows"]
    inputs["indices"][:] = [0, index, 2, 3]
    assert_right(device, value("outside", inputs, mode, (1, 1024)))
    inputs["experts"][1, 0] = index
    assert_right(device, value("neither row nor bias", inputs, mode, (1, 1024)))

"""MoeTokenUnpermute computes its document's formula on every machine, without a diagnostic."""

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
from tests.kernels.moe_token_permute_grad_values import Value, permutation
from tests.kernels.moe_token_unpermute_values import far, special, value, values
from tests.kernels.signatures import DTYPES, UNPERMUTE, bits, completed, numpy_type, random_rows

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, UNPERMUTE, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_every_token_gets_the_weighted_sum_of_its_slots_from_the_first_to_the_last(
    device: Device,
) -> None:
    for one in values():
        assert_right(device, one)


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*special(), *list(values())[::41]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


@pytest.mark.parametrize("probs_dtype", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_least_unified_buffer_is_enough(device: Device, dtype: str, probs_dtype: str) -> None:
    """As the tiling's header has it for 512 slots; 32 bytes less are refused."""
    sizes = numpy_type(dtype).itemsize, numpy_type(probs_dtype).itemsize
    least = {(4, 2): 3168, (4, 4): 4192, (2, 2): 3296, (2, 4): 4320}[sizes]
    rows, probs = random_rows((1000, 40), dtype, 1), random_rows((2, 512), probs_dtype, 2)
    one = value("least", rows, permutation(1024, 3), probs, (1, least))
    assert_right(device, one)
    less = replace(one.case, machine=Machine(1, least - 32))
    assert device.run(UNPERMUTE, less).outcome is Outcome.REJECTED


@pytest.mark.parametrize("probs_dtype", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_probability_that_is_no_number_is_no_zero(
    device: Device, dtype: str, probs_dtype: str
) -> None:
    """Which NaN comes out is open, so it is not compared by its bits."""
    probs = np.array([[1, np.nan], [1, 0]], numpy_type(probs_dtype))
    one = value("NaN", random_rows((4, 3), dtype, 0), np.arange(4), probs, (1, 1024))
    out = completed(device, UNPERMUTE, one.case)["out"]
    assert np.isnan(out.astype(np.float32)).tolist() == [[True] * 3, [False] * 3]


@pytest.mark.parametrize("index", [-1, -7])
def test_a_negative_index_is_the_callers_mistake_and_told(device: Device, index: int) -> None:
    rows, probs = random_rows((4, 8), "float32", 0), np.array([[1, 1], [2, 0]], np.float16)
    good = value("good", rows, np.array([0, 1, 2, 3]), probs, (1, 1024))

    def named(*indices: int) -> dict[str, Tensor]:
        return {**good.case.inputs, "indices": Tensor((4,), "int32", values=indices)}

    seen = device.run(UNPERMUTE, replace(good.case, inputs=named(0, 1, index, 3)))
    assert seen.outcome is Outcome.FAILED
    assert [one.code for one in seen.diagnostics] == ["gm-out-of-bounds"]
    assert "permutedTokens" in seen.diagnostics[0].message
    # A slot that adds nothing names nothing; the device notes it.
    seen = device.run(UNPERMUTE, replace(good.case, inputs=named(0, 1, 2, index)))
    assert seen.outcome is Outcome.COMPLETED
    assert bits(seen.outputs["out"]) == bits(good.expected["out"])
    assert [(one.code, one.severity) for one in seen.diagnostics] == [("index-unread", "note")]

"""MoeTokenUnpermuteGrad computes its document's formula on every machine, without a diagnostic."""

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
from tests.kernels.moe_token_permute_grad_values import Value, permutation
from tests.kernels.moe_token_unpermute_grad_values import copied, far, special, value, values
from tests.kernels.signatures import (
    DTYPES,
    UNPERMUTE_GRAD,
    bits,
    completed,
    numpy_type,
    random_bits,
    random_rows,
)

ORDERS = ("reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, UNPERMUTE_GRAD, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_rows_and_probabilities_get_their_gradients_and_other_rows_stay(device: Device) -> None:
    for one in values():
        assert_right(device, one)


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*special(), *copied(), *list(values())[::41]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


def test_gradients_beyond_2_to_the_32_elements_are_found_and_those_of_dropped_tokens_not_read(
    device: Device,
) -> None:
    for one in far():
        assert_right(device, one)


@pytest.mark.parametrize("probs_dtype", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_that_is_none_reaches_what_it_is_multiplied_with_and_nothing_else(
    device: Device, dtype: str, probs_dtype: str
) -> None:
    """Which NaN comes out is open, so it is not compared by its bits."""
    rows, grads = random_rows((4, 70), dtype, 0), random_rows((2, 70), dtype, 1)
    rows[2, 69], grads[1, 5] = np.nan, np.inf
    probs = np.array([[np.nan, 1], [0, 2]], numpy_type(probs_dtype))
    one = value("NaN", rows, grads, np.arange(4), probs, (1, 2048))
    with np.errstate(invalid="ignore"):
        outputs = completed(device, UNPERMUTE_GRAD, one.case)
    is_none = np.isnan(outputs["row_grads"].astype(np.float32))
    assert is_none[0].all()
    assert not is_none[[1, 3]].any()
    assert np.flatnonzero(is_none[2]).tolist() == [5]
    sums = outputs["prob_grads"].astype(np.float32)
    assert np.isnan(sums).tolist() == [[False, False], [True, False]]
    assert np.isinf(sums[1, 1])


def test_without_probs_an_output_for_their_gradient_is_left_alone(device: Device) -> None:
    grads = random_bits((4, 8), "bfloat16", 0)
    one = value("bare", grads, grads, np.array([2, 0, 3, 1]), None, (2, 1024))
    outputs = {**one.case.outputs, "prob_grads": Tensor((4, 1), "float32")}
    seen = device.run(UNPERMUTE_GRAD, replace(one.case, outputs=outputs))
    assert seen.outcome is Outcome.COMPLETED
    assert seen.unwritten == {"row_grads": 0, "prob_grads": 4}
    assert bits(seen.outputs["row_grads"]) == bits(one.expected["row_grads"])


@pytest.mark.parametrize("index", [-1, -7])
@pytest.mark.parametrize("with_probs", [False, True])
def test_a_negative_index_is_the_callers_mistake_and_told(
    device: Device, index: int, with_probs: bool
) -> None:
    rows = random_rows((4, 8), "float32", 0)
    probs = np.ones((4, 1), np.float16) if with_probs else None
    good = value("good", rows, rows, np.array([0, 1, 2, 3]), probs, (1, 1024))
    indices = Tensor((4,), "int32", values=(0, 1, index, 3))
    wrong = replace(good.case, inputs={**good.case.inputs, "indices": indices})
    seen = device.run(UNPERMUTE_GRAD, wrong)
    assert seen.outcome is Outcome.FAILED
    assert [one.code for one in seen.diagnostics] == ["gm-out-of-bounds"]
    assert "permutedTokens" in seen.diagnostics[0].message
    assert_right(device, good)


@pytest.mark.parametrize("with_probs", [False, True])
def test_a_row_that_two_cores_write_is_the_callers_mistake_and_told(
    device: Device, with_probs: bool
) -> None:
    rows = random_rows((4, 8), "float16", 0)
    probs = np.ones((4, 1), np.float16) if with_probs else None
    good = value("good", rows, rows, np.array([0, 1, 2, 3]), probs, (2, 1024))
    indices = Tensor((4,), "int32", values=(0, 1, 2, 1))
    wrong = replace(good.case, inputs={**good.case.inputs, "indices": indices})
    seen = device.run(UNPERMUTE_GRAD, wrong)
    assert "race" in [one.code for one in seen.diagnostics]


@pytest.mark.parametrize("cores", [1, 2, 3, 40, 48])
def test_few_tokens_of_many_slots_are_cut_between_cores(device: Device, cores: int) -> None:
    rows, grads = random_rows((45, 130), "bfloat16", 0), random_rows((2, 130), "bfloat16", 1)
    probs = random_rows((2, 23), "float32", 2)
    for ub in (1024, 196352, 196608):
        assert_right(device, value("few", rows, grads, permutation(46, 3), probs, (cores, ub)))

"""MoeTokenPermuteWithEpGrad computes its formula on every machine, without a diagnostic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Machine
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.launches import simulator
from tests.kernels.moe_token_permute_grad_values import Value, permutation
from tests.kernels.moe_token_permute_with_ep_grad_values import (
    drawn,
    far,
    moved,
    special,
    special_bits,
    value,
    values,
)
from tests.kernels.signatures import (
    DTYPES,
    PERMUTE_EP_GRAD,
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
    outputs = completed(device, PERMUTE_EP_GRAD, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_every_token_gets_the_sum_of_the_rows_of_its_ranks_in_the_range(device: Device) -> None:
    for one in drawn():
        assert_right(device, one)


def test_ends_of_ranges_and_empty_ones_are_kept_to(device: Device) -> None:
    for one in special():
        assert_right(device, one)


def test_probabilities_arrive_bit_by_bit_and_are_zero_outside_the_range(device: Device) -> None:
    for one in moved():
        assert_right(device, one)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bits_that_are_moved_are_of_every_kind(dtype: str) -> None:
    kinds = special_bits(dtype).astype(np.float32)
    found = [np.isnan(kinds), np.isinf(kinds), kinds == 0]
    assert [np.count_nonzero(one) for one in found] == [6, 2, 2]
    assert np.count_nonzero(np.signbit(kinds)) == len(kinds) // 2


def test_rows_beyond_2_to_the_32_elements_are_found(device: Device) -> None:
    assert_right(device, far())


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*special(), *moved(), *list(drawn())[::17]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_least_unified_buffer_is_enough(device: Device, dtype: str) -> None:
    """As the tiling's header has it for 512 slots; 32 bytes less are refused."""
    least = {4: 2144, 2: 2272}[numpy_type(dtype).itemsize]
    rows, probs = random_rows((1000, 40), dtype, 1), random_bits((1000,), dtype, 2)
    one = value("least", rows, permutation(1024, 3), 512, (9, 1009), probs, (1, least))
    assert_right(device, one)
    less = replace(one.case, machine=Machine(1, least - 32))
    assert device.run(PERMUTE_EP_GRAD, less).outcome is Outcome.REJECTED


def test_without_gradients_of_permuted_probs_those_of_probs_stay_untouched(device: Device) -> None:
    rows, indices = random_rows((4, 8), "float32", 0), np.array([3, 0, 1, 2])
    bare = value("bare", rows, indices, 2, (0, 4))
    full = value("full", rows, indices, 2, (0, 4), rows[:, 0].copy())
    case = replace(bare.case, outputs=full.case.outputs)
    outputs = completed(device, PERMUTE_EP_GRAD, case)
    assert bits(outputs["tokens_grad"]) == bits(bare.expected["tokens_grad"])
    (before,) = set(bits(outputs["probs_grad"]))
    assert before != 0


def test_ranges_of_every_kind_are_among_the_calls() -> None:
    spans = {one.case.attributes["range"] for one in values()}
    assert None in spans
    assert any(span is not None and span[0] < 0 < span[1] for span in spans)
    assert any(span is not None and span[0] >= span[1] for span in spans)

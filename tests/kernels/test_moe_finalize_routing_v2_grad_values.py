"""MoeFinalizeRoutingV2Grad computes its formula on every machine, without a diagnostic."""

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
from tests.kernels.moe_finalize_routing_v2_grad_values import (
    KINDS,
    Rows,
    far,
    inputs_of,
    special,
    value,
    values,
)
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.signatures import (
    DTYPES,
    FINALIZE_GRAD,
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
    outputs = completed(device, FINALIZE_GRAD, one.case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), (one.name, name)


def test_rows_and_scales_get_their_gradients_and_other_rows_stay_or_are_zeros(
    device: Device,
) -> None:
    for one in values():
        assert_right(device, one)


def test_the_result_does_not_depend_on_the_order_of_blocks() -> None:
    lib = build(quiet=True).lib
    found = [*special(), *list(values())[::41]]
    for order in ORDERS:
        with simulator({"ASCENDSIM_BLOCK_ORDER": order}, lib) as device:
            for one in found:
                assert_right(device, one)


def test_gradients_beyond_2_to_the_32_elements_are_found_and_those_of_dropped_tokens_not_read(
    device: Device,
) -> None:
    for one in far():
        assert_right(device, one)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_that_is_none_reaches_what_it_is_multiplied_with_and_nothing_else(
    device: Device, dtype: str
) -> None:
    """Which NaN comes out is open, so it is not compared by its bits."""
    rows, grads = random_rows((4, 70), dtype, 0), random_rows((2, 70), dtype, 1)
    rows[2, 69], grads[1, 5] = np.nan, np.inf
    kind = numpy_type(dtype)
    scales = np.array([[np.nan, 1], [0, 2]], kind)
    biases = np.zeros((2, 70), kind)
    biases[1, 3] = np.nan
    with np.errstate(invalid="ignore"):
        one = value(
            "NaN",
            Rows("dropless", 4),
            (1, 2048),
            grads=grads,
            indices=np.arange(4),
            rows=rows,
            scales=scales,
            experts=np.array([[0, 1], [0, 0]]),
            biases=biases,
        )
        outputs = completed(device, FINALIZE_GRAD, one.case)
    is_none = np.isnan(outputs["row_grads"].astype(np.float32))
    assert is_none[0].all()
    assert not is_none[[1, 3]].any()
    assert np.flatnonzero(is_none[2]).tolist() == [5]
    sums = outputs["scale_grads"].astype(np.float32)
    assert np.isnan(sums).tolist() == [[False, True], [True, False]]
    assert np.isinf(sums[1, 1])


def test_without_scales_nothing_else_is_read_or_written(device: Device) -> None:
    rows = Rows("dropless", 4)
    bare = value(
        "bare", rows, (2, 1024), grads=random_bits((4, 8), "bfloat16", 0), indices=np.arange(4)
    )
    others = {
        "rows": Tensor((3,), "bfloat16", (0,) * 3),
        "experts": Tensor((2, 2), "int32", (99,) * 4),
        "biases": Tensor((1,), "bfloat16", (0,)),
    }
    outputs = {**bare.case.outputs, "scale_grads": Tensor((4, 1), "bfloat16")}
    case = replace(bare.case, inputs={**bare.case.inputs, **others}, outputs=outputs)
    seen = device.run(FINALIZE_GRAD, case)
    assert seen.outcome is Outcome.COMPLETED
    assert seen.unwritten == {"row_grads": 0, "scale_grads": 4}
    assert bits(seen.outputs["row_grads"]) == bits(bare.expected["row_grads"])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_no_index_names_are_written_in_drop_pad_mode_alone(
    device: Device, kind: str
) -> None:
    for rows, unwritten in ((Rows("active", 3), 8), (Rows("pad", 6, 2), 0)):
        inputs = inputs_of(kind, (4, 1), 8, rows, "float32", 1)
        inputs["indices"] = np.array([2, -1, 0, 99])
        one = value("some", rows, (3, 1024), **inputs)
        seen = device.run(FINALIZE_GRAD, one.case)
        assert seen.outcome is Outcome.COMPLETED
        assert seen.unwritten["row_grads"] == unwritten


@pytest.mark.parametrize("expert", [-1, 5])
def test_an_expert_without_a_bias_is_the_callers_mistake_and_told(
    device: Device, expert: int
) -> None:
    rows = Rows("dropless", 4)
    good = value("good", rows, (1, 1024), **inputs_of("bias", (2, 2), 8, rows, "float32", 0))
    experts = Tensor((2, 2), "int32", values=(0, 1, expert, 3))
    wrong = replace(good.case, inputs={**good.case.inputs, "experts": experts})
    seen = device.run(FINALIZE_GRAD, wrong)
    assert seen.outcome is Outcome.FAILED
    assert [one.code for one in seen.diagnostics] == ["gm-out-of-bounds"]
    assert "biasOptional" in seen.diagnostics[0].message
    assert_right(device, good)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_that_two_cores_write_is_the_callers_mistake_and_told(
    device: Device, kind: str
) -> None:
    rows = Rows("dropless", 4)
    good = value("good", rows, (2, 1024), **inputs_of(kind, (4, 1), 8, rows, "float16", 0))
    indices = Tensor((4,), "int32", values=(0, 1, 2, 1))
    wrong = replace(good.case, inputs={**good.case.inputs, "indices": indices})
    seen = device.run(FINALIZE_GRAD, wrong)
    assert "race" in [one.code for one in seen.diagnostics]


@pytest.mark.parametrize("cores", [1, 2, 3, 40, 48])
def test_few_tokens_of_many_slots_are_cut_between_cores(device: Device, cores: int) -> None:
    rows = Rows("active", 45)
    for kind, ub in (("scales", 1024), ("bias", 1024), ("bias", 196352), ("bias", 196608)):
        inputs = inputs_of(kind, (2, 23), 130, rows, "bfloat16", 2)
        assert_right(device, value("few", rows, (cores, ub), **inputs))

"""The simulated device runs the project's kernels through the same process and route."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.case import Case, Machine, Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device

SOURCE = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], np.float32)


@pytest.fixture(scope="module")
def simulator() -> Iterator[Device]:
    device = open_device("sim")
    yield device
    device.close()


@pytest.mark.parametrize(("version", "soc"), [("9.1.0.alpha003", ""), ("8.1", ":Ascend910B2")])
def test_the_version_of_its_cann_can_be_asked_for(version: str, soc: str) -> None:
    device = open_device(f"sim{soc}@{version}")
    device.close()
    assert (device.profile.cann, device.profile.keeps_to_cann) == (version, True)
    assert device.profile.describe().endswith(f" vector cores, CANN {version}")


@pytest.mark.parametrize("spec", ["sim@", "sim@nine", "npu@9.1", "auto@9.1", "npu:0@9.1"])
def test_another_version_or_that_of_an_npu_cannot(spec: str) -> None:
    with pytest.raises(
        ValueError, match=r"is no version of CANN, such as 9\.1, of a simulated NPU"
    ):
        open_device(spec)


def test_by_itself_it_keeps_to_no_version(simulator: Device) -> None:
    assert (simulator.profile.cann, simulator.profile.keeps_to_cann) == ("9.1.0", False)


def grad_case(rows: tuple[int, ...], top_k: int = 2, machine: Machine | None = None) -> Case:
    """Four rows of two fp32 elements, added two by two in the order that ``rows`` gives."""
    bits = tuple(SOURCE.view(np.uint32).reshape(-1).tolist())
    return Case(
        operator=OPERATOR.name,
        mode="dropless",
        dtype="float32",
        attributes={"top_k": top_k, "drop_pad_mode": 0, "active_num": 0},
        inputs={
            "grad_expanded_x": Tensor((4, 2), "float32", bits),
            "expanded_row_idx": Tensor((4,), "int32", rows),
        },
        outputs={"grad_x": Tensor((2, 2), "float32")},
        machine=machine,
    )


@pytest.mark.parametrize("machine", [None, Machine(1, 8192), Machine(3, 196608)])
def test_a_call_completes_with_its_values(simulator: Device, machine: Machine | None) -> None:
    observation = simulator.run(OPERATOR, grad_case((3, 0, 1, 2), machine=machine))
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["grad_x"].tolist() == [[8.0, 10.0], [8.0, 10.0]]
    assert observation.unwritten == {"grad_x": 0}
    assert observation.guard_damage == ()
    assert observation.inputs_changed == ()
    assert observation.diagnostics == ()


def test_a_refused_attribute_has_the_status_of_the_tiling(simulator: Device) -> None:
    observation = simulator.run(OPERATOR, grad_case((0, 1, 2, 3), top_k=0))
    assert (observation.outcome, observation.status) == (Outcome.REJECTED, 561002)
    assert observation.outputs_untouched


def test_a_tensor_left_out_has_the_status_of_a_null_pointer(simulator: Device) -> None:
    case = grad_case((0, 1, 2, 3))
    rows = {"expanded_row_idx": case.inputs["expanded_row_idx"]}
    observation = simulator.run(OPERATOR, replace(case, inputs=rows))
    assert (observation.outcome, observation.status) == (Outcome.REJECTED, 161001)


def test_a_row_outside_the_source_is_diagnosed_and_the_next_call_is_fine(simulator: Device) -> None:
    observation = simulator.run(OPERATOR, grad_case((0, 1, 2, 1_000_000)))
    assert (observation.outcome, observation.status) == (Outcome.FAILED, 507015)
    assert "gm-out-of-bounds" in [diagnostic.code for diagnostic in observation.diagnostics]
    good = simulator.run(OPERATOR, grad_case((0, 1, 2, 3)))
    assert good.outputs["grad_x"].tolist() == [[4.0, 6.0], [12.0, 14.0]]
    assert good.diagnostics == ()

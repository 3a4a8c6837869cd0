"""A call with a row-sparse tensor: as large as its shape on the device, as small as its rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.case import Case, Tensor
from conformance.call.observation import GuardDamage, Observation, Outcome
from conformance.devices.call import call_of
from conformance.devices.device import Device
from conformance.devices.open import open_device
from tests.conformance.devices.fakes import fake_case, fake_operator

MIB = 1 << 20
ONE, TWO, FOUR = (int(np.float32(value).view(np.uint32)) for value in (1, 2, 4))


@pytest.fixture(scope="module")
def simulator() -> Iterator[Device]:
    device = open_device("sim")
    yield device
    device.close()


def peak(process: int) -> int:
    """Bytes of memory that a process had in use at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


def children() -> set[int]:
    """The processes that this one has started."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(number) for task in tasks for number in task.read_text().split()}


def far_case(
    indices: tuple[int, ...], rows: tuple[int, ...], values: tuple[int, ...], experts: int = 8
) -> Case:
    """Sums of pairs of rows of fp32 [experts, 2^28, 2]: eight experts are 2^32 elements."""
    return Case(
        operator=OPERATOR.name,
        mode="drop_pad",
        dtype="float32",
        attributes={"top_k": 2, "drop_pad_mode": 1, "active_num": 0},
        inputs={
            "grad_expanded_x": Tensor((experts, 2**28, 2), "float32", values, rows=rows),
            "expanded_row_idx": Tensor((len(indices),), "int32", indices),
        },
        outputs={"grad_x": Tensor((len(indices) // 2, 2), "float32")},
    )


LAST = 2**31 - 1
FAR = far_case((LAST, 5, 2**30, -1), (5, 2**30, LAST), (ONE, ONE, TWO, TWO, FOUR, ONE))


def test_offsets_beyond_2_to_the_32_are_judged_in_little_memory() -> None:
    others = children()
    device = open_device("sim")
    (process,) = children() - others
    try:
        small = far_case((0, 1), (0, 1), (ONE,) * 4, experts=1)
        assert device.run(OPERATOR, small).outcome is Outcome.COMPLETED
        before = peak(os.getpid()), peak(process)
        observation = device.run(OPERATOR, FAR)
        after = peak(os.getpid()), peak(process)
    finally:
        device.close()
    assert observation.outcome is Outcome.COMPLETED, observation
    assert observation.outputs["grad_x"].tolist() == [[5, 2], [2, 2]]
    assert observation.inputs_changed == ()
    assert observation.guard_damage == ()
    assert [last - first < 64 * MIB for first, last in zip(before, after, strict=True)] == [
        True
    ] * 2


def test_a_row_of_a_former_call_is_gone(simulator: Device) -> None:
    simulator.run(OPERATOR, FAR)
    unlisted = far_case((5, -1), (2**30,), (ONE, ONE))
    assert simulator.run(OPERATOR, unlisted).outputs["grad_x"].tolist() != [[1, 1]]


def test_a_device_without_that_much_memory_says_so_and_is_fine(simulator: Device) -> None:
    observation = simulator.run(OPERATOR, far_case((0, 1), (0, 1), (ONE,) * 4, experts=40))
    assert (observation.outcome, observation.status) == (Outcome.NOT_POSSIBLE, 207001)
    assert observation.message.startswith("grad_expanded_x spans 80.0 GiB of device memory")
    assert simulator.run(OPERATOR, FAR).outcome is Outcome.COMPLETED


def sparse(name: str, device: Device) -> Observation:
    """A fake operator on int32 [5, 3] of which rows 1 and 4 exist."""
    source = Tensor((5, 3), "int32", (1, 2, 3, 4, 5, 6), rows=(1, 4))
    case = replace(fake_case(), inputs={"x": source}, outputs={"y": Tensor((5, 3), "int32")})
    return device.run(fake_operator(name), case)


def test_listed_rows_are_where_they_are_in_the_whole_tensor(fake_device: Device) -> None:
    observation = sparse("FakeAdd", fake_device)
    assert observation.outputs["y"][[1, 4]].tolist() == [[11, 12, 13], [14, 15, 16]]
    assert observation.unwritten == {"y": 0}
    assert observation.inputs_changed == ()
    assert observation.guard_damage == ()


def test_guards_lie_around_the_whole_tensor(fake_device: Device) -> None:
    damage = sparse("FakeWriteAfterInput", fake_device).guard_damage
    assert damage == (GuardDamage("x", 5 * 3 * 4, 1),)


def test_only_listed_rows_count_as_changed(fake_device: Device) -> None:
    assert sparse("FakeChangeInput", fake_device).inputs_changed == ()
    source = Tensor((2, 3), "int32", (1, 2, 3), rows=(0,))
    case = replace(fake_case(), inputs={"x": source})
    changed = fake_device.run(fake_operator("FakeChangeInput"), case)
    assert changed.inputs_changed == ("x",)


def test_an_output_cannot_list_rows() -> None:
    case = replace(fake_case(), outputs={"y": Tensor((2, 3), "int32", rows=(0,))})
    with pytest.raises(ValueError, match="output 'y' lists rows"):
        call_of(fake_operator("FakeAdd"), case)


def test_the_segment_has_room_for_listed_rows_only() -> None:
    call = call_of(OPERATOR, FAR)
    assert call.segment_bytes < MIB
    assert call.sparse_bytes == 2**34

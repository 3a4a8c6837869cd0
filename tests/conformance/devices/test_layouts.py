"""Calls with bool attributes, tensors that are absent, narrow integers, and tensors with gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import GuardDamage, Observation, Outcome
from conformance.call.surroundings import AS_LEFT, ZEROED, Memory, Setting
from conformance.devices.call import call_of
from conformance.devices.device import Device
from conformance.devices.messages import NullTensor, TensorArgument
from conformance.poison import OUTPUTS, pattern
from tests.conformance.devices.fakes import count_case, count_operator

NAME = "FakeCount"


def run(device: Device, case: Case, name: str = NAME) -> Observation:
    observation = device.run(count_operator(name), case)
    assert observation.outcome is Outcome.COMPLETED, observation
    return observation


@pytest.mark.parametrize("dtype", ["int8", "bool"])
@pytest.mark.parametrize("shout", [0, 1])
def test_narrow_integers_and_a_bool_attribute_arrive(
    fake_device: Device, dtype: str, shout: int
) -> None:
    observation = run(fake_device, count_case(dtype, shout=shout))
    assert observation.outputs["y"].tolist() == [[[1], [10]][shout], [0], [[2], [20]][shout]]
    assert observation.inputs_changed == ()


def test_a_tensor_that_may_be_absent_is_null_or_there(fake_device: Device) -> None:
    case = count_case()
    call = call_of(count_operator(NAME), case)
    assert call.arguments[1] == NullTensor("weights")
    assert call.arguments[4] == NullTensor("empty")
    assert set(run(fake_device, case).outputs) == {"y"}
    weighted = replace(case, inputs={**case.inputs, "weights": Tensor((2,), "int32", (5, 7))})
    assert run(fake_device, weighted).outputs["y"].tolist() == [[7], [0], [12]]


@pytest.mark.parametrize("dtype", ["int8", "bool"])
def test_an_output_of_one_byte_comes_back(fake_device: Device, dtype: str) -> None:
    case = count_case()
    both = replace(case, outputs={**case.outputs, "empty": Tensor((3,), dtype)})
    observation = run(fake_device, both)
    assert observation.outputs["empty"].dtype == np.dtype(dtype)
    assert observation.outputs["empty"].tolist() == [0, 1, 0]
    assert observation.unwritten == {"y": 0, "empty": 0}


def test_the_elements_of_a_view_come_back_and_what_lies_between_is_watched(
    fake_device: Device,
) -> None:
    case = count_case(strides=(5, 1))
    observation = run(fake_device, case)
    assert observation.outputs["y"].tolist() == [[1], [0], [2]]
    assert observation.unwritten == {"y": 0}
    assert observation.guard_damage == ()
    observation = run(fake_device, case, "FakeCountInGap")
    assert observation.guard_damage == (GuardDamage("y", 4, 4),)
    assert observation.outputs["y"].tolist() == [[1], [0], [2]]


def test_a_contiguous_tensor_has_no_gaps_to_watch(fake_device: Device) -> None:
    observation = run(fake_device, count_case(strides=(1, 1)), "FakeCountInGap")
    assert observation.guard_damage == ()
    assert observation.outputs["y"].tolist() == [[1], [7], [2]]


def test_elements_of_a_view_that_were_not_written_are_counted_and_poisoned(
    fake_device: Device,
) -> None:
    case = count_case(strides=(3, 1))
    rows = replace(case, outputs={"y": replace(case.outputs["y"], shape=(3, 2))})
    observation = run(fake_device, rows)
    assert observation.unwritten == {"y": 3}
    assert observation.outputs["y"][:, 1].tobytes() == pattern(OUTPUTS) * 6


@pytest.mark.parametrize("strides", [(2, 1), (7, 3), (1, 3)])
def test_an_input_may_be_a_view_too(fake_device: Device, strides: tuple[int, ...]) -> None:
    case = count_case()
    x = replace(case.inputs["x"], strides=strides)
    observation = run(fake_device, replace(case, inputs={"x": x}))
    assert observation.outputs["y"].tolist() == [[1], [0], [2]]
    assert observation.inputs_changed == ()


@pytest.mark.parametrize(
    ("strides", "counted"), [((0, 1), [1, 1, 1]), ((2, 0), [0, 0, 2]), ((0, 0), [2, 2, 2])]
)
def test_an_input_may_be_broadcast_and_lies_in_as_few_bytes(
    fake_device: Device, strides: tuple[int, ...], counted: list[int]
) -> None:
    case = count_case()
    values = {(0, 1): (0, -1) * 3, (2, 0): (0, 0, 0, 0, 2, 2), (0, 0): (5,) * 6}[strides]
    x = replace(case.inputs["x"], values=values, strides=strides, start=3, spare=1)
    viewed = replace(case, inputs={"x": x})
    passed = call_of(count_operator(NAME), viewed).arguments[0]
    assert isinstance(passed, TensorArgument)
    assert passed.nbytes == 4 + {(0, 1): 2, (2, 0): 5, (0, 0): 1}[strides]
    observation = run(fake_device, viewed)
    assert observation.outputs["y"].ravel().tolist() == counted
    assert observation.inputs_changed == ()


@pytest.mark.parametrize("strides", [None, (7, 3), (1, 3)])
def test_an_input_may_begin_inside_its_storage(
    fake_device: Device, strides: tuple[int, ...] | None
) -> None:
    case = count_case()
    x = replace(case.inputs["x"], strides=strides, start=5, spare=2)
    observation = run(fake_device, replace(case, inputs={"x": x}))
    assert observation.outputs["y"].tolist() == [[1], [0], [2]]
    assert observation.inputs_changed == ()


@pytest.mark.parametrize("strides", [None, (4, 1)])
def test_an_output_may_lie_in_a_larger_storage_of_which_the_rest_is_watched(
    fake_device: Device, strides: tuple[int, ...] | None
) -> None:
    case = count_case(strides=strides)
    placed = replace(case, outputs={"y": replace(case.outputs["y"], start=3, spare=9)})
    observation = run(fake_device, placed)
    assert observation.outputs["y"].tolist() == [[1], [0], [2]]
    assert (observation.guard_damage, observation.unwritten) == ((), {"y": 0})
    for name, damaged in (("FakeCountBefore", -1), ("FakeCountBehind", 3)):
        observation = run(fake_device, placed, name)
        assert observation.guard_damage == (GuardDamage("y", 4 * damaged, 4),)


@pytest.mark.parametrize("memory", [ZEROED, AS_LEFT])
def test_the_rest_of_a_storage_is_watched_whatever_outputs_held_before(
    fake_device: Device, memory: Memory
) -> None:
    y = replace(count_case().outputs["y"], start=3)
    placed = replace(count_case(), outputs={"y": y}, setting=Setting(memory))
    assert run(fake_device, placed).guard_damage == ()
    observation = run(fake_device, placed, "FakeCountBefore")
    assert observation.guard_damage == (GuardDamage("y", -4, 4),)


def test_a_storage_without_elements_is_watched_too(fake_device: Device) -> None:
    x, y = Tensor((0, 2), "int8", ()), Tensor((0, 1), "int32", start=2, spare=2)
    empty = replace(count_case(), inputs={"x": x}, outputs={"y": y})
    assert run(fake_device, empty).guard_damage == ()
    observation = run(fake_device, empty, "FakeCountBefore")
    assert observation.guard_damage == (GuardDamage("y", -4, 4),)


def test_a_view_without_elements_takes_no_room(fake_device: Device) -> None:
    case = count_case()
    x, y = Tensor((0, 2), "int8", ()), Tensor((0, 1), "int32", strides=(9, 1))
    observation = run(fake_device, replace(case, inputs={"x": x}, outputs={"y": y}))
    assert observation.outputs["y"].shape == (0, 1)
    assert observation.unwritten == {"y": 0}


def test_strides_are_part_of_what_a_case_is_and_of_its_text() -> None:
    plain, spread = count_case(), count_case(strides=(5, 1))
    assert plain.digest != spread.digest
    assert "y: int32[3x1] with strides (5, 1)" in repr(spread)
    assert "strides" not in repr(plain)


def test_the_place_in_a_storage_is_part_of_what_a_case_is_and_of_its_text() -> None:
    y = count_case().outputs["y"]
    digests = set()
    for start, spare in ((0, 0), (1, 0), (0, 1)):
        placed = replace(count_case(), outputs={"y": replace(y, start=start, spare=spare)})
        digests.add(placed.digest)
    assert len(digests) == 3
    told = repr(replace(y, strides=(5, 1), start=3, spare=2))
    assert told == "int32[3x1] with strides (5, 1), 3 elements before the first, 2 behind the last"

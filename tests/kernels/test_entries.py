"""Each entry reads and writes tensors where they lie, or refuses them by name, as the shared phases
(device_kernels/entry) promise of every operator.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from ctypes import c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.devices.messages import DTYPES
from conformance.draw.views import dense_strides
from conformance.record.operator import Operator
from conformance.suite.records import operators
from device_kernels.build import build
from tests.kernels.aclnn_program import NCHW, ND, Program
from tests.simulator.runtime.driver import Acl

ELSEWHERE = 3
"""A format that stores elements elsewhere than shape and strides say."""

WRITES_STRIDED = {
    "moe_gating_top_k",
    "moe_gating_top_k_v2",
    "moe_init_routing_v3",
    "moe_token_permute_with_routing_map",
    "moe_token_permute_with_routing_map_grad",
    "moe_token_unpermute_with_routing_map",
}
"""The operators that write outputs where they lie."""

WITHOUT_COPY = {("moe_gating_top_k_backward", "expert_idx")}
"""Inputs that may have no strides."""

RECORDS = {one.name: one for one in operators([])}
MOST = 4096
"""Elements of a call's tensors."""


def shown(operator: Operator) -> Case:
    """The documented call of route aclnn with the most tensors, of those whose tensors all have
    elements; of these the first.
    """

    def tensors(case: Case) -> dict[str, Tensor]:
        return {**case.inputs, **case.outputs}

    modes = {mode.name for mode in operator.modes if "aclnn" in (mode.routes or ("aclnn",))}
    fit = [
        one.case
        for one in operator.examples
        if one.case.mode in modes
        and all(0 < t.size <= MOST and t.strides is None for t in tensors(one.case).values())
    ]
    return max(fit, key=lambda case: len(tensors(case)))


CALLS = {name: shown(one) for name, one in RECORDS.items()}
TENSORS = [
    pytest.param(name, tensor.name, id=f"{name} {tensor.name}")
    for name, one in RECORDS.items()
    for tensor in one.tensors
    if tensor.name in {**CALLS[name].inputs, **CALLS[name].outputs}
]
OUTPUTS = [one for one in TENSORS if one.values[1] in CALLS[str(one.values[0])].outputs]


@functools.cache
def lib() -> Path:
    return build(quiet=True).lib


class Calls(Program):
    """An operator's call in device memory, of which each test changes a tensor."""

    def __init__(self, name: str) -> None:
        acl = Acl(lib())
        super().__init__(acl, RECORDS[name].title)
        self.operator, self.case = RECORDS[name], CALLS[name]
        self.arrays = {
            **self.case.arrays,
            **{n: t.materialize() for n, t in self.case.outputs.items()},
        }
        self.held = {name: self.upload(array) for name, array in self.arrays.items()}

    def acl_name(self, name: str) -> str:
        return next(one.acl_name for one in self.operator.tensors if one.name == name)

    def of(self, name: str, address: int | None, **how: Any) -> int:
        """A tensor object of that shape and data type."""
        tensor = {**self.case.inputs, **self.case.outputs}[name]
        return self.tensor(how.pop("shape", tensor.shape), address, DTYPES[tensor.dtype][0], **how)

    def arguments(self, **changed: int) -> list[float | bool | None]:
        found: list[float | bool | None] = []
        for one in self.operator.parameters:
            if one.name in changed:
                found.append(changed[one.name])
            elif one.name in self.held:
                found.append(self.of(one.name, self.held[one.name]))
            elif one.name in self.case.attributes:
                found.append(self._attribute(one.name, getattr(one, "ctype", "int64")))
            else:
                found.append(None)
        return found

    def _attribute(self, name: str, ctype: str) -> float | bool | None:
        value = self.case.attributes[name]
        if ctype == "bool":
            return bool(value)
        if ctype != "int array" or value is None:
            return value  # type: ignore[return-value]
        create: Any = self.acl.opapi.aclCreateIntArray
        create.restype = c_void_p
        numbers = list(value)  # type: ignore[arg-type]
        made: int = create((c_int64 * len(numbers))(*numbers), c_uint64(len(numbers)))
        return made

    def results(self) -> dict[str, bytes]:
        """The outputs as they are now."""
        return {
            name: self.download(self.held[name], array.shape, array.dtype).tobytes()
            for name, array in self.arrays.items()
            if name in self.case.outputs
        }


def apart(shape: tuple[int, ...]) -> list[int]:
    """Strides of C order with a gap of one element behind each."""
    return [2 * stride for stride in dense_strides(shape)]


@pytest.fixture
def calls(request: pytest.FixtureRequest) -> Iterator[Calls]:
    program = Calls(request.getfixturevalue("name"))
    yield program
    program.release()


@pytest.mark.parametrize("name", RECORDS)
def test_strided_inputs_are_read_where_they_lie(calls: Calls, name: str) -> None:
    assert calls.call(*calls.arguments()) == (0, "")
    expected = calls.results()
    spread = {}
    for one, tensor in calls.case.inputs.items():
        twice = np.repeat(calls.arrays[one].reshape(-1), 2)
        strided = calls.of(one, calls.upload(twice), strides=apart(tensor.shape))
        if (name, one) in WITHOUT_COPY:
            status, text = calls.call(*calls.arguments(**{one: strided}))
            assert (status, text.endswith(told(calls, one))) == (161002, True)
        else:
            spread[one] = strided
    assert calls.call(*calls.arguments(**spread)) == (0, "")
    assert calls.results() == expected


def told(calls: Calls, tensor: str) -> str:
    return f"{calls.acl_name(tensor)} is strided; it must be contiguous"


@pytest.mark.parametrize(("name", "tensor"), OUTPUTS)
def test_a_strided_output_is_written_where_it_lies_or_refused(
    calls: Calls, name: str, tensor: str
) -> None:
    assert calls.call(*calls.arguments()) == (0, "")
    expected = calls.results()[tensor]
    array = calls.arrays[tensor]
    room = calls.upload(np.zeros(2 * array.size, array.dtype))
    strided = calls.of(tensor, room, strides=apart(array.shape))
    status, text = calls.call(*calls.arguments(**{tensor: strided}))
    if name in WRITES_STRIDED:
        written = calls.download(room, (array.size, 2), array.dtype)
        assert (status, text) == (0, "")
        assert written[:, 0].tobytes() == expected
        assert not written[:, 1].any()
    elif array.size > 1:
        assert (status, text.endswith(told(calls, tensor))) == (161002, True)


@pytest.mark.parametrize(("name", "tensor"), TENSORS)
def test_a_format_that_stores_elements_elsewhere_is_refused(
    calls: Calls, name: str, tensor: str
) -> None:
    other, linear, plain = (
        calls.of(tensor, calls.held[tensor], form=form) for form in (ELSEWHERE, NCHW, ND)
    )
    status, text = calls.call(*calls.arguments(**{tensor: other}))
    assert (status, f"the format of {calls.acl_name(tensor)}" in text) == (161002, True)
    assert calls.call(*calls.arguments(**{tensor: linear})) == (0, "")
    expected = calls.results()
    assert calls.call(*calls.arguments(**{tensor: plain})) == (0, "")
    assert calls.results() == expected


@pytest.mark.parametrize(("name", "tensor"), TENSORS)
def test_elements_need_a_device_address(calls: Calls, name: str, tensor: str) -> None:
    status, text = calls.call(*calls.arguments(**{tensor: calls.of(tensor, None)}))
    told = f"the data address of {calls.acl_name(tensor)} is null"
    assert (status, told in text) == (161001, True)


@pytest.mark.parametrize(("name", "tensor"), TENSORS)
def test_a_tensor_that_is_too_large_for_63_bits_is_refused(
    calls: Calls, name: str, tensor: str
) -> None:
    large = calls.of(tensor, calls.held[tensor], shape=(1 << 32, 1 << 32))
    status, text = calls.call(*calls.arguments(**{tensor: large}))
    assert (status, f"{calls.acl_name(tensor)} is too large" in text) == (161002, True)


@pytest.mark.parametrize("name", RECORDS)
def test_an_input_larger_than_its_allocation_is_refused_by_name(calls: Calls, name: str) -> None:
    tensor = next(iter(calls.case.inputs))
    shape = calls.case.inputs[tensor].shape
    large = calls.of(tensor, calls.upload(np.zeros(1, np.int8)), shape=shape)
    status, text = calls.call(*calls.arguments(**{tensor: large}))
    assert status == 507015
    assert text.startswith(f"[gm-out-of-bounds] kernel {name}: ")
    assert f"{calls.acl_name(tensor)} is given as" in text


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("missing", ["workspaceSize", "executor"])
def test_results_need_a_place(calls: Calls, name: str, missing: str) -> None:
    status, text = calls.call_without(missing, *calls.arguments())
    assert status == 161001
    assert text.endswith(f"{missing} is null; it must be a place for the result")

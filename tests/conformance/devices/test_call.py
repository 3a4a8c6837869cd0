"""A case becomes a call: arguments in signature order, tensors apart from each other."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from conformance.call.case import Case, Machine, Tensor
from conformance.devices.call import Call, call_of
from conformance.devices.guard_zones import GUARD_AFTER, GUARD_BEFORE
from conformance.devices.layout import SEGMENT_HEADER
from conformance.devices.messages import (
    AttributeArgument,
    IntArrayArgument,
    NullTensor,
    TensorArgument,
)
from conformance.record.operator import AttributeParameter, Operator
from tests.conformance.devices.fakes import (
    fake_array_case,
    fake_array_operator,
    fake_case,
    fake_operator,
)

OPERATOR = fake_operator("FakeAdd")


def test_arguments_are_in_the_order_of_the_signature() -> None:
    x, addend, y = call_of(OPERATOR, fake_case()).arguments
    assert isinstance(x, TensorArgument)
    assert (x.name, x.role, x.shape, x.dtype, x.nbytes) == ("x", "input", (6,), "int32", 24)
    assert addend == AttributeArgument("addend", "int64", 10)
    assert isinstance(y, TensorArgument)
    assert (y.name, y.role) == ("y", "output")


def test_tensors_and_their_guards_do_not_overlap() -> None:
    call = call_of(OPERATOR, fake_case(tuple(range(1001))))
    end = SEGMENT_HEADER
    for tensor in call.tensors:
        assert tensor.offset - GUARD_BEFORE >= end
        assert tensor.offset % 32 == 0
        end = tensor.offset + tensor.nbytes + GUARD_AFTER
    assert call.segment_bytes == end


def test_a_tensor_keeps_the_dtype_that_the_case_gives_it() -> None:
    case = replace(fake_case(), outputs={"y": Tensor((6,), "bfloat16")})
    assert call_of(OPERATOR, case).tensors[1].dtype == "bfloat16"


def test_a_tensor_left_out_is_a_null_tensor() -> None:
    assert call_of(OPERATOR, replace(fake_case(), outputs={})).arguments[2] == NullTensor("y")


def test_the_machine_travels_with_the_call() -> None:
    case = fake_case(machine=Machine(cores=2, ub_bytes=4096))
    assert call_of(OPERATOR, case).machine == (2, 4096)
    assert call_of(OPERATOR, fake_case()).machine is None


def test_the_order_of_blocks_travels_with_the_call() -> None:
    case = fake_case(machine=Machine(2, 4096, "reverse"))
    assert call_of(OPERATOR, case).block_order == "reverse"
    assert call_of(OPERATOR, fake_case(machine=Machine(2, 4096))).block_order == "forward"
    assert call_of(OPERATOR, fake_case()).block_order is None


def test_the_functions_travel_with_the_call() -> None:
    case = fake_case(machine=Machine(2, 4096, functions="low"))
    assert call_of(OPERATOR, case).functions == "low"
    assert call_of(OPERATOR, fake_case(machine=Machine(2, 4096))).functions == "rounded"
    assert call_of(OPERATOR, fake_case()).functions is None


def test_the_schedule_of_pipes_travels_with_the_call() -> None:
    case = fake_case(machine=Machine(2, 4096, pipes="late"))
    assert call_of(OPERATOR, case).pipes == "late"
    assert call_of(OPERATOR, fake_case()).pipes is None


def test_a_call_survives_json() -> None:
    call = call_of(OPERATOR, fake_case(machine=Machine(1, 8192)))
    assert msgspec.json.decode(msgspec.json.encode(call), type=Call) == call


@pytest.mark.parametrize("addends", [(3, -4), (), None])
def test_an_array_attribute_is_one_argument(addends: tuple[int, ...] | None) -> None:
    call = call_of(fake_array_operator(), fake_array_case(addends))
    assert call.arguments[1] == IntArrayArgument("addends", addends)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(call), type=Call) == call


def test_an_array_is_no_scalar_and_a_scalar_is_no_array() -> None:
    array_for_scalar = replace(fake_case(), attributes={"addend": (1, 2)})
    with pytest.raises(ValueError, match=r"attribute 'addend' is \(1, 2\): it must be one integer"):
        call_of(OPERATOR, array_for_scalar)
    scalar_for_array = replace(fake_case(), attributes={"addends": 1})
    with pytest.raises(ValueError, match="attribute 'addends' is 1: it must be a tuple"):
        call_of(fake_array_operator(), scalar_for_array)
    null_for_scalar = replace(fake_case(), attributes={"addend": None})
    with pytest.raises(ValueError, match="attribute 'addend' is None: it must be one integer"):
        call_of(OPERATOR, null_for_scalar)


def with_real(value: object) -> tuple[Operator, Case]:
    x, _, y = OPERATOR.parameters
    eps = AttributeParameter("eps", "eps", "double")
    case = replace(fake_case(), attributes={"eps": value})
    return replace(OPERATOR, parameters=(x, eps, y)), case


@pytest.mark.parametrize("eps", [0.1, -0.0, 5e-324, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("route", ["aclnn", "kernel"])
def test_a_float_is_passed_and_sent_with_all_its_bits(eps: float, route: str) -> None:
    call = call_of(*with_real(np.float64(eps)), route)
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(call), type=Call)
    for one in (call.arguments[1], sent.arguments[1]):
        assert isinstance(one, AttributeArgument)
        assert (one.ctype, type(one.value)) == ("double", float)
        assert struct.pack("<d", one.value) == struct.pack("<d", eps)


@pytest.mark.parametrize("eps", [1, True, None, (1.0,), "1.0", np.float32(1), np.int64(1)])
def test_what_is_no_float_is_passed_as_none(eps: object) -> None:
    told = f"attribute 'eps' is {re.escape(repr(eps))}: it must be one float"
    with pytest.raises(ValueError, match=told):
        call_of(*with_real(eps))


@pytest.mark.parametrize("addend", [1.0, math.nan, "1", np.float32(1)])
def test_what_is_no_integer_is_passed_as_none(addend: object) -> None:
    with pytest.raises(ValueError, match="it must be one integer"):
        call_of(OPERATOR, replace(fake_case(), attributes={"addend": addend}))
    with pytest.raises(ValueError, match="it must be a tuple or None"):
        call_of(fake_array_operator(), fake_array_case((addend,)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attributes": {}}, "leaves out attribute 'addend', which aclnnFakeAdd needs"),
        ({"attributes": {"addend": 1, "z": 2}}, "has attribute 'z', which aclnnFakeAdd lacks"),
        ({"inputs": {"w": Tensor((1,), "int32", (1,))}}, "has input 'w'"),
        ({"outputs": {"x": Tensor((1,), "int32")}}, "has output 'x'"),
        ({"outputs": {"y": Tensor((1,), "float128")}}, "'y' has dtype 'float128'"),
    ],
)
def test_a_case_that_does_not_fit_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call_of(OPERATOR, replace(fake_case(), **changes))  # type: ignore[arg-type]

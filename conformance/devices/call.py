"""From a case to a call: arguments in the order of the signature, and their place in the segment.

Every tensor has room for a guard zone on both sides, so that guards and data travel to the device
and back in one copy.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.call.case import ND, Case, Tensor
from conformance.devices.guard_zones import GUARD_AFTER, GUARD_BEFORE
from conformance.devices.layout import SEGMENT_HEADER, round_up
from conformance.devices.messages import (
    DTYPES,
    FORMATS,
    Argument,
    AttributeArgument,
    Call,
    IntArrayArgument,
    NullTensor,
    NumbersArgument,
    TensorArgument,
)
from conformance.record.operator import AttributeParameter, Operator, TensorParameter
from conformance.record.torch_binding import BY_KEYWORDS, PYTHON, TORCH_NPU

__all__ = ["Call", "call_of"]

MUST_BE = {
    "int64": "one integer",
    "bool": "one integer",
    "double": "one float",
    "int array": "a tuple or None",
}


def call_of(
    operator: Operator, case: Case, route: str = "aclnn", start: int = SEGMENT_HEADER
) -> Call:
    """Lay out a case for its operator's signature on a route of
    `conformance.record.operator.ROUTES`, from the byte ``start`` of the segment on.

    A tensor parameter that the case leaves out is passed as a null pointer. Raises ValueError where
    the case names a parameter that the operator lacks, leaves an attribute out or gives it a value
    of another type, has a tensor whose dtype no aclDataType or whose format no
    aclFormat stands for, or a row-sparse output, or names calls before it: they are calls of their
    own; or if it breaks the protocol of two phases, or has a tensor in another format than ND, on a
    route where PyTorch makes phases and tensors.
    """
    if case.before:
        raise ValueError(f"the case has {len(case.before)} calls before it: make each by itself")
    if case.breach is not None and route in BY_KEYWORDS:
        raise ValueError(f"the case has {case.breach!r}: route {route} has no phases")
    _check_names(operator, case)
    arguments: list[Argument] = []
    end = start
    for parameter in operator.parameters:
        if not isinstance(parameter, TensorParameter):
            arguments.append(_attribute_of(parameter, case, route))
            continue
        tensor = _tensor_of(parameter, case, route)
        if tensor is None:
            arguments.append(NullTensor(parameter.name))
            continue
        argument = TensorArgument(
            name=parameter.name,
            role=parameter.role,
            shape=tensor.shape,
            dtype=tensor.dtype,
            offset=round_up(end + GUARD_BEFORE, 32),
            rows=tensor.rows,
            strides=tensor.strides,
            start=tensor.start,
            spare=tensor.spare,
            format=FORMATS[tensor.format],
        )
        end = argument.offset + argument.held_bytes + GUARD_AFTER
        arguments.append(argument)
    machine = (case.machine.cores, case.machine.ub_bytes) if case.machine else None
    order = case.machine.block_order if case.machine else None
    functions = case.machine.functions if case.machine else None
    pipes = case.machine.pipes if case.machine else None
    by_keywords = {TORCH_NPU: operator.torch_call, PYTHON: operator.python_call}.get(route)
    torch = None if by_keywords is None else by_keywords(case)
    symbol = "" if route == TORCH_NPU else operator.symbol(route)
    return Call(
        symbol,
        tuple(arguments),
        machine,
        end,
        block_order=order,
        functions=functions,
        pipes=pipes,
        torch=torch,
        setting=case.setting,
        breach=case.breach,
    )


def _attribute_of(parameter: AttributeParameter, case: Case, route: str) -> Argument:
    value = case.attributes[parameter.name]
    if not parameter.has(value):
        raise ValueError(
            f"attribute '{parameter.name}' is {value!r}: it must be {MUST_BE[parameter.ctype]},"
            f" as it is declared as '{parameter.ctype}'"
        )
    if parameter.ctype == "int array":
        numbers = value and tuple(map(int, value))
        # Only CANN itself can read an aclIntArray.
        passed = IntArrayArgument if route == "aclnn" else NumbersArgument
        return passed(parameter.name, numbers)
    number = float(value) if parameter.ctype == "double" else int(value)
    return AttributeArgument(parameter.name, parameter.ctype, number)


def _tensor_of(parameter: TensorParameter, case: Case, route: str) -> Tensor | None:
    tensors = case.inputs if parameter.role == "input" else case.outputs
    tensor = tensors.get(parameter.name)
    if tensor is not None and tensor.dtype not in DTYPES:
        raise ValueError(
            f"tensor '{parameter.name}' has dtype '{tensor.dtype}': no aclDataType stands for it; "
            f"known are {', '.join(DTYPES)}"
        )
    if tensor is not None and tensor.format not in FORMATS:
        raise ValueError(
            f"tensor '{parameter.name}' has format '{tensor.format}': no aclFormat stands for it; "
            f"known are {', '.join(FORMATS)}"
        )
    if tensor is not None and tensor.format != ND and route in BY_KEYWORDS:
        raise ValueError(
            f"tensor '{parameter.name}' has format {tensor.format}: route {route} knows ND alone"
        )
    if tensor is not None and tensor.rows is not None and parameter.role == "output":
        raise ValueError(f"output '{parameter.name}' lists rows: it must have all, to be judged")
    return tensor


def _check_names(operator: Operator, case: Case) -> None:
    known: dict[str, set[str]] = {"input": set(), "output": set(), "attribute": set()}
    for parameter in operator.parameters:
        kind: str = parameter.role if isinstance(parameter, TensorParameter) else "attribute"
        known[kind].add(parameter.name)
    named: dict[str, Mapping[str, object]] = {
        "input": case.inputs,
        "output": case.outputs,
        "attribute": case.attributes,
    }
    for kind, names in named.items():
        for name in names:
            if name not in known[kind]:
                raise ValueError(
                    f"the case has {kind} '{name}', which {operator.aclnn} lacks; "
                    f"its {kind}s are {sorted(known[kind])}"
                )
    for name in sorted(known["attribute"].difference(case.attributes)):
        raise ValueError(f"the case leaves out attribute '{name}', which {operator.aclnn} needs")

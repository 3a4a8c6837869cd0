"""A call: what the device process needs to know of one case, and where its bytes lie.

The parent puts every tensor's bytes into a shared segment; a call names their offsets. A tensor has
room for a guard zone on both sides, so that guards and data travel to the device in one copy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from conformance.case import Case, Tensor
    from conformance.operator import AttributeParameter, Operator, TensorParameter

DTYPES: dict[str, tuple[int, int]] = {
    "float32": (0, 4),
    "float16": (1, 2),
    "int8": (2, 1),
    "int32": (3, 4),
    "uint8": (4, 1),
    "int16": (6, 2),
    "uint16": (7, 2),
    "uint32": (8, 4),
    "int64": (9, 8),
    "uint64": (10, 8),
    "float64": (11, 8),
    "bool": (12, 1),
    "bfloat16": (27, 2),
}
"""aclDataType value and bytes per element, by dtype name (AscendCL, aclDataType)."""

SEGMENT_HEADER = 4096
"""Bytes at the start of the segment in which the child notes the function that it is calling."""

GUARD_BEFORE = 4096 + 32
"""Bytes of guard zone before a tensor. The odd 32 makes the tensor's address a multiple of 32 and of
nothing greater, as a view into a larger tensor may be, so that reliance on more shows."""

GUARD_AFTER = 4096
"""Bytes of guard zone after a tensor: a stray block, not a stray tile; those the simulator sees."""


class TensorArgument(msgspec.Struct, frozen=True, tag="tensor"):
    """A tensor, contiguous: ``offset`` is where its elements begin in the shared segment."""

    name: str
    role: Literal["input", "output"]
    shape: tuple[int, ...]
    dtype: str
    offset: int

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return DTYPES[self.dtype][1]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.itemsize


class NullTensor(msgspec.Struct, frozen=True, tag="null"):
    """A tensor parameter for which the case has no tensor: passed as a null pointer."""

    name: str


class AttributeArgument(msgspec.Struct, frozen=True, tag="attribute"):
    """A scalar attribute, passed by value as ``ctype``."""

    name: str
    ctype: Literal["int64", "bool"]
    value: int


Argument = TensorArgument | NullTensor | AttributeArgument


class Call(msgspec.Struct, frozen=True):
    """One call of a two-phase operator.

    ``symbol`` is the phase-2 function; phase 1 is ``symbol + "GetWorkspaceSize"``. ``arguments`` are
    in the order of the signature. ``machine`` is (vector cores, UB bytes), None: the device's own.
    ``segment_bytes`` is how much of the shared segment the tensors need.
    """

    symbol: str
    arguments: tuple[Argument, ...]
    machine: tuple[int, int] | None
    segment_bytes: int

    @property
    def tensors(self) -> tuple[TensorArgument, ...]:
        """The tensors that are there, in signature order."""
        return tuple(a for a in self.arguments if isinstance(a, TensorArgument))


def call_of(operator: Operator, case: Case) -> Call:
    """Lay out a case for its operator's signature.

    Raises ValueError where the case names a parameter that the operator lacks, lacks an attribute,
    or has a tensor whose dtype no aclDataType stands for.
    """
    _check_names(operator, case)
    arguments: list[Argument] = []
    end = SEGMENT_HEADER
    for parameter in operator.parameters:
        if _is_attribute(parameter):
            value = case.attributes[parameter.name]
            arguments.append(AttributeArgument(parameter.name, parameter.ctype, int(value)))
            continue
        tensor = _tensor_of(parameter, case)
        if tensor is None:
            arguments.append(NullTensor(parameter.name))
            continue
        offset = -(-(end + GUARD_BEFORE) // 32) * 32
        argument = TensorArgument(
            parameter.name, parameter.role, tensor.shape, tensor.dtype, offset
        )
        end = offset + argument.nbytes + GUARD_AFTER
        arguments.append(argument)
    machine = (case.machine.cores, case.machine.ub_bytes) if case.machine else None
    return Call(operator.aclnn, tuple(arguments), machine, end)

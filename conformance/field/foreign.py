"""A call as another tool's file describes it, before a record makes a case of it.

Nothing of a file is trusted: numbers are checked here, names where they are compared with those of
a record, and sizes before anything is made of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import field as say

MOST_AXES = 8
MOST_EXTENT = 2**40
MOST_LISTED = 4096
"""Numbers that a file may list for an attribute, or for a tensor in place of a file of values."""

Number = bool | int | float
Attribute = Number | tuple[int, ...] | None

DTYPES = {
    "fp16": "float16",
    "half": "float16",
    "float16": "float16",
    "bf16": "bfloat16",
    "bfloat16": "bfloat16",
    "fp32": "float32",
    "float": "float32",
    "float32": "float32",
    **{one: one for one in ("bool", "int8", "uint8", "int16", "int32", "int64", "float64")},
    "fp64": "float64",
    "double": "float64",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
}
"""The words of the three tools for data types, and ours."""


class NotRead(ValueError):  # noqa: N818 - what a row is
    """Why a row of a file does not become a case."""


@dataclass(frozen=True)
class Described:
    """A tensor of a call: its shape, dtype and format, and what is known of its values.

    ``values`` are all of them, if the file has them. ``low`` and ``high`` are the least and the
    largest that it names; equal ones mean a constant.
    """

    shape: tuple[int, ...]
    dtype: str
    format: str = "ND"
    values: NDArray[Any] | None = None
    low: float | None = None
    high: float | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Listed:
    """Numbers in place of a tensor whose shape stands elsewhere."""

    numbers: tuple[Number, ...]


@dataclass(frozen=True)
class Item:
    """One argument: ``name`` "" where its place alone says which it is; a tensor that is not given
    is None, as an attribute may be."""

    name: str
    value: Described | Listed | Attribute
    is_tensor: bool


Places = Literal["inputs", "tensors", "interface", "keywords", "tensor keywords"]
"""What the items without a name follow: the inputs or all tensors of an interface, its inputs and
attributes, the parameters of a torch function, or those that are tensors."""


@dataclass(frozen=True)
class Call:
    """One call: where in the file it stands, its name there, the function, and what it is given.

    ``items`` follow ``places``; ``outputs`` are those that the file describes apart, in order.
    ``results`` are what the call returned, in the order of the function, None for one of which the
    file has no values. ``seed`` draws what the file leaves to be drawn.
    """

    place: str
    name: str
    function: str
    items: tuple[Item, ...]
    places: Places
    outputs: tuple[Described | None, ...] = ()
    results: tuple[Described | None, ...] = ()
    seed: int = 0


Row = Call | tuple[str, NotRead]
"""A call, or the place in the file of one that cannot be read, and why."""


def dtype_of(word: object) -> str:
    """Our name of a data type. Raises `NotRead`."""
    name = str(word).removeprefix("torch.").strip().lower()
    if name not in DTYPES:
        raise NotRead(say.NO_DTYPE(dtype=_short(word)))
    return DTYPES[name]


def shape_of(value: object) -> tuple[int, ...]:
    """A shape. Raises `NotRead` for anything else than a few sizes."""
    sizes = value if isinstance(value, list | tuple) else None
    if sizes is None or len(sizes) > MOST_AXES or not all(_is_size(one) for one in sizes):
        raise NotRead(say.NO_SHAPE(shape=_short(value)))
    return tuple(sizes)


def number_of(value: object) -> Number:
    """A number. Raises `NotRead`."""
    if isinstance(value, bool | int) and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, float):
        return value
    raise NotRead(say.NO_NUMBER(value=_short(value)))


def attribute_of(value: object) -> Attribute:
    """An attribute: a number, a list of integers, or nothing. Raises `NotRead`."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        return number_of(value)
    if len(value) > MOST_LISTED:
        raise NotRead(say.MANY_NUMBERS(count=len(value), most=MOST_LISTED))
    numbers = [number_of(one) for one in value]
    if not all(isinstance(one, int) for one in numbers):
        raise NotRead(say.NO_INTEGERS(value=_short(value)))
    return tuple(int(one) for one in numbers)


def listed_of(value: object) -> Listed | None:
    """The numbers of nested lists in C order; None for what is no list. Raises `NotRead`."""
    if not isinstance(value, list | tuple):
        return None
    found: list[Number] = []
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list | tuple):
            waiting += reversed(one)
        else:
            found.append(number_of(one))
        if len(found) + len(waiting) > MOST_LISTED:
            raise NotRead(say.MANY_NUMBERS(count=len(found) + len(waiting), most=MOST_LISTED))
    return Listed(tuple(found))


def with_numbers(one: Described, listed: Listed) -> Described:
    """A tensor with the values that are listed for it. Raises `NotRead` unless they fit."""
    if len(listed.numbers) != one.size:
        raise NotRead(say.OTHER_COUNT(count=len(listed.numbers), size=one.size))
    numbers = np.array(listed.numbers).reshape(one.shape)
    return Described(one.shape, one.dtype, one.format, numbers)


def field_of(row: Mapping[str, Any], name: str, kind: type) -> Any:
    """A field of a decoded object. Raises `NotRead` unless it is there and of that kind."""
    value = row.get(name)
    if not isinstance(value, kind):
        raise NotRead(say.NO_FIELD(name=name))
    return value


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST_EXTENT


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

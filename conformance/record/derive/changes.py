"""Calls that differ from a right one in one thing, each with its name.

Most do not fit the signature, some do: an axis that is free may have any extent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Set
from typing import TypeVar

from conformance.call.case import Attribute, Case, Tensor
from conformance.record.call_rules import BOTH, LESS, MORE, just_beyond
from conformance.record.derive.calls import Fields, call
from conformance.record.signature import Signature, SizedTensor
from conformance.record.variations import reshaped, retyped, with_attributes, without

Change = tuple[str, Case]
Shape = tuple[int, ...]
Number = TypeVar("Number", int, float)

INTEGERS = ("int32", "int64", "int16")
FLOATS = ("float32", "float16", "float64")
BEYOND_INT32 = 2**32
"""What an attribute is more if its upper 32 bits are lost."""


def pointers_and_dtypes(signature: Signature, right: Case) -> Iterator[Change]:
    """One tensor null or of another data type; all that must have one data type as int32."""
    here = _tensors(right)
    for one in signature.tensors:
        if one.name in here and one.must_be(here):
            yield f"{one.name} is null", without(right, one.name)
    for one in signature.tensors:
        for dtype in _others(one.dtypes_in(right)) if one.name in here else ():
            yield f"{one.name} is {dtype}, {right.mode}", retyped(right, one.name, dtype)
    for together in _of_one_dtype(signature, here):
        wrong = right
        for name in together:
            wrong = retyped(wrong, name, INTEGERS[0])
        yield f"{' and '.join(together)} are {INTEGERS[0]}, {right.mode}", wrong


def _of_one_dtype(signature: Signature, here: Mapping[str, Tensor]) -> Iterator[list[str]]:
    """Tensors that must have one data type: that of the case, or that of the one beside."""
    yield [one.name for one in signature.tensors if one.dtype is None and one.name in here]
    for one in signature.tensors:
        for other in one.beside:
            if one.name in here and other in here:
                yield [other, one.name]


def _others(own: tuple[str, ...]) -> Iterator[str]:
    """An integer and a floating data type that a tensor must not have."""
    for kind in (INTEGERS, FLOATS):
        yield next(dtype for dtype in kind if dtype not in own)


def ranks(
    signature: Signature, right: Case, sizes: Mapping[str, int], names: Set[str]
) -> Iterator[Change]:
    """One of these tensors with an axis more or less, with none, or with two axes as one or one as
    two; or with a further axis that is too short.
    """
    here = _tensors(right)
    for one in signature.tensors:
        if one.name in names:
            shape = here[one.name].shape
            for other in dict.fromkeys(_reranked(one, shape, sizes)):
                if len(other) != len(shape):
                    yield _reshaped(right, one.name, other)


def _reranked(one: SizedTensor, shape: Shape, sizes: Mapping[str, int]) -> Iterator[Shape]:
    yield from ((), shape[:-1], (*shape, 1), (*shape[:-1], 1, *shape[-1:]), (math.prod(shape),))
    own, further = one.parted(shape)
    for at, axis in enumerate(one.shape[: len(own)]):
        split = tuple(sizes[size.name] for size in axis.factors)
        yield one.joined((*own[:at], *split, *own[at + 1 :]), further)
    if one.further is not None and one.further.least > 0:
        yield one.joined(own, (*further, one.further.least - 1))


def extents(signature: Signature, right: Case) -> Iterator[Change]:
    """One axis of one tensor one less or one more."""
    here = _tensors(right)
    for one in signature.tensors:
        shape = here[one.name].shape if one.name in here else ()
        for axis, extent in enumerate(shape):
            for way in BOTH:
                if extent + way >= 0:
                    other = (*shape[:axis], extent + way, *shape[axis + 1 :])
                    yield _reshaped(right, one.name, other)


def attributes(signature: Signature, right: Case) -> Iterator[Change]:
    """One attribute that a check looks at with another value, and just beyond its limits; a list
    with no number, one less, one more, or another one in the place of each; of a double what is no
    number, or not finite, too.
    """
    for one in signature.attributes:
        value = right.attributes[one.name]
        if not signature.checked(one) or value is None:
            continue
        if one.ctype == "bool":
            near: tuple[Attribute, ...] = (1 - value,)
        elif one.ctype == "int array":
            near = ((), value[:-1], (*value, 0), *_with_other_numbers(value))
        elif one.ctype == "double":
            near = (0.0, -value, *_beyond(*one.limits), math.inf, -math.inf, math.nan)
        else:
            near = (*_near(value), *_beyond(*one.limits))
        for other in dict.fromkeys(near):
            if other != value:
                changed = with_attributes(right, **{one.name: other})
                yield f"{one.name} is {_number(other)}, {right.mode}", changed


def _near(value: int) -> tuple[int, ...]:
    return value - 1, value + 1, 0, -value, value + BEYOND_INT32


def _with_other_numbers(value: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for at, number in enumerate(value):
        for other in _near(number):
            yield (*value[:at], other, *value[at + 1 :])


def limits(signature: Signature, right: Case, sizes: Mapping[str, int]) -> Iterator[Change]:
    """A size that the shapes show just beyond its limits, and all shapes as it makes them; the rest
    is as in the right call.
    """
    here = _tensors(right)
    left_out = {one.size.name for one in signature.attributes if one.size is not None}
    left_out |= signature.defaults(here).keys()
    unknown = _unknown_factors(signature, sizes)
    left_out |= {name for names in unknown.values() for name in names}
    own = {
        name: size
        for name, size in sizes.items()
        if name in unknown or not signature.sizes[name].follows
    }
    given: Fields = {name: {} for name in here}
    for size in signature.sizes.values():
        if size.name in left_out:
            continue
        for value in _beyond(size.least or None, size.most):
            tried, unchanged = {**own, size.name: value}, right.attributes
            made = call(signature, right.mode, right.dtype, tried, given, **unchanged)
            changed = right
            for name, tensor in _tensors(made).items():
                changed = reshaped(changed, name, tensor.shape)
            yield f"{size.name} is {value}, {right.mode}", changed


def _unknown_factors(signature: Signature, sizes: Mapping[str, int]) -> dict[str, list[str]]:
    """By the sizes that are products of others, those of these that a call does not show: without
    a tensor that is optional only their product may be known."""
    found = {
        size.name: [one.name for one in size.product.factors if one.name not in sizes]
        for size in signature.sizes.values()
        if size.product is not None and size.name in sizes
    }
    return {name: names for name, names in found.items() if names}


def _beyond(least: Number | None, most: Number | None) -> Iterator[Number]:
    """What is just beyond these limits, None: no end."""
    if least is not None:
        yield just_beyond(least, LESS)
    if most is not None:
        yield just_beyond(most, MORE)


def _number(value: float | tuple[int, ...]) -> str:
    """The number, so that 2^32 in it can be seen; those of a list."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_number, value))})"
    if isinstance(value, float):
        return str(value)
    rest = value - BEYOND_INT32
    return f"2^32 + {rest}" if 0 <= rest < BEYOND_INT32 else str(value)


def _reshaped(right: Case, name: str, other: Shape) -> Change:
    shape = _tensors(right)[name].shape
    told = f"{name} is {list(other)}, not {list(shape)}, {right.mode}"
    return told, reshaped(right, name, other)


def _tensors(case: Case) -> dict[str, Tensor]:
    return {**case.inputs, **case.outputs}

"""A call of an operator made from the sizes of its signature."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from conformance.call.case import Attribute, Case, Machine, Tensor
from conformance.catalogue import signature as say
from conformance.record.signature import Signature, SizedAttribute, SizedTensor
from conformance.record.sizes import Axis, Function, Size

Sizes = Mapping[str, int | tuple[int, ...]]
"""Sizes by name; a tuple has the extents of the further axes that together are of that size."""

Fields = Mapping[str, Mapping[str, Any]]
"""Fields of a tensor beside its shape, such as its values or recipe, by the tensor's name."""


def call(
    signature: Signature,
    mode: str,
    dtype: str,
    sizes: Sizes,
    given: Fields | None = None,
    *,
    machine: Machine | None = None,
    **attributes: Attribute,
) -> Case:
    """A call in which each axis has its size, and each attribute the value of its size, or that
    which the mode fixes, or 0, a list null, if none is given. A double is given as a float.

    A size that follows from others need not be given. A tensor has the first of its data types if
    it is given none. An optional one is there if it is given something.
    Raises ValueError for a size that is missing, or a tensor that is none.
    """
    signature = signature.of_mode(mode)
    given = given or {}
    known: dict[str, Any] = {
        name: math.prod(s) if isinstance(s, tuple) else s for name, s in sizes.items()
    }
    for name in given.keys() - {one.name for one in signature.tensors}:
        raise ValueError(say.NO_TENSOR(name=name))
    fixed = signature.by_mode.get(mode, {})
    values = {one.name: _value(one, known, {**fixed, **attributes}) for one in signature.attributes}
    known = {**values, **known}
    tensors = {
        one.name: Tensor(
            **{
                "shape": one.joined(_shape(one, known), _further(one, sizes)),
                "dtype": one.dtypes(dtype)[0],
                **given.get(one.name, {}),
            }
        )
        for one in signature.tensors
        if not one.optional or one.name in given
    }

    def of_role(role: str) -> dict[str, Tensor]:
        return {
            t.name: tensors[t.name]
            for t in signature.tensors
            if t.role == role and t.name in tensors
        }

    return Case(
        signature.operator, mode, dtype, values, of_role("input"), of_role("output"), machine
    )


def _shape(one: SizedTensor, sizes: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(_extent(one, axis, sizes) for axis in one.shape)


def _further(one: SizedTensor, sizes: Sizes) -> tuple[int, ...]:
    if one.further is None or one.further.size is None:
        return ()
    if one.further.size.name not in sizes:
        raise ValueError(say.SIZE_NEEDED(tensor=one.name, size=one.further.size.name))
    extents = sizes[one.further.size.name]
    return extents if isinstance(extents, tuple) else (extents,)


def _extent(one: SizedTensor, axis: Axis, sizes: Mapping[str, Any]) -> int:
    return math.prod(_size(one, size, sizes) for size in axis.factors)


def _size(one: SizedTensor, size: Size, sizes: Mapping[str, Any]) -> int:
    if size.name in sizes:
        return int(sizes[size.name])
    if isinstance(size, Function):
        of_others = [other for other in size.arguments if isinstance(other, Function)]
        known = {**sizes, **{other.name: _size(one, other, sizes) for other in of_others}}
        if (found := size.of(known)) is not None:
            return found
    if size.product is None:
        raise ValueError(say.SIZE_NEEDED(tensor=one.name, size=size.name))
    return _extent(one, size.product, sizes)


def _value(
    one: SizedAttribute, sizes: Mapping[str, int], attributes: Mapping[str, Attribute]
) -> Attribute:
    if one.name in attributes:
        return attributes[one.name]
    if one.ctype == "int array":
        return None
    if one.size is None:
        return 0.0 if one.ctype == "double" else 0
    if one.size.name not in sizes:
        raise ValueError(say.SIZE_NEEDED(tensor=one.name, size=one.size.name))
    return sizes[one.size.name]

"""Values for the tensors of a call of which a file has only the shapes.

Data comes from the recipes of the suite. Integers, and maps of bool, are the routing of a call
(conformance/field/routings.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor, integer_view, numpy_dtype
from conformance.catalogue import field as say
from conformance.field.foreign import Described, NotRead
from conformance.values.fill import Fill

FEW = 1 << 12
"""Elements up to which values within a file's range are listed in the case; a larger tensor gets a
recipe, which has no range."""

PLAIN = "gaussian"
SMALL = "lattice"
Values = NDArray[np.int64]


def listed(one: Described, array: NDArray[Any]) -> Tensor:
    """A tensor with these values, in the case itself."""
    dtype = numpy_dtype(one.dtype)
    if one.values is not None or array.dtype != dtype:
        _check_kept(one, array)
    bits = np.ascontiguousarray(array.astype(dtype)).view(integer_view(dtype)).reshape(-1)
    return Tensor(one.shape, one.dtype, values=tuple(map(int, bits.tolist())), format=one.format)


def _check_kept(one: Described, array: NDArray[Any]) -> None:
    """Raise `NotRead` for an integer that the data type does not hold."""
    if one.dtype != "bool" and "int" in one.dtype and array.size:
        limits = np.iinfo(numpy_dtype(one.dtype))  # type: ignore[type-var]
        if array.dtype.kind not in "iub" or array.min() < limits.min or array.max() > limits.max:
            raise NotRead(say.OUT_OF_DTYPE(dtype=one.dtype))


def filled(one: Described, drawn: Tensor | None, seed: int) -> Tensor:
    """A tensor of data: within its range if it is small, else a recipe.

    ``drawn`` is the tensor in a call that the record draws: families that are prescribed there, and
    how many elements are added, hold here.
    """
    low, high = one.low, one.high
    floating = "float" in one.dtype
    usual = floating and (drawn is None or drawn.fill is None or PLAIN in drawn.fill.stripes)
    if low is not None and high is not None and one.size <= FEW:
        generator = np.random.default_rng(seed)
        values = np.full(one.shape, low) if low == high or not np.isfinite(low) else None
        made = generator.uniform(low, high, one.shape) if values is None else values
        if not floating:
            made = np.rint(made).astype(np.int64)
        return listed(one, made)
    families: tuple[str, ...] = (PLAIN if floating else SMALL,)
    if not usual and drawn is not None and drawn.fill is not None:
        families = tuple(f for f in drawn.fill.stripes if f not in ("special", "knife")) or families
    return Tensor(one.shape, one.dtype, fill=Fill(families, seed), format=one.format)


def with_values(
    case: Case, described: Mapping[str, Described], values: Mapping[str, Values]
) -> Case:
    """The case with these values in its open tensors. Raises `NotRead` if one does not fit."""
    made = {name: listed(described[name], array) for name, array in values.items()}
    return replace(case, inputs={name: made.get(name, one) for name, one in case.inputs.items()})

"""What the axes of an operator's tensors mean, and calls that have one in another order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor, integer_view
from conformance.record.relation import Outputs
from conformance.record.signature import Signature

Order = NDArray[np.int64]


@dataclass(frozen=True)
class Axes:
    """Names of axes, by tensor; "a.b" is one axis that a and b are flattened into, b the faster.

    ``numbers`` says of integer tensors which axis their values are positions on; values outside of
    it number nothing.
    """

    tensors: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, signature: Signature) -> Axes:
        """The axes of a signature's tensors, by the names of their sizes."""
        return cls(
            {one.name: tuple(axis.name for axis in one.axes) for one in signature.tensors},
            {one.name: one.numbers.name for one in signature.tensors if one.numbers is not None},
        )

    def sizes(self, case: Case) -> dict[str, int]:
        """The size of every axis that the tensors of a case have."""
        shapes = {name: t.shape for name, t in {**case.inputs, **case.outputs}.items()}
        found: dict[str, int] = {}
        flattened: list[tuple[list[str], int]] = []
        for name, axes in self.tensors.items():
            for axis, size in zip(axes, shapes.get(name, ()), strict=False):
                if "." in axis:
                    flattened.append((axis.split("."), size))
                else:
                    found[axis] = size
        for parts, size in flattened:
            known = [found[part] for part in parts if part in found]
            for part in parts:
                found.setdefault(part, size // max(1, int(np.prod(known, dtype=np.int64))))
        return found

    def reordered(
        self, name: str, array: NDArray[Any], axis: str, order: Order, sizes: Mapping[str, int]
    ) -> NDArray[Any]:
        """A tensor's elements where position j of an axis holds what ``order[j]`` held before."""
        axes = self.tensors.get(name, ())
        parts = [part for one in axes for part in one.split(".")]
        if axis in parts:
            split = array.reshape([sizes[part] for part in parts])
            array = np.take(split, order, axis=parts.index(axis)).reshape(array.shape)
        numbered = self.numbers.get(name, "").split(".")
        if axis not in numbered:
            return array
        shape = [sizes[part] for part in numbered]
        inside = (array >= 0) & (array < np.prod(shape, dtype=np.int64))
        if not inside.any():
            return array
        places = list(np.unravel_index(array[inside], shape))
        places[numbered.index(axis)] = np.argsort(order)[places[numbered.index(axis)]]
        moved = array.copy()
        moved[inside] = np.ravel_multi_index(places, shape)
        return moved

    def call(self, case: Case, axis: str, order: Order) -> Case:
        """The call of a case with an axis in another order."""
        sizes = self.sizes(case)
        return with_arrays(
            case,
            {
                name: self.reordered(name, array, axis, order, sizes)
                for name, array in case.arrays.items()
            },
        )

    def answer(self, case: Case, outputs: Outputs, axis: str, order: Order) -> Outputs:
        """The outputs of a case with an axis in another order."""
        sizes = self.sizes(case)
        return {
            name: self.reordered(name, array, axis, order, sizes) for name, array in outputs.items()
        }


def with_arrays(case: Case, arrays: Mapping[str, NDArray[Any]]) -> Case:
    """The case with these elements for inputs that it has, of the same shapes and dtypes."""
    inputs = {
        name: tensor if name not in arrays else held(tensor, arrays[name])
        for name, tensor in case.inputs.items()
    }
    return replace(case, inputs=inputs)


def held(tensor: Tensor, array: NDArray[Any]) -> Tensor:
    """A tensor that lists the elements of an array of its dtype."""
    bits = np.ascontiguousarray(array).view(integer_view(array.dtype)).reshape(-1)
    return replace(
        tensor, shape=array.shape, values=tuple(bits.tolist()), fill=None, unread=(), rows=None
    )


def shuffled(size: int) -> Order:
    """An order of so many positions in which none keeps its place, the same at every time."""
    cycle = np.random.default_rng(size).permutation(size)
    order = np.empty(size, np.int64)
    order[cycle] = np.roll(cycle, 1)
    return order


def on_lattice(case: Case) -> Case:
    """The case with small integers, times a power of two, for all that it draws: every order of
    additions gives the same sums of them."""
    inputs = {
        name: tensor
        if tensor.fill is None
        else replace(tensor, fill=replace(tensor.fill, stripes=("lattice",)))
        for name, tensor in case.inputs.items()
    }
    return replace(case, inputs=inputs)

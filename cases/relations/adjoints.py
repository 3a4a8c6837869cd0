"""Adjoint identities: <forward(x), g> = <x, gradient(g)>, exact on small integers.

A copy, a sum or a weighted sum is linear, and its gradient is the adjoint: over the columns of all
rows that go in and come out, both sides are the same number. With integers so small that no result
is rounded, both are exact: no tolerance, and no reference of either operator.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor, numpy_dtype
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run
from conformance.relations.axes import held, with_arrays

EXACT = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24}
"""Integers up to here are exact in a dtype, and so are sums that stay within."""


def small(name: str, shape: tuple[int, ...], dtype: str, most: int = 1) -> Tensor:
    """Integers from -most to most without 0, the same at every time."""
    generator = np.random.default_rng(zlib.crc32(f"{name} {shape}".encode()))
    values = generator.integers(1, most + 1, shape) * generator.choice([-1, 1], shape)
    return held(Tensor((), dtype), values.astype(numpy_dtype(dtype)))


def few(name: str, shape: tuple[int, ...], dtype: str, most: int) -> Tensor:
    """1 and -1 in so many columns of every row, others each time, and zeros in the rest."""
    signs = small(name, shape, dtype).materialize()
    generator = np.random.default_rng(zlib.crc32(f"columns of {name} {shape}".encode()))
    places = np.argsort(generator.random(shape), axis=-1)
    return held(Tensor((), dtype), np.where(places < most, signs, np.zeros_like(signs)))


@dataclass(frozen=True)
class Pairing:
    """What goes in and what comes out, of the first call and of the second: <out, g> = <x, back>.

    ``x`` is an input of the first call, ``out`` the output that is linear in it, ``g`` an input of
    the second and ``back`` its output. Each has ``columns`` last, or is one column.
    """

    x: str
    out: str
    g: str
    back: str
    columns: bool = True


def unequal(
    pairing: Pairing, first: Case, outputs: Outputs, second: Case, seen: Outputs
) -> Iterable[str]:
    """A sentence for the first column of which the two sides differ."""
    size = outputs[pairing.out].size
    if second.inputs[pairing.g].size != size:
        yield f"{pairing.out} has {size} elements, and slots name rows of fewer"
        return
    left = _products(outputs[pairing.out], second.arrays[pairing.g], pairing.columns)
    right = _products(first.arrays[pairing.x], seen[pairing.back], pairing.columns)
    wrong = np.flatnonzero(~(left == right))
    if wrong.size:
        column = int(wrong[0])
        where = f" over column {column}" if pairing.columns else ""
        yield (
            f"{wrong.size} of {left.size} inner products differ: {pairing.out} times {pairing.g}"
            f"{where} is {left[column]:g}, {pairing.x} times {pairing.back} is {right[column]:g}"
        )


def _products(one: NDArray[Any], other: NDArray[Any], columns: bool) -> NDArray[np.float64]:
    """The inner product of each column; what is multiplied by 0 may be anything."""
    width = other.shape[-1] if columns else 1
    pair = [np.asarray(array, np.float64).reshape(-1, width) for array in (one, other)]
    with np.errstate(invalid="ignore", over="ignore"):
        products = np.where((pair[0] == 0) | (pair[1] == 0), 0, pair[0] * pair[1])
        return np.asarray(products.sum(axis=0))


Second = Callable[[Case, Outputs], Case | str | None]
"""The call of the other operator, or what is wrong with the outputs that it would be made from."""


def adjoint(
    other: tuple[str, str],
    pairings: tuple[Pairing, ...],
    prepared: Callable[[Case], Case | None],
    second: Second,
    modes: tuple[str, ...] = (),
) -> Relation:
    """An operator and another one, a name and a title, are each other's adjoints.

    ``prepared`` gives a drawn case small integers, ``second`` makes the call of the other operator
    with small integers of its own. A pairing of which a call lacks a tensor is left out.
    """
    named, title = other

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        asked = second(case, outputs)
        if not isinstance(asked, Case):
            yield from () if asked is None else (asked,)
            return
        seen = run(asked)
        for pairing in pairings:
            if pairing.x in case.inputs and pairing.g in asked.inputs:
                yield from unequal(pairing, case, outputs, asked, seen)

    def possible(drawn: Case) -> Case | None:
        tensors = (*drawn.inputs.values(), *drawn.outputs.values())
        return None if any(0 in tensor.shape for tensor in tensors) else prepared(drawn)

    clause = inferred(
        f"<forward(x), g> = <x, gradient(g)> with {title}, exactly on small integers",
        "a gradient is the adjoint of what is linear",
    )
    return Relation(f"adjoint of {title}", clause, broken, possible, modes, beside=(named,))


def with_small(case: Case, *names: str, most: int = 3) -> Case:
    """The case with small integers for these of its inputs."""
    given = {
        name: small(name, case.inputs[name].shape, case.inputs[name].dtype, most).materialize()
        for name in names
        if name in case.inputs
    }
    return with_arrays(case, given)

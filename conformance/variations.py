"""Calls made from a good one by breaking one thing: what rejections are written with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from conformance.case import Attribute, Case, Tensor
from conformance.operator import Clause, Rejection


def without(case: Case, name: str) -> Case:
    """The same call with a null pointer for tensor ``name``."""

    def drop(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {key: tensor for key, tensor in tensors.items() if key != name}

    return replace(case, inputs=drop(case.inputs), outputs=drop(case.outputs))


def retyped(case: Case, name: str, dtype: str) -> Case:
    """The same call with zeros of another dtype for tensor ``name``."""

    def change(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {k: Tensor(t.shape, dtype) if k == name else t for k, t in tensors.items()}

    return replace(case, inputs=change(case.inputs), outputs=change(case.outputs))


def reshaped(case: Case, name: str, shape: tuple[int, ...]) -> Case:
    """The same call with zeros of another shape for tensor ``name``."""

    def change(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {k: Tensor(shape, t.dtype) if k == name else t for k, t in tensors.items()}

    return replace(case, inputs=change(case.inputs), outputs=change(case.outputs))


def with_attributes(case: Case, **changed: Attribute) -> Case:
    """The same call with other attribute values. Raises ValueError for an unknown attribute."""
    unknown = changed.keys() - case.attributes.keys()
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]}: {case.operator} has no such attribute")
    return replace(case, attributes={**case.attributes, **changed})


def in_mode(mode: str, case: Case) -> Case:
    """The same call as one of another mode: of that which its other arguments are by now."""
    return replace(case, mode=mode)


def refused(
    broken: Mapping[int, Mapping[Clause, Mapping[str, Case]]],
    *,
    routes: tuple[str, ...] = (),
    checked_by_cann: bool = True,
) -> tuple[Rejection, ...]:
    """Calls by the status that they must be refused with, by the rule that they break, by name."""
    return tuple(
        Rejection(name, case, status, clause, routes, checked_by_cann)
        for status, clauses in broken.items()
        for clause, calls in clauses.items()
        for name, case in calls.items()
    )

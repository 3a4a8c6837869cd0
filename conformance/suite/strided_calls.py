"""Calls with one tensor that is not contiguous, made from a record's examples: those that must be
refused, and those that must be carried out as ever.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from conformance.call.case import Case
from conformance.draw.views import dense_strides
from conformance.record.operator import Example, Operator, Rejection, Strided

MOST_ELEMENTS = 4096
"""Of a tensor that is spaced."""


def of_strides(operator: Operator) -> tuple[Rejection, ...]:
    """Calls of every tensor that must be contiguous (`_calls`).

    Raises ValueError if a name is no tensor's.
    """
    known = {tensor.name for tensor in operator.tensors}
    for name in (name for said in operator.strided for name in said.tensors):
        if name not in known:
            names = ", ".join(sorted(known))
            raise ValueError(f"strided of {operator.name} names {name}: its tensors are {names}")
    return tuple(
        Rejection(name, case, said.status, said.clause, checked_by_cann=said.checked_by_cann)
        for said in operator.strided
        if said.status is not None
        for name, case in _calls(operator, said)
    )


def with_strides(operator: Operator) -> tuple[Example, ...]:
    """Calls of every tensor that may have strides (`_calls`)."""
    return tuple(
        Example(name, case, said.clause.source)
        for said in operator.strided
        if said.status is None
        for name, case in _calls(operator, said)
    )


def _calls(operator: Operator, said: Strided) -> Iterator[tuple[str, Case]]:
    """Of each tensor a documented call in which it is spaced, by elements and by rows, and one in
    which its axes lie in reverse order. None of a tensor that no documented call has in more than
    one row and column.
    """
    for name in said.tensors:
        for case in _example(operator, name):
            for how, strides in _layouts({**case.inputs, **case.outputs}[name].shape):
                yield f"{name} {how}", _with_strides(case, name, strides)


def _example(operator: Operator, name: str) -> Iterator[Case]:
    """The first documented call whose tensor of that name is small, and of more than one row and
    column."""
    for example in operator.examples:
        tensor = {**example.case.inputs, **example.case.outputs}.get(name)
        if tensor is None or tensor.rows is not None or tensor.size > MOST_ELEMENTS:
            continue
        if tensor.shape and tensor.shape[0] > 1 and tensor.shape[-1] > 1 and tensor.size:
            yield example.case
            return


def _layouts(shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Words for a layout, and its strides."""
    dense = dense_strides(shape)
    yield "of spaced elements", tuple(2 * stride for stride in dense)
    if len(shape) > 1:
        rows = math.prod(shape[1:])
        yield "of spaced rows", (rows + 1, *dense[1:])
        yield "with its axes reversed", dense_strides(shape[::-1])[::-1]


def _with_strides(case: Case, name: str, strides: tuple[int, ...]) -> Case:
    """The same call with other strides of one tensor."""
    both = [
        {
            key: replace(tensor, strides=strides) if key == name else tensor
            for key, tensor in tensors.items()
        }
        for tensors in (case.inputs, case.outputs)
    ]
    return replace(case, inputs=both[0], outputs=both[1])

"""The calls that a Python function must refuse: those that a document forbids, as it can see them.

A function makes its outputs and tells no status. So what is wrong must be an input or an attribute,
and any exception refuses it. Each call has the documented one from which it differs least: of a
function that does not carry out that one, an exception says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.call.case import ND, Case
from conformance.call.observation import UNTOLD
from conformance.record.clause import SourceClass
from conformance.record.derive.explain import explain
from conformance.record.operator import Operator, Rejection


@dataclass(frozen=True)
class _Right:
    """A documented call, and what of it is compared."""

    case: Case
    parts: Mapping[str, object]
    elements: int


def of_arguments(operator: Operator) -> tuple[Rejection, ...]:
    """The calls, each with what it breaks; none if the record has no signature."""
    if operator.signature is None:
        return ()
    rights = [
        _Right(one.case, _parts(one.case), sum(t.size for t in one.case.inputs.values()))
        for one in operator.examples
        if not one.case.before and _call(operator, one.case) is not None
    ]
    return tuple(_made(operator, rights)) if rights else ()


def _made(operator: Operator, rights: Sequence[_Right]) -> Iterator[Rejection]:
    for one in operator.rejections:
        documented = one.clause.source_class is SourceClass.DOCUMENT
        if not documented or one.routes or not _is_seen(operator, one.case):
            continue
        parts = _parts(one.case)
        nearest = min(rights, key=lambda right: (_distance(parts, right.parts), right.elements))
        if _call(operator, one.case) not in (None, _call(operator, nearest.case)):
            yield replace(one, status=UNTOLD, breaks=nearest.case)


def _is_seen(operator: Operator, case: Case) -> bool:
    """Whether an input or an attribute is wrong, whatever the mode and the data type of a call."""
    if case.breach is not None:
        return False
    outputs = {one.name for one in operator.tensors if one.role == "output"}
    for mode, dtype in operator.declared_cells:
        assert operator.signature is not None
        misfit = explain(operator.signature, replace(case, mode=mode, dtype=dtype)).misfit
        if misfit is None or misfit.parameter in outputs:
            return False
    return True


def _call(operator: Operator, case: Case) -> tuple[Any, ...] | None:
    """All that a function is given: its arguments, and the shapes and dtypes of tensors.

    None if it cannot be given that: strides of a tensor are its own business, and a format is
    nothing that it has; other calls have no words in its keywords.
    """
    tensors = (*case.inputs.values(), *case.outputs.values())
    if any(one.format != ND or one.strides or one.rows is not None for one in tensors):
        return None
    try:
        if operator.unreached is not None and operator.unreached(case):
            return None
        arguments = operator.python_call(case).arguments
    except LookupError:  # a keyword that follows from the shape of a tensor that is absent
        return None
    return arguments, {name: (one.shape, one.dtype) for name, one in case.inputs.items()}


def _parts(case: Case) -> dict[str, object]:
    """What two calls are compared by, each part by its name."""
    tensors = {**case.inputs, **case.outputs}.items()
    return {**case.attributes, **{name: (one.shape, one.dtype) for name, one in tensors}}


def _distance(one: Mapping[str, object], other: Mapping[str, object]) -> int:
    return sum(one.get(name) != other.get(name) for name in one.keys() | other.keys())

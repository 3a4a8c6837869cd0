"""The outputs of a call of which a file has the inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.call.case import Case, Tensor
from conformance.errors import text_of
from conformance.field.nearest import Nearest
from conformance.field.parameters import Arguments
from conformance.judge.legality import IllegalCase
from conformance.record.derive.calls import call as called
from conformance.record.derive.explain import explain_inputs
from conformance.record.operator import Operator
from conformance.record.signature import Signature, SizedTensor

MOST_SETS = 3
"""Sets of outputs that are tried: which optional ones a call has."""


def with_outputs(
    operator: Operator, case: Case, told: Arguments, near: Nearest, sizes: Mapping[str, int]
) -> Iterator[Case]:
    """The case with its outputs: those that the file names, else those that drawn calls have."""
    own = [one for one in operator.tensors if one.role == "output"]
    if told.outputs is not None:
        outputs = {n: Tensor(o.shape, o.dtype) for n, o in told.outputs.items()}
        yield replace(case, outputs=outputs)
        return
    for chosen in near.outputs[:MOST_SETS]:
        here = {*case.inputs, *chosen}
        names = [
            one.name
            for one in own
            if not one.optional
            or one.name in chosen
            or (isinstance(one, SizedTensor) and one.must_be(here))
        ]
        made, signature = None, operator.signature
        if signature is not None and (made := _by_sizes(signature, case, sizes, names)):
            yield made
        shapes = _by_formula(operator, case)
        tensors = {o.name: o for o in own if o.name in names and o.name in shapes}
        outputs = {n: Tensor(shapes[n], o.dtypes(case.dtype)[0]) for n, o in tensors.items()}
        found = _typed(operator, replace(case, outputs=outputs))
        if signature is not None and len(outputs) < len(names):
            # What the reference does not compute is as long as what it does.
            more = explain_inputs(signature, found).sizes
            found = _by_sizes(signature, case, {**sizes, **more}, names) or found
        found = _typed(operator, found)
        if made is None or found.outputs != made.outputs:
            yield found


def _by_sizes(
    signature: Signature, case: Case, sizes: Mapping[str, int], names: list[str]
) -> Case | None:
    """The case with outputs as long as its sizes say; None where a size does not follow."""
    form = signature.of(case)
    only = {one.name: one.least for one in form.sizes.values() if one.least == one.most}
    fields: dict[str, dict[str, Any]] = {name: {} for name in (*case.inputs, *names)}
    try:
        made = called(form, case.mode, case.dtype, {**only, **sizes}, fields, **case.attributes)
    except (ValueError, KeyError, TypeError):
        return None
    outputs = {name: one for name, one in made.outputs.items() if name in names}
    found = replace(case, outputs=outputs)
    return _retyped(signature, found)


def _typed(operator: Operator, case: Case) -> Case:
    return case if operator.signature is None else _retyped(operator.signature, case)


def _retyped(signature: Signature, case: Case) -> Case:
    """The case with the data types that its outputs have beside its inputs."""
    own = {one.name: one for one in signature.of(case).tensors}
    outputs = {
        name: replace(one, dtype=own[name].dtypes_in(case)[0]) for name, one in case.outputs.items()
    }
    return replace(case, outputs=outputs)


def _by_formula(operator: Operator, case: Case) -> dict[str, tuple[int, ...]]:
    """The shapes of the outputs that the reference computes. Raises `IllegalCase`."""
    try:
        with np.errstate(all="ignore"):
            found = operator.formula(case.arrays, case.attributes)
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, ZeroDivisionError) as error:
        raise IllegalCase(text_of(error)) from error
    return {name: np.shape(one) for name, one in found.items()}

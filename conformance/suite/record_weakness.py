"""Where a record is weak: what no drawn case of it reaches, though kernels are wrong there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from conformance.call.case import Case, Tensor, numpy_dtype
from conformance.catalogue import check as say
from conformance.record.call_rules import Range
from conformance.record.operator import AttributeParameter, Operator, Rejection, TensorParameter
from conformance.record.signature import SizedTensor

FEWEST = 10
"""Cases below which nothing is concluded from what they all share."""


def weaknesses(operator: Operator, cases: Sequence[Case]) -> Iterator[str]:
    """A sentence for each weakness of a record of which these cases were drawn."""
    named = {example.case.mode for example in operator.examples}
    for mode in operator.modes:
        if mode.name not in named:
            yield say.NO_EXAMPLE(mode=mode.name)
    if not any(_is_own(operator, one) for one in operator.rejections):
        yield say.NO_REJECTIONS()
    if all(relation.always for relation in operator.relations):
        yield say.NO_RELATIONS()
    if operator.cells is None:
        yield say.NO_CELLS()
    yield from unreached(operator, cases)


def unreached(operator: Operator, cases: Sequence[Case]) -> Iterator[str]:
    """A sentence for each thing that none of these drawn cases reaches."""
    if len(cases) >= FEWEST:
        yield from _of_machines(cases)
        fixed = {one.name for one in operator.ranges if _is_one_value(one)}
        for parameter in operator.parameters:
            if isinstance(parameter, AttributeParameter):
                if parameter.name not in fixed:
                    yield from _of_attribute(parameter.name, cases)
            else:
                yield from _of_tensor(operator, parameter, cases)


def _is_one_value(limits: Range) -> bool:
    """Whether an attribute between them has the same value in every call."""
    is_of_all = not limits.modes and limits.at is None
    return is_of_all and limits.least == limits.most is not None


def _is_own(operator: Operator, rejection: Rejection) -> bool:
    """Whether a rejected call is the record's, and not one that each operator has."""
    of_all = [operator.each_tensor, *(one.clause for one in operator.strided)]
    return rejection.case.breach is None and rejection.clause not in of_all


def _of_machines(cases: Sequence[Case]) -> Iterator[str]:
    on = [(case, case.machine) for case in cases if case.machine is not None]
    if not any(machine.cores > 1 for _, machine in on):
        yield say.ONE_CORE()
    if not any(_longest_row(case) > machine.ub_bytes for case, machine in on):
        yield say.ONE_TILE()
    if not any(_most_rows(case) > machine.cores > 1 for case, machine in on):
        yield say.FEW_ROWS()


def _of_attribute(name: str, cases: Sequence[Case]) -> Iterator[str]:
    values = {case.attributes[name] for case in cases}
    if len(values) == 1:
        yield say.ONE_VALUE(name=name, value=str(*values))


def _of_tensor(
    operator: Operator, parameter: TensorParameter, cases: Sequence[Case]
) -> Iterator[str]:
    name = parameter.name
    have = [tensor for case in cases if (tensor := _tensors(case).get(name)) is not None]
    if parameter.optional and len(have) == len(cases):
        yield say.ALWAYS_THERE(name=name)
    if not have:
        yield say.NEVER_THERE(name=name)
        return
    listed = () if parameter.dtype is None else parameter.dtypes("")
    for dtype in sorted(set(listed) - {tensor.dtype for tensor in have}):
        yield say.ONE_DTYPE(name=name, dtype=dtype)
    if parameter.role == "input" and _may_be_in_any_order(parameter, have[0]):
        arrays = (case.arrays[name].ravel() for case in cases if name in case.inputs)
        if all((np.diff(array.astype(np.int64)) >= 0).all() for array in arrays):
            yield say.SORTED(name=name)


def _may_be_in_any_order(parameter: TensorParameter, tensor: Tensor) -> bool:
    """Whether an input holds numbers of rows; without a signature any integers may be that. Others,
    such as sorted ids, may have to rise.
    """
    if isinstance(parameter, SizedTensor):
        return parameter.numbers is not None
    return numpy_dtype(tensor.dtype).kind in "iu"


def _longest_row(case: Case) -> int:
    """Bytes of the longest row of a tensor."""
    tensors = [tensor for tensor in _tensors(case).values() if tensor.shape]
    return max((t.shape[-1] * numpy_dtype(t.dtype).itemsize for t in tensors), default=0)


def _most_rows(case: Case) -> int:
    """The most rows that an output has; of one axis, its elements."""
    return max((math.prod(t.shape[:-1] or t.shape) for t in case.outputs.values()), default=0)


def _tensors(case: Case) -> dict[str, Tensor]:
    return {**case.inputs, **case.outputs}

"""Probing a device: in which order its kernels add, recovered from what they answer.

For every record with a `row_sum` the order of additions is recovered for some row lengths. What is
found goes into the evidence; what cannot be recovered is said, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.call.findings import ending
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.errors import OperatorUnavailable, text_of
from conformance.evidence.lines import LimitLine, OrderLine
from conformance.numerics.recovery import Recovered, Unrecoverable, recover
from conformance.numerics.tree import lowest_common
from conformance.record.contract import Sum
from conformance.record.operator import Operator
from conformance.session.boundaries import limit_lines

SLOTS = (2, 3, 4, 5, 6, 8, 9, 16, 33)
"""Row lengths that are probed: both sides of powers of two, where trees change their shape."""

UNRECOVERABLE, NO_ANSWER = "unrecoverable", "no answer"


class NoAnswer(Exception):  # noqa: N818 - what became of a call
    """A call of the probe did not complete; the text says how it ended."""


def probed(
    device: Device, operators: Sequence[Operator], worker: str
) -> Iterator[OrderLine | LimitLine]:
    """All that a run asks a device before it judges: orders of additions, limits of tilings."""
    yield from summation_orders(device, operators, worker=worker)
    yield from limit_lines(device, operators, worker)


def summation_orders(
    device: Device,
    operators: Iterable[Operator],
    slots: Iterable[int] = SLOTS,
    worker: str = "main",
) -> Iterator[OrderLine]:
    """One line for each operator with a row sum, dtype and row length.

    An operator whose call does not complete is not asked again: it may take the time limit.
    """
    lengths = tuple(slots)
    for operator in operators:
        if operator.row_sum is None:
            continue
        for dtype, length in product(operator.dtypes, lengths):
            line = order_of(device, operator, dtype, length, worker)
            yield line
            if line.order == NO_ANSWER:
                break


def order_of(
    device: Device, operator: Operator, dtype: str, slots: int, worker: str = "main"
) -> OrderLine:
    """The order in which the device's kernel adds ``slots`` values of one token."""

    def row_sum(x: NDArray[Any]) -> NDArray[Any]:
        return on_device(device, operator, dtype, x)

    line = OrderLine(
        worker=worker, operator=operator.name, dtype=dtype, slots=slots, order=UNRECOVERABLE
    )
    try:
        found = recover(row_sum, slots, dtype)
    except Unrecoverable as reason:
        return msgspec.structs.replace(line, reason=text_of(reason))
    except (NoAnswer, OperatorUnavailable) as reason:
        return msgspec.structs.replace(line, order=NO_ANSWER, reason=text_of(reason))
    return msgspec.structs.replace(
        line,
        order=found.name,
        merges=tuple(found.merges),
        accumulate=found.accumulate,
        verified=found.verified,
        drawing=found.drawing if found.name == "other" else "",
        as_declared=_as_declared(operator, dtype, found),
    )


def _as_declared(operator: Operator, dtype: str, found: Recovered) -> bool | None:
    """Whether the contract declares this tree; None where it declares none."""
    assert operator.row_sum is not None
    case = operator.row_sum(dtype, np.zeros((found.slots, 1), numpy_dtype(dtype)))
    declared = _contract(operator, case)[1].merges
    if declared is None:
        return None
    one, other = (lowest_common(m, found.slots) for m in (declared(found.slots), found.merges))
    return bool(np.array_equal(one, other))


def _contract(operator: Operator, case: Case) -> tuple[str, Sum]:
    """The one summed output of a row sum and its contract."""
    contracts = [(name, operator.contract(name, case)) for name in case.outputs]
    summed = [(name, contract) for name, contract in contracts if isinstance(contract, Sum)]
    if len(summed) != 1:
        raise ValueError(
            f"row_sum of {operator.name}: must be None, its call has {len(summed)} summed "
            "outputs and not one"
        )
    return summed[0]


def on_device(device: Device, operator: Operator, dtype: str, x: NDArray[Any]) -> NDArray[Any]:
    """The sums over the slots of ``x`` [slots, columns], as the device's kernel makes them.

    Raises NoAnswer where the call does not complete, ValueError for a record whose case for
    these values has no single summed output with an element for each column.
    """
    assert operator.row_sum is not None
    case = operator.row_sum(dtype, x)
    output, _ = _contract(operator, case)
    if case.outputs[output].size != x.shape[1]:
        raise ValueError(
            f"row_sum of {operator.name}: {output} must have {x.shape[1]} elements, a sum for each "
            f"column of x, has {case.outputs[output].size}"
        )
    observation = device.run(operator, case)
    if observation.outcome is not Outcome.COMPLETED:
        raise NoAnswer(ending(observation))
    return np.ascontiguousarray(observation.outputs[output]).reshape(-1)

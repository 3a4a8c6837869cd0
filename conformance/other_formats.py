"""Calls with one tensor in another format than ND, made from a record's examples.

Elements of such a tensor lie elsewhere than shape and strides say: no such call may be carried out.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.case import Case
from conformance.operator import Operator, Rejection
from conformance.protocol import INVALID, smallest
from conformance.variations import in_format

OTHER = "FRACTAL_NZ"
"""That of matrices in tiles of 16 by 16, which the cube unit reads: the one that PyTorch makes."""


def of_formats(operator: Operator) -> tuple[Rejection, ...]:
    """For each tensor the smallest documented call that has it, in another format; and the first
    tensor of a call without a result, in which a host entry may look at nothing more.

    None where the record says nothing of formats, and of a tensor that no documented call has.
    CANN's interfaces do not all look at a format, and the storage has the size of ND: on an NPU the
    call is not made.
    """
    if operator.format_nd is None:
        return ()
    names = (tensor.name for tensor in operator.tensors)
    asked = [(name, case, "") for name in names for case in smallest(operator, name)]
    idle = [one.case for one in operator.examples if not any(_elements(one.case))]
    asked += [(next(iter(case.inputs)), case, " of a call without a result") for case in idle[:1]]
    return tuple(
        Rejection(
            f"{name} in format {OTHER}{where}",
            in_format(case, name, OTHER),
            INVALID,
            operator.format_nd,
            checked_by_cann=False,
        )
        for name, case, where in asked
    )


def _elements(case: Case) -> Iterator[int]:
    """Of each output of a call, how many elements it has."""
    return (tensor.size for tensor in case.outputs.values())

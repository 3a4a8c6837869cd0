"""Calls with one tensor in another format than ND, made from a record's examples.

Elements of such a tensor lie elsewhere than shape and strides say: no such call may be carried out.
"""

from __future__ import annotations

from conformance.operator import Operator, Rejection
from conformance.protocol import INVALID, smallest
from conformance.variations import in_format

OTHER = "FRACTAL_NZ"
"""That of matrices in tiles of 16 by 16, which the cube unit reads: the one that PyTorch makes."""


def of_formats(operator: Operator) -> tuple[Rejection, ...]:
    """For each tensor the smallest documented call that has it, in another format.

    None where the record says nothing of formats, and of a tensor that no documented call has.
    CANN's interfaces do not all look at a format, and the storage has the size of ND: on an NPU the
    call is not made.
    """
    if operator.format_nd is None:
        return ()
    return tuple(
        Rejection(
            f"{tensor.name} in format {OTHER}",
            in_format(case, tensor.name, OTHER),
            INVALID,
            operator.format_nd,
            checked_by_cann=False,
        )
        for tensor in operator.tensors
        for case in smallest(operator, tensor.name)
    )

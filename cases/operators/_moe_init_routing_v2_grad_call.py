"""Calls of MoeInitRoutingV2Grad from the sizes that matter, and the documents that say of them."""

from __future__ import annotations

import math

from conformance.call.case import Case, Machine, Tensor
from conformance.record.clause import Clause, document
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_init_routing_v2_grad"
README = "MoeInitRoutingV2Grad README"
ACLNN = "aclnnMoeInitRoutingV2Grad document"
KERNELS = "ops-transformer, moe_init_routing_v2_grad/op_kernel"
TILING = "ops-transformer, moe_init_routing_v2_grad_tiling_base.cpp"
DTYPES = ("float16", "bfloat16", "float32")
TENSORS = (
    TensorParameter("grad_expanded_x", "gradExpandedX", "input"),
    TensorParameter("expanded_row_idx", "expandedRowIdx", "input", "int32"),
    TensorParameter("grad_x", "out", "output"),
)


def call(
    mode: str,
    dtype: str,
    *,
    grad: Shape,
    indices: Shape,
    top_k: int,
    active_num: int = 0,
    fill: Fill | None = None,
    values: Shape | None = None,
    out: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    rows: Shape | None = None,
) -> Case:
    """A case from the sizes that matter; ``out`` defaults to the documented [tokens, hidden]."""
    tokens = len(indices) // top_k if top_k > 0 else 0
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={
            "top_k": top_k,
            "drop_pad_mode": int(mode == "drop_pad"),
            "active_num": active_num,
        },
        inputs={
            "grad_expanded_x": Tensor(grad, dtype, values, fill, unread, rows),
            "expanded_row_idx": Tensor((len(indices),), "int32", values=indices),
        },
        outputs={"grad_x": Tensor(out or (tokens, grad[-1]), dtype)},
        machine=machine,
    )


def stated(text: str) -> Clause:
    """A clause of the interface's parameter list."""
    return document(text, f"{ACLNN}, parameters")


def identity_call(
    mode: str, dtype: str, grad: Shape, entries: int, top_k: int, active_num: int = 0
) -> Case:
    """A call of the vendor's tiling tests, which give sizes only: the indices are 0, 1, 2..."""
    rows = math.prod(grad[:-1])
    indices = tuple(i if mode != "drop_pad" or i < rows else -1 for i in range(entries))
    fill = Fill(("gaussian",), seed=1)
    return call(
        mode, dtype, grad=grad, indices=indices, top_k=top_k, active_num=active_num, fill=fill
    )

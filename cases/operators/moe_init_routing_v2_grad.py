"""MoeInitRoutingV2Grad: every token's gradient is the sum of its expanded rows' gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from conformance.case import Case, Machine, Tensor
from conformance.fill import Fill
from conformance.operator import (
    Arrays,
    AttributeParameter,
    Boundary,
    Example,
    Merges,
    Mode,
    Operator,
    Rejection,
    Sum,
    TensorParameter,
    document,
    source_read,
)
from conformance.strategies.fills import fills
from conformance.strategies.machines import machines
from conformance.strategies.routings import positions, ranks, unread_rows
from conformance.strategies.sizes import hiddens, token_counts, top_ks
from hypothesis import strategies as st
from reference import moe_init_routing_v2_grad as reference
from reference.terms import Terms

NAME = "moe_init_routing_v2_grad"
README = "MoeInitRoutingV2Grad README"
ACLNN = "aclnnMoeInitRoutingV2Grad document"
TILING = "ops-transformer, moe_init_routing_v2_grad_tiling_base.cpp"
LARGEST_CASE = 60_000
"""Elements that one case may add up; bounds the time of a drawn case, not what the kernel can do."""


def formula(inputs: Arrays, attributes: Mapping[str, int]) -> Arrays:
    """The document's equation on the case's arrays, in the dtype of ``grad_expanded_x``."""
    return {"grad_x": reference.formula(**inputs, **attributes)}


def terms(inputs: Arrays, attributes: Mapping[str, int]) -> Terms:
    """The rows of ``grad_expanded_x``, seen as [rows, hidden], that each token adds."""
    source = inputs["grad_expanded_x"]
    rows = 1
    for size in source.shape[:-1]:
        rows *= size
    return reference.terms(inputs["expanded_row_idx"], source_rows=rows, **attributes)


def bins(top_k: int) -> int:
    """Number of partial sums that the kernels keep side by side for one token."""
    return 64 if top_k >= 128 else 1 << max(0, top_k.bit_length() - 2)


def bin_tree(slots: int) -> Merges:
    """The summation order on Ascend910B and 910_93: even slots, then odd slots, then pairs of bins.

    Bin b lives in slot 2b. Example: 5 slots give ((x0 + x4) + x1) + (x2 + x3).
    """
    count = bins(slots)
    even = [(2 * ((t // 2) % count), t) for t in range(2 * count, slots, 2)]
    odd = [(2 * ((t // 2) % count), t) for t in range(1, slots, 2)]
    strides = [1 << level for level in range(count.bit_length() - 1)]
    pairs = [(2 * (j - s), 2 * j) for s in strides for j in range(s, count, 2 * s)]
    return even + odd + pairs


def call(
    mode: str,
    dtype: str,
    *,
    grad: tuple[int, ...],
    indices: tuple[int, ...],
    top_k: int,
    active_num: int = 0,
    fill: Fill | None = None,
    values: tuple[int, ...] | None = None,
    out: tuple[int, ...] | None = None,
    unread: tuple[int, ...] = (),
    machine: Machine | None = None,
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
            "grad_expanded_x": Tensor(grad, dtype, values=values, fill=fill, unread=unread),
            "expanded_row_idx": Tensor((len(indices),), "int32", values=indices),
        },
        outputs={"grad_x": Tensor(out or (tokens, grad[-1]), dtype)},
        machine=machine,
    )


@st.composite
def cases(draw: st.DrawFn, mode: str, dtype: str) -> Case:
    """Cases of one mode and dtype; shrinks to one token, one expert, one column, one small core."""
    top_k = draw(top_ks())
    machine = draw(machines(least_ub_bytes(top_k)))
    tokens = draw(token_counts(machine.cores, max(1, min(100, LARGEST_CASE // (8 * top_k)))))
    hidden = draw(hiddens(max(1, min(700, LARGEST_CASE // (tokens * top_k)))))
    entries = tokens * top_k
    active_num = 0
    if mode == "drop_pad":
        experts = draw(st.integers(1, min(8, entries)))
        capacity = draw(st.integers(1, max(1, 2 * entries // experts)))
        grad: tuple[int, ...] = (experts, capacity, hidden)
        rows = experts * capacity
        indices = draw(positions(tokens, top_k, rows))
        active_num = draw(st.sampled_from([0, 1, entries]))
    else:
        indices = draw(ranks(entries))
        rows = active_num = entries
        if mode == "active":
            rows = active_num = draw(st.one_of(st.integers(1, entries), st.just(entries + 3)))
        else:
            active_num = 0
        grad = (rows, hidden)
    return call(
        mode,
        dtype,
        grad=grad,
        indices=tuple(int(index) for index in indices),
        top_k=top_k,
        active_num=active_num,
        fill=draw(fills(top_k)),
        unread=unread_rows(indices, rows),
        machine=machine,
    )


def least_ub_bytes(top_k: int) -> int:
    """The smallest unified buffer of a simulated machine that holds one tile of every bin."""
    return 4096 if bins(top_k) < 16 else 16384


GAUSSIAN = Fill(("gaussian",), seed=1)


def identity_call(
    mode: str, dtype: str, grad: tuple[int, ...], entries: int, top_k: int, active_num: int = 0
) -> Case:
    """A call of the vendor's tiling tests: only its sizes are given there, the indices are 0, 1, 2..."""
    rows = 1
    for size in grad[:-1]:
        rows *= size
    indices = tuple(i if mode != "drop_pad" or i < rows else -1 for i in range(entries))
    return call(
        mode, dtype, grad=grad, indices=indices, top_k=top_k, active_num=active_num, fill=GAUSSIAN
    )


def examples() -> tuple[Example, ...]:
    """The documented example, the vendor's accepted sizes, and calls with nothing to add."""
    tests = "ops-transformer, test_moe_init_routing_v2_grad_tiling.cpp, success tuples"
    documented = call(
        "dropless",
        "float32",
        grad=(4, 2),
        indices=(2, 0, 1, 3),
        top_k=2,
        values=tuple(float32_bits(v) for v in (0.1, 0.1, 0.3, 0.3, 0.2, 0.2, 0.4, 0.4)),
    )
    sizes = [
        ("480x8 top_k 6", identity_call("dropless", "float32", (480, 8), 480, 6)),
        *(
            (f"16x5120 top_k 2 {d}", identity_call("dropless", d, (16, 5120), 16, 2))
            for d in DTYPES
        ),
        ("active 40 of 640 top_k 64", identity_call("active", "float32", (40, 512), 640, 64, 40)),
        ("active 40 of 80 top_k 1", identity_call("active", "float32", (40, 512), 80, 1, 40)),
        ("drop_pad 10x8x512 top_k 8", identity_call("drop_pad", "float32", (10, 8, 512), 640, 8)),
        (
            "drop_pad ignores active_num",
            identity_call("drop_pad", "float32", (10, 8, 512), 640, 8, 40),
        ),
    ]
    empty = [
        ("no tokens", call("active", "float16", grad=(3, 8), indices=(), top_k=2, active_num=3)),
        ("hidden 0", call("dropless", "float32", grad=(4, 0), indices=(0, 1, 2, 3), top_k=2)),
        (
            "no experts, all dropped",
            call("drop_pad", "bfloat16", grad=(0, 4, 8), indices=(-1,) * 4, top_k=2),
        ),
    ]
    return (
        Example(
            "README",
            documented,
            f"{README}, call example",
            {"grad_x": (0.30000001, 0.30000001, 0.70000005, 0.70000005)},
        ),
        *(Example(name, case, tests) for name, case in sizes),
        *(
            Example(name, case, "interface behaviour for empty tensors, inferred")
            for name, case in empty
        ),
    )


def float32_bits(value: float) -> int:
    """The storage bits of a decimal written in a document, read as float32."""
    return int(np.float32(value).view(np.uint32))


DTYPES = ("float16", "bfloat16", "float32")
NULL, INVALID, TILING_FAILED = 161001, 161002, 561002


def rejections() -> tuple[Rejection, ...]:
    """Every rule that the interface checks, broken once; and the vendor's rejected sizes."""
    good = identity_call("dropless", "float32", (8, 16), 8, 2)

    def without(name: str) -> Case:
        inputs = {key: tensor for key, tensor in good.inputs.items() if key != name}
        outputs = {key: tensor for key, tensor in good.outputs.items() if key != name}
        return replace(good, inputs=inputs, outputs=outputs)

    def retyped(name: str, dtype: str) -> Case:
        def change(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
            return {k: Tensor(t.shape, dtype) if k == name else t for k, t in tensors.items()}

        return replace(good, inputs=change(good.inputs), outputs=change(good.outputs))

    def attribute(name: str, value: int) -> Case:
        return replace(good, attributes={**good.attributes, name: value})

    def sized(
        mode: str,
        grad: tuple[int, ...],
        entries: int,
        top_k: int,
        out: tuple[int, ...],
        active_num: int = 0,
    ) -> Case:
        return call(
            mode,
            "float32",
            grad=grad,
            indices=(0,) * entries,
            top_k=top_k,
            active_num=active_num,
            out=out,
        )

    required = document("the tensor is required", f"{ACLNN}, parameters")
    types = document(
        "float16, bfloat16 or float32, the same for input and output; indices int32",
        f"{ACLNN}, parameters",
    )
    ranks_rule = document(
        "grad_expanded_x has rank 2 or 3, and rank 3 in drop/pad mode", f"{ACLNN}, parameters"
    )
    rows_rule = source_read("dropless: as many rows of grad_expanded_x as indices", TILING)
    active_rule = document(
        "active: as many rows of grad_expanded_x as active_num", f"{ACLNN}, parameters"
    )
    out_rule = document("out is [tokens, hidden]", f"{ACLNN}, parameters")
    rules = (
        *((f"{n} is null", without(n), NULL, required) for n in ("grad_expanded_x", "expanded_row_idx", "grad_x")),
        ("indices are int64", retyped("expanded_row_idx", "int64"), INVALID, types),
        ("gradient is int32", retyped("grad_expanded_x", "int32"), INVALID, types),
        ("out has another dtype", retyped("grad_x", "float16"), INVALID, types),
        ("drop_pad_mode is -1", attribute("drop_pad_mode", -1), TILING_FAILED, document("drop_pad_mode is 0 or 1", f"{ACLNN}, parameters")),
        ("drop_pad_mode is 2", attribute("drop_pad_mode", 2), TILING_FAILED, document("drop_pad_mode is 0 or 1", f"{ACLNN}, parameters")),
        ("top_k is 0", attribute("top_k", 0), TILING_FAILED, document("top_k is above 0", f"{ACLNN}, parameters")),
        ("top_k is negative", attribute("top_k", -2), TILING_FAILED, document("top_k is above 0", f"{ACLNN}, parameters")),
        ("active_num is -1", attribute("active_num", -1), TILING_FAILED, document("active_num is 0 or more", f"{ACLNN}, parameters")),
        ("gradient of rank 4", sized("dropless", (2, 2, 2, 16), 8, 2, (4, 16)), TILING_FAILED, ranks_rule),
        ("gradient of rank 1", sized("dropless", (8,), 8, 2, (4, 8)), TILING_FAILED, ranks_rule),
        ("drop/pad with rank 2", sized("drop_pad", (8, 16), 8, 2, (4, 16)), TILING_FAILED, ranks_rule),
        ("one row more than indices", sized("dropless", (196608, 2), 196607, 1, (196607, 2)), TILING_FAILED, rows_rule),
        ("40 rows, active_num 30", sized("active", (40, 512), 80, 1, (80, 512), 30), TILING_FAILED, active_rule),
        ("out 510 wide, hidden 512", sized("active", (40, 512), 80, 1, (80, 510), 40), TILING_FAILED, out_rule),
        ("out of 10 rows for 64 tokens", sized("active", (40, 512), 640, 10, (10, 512), 40), TILING_FAILED, out_rule),
        ("out of rank 3", sized("dropless", (8, 16), 8, 2, (4, 1, 16)), TILING_FAILED, out_rule),
        ("top_k does not divide the indices", sized("dropless", (8, 16), 8, 3, (2, 16)), TILING_FAILED, document("top_k divides the number of indices", f"{ACLNN}, parameters")),
    )  # fmt: skip
    return tuple(Rejection(*rule) for rule in rules)


def vendor_boundaries() -> tuple[Boundary, ...]:
    """The vendor's largest hidden of one tile per bin class, on Ascend910B (usable UB 196352 B)."""
    wide = {1: 16384, 4: 16352, 8: 9808, 16: 5440, 32: 2880, 64: 1472, 128: 368}
    return tuple(
        Boundary("hidden", limit, f"one column tile at top_k {k}, 16-bit dtypes")
        for k, limit in wide.items()
    )


OPERATOR = Operator(
    name=NAME,
    title="MoeInitRoutingV2Grad",
    aclnn="aclnnMoeInitRoutingV2Grad",
    sources=(README, ACLNN),
    products=("Ascend910B", "Ascend910_93"),
    parameters=(
        TensorParameter("grad_expanded_x", "gradExpandedX", "input"),
        TensorParameter("expanded_row_idx", "expandedRowIdx", "input", "int32"),
        AttributeParameter("top_k", "topK"),
        AttributeParameter("drop_pad_mode", "dropPadMode"),
        AttributeParameter("active_num", "activeNum"),
        TensorParameter("grad_x", "out", "output"),
    ),
    modes=(
        Mode(
            "dropless",
            document("drop_pad_mode 0, active_num 0: every slot is added", f"{ACLNN}, parameters"),
        ),
        Mode(
            "active",
            source_read(
                "active_num > 0: indices from active_num on add nothing",
                "ops-transformer, moe_init_routing_v2_grad_with_activate.h",
            ),
        ),
        Mode(
            "drop_pad",
            source_read(
                "drop_pad_mode 1: index -1 adds nothing",
                "ops-transformer, moe_init_routing_v2_grad_with_pos_drop_and_pad_zero.h",
            ),
        ),
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "grad_x": Sum(
            clause=document(
                "each token is the sum of its top_k rows, accumulated in float32 and rounded once",
                f"{README}, formula",
            ),
            terms=terms,
            merges=bin_tree,
            order_clause=source_read(
                "even slots, odd slots, then pairs of bins",
                "ops-transformer, moe_init_routing_v2_grad kernels",
            ),
        )
    },
    cases=cases,
    examples=examples(),
    rejections=rejections(),
    boundaries=vendor_boundaries(),
)

"""MoeInitRoutingV2Grad: every token's gradient is the sum of its expanded rows' gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._documented_tensors import as_listed
from cases.operators._extremes import with_extremes
from cases.operators._ladders import of_slots, on_edges
from cases.operators._landmarks import of_summed_rows
from cases.operators._moe_init_routing_v2_grad_call import (
    ACLNN,
    DTYPES,
    KERNELS,
    NAME,
    README,
    TENSORS,
    Shape,
    call,
    identity_call,
    stated,
)
from cases.operators._moe_init_routing_v2_grad_cells import EXTREMES, cells
from cases.operators._moe_init_routing_v2_grad_far import far_cases, far_examples
from cases.operators._moe_init_routing_v2_grad_limits import (
    bins,
    least_ub_bytes,
    limits,
    tile_columns,
)
from cases.operators._moe_init_routing_v2_grad_rejections import (
    ACTIVE,
    FREEDOMS,
    PADDED,
    RANGES,
    RIGHT,
    rejections,
)
from cases.operators._moe_init_routing_v2_grad_relations import RELATIONS
from cases.operators._strides import of_a_definition
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import by_ranks
from conformance.call.case import Case, numpy_dtype
from conformance.draw.far import mostly
from conformance.draw.machines import machines
from conformance.draw.routings import positions, ranks, unread_rows
from conformance.draw.sizes import hiddens, token_counts, top_ks
from conformance.draw.values import fills
from conformance.record.clause import document, source_read
from conformance.record.operator import (
    Arrays,
    AttributeParameter,
    Example,
    Merges,
    Mode,
    Operator,
    Sum,
    Support,
    Target,
)
from conformance.record.variations import right_calls
from reference import moe_init_routing_v2_grad as reference
from reference.terms import Terms

MOST_INDICES = 5_000
LARGEST_CASE = 60_000
"""Elements that one drawn case may add up: bounds its time, not what a kernel can do."""


def formula(inputs: Arrays, attributes: Mapping[str, int]) -> Arrays:
    """The document's equation on the case's arrays, in the dtype of ``grad_expanded_x``."""
    grad, indices = inputs["grad_expanded_x"], inputs["expanded_row_idx"]
    return {"grad_x": reference.formula(grad, indices, **attributes)}


def terms(inputs: Arrays, attributes: Mapping[str, int]) -> Terms:
    """The rows of ``grad_expanded_x``, seen as [rows, hidden], that each token adds."""
    source = inputs["grad_expanded_x"]
    rows = math.prod(source.shape[:-1])
    return reference.terms(inputs["expanded_row_idx"], source_rows=rows, **attributes)


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


@st.composite
def cases(draw: st.DrawFn, mode: str, dtype: str, small: bool = False) -> Case:
    """Cases of one mode and dtype; shrinks to one token, one expert, one column, one small core.

    ``small`` ones have at most 8 indices and 64 columns.
    """
    most_indices, most_tokens, most_hidden = (8, 8, 64) if small else (MOST_INDICES, 2000, 5000)
    top_k, size = draw(top_ks(min(300, most_indices))), numpy_dtype(dtype).itemsize
    machine = draw(machines(least_ub_bytes(top_k, size), small))
    tile = tile_columns(top_k, size, machine.ub_bytes)
    tokens = draw(token_counts(machine.cores, max(1, min(most_tokens, most_indices // top_k))))
    most_columns = max(1, min(most_hidden, LARGEST_CASE // (tokens * top_k)))
    hidden = draw(hiddens(most_columns, tile))
    entries = tokens * top_k
    active_num = 0
    if mode == "drop_pad":
        experts = draw(st.integers(1, min(8, entries)))
        capacity = draw(st.integers(1, max(1, 2 * entries // experts)))
        grad: Shape = (experts, capacity, hidden)
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


def near_and_far_cases(mode: str, dtype: str, small: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; a few are far in drop/pad mode, where slots bound no rows."""
    near = cases(mode, dtype, small=small)
    return mostly(near, far_cases(call, dtype, small)) if mode == "drop_pad" else near


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
    plain = partial(identity_call, "dropless")
    active = partial(identity_call, "active", "float32", (40, 512))
    drop_pad = partial(identity_call, "drop_pad", "float32", (10, 8, 512), 640, 8)
    sizes = [
        ("480x8 top_k 6", plain("float32", (480, 8), 480, 6)),
        *((f"16x5120 top_k 2 {dtype}", plain(dtype, (16, 5120), 16, 2)) for dtype in DTYPES),
        ("active 40 of 640 top_k 64", active(640, 64, 40)),
        ("active 40 of 80 top_k 1", active(80, 1, 40)),
        ("drop_pad 10x8x512 top_k 8", drop_pad()),
        ("drop_pad ignores active_num", drop_pad(40)),
    ]
    empty = [
        ("no tokens", call("active", "float16", grad=(3, 8), indices=(), top_k=2, active_num=3)),
        ("hidden 0", call("dropless", "float32", grad=(4, 0), indices=(0, 1, 2, 3), top_k=2)),
        (
            "no experts, all dropped",
            call("drop_pad", "bfloat16", grad=(0, 4, 8), indices=(-1,) * 4, top_k=2),
        ),
    ]
    inferred = "interface behaviour for empty tensors, inferred"
    return (
        Example(
            "README",
            documented,
            f"{README}, call example",
            {"grad_x": (0.30000001, 0.30000001, 0.70000005, 0.70000005)},
        ),
        *(Example(name, case, tests) for name, case in sizes),
        *(Example(name, case, inferred) for name, case in empty),
        *far_examples(call, DTYPES),
        *right_calls(README, RIGHT, ACTIVE, PADDED),
    )


def row_sum(dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns]."""
    slots = len(x)
    bits = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(-1)
    return call(
        "dropless",
        dtype,
        grad=(slots, x.shape[1]),
        indices=tuple(range(slots)),
        top_k=slots,
        values=tuple(bits.tolist()),
    )


def float32_bits(value: float) -> int:
    """The storage bits of a decimal written in a document, read as float32."""
    return int(np.float32(value).view(np.uint32))


OPERATOR = Operator(
    name=NAME,
    title="MoeInitRoutingV2Grad",
    aclnn="aclnnMoeInitRoutingV2Grad",
    sources=(README, ACLNN),
    products=("Ascend910B", "Ascend910_93"),
    parameters=(
        *TENSORS[:2],
        AttributeParameter("top_k", "topK"),
        AttributeParameter("drop_pad_mode", "dropPadMode"),
        AttributeParameter("active_num", "activeNum"),
        TENSORS[2],
    ),
    modes=(
        Mode("dropless", stated("drop_pad_mode 0, active_num 0: every slot is added")),
        Mode("active", source_read("indices from active_num on add nothing", KERNELS)),
        Mode("drop_pad", source_read("drop_pad_mode 1: index -1 adds nothing", KERNELS)),
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "grad_x": Sum(
            clause=document("each token is the sum of its top_k rows", f"{README}, formula"),
            terms=terms,
            merges=bin_tree,
            order_clause=source_read(
                "added in float32: even slots, odd slots, pairs of bins; rounded once",
                KERNELS,
            ),
        )
    },
    cases=near_and_far_cases,
    small_cases=partial(near_and_far_cases, small=True),
    seam_cases=lambda mode, dtype: (
        far_cases(call, dtype, True) if mode == "drop_pad" else cases(mode, dtype, small=True)
    ),
    cells=with_extremes(partial(cells, call), EXTREMES),
    examples=examples(),
    rejections=rejections(),
    freedoms=FREEDOMS,
    ranges=RANGES,
    row_sum=row_sum,
    limits=tuple(limits(DTYPES)),
    landmarks=lambda case: of_summed_rows(case, case.attributes["top_k"], tile_columns),
    workload_cases=by_ranks(on_edges(partial(cells, call)), "dropless", "expanded_row_idx"),
    torch_npu=BINDINGS[NAME],
    ladders=of_slots(on_edges(partial(cells, call))),
    relations=RELATIONS,
    strided=of_a_definition(TENSORS, "ops-transformer, moe_init_routing_v2_grad_def.cpp"),
    each_tensor=as_listed(README),
    targets=(
        Target("Ascend910B", Support.SUPPORTED, document("Atlas A2 series: yes", README)),
        Target("Ascend910_93", Support.SUPPORTED, document("Atlas A3 series: yes", README)),
        Target(
            "Ascend910_95",
            Support.UNDEFINED,
            source_read("named by the operator's definition; its kernels are not public", KERNELS),
        ),
    ),
)

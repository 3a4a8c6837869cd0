"""MoeInitRoutingV2Grad: every token's gradient is the sum of its expanded rows' gradients."""

from __future__ import annotations

from functools import cache, partial

from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import as_listed, of_a_definition, of_a_tiling_alone, supported
from cases.operators._ladders import of_slots, on_edges
from cases.operators._landmarks import of_summed_rows
from cases.operators._moe_init_routing_v2_grad_cases import (
    ACLNN,
    DTYPES,
    GRAD,
    INDICES,
    KERNELS,
    NAME,
    OUT,
    PLACED,
    README,
    SIGNATURE,
    SUM,
    call,
    near_cases,
    stated,
)
from cases.operators._moe_init_routing_v2_grad_edges import edges
from cases.operators._moe_init_routing_v2_grad_limits import bins, limits, tile_columns
from cases.operators._slot_sum_cases import far_cases, far_examples, row_sum
from cases.operators._slot_sum_cells import cells
from cases.operators._torch_npu import BINDINGS
from cases.operators._values import bits
from cases.operators._workloads import by_ranks
from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.slot_sorts import INIT
from cases.relations.slot_sums import INIT_GRAD, PERMUTE_GRAD
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from conformance.call.case import Case
from conformance.draw.far import mostly
from conformance.record.cells import Cells
from conformance.record.clause import document, source_read
from conformance.record.contract import Merges, Sum
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Mode, Operator, Support, Target
from conformance.record.variations import reshaped, retyped, right_calls, with_attributes
from conformance.relations.axes import Axes
from conformance.values.fill import Fill
from reference import moe_init_routing_v2_grad as reference


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


def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; a few are far in drop/pad mode, where slots bound no rows."""
    near = near_cases(mode, dtype, small=small)
    if mode != "drop_pad":
        return near
    far = far_cases(SUM, mode, dtype, small, grouped=True)
    return far if seam else mostly(near, far)


@cache
def cells_of(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype."""
    return cells(PLACED if mode == "drop_pad" else SUM, mode, dtype, edges(mode, dtype))


def in_order(
    mode: str, dtype: str, source: tuple[int, ...], slots: int, top_k: int, **attributes: int
) -> Case:
    """A call of the vendor's tiling tests, which give sizes only: the indices are 0, 1, 2...; of
    more slots than places, those left are dropped.
    """
    rows = source[0] * source[1] if mode == "drop_pad" else slots
    ranks = tuple(rank if rank < rows else -1 for rank in range(slots))
    fill = Fill(("gaussian",), seed=1)
    return call(mode, dtype, source=source, indices=ranks, top_k=top_k, fill=fill, **attributes)


def zeros(mode: str, source: tuple[int, ...], slots: int, top_k: int, **attributes: int) -> Case:
    """A call whose indices are all 0."""
    return call(mode, "float32", source=source, indices=(0,) * slots, top_k=top_k, **attributes)


def examples() -> tuple[Example, ...]:
    """The documented example, the vendor's accepted sizes, and calls with nothing to add."""
    tests = "ops-transformer, test_moe_init_routing_v2_grad_tiling.cpp, success tuples"
    documented = call(
        "dropless",
        "float32",
        source=(4, 2),
        indices=(2, 0, 1, 3),
        top_k=2,
        values=bits("float32", 0.1, 0.1, 0.3, 0.3, 0.2, 0.2, 0.4, 0.4),
    )
    plain = partial(in_order, "dropless")
    active = partial(in_order, "active", "float32", (40, 512))
    drop_pad = partial(in_order, "drop_pad", "float32", (10, 8, 512), 640, 8)
    sizes = [
        ("480x8 top_k 6", plain("float32", (480, 8), 480, 6)),
        *((f"16x5120 top_k 2 {dtype}", plain(dtype, (16, 5120), 16, 2)) for dtype in DTYPES),
        ("active 40 of 640 top_k 64", active(640, 64)),
        ("active 40 of 80 top_k 1", active(80, 1)),
        ("drop_pad 10x8x512 top_k 8", drop_pad()),
        ("drop_pad ignores active_num", drop_pad(active_num=40)),
    ]
    empty = [
        ("no tokens", call("active", "float16", source=(3, 8), indices=(), top_k=2)),
        ("hidden 0", call("dropless", "float32", source=(4, 0), indices=(0, 1, 2, 3), top_k=2)),
        (
            "no experts, all dropped",
            call("drop_pad", "bfloat16", source=(0, 4, 8), indices=(-1,) * 4, top_k=2),
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
        *far_examples(call, "drop_pad", DTYPES, experts=2, named="row index"),
        *right_calls(README, *RIGHTS),
    )


DROPLESS, ACTIVE = zeros("dropless", (8, 16), 8, 2), zeros("active", (6, 16), 8, 2)
PADDED = zeros("drop_pad", (2, 4, 16), 8, 2)
RIGHTS = (in_order("dropless", "float32", (8, 16), 8, 2), ACTIVE, PADDED)


def wrong() -> dict[str, Case]:
    """Calls that differ in more than one thing: the vendor's rejected sizes, and near them."""
    forty = partial(zeros, "active", (40, 512), 80, 1)
    three = {"top_k": 3}
    return {
        "empty out of another dtype": retyped(zeros("dropless", (8, 0), 8, 2), OUT, "float16"),
        "gradient of rank 4": reshaped(DROPLESS, GRAD, (2, 2, 2, 16)),
        "gradient of rank 1": reshaped(zeros("dropless", (8, 8), 8, 2), GRAD, (8,)),
        "drop/pad with rank 2": reshaped(PADDED, GRAD, (8, 16)),
        "a row too many": zeros("dropless", (196608, 2), 196607, 1),
        "2 rows, active_num 1": zeros("active", (2, 16), 8, 2, active_num=1),
        "40 rows, active_num 30": forty(active_num=30),
        "40 rows, active_num 41": forty(active_num=41),
        "40 rows, active_num 40 + 2^32": forty(active_num=40 + 2**32),
        "out too narrow": reshaped(forty(), OUT, (80, 510)),
        "out of 10 rows for 64": reshaped(zeros("active", (40, 512), 640, 10), OUT, (10, 512)),
        "8 indices, top_k 3": reshaped(with_attributes(DROPLESS, **three), OUT, (2, 16)),
        "8 indices, top_k 3 in drop/pad": reshaped(with_attributes(PADDED, **three), OUT, (2, 16)),
    }


ROWS, EXPERTS = Axes.of(SIGNATURE), Axes.of(SIGNATURE.of_mode("drop_pad"))
OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(README, ACLNN),
    products=("Ascend910B", "Ascend910_93"),
    modes=(
        Mode("dropless", stated("drop_pad_mode 0, active_num 0: every slot is added")),
        Mode("active", source_read("indices from active_num on add nothing", KERNELS)),
        Mode("drop_pad", source_read("drop_pad_mode 1: index -1 adds nothing", KERNELS)),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula, OUT),
    contracts={
        "grad_x": Sum(
            clause=document("each token is the sum of its top_k rows", f"{README}, formula"),
            terms=terms_of(reference.terms, GRAD),
            merges=bin_tree,
            order_clause=source_read(
                "added in float32: even slots, odd slots, pairs of bins; rounded once",
                KERNELS,
            ),
        )
    },
    cells=with_extremes(cells_of, Extremes({GRAD: {}}, tiles="hidden = two tiles")),
    examples=examples(),
    rejections=of_a_tiling_alone(rejections(SIGNATURE, *RIGHTS, wrong=wrong())),
    row_sum=partial(row_sum, call, "dropless"),
    limits=tuple(limits(DTYPES)),
    landmarks=lambda case: of_summed_rows(case, case.attributes["top_k"], tile_columns),
    workload_cases=by_ranks(on_edges(cells_of), "dropless", INDICES),
    torch_npu=BINDINGS[NAME],
    ladders=of_slots(on_edges(cells_of)),
    relations=(
        *of_sums(ROWS, (OUT,), (GRAD,), ("dropless", "active")),
        *of_sums(EXPERTS, (OUT,), (GRAD,), ("drop_pad",)),
        agrees(INIT_GRAD, PERMUTE_GRAD),
        agrees_rounded(INIT_GRAD, PERMUTE_GRAD),
        split(INIT_GRAD),
        batch_invariant(INIT_GRAD),
        adjoint_of_sums(INIT_GRAD, INIT),
    ),
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_init_routing_v2_grad_def.cpp"),
    each_tensor=as_listed(README),
    targets=(
        *supported(README),
        Target(
            "Ascend910_95",
            Support.UNDEFINED,
            source_read("named by the operator's definition; its kernels are not public", KERNELS),
        ),
    ),
)

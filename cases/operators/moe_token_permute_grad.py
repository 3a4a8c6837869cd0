"""MoeTokenPermuteGrad: every token's gradient is the sum of its permuted copies' gradients."""

from __future__ import annotations

from functools import cache, partial

from hypothesis.strategies import SearchStrategy

from cases.operators import _slot_sum_cases as sums
from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import (
    INVALID,
    as_listed,
    in_document,
    null,
    of_a_definition,
    typed,
    unchecked,
)
from cases.operators._ladders import of_slots, on_edges
from cases.operators._landmarks import of_summed_rows
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_cells import cells
from cases.operators._slot_sum_edges import edges
from cases.operators._slot_sum_limits import limits
from cases.operators._values import bits
from cases.operators._workloads import by_ranks
from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.slot_sorts import PERMUTE
from cases.relations.slot_sums import INIT_GRAD, PERMUTE_GRAD
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from conformance.call.case import Case
from conformance.draw.far import mostly
from conformance.record.cells import Cells
from conformance.record.clause import document, source_read
from conformance.record.contract import Sum
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.derive.rejections import rejections
from conformance.record.derive.torch_call import DTYPE_OF_CASE, bound
from conformance.record.operator import Example, Mode, Operator, Quarantine, Support, Target
from conformance.record.signature import Signature, flag, number, tensor
from conformance.record.sizes import Size
from conformance.record.variations import reshaped, right_calls, with_attributes
from conformance.relations.axes import Axes
from reference import moe_token_permute_grad as reference

NAME = "moe_token_permute_grad"
ACLNN = "aclnnMoeTokenPermuteGrad document"
KERNELS = "ops-transformer, moe_token_permute_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_grad/op_host"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("whole", "uneven", "padded")

stated = in_document(ACLNN)
TOKEN, SLOT, HIDDEN = Size("token"), Size("slot", least=1), Size("hidden")
DROPPED = source_read("indices from the number of rows on add nothing", KERNELS)
ROW = Size("row", free=DROPPED)
SIGNATURE = Signature(
    NAME,
    (
        tensor("permuted_output_grad", ROW, HIDDEN),
        tensor("sorted_indices", TOKEN * SLOT, dtype="int32", numbers=ROW),
        number("num_topk", SLOT),
        flag("padded_mode", free=source_read("true is the same as false", HOST)),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    # CANN checks the first two alone: what breaks another is undefined there.
    rules=(
        null(stated("input and output tensors are no null pointers", "status")),
        typed(stated("float16, bfloat16 or float32, the same for input and output; indices int32")),
        unchecked(
            stated("the indices are num_topk for every token", "function"),
            "num_topk",
            "sorted_indices",
            kinds=("attribute", "extent"),
        ),
        unchecked(
            stated("permuted_output_grad has two axes, sorted_indices one"),
            "permuted_output_grad",
            "sorted_indices",
            kinds=("rank",),
        ),
        unchecked(stated("out is [tokens, hidden]"), "out"),
    ),
    by_mode={"padded": {"padded_mode": 1}},
)
SUM = TokenSum(slot_sum_call(SIGNATURE, "permuted_output_grad", "sorted_indices"))
call = SUM.call


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core.

    ``small`` ones have at most 8 indices and 64 columns. A few of mode "uneven" are far.
    """
    near = sums.near_cases(SUM, mode, dtype, small=small, seam=seam)
    few_are_far = mode == "uneven" and not seam
    return mostly(near, sums.far_cases(SUM, mode, dtype, small)) if few_are_far else near


@cache
def cells_of(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype."""
    return cells(SUM, mode, dtype, edges(SUM, mode, dtype))


ranked = partial(sums.in_order, call)


def examples() -> tuple[Example, ...]:
    """The documented example as its names and sizes mean it; a router's list; the limits."""
    documented = call(
        "whole",
        "bfloat16",
        source=(2, 2),
        indices=(0, 1),
        top_k=2,
        values=bits("bfloat16", 1, 2, 3, 4),
    )
    # Experts 2 0, 1 0, 1 2 of three tokens: the ranks are no list of sources, nor their own inverse
    routed = partial(call, indices=(4, 0, 2, 1, 3, 5), top_k=2)
    numbers = (1, 2, 4, 8, 16, 32)
    whole = routed("whole", "float16", source=(6, 1), values=bits("float16", *numbers))
    dropped = routed("uneven", "float16", source=(4, 1), values=bits("float16", *numbers[:4]))
    inferred = "interface behaviour for empty tensors, inferred"
    return (
        Example("two rows of one token", documented, f"{ACLNN}, example", {"out": (4.0, 6.0)}),
        Example("ranks of a router", whole, f"{ACLNN}, function: equations", {"out": (17, 6, 40)}),
        Example("dropped tail of a router", dropped, f"{KERNELS}, index test", {"out": (1, 6, 8)}),
        *(
            Example(f"num_topk 512 {dtype}", ranked("whole", dtype, 2, 512, 8, 1024), ACLNN)
            for dtype in DTYPES
        ),
        Example("num_topk 1", ranked("whole", "float32", 4, 1, 16, 4), ACLNN),
        Example("padded_mode", ranked("padded", "float16", 4, 2, 16, 8), ACLNN),
        Example("no tokens", ranked("uneven", "float16", 0, 2, 8, 3), inferred),
        Example("hidden 0", ranked("whole", "float32", 2, 2, 0, 4), inferred),
        Example("no rows", ranked("uneven", "bfloat16", 2, 2, 8, 0), inferred),
        *sums.far_examples(call, "uneven", DTYPES),
    )


RIGHT = ranked("whole", "float32", 4, 2, 16, 8)
UNEVEN = ranked("uneven", "float32", 4, 2, 16, 6)


def is_of_mode(case: Case) -> bool:
    """Whether there is a row for each index in mode "whole", as far as shapes say it."""
    counts = [tensor.shape[:1] for tensor in case.inputs.values()]
    return case.mode != "whole" or () in counts or len(set(counts)) == 1


WRONG = {"8 indices, num_topk 3": reshaped(with_attributes(RIGHT, num_topk=3), "out", (2, 16))}


def quarantine() -> tuple[Quarantine, ...]:
    """Calls on which document and host sources differ."""
    over = ranked("whole", "float32", 2, reference.MOST_TOPK + 1, 8, 1026)
    rule = "num_topk is at most 512; Ascend910B and 910_93 do not check it"
    return (Quarantine("num_topk 513", over, document(rule, f"{ACLNN}, constraints; {HOST}")),)


AXES = Axes.of(SIGNATURE)
PADDED = source_read("padded_mode true is the same as false", f"{KERNELS} and op_host")
OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(ACLNN,),
    products=("Ascend910B", "Ascend910_93"),
    modes=(
        Mode("whole", stated("a row of permuted_output_grad for every index, and no padding")),
        Mode("uneven", DROPPED),
        Mode("padded", PADDED),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula, "out"),
    contracts={
        "out": Sum(
            clause=document("each token is the sum of its num_topk rows", f"{ACLNN}, function"),
            terms=terms_of(reference.terms, "permuted_output_grad"),
            merges=sums.left_to_right,
            order_clause=source_read(
                "added in float32 from the first slot to the last; rounded once", KERNELS
            ),
        )
    },
    cells=with_extremes(cells_of, Extremes({"permuted_output_grad": {}})),
    examples=(*examples(), *right_calls(ACLNN, RIGHT, UNEVEN)),
    rejections=rejections(SIGNATURE, RIGHT, UNEVEN, wrong=WRONG, is_of_mode=is_of_mode),
    quarantine=quarantine(),
    row_sum=partial(sums.row_sum, call, "whole"),
    limits=tuple(limits(DTYPES)),
    landmarks=lambda case: of_summed_rows(case, case.attributes["num_topk"]),
    ladders=of_slots(on_edges(cells_of)),
    workload_cases=by_ranks(on_edges(cells_of), "whole", "sorted_indices"),
    torch_npu=bound(
        SIGNATURE,
        "npu_moe_token_permute_grad_v2",
        ("out",),
        grad_permuted_tokens="permuted_output_grad",
        sorted_indices="sorted_indices",
        tokens_size_0=TOKEN,
        tokens_dtype=DTYPE_OF_CASE,
        num_topK="num_topk",
        padded_mode="padded_mode",
    ),
    relations=(
        *of_sums(AXES, ("out",), ("permuted_output_grad",)),
        agrees(PERMUTE_GRAD, INIT_GRAD),
        agrees_rounded(PERMUTE_GRAD, INIT_GRAD),
        split(PERMUTE_GRAD),
        batch_invariant(PERMUTE_GRAD),
        adjoint_of_sums(PERMUTE_GRAD, PERMUTE),
    ),
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_token_permute_grad_def.cpp"),
    each_tensor=as_listed(ACLNN),
    targets=(
        Target(
            "Ascend910B",
            Support.SUPPORTED,
            stated("Atlas A2 training series", "products"),
            MODES[:2],
        ),
        Target("Ascend910B", Support.IGNORED, PADDED, MODES[2:]),
        Target(
            "Ascend910_93",
            Support.SUPPORTED,
            source_read("named by the operator's definition; no document says so", HOST),
            MODES[:2],
        ),
        Target("Ascend910_93", Support.IGNORED, PADDED, MODES[2:]),
        Target(
            "Ascend910_95",
            Support.UNDEFINED,
            source_read("redirected to MoeInitRoutingV2Grad, whose kernels are not public", HOST),
            MODES[:2],
        ),
        Target(
            "Ascend910_95",
            Support.REJECTED,
            source_read("the redirection refuses padded_mode true", HOST),
            MODES[2:],
            INVALID,
        ),
    ),
)

"""MoeTokenUnpermute: every token is the sum of its permuted copies, weighted by probabilities.

Missing coverage: rank 1 or 0; more than 2^31 slots.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_a_definition, of_tables
from cases.operators._ladders import of_slots, of_tokens, on_edges
from cases.operators._moe_token_unpermute_calls import (
    ACLNN,
    DTYPES,
    HOST,
    KERNELS,
    REJECTIONS,
    SIGNATURE,
    SINGLE,
    SUM,
    call,
    examples,
    quarantine,
    stated,
    weighted,
    with_probs,
)
from cases.operators._slot_sum_cases import far_cases, left_to_right, near_cases, weighted_row_sum
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_edges import edges, sized
from cases.operators._slot_sum_limits import of_weights
from cases.operators._torch_npu import bound_by_names
from cases.operators._values import WEIGHTS, weight_fills, weights_with
from cases.operators._workloads import by_ranks
from cases.relations.slot_grads import UNPERMUTE_GRAD, adjoint_of_weighted
from cases.relations.slot_sums import FINALIZE, UNPERMUTE
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import no_number_is_told, zero_is_none
from conformance.call.case import Case, numpy_dtype
from conformance.draw.far import mostly
from conformance.record.cells import Cells
from conformance.record.clause import source_read
from conformance.record.contract import Sum
from conformance.record.derive.axes import of_dtypes, of_values
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.edges import Edge
from conformance.record.operator import Mode, Operator
from conformance.relations.axes import Axes
from reference import moe_token_unpermute as reference

MODES = ("whole", "uneven", "single")
ANY_DTYPE = st.sampled_from(DTYPES)
PROB_FILLS = weight_fills()


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    if mode == "single":
        near = near_cases(SINGLE, mode, dtype, small=small, seam=seam)
        return near if seam else mostly(near, far_cases(SINGLE, mode, dtype, small))
    near = near_cases(SUM, mode, dtype, small=small, seam=seam)
    return with_probs(near, ANY_DTYPE, PROB_FILLS)


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and what probabilities are."""
    if mode == "single":
        # The kernel's edges are those of sums, and met with probabilities.
        return slot_cells(SINGLE, mode, dtype, None)
    near = edges(SUM, mode, dtype, weight_bytes=numpy_dtype(dtype).itemsize)
    return slot_cells(SUM, mode, dtype, near).completed(
        of_dtypes("probs dtype", DTYPES, "probs"),
        of_values("probs", WEIGHTS, "probs"),
        cases=lambda sums, levels: with_probs(
            sums, st.just(levels["probs dtype"]), weights_with(levels["probs"])
        ),
        on=lambda sums, edge: with_probs(sums, st.just(dtype), PROB_FILLS),
    )


def _on(mode: str, dtype: str, edge: Edge) -> SearchStrategy[Case]:
    """Cases of sizes of an edge in any mode."""
    if mode == "single":
        return sized(SINGLE, mode, dtype, edge.sizes, edge.machine)
    return on_edges(cells)(mode, dtype, edge)


ZERO = source_read("a probability of 0 leaves its row out, also an infinite one", KERNELS)
PRODUCT = stated("each token is the sum of its rows times their probabilities", "function")

OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(ACLNN, KERNELS, HOST),
    **of_tables(ACLNN, "products"),
    modes=(
        Mode("whole", stated("probs given; a row of permuted_tokens for every slot", "function")),
        Mode("uneven", source_read("probs given; slots from the last row on add nothing", KERNELS)),
        Mode("single", stated("no probs: top_k is 1, and every token is one row", "function")),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula, "out", ignored=("padded_mode",)),
    contracts={
        "out": Sum(
            clause=stated(
                "each token is the sum of its rows times their probabilities; one of 0 leaves its"
                " row out, also an infinite one",
                "function",
            ),
            terms=terms_of(reference.terms, "permuted_tokens", ignored=("padded_mode",)),
            merges=left_to_right,
            order_clause=source_read(
                "products rounded to float32, added in float32 from the first slot to the last;"
                " rounded once",
                KERNELS,
            ),
            fused="never",
        )
    },
    cells=with_extremes(cells, Extremes({"permuted_tokens": {}}, {"probs": {}})),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    row_sum=weighted_row_sum(call, "whole", weighted),
    limits=tuple(of_weights(DTYPES, bare_top_ks=(1,))),
    ladders=(
        *of_slots(_on, modes=MODES[:2]),
        *of_tokens(_on, kind=", single", modes=("single",)),
    ),
    workload_cases=by_ranks(on_edges(cells), "whole", "sorted_indices"),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_token_unpermute",
        "without probs there are as many tokens as indices: topK is 1",
    ),
    relations=(
        *of_sums(Axes.of(SIGNATURE), ("out",), ("permuted_tokens",)),
        agrees(UNPERMUTE, FINALIZE),
        agrees_rounded(UNPERMUTE, FINALIZE),
        split(UNPERMUTE),
        batch_invariant(UNPERMUTE),
        adjoint_of_weighted(UNPERMUTE, UNPERMUTE_GRAD, ("permuted_tokens",), "probs"),
        zero_is_none(UNPERMUTE, "permuted_tokens", "probs", ZERO, MODES[:2]),
        no_number_is_told(UNPERMUTE, "probs", PRODUCT, MODES[:2]),
    ),
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_token_unpermute_def.cpp"),
)

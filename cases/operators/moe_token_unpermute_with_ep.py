"""MoeTokenUnpermuteWithEp: every token is the weighted sum of its copies in a range of ranks.

Missing coverage: rank 1 or 0; more than 2^31 slots.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_a_definition, of_tables
from cases.operators._ladders import of_slots, on_edges
from cases.operators._moe_token_unpermute_calls import weighted, with_probs
from cases.operators._moe_token_unpermute_with_ep_calls import (
    ACLNN,
    DTYPES,
    FALLS_BACK,
    HOST,
    INDICES,
    KERNELS,
    MODES,
    NAME,
    PROBS,
    REJECTIONS,
    SIGNATURE,
    SUM,
    TOKENS,
    call,
    examples,
    quarantine,
    stated,
)
from cases.operators._slot_sum import top_k_of
from cases.operators._slot_sum_cases import left_to_right, near_cases, weighted_row_sum
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_edges import edges
from cases.operators._slot_sum_limits import of_weights
from cases.operators._slot_sum_ranges import ABSENT, NO_RANGE, PROBS_AT_ONCE, RANGED, probs_axes
from cases.operators._torch_npu import BINDINGS
from cases.operators._values import weight_fills, weights_with
from cases.operators._workloads import by_ranks
from cases.relations.ranges import UNPERMUTE_EP, ranges_join
from cases.relations.slot_grads import UNPERMUTE_EP_GRAD, adjoint_of_weighted
from cases.relations.slot_sums import UNPERMUTE
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import no_number_is_told, one_is_none, zero_is_none
from conformance.call.case import Case, numpy_dtype
from conformance.record.cells import Cells, Levels
from conformance.record.clause import source_read
from conformance.record.contract import Sum
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.edges import Edge
from conformance.record.operator import Mode, Operator
from conformance.relations.axes import Axes
from reference import moe_token_unpermute_with_ep as reference

PROB_FILLS = weight_fills()


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    near = near_cases(SUM, mode, dtype, small=small, seam=seam)
    given = with_probs(near, st.sampled_from(DTYPES), PROB_FILLS)
    return given if mode == NO_RANGE else near | given


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and what probabilities are."""

    def completed(sums: SearchStrategy[Case], levels: Levels) -> SearchStrategy[Case]:
        if levels["probs"] == ABSENT:
            return sums
        return with_probs(sums, st.just(levels["probs dtype"]), weights_with(levels["probs"]))

    def on(sums: SearchStrategy[Case], edge: Edge) -> SearchStrategy[Case]:
        return with_probs(sums, st.just(dtype), PROB_FILLS)

    near = edges(SUM, mode, dtype, weight_bytes=numpy_dtype(dtype).itemsize)
    return slot_cells(SUM, mode, dtype, near).completed(
        *probs_axes(DTYPES, mode != NO_RANGE), cases=completed, on=on, constraints=(PROBS_AT_ONCE,)
    )


ZERO = source_read("a probability of 0 leaves its row out, also an infinite one", KERNELS)
PRODUCT = stated("each token is the sum of its rows times their probabilities", "function")


OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(ACLNN, KERNELS, HOST),
    **of_tables(ACLNN, "products"),
    modes=(
        *(
            Mode(name, stated(f"the range holds {held}", "function: equations"))
            for name, held in RANGED.items()
        ),
        Mode(NO_RANGE, FALLS_BACK),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula, "out"),
    contracts={
        "out": Sum(
            clause=stated(
                "each token is the sum of the rows of its slots whose ranks lie in the range, row 0"
                " for the first of these, times their probabilities if given; one of 0 leaves its"
                " row out, also an infinite one",
                "function: equations",
            ),
            terms=terms_of(reference.terms, TOKENS),
            merges=left_to_right,
            order_clause=source_read(
                "products rounded to float32, added in float32 from the first slot to the last;"
                " rounded once",
                KERNELS,
            ),
            fused="never",
        )
    },
    cells=with_extremes(cells, Extremes({TOKENS: {}}, {PROBS: {}})),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    row_sum=weighted_row_sum(call, "full", weighted),
    limits=tuple(of_weights(DTYPES)),
    ladders=of_slots(on_edges(cells), least_tokens=3),
    workload_cases=by_ranks(on_edges(cells), "full", INDICES),
    torch_npu=BINDINGS[NAME],
    relations=(
        *of_sums(Axes.of(SIGNATURE), ("out",), (TOKENS,)),
        agrees(UNPERMUTE_EP, UNPERMUTE),
        agrees_rounded(UNPERMUTE_EP, UNPERMUTE),
        split(UNPERMUTE_EP),
        batch_invariant(UNPERMUTE_EP),
        ranges_join(TOKENS, (TOKENS, PROBS), top_k_of, MODES[:-1]),
        adjoint_of_weighted(UNPERMUTE_EP, UNPERMUTE_EP_GRAD, (TOKENS,), PROBS),
        one_is_none("out", PROBS, modes=MODES[:-1]),
        zero_is_none(UNPERMUTE_EP, TOKENS, PROBS, ZERO, MODES),
        no_number_is_told(UNPERMUTE_EP, PROBS, PRODUCT, MODES),
    ),
    strided=of_a_definition(
        SIGNATURE.tensors, "ops-transformer, moe_token_unpermute_with_ep_def.cpp"
    ),
)

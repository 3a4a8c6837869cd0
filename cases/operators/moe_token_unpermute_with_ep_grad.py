"""MoeTokenUnpermuteWithEpGrad: gradients of rows that a weighted sum over a range of ranks adds.

Missing coverage: rows beyond 2^31 elements, of which an output would have as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_a_definition, of_tables
from cases.operators._ladders import of_slots, on_edges
from cases.operators._moe_token_unpermute_grad_call import (
    GRAD,
    INDICES,
    PROBS,
    PROBS_GRAD,
    TOKENS,
    TOKENS_GRAD,
    with_grad,
    with_probs,
)
from cases.operators._moe_token_unpermute_grad_edges import PROB_BYTES, dtypes_of, edges, limits
from cases.operators._moe_token_unpermute_with_ep_grad_call import (
    ACLNN,
    DTYPES,
    HOST,
    KERNELS,
    MODES,
    NAME,
    SIGNATURE,
    SUM,
    length,
    moved,
    stated,
)
from cases.operators._moe_token_unpermute_with_ep_grad_calls import REJECTIONS, examples, quarantine
from cases.operators._slot_grads import in_float32, named_rows, products
from cases.operators._slot_sum_cases import near_cases
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_ranges import ABSENT, PROBS_AT_ONCE, RANGED, probs_axes
from cases.operators._torch_npu import BINDINGS
from cases.operators._values import weight_fills, weights_with
from cases.operators._workloads import by_ranks
from cases.relations.ranges import UNPERMUTE_EP, ranges_join
from cases.relations.slot_grads import (
    UNPERMUTE_EP_GRAD,
    UNPERMUTE_GRAD,
    adjoint_of_grads,
    grads_agree,
)
from cases.relations.sums import of_sums
from cases.relations.weights import one_is_none
from conformance.call.case import Case, numpy_dtype
from conformance.record.cells import Cells, Constraint, Levels
from conformance.record.clause import document
from conformance.record.contract import Arrays, Copy, Sum, Unspecified, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.edges import Edge, Edges, distinct
from conformance.record.operator import Mode, Operator
from conformance.relations.axes import Axes
from reference import moe_token_unpermute_with_ep_grad as reference
from reference.terms import Terms


def _rows(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.int64]:
    return reference.rows_of(inputs[INDICES], attributes["rank_range"])


def probs_terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The elements of a slot's row of ``permuted_tokens``, times those of its token's gradient."""
    return products(inputs, _rows(inputs, attributes), TOKENS, GRAD, PROBS)


def summed_slots(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Slots in the range, and all of a token whose gradient is finite.

    By the equations a slot outside adds zeros times the gradient: 0 of one that is finite, NaN of
    others.
    """
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(inputs[GRAD].astype(np.float32)).all(axis=1, keepdims=True)
    inside = _rows(inputs, attributes).reshape(inputs[PROBS].shape) >= 0
    return np.asarray(inside | finite)


def written_rows(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The rows that a rank of the range names; the others are never written."""
    kept = length(inputs[INDICES].size, attributes["rank_range"])
    rows = len(inputs[TOKENS]) if TOKENS in inputs else kept
    return named_rows(_rows(inputs, attributes), rows)


BARE = replace(SUM, slots=("1",), most_top_k=1)
"""Its calls without probabilities: one slot for each token."""


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    bare = moved(near_cases(BARE, mode, dtype, small=small, seam=seam))
    near = near_cases(SUM, mode, dtype, small=small, seam=seam)
    return bare | with_probs(near, st.sampled_from(DTYPES), weight_fills())


ONE_SLOT = Constraint(
    ("slots", "probs"),
    lambda slots, family: family != ABSENT or slots == "1",
    "without probabilities a token has one slot",
)


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and what probabilities are."""
    own = numpy_dtype(dtype).itemsize

    def completed(sums: SearchStrategy[Case], levels: Levels) -> SearchStrategy[Case]:
        if levels["probs"] == ABSENT:
            return with_grad(sums)  # whose tokens show a family of values
        return with_probs(sums, st.just(levels["probs dtype"]), weights_with(levels["probs"]))

    def on(sums: SearchStrategy[Case], edge: Edge) -> SearchStrategy[Case]:
        size = edge.sizes.get(PROB_BYTES, own)
        return with_probs(sums, dtypes_of(size, dtype), weight_fills()) if size else moved(sums)

    return slot_cells(SUM, mode, dtype, _edges(mode, dtype)).completed(
        *probs_axes(DTYPES), cases=completed, on=on, constraints=(PROBS_AT_ONCE, ONE_SLOT)
    )


def _edges(mode: str, dtype: str) -> Edges:
    """The edges with probabilities, and those without."""
    near, bare = (edges(SUM, mode, dtype, probs) for probs in (True, False))
    more = (replace(edge, limit=f"no probs, {edge.limit}") for edge in bare.declared)
    return replace(near, declared=distinct((*near.declared, *more)))


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in rows, gradients and probabilities."""
    fixed = {PROB_BYTES: numpy_dtype(dtype).itemsize}
    return Extremes({TOKENS: {}, GRAD: {}}, {PROBS: {}}, tiles="2 x tile", fixed=fixed)


def of_probs(case: Case) -> str:
    """Which of its contracts an output has in a call."""
    return "probs" if PROBS in case.inputs else "no probs"


OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(ACLNN, KERNELS, HOST),
    **of_tables(ACLNN, "products"),
    modes=tuple(
        Mode(name, stated(f"the range holds {held}", "function: equations"))
        for name, held in {**RANGED, MODES[-1]: "every rank where it is null"}.items()
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        TOKENS_GRAD: Varying(
            of_probs,
            {
                "probs": Sum(
                    stated(
                        "each row is the gradient of the token of the slot whose rank it has, times"
                        " the slot's probability; row 0 is that of the range's first rank",
                        "function: equations",
                    ),
                    terms=in_float32(terms_of(reference.terms, TOKENS)),
                    specified=written_rows,
                ),
                "no probs": Copy(
                    stated(
                        "each row is the gradient of the token whose rank it has, row 0 that of the"
                        " range's first rank",
                        "function: equations",
                    ),
                    specified=written_rows,
                ),
            },
        ),
        PROBS_GRAD: Varying(
            of_probs,
            {
                "probs": Sum(
                    document(
                        "of each slot the sum of its row times the gradient of its token,"
                        " 0 outside the range",
                        f"{ACLNN}, function: equations; {KERNELS}",
                    ),
                    terms=probs_terms,
                    specified=summed_slots,
                ),
                "no probs": Unspecified(
                    stated("without probs no equation gives their gradient", "function: equations")
                ),
            },
        ),
    },
    cells=with_extremes(cells, extremes),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=tuple(limits()),
    ladders=of_slots(on_edges(cells), least_tokens=3),
    workload_cases=by_ranks(on_edges(cells), "full", INDICES),
    torch_npu=BINDINGS[NAME],
    relations=(
        *of_sums(Axes.of(SIGNATURE), (TOKENS_GRAD, PROBS_GRAD), (GRAD,), added="hidden"),
        grads_agree(UNPERMUTE_EP_GRAD, UNPERMUTE_GRAD),
        ranges_join(
            TOKENS,
            (TOKENS, GRAD, PROBS),
            lambda case: case.inputs[GRAD].shape[1],
            MODES[:-1],
            cut=(TOKENS_GRAD,),
        ),
        one_is_none(TOKENS_GRAD, PROBS, PROBS_GRAD),
        adjoint_of_grads(UNPERMUTE_EP_GRAD, UNPERMUTE_EP, (TOKENS,), PROBS),
    ),
    strided=of_a_definition(
        SIGNATURE.tensors, "ops-transformer, moe_token_unpermute_with_ep_grad_def.cpp"
    ),
)

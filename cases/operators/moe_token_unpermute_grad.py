"""MoeTokenUnpermuteGrad: gradients of the rows that a weighted sum adds, and of their weights.

Missing coverage: rows beyond 2^31 elements, of which an output would have as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_a_definition, of_tables
from cases.operators._ladders import of_slots, of_tokens, on_edges
from cases.operators._moe_token_unpermute_grad_call import (
    ACLNN,
    DTYPES,
    GRAD,
    HOST,
    INDICES,
    KERNELS,
    MODES,
    PROBS,
    PROBS_GRAD,
    SIGNATURE,
    SINGLE,
    SUM,
    TOKENS,
    TOKENS_GRAD,
    bare,
    stated,
    with_grad,
    with_probs,
)
from cases.operators._moe_token_unpermute_grad_calls import BARE, REJECTIONS, examples, quarantine
from cases.operators._moe_token_unpermute_grad_edges import PROB_BYTES, dtypes_of, edges, limits
from cases.operators._slot_grads import in_float32, named_rows, products
from cases.operators._slot_sum_cases import near_cases
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._torch_npu import bound_by_names
from cases.operators._values import WEIGHTS, weight_fills, weights_with
from cases.operators._workloads import by_ranks
from cases.relations.slot_grads import FINALIZE_GRAD, UNPERMUTE_GRAD, adjoint_of_grads, grads_agree
from cases.relations.slot_sums import UNPERMUTE
from cases.relations.sums import of_sums
from conformance.call.case import Case, numpy_dtype
from conformance.record.cells import Cells
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Copy, Sum, Unspecified, Varying
from conformance.record.derive.axes import of_dtypes, of_values
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of, terms_of
from conformance.record.edges import Edge
from conformance.record.operator import Mode, Operator
from conformance.record.versions import Dated, Versions, with_other_dtype
from conformance.relations.axes import Axes
from reference import moe_token_unpermute_grad as reference
from reference.terms import Terms

ANY_DTYPE = st.sampled_from(DTYPES)


def probs_terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The elements of a slot's row of ``permuted_tokens``, times those of its token's gradient."""
    return products(inputs, inputs[INDICES], TOKENS, GRAD, PROBS)


def summed_slots(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Slots that have a row, and all of a token whose gradient is finite.

    Kernels take zeros for a row that is not there, and add zeros times the gradient: 0 of one that
    is finite, NaN of others. No document says what such a slot has.
    """
    ranks = inputs[INDICES].astype(np.int64).reshape(inputs[PROBS].shape)
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(inputs[GRAD].astype(np.float32)).all(axis=1, keepdims=True)
    return np.asarray((ranks < len(inputs[TOKENS])) | finite)


def written_rows(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """The rows that an index names; the others are never written."""
    rows = len(inputs[TOKENS]) if TOKENS in inputs else inputs[INDICES].size
    return named_rows(inputs[INDICES], rows)


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    if mode == "single":
        return bare(near_cases(SINGLE, mode, dtype, small=small, seam=seam))
    near = near_cases(SUM, mode, dtype, small=small, seam=seam)
    return with_probs(near, ANY_DTYPE, weight_fills())


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and what probabilities are."""
    if mode == "single":
        return slot_cells(SINGLE, mode, dtype, edges(SINGLE, mode, dtype, False)).completed(
            cases=lambda copies, levels: with_grad(copies),  # whose tokens show a family of values
            on=lambda copies, edge: bare(copies),
        )

    def on(sums: SearchStrategy[Case], edge: Edge) -> SearchStrategy[Case]:
        own = numpy_dtype(dtype).itemsize
        dtypes = dtypes_of(edge.sizes.get(PROB_BYTES, own), dtype)
        return with_probs(sums, dtypes, weight_fills())

    return slot_cells(SUM, mode, dtype, edges(SUM, mode, dtype, True)).completed(
        of_dtypes("probs dtype", DTYPES, PROBS),
        of_values("probs", WEIGHTS, PROBS),
        cases=lambda sums, levels: with_probs(
            sums, st.just(levels["probs dtype"]), weights_with(levels["probs"])
        ),
        on=on,
    )


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in rows, gradients and probabilities; without these rows are moved."""
    if mode == "single":
        return Extremes({GRAD: {}}, top_k=1, tiles="2 x tile", fixed={PROB_BYTES: 0})
    fixed = {PROB_BYTES: numpy_dtype(dtype).itemsize}
    return Extremes({TOKENS: {}, GRAD: {}}, {PROBS: {}}, tiles="2 x tile", fixed=fixed)


def not_reached(case: Case) -> str:
    """Why torch_npu does not make a call."""
    if TOKENS not in case.inputs:
        return "torch_npu takes no call without permuted tokens"
    if 0 in case.outputs[TOKENS_GRAD].shape and PROBS not in case.inputs:
        return "torch_npu asks for a gradient of probs also without probs: the call is not empty"
    return ""


FENCED = Versions(
    source_read(
        "a slot without a row reads and writes beyond the rows in the sources of 2026-07, which"
        " count sortedIndices; those of 2025-11 count the rows",
        f"{HOST}, tiling",
    ),
    until="8.5",
)
"""Which release brought the change is not known."""


MIXED = Versions(
    source_read(
        "the operators of CANN 8.1.RC1 list one float type for tokens and probs",
        "CANN 8.1.RC1, ascend910b ops-info",
    ),
    after="8.1",
)


def lacks_rows(case: Case) -> bool:
    """Whether a call without probs has fewer rows than slots."""
    rows, ranks = case.outputs.get(TOKENS_GRAD), case.inputs.get(INDICES)
    if rows is None or ranks is None or PROBS in case.inputs:
        return False
    return rows.shape[:1] < (ranks.size,)


def lacks_tokens(case: Case) -> bool:
    """Whether a call has neither probs nor tokens."""
    return TOKENS not in case.inputs and PROBS not in case.inputs


OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(ACLNN, KERNELS, HOST),
    **of_tables(ACLNN, "products"),
    modes=(
        Mode("whole", stated("probs given; a row for every slot", "function")),
        Mode(
            "uneven",
            source_read("probs given; slots from the last row on have none", KERNELS),
            versions=FENCED,
        ),
        Mode(
            "single",
            stated("no probs: top_k is 1, and rows are moved", "function"),
        ),
    ),
    dtypes=DTYPES,
    dated=(
        Dated("a slot without a row", lacks_rows, FENCED),
        Dated("permuted_tokens is null", lacks_tokens, BARE),
        with_other_dtype(PROBS, dict.fromkeys(DTYPES, DTYPES), MIXED),
    ),
    formula=formula_of(reference.formula, ignored=("padded_mode",)),
    contracts={
        TOKENS_GRAD: Varying(
            lambda case: "weighted" if PROBS in case.inputs else "moved",
            {
                "weighted": Sum(
                    stated(
                        "each row is the gradient of its slot's token times the slot's probability",
                        "function",
                    ),
                    terms=in_float32(terms_of(reference.terms, TOKENS, ignored=("padded_mode",))),
                    specified=written_rows,
                ),
                "moved": Copy(
                    stated("each row is the gradient of its token", "function"),
                    specified=written_rows,
                ),
            },
        ),
        PROBS_GRAD: Varying(
            lambda case: "summed" if PROBS in case.inputs else "no probs",
            {
                "summed": Sum(
                    document(
                        "of each slot the sum of its row times the gradient of its token,"
                        " 0 without a row",
                        f"{ACLNN}, function; {KERNELS}",
                    ),
                    terms=probs_terms,
                    specified=summed_slots,
                ),
                "no probs": Unspecified(
                    stated("without probs no equation gives their gradient", "function")
                ),
            },
        ),
    },
    cells=with_extremes(cells, extremes),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=tuple(limits()),
    ladders=(
        *of_slots(on_edges(cells), modes=("whole", "uneven")),
        *of_tokens(on_edges(cells), kind=", single", modes=("single",)),
    ),
    workload_cases=by_ranks(on_edges(cells), "whole", INDICES),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_token_unpermute_grad",
        "a gradient of probs is asked for also where there are no probs",
        grad_unpermuted_tokens=GRAD,
        unreached=not_reached,
    ),
    relations=(
        *of_sums(Axes.of(SIGNATURE), (TOKENS_GRAD, PROBS_GRAD), (GRAD,), MODES[:2], added="hidden"),
        grads_agree(UNPERMUTE_GRAD, FINALIZE_GRAD),
        adjoint_of_grads(UNPERMUTE_GRAD, UNPERMUTE, (TOKENS,), PROBS),
    ),
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_token_unpermute_grad_def.cpp"),
)

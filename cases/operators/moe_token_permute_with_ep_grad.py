"""MoeTokenPermuteWithEpGrad: every token's gradient is that of its copies in a range of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import as_listed, of_a_definition
from cases.operators._ladders import of_slots, on_edges
from cases.operators._moe_token_permute_with_ep_grad_calls import (
    DTYPES,
    GRAD,
    HOST,
    INDICES,
    KERNELS,
    MODES,
    NAME,
    PROBS_GRAD,
    PROBS_IN,
    README,
    REJECTIONS,
    SIGNATURE,
    SUM,
    call,
    examples,
    quarantine,
    with_probs,
)
from cases.operators._slot_sum_cases import left_to_right, near_cases, row_sum
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_edges import edges
from cases.operators._slot_sum_limits import limits
from cases.operators._slot_sum_ranges import RANGED
from cases.operators._token_permute_cells import PROBS, probs_with
from cases.operators._torch_npu import BINDINGS
from cases.operators._workloads import by_ranks
from cases.relations.copy_adjoints import adjoint_of_sums
from cases.relations.ranges import EP_GRAD
from cases.relations.slot_sorts import EP
from cases.relations.slot_sums import INIT_GRAD, SlotSum, SumForm, as_column
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded
from conformance.call.case import Case
from conformance.draw.values import MOVED
from conformance.record.cells import Cells, Levels
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Copy, Sum
from conformance.record.derive.axes import of_values
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import terms_of
from conformance.record.operator import Mode, Operator, Support, Target
from conformance.relations.axes import Axes
from conformance.values.fill import Fill
from reference import moe_token_permute_with_ep_grad as reference


def formula(inputs: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """The document's equations on the case's arrays, in the dtype of the gradient."""
    tensors = inputs[GRAD], inputs[INDICES], inputs.get(PROBS_IN)
    found = reference.formula(*tensors, **attributes)
    return {"out": found.pop("token_grad"), **found}


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    near = near_cases(SUM, mode, dtype, small=small, seam=seam)
    return with_probs(near, st.none() | MOVED)


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and the gradients of probabilities."""
    return slot_cells(SUM, mode, dtype, edges(SUM, mode, dtype)).completed(
        of_values("probs", PROBS, PROBS_IN, absent=PROBS[0]),
        cases=lambda sums, levels: with_probs(sums, _probs_at(levels)),
        on=lambda sums, edge: with_probs(sums, st.none() | MOVED),
    )


def _probs_at(levels: Levels) -> SearchStrategy[Fill | None]:
    return st.none() if levels["probs"] == PROBS[0] else probs_with(levels["probs"], 1)


def moved_probs(case: Case) -> SlotSum | None:
    """The gradient of each slot's probability is that of its copy."""
    sums = EP_GRAD.read(case)
    if sums is None or PROBS_IN not in case.inputs:
        return None
    return SlotSum(as_column(case, PROBS_IN), sums.names.reshape(-1, 1))


PROBS_MOVED = SumForm(NAME, PROBS_IN, PROBS_GRAD, moved_probs)

OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(README, KERNELS, HOST),
    products=("Ascend910B", "Ascend910_93"),
    modes=tuple(
        Mode(name, document(f"the range holds {RANGED[name]}", f"{README}, function: equations"))
        for name in MODES
    ),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "out": Sum(
            clause=document(
                "each token is the sum of the rows of its slots whose ranks lie in the range, row 0"
                " for the first of these",
                f"{README}, function: equations",
            ),
            terms=terms_of(reference.terms, GRAD),
            merges=left_to_right,
            order_clause=source_read(
                "added in float32 from the first slot to the last; rounded once", KERNELS
            ),
        ),
        PROBS_GRAD: Copy(
            source_read(
                "the gradient of a slot's row where its rank lies in the range, bit for bit, and"
                " +0 elsewhere",
                KERNELS,
            ),
            moved=(PROBS_IN,),
        ),
    },
    cells=with_extremes(cells, Extremes({GRAD: {}}, {PROBS_IN: {}})),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    row_sum=partial(row_sum, call, "full"),
    limits=tuple(limits(DTYPES)),
    ladders=of_slots(on_edges(cells), least_tokens=3),
    workload_cases=by_ranks(on_edges(cells), "full", INDICES),
    torch_npu=BINDINGS[NAME],
    relations=(
        *of_sums(Axes.of(SIGNATURE), ("out",), (GRAD,)),
        agrees(EP_GRAD, INIT_GRAD),
        agrees_rounded(EP_GRAD, INIT_GRAD),
        agrees(PROBS_MOVED, INIT_GRAD, what="probs"),
        adjoint_of_sums(EP_GRAD, EP),
    ),
    strided=of_a_definition(
        SIGNATURE.tensors, "ops-transformer, moe_token_permute_with_ep_grad_def.cpp"
    ),
    each_tensor=as_listed(README),
    targets=tuple(
        Target(product, Support.SUPPORTED, source_read("named by the operator's definition", HOST))
        for product in ("Ascend910B", "Ascend910_93")
    ),
)

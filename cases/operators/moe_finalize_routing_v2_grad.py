"""MoeFinalizeRoutingV2Grad: gradients of experts' rows, and of the scales of slots.

Missing coverage: tensors of several dtypes, which no source lists; rows beyond 2^31 elements, of
which an output would have as many; scales that are not finite and sums of rows and biases that
overflow, beside a bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import Extremes, with_extremes
from cases.operators._interface import of_a_definition, of_a_tiling_alone, of_tables
from cases.operators._ladders import FEW, ladder, of_slots, of_tokens, on_edges
from cases.operators._moe_finalize_routing_v2_grad_call import (
    BIAS,
    BIASES,
    DTYPES,
    EXPERTS,
    GRAD,
    HOST,
    KERNELS,
    MODES,
    NAME,
    PLACED,
    README,
    ROWS,
    SCALES,
    SCALES_GRAD,
    SIGNATURE,
    SINGLE,
    SINGLE_PLACED,
    SUM,
    X_GRAD,
    X,
    with_grad,
    with_scales,
)
from cases.operators._moe_finalize_routing_v2_grad_calls import REJECTIONS, examples, quarantine
from cases.operators._moe_finalize_routing_v2_grad_edges import (
    BIASED_EDGE,
    EXPERTS_EDGE,
    edges,
    limits,
)
from cases.operators._slot_grads import KEPT, named_rows, products
from cases.operators._slot_sum_cases import near_cases
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._torch_npu import BINDINGS
from cases.operators._values import WEIGHTS, weight_fills, weights_with
from cases.operators._workloads import by_ranks
from cases.relations.slot_grads import FINALIZE_GRAD, UNPERMUTE_GRAD, adjoint_of_grads, grads_agree
from cases.relations.slot_sums import FINALIZE
from cases.relations.sums import of_sums
from conformance.call.case import Case, Tensor
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Copy, Sum, Varying
from conformance.record.derive.axes import of_values
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import ranges
from conformance.record.edges import Edge
from conformance.record.operator import Mode, Operator
from conformance.relations.axes import Axes
from reference import moe_finalize_routing_v2_grad as reference
from reference.terms import Terms, stacked

BIASED = ("without", "with")
KINDS = dict(zip(BIASED, (SINGLE, SINGLE_PLACED), strict=True))
"""Calls without scales by whether their rows are places of experts."""


def terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The row of the gradient in each row of ``grad_expanded_x``, and its scale."""
    scales = inputs.get(SCALES)
    found = reference.terms(inputs[ROWS], scales, tokens=len(inputs[GRAD]), **attributes)
    if scales is None or found.coefficients is None:
        return found
    return replace(found, coefficients=found.coefficients.astype(scales.dtype))


def scales_terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The elements of a slot's row and of its bias, times those of its token's gradient."""
    found = products(inputs, inputs[ROWS], X, GRAD, SCALES)
    if BIAS not in inputs:
        return found
    biased = products(inputs, inputs[EXPERTS], BIAS, GRAD, SCALES)
    return stacked([found, biased], (inputs[X].size, inputs[BIAS].size))


def written_rows(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """With drop/pad every row; else those that an index names: no other is written."""
    if attributes["drop_pad_mode"]:
        return np.ones((1, 1, 1), np.bool_)
    rows = reference.expanded_shape(inputs[ROWS].size, **attributes)[0]
    return named_rows(inputs[ROWS], rows)


def scaled_slots(inputs: Arrays, attributes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Slots that have a row: what a bias alone makes of a scale's gradient nobody says."""
    rows = math.prod(inputs[X].shape[:-1])
    ranks = inputs[ROWS].astype(np.int64)
    return np.asarray(((ranks >= 0) & (ranks < rows)).reshape(inputs[SCALES].shape))


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core."""
    if mode == "single":
        moved = (near_cases(one, mode, dtype, small=small, seam=seam) for one in KINDS.values())
        return st.one_of(*map(with_grad, moved))
    near = near_cases(SUM, mode, dtype, small=small, seam=seam)
    return st.one_of(
        with_scales(near, weight_fills(), st.none()),
        with_scales(near, weight_fills(WEIGHTS[:2]), BIASES),
    )


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, what scales are, and a bias."""
    if mode == "single":
        return _cells_of_copies(mode, dtype)

    def on(sums: SearchStrategy[Case], edge: Edge) -> SearchStrategy[Case]:
        biases = BIASES if edge.sizes.get(BIASED_EDGE) else st.none()
        if experts := edge.sizes.get(EXPERTS_EDGE):
            biases = BIASES.map(lambda bias: replace(bias, experts=experts))
        return with_scales(sums, weight_fills(WEIGHTS[:2]), biases)

    def at(sums: SearchStrategy[Case], levels: Levels) -> SearchStrategy[Case]:
        biases = BIASES if levels["bias"] == "with" else st.none()
        return with_scales(sums, weights_with(levels["scales"]), biases)

    found = PLACED if mode == "drop_pad" else SUM
    return slot_cells(found, mode, dtype, edges(mode, dtype)).completed(
        of_values("scales", WEIGHTS, SCALES),
        Axis("bias", BIASED, lambda case: [BIASED[BIAS in case.inputs]]),
        cases=at,
        on=on,
    )


def _cells_of_copies(mode: str, dtype: str) -> Cells:
    """Those without scales, where rows are places of experts in every second case."""
    near = edges(mode, dtype)
    kinds = {name: slot_cells(one, mode, dtype, near) for name, one in KINDS.items()}
    return kinds["without"].completed(
        Axis("places", BIASED, lambda case: [BIASED[case.attributes["drop_pad_mode"]]]),
        cases=lambda _, levels: with_grad(kinds[levels["places"]].cases(levels)),
        on=lambda copies, edge: with_grad(copies),
        constraints=(
            Constraint(
                ("dropped", "places"),
                lambda dropped, places: dropped in KEPT or places == "with",
                "without places some rank names the first row",
            ),
        ),
    )


def extremes(mode: str, dtype: str) -> Extremes:
    """What is extreme in rows, gradients, scales and a bias; without scales rows are moved."""
    fixed = {BIASED_EDGE: 0}
    if mode == "single":
        return Extremes({GRAD: {}}, top_k=1, tiles="2 x tile", fixed=fixed)
    rows = {X: {}, GRAD: {}, BIAS: {BIASED_EDGE: 1}}
    return Extremes(rows, {SCALES: {}}, tiles="2 x tile", fixed=fixed)


def _bias(case: Case) -> Mapping[str, Tensor] | None:
    """What the sums add to rows; None of fewer experts than slots, which their host refuses."""
    if BIAS in case.inputs and case.inputs[BIAS].shape[0] < case.inputs[EXPERTS].shape[1]:
        return None
    return {name: case.inputs[name] for name in (BIAS, EXPERTS) if name in case.inputs}


# No accepted call has a bias of one row: that there is one is tried from the outside alone.
RANGES = tuple(one for one in ranges(SIGNATURE) if one.name != "biased")
SUMS, PADDED = (X_GRAD, SCALES_GRAD), SIGNATURE.of_mode("drop_pad")
EQUATIONS = f"{README}, function: equations"
OPERATOR = Operator(
    **of_signature(SIGNATURE, cases, ranges=RANGES),
    sources=(README, KERNELS, HOST),
    **of_tables(README, "products"),
    modes=(
        Mode("dropless", document("scales given; a row for every slot", EQUATIONS)),
        Mode("active", source_read("scales given; slots beyond activeNum have no row", KERNELS)),
        Mode("drop_pad", source_read("scales given; rows of experts, -1 names none", KERNELS)),
        Mode("single", document("no scales: rows are moved, one to a token", EQUATIONS)),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        X_GRAD: Varying(
            lambda case: "scaled" if SCALES in case.inputs else "moved",
            {
                "scaled": Sum(
                    document("the gradient of a slot's token times its scale", EQUATIONS),
                    terms=terms,
                    specified=written_rows,
                ),
                "moved": Copy(
                    document("the gradient of a token", EQUATIONS), specified=written_rows
                ),
            },
        ),
        SCALES_GRAD: Varying(
            lambda case: BIASED[BIAS in case.inputs],
            {
                "without": Sum(
                    document("a slot's row times the gradient of its token", EQUATIONS),
                    terms=scales_terms,
                ),
                "with": Sum(
                    document("a slot's row and its bias, times its token's gradient", EQUATIONS),
                    terms=scales_terms,
                    fused="sums",
                    specified=scaled_slots,
                ),
            },
        ),
    },
    cells=with_extremes(cells, extremes),
    examples=examples(),
    rejections=of_a_tiling_alone(REJECTIONS),
    quarantine=quarantine(),
    limits=tuple(limits()),
    ladders=(
        *of_slots(on_edges(cells), modes=("dropless", "active", "drop_pad")),
        *of_tokens(on_edges(cells), kind=", single", modes=("single",)),
        ladder(
            EXPERTS_EDGE,
            on_edges(cells),
            lambda n: {"top_k": 1, "tokens": FEW, "hidden": 1, EXPERTS_EDGE: n},
            modes=("dropless", "active"),
        ),
    ),
    workload_cases=by_ranks(on_edges(cells), "dropless", "expanded_row_idx"),
    torch_npu=BINDINGS[NAME],
    relations=(
        *of_sums(Axes.of(SIGNATURE), SUMS, (GRAD,), MODES[:2], added="hidden"),
        *of_sums(Axes.of(PADDED), SUMS, (GRAD,), ("drop_pad",), added="hidden"),
        grads_agree(FINALIZE_GRAD, UNPERMUTE_GRAD),
        adjoint_of_grads(FINALIZE_GRAD, FINALIZE, (X, BIAS), SCALES, _bias),
    ),
    strided=of_a_definition(
        SIGNATURE.tensors, "ops-transformer, moe_finalize_routing_v2_grad_def.cpp"
    ),
)

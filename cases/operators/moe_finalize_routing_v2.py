"""MoeFinalizeRoutingV2: every token is the sum of its experts' rows, weighted, and what it skips.

The document's equation gives no precision: sums are judged as added in float32, the dtype in which
bfloat16 is added on Ascend910B and 910_93, too. Their float16 kernels add in float16; a contract
has one format on every product, so that this is said by their targets and is not judged.

Missing coverage: without drop, rows beyond 2^31 elements, as indices are ranks of slots, and fewer
rows than slots; infinite scales beside a bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._extremes import with_extremes
from cases.operators._interface import as_listed, of_a_definition
from cases.operators._ladders import FEW, ladder, of_slots, on_edges, slots
from cases.operators._moe_finalize_routing_v2_call import (
    DTYPES,
    EQUATION,
    HOST,
    KERNELS,
    MODES,
    PAGE,
    README,
    SIGNATURE,
    SUM,
    Parts,
    by_column,
    drops,
    with_parts,
)
from cases.operators._moe_finalize_routing_v2_calls import REJECTIONS, examples, quarantine
from cases.operators._moe_finalize_routing_v2_cells import cells, completed
from cases.operators._moe_finalize_routing_v2_edges import EXPERTS, extremes, limits
from cases.operators._slot_sum_cases import far_cases, near_cases
from cases.operators._slot_sum_cases import row_sum as slot_row_sum
from cases.operators._torch_npu import added
from cases.operators._values import bits
from cases.operators._workloads import by_ranks
from cases.relations.slot_grads import FINALIZE_GRAD, adjoint_of_weighted
from cases.relations.slot_sums import FINALIZE, UNPERMUTE
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import no_number_is_told
from conformance.call.case import Case
from conformance.draw.far import mostly
from conformance.record.clause import document, source_read
from conformance.record.contract import Arrays, Sum, Varying
from conformance.record.derive.records import of_signature
from conformance.record.derive.torch_call import bound
from conformance.record.operator import Mode, Operator, Support, Target
from conformance.relations.axes import Axes
from reference import moe_finalize_routing_v2 as reference
from reference.terms import Terms, stacked

ADDED = ("expanded_x", "bias", "x1", "x2")
"""What may be added, in the order in which `reference.terms` has it."""

NEGATED = ("expanded_x", "x1", "x2", "bias")
"""The same in the order of the interface."""


def _tokens(inputs: Arrays) -> int:
    """Tokens of a call: as many as have a slot for each column of scales, or one without."""
    scales = inputs.get("scales")
    return len(inputs["expanded_row_idx"]) // (1 if scales is None else scales.shape[1])


def formula(inputs: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """The document's equation on the case's arrays, in the dtype of all floats, or float64."""
    tensors: dict[str, Any] = dict(inputs)
    return {"out": reference.formula(**tensors, num_rows=_tokens(inputs), **attributes)}


def terms(inputs: Arrays, attributes: Mapping[str, Any]) -> Terms:
    """The rows of all that each token adds, and the scales of those of experts."""
    bias, scales = inputs.get("bias"), inputs.get("scales")
    heights = {name: math.prod(inputs[name].shape[:-1]) for name in ADDED if name in inputs}
    parts = reference.terms(
        inputs["expanded_row_idx"],
        scales,
        inputs.get("expert_idx"),
        source_rows=heights["expanded_x"],
        num_rows=_tokens(inputs),
        experts=None if bias is None else len(bias),
        x1="x1" in inputs,
        x2="x2" in inputs,
        **attributes,
    )
    joined = stacked(parts, tuple(heights.values()))
    if scales is None or joined.coefficients is None:
        return joined
    return replace(joined, coefficients=joined.coefficients.astype(scales.dtype))


@cache
def cases(mode: str, dtype: str, small: bool = False, seam: bool = False) -> SearchStrategy[Case]:
    """Cases of one mode and dtype; shrinks to one token, one column, one small core.

    A few of the modes that drop slots are far, as a capacity bounds no index.
    """
    near: SearchStrategy[Case] = near_cases(SUM, mode, dtype, small=small, seam=seam)
    if drops(mode) and not seam:
        near = mostly(near, far_cases(SUM, mode, dtype, small))
    return completed(near, dtype)


def row_sum(dtype: str, x: NDArray[np.generic]) -> Case:
    """One token whose slots are the rows of ``x`` [slots, columns], each of scale 1."""
    case = slot_row_sum(SUM.call, "dropless_rows", dtype, x)
    return with_parts(case, Parts(scales=bits(dtype, *(1.0 for _ in x))))


def _contract(case: Case) -> str:
    return "scaled sums" if {"bias", "scales"} <= case.inputs.keys() else "sums"


_EQUATION = document(
    "each token is x1 + x2 + the sum over its top_k slots of scale * (row of expanded_x + bias of"
    " the slot's expert); what is absent adds nothing, and a scale is 1",
    EQUATION,
)
_PRODUCT = document("each token adds rows times their scales", EQUATION)


def _mode(name: str) -> Mode:
    layout = "i + k * tokens" if by_column(name) else "i * top_k + k"
    held = "-1 leaves a row out, not its bias" if drops(name) else "every slot has a row"
    text = f"dropPadMode {MODES.index(name)}: slot k of token i is index {layout}; {held}"
    return Mode(name, source_read(text, f"{KERNELS}; {PAGE}, parameters"))


OPERATOR = Operator(
    **of_signature(SIGNATURE, cases),
    sources=(README, PAGE, KERNELS, HOST),
    products=("Ascend910B", "Ascend910_93"),
    modes=tuple(_mode(name) for name in MODES),
    dtypes=DTYPES,
    formula=formula,
    contracts={
        "out": Varying(
            _contract,
            {
                "sums": Sum(clause=_EQUATION, terms=terms),
                "scaled sums": Sum(clause=_EQUATION, terms=terms, fused="sums"),
            },
        )
    },
    cells=with_extremes(cells, extremes),
    examples=examples(),
    rejections=REJECTIONS,
    quarantine=quarantine(),
    limits=tuple(limits()),
    row_sum=row_sum,
    ladders=(
        *of_slots(on_edges(cells), modes=MODES[2:]),
        slots(on_edges(cells), kind=", by column", modes=MODES[:2]),
        ladder(
            EXPERTS, on_edges(cells), lambda n: {"top_k": 1, "tokens": FEW, "hidden": 1, EXPERTS: n}
        ),
    ),
    workload_cases=by_ranks(on_edges(cells), "dropless_rows", "expanded_row_idx"),
    torch_npu=bound(
        SIGNATURE,
        "npu_moe_finalize_routing",
        ("out",),
        (added("another k than 1, its default, is for aclnnMoeFinalizeRoutingV4 alone"),),
        expanded_permuted_rows="expanded_x",
        skip1="x1",
        skip2="x2",
        bias="bias",
        scales="scales",
        expanded_src_to_dst_row="expanded_row_idx",
        export_for_source_row="expert_idx",
        drop_pad_mode="drop_pad_mode",
    ),
    relations=(
        *(
            relation
            for mode in MODES
            for relation in of_sums(Axes.of(SIGNATURE.of_mode(mode)), ("out",), NEGATED, (mode,))
        ),
        agrees(FINALIZE, UNPERMUTE),
        agrees_rounded(FINALIZE, UNPERMUTE),
        split(FINALIZE),
        batch_invariant(FINALIZE),
        adjoint_of_weighted(FINALIZE, FINALIZE_GRAD, NEGATED, "scales"),
        no_number_is_told(FINALIZE, "scales", _PRODUCT),
    ),
    strided=of_a_definition(SIGNATURE.tensors, "ops-transformer, moe_finalize_routing_v2_def.cpp"),
    each_tensor=as_listed(README),
    targets=tuple(
        Target(
            product,
            Support.SUPPORTED,
            document(
                f"{series} series: yes; float16 is added in float16 there ({KERNELS}, read), and"
                " CANN 8.1.RC1 takes no float32 scales beside bfloat16",
                f"{README}, products",
            ),
        )
        for product, series in (("Ascend910B", "Atlas A2"), ("Ascend910_93", "Atlas A3"))
    ),
)

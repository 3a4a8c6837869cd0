"""Calls of MoeFinalizeRoutingV2Grad: drawn as sums over slots, of which every row is named once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from cases.operators._slot_weights import WEIGHT_BITS, weight_fills
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.built import built
from conformance.draw.routings import unread_rows
from conformance.draw.values import MOVED, SEEDS
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_finalize_routing_v2_grad"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("dropless", "active", "drop_pad", "single")
GRAD, ROWS, X, SCALES = "grad_y", "expanded_row_idx", "expanded_x", "scales"
EXPERTS, BIAS, X_GRAD, SCALES_GRAD = "expert_idx", "bias", "grad_expanded_x", "grad_scales"
TENSORS = (
    TensorParameter(GRAD, "gradY", "input"),
    TensorParameter(ROWS, "expandedRowIdx", "input", "int32"),
    TensorParameter(X, "expandedXOptional", "input", optional=True),
    TensorParameter(SCALES, "scalesOptional", "input", optional=True),
    TensorParameter(EXPERTS, "expertIdxOptional", "input", "int32", optional=True),
    TensorParameter(BIAS, "biasOptional", "input", optional=True),
    TensorParameter(X_GRAD, "gradExpandedXOut", "output"),
    TensorParameter(SCALES_GRAD, "gradScalesOut", "output", optional=True),
)
BIAS_FAMILIES = ("lattice", "gaussian")
"""Rows with a bias added do not overflow."""


def drawn_as(mode: str) -> str:
    """The mode of a sum over slots as which a mode is drawn."""
    return "whole" if mode == "dropless" else "uneven"


def call(
    mode: str,
    dtype: str,
    *,
    source: Shape,
    indices: Shape,
    top_k: int,
    fill: Fill | None = None,
    values: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    places: bool = False,
) -> Case:
    """A case from the sizes that matter: without scales yet, and a gradient of zeros.

    Indices from the rows of ``source`` on name none; of two that name one row the later one names
    another. With drop/pad rows are places of experts, in other modes too where ``places`` says so;
    else there are no more rows than slots.
    """
    rows, hidden = source
    tokens = len(indices) // top_k if top_k > 0 else 0
    shape: Shape = (rows, hidden)
    padded = places or mode == "drop_pad"
    if padded:
        experts = next(n for n in (3, 2, 1) if rows % n == 0)
        shape = (experts, rows // experts, hidden)
    elif values is None:
        shape = (rows := min(rows, len(indices)), hidden)
    named = named_once(np.array(indices, np.int64), rows)
    kept = unread_rows(named, rows) if unread else ()
    listed = np.where(named < rows, named, -1) if padded else named
    cut = mode == "active" or (mode == "single" and not padded and rows < len(indices))
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={
            "drop_pad_mode": int(padded),
            "active_num": rows if cut else 0,
            "expert_num": shape[0] if padded else 0,
            "expert_capacity": shape[1] if padded else 0,
        },
        inputs={
            X: Tensor(shape, dtype, values, fill, kept),
            ROWS: Tensor((len(indices),), "int32", values=tuple(listed.tolist())),
            GRAD: Tensor((tokens, hidden), dtype),
        },
        outputs={X_GRAD: Tensor(shape, dtype)},
        machine=machine,
    )


def call_in(mode: str, places: bool = False) -> Any:
    """What makes cases of a mode, whatever the mode of the sum; ``places`` as in `call`."""

    def made(_: str, dtype: str, **sizes: Any) -> Case:
        return call(mode, dtype, places=places, **sizes)

    return made


def named_once(indices: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """The indices, those below ``rows`` all different: their ranks, where some are not."""
    kept = indices < rows
    named = indices[kept]
    if np.unique(named).size == named.size:
        return indices
    ranks = np.empty_like(named)
    ranks[np.argsort(named, kind="stable")] = np.arange(named.size)
    made = indices.copy()
    made[kept] = ranks
    return made


def rows_of(case: Case) -> int:
    """The rows that indices may name."""
    return math.prod(case.outputs[X_GRAD].shape[:-1])


def graded(case: Case, grad: Fill | Shape) -> Case:
    """The case with a gradient of the output: a recipe, or storage bits."""
    return replace(case, inputs={**case.inputs, GRAD: listed(case.inputs[GRAD], grad)})


def listed(tensor: Tensor, elements: Fill | Shape) -> Tensor:
    """A tensor with a recipe, or with storage bits."""
    if isinstance(elements, Fill):
        return replace(tensor, fill=elements)
    return replace(tensor, values=elements)


@dataclass(frozen=True)
class Bias:
    """Rows that were added to those of experts, and the seed of what expert each slot has.

    ``experts`` 0: those of the call, or as many as a token has slots.
    """

    fill: Fill
    seed: int
    experts: int = 0


@dataclass(frozen=True)
class Rows:
    """The expert of each slot, and the storage bits of a bias for each expert."""

    experts: Shape
    values: Shape


def scaled(
    case: Case, scales: Fill | Shape, grad: Fill | Shape, bias: Bias | Rows | None = None
) -> Case:
    """The case with a scale for each slot and a gradient, and a bias if there is one.

    Values of rows are drawn so that their products with small integers add up exactly along a row.
    With drop/pad a bias has one row for each of expert_num experts, as the graph prototype says.
    """
    x = case.inputs[X]
    count, dtype = case.inputs[GRAD].shape[0], case.dtype
    terms = 2 * max(1, x.shape[-1]) << WEIGHT_BITS
    if x.fill is not None:
        x = replace(x, fill=replace(x.fill, terms=terms))
    slots = (count, case.inputs[ROWS].size // max(1, count))
    made = graded(case, grad)
    inputs = {**made.inputs, X: x, SCALES: listed(Tensor(slots, dtype), scales)}
    if isinstance(bias, Rows):
        hidden = x.shape[-1]
        inputs[EXPERTS] = Tensor(slots, "int32", values=bias.experts)
        inputs[BIAS] = Tensor((len(bias.values) // hidden, hidden), dtype, values=bias.values)
    elif bias is not None:
        experts = bias.experts or case.attributes["expert_num"] or max(slots[1], 2)
        chosen = np.random.default_rng(bias.seed).integers(0, experts, math.prod(slots))
        if bias.experts:
            chosen[::2] = experts - 1
        inputs[EXPERTS] = Tensor(slots, "int32", values=tuple(chosen.tolist()))
        inputs[BIAS] = Tensor((experts, x.shape[-1]), dtype, fill=replace(bias.fill, terms=terms))
    outputs = {**made.outputs, SCALES_GRAD: Tensor(slots, dtype)}
    return replace(made, inputs=inputs, outputs=outputs)


BIASES = st.builds(
    Bias,
    st.builds(Fill, stripes=st.sampled_from([(name,) for name in BIAS_FAMILIES]), seed=SEEDS),
    SEEDS,
)


def with_scales(
    cases: SearchStrategy[Case],
    scales: SearchStrategy[Fill],
    biases: SearchStrategy[Bias | None],
) -> SearchStrategy[Case]:
    """Cases that have scales, too, a gradient of the output, and perhaps a bias."""
    plain = ("lattice", "gaussian")

    def made(case: Case, scale: Fill, grad: Fill, small: Fill, bias: Bias | None) -> Case:
        return scaled(case, scale, grad if bias is None else small, bias)

    return built(made, cases, scales, weight_fills(), weight_fills(plain), biases)


def with_grad(cases: SearchStrategy[Case]) -> SearchStrategy[Case]:
    """Cases without scales, whose gradient of the output is moved."""
    return built(graded, cases, MOVED)

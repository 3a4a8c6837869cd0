"""The signature of MoeFinalizeRoutingV2Grad, and its calls.

They are drawn as sums over slots, of which every row is named once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._interface import checked, null, read_in, typed
from cases.operators._slot_grads import graded_sums, listed, named_once, with_data
from cases.operators._slot_sum import slot_sum_call
from cases.operators._values import WEIGHT_BITS, weight_fills
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.draw.patterns import DROPPED
from conformance.draw.routings import unread_rows
from conformance.draw.values import MOVED, SEEDS
from conformance.record.clause import document, inferred, source_read
from conformance.record.signature import Form, Kind, Signature, SizedTensor, number, tensor
from conformance.record.sizes import Axis, Product, Size, function
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_finalize_routing_v2_grad"
README = "MoeFinalizeRoutingV2Grad README"
KERNELS = "ops-transformer, moe_finalize_routing_v2_grad/op_kernel"
HOST = "ops-transformer, moe_finalize_routing_v2_grad/op_host"
PROTOTYPE = "ops-transformer, moe_finalize_routing_v2_grad/op_graph, prototype: attributes"
EMPTY = "interface behaviour for empty tensors: without an output element nothing is done, inferred"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("dropless", "active", "drop_pad", "single")
GRAD, ROWS, X, SCALES = "grad_y", "expanded_row_idx", "expanded_x", "scales"
EXPERTS, BIAS, X_GRAD, SCALES_GRAD = "expert_idx", "bias", "grad_expanded_x", "grad_scales"
TOKEN, HIDDEN = Size("token", least=1), Size("hidden", least=1)
SLOT = Size("slot", least=1, default=1)
AS_MANY = Product((SLOT,))
"""An axis of the slots of a token that does not show how many they are: without scales one."""

ROW = function(
    "row", lambda slots, most: min(slots, most) if most > 0 else slots, TOKEN * SLOT, "active_num"
)
EXPERT, PLACE = Size("expert", least=1), Size("place", least=1)
BIAS_ROW = Size(
    "biased", least=1, free=document("a row for each expert, which indices name", PROTOTYPE)
)
IGNORED = source_read("it is looked at in the other scenario of dropPadMode", HOST)
optional = partial(tensor, optional=True)


def _of_rows(numbers: Axis, biased: Size) -> tuple[SizedTensor, ...]:
    """The tensors that have these rows, or numbers of them, and the bias."""
    shape = *numbers.factors, HIDDEN
    return (
        tensor(ROWS, TOKEN * SLOT, dtype="int32", numbers=numbers),
        optional(X, *shape, acl="expandedXOptional", beside=SCALES),
        optional(BIAS, biased, HIDDEN, acl="biasOptional"),
        tensor(X_GRAD, *shape, role="output", acl="gradExpandedXOut"),
    )


read = partial(source_read, source=HOST)
tiled = read_in(HOST)
SIZES: tuple[Kind, ...] = ("limit", "extent")
_rows, _x, _bias, _x_grad = _of_rows(ROW, BIAS_ROW)
SIGNATURE = Signature(
    NAME,
    (
        tensor(GRAD, TOKEN, HIDDEN),
        _rows,
        _x,
        optional(SCALES, TOKEN, SLOT, acl="scalesOptional"),
        optional(
            EXPERTS, TOKEN, AS_MANY, dtype="int32", acl="expertIdxOptional", beside=(BIAS, SCALES)
        ),
        _bias,
        number("drop_pad_mode", least=0, most=1),
        number("active_num", free=IGNORED),
        number("expert_num", free=IGNORED),
        number("expert_capacity", free=IGNORED),
        _x_grad,
        optional(SCALES_GRAD, TOKEN, AS_MANY, role="output", acl="gradScalesOut", beside=SCALES),
    ),
    rules=(
        null(read("scales have a gradient"), SCALES_GRAD),
        tiled("scales need rows, a bias experts", X, EXPERTS, kinds=("null",)),
        null(read("the tensor is required")),
        typed(document("float types, one for all; indices int32", f"{README}, parameters")),
        tiled("dropPadMode is 0 or 1", "drop_pad_mode", kinds=("attribute",)),
        tiled("drop/pad has experts, each with places", kinds=("attribute",)),
        checked(
            inferred("scales and places have a gradient", EMPTY),
            "token",
            "hidden",
            kinds=("limit",),
        ),
        tiled("ranks of the tensors", kinds=("rank",)),
        tiled("an index and a scale for every slot", ROWS, SCALES, kinds=SIZES),
        checked(
            document("with drop/pad a bias has expert_num rows", PROTOTYPE),
            "biased",
            kinds=("extent",),
        ),
        tiled("shapes follow from the gradient, the slots and the attributes", kinds=SIZES),
    ),
    forms={
        "drop_pad": Form(
            {"drop_pad_mode": 1},
            _of_rows(EXPERT * PLACE, function("biased", int, EXPERT)),
            (number("expert_num", EXPERT), number("expert_capacity", PLACE)),
        )
    },
)
of_sum = slot_sum_call(SIGNATURE, X, ROWS)
BIAS_FAMILIES = ("lattice", "gaussian")
"""Rows with a bias added do not overflow."""


def call(
    mode: str,
    dtype: str,
    *,
    source: Shape,
    indices: Shape,
    top_k: int,
    unread: Shape = (),
    places: bool = False,
    **given: Any,
) -> Case:
    """A case from the sizes that matter: without scales yet, and a gradient of zeros.

    Indices from the rows of ``source`` on name none; of two that name one row the later one names
    another. With drop/pad rows are places of experts, in other modes too where ``places`` says so;
    else there are no more rows than slots. What else is ``given`` is as in `slot_sum_call`.
    """
    rows, hidden = source
    padded = places or mode == "drop_pad"
    if not padded and given.get("values") is None:
        rows = min(rows, len(indices))
    experts = next(n for n in (3, 2, 1) if rows % n == 0)
    named = named_once(np.array(indices, np.int64), rows)
    listed = np.where(named < rows, named, -1) if padded else named
    cut = mode == "active" or (mode == "single" and not padded and rows < len(indices))
    made = of_sum(
        "drop_pad" if padded else mode,
        dtype,
        source=(experts, rows // experts, hidden) if padded else (rows, hidden),
        indices=tuple(listed.tolist()),
        top_k=top_k,
        unread=unread_rows(named, rows) if unread else (),
        active_num=rows if cut else 0,
        **given,
    )
    # Cases in files have their inputs in this order, and a digest depends on it.
    return replace(made, mode=mode, inputs={name: made.inputs[name] for name in (X, ROWS, GRAD)})


def rows_of(case: Case) -> int:
    """The rows that indices may name."""
    return math.prod(case.outputs[X_GRAD].shape[:-1])


def _window(case: Case) -> tuple[int, int]:
    """The indices that name a row."""
    return 0, rows_of(case)


SUM, _single = graded_sums(call, uneven=("active", "drop_pad"), window=_window)
PLACED = replace(SUM, patterns=DROPPED)
"""With drop/pad."""

SINGLE = replace(_single, patterns=DROPPED)
SINGLE_PLACED = replace(SINGLE, call=partial(call, places=True))
"""Without scales, rows may be places of experts."""


def graded(case: Case, grad: Fill | Shape) -> Case:
    """The case with a gradient of the output: a recipe, or storage bits."""
    return with_data(case, {GRAD: grad})


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

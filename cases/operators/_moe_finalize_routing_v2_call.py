"""Calls of MoeFinalizeRoutingV2: sums over slots, and what is added to rows, weights and sums.

A case is first drawn as a sum over slots, token by token, of which those below the number of rows
count. Then its indices are laid out as the mode has them, and it is given its optional tensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._slot_sum_cases import Call
from cases.operators._slot_weights import WEIGHT_BITS
from conformance.call.case import Case, Machine, Tensor
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
Data = Fill | Shape
"""What a tensor holds: a recipe, or storage bits."""

NAME = "moe_finalize_routing_v2"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
"""By dropPadMode: whether slots may be dropped, and whether the indices lie column by column, slot
k of token i at i + k * tokens, or row by row, at i * top_k + k."""

SLOT_BYTES = 16
"""Of the buffer for each slot of a token: its index, its expert, its scale, and that widened."""

TENSORS = (
    TensorParameter("expanded_x", "expandedX", "input"),
    TensorParameter("expanded_row_idx", "expandedRowIdx", "input", "int32"),
    TensorParameter("x1", "x1Optional", "input", optional=True),
    TensorParameter("x2", "x2Optional", "input", optional=True),
    TensorParameter("bias", "biasOptional", "input", optional=True),
    TensorParameter("scales", "scalesOptional", "input", DTYPES, optional=True),
    TensorParameter("expert_idx", "expertIdxOptional", "input", "int32", optional=True),
    TensorParameter("out", "out", "output"),
)


def scales_dtypes(dtype: str) -> tuple[str, ...]:
    """The dtypes of scales beside a dtype, as the operator's definition lists them."""
    return ("bfloat16", "float32") if dtype == "bfloat16" else (dtype,)


def drops(mode: str) -> bool:
    """Whether slots may be dropped: expanded_x is [experts, capacity, hidden] then."""
    return mode.startswith("drop_pad")


def by_column(mode: str) -> bool:
    """Whether the indices lie column by column."""
    return mode.endswith("columns")


def drawn_as(mode: str) -> str:
    """The mode of a sum over slots as which a mode is drawn."""
    return "uneven" if drops(mode) else "whole"


def call(
    mode: str,
    dtype: str,
    *,
    source: Shape,
    indices: Shape,
    top_k: int,
    fill: Fill | None = None,
    values: Shape | None = None,
    out: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    rows: Shape | None = None,
) -> Case:
    """A case from the sizes that matter, with none of the optional tensors yet.

    ``source`` is [rows, hidden]; ``indices`` are those of the slots of one token after those of
    another. Where a mode drops slots, those that name no row are -1; ``rows`` are the only ones
    that exist.
    """
    tokens = len(indices) // top_k if top_k > 0 else 0
    named = np.array(indices, np.int64)
    if drops(mode):
        named = np.where(named < source[0], named, -1)
    if by_column(mode):
        named = named.reshape(tokens, top_k).T.ravel()
    shape = (1, *source) if drops(mode) else source
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={"drop_pad_mode": MODES.index(mode)},
        inputs={
            "expanded_x": Tensor(shape, dtype, values, fill, unread, rows),
            "expanded_row_idx": Tensor(named.shape, "int32", values=tuple(named.tolist())),
        },
        outputs={"out": Tensor(out or (tokens, source[-1]), dtype)},
        machine=machine,
    )


def call_in(mode: str) -> Call:
    """What makes cases of a mode, whatever the mode of the sum."""

    def made(_: str, dtype: str, **sizes: Any) -> Case:
        return call(mode, dtype, **sizes)

    return made


@dataclass(frozen=True)
class Parts:
    """The optional tensors of a call, and the number of experts.

    ``scales`` None: there are none, and top_k is 1. ``skips`` are x1, then x2, if they are there.
    ``expert_idx`` None: experts drawn from the seed of the bias. ``scales_dtype`` None: that of the
    case.
    """

    experts: int = 1
    scales: Data | None = None
    scales_dtype: str | None = None
    skips: Sequence[Data] = ()
    bias: Data | None = None
    expert_idx: Shape | None = None


def with_parts(case: Case, parts: Parts) -> Case:
    """The case with its optional tensors.

    Recipes of all that is added are given as many terms as the sum has, so that small integers add
    up exactly, also after they are multiplied with small scales.
    """
    tokens, hidden = case.outputs["out"].shape
    top_k = case.inputs["expanded_row_idx"].size // max(1, tokens)
    terms = (top_k if parts.bias is None else 2 * top_k) + len(parts.skips)
    terms <<= 0 if parts.scales is None else WEIGHT_BITS

    def added(shape: Shape, data: Data, unread: Shape = ()) -> Tensor:
        if isinstance(data, Fill):
            return Tensor(shape, case.dtype, fill=replace(data, terms=terms), unread=unread)
        return Tensor(shape, case.dtype, values=data)

    expanded = case.inputs["expanded_x"]
    if expanded.fill is not None:
        expanded = replace(expanded, fill=replace(expanded.fill, terms=terms))
    if drops(case.mode):
        expanded = _grouped(expanded, parts.experts)
    inputs = {**case.inputs, "expanded_x": expanded}
    for name, skip in zip(("x1", "x2"), parts.skips, strict=False):
        inputs[name] = added((tokens, hidden), skip)
    slots = (tokens, top_k)
    if parts.bias is not None:
        chosen = _experts(parts, slots)
        unread = np.setdiff1d(np.arange(parts.experts), chosen)
        inputs["bias"] = added((parts.experts, hidden), parts.bias, tuple(unread.tolist()))
        inputs["expert_idx"] = Tensor(slots, "int32", values=tuple(chosen.ravel().tolist()))
    if parts.scales is not None:
        dtype = parts.scales_dtype or case.dtype
        listed = not isinstance(parts.scales, Fill)
        held = {"values": parts.scales} if listed else {"fill": parts.scales}
        inputs["scales"] = Tensor(slots, dtype, **held)  # type: ignore[arg-type]
    return replace(case, inputs=inputs)


def _grouped(expanded: Tensor, experts: int) -> Tensor:
    """The rows as those of experts, of equal capacity; rows that are too many are not read."""
    rows, hidden = math.prod(expanded.shape[:-1]), expanded.shape[-1]
    capacity = -(-rows // experts)
    more = range(rows, experts * capacity) if expanded.rows is None else ()
    shape = (experts, capacity, hidden)
    return replace(expanded, shape=shape, unread=(*expanded.unread, *more))


def _experts(parts: Parts, slots: tuple[int, int]) -> NDArray[np.int64]:
    """The expert of each slot."""
    if parts.expert_idx is not None:
        return np.array(parts.expert_idx, np.int64).reshape(slots)
    assert isinstance(parts.bias, Fill)
    return np.random.default_rng(parts.bias.seed).integers(0, parts.experts, slots)


def names(case: Case) -> NDArray[np.int64]:
    """The index of each slot, [tokens, top_k]."""
    tokens = case.outputs["out"].shape[0]
    indices = np.asarray(case.arrays["expanded_row_idx"], np.int64)
    if by_column(case.mode):
        return indices.reshape(-1, max(1, tokens)).T
    return indices.reshape(tokens, -1)


def window(case: Case) -> tuple[int, int]:
    """The indices that name a row: the first one, and the first beyond."""
    return 0, math.prod(case.inputs["expanded_x"].shape[:-1])

"""Calls of operators that finalize: sums over slots, and what else they add.

A case is first drawn as a sum over slots, token by token, of which those below the number of rows
count. Then its indices are laid out as the mode has them, and it is given its optional tensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._finalize_signature import MODES, by_column, drops
from cases.operators._slot_sum import Call, TokenSum, slot_sum_call
from cases.operators._slot_sum_sizes import Lines
from cases.operators._values import WEIGHT_BITS
from conformance.call.case import Case, Tensor
from conformance.record.signature import Signature
from conformance.record.variations import with_attributes
from conformance.values.fill import Fill

K = "k"
"""The attribute that tells the slots of a token, in the versions that have it."""

Shape = tuple[int, ...]
Data = Fill | Shape
"""What a tensor holds: a recipe, or storage bits."""


@dataclass(frozen=True)
class Parts:
    """The optional tensors of a call, and the number of experts.

    ``scales`` None: there are none, and top_k is 1, or k where the operator has it. ``k`` None: all
    slots, if there is a k. ``skips`` are x1, then x2, if they are there.
    ``expert_idx`` None: experts drawn from the seed of the bias. ``scales_dtype`` None: that of the
    case.
    """

    experts: int = 1
    scales: Data | None = None
    scales_dtype: str | None = None
    skips: Sequence[Data] = ()
    bias: Data | None = None
    expert_idx: Shape | None = None
    k: int | None = None


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
    if K in case.attributes and parts.k is not None:
        case = with_attributes(case, **{K: parts.k})
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


def _names(case: Case) -> NDArray[np.int64]:
    """The index of each slot, [tokens, top_k]."""
    tokens = case.outputs["out"].shape[0]
    indices = np.asarray(case.arrays["expanded_row_idx"], np.int64)
    if by_column(case.mode):
        return indices.reshape(-1, max(1, tokens)).T
    return indices.reshape(tokens, -1)


EVEN_COLUMNS = 5120
"""The vendor's kernel has a path for rows of so many float32 columns and an even top_k
(ops-transformer, moe_finalize_routing_v2/op_kernel, read)."""

BOUNDARIES = tuple(
    f"{size}{step}"
    for size in ("tokens = cores", "hidden = 32 bytes", f"hidden = {EVEN_COLUMNS} columns")
    for step in ("", " - 1", " + 1")
)
LINES = Lines(BOUNDARIES, slot_bytes=16)
"""Of the buffer each slot of a token has its index, its expert, its scale, and that widened."""


@dataclass(frozen=True, eq=False)
class Finalizing:
    """One operator that finalizes, by its signature."""

    signature: Signature

    def call(
        self, mode: str, dtype: str, *, source: Shape, indices: Shape, top_k: int, **given: Any
    ) -> Case:
        """A case from the sizes that matter, with none of the optional tensors yet.

        ``source`` is [rows, hidden]; ``indices`` are those of the slots of one token after those
        of another. Where a mode drops slots, those that name no row are -1; what else is ``given``
        is as in `slot_sum_call`.
        """
        named = np.array(indices, np.int64)
        if drops(mode):
            named = np.where(named < source[0], named, -1)
            source = (1, *source)
        if by_column(mode):
            named = named.reshape(-1, top_k).T.ravel()
        if self.has_k:
            given = {K: top_k, **given}
        return self._call(
            mode, dtype, source=source, indices=tuple(named.tolist()), top_k=top_k, **given
        )

    @cached_property
    def has_k(self) -> bool:
        """Whether its calls tell the slots of a token."""
        return any(one.name == K for one in self.signature.attributes)

    @cached_property
    def whole(self) -> bool:
        """Whether all but x2 must be given: the bias is not optional."""
        return any(one.name == "bias" and not one.optional for one in self.signature.tensors)

    @cached_property
    def _call(self) -> Call:
        bias = ("bias",) if self.whole else ()
        return slot_sum_call(self.signature, "expanded_x", "expanded_row_idx", bias)

    @cached_property
    def sums(self) -> TokenSum:
        """Its calls as sums over slots."""
        return TokenSum(self.call, uneven=tuple(filter(drops, MODES)), names=_names, lines=LINES)

"""The signature of MoeFinalizeRoutingV2, and its calls: sums over slots, and what else they add.

A case is first drawn as a sum over slots, token by token, of which those below the number of rows
count. Then its indices are laid out as the mode has them, and it is given its optional tensors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._interface import REQUIRED, SHAPE, checked, read_in, typed, unchecked
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_sizes import Lines
from cases.operators._values import WEIGHT_BITS
from conformance.call.case import Case, Tensor
from conformance.record.clause import document, source_read
from conformance.record.signature import Form, Signature, SizedTensor, number, tensor
from conformance.record.sizes import Product, Size
from conformance.values.fill import Fill

Shape = tuple[int, ...]
Data = Fill | Shape
"""What a tensor holds: a recipe, or storage bits."""

NAME = "moe_finalize_routing_v2"
README = "MoeFinalizeRoutingV2 README"
PAGE = "aclnnMoeFinalizeRoutingV2 document, CANN 8.0"
KERNELS = "ops-transformer, moe_finalize_routing_v2/op_kernel"
HOST = "ops-transformer, moe_finalize_routing_v2/op_host"
EQUATION = f"{README}, function: equation"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("dropless_columns", "drop_pad_columns", "dropless_rows", "drop_pad_rows")
"""By dropPadMode: whether slots may be dropped, and whether the indices lie column by column, slot
k of token i at i + k * tokens, or row by row, at i * top_k + k."""

SCALES_DTYPES = {
    "float16": ("float16",),
    "bfloat16": ("bfloat16", "float32"),
    "float32": ("float32",),
}
"""The dtypes of scales beside a dtype, as the operator's definition lists them."""


def drops(mode: str) -> bool:
    """Whether slots may be dropped: expanded_x is [experts, capacity, hidden] then."""
    return mode.startswith("drop_pad")


def by_column(mode: str) -> bool:
    """Whether the indices lie column by column."""
    return mode.endswith("columns")


TOKEN, HIDDEN = Size("token"), Size("hidden")
SLOT = Size("slot", least=1, default=1)
AS_MANY = Product((SLOT,))
"""An axis of the slots of a token that does not show how many they are: without scales one."""

ANY_ROWS = source_read("rows that indices name; their number is not compared", HOST)
ROW, EXPERT, PLACE = (Size(name, free=ANY_ROWS) for name in ("row", "expert", "place"))
FEWER_BIASES = source_read("the bias has a row for each slot of a token, or more", HOST)
BIAS = Size("bias", least=1, free=FEWER_BIASES, covers=SLOT)


def _in_mode(mode: str) -> tuple[SizedTensor, SizedTensor]:
    """The rows of a mode, and the indices that name them; tokens are shown by other tensors."""
    named = EXPERT * PLACE if drops(mode) else ROW
    slots = SLOT * TOKEN if by_column(mode) else TOKEN * SLOT
    return (
        tensor("expanded_x", *named.factors, HIDDEN),
        tensor("expanded_row_idx", Size(slots.name, product=slots), dtype="int32", numbers=named),
    )


optional = partial(tensor, optional=True)
read = partial(source_read, source=HOST)
tiled = read_in(HOST)
PARAMETERS = f"{PAGE}, parameters"
BOTH = f"{HOST}; {PARAMETERS}"
SIGNATURE = Signature(
    NAME,
    (
        *_in_mode(MODES[0]),
        optional("x1", TOKEN, HIDDEN, acl="x1Optional", beside="x2"),
        optional("x2", TOKEN, HIDDEN, acl="x2Optional"),
        optional("bias", BIAS, HIDDEN, acl="biasOptional"),
        optional("scales", TOKEN, SLOT, dtype=DTYPES, by_dtype=SCALES_DTYPES, acl="scalesOptional"),
        optional(
            "expert_idx",
            TOKEN,
            AS_MANY,
            dtype="int32",
            numbers=BIAS,
            acl="expertIdxOptional",
            beside="bias",
        ),
        number("drop_pad_mode", least=0, most=3),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    rules=(
        tiled("x2 is given beside x1 only", "x1", kinds=("null",)),
        tiled("a bias is given beside expert_idx only", "expert_idx", kinds=("null",)),
        REQUIRED,
        typed(
            read(
                "one float type for all but scales, which may be float32 beside bfloat16; indices"
                " int32"
            )
        ),
        checked(read("dropPadMode is 0 to 3", source=BOTH), kinds=("attribute",)),
        checked(
            read("expanded_x has two axes without drop, and three with it", source=BOTH),
            "expanded_x",
            kinds=("rank",),
        ),
        tiled(
            "the bias has a row for each slot of a token, at least one",
            "bias",
            kinds=("limit",),
        ),
        unchecked(
            document("expanded_row_idx has one axis, an index for each slot", PARAMETERS),
            "expanded_row_idx",
        ),
        *(
            unchecked(document(text, EQUATION), *about, kinds=(*SHAPE, "limit"))
            for text, about in (
                ("scales and expert_idx are [tokens, top_k]", ("scales", "expert_idx")),
                ("the bias is [experts, hidden]", ("bias",)),
                ("x1, x2 and out are [tokens, hidden]", ("x1", "x2", "out")),
            )
        ),
    ),
    forms={
        mode: Form({"drop_pad_mode": value}, _in_mode(mode))
        for value, mode in enumerate(MODES)
        if value
    },
)
_call = slot_sum_call(SIGNATURE, "expanded_x", "expanded_row_idx")


def call(mode: str, dtype: str, *, source: Shape, indices: Shape, top_k: int, **given: Any) -> Case:
    """A case from the sizes that matter, with none of the optional tensors yet.

    ``source`` is [rows, hidden]; ``indices`` are those of the slots of one token after those of
    another. Where a mode drops slots, those that name no row are -1; what else is ``given`` is as
    in `slot_sum_call`.
    """
    named = np.array(indices, np.int64)
    if drops(mode):
        named = np.where(named < source[0], named, -1)
        source = (1, *source)
    if by_column(mode):
        named = named.reshape(-1, top_k).T.ravel()
    return _call(mode, dtype, source=source, indices=tuple(named.tolist()), top_k=top_k, **given)


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

SUM = TokenSum(call, uneven=tuple(filter(drops, MODES)), names=_names, lines=LINES)

"""The signature of MoeTokenUnpermuteWithRoutingMap, its sources, and how a call is made.

CANN 8.1.RC1 has no operator of this name: there it is unavailable.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.operators._interface import INVALID, NULL, checked, null, typed, unchecked
from cases.operators._map_sums import DROPLESS, DTYPES, MAP, PADDED, PROBS, PROBS_DTYPES
from cases.operators._moe_token_permute_with_routing_map_grad_maps import routed
from cases.operators._values import WEIGHT_BITS
from conformance.call.case import Case, Machine, Tensor
from conformance.record.clause import document, inferred, source_read
from conformance.record.derive.calls import Fields
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Rule, Signature, flag, integers, tensor
from conformance.record.sizes import Size
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

Shape = tuple[int, ...]
NAME = "moe_token_unpermute_with_routing_map"
ACLNN = "aclnnMoeTokenUnpermuteWithRoutingMap document"
FUNCTION = f"{ACLNN}, function: equations"
PARAMETERS = f"{ACLNN}, parameters"
KERNELS = "ops-transformer, moe_token_unpermute_with_routing_map/op_kernel"
HOST = "ops-transformer, moe_token_unpermute_with_routing_map/op_host/op_api"
TOKENS, INDICES = "permuted_tokens", "sorted_indices"
OUT, OUT_INDEX, TOKEN_ID = "unpermuted_tokens", "out_index", "permute_token_id"
PERMUTE_PROBS = "permute_probs"

given = partial(document, source=PARAMETERS)
follows = partial(inferred, source=FUNCTION)
warned = partial(unchecked, status=INVALID)
# Relations take another order of an axis that is named token, row, slot or expert. Here none is:
# which prob a slot has depends on the order of all of these.
TOKEN, EXPERT, HIDDEN = Size("tokens"), Size("experts"), Size("hidden")
ROWS = Size("rows", product=TOKEN * Size("top_k", most=MOST_TOPK))
PADDED_ROWS = Size("rows", product=EXPERT * Size("capacity"))
output = partial(tensor, role="output")
mapped = partial(tensor, MAP, TOKEN, EXPERT, dtype=("int8", "bool"), optional=True)
mapped = partial(mapped, acl="routingMapOptional")


def _of_rows(rows: Size) -> tuple[Any, ...]:
    """The tensors that have so many rows, or as many elements."""
    return (
        tensor(TOKENS, rows, HIDDEN),
        tensor(INDICES, rows, dtype="int32"),
        output(OUT_INDEX, rows, dtype="int32"),
        output(TOKEN_ID, rows, dtype="int32"),
        output(
            PERMUTE_PROBS, rows, dtype=DTYPES, by_dtype=PROBS_DTYPES, optional=True, beside=PROBS
        ),
    )


_FORM = Form({"padded_mode": 1}, (*_of_rows(PADDED_ROWS), mapped()))
TOP_K = document(f"topK_num is at most {MOST_TOPK}; an inner step refuses", f"{ACLNN}, status")
SIGNATURE = Signature(
    NAME,
    (
        *_of_rows(ROWS)[:2],
        mapped(beside=PROBS),
        tensor(
            *(PROBS, TOKEN, EXPERT),
            dtype=DTYPES,
            by_dtype=PROBS_DTYPES,
            optional=True,
            acl="probsOptional",
        ),
        flag("padded_mode", given("it chooses among the equations")),
        integers(
            "restore_shape",
            source_read("nothing looks at it beside probs; its first number else", HOST),
            acl="restoreShapeOptional",
        ),
        output(OUT, TOKEN, HIDDEN),
        *_of_rows(ROWS)[2:],
    ),
    rules=(
        Rule(("null",), NULL, follows("probs are selected by a map"), (MAP,), False),
        null(document("tokens and indices are required", f"{ACLNN}, status"), TOKENS, INDICES),
        Rule(("null",), NULL, document("every result is required", f"{ACLNN}, status"), (), False),
        warned(given("a map of int8 or bool; another is warned of alone"), MAP, kinds=("dtype",)),
        typed(document("float16, bfloat16 or float32; indices int32", PARAMETERS)),
        warned(given("a map of two axes; another is warned of alone"), MAP, kinds=("rank",)),
        checked(
            given("tokens and unpermutedTokens have two axes, the indices one, the probs two"),
            *(TOKENS, INDICES, OUT, PROBS),
            kinds=("rank",),
            status=INVALID,
        ),
        warned(given("indices and probs of the result have one axis"), kinds=("rank",)),
        unchecked(TOP_K, "top_k", kinds=("limit",)),
        unchecked(given("unpermutedTokens are [tokens_num, hidden]"), OUT),
        unchecked(
            given("an index for every row, which tokens, or experts, share evenly"),
            INDICES,
            OUT_INDEX,
            TOKEN_ID,
        ),
        unchecked(given("a map and probs are [tokens_num, experts_num]"), MAP, PROBS),
        unchecked(follows("a prob for every row"), PERMUTE_PROBS),
    ),
    forms={"padded": _FORM, "padded_probs": _FORM},
)
"""The edition of 2026 alone names -1 as an unused slot, and float32 probs beside bfloat16 tokens.
Of a map that fits nothing, a capacity above the tokens, and more slots than experts, CANN warns.
The document's status of too many slots, and of probs of another shape, is that of an inner step,
561103, where own kernels answer that of a tiling."""


def call(
    mode: str,
    dtype: str,
    *,
    source: tuple[int, int],
    indices: Shape,
    top_k: int = 1,
    fill: Fill | None = None,
    values: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
    rows: Shape | None = None,
) -> Case:
    """A case without probs, made as any sum over slots: of the shape of the rows that indices name.

    There is a row for every slot: those from ``source`` on are not read, and an index of one is -1.
    Padded, indices are token ids, of as many tokens as ``source`` has rows, and name every row.
    """
    slots, (named, hidden) = len(indices), source
    tokens = slots // top_k
    if mode in PADDED:
        tokens, unread = named, ()
        indices = tuple(index % max(1, named) for index in indices)
        most = int(np.bincount(indices).max(initial=1))
        fill = fill and replace(fill, terms=max(fill.terms, most))
    else:
        indices = tuple(index if index < named else -1 for index in indices)
        unread = (*(row for row in unread if row < slots), *range(named, slots))
    sizes = {"rows": slots, "hidden": hidden, "tokens": tokens}
    fields: Fields = {
        TOKENS: {"fill": fill, "values": values, "unread": unread, "rows": rows},
        INDICES: {"values": indices},
    }
    number, shape = int(mode in PADDED), (tokens, hidden)
    made = partial(call_of, SIGNATURE, mode, dtype, sizes, fields, machine=machine)
    return made(padded_mode=number, restore_shape=shape)


def experts_of(case: Case, wanted: int, seed: int) -> int:
    """The experts of a call with about as many as are ``wanted``; 0: any that go with its rows.

    Padded, they share the rows, and none has more of them than there are tokens, if possible.
    """
    rows, tokens = case.inputs[INDICES].size, case.outputs[OUT].shape[0]
    if case.mode in DROPLESS:
        return max(1, wanted, rows // max(1, tokens) + (0 if wanted else seed % 6))
    shares = [n for n in range(1, min(rows, 64) + 1) if rows % n == 0 and rows // n <= tokens]
    return wanted or (shares[seed % len(shares)] if shares else max(1, rows))


def weighted(
    case: Case,
    probs_dtype: str,
    probs: Fill | Shape,
    map_dtype: str = "int8",
    experts: int = 0,
    seed: int = 0,
    routing_map: Shape | None = None,
) -> Case:
    """The case with probs: a recipe, or storage bits; and a map that gives tokens their experts.

    Values of rows are drawn so that their products with small integers add up exactly.
    """
    if probs_dtype not in PROBS_DTYPES[case.dtype]:
        probs_dtype = case.dtype
    rows = case.inputs[TOKENS]
    if rows.fill is not None:
        rows = replace(rows, fill=replace(rows.fill, terms=rows.fill.terms << WEIGHT_BITS))
    tokens, slots = case.outputs[OUT].shape[0], case.inputs[INDICES].size
    shape = (tokens, experts_of(case, experts, seed))
    if routing_map is None:
        top_k = slots // max(1, tokens) if case.mode in DROPLESS else min(2, shape[1])
        marks = routed(*shape, top_k, np.random.default_rng(seed))
        routing_map = tuple(marks.astype(np.int64).ravel().tolist())
    listed: dict[str, Any] = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    inputs = {
        TOKENS: rows,
        INDICES: case.inputs[INDICES],
        MAP: Tensor(shape, map_dtype, values=routing_map if any(routing_map) else None),
        PROBS: Tensor(shape, probs_dtype, **listed),
    }
    outputs = {**case.outputs, PERMUTE_PROBS: Tensor((slots,), probs_dtype)}
    attributes = dict(case.attributes)
    if seed % 2:
        attributes["restore_shape"] = None
    return replace(case, inputs=inputs, outputs=outputs, attributes=attributes)

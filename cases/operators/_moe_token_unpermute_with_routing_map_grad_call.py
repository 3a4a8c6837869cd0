"""The signature of MoeTokenUnpermuteWithRoutingMapGrad, its sources, and how a call is made.

Calls are drawn as those of the forward operator, of which every row is named once. CANN 8.1.RC1 has
no operator of this name: there it is unavailable.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cases.operators._interface import checked, in_document, null, typed, unchecked
from cases.operators._map_sums import DTYPES, MAP, PADDED, PROBS, PROBS_DTYPES
from cases.operators._moe_token_permute_with_routing_map_grad_maps import routed
from cases.operators._slot_grads import listed, named_once
from cases.operators._values import WEIGHT_BITS, WEIGHT_TERMS, WEIGHTS
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.routings import unread_rows
from conformance.record.clause import document, source_read
from conformance.record.derive.calls import Fields
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Signature, SizedTensor, flag, integers, tensor
from conformance.record.sizes import Size, function
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

Shape = tuple[int, ...]
NAME = "moe_token_unpermute_with_routing_map_grad"
ACLNN = "aclnnMoeTokenUnpermuteWithRoutingMapGrad document"
FUNCTION = f"{ACLNN}, function: equations"
DEFINITION = "ops-transformer, moe_token_unpermute_with_routing_map_grad_def.cpp"
TILING = "ops-transformer, moe_token_unpermute_with_routing_map_grad tiling"
KERNELS = "ops-transformer, moe_token_unpermute_with_routing_map_grad/op_kernel"
GRAD, OUT_INDEX, TOKEN_ID = "unpermuted_tokens_grad", "out_index", "permute_token_id"
TOKENS, TOKENS_GRAD, PROBS_GRAD = "permuted_tokens", "permuted_tokens_grad", "probs_grad"
MOST_PRODUCTS = 2**20
"""Products of all probs of one case, also of those that the map does not mark: a bound on time."""

MOST_MARKS = 2**15
"""Marks of a map, if fewer experts will do."""

stated = in_document(ACLNN)
read = partial(source_read, source=TILING)
most = partial(document, source=f"{ACLNN}, constraints of calls with probs")
# Relations take another order of an axis that is named token, row, slot or expert. Here none is:
# which prob a slot has depends on the order of all of these.
TOKEN, EXPERT, HIDDEN = (Size(name, least=1) for name in ("tokens", "experts", "hidden"))
TOP_K, CAPACITY = Size("top_k", least=1), Size("capacity", least=1)
SLOTS = function("slots", lambda experts, top_k: top_k, EXPERT, TOP_K, most=MOST_TOPK)
SPARE = function("experts beyond the slots", lambda n, top_k: n - top_k, EXPERT, TOP_K)
"""Both are known where a call shows its experts: if it has probs, and no padding."""


def _tensors(tokens: Size, rows: Size) -> tuple[SizedTensor, ...]:
    """The tensors in the order of the interface, with the sizes of a mode."""
    mapped = partial(tensor, dtype=DTYPES, optional=True, by_dtype=PROBS_DTYPES)
    return (
        tensor(GRAD, tokens, HIDDEN),
        tensor(OUT_INDEX, rows, dtype="int32"),
        tensor(TOKEN_ID, rows, dtype="int32"),
        tensor(
            *(MAP, tokens, EXPERT),
            dtype=("int8", "bool"),
            optional=True,
            beside=PROBS,
            acl="routingMapOptional",
        ),
        tensor(TOKENS, rows, HIDDEN, optional=True, beside=PROBS, acl="permutedTokensOptional"),
        mapped(PROBS, tokens, EXPERT, acl="probsOptional"),
        tensor(TOKENS_GRAD, rows, HIDDEN, role="output", acl="permutedTokensGradOut"),
        mapped(
            *(PROBS_GRAD, tokens, EXPERT),
            role="output",
            beside=PROBS,
            acl="probsGradOutOptional",
        ),
    )


FLAT = _tensors(TOKEN, Size("rows", product=TOKEN * TOP_K))
PADDED_FORM = Form(
    {"drop_and_pad": 1},
    _tensors(replace(TOKEN, covers=CAPACITY), Size("rows", product=EXPERT * CAPACITY)),
)
SIGNATURE = Signature(
    NAME,
    (
        *FLAT[:6],
        flag("drop_and_pad", stated("it chooses among the equations")),
        integers("restore_shape", read("it is not looked at"), acl="restoreShapeOptional"),
        *FLAT[6:],
    ),
    rules=(
        checked(stated("probs need map and tokens", "status"), MAP, TOKENS, kinds=("null",)),
        unchecked(stated("probs have a gradient"), PROBS_GRAD, kinds=("null",)),
        null(stated("input and output tensors are no null pointers", "status")),
        typed(source_read("float types, one for all but float32 probs of bfloat16", DEFINITION)),
        checked(
            read("gradient, map, tokens and probs have two axes, indices one"),
            *(GRAD, OUT_INDEX, TOKEN_ID, MAP, TOKENS, PROBS),
            kinds=("rank",),
        ),
        checked(read("there are as many indices of either kind"), TOKEN_ID, kinds=("extent",)),
        checked(most(f"topK_num is at most {MOST_TOPK}"), SLOTS.name, kinds=("limit",)),
        checked(most("topK_num is at most the number of experts"), SPARE.name, kinds=("limit",)),
        checked(
            most("capacity is at most the number of tokens"),
            "tokens",
            kinds=("limit",),
            modes=PADDED[1:],
        ),
        unchecked(stated("there are tokens, columns, slots and experts"), kinds=("limit",)),
        unchecked(stated("each tensor has the shape that the table gives it")),
    ),
    derived=(SLOTS, SPARE),
    forms={"padded": PADDED_FORM, "padded_probs": PADDED_FORM},
)
"""The table of parameters excludes -1 from outIndex; the text allows a token fewer experts than
topK_num, which the forward operator's document marks by -1. What the document refuses of experts
and columns by a chip's buffer is beyond all calls that are drawn. It lists probs of another data
type under the status of a tiling, which the definition refuses before."""


def experts_of_rows(ids: NDArray[np.int64], tokens: int) -> list[int]:
    """Numbers of experts that share rows of these tokens, so that none has a token twice."""
    return [
        count
        for count in (*range(1, min(ids.size, 64) + 1), ids.size)
        if ids.size % count == 0
        and ids.size // count <= tokens
        and (np.diff(np.sort(ids.reshape(count, -1), axis=1), axis=1) > 0).all()
    ]


def call(
    mode: str,
    dtype: str,
    *,
    source: tuple[int, int],
    indices: Shape,
    top_k: int = 1,
    fill: Fill | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
) -> Case:
    """A case without probs, made as any sum over slots: of the shape of the rows that indices name.

    A row that is named twice gives way to its ranks; unused slots are the last of their token.
    Padded, indices are token ids, of as many tokens as ``source`` has rows, and name every row.
    Without them ``unread`` says what rows no slot names, which here follows.
    """
    slots, (named, hidden) = len(indices), source
    ids = np.array(indices, np.int64)
    if mode in PADDED:
        tokens, ids = named, ids % named
        if mode == PADDED[1]:
            fewest = min(experts_of_rows(ids, tokens), default=slots * tokens)
            if fewest * tokens * hidden > MOST_PRODUCTS:
                tokens, ids = max(tokens, slots), named_once(ids)
        out_index = np.argsort(ids, kind="stable")
        token_id = ids[out_index]
    else:
        tokens = slots // top_k
        rows = named_once(ids, named).reshape(tokens, top_k)
        rows = np.where(rows < min(named, slots), rows, -1)
        last = np.argsort(rows < 0, axis=1, kind="stable")
        out_index = np.take_along_axis(rows, last, axis=1).ravel()
        token_id = np.arange(slots) // top_k
    sizes = {"rows": slots, "hidden": hidden, "tokens": tokens}
    fields: Fields = {
        GRAD: {"fill": fill},
        OUT_INDEX: {"values": tuple(out_index.tolist())},
        TOKEN_ID: {"values": tuple(token_id.tolist())},
    }
    number, shape = int(mode in PADDED), (tokens, hidden)
    made = partial(call_of, SIGNATURE, mode, dtype, sizes, fields, machine=machine)
    return made(drop_and_pad=number, restore_shape=shape)


def ids_of_rows(case: Case) -> NDArray[np.int64]:
    """The token of every row of a padded call."""
    ids = np.empty(case.inputs[OUT_INDEX].size, np.int64)
    ids[case.arrays[OUT_INDEX]] = case.arrays[TOKEN_ID]
    return ids


def _experts(case: Case, wanted: int, seed: int) -> int:
    """The experts of a call: as many as are ``wanted``, if it may have them, or some few."""
    (tokens, hidden), slots = case.inputs[GRAD].shape, case.inputs[OUT_INDEX].size
    least = slots // tokens
    shares = [max(least, wanted)] if wanted else [least + more for more in range(6)]
    if case.mode in PADDED:
        shares = experts_of_rows(ids_of_rows(case), tokens)
        shares = [wanted] if wanted in shares else shares
    most = min(MOST_PRODUCTS // hidden, MOST_MARKS) // tokens
    shares = [count for count in shares if count <= most] or shares[:1]
    return shares[seed % len(shares)]


def weighted(
    case: Case,
    probs_dtype: str,
    probs: Fill | Shape,
    map_dtype: str = "int8",
    experts: int = 0,
    seed: int = 0,
    routing_map: Shape | None = None,
    tokens: Fill | Shape | None = None,
) -> Case:
    """The case with probs, rows of tokens and a map: recipes, or storage bits.

    Values of gradients are drawn so that their products with small integers add up exactly.
    """
    if probs_dtype not in PROBS_DTYPES[case.dtype]:
        probs_dtype = case.dtype
    grad, out_index = case.inputs[GRAD], np.asarray(case.arrays[OUT_INDEX], np.int64)
    (count, hidden), slots = grad.shape, out_index.size
    if grad.fill is not None:
        grad = replace(grad, fill=replace(grad.fill, terms=hidden << WEIGHT_BITS))
    shape = (count, _experts(case, experts, seed))
    if case.mode in PADDED:
        marks = np.zeros(shape, np.bool_)
        marks[case.arrays[TOKEN_ID], out_index // (slots // shape[1])] = True
    else:
        marks = routed(*shape, slots // count, np.random.default_rng(seed))
        used = (out_index >= 0).reshape(count, -1).sum(axis=1, keepdims=True)
        marks &= np.cumsum(marks, axis=1) <= used
    given = tuple(marks.astype(np.int64).ravel().tolist()) if routing_map is None else routing_map
    rows = Tensor((slots, hidden), case.dtype, unread=unread_rows(out_index, slots))
    if tokens is None:
        tokens = Fill((WEIGHTS[seed % len(WEIGHTS)],), seed=seed, terms=WEIGHT_TERMS)
    slot_probs = Tensor(shape, probs_dtype)
    inputs = {
        GRAD: grad,
        **{name: case.inputs[name] for name in (OUT_INDEX, TOKEN_ID)},
        MAP: Tensor(shape, map_dtype, values=given),
        TOKENS: listed(rows, tokens),
        PROBS: listed(slot_probs, probs),
    }
    attributes = dict(case.attributes)
    if seed % 2:
        attributes["restore_shape"] = None
    outputs = {**case.outputs, PROBS_GRAD: slot_probs}
    return replace(case, inputs=inputs, outputs=outputs, attributes=attributes)

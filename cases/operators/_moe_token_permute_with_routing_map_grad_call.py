"""The signature of MoeTokenPermuteWithRoutingMapGrad, its sources, and how a call is made.

CANN 8.1.RC1 has no operator of this name: there it is unavailable.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from cases.operators._interface import INVALID, null, read_in, typed, unchecked
from conformance.call.case import Case, Machine
from conformance.draw.layouts import strides_of
from conformance.record.clause import document, inferred, source_read
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Signature, flag, number, tensor
from conformance.record.sizes import Size
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_routing_map_grad"
README = "MoeTokenPermuteWithRoutingMapGrad README"
FUNCTION = f"{README}, function: equations"
KERNELS = "ops-transformer, moe_token_permute_with_routing_map_grad/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_routing_map_grad/op_host/op_api"
DTYPES = ("float16", "bfloat16", "float32")
GRAD, PROBS, MAP = "permuted_token_output_grad", "permuted_probs_output_grad", "routing_map"
INDICES, TOKENS_GRAD, PROBS_GRAD = "sorted_indices", "tokens_grad", "probs_grad"


follows = partial(inferred, source=FUNCTION)
checked = read_in(HOST, INVALID)
# A call that breaks one writes at a wrong place.
unsafe = partial(unchecked, status=INVALID)
FLOATS = document("float16, bfloat16 or float32, one for all; indices int32", README)
FIRST = "num_experts and tokens_num are above 0, checked before all else"
TWO_AND_ONE = "the gradient and the map have two axes, the probs one"
# Relations take another order of an axis that is named token, row, slot or expert. Here none is: a
# rank, and the place of a probability, depend on the order of all of these.
TOKENS, EXPERTS, HIDDEN = Size("tokens", least=1), Size("experts", least=1), Size("hidden")
ROWS = Size("rows", product=TOKENS * Size("top_k", most=MOST_TOPK))
PADDED_ROWS = Size("rows", product=EXPERTS * Size("capacity"))
grad = partial(tensor, GRAD)
optional = partial(tensor, optional=True)
probs = partial(optional, PROBS, acl="permutedProbsOutputGradOptional")
indices = partial(tensor, INDICES, dtype="int32")
SIGNATURE = Signature(
    NAME,
    (
        grad(ROWS, HIDDEN),
        probs(ROWS),
        indices(ROWS),
        optional(
            MAP, TOKENS, EXPERTS, dtype=("int8", "bool"), beside=PROBS, acl="routingMapOptional"
        ),
        number("num_experts", EXPERTS),
        number("tokens_num", TOKENS),
        flag("drop_and_pad", document("it chooses among the equations", FUNCTION)),
        tensor(TOKENS_GRAD, TOKENS, HIDDEN, role="output", acl="tokensGradOut"),
        optional(PROBS_GRAD, TOKENS, EXPERTS, role="output", acl="probsGradOutOptional"),
    ),
    rules=(
        null(source_read("probs need a routing map", HOST), MAP),
        null(source_read("the tensor is required", HOST)),
        checked(FIRST, kinds=("attribute",)),
        checked("the map is int8 or bool", MAP, kinds=("dtype",)),
        unsafe(FLOATS, TOKENS_GRAD, PROBS_GRAD, kinds=("dtype",)),
        typed(FLOATS),
        checked(TWO_AND_ONE, GRAD, MAP, PROBS, kinds=("rank",)),
        unsafe(document("probs_grad is [tokens_num, num_experts]", FUNCTION), PROBS_GRAD),
        unsafe(follows("tokens_grad is [tokens_num, hidden]"), TOKENS_GRAD),
        unsafe(document("an index for every row", f"{README}, parameters"), INDICES),
        unsafe(follows("as many probs as rows, a map [tokens_num, num_experts]"), PROBS, MAP),
        unsafe(follows("tokens share the rows evenly; padded, experts do")),
        unchecked(
            document(f"topK is at most {MOST_TOPK} without padding", f"{README}, constraints"),
            kinds=("limit",),
        ),
    ),
    forms={
        "drop_pad": Form(
            {"drop_and_pad": 1},
            (grad(PADDED_ROWS, HIDDEN), probs(PADDED_ROWS), indices(PADDED_ROWS)),
        )
    },
)
"""The README calls the attributes experts_num and tokens_num, gives the latter a floating dtype and
the probs an integer one: its constraint on one dtype of all four floating tensors, and the public
host sources, say otherwise. The status if topK is too large is an inner one of CANN, 561xxx, which
nobody promises."""


def call(
    mode: str,
    dtype: str,
    *,
    grad: tuple[int, int],
    indices: Shape,
    tokens: int,
    experts: int,
    probs: str = "neither",
    map_kind: str = "absent",
    map_values: Shape = (),
    probs_fill: Fill | None = None,
    probs_values: Shape | None = None,
    layout: str = "contiguous",
    machine: Machine | None = None,
    **fields: Any,
) -> Case:
    """A case from what matters of it; ``probs`` and ``map_kind`` as in the module of maps.

    ``fields`` are those of the permuted tokens' gradient.
    """
    rows, hidden = grad
    sizes = {"rows": rows, "hidden": hidden, "tokens": tokens, "experts": experts}
    given: dict[str, dict[str, Any]] = {GRAD: fields, INDICES: {"values": indices}}
    if probs in ("both", "input only"):
        given[PROBS] = {"values": probs_values, "fill": probs_fill}
    if map_kind != "absent":
        given[MAP] = {"dtype": "bool" if map_kind == "bool" else "int8", "values": map_values}
    given[TOKENS_GRAD] = {"strides": strides_of(layout, (tokens, hidden))}
    if probs in ("both", "output only"):
        given[PROBS_GRAD] = {"strides": strides_of(layout, (tokens, experts))}
    return call_of(SIGNATURE, mode, dtype, sizes, given, machine=machine)

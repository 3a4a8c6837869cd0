"""The signature of MoeTokenPermuteWithRoutingMap, its sources, and its calls.

CANN 8.1.RC1 has no operator of this name: there it is unavailable.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._interface import INVALID, null, read_in, typed, unchecked
from conformance.call.case import Case, Machine
from conformance.record.clause import document, inferred, source_read
from conformance.record.derive.calls import Sizes
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Form, Rule, Signature, SizedTensor, flag, number, tensor
from conformance.record.sizes import Function, Further, Product, Size, function
from conformance.values.fill import Fill

Shape = tuple[int, ...]
Mask = NDArray[np.bool_]
NAME = "moe_token_permute_with_routing_map"
README = "MoeTokenPermuteWithRoutingMap README"
FUNCTION = f"{README}, function: equations"
CONSTRAINTS = f"{README}, constraints"
KERNELS = "ops-transformer, moe_token_permute_with_routing_map/op_kernel"
HOST = "ops-transformer, moe_token_permute_with_routing_map/op_host/op_api"
TILING = "ops-transformer, moe_token_permute_with_routing_map/op_host, tiling"
INTERFACE = "ops-transformer, newer aclnnMoeTokenPermuteWithRoutingMap document"
DTYPES = ("float16", "bfloat16", "float32")
MODES = ("dropless", "drop_pad")
LEAST_REFUSED = 2**24 - 1
TOP_K_OF_THE_HOST = 512


def rows(number: int, padded: int, tokens: int, experts: int) -> int:
    """The rows of the outputs: ``number`` rounded down to as many for each token or expert; -1,
    which no axis has, if the map has fewer entries.
    """
    shares = experts if padded else tokens
    return -1 if number > tokens * experts else number // shares * shares if shares else 0


follows = partial(inferred, source=FUNCTION)
checked = read_in(HOST, INVALID)
# CANN does not check it by itself, but its tiling inside of another operator: nobody promises the
# status.
tiled = read_in(TILING, checked_by_cann=False)
COLUMNS = source_read("axes behind the first are not told apart", HOST)
TOP_K_LIMIT = f"topK = numOutTokens // tokens_num is at most {TOP_K_OF_THE_HOST}"
ROWS = "the outputs have numOutTokens rows, rounded down, and tokens_num * expert_num at most"
NUMBER = "0 <= numOutTokens <= tokens_num * expert_num"
SHARED = "tokens, probs and their copies share one dtype"
SIZE_LIMIT = document("tokens_num and expert_num are below 2^24 - 1", CONSTRAINTS)
TOKEN, EXPERT = Size("token", most=LEAST_REFUSED - 1), Size("expert", most=LEAST_REFUSED - 1)
HIDDEN, TOP_K = Size("hidden"), Size("top_k", most=TOP_K_OF_THE_HOST)
PADDED_ROW = function("row", rows, "num_out_tokens", "drop_and_pad", TOKEN, EXPERT)
ROW = replace(PADDED_ROW, product=Product((TOKEN, TOP_K), most=LEAST_REFUSED - 1))


def tensors(row: Function) -> tuple[SizedTensor, ...]:
    """The tensors of calls with so many rows. These are compared before tokens and probs are."""
    token, expert = (
        function(f"{size.name} of the map", lambda extent, _: extent, size, row)
        for size in (TOKEN, EXPERT)
    )
    copied = Further(COLUMNS, size=HIDDEN, fewest=1)
    return (
        tensor("tokens", token, further=Further(COLUMNS, size=HIDDEN)),
        tensor("routing_map", TOKEN, EXPERT, dtype=("int8", "bool")),
        tensor("probs", token, expert, optional=True, acl="probsOptional"),
        tensor("permute_tokens", row, role="output", further=copied, acl="permuteTokensOut"),
        tensor(
            *("permute_probs", row),
            role="output",
            optional=True,
            beside="probs",
            acl="permuteProbsOutOptional",
        ),
        tensor("sorted_indices", row, role="output", dtype="int32", acl="sortedIndicesOut"),
    )


SIGNATURE = Signature(
    NAME,
    (
        *tensors(ROW)[:3],
        number("num_out_tokens", least=0),
        flag("drop_and_pad"),
        *tensors(ROW)[3:],
    ),
    rules=(
        null(source_read("probs go where there is room for them", HOST), "permute_probs"),
        null(source_read("the tensor is required", HOST)),
        checked(SHARED, "probs", "permute_tokens", "permute_probs", kinds=("dtype",)),
        typed(
            document("float16, bfloat16 or float32; the map int8 or bool; indices int32", README)
        ),
        checked("the map and probs have two axes", "routing_map", "probs", kinds=("rank",)),
        checked(NUMBER, kinds=("attribute",)),
        Rule(("limit",), INVALID, SIZE_LIMIT, about=("token", "expert")),
        tiled(TOP_K_LIMIT, "top_k", kinds=("limit",)),
        tiled("fewer than 2^24 - 1 rows", kinds=("limit",)),
        unchecked(follows("an index for every row"), "sorted_indices", status=INVALID),
        unchecked(
            follows("probabilities have one axis"),
            "permute_probs",
            kinds=("rank",),
            status=INVALID,
        ),
        unchecked(
            follows("permuteTokensOut has the columns of tokens"), "hidden", kinds=("extent",)
        ),
        checked(ROWS, "permute_tokens", "permute_probs"),
        tiled("the map has a row for every token", "tokens"),
        unchecked(follows("probs have the shape of the map"), kinds=("extent",)),
    ),
    forms={"drop_pad": Form({"drop_and_pad": 1}, tensors(PADDED_ROW))},
)
"""In the order of the interface, which is not that of the README's table: there the indices stand
before the probs, and the tokens are called permutedTokensOut."""


def call(
    mode: str,
    dtype: str,
    *,
    tokens: Shape,
    routing_map: Mask,
    num_out_tokens: int,
    map_dtype: str = "int8",
    probs: Fill | Shape | None = None,
    fill: Fill | None = None,
    values: Shape | None = None,
    held: Shape | None = None,
    machine: Machine | None = None,
) -> Case:
    """A case; ``routing_map`` is [tokens, experts], ``probs`` a recipe or storage bits.

    ``held`` lists the only rows of tokens that exist.
    """
    token, expert = routing_map.shape
    marks = tuple(routing_map.astype(np.int64).ravel().tolist()) if routing_map.any() else None
    given: dict[str, dict[str, Any]] = {
        "tokens": {"values": values, "fill": fill, "rows": held},
        "routing_map": {"dtype": map_dtype, "values": marks},
    }
    if probs is not None:
        given["probs"] = {"fill" if isinstance(probs, Fill) else "values": probs}
        given["permute_probs"] = {}
    sizes: Sizes = {"token": token, "expert": expert, "hidden": tokens[1:]}
    return call_of(
        SIGNATURE, mode, dtype, sizes, given, machine=machine, num_out_tokens=num_out_tokens
    )

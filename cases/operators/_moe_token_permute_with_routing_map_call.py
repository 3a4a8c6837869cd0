"""Calls of MoeTokenPermuteWithRoutingMap from the sizes that matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cases.operators._moe_token_permute_with_routing_map_sources import NAME
from conformance.call.case import Case, Machine, Tensor
from conformance.values.fill import Fill

Shape = tuple[int, ...]
Mask = NDArray[np.bool_]
MODES = ("dropless", "drop_pad")


def rows_of(mode: str, tokens: int, experts: int, num_out_tokens: int) -> int:
    """The rows of the outputs: numOutTokens rounded down to as many for each token or expert."""
    shares = experts if mode == "drop_pad" else tokens
    return num_out_tokens // shares * shares if shares else 0


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
    tokens_num, experts = routes = routing_map.shape
    rows = rows_of(mode, tokens_num, experts, num_out_tokens)
    marks = tuple(routing_map.astype(np.int64).ravel().tolist()) if routing_map.any() else None
    inputs = {
        "tokens": Tensor(tokens, dtype, values, fill, rows=held),
        "routing_map": Tensor(routes, map_dtype, values=marks),
    }
    outputs = {"permute_tokens": Tensor((rows, *tokens[1:]), dtype)}
    if probs is not None:
        if isinstance(probs, Fill):
            inputs["probs"] = Tensor(routes, dtype, fill=probs)
        else:
            inputs["probs"] = Tensor(routes, dtype, probs)
        outputs["permute_probs"] = Tensor((rows,), dtype)
    outputs["sorted_indices"] = Tensor((rows,), "int32")
    attributes = {"num_out_tokens": num_out_tokens, "drop_and_pad": int(mode == "drop_pad")}
    return Case(NAME, mode, dtype, attributes, inputs, outputs, machine)

"""Calls of MoeTokenPermuteWithEp from the sizes that matter."""

from __future__ import annotations

import math

from cases.operators._moe_token_permute_with_ep_windows import RANGES
from cases.operators._token_permute import TokenPermute
from cases.operators._token_permute_sizes import VendorLines
from conformance.call.case import Case, Machine, Tensor
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill
from reference.moe_token_permute_with_ep import Range, window

Shape = tuple[int, ...]
NAME = "moe_token_permute_with_ep"
DTYPES = ("float16", "bfloat16", "float32")
TENSORS = (
    TensorParameter("tokens", "tokens", "input"),
    TensorParameter("indices", "indices", "input", ("int32", "int64")),
    TensorParameter("probs", "probsOptional", "input", optional=True),
    TensorParameter("permute_tokens", "permuteTokensOut", "output"),
    TensorParameter("sorted_indices", "sortedIndicesOut", "output", "int32"),
    TensorParameter("permute_probs", "permuteProbsOut", "output", optional=True),
)


def call(
    mode: str,
    dtype: str,
    *,
    tokens: Shape,
    indices: Shape | None = None,
    top_k: int | None = None,
    index_dtype: str = "int32",
    probs: Fill | Shape | None = None,
    rank_range: Range | None = None,
    num_out_tokens: int = 0,
    fill: Fill | None = None,
    values: Shape | None = None,
    held: Shape | None = None,
    rows: int | None = None,
    machine: Machine | None = None,
) -> Case:
    """A case that sorts; ``top_k`` None: indices of one axis, one for each token.

    ``indices`` None are zeros, ``probs`` a recipe or storage bits. ``held`` lists the only rows of
    tokens that exist. ``rows`` of the outputs default to those of `reference.window`.
    """
    shape: Shape = tokens[:1] if top_k is None else (tokens[0], top_k)
    if rows is None:
        rows = window(math.prod(shape), rank_range, num_out_tokens)[1]
    weights = Tensor(shape, dtype, fill=probs) if isinstance(probs, Fill) else None
    if isinstance(probs, tuple):
        weights = Tensor(shape, dtype, values=probs)
    return _case(
        mode,
        dtype,
        Tensor(tokens, dtype, values, fill, rows=held),
        Tensor(shape, index_dtype, values=indices),
        weights,
        rows,
        (rank_range, num_out_tokens, 0),
        machine,
    )


def padded_call(
    dtype: str,
    *,
    tokens: Shape,
    indices: Shape,
    index_dtype: str = "int32",
    experts: int = 1,
    probs: Fill | None = None,
    rank_range: Range | None = None,
    num_out_tokens: int = 0,
    fill: Fill | None = None,
    held: Shape | None = None,
    unread: Shape = (),
    machine: Machine | None = None,
) -> Case:
    """A case of which the indices name tokens, as many for each of ``experts``."""
    return _case(
        "padded",
        dtype,
        Tensor(tokens, dtype, None, fill, unread, held),
        Tensor((len(indices),), index_dtype, values=indices),
        None if probs is None else Tensor((tokens[0], experts), dtype, fill=probs),
        len(indices),
        (rank_range, num_out_tokens, 1),
        machine,
    )


def _case(
    mode: str,
    dtype: str,
    tokens: Tensor,
    indices: Tensor,
    probs: Tensor | None,
    rows: int,
    attributes: tuple[Range | None, int, int],
    machine: Machine | None,
) -> Case:
    inputs = {"tokens": tokens, "indices": indices}
    outputs = {
        "permute_tokens": Tensor((rows, *tokens.shape[1:]), dtype),
        "sorted_indices": Tensor((indices.size,), "int32"),
    }
    if probs is not None:
        inputs["probs"] = probs
        outputs["permute_probs"] = Tensor((rows,), dtype)
    names = ("rank_range", "num_out_tokens", "padded_mode")
    named = dict(zip(names, attributes, strict=True))
    return Case(NAME, mode, dtype, named, inputs, outputs, machine)


PERMUTE = TokenPermute(
    call,
    RANGES,
    probs=True,
    vendor=VendorLines(),
    batches=True,
    edge_modes=("full", "middle"),
)

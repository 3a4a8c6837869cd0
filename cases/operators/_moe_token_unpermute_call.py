"""Calls of MoeTokenUnpermute from the sizes that matter, and the probabilities of their slots."""

from __future__ import annotations

from dataclasses import replace

from hypothesis.strategies import SearchStrategy

from cases.operators._slot_weights import WEIGHT_BITS
from conformance.call.case import Case, Machine, Tensor
from conformance.draw.built import built
from conformance.record.operator import TensorParameter
from conformance.values.fill import Fill

Shape = tuple[int, ...]
NAME = "moe_token_unpermute"
DTYPES = ("float16", "bfloat16", "float32")
TENSORS = (
    TensorParameter("permuted_tokens", "permutedTokens", "input"),
    TensorParameter("sorted_indices", "sortedIndices", "input", "int32"),
    TensorParameter("probs", "probsOptional", "input", DTYPES, optional=True),
    TensorParameter("out", "out", "output"),
)


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
    """A case from the sizes that matter, of slots that have no probabilities yet.

    ``out`` defaults to the documented [tokens, hidden]; ``rows`` are the only ones of the tokens
    that exist.
    """
    tokens = len(indices) // top_k if top_k > 0 else 0
    return Case(
        operator=NAME,
        mode=mode,
        dtype=dtype,
        attributes={"padded_mode": 0, "restore_shape": None},
        inputs={
            "permuted_tokens": Tensor(source, dtype, values, fill, unread, rows),
            "sorted_indices": Tensor((len(indices),), "int32", values=indices),
        },
        outputs={"out": Tensor(out or (tokens, source[-1]), dtype)},
        machine=machine,
    )


def single_call(mode: str, dtype: str, **sizes: object) -> Case:
    """A case of mode "single", whatever the mode: one slot for each token."""
    return call("single", dtype, **sizes)  # type: ignore[arg-type]


def weighted(case: Case, probs_dtype: str, probs: Fill | Shape, top_k: int | None = None) -> Case:
    """The case with a probability for each slot: a recipe, or storage bits.

    ``top_k`` must be said where there is no token.

    Values of rows are drawn so that their products with small integers add up exactly.
    """
    tokens = case.inputs["permuted_tokens"]
    if tokens.fill is not None:
        tokens = replace(tokens, fill=replace(tokens.fill, terms=tokens.fill.terms << WEIGHT_BITS))
    count = case.outputs["out"].shape[0]
    shape = (count, top_k or case.inputs["sorted_indices"].size // max(1, count))
    listed = Tensor(shape, probs_dtype, fill=probs) if isinstance(probs, Fill) else None
    inputs = {
        "permuted_tokens": tokens,
        "sorted_indices": case.inputs["sorted_indices"],
        "probs": listed or Tensor(shape, probs_dtype, values=probs),  # type: ignore[arg-type]
    }
    return replace(case, inputs=inputs)


def with_probs(
    cases: SearchStrategy[Case], dtypes: SearchStrategy[str], fills: SearchStrategy[Fill]
) -> SearchStrategy[Case]:
    """Cases that have probabilities, too."""
    return built(weighted, cases, dtypes, fills)

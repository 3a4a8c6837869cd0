"""Calls of MoeTokenPermuteWithRoutingMap that are refused, and some of which nothing is judged.

Not called anywhere: a map whose rows have another number of ones than topK, or an int8 map of other
numbers than 0 and 1. No host sees what a map holds, and by what is read of the vendor's kernels
they may write beyond the outputs there. Nor an output for probs without probs, at which the host
sources follow a null pointer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cases.operators._moe_token_permute_with_routing_map_call import call
from cases.operators._moe_token_permute_with_routing_map_examples import sized
from cases.operators._moe_token_permute_with_routing_map_sizes import MOST_TOP_K
from cases.operators._moe_token_permute_with_routing_map_sources import (
    CONSTRAINTS,
    FUNCTION,
    HOST,
    INTERFACE,
    README,
    TILING,
)
from cases.operators._token_permute_examples import ADDRESSED
from conformance.call.case import Case, Tensor
from conformance.record.call_rules import Freedom, Range, Ranks, Unseen, extent
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Quarantine, Rejection
from conformance.record.variations import (
    all_retyped,
    in_mode,
    misshapen,
    refused,
    reranked,
    reshaped,
    resized,
    retyped,
    with_attributes,
    without,
)
from conformance.values.fill import Fill

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
LEAST_REFUSED = 2**24 - 1
LATTICE = Fill(("lattice",), seed=1)
TOP_K_OF_THE_HOST = MOST_TOP_K + 1
REQUIRED = ("tokens", "routing_map", "permute_tokens", "sorted_indices")
FLOATS = ("tokens", "probs", "permute_tokens", "permute_probs")


RIGHT = sized("dropless", "float32", 4, 16, 2, experts=5, number=9, probs=LATTICE, fill=LATTICE)
PADDED = sized("drop_pad", "float32", 4, 16, 2, experts=3, number=7, probs=LATTICE)
EVEN, SHORT = (
    sized("dropless", "float32", 4, 16, 2, experts=5, number=number, fill=LATTICE)
    for number in (8, 11)
)
RIGHT_CALLS = (RIGHT, PADDED, EVEN, SHORT)
COLUMNS = source_read("axes behind the first are not told apart", HOST)
FREEDOMS: tuple[Freedom, ...] = (
    Ranks("tokens", 1, None, COLUMNS),
    Ranks("permute_tokens", 2, None, COLUMNS),
    Unseen("permute_probs", "probs", source_read("room without probs is not looked at", HOST)),
)


def _top_k(case: Case) -> int | None:
    """The experts of a token by numOutTokens; None if there is no token."""
    count = extent("tokens", 0)(case)
    return case.attributes["num_out_tokens"] // count if count else None


RANGES = (
    Range(
        "num_out_tokens",
        0,
        lambda case: case.inputs["routing_map"].size if "routing_map" in case.inputs else None,
        source_read("0 <= numOutTokens <= tokens_num * expert_num", HOST),
    ),
    Range(
        "topK",
        None,
        TOP_K_OF_THE_HOST,
        source_read("topK = numOutTokens // tokens_num is at most 512", TILING),
        of=_top_k,
        modes=("dropless",),
    ),
)


def rejections() -> tuple[Rejection, ...]:
    """What the interface refuses, broken once each.

    CANN's own tiling refuses from inside another operator, with an inner status that nobody
    promises; and it checks neither the columns of outputs nor the number of indices.
    """
    good, padded = RIGHT, PADDED
    checked = {NULL: _nulls(good, padded), INVALID: {**_dtypes(good), **_host(good, padded)}}
    unchecked = {INVALID: _indices(good, padded), TILING_FAILED: _tiling(good, padded)}
    return (*refused(checked), *refused(unchecked, checked_by_cann=False))


def _nulls(good: Case, padded: Case) -> dict[Clause, dict[str, Case]]:
    return {
        source_read("the tensor is required", HOST): {
            f"{name} is null": without(good, name) for name in REQUIRED
        },
        source_read("probs go where there is room for them", HOST): {
            "probs are given, and permute_probs is null": without(good, "permute_probs"),
            "probs are given, and permute_probs is null, padded": without(padded, "permute_probs"),
        },
    }


def _dtypes(good: Case) -> dict[Clause, dict[str, Case]]:
    types = document("float16, bfloat16 or float32; the map int8 or bool; indices int32", README)
    shared = source_read("tokens, probs and their copies share one dtype", HOST)
    return {
        types: {
            "all floats are int32": all_retyped(good, "int32"),
            "tokens are float64": retyped(good, "tokens", "float64"),
            "map is uint8": retyped(good, "routing_map", "uint8"),
            "map is int32": retyped(good, "routing_map", "int32"),
            "sorted indices are int64": retyped(good, "sorted_indices", "int64"),
        },
        shared: {f"{name} of another dtype": retyped(good, name, "float16") for name in FLOATS},
    }


def _host(good: Case, padded: Case) -> dict[Clause, dict[str, Case]]:
    return {
        source_read("the map and probs have two axes", HOST): {
            **reranked(good, "routing_map", "probs"),
            "map of rank 1": reshaped(good, "routing_map", (20,)),
            "probs of rank 1": reshaped(good, "probs", (20,)),
        },
        source_read("0 <= numOutTokens <= tokens_num * expert_num", HOST): {
            "numOutTokens is -1": with_attributes(good, num_out_tokens=-1),
            "numOutTokens is -1, padded": with_attributes(padded, num_out_tokens=-1),
            "numOutTokens is 21 of 20": _whole("dropless", 21),
            "numOutTokens is 21 of 20, padded": _whole("drop_pad", 21),
            "numOutTokens is 2^32 + 9": with_attributes(good, num_out_tokens=2**32 + 9),
        },
        source_read("the outputs have numOutTokens rows, rounded down", HOST): {
            **resized(good, "permute_tokens", axes=(0,)),
            **reranked(good, "permute_tokens", free=FREEDOMS),
            **resized(padded, "permute_tokens", axes=(0,)),
            **resized(good, "routing_map", axes=(0,)),
            "numOutTokens is 7, 8 rows": with_attributes(EVEN, num_out_tokens=7),
            "numOutTokens is 12, 8 rows": with_attributes(SHORT, num_out_tokens=12),
            "rows of the other mode": in_mode("drop_pad", with_attributes(good, drop_and_pad=1)),
            **resized(good, "permute_probs"),
            **resized(padded, "permute_probs"),
        },
        document("tokens_num and expert_num are below 2^24 - 1", CONSTRAINTS): {
            "2^24 - 1 tokens": call(
                "drop_pad",
                "float16",
                tokens=(LEAST_REFUSED, 1),
                routing_map=np.zeros((LEAST_REFUSED, 1), np.bool_),
                num_out_tokens=1,
                fill=LATTICE,
                held=(0,),
            ),
            "2^24 - 1 experts": call(
                "dropless",
                "float16",
                tokens=(1, 1),
                routing_map=np.zeros((1, LEAST_REFUSED), np.bool_),
                num_out_tokens=1,
            ),
        },
    }


def _indices(good: Case, padded: Case) -> dict[Clause, dict[str, Case]]:
    return {
        _inferred("an index for every row"): {
            **misshapen(good, "sorted_indices"),
            **resized(padded, "sorted_indices"),
        },
        _inferred("probabilities have one axis"): {
            **reranked(good, "permute_probs"),
        },
    }


def _tiling(good: Case, padded: Case) -> dict[Clause, dict[str, Case]]:
    return {
        source_read("the map has a row for every token", TILING): {
            **misshapen(good, "tokens", free=FREEDOMS),
            **resized(padded, "tokens"),
        },
        source_read("topK = numOutTokens // tokens_num is at most 512", TILING): {
            f"topK is {TOP_K_OF_THE_HOST + 1}": sized(
                "dropless", "float16", 3, 1, TOP_K_OF_THE_HOST + 1
            ),
        },
        source_read("fewer than 2^24 - 1 rows", TILING): {"2^24 - 1 rows": _most_rows()},
        _inferred("probs have the shape of the map"): {
            **resized(good, "routing_map", axes=(1,)),
            **resized(good, "probs"),
            **resized(padded, "probs"),
        },
        _inferred("permuteTokensOut has the columns of tokens"): {
            **resized(good, "permute_tokens", axes=(1,)),
        },
    }


def _whole(mode: str, number: int) -> Case:
    """Four tokens that all of five experts have, and all rows, by a number that is too large."""
    case = sized(mode, "float32", 4, 16, 5, experts=5, pattern="same experts", fill=LATTICE)
    return with_attributes(case, num_out_tokens=number)


def _most_rows() -> Case:
    """255 experts of so many tokens as make too many rows; the map is never read."""
    tokens, top_k = LEAST_REFUSED // 255, 255
    return call(
        "dropless",
        "float16",
        tokens=(tokens, 1),
        routing_map=np.zeros((tokens, top_k), np.bool_),
        num_out_tokens=LEAST_REFUSED,
    )


def quarantine() -> tuple[Quarantine, ...]:
    """What sources leave open, of calls that do no harm."""
    mixed = sized("dropless", "bfloat16", 4, 8, 2, probs=LATTICE)
    for name in ("probs", "permute_probs"):
        tensors = {**mixed.inputs, **mixed.outputs}
        mixed = retyped(mixed, name, "float32") if name in tensors else mixed
    axes = sized("dropless", "float16", 4, 15, 2)
    axes = replace(
        axes,
        inputs={**axes.inputs, "tokens": Tensor((4, 3, 5), "float16", fill=ADDRESSED)},
        outputs={**axes.outputs, "permute_tokens": Tensor((8, 3, 5), "float16")},
    )
    return (
        Quarantine(
            f"topK is {TOP_K_OF_THE_HOST}",
            sized("dropless", "float32", 3, 8, TOP_K_OF_THE_HOST),
            _open("topK is below 512 by the document; the tiling takes 512", f"{README}; {TILING}"),
        ),
        Quarantine(
            "padded, more than 512 rows for a token",
            sized("drop_pad", "float32", 1, 8, 1, experts=513, number=513, pattern="same experts"),
            _open(
                "the document limits topK without padding only; the tiling in both modes",
                f"{README}; {TILING}",
            ),
        ),
        Quarantine(
            "bfloat16 tokens with float32 probs",
            mixed,
            _open("refused by older host sources, allowed by newer ones", f"{HOST}; {INTERFACE}"),
        ),
        Quarantine(
            "tokens of three axes",
            axes,
            _open("tokens have two axes by the newer document, which no host checks", INTERFACE),
        ),
    )


def _inferred(text: str) -> Clause:
    return Clause(text, FUNCTION, SourceClass.INFERRED)


def _open(text: str, source: str) -> Clause:
    return Clause(text, f"{source}, inferred", SourceClass.INFERRED)

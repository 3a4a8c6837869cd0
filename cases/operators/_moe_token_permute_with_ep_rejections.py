"""Calls of MoeTokenPermuteWithEp that the interface refuses: every rule broken once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cases.operators._moe_token_permute_with_ep_call import (
    TENSORS,
    Shape,
    call,
    padded_call,
)
from cases.operators._moe_token_permute_with_ep_sources import (
    DEFINITION,
    INTERFACE,
    README,
    TILING,
)
from cases.operators._token_permute_sizes import (
    MOST_PADDED_TOKENS,
    MOST_TOP_K,
)
from conformance.call.case import Attribute, Case, Tensor
from conformance.record.call_rules import Freedom, Range, Ranks, extent
from conformance.record.clause import Clause, SourceClass, document, source_read
from conformance.record.operator import Rejection
from conformance.record.variations import (
    all_retyped,
    in_mode,
    misshapen,
    refused,
    reranked,
    reshaped,
    resized,
    retyped,
    stepped,
    with_attributes,
    without,
)
from conformance.values.fill import Fill

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
AT_INTERFACE = ("aclnn",)
"""Routes on which a rule holds that the kernels of this project do not need."""

AT_KERNEL = ("kernel",)
"""The route of calls that only the document defines."""

LEAST_REFUSED_SLOTS = 2**24 - 1
EXPERTS: Shape = (1, 2, 3, 1, 2, 3)
BEYOND = (
    ("middle", (-1, 5)),
    ("reversed", (5, -1)),
    ("equal", (-1, -1)),
    ("middle", (1, 7)),
    ("middle", (-1, 3)),
    ("middle", (3, 7)),
    ("reversed", (7, 1)),
    ("equal", (7, 7)),
    ("middle", (1, 5 + 2**32)),
)
"""Ranges of which a number is none from 0 to 6, each with the mode of a range in this order."""
LATTICE = Fill(("lattice",), seed=1)


_middle = partial(call, "middle", "float32", fill=LATTICE, probs=LATTICE)
RIGHT = _middle(tokens=(3, 16), top_k=2, indices=EXPERTS, rank_range=(1, 5))
ONE_SLOT = _middle(tokens=(6, 16), indices=EXPERTS, rank_range=(1, 4))
THREE_AXES = _middle(tokens=(3, 3, 5), top_k=2, indices=EXPERTS, rank_range=(1, 5))
PADDED = padded_call(
    "float32", tokens=(5, 4), indices=(2, 0, 0, 1, 4, 3), experts=2, probs=LATTICE, fill=LATTICE
)
NUMBERED = call(
    "num_out_tokens",
    "float32",
    tokens=(3, 16),
    top_k=2,
    indices=EXPERTS,
    num_out_tokens=4,
    fill=LATTICE,
)
RIGHT_CALLS = (RIGHT, ONE_SLOT, THREE_AXES, PADDED, NUMBERED)
SHAPES = f"{TILING}: tokens have one axis or more, and all behind the first count as columns"
FREEDOMS: tuple[Freedom, ...] = (
    Ranks("indices", 1, 2, document("indices have one axis or two", f"{README}, types")),
    Ranks("tokens", 1, None, source_read("tokens have an axis or more", SHAPES)),
    Ranks("permute_tokens", 2, None, source_read("permuteTokensOut has two axes or more", SHAPES)),
)


def _slots(case: Case) -> int | None:
    """The number of indices, where a range counts them."""
    ranged = "indices" in case.inputs and not case.attributes["padded_mode"]
    return case.inputs["indices"].size if ranged else None


NUMBERS = (
    *(
        Range("rank_range", 0, _slots, source_read("it lies in [0, slots]", TILING), at=at)
        for at in (0, 1)
    ),
    Range(
        "top_k",
        1,
        MOST_TOP_K,
        source_read(f"1 <= top_k <= {MOST_TOP_K}", TILING),
        of=extent("indices", 1),
    ),
)


def rejections() -> tuple[Rejection, ...]:
    """Every rule of the definition and of the host tiling, broken once, with its status."""
    good, shaped = RIGHT, partial(misshapen, free=FREEDOMS)
    rows = good.outputs["permute_tokens"].shape[0]
    broken: dict[int, dict[Clause, dict[str, Case]]] = {
        NULL: {
            Clause("the tensor is required", INTERFACE, SourceClass.INFERRED): {
                f"{tensor.name} is null": without(good, tensor.name)
                for tensor in TENSORS
                if not tensor.optional
            },
            Clause("probs go where there is room for them", INTERFACE, SourceClass.INFERRED): {
                "probs are given, and permute_probs is null": without(good, "permute_probs"),
            },
        },
        INVALID: _dtypes(good),
        TILING_FAILED: {
            _read("rangeOptional has two numbers"): {
                "range of no numbers": with_attributes(good, rank_range=()),
                "range of 1 number": with_attributes(good, rank_range=(1,)),
                "range of 3 numbers": with_attributes(good, rank_range=(1, 5, 6)),
            },
            _read("both numbers of the range lie in [0, slots]"): {
                f"range {given}": in_mode(mode, with_attributes(good, rank_range=given))
                for mode, given in BEYOND
            },
            _read("indices have rank 1 or 2, tokens an axis or more, and as many rows"): {
                **shaped(good, "tokens", "indices"),
                **shaped(ONE_SLOT, "indices"),
                **shaped(THREE_AXES, "tokens"),
            },
            _read("probs have the shape of indices"): {
                **shaped(good, "probs"),
                **shaped(ONE_SLOT, "probs"),
            },
            _read(f"1 <= top_k <= {MOST_TOP_K}"): {
                "top_k is 0": _without_slots(),
                f"top_k is {MOST_TOP_K + 1}": _sized((2, 1), MOST_TOP_K + 1, 1),
            },
            _read("less than 2^24 - 1 slots"): {
                "2^24 - 1 slots": _sized((LEAST_REFUSED_SLOTS // 255, 1), 255, 1),
            },
            _read("permuteTokensOut is [rows, ...] with the columns of tokens"): {
                **shaped(good, "permute_tokens"),
                **shaped(THREE_AXES, "permute_tokens"),
                "tokens of one axis, and their copies": reshaped(
                    reshaped(good, "tokens", (3,)), "permute_tokens", (rows,)
                ),
                "permuted tokens of rank 1": reshaped(good, "permute_tokens", (rows * 16,)),
                "rows of an empty range, which keeps all": in_mode(
                    "equal", _with_range(good, (3, 3), rows=0)
                ),
                "rows of the ranks left in a backward range": in_mode(
                    "reversed", _with_range(good, (4, 1), rows=2)
                ),
            },
            _read("sortedIndicesOut is [slots], also where a range cuts"): {
                **shaped(good, "sorted_indices"),
                "ranks of the range only": reshaped(good, "sorted_indices", (rows,)),
                "ranks of rank 2": reshaped(good, "sorted_indices", (3, 2)),
            },
            _read("permuteProbsOut is [rows], where probs are given"): {
                **shaped(good, "permute_probs"),
            },
        },
    }
    at_interface: dict[Clause, dict[str, Case]] = {
        _read("paddedMode is false, though the document gives its equation"): {
            "paddedMode is true": in_mode("padded", with_attributes(good, padded_mode=1)),
        },
        _read("without a range, numOutTokens lies in [0, slots], and fits the rows"): {
            "numOutTokens is -1, 4 rows": _numbered(-1, rows=4),
            "numOutTokens is 7 of 6, 7 rows": _numbered(7, rows=7),
        },
    }
    return (
        *refused(broken),
        *refused({TILING_FAILED: at_interface}, routes=AT_INTERFACE),
        *refused({TILING_FAILED: _as_document()}, routes=AT_KERNEL),
    )


def _as_document() -> dict[Clause, dict[str, Case]]:
    """What the kernel entry refuses of the calls that the document alone defines."""
    good = PADDED
    too_many = MOST_PADDED_TOKENS + 1
    far = padded_call("float16", tokens=(too_many, 1), indices=(0, 0), held=(0,), fill=LATTICE)
    return {
        _inferred("paddedMode: indices have one axis"): {
            "padded, indices of rank 2": reshaped(good, "indices", (3, 2)),
            "padded, indices of rank 0": reshaped(good, "indices", ()),
        },
        _inferred("paddedMode: tokens have rows"): {
            "padded, tokens of rank 0": reshaped(good, "tokens", ()),
        },
        _inferred("paddedMode: sortedIndicesOut names tokens by int32"): {
            "padded, more tokens than an int32 names": far,
        },
        _inferred("paddedMode: probs are [tokens, experts], and experts share the rows"): {
            **reranked(good, "probs"),
            "padded, probs of 4 tokens": reshaped(good, "probs", (4, 2)),
            "padded, probs of 6 tokens": reshaped(good, "probs", (6, 2)),
            "padded, probs of 4 experts for 6 rows": reshaped(good, "probs", (5, 4)),
            "padded, probs of 0 experts": reshaped(good, "probs", (5, 0)),
        },
        _inferred("paddedMode: a row of the outputs for every index"): {
            **misshapen(good, "permute_tokens", "sorted_indices", "permute_probs", free=FREEDOMS),
            **resized(good, "indices"),
        },
        _inferred("numOutTokens n has min(n, slots) rows, n <= 0 max(0, slots + n)"): {
            **stepped(NUMBERED, "num_out_tokens"),
            "numOutTokens is 7 of 6, 7 rows, kernel": _numbered(7, rows=7),
            "numOutTokens is 4 of 6, 5 rows": _numbered(4, rows=5),
            "numOutTokens is -2 of 6, 6 rows": _numbered(-2, rows=6),
            "numOutTokens is -7 of 6, 6 rows": _numbered(-7, rows=6),
        },
    }


def _inferred(rule: str) -> Clause:
    return Clause(rule, f"{README}, equations", SourceClass.INFERRED)


def _read(rule: str) -> Clause:
    return source_read(rule, TILING)


def _dtypes(good: Case) -> dict[Clause, dict[str, Case]]:
    """Calls whose dtypes are none that the operator's definition lists together."""
    types = document("float16, bfloat16 or float32; indices int32 or int64", f"{README}, types")
    shared = source_read("tokens, probs and both outputs share one dtype", DEFINITION)
    return {
        types: {
            "everything is int32": all_retyped(good, "int32"),
            "tokens are float64": retyped(good, "tokens", "float64"),
            "indices are int16": retyped(good, "indices", "int16"),
            "indices are float32": retyped(good, "indices", "float32"),
            "sorted indices are int64": retyped(good, "sorted_indices", "int64"),
        },
        shared: {
            f"{name} of another dtype": retyped(good, name, "float16")
            for name in ("tokens", "probs", "permute_tokens", "permute_probs")
        },
    }


def _sized(tokens: Shape, top_k: int, rows: int) -> Case:
    """A call of sizes that is refused for one of them; all indices are 0."""
    return call("head", "float16", tokens=tokens, top_k=top_k, rank_range=(0, rows), rows=rows)


def _without_slots() -> Case:
    """No slots, but outputs that are not empty: where all are, nothing is checked."""
    return call("equal", "float16", tokens=(4, 16), top_k=0, rank_range=(0, 0), rows=4)


def _with_range(case: Case, given: Attribute, rows: int) -> Case:
    """The call with another range and so many rows."""
    sized = with_attributes(case, rank_range=given)
    for name in ("permute_tokens", "permute_probs"):
        shape = sized.outputs[name].shape
        sized = reshaped(sized, name, (rows, *shape[1:]))
    return sized


def _numbered(num_out_tokens: int, rows: int) -> Case:
    """A call without a range, with rows that are wrong by all that sources say of such a call."""
    case = call("num_out_tokens", "float32", tokens=(3, 16), top_k=2, indices=EXPERTS, rows=rows)
    outputs = {**case.outputs, "permute_tokens": Tensor((rows, 16), "float32")}
    return replace(with_attributes(case, num_out_tokens=num_out_tokens), outputs=outputs)

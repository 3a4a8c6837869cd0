"""The signature of MoeTokenUnpermute, its calls, and those that its interface must reject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

from hypothesis.strategies import SearchStrategy

from cases.operators._interface import checked, in_document, null, typed, unchecked
from cases.operators._slot_sum import TokenSum, slot_sum_call
from cases.operators._slot_sum_cases import (
    GAUSSIAN,
    far_examples,
    in_order,
    moved_rows,
    with_infinities,
)
from cases.operators._values import WEIGHT_BITS, bits
from conformance.call.case import Case, Tensor
from conformance.draw.built import built
from conformance.record.clause import inferred, source_read
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Quarantine
from conformance.record.signature import Signature, flag, integers, tensor
from conformance.record.sizes import Size
from conformance.record.variations import in_mode, reshaped, right_calls, with_attributes, without
from conformance.record.versions import Versions
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

NAME = "moe_token_unpermute"
ACLNN = "aclnnMoeTokenUnpermute document"
KERNELS = "ops-transformer, moe_token_unpermute/op_kernel"
HOST = "ops-transformer, moe_token_unpermute/op_host"
DTYPES = ("float16", "bfloat16", "float32")

TOKEN, HIDDEN = Size("token"), Size("hidden")
ROW = Size("row", free=source_read("slots from the last row on add nothing", KERNELS))
SLOT = Size("slot", least=1, most=MOST_TOPK, default=1)
IGNORED = source_read("it changes nothing", HOST)

stated = in_document(ACLNN)
later = partial(
    checked,
    versions=Versions(
        source_read("the tiling of 2026-08 checks it, that of 2025-11 does not", f"{HOST}, tiling"),
        after="9.0",
    ),
)
"""A rule that a later CANN checks. Which release brought it is inferred."""

SIGNATURE = Signature(
    NAME,
    (
        tensor("permuted_tokens", ROW, HIDDEN),
        tensor("sorted_indices", TOKEN * SLOT, dtype="int32", numbers=ROW),
        tensor("probs", TOKEN, SLOT, dtype=DTYPES, optional=True, acl="probsOptional"),
        flag("padded_mode", free=IGNORED),
        integers("restore_shape", free=IGNORED, acl="restoreShapeOptional"),
        tensor("out", TOKEN, HIDDEN, role="output"),
    ),
    # Of shapes an earlier CANN checks nothing, and a later one all but out: what is not checked is
    # undefined (the host sources, read).
    rules=(
        null(stated("input and output tensors are no null pointers", "status")),
        typed(source_read("float types, one for tokens and out; indices int32", HOST)),
        later(stated(f"top_k is 1 to {MOST_TOPK}", "constraints"), "slot", kinds=("limit",)),
        later(
            stated("tokens have two axes, indices one"),
            "permuted_tokens",
            "sorted_indices",
            kinds=("rank",),
        ),
        later(stated("probs are [tokens, top_k], one for each index"), "probs", "sorted_indices"),
        unchecked(stated("out is [tokens, hidden]"), "out"),
    ),
)
SUM = TokenSum(slot_sum_call(SIGNATURE, "permuted_tokens", "sorted_indices"))
SINGLE = replace(SUM, uneven=("single",), slots=("1",), most_top_k=1)
"""Its calls without probabilities: one slot for each token."""

call = SUM.call


def weighted(
    case: Case, probs_dtype: str, probs: Fill | tuple[int, ...], top_k: int | None = None
) -> Case:
    """The case with a probability for each slot: a recipe, or storage bits.

    ``top_k`` must be said if there is no token.

    Values of rows are drawn so that their products with small integers add up exactly.
    """
    tokens = case.inputs["permuted_tokens"]
    if tokens.fill is not None:
        tokens = replace(tokens, fill=replace(tokens.fill, terms=tokens.fill.terms << WEIGHT_BITS))
    count = case.outputs["out"].shape[0]
    shape = (count, top_k or case.inputs["sorted_indices"].size // max(1, count))
    listed = {"fill": probs} if isinstance(probs, Fill) else {"values": probs}
    held = Tensor(shape, probs_dtype, **listed)
    return replace(case, inputs={**case.inputs, "permuted_tokens": tokens, "probs": held})


def with_probs(
    cases: SearchStrategy[Case], dtypes: SearchStrategy[str], fills: SearchStrategy[Fill]
) -> SearchStrategy[Case]:
    """Cases that have probabilities, too."""
    return built(weighted, cases, dtypes, fills)


_ranked = partial(in_order, call)
LATTICE = Fill(("lattice",), seed=1, terms=2)


def examples() -> tuple[Example, ...]:
    """Calls worked by hand, every pair of dtypes, limits, and calls that ask for little."""
    return (*_by_hand(), *_pairs(), *_limits(), *_far(), *right_calls(ACLNN, RIGHT, UNWEIGHTED))


def _by_hand() -> Iterator[Example]:
    """Three tokens of experts 2 0, 1 0, 1 2: the ranks are no list of sources, nor their own
    inverse."""
    routed = partial(call, dtype="float32", indices=(4, 0, 2, 1, 3, 5), top_k=2)
    numbers = bits("float32", 1, 2, 4, 8, 16, 32)
    whole = routed("whole", source=(6, 1), values=numbers)
    fewer = routed("uneven", source=(4, 1), values=numbers[:4])
    probs = bits("float32", 0.5, 2, 1, 0.25, 3, -1)
    moved, infinite = moved_rows(call, "single"), with_infinities(call, "whole")
    by_hand = f"{ACLNN}, function, by hand"
    yield Example(
        "ranks of a router",
        weighted(whole, "float32", probs),
        by_hand,
        {"out": (16 * 0.5 + 1 * 2, 4 * 1 + 2 * 0.25, 8 * 3 - 32)},
    )
    yield Example(
        "dropped tail of a router",
        weighted(fewer, "float32", probs),
        f"{KERNELS}, index test",
        {"out": (1 * 2, 4 * 1 + 2 * 0.25, 8 * 3)},
    )
    yield Example("rows without probabilities", moved, by_hand, {"out": (3, 30, 1, 10, 2, 20)})
    yield Example(
        "two tokens of two slots, one of probability zero",
        weighted(infinite, "float32", bits("float32", 0.5, 0.25, 0.75, 0)),
        f"{KERNELS}, probability test",
        {"out": (1.75, 2.5, 5.25, 6)},
    )


def _pairs() -> Iterator[Example]:
    """Every pair of dtypes of tokens and probabilities."""
    for dtype, probs_dtype in product(DTYPES, DTYPES):
        case = weighted(_ranked("whole", dtype, 5, 3, 33, 15), probs_dtype, GAUSSIAN)
        yield Example(f"{dtype} tokens, {probs_dtype} probabilities", case, f"{HOST}, definition")


def _limits() -> Iterator[Example]:
    inferred = "interface behaviour for empty tensors, inferred"
    most = weighted(_ranked("whole", "bfloat16", 2, MOST_TOPK, 8, 1024), "float32", GAUSSIAN)
    one = weighted(_ranked("whole", "float16", 4, 1, 16, 4), "float16", GAUSSIAN)
    padded = with_attributes(one, padded_mode=1)
    shaped = with_attributes(one, restore_shape=(4, 16))
    yield Example(f"top_k {MOST_TOPK}", most, f"{ACLNN}, constraints")
    yield Example("top_k 1 with probabilities", one, ACLNN)
    yield Example("padded_mode", padded, f"{HOST}: ignored")
    yield Example("restore_shape", shaped, f"{HOST}: ignored")
    for name, case in {
        "no rows": weighted(_ranked("uneven", "bfloat16", 2, 2, 8, 0), "bfloat16", GAUSSIAN),
        "no tokens": weighted(_ranked("uneven", "float16", 0, 2, 8, 3), "float16", GAUSSIAN, 2),
        "hidden 0": weighted(_ranked("whole", "float32", 2, 2, 0, 4), "float32", GAUSSIAN),
    }.items():
        yield Example(name, case, inferred)


def _far() -> Iterator[Example]:
    """Tokens whose first row ends before an edge of 32 bits and whose second begins beyond it."""
    for example in far_examples(call, "uneven", DTYPES):
        yield replace(example, case=weighted(example.case, example.case.dtype, LATTICE))


def quarantine() -> tuple[Quarantine, ...]:
    """Calls of serving code in which a slot that counts for nothing names row -1."""
    doubt = inferred(
        "index -1 beside probability 0: a kernel may read row -1 before it looks at the probability"
        " (vllm-ascend, issues 10579 and 3297)",
        f"{KERNELS}, probability test, inferred",
    )
    first = _of_two_tokens((-1, 1, 0, 2), bits("float32", 0, 0.5, 0.75, 0.25))
    later = _of_two_tokens((1, -1, 0, 2), bits("float32", 0.5, 0, 0.75, 0.25))
    return (
        Quarantine("index -1 beside probability 0, in the first slot", first, doubt),
        Quarantine("index -1 beside probability 0, in a later slot", later, doubt),
    )


def _of_two_tokens(indices: tuple[int, ...], probs: tuple[int, ...]) -> Case:
    """Two tokens of two slots each."""
    rows = call("uneven", "float32", source=(3, 8), indices=indices, top_k=2, fill=GAUSSIAN)
    return weighted(rows, "float32", probs)


RIGHT = weighted(_ranked("whole", "float32", 4, 2, 16, 8), "float32", LATTICE)
UNWEIGHTED = _ranked("single", "float32", 4, 1, 16, 4)


def is_of_mode(case: Case) -> bool:
    """Whether there is a row for each slot in mode "whole" alone, as far as shapes say it."""
    tokens = case.inputs.get("permuted_tokens")
    if case.mode == "single" or tokens is None or not tokens.shape:
        return True
    whole = tokens.shape[0] in {one.size for one in case.inputs.values() if one is not tokens}
    return whole == (case.mode == "whole")


def _of_top_k(top_k: int) -> Case:
    return weighted(_ranked("whole", "float32", 2, top_k, 8, 2 * top_k), "float32", LATTICE)


WRONG = {
    f"top_k is {MOST_TOPK + 1}": _of_top_k(MOST_TOPK + 1),
    "top_k is 0": in_mode(
        "uneven", reshaped(reshaped(RIGHT, "probs", (4, 0)), "sorted_indices", (0,))
    ),
    "8 tokens without probs, out of 4": in_mode("single", without(RIGHT, "probs")),
}
REJECTIONS = rejections(SIGNATURE, RIGHT, UNWEIGHTED, wrong=WRONG, is_of_mode=is_of_mode)

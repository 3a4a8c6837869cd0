"""What each output of a call must hold, by the plain loops of tests/definitions.

Where the documents are silent, the bindings say what the vendor's host and kernels do.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor, numpy_dtype
from tests.kernels.loop_elements import Array, Call, Row, Slots, lanes, started

Found = dict[str, Any]
COUNTS, BEFORE_CAPACITY = "expert_tokens_count_or_cumsum", "expert_tokens_before_capacity"


@dataclass(frozen=True)
class Wanted:
    """The elements of an output; ``idle`` are those that the call must not write. ``computed``: a
    number that is none may be any such number, as the loops compute with their own.
    """

    elements: Array
    idle: NDArray[np.bool_]
    computed: bool


def expected(case: Case) -> dict[str, Wanted]:
    """What each output must hold.

    Raises ``ValueError`` where the loops refuse the call: documents do not say what it does.
    """
    loops = importlib.import_module(f"tests.definitions.{case.operator}")
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        found = BINDINGS[case.operator](getattr(loops, case.operator), Call(case))
        return {name: laid(found.get(name), tensor) for name, tensor in case.outputs.items()}


def laid(found: Any, tensor: Tensor) -> Wanted:
    """Nested lists of rows, of numbers and of None, which is not written, as an output has them."""
    kind, leaves = numpy_dtype(tensor.dtype), list(flat(found))
    out, idle = np.zeros(tensor.size, kind), np.zeros(tensor.size, np.bool_)
    bits = out.view(f"u{kind.itemsize}") if kind.kind not in "iu" else out
    width = tensor.size // len(leaves) if leaves else 0
    assert width * len(leaves) == (tensor.size if leaves else 0), "the loops give another shape"
    for at, leaf in enumerate(leaves):
        place = slice(at * width, (at + 1) * width)
        if leaf is None:
            idle[place] = True
        elif isinstance(leaf, Row):
            out[place] = leaf.columns.astype(kind)
        elif isinstance(leaf, np.ndarray):
            out.view(leaf.dtype)[place] = leaf
        else:
            bits[place] = leaf
    computed = any(isinstance(leaf, Row) for leaf in leaves)
    return Wanted(out.reshape(tensor.shape), idle.reshape(tensor.shape), computed)


def flat(found: Any) -> Iterable[Any]:
    if isinstance(found, list):
        for one in found:
            yield from flat(one)
    else:
        yield found


Loops = Callable[..., Any]


def permute(loops: Loops, call: Call) -> Found:
    keys = np.float32(call.arrays["indices"]).tolist()
    how = dict(call.attributes)
    return dict(loops(call.table("tokens", as_bits=True), keys, **how))


def permute_with_ep(loops: Loops, call: Call) -> Found:
    """Without a range there are the first rows, in Python's slice. Equal ends of a range are no
    slice; one that ends before it starts has the ranks from its start.
    """
    how, indices = dict(call.attributes), call.arrays["indices"]
    padded, slots = how["padded_mode"], indices.size
    keys = (indices if padded else np.float32(indices)).tolist()
    start, end = how["rank_range"] or (0, 0)
    start, end = (0, slots) if start == end else (start, end if start < end else slots)
    if how["rank_range"] is None:
        end = len(range(slots)[: how["num_out_tokens"] or slots])
    how["rank_range"] = None if padded else (start, end)
    probs = call.numbers("probs", as_bits=True)
    found = loops(call.table("tokens", as_bits=True), keys, probs, **how)
    rows = call.case.outputs["permute_tokens"].shape[0]
    return {
        name: one if name == "sorted_indices" else [*one, *[None] * (rows - len(one))]
        for name, one in found.items()
    }


def permute_with_routing_map(loops: Loops, call: Call) -> Found:
    """Without columns there is nothing to do."""
    probs = call.numbers("probs", as_bits=True)
    rows, marks = call.table("tokens", as_bits=True), call.numbers("routing_map")
    if not call.arrays["tokens"].size:
        return {}
    found = loops(rows, marks, probs, **call.attributes)
    return {**found, "permute_tokens": found["permuted_tokens"]}


def init_routing_of_pairs(loops: Loops, call: Call) -> Found:
    """Experts are compared and given back as fp32."""
    rows, named = call.table("x", as_bits=True), call.arrays["row_idx"]
    experts = np.float32(call.arrays["expert_idx"]).astype(np.int64)
    return dict(loops(rows, named, experts, **call.attributes))


def init_routing(loops: Loops, call: Call) -> Found:
    """A slot that names no expert is sorted among the others, has no place and is not counted.
    Experts are compared as fp32.

    For the loops such slots name experts of their own, some of them before the first.
    """
    how, idx = dict(call.attributes), np.float32(call.arrays["expert_idx"]).astype(np.int64)
    flag = how.pop("expert_tokens_count_or_cumsum_flag")
    how["before_capacity_flag"] = bool(how.pop("expert_tokens_before_capacity_flag"))
    count, capacity = how["expert_num"], how["expert_capacity"]
    strangers = sorted({*idx[(idx < 0) | (idx >= count)].tolist()})
    before = sum(one < 0 for one in strangers)
    every = [*strangers[:before], *range(count), *strangers[before:]]
    keys = {expert: key for key, expert in enumerate(every)}
    how["expert_num"] = len(every) if count else 0
    how["count_or_cumsum_flag"] = 2 if flag and strangers else flag
    named = [[keys[expert] for expert in line] for line in idx.tolist()]
    found = dict(loops(call.table("x", as_bits=True), named, **how))
    if not strangers or not count:
        return found
    for name in (COUNTS, BEFORE_CAPACITY):
        found[name] = found.get(name, [])[before : before + count]
    found[COUNTS] = [*accumulate(found[COUNTS])] if flag == 1 else found[COUNTS]
    if how["drop_pad_mode"]:
        first = before * capacity
        places = [place - first for place in found["expanded_row_idx"]]
        found["expanded_row_idx"] = [at if 0 <= at < count * capacity else -1 for at in places]
        found["expanded_x"] = found["expanded_x"][before : before + count]
    return found


def init_routing_grad(loops: Loops, call: Call) -> Found:
    """A dropped slot has a place in the order of the sum: it names one more row, of nothing."""
    how, table = dict(call.attributes), call.table("grad_expanded_x")
    padded, named = how["drop_pad_mode"], np.array(call.arrays["expanded_row_idx"])
    named[(named == -1) if padded else (named >= len(table)) & (how["active_num"] > 0)] = len(table)
    how["active_num"] = how["active_num"] and len(table) + 1
    rows = [[Slots((row,))] for (row,) in [*table, [None]]]
    found = loops([[row] for row in rows] if padded else rows, named.tolist(), **how)
    return {"grad_x": [[total.added()] for (total,) in found]}


def permute_grad(loops: Loops, call: Call) -> Found:
    """A sum starts with the row of the first slot, or with zeros if it has none."""
    named, table = call.numbers("sorted_indices"), call.table("permuted_output_grad")
    found = loops(table or [[0]], [at + (not table) for at in named], **call.attributes)
    firsts = [at < len(table) for at in named[:: call.attributes["num_topk"]]]
    return {"out": started(found, firsts)}


def permute_with_ep_grad(loops: Loops, call: Call) -> Found:
    """Without a range no rank lies in it, nor in one that ends where it starts, or before."""
    how, named = dict(call.attributes), call.numbers("sorted_indices")
    start, end = how["rank_range"] or (0, 0)
    end = max(start, end)
    named = [rank - start if start <= rank < end else end - start for rank in named]
    how["rank_range"] = (0, end - start)
    probs = call.numbers("permuted_probs_output_grad", as_bits=True)
    rows = call.table("permuted_tokens_output_grad") or [[0]]
    out, probs_grad = loops(rows, named, probs, **how)
    firsts = [rank < end - start for rank in named[:: how["num_topk"]]]
    return {"out": started(out, firsts), "probs_grad": probs_grad}


def permute_with_routing_map_grad(loops: Loops, call: Call) -> Found:
    """Without columns there is nothing to do; the sums of drop/pad start with zeros."""
    named = call.numbers("sorted_indices")
    if not call.arrays["permuted_token_output_grad"].size:
        return {}
    probs = call.numbers("permuted_probs_output_grad", as_bits=True)
    if "probs_grad" not in call.case.outputs:
        probs = None
    rows = call.table("permuted_token_output_grad")
    found, probs_grad = loops(rows, probs, named, call.numbers("routing_map"), **call.attributes)
    padded = call.attributes["drop_and_pad"]
    return {"tokens_grad": started(found, [not padded] * len(found)), "probs_grad": probs_grad}


def unpermute(loops: Loops, call: Call) -> Found:
    """A slot whose probability is zero adds nothing, whatever its row holds."""
    named, probs = np.array(call.arrays["sorted_indices"]), call.numbers("probs")
    rows = call.table("permuted_tokens")
    if probs is not None:
        named[call.arrays["probs"].reshape(-1) == 0] = len(rows)
    found = loops(rows or [[0]], (named + (not rows)).tolist(), probs)
    firsts = (named[:: len(named) // max(1, len(found)) or 1] < len(rows)).tolist()
    return {"out": started(found, firsts)}


def unpermute_with_ep(loops: Loops, call: Call) -> Found:
    """Slots of ranks outside the range, and of probability zero, add nothing. Without a range all
    rows count, and a token has the slots of its probabilities, or one.
    """
    how, named = dict(call.attributes), np.array(call.arrays["sorted_indices"], np.int64)
    rows, probs = call.table("permuted_tokens"), call.numbers("probs")
    start, end = how["rank_range"] or (0, len(rows))
    end = max(start, end)
    inside = (start <= named) & (named < end)
    if probs is not None:
        inside &= call.arrays["probs"].reshape(-1) != 0
    how["num_topk"] = len(named) // max(1, call.case.outputs["out"].shape[0]) or 1
    how["rank_range"] = (0, end - start)
    named = np.where(inside, named - start, end - start)
    found = loops(rows or [[0]], named.tolist(), probs, **how)
    return {"out": started(found, inside[:: how["num_topk"]].tolist())}


def unpermute_with_ep_grad(loops: Loops, call: Call) -> Found:
    """Bounds are those of a slice. Rows whose rank no slot has stay as they were."""
    how, named = dict(call.attributes), call.numbers("sorted_indices")
    probs, count = call.numbers("probs"), call.case.outputs["permuted_tokens_grad"].shape[0]
    grads = call.table("unpermuted_tokens_grad", as_bits=probs is None)
    rows = None if probs is None else call.table("permuted_tokens")
    start, end, _ = slice(*(how["rank_range"] or (0, count))).indices(len(named))
    how["rank_range"] = (start, end)
    found, probs_grad = loops(grads, named, rows, probs, **how)
    kept = {rank - start for rank in named if start <= rank < end}
    return {
        "permuted_tokens_grad": [found[at] if at in kept else [None] for at in range(count)],
        "probs_grad": probs_grad and [[lanes(one) for one in line] for line in probs_grad],
    }


def unpermute_with_routing_map(loops: Loops, call: Call) -> Found:
    """Slots that name no row add nothing, nor do those of probability zero unless padded.

    Padded sums start with zeros, and products have the tokens' type, unless probs are wider.
    """
    how, named = dict(call.attributes), np.array(call.arrays["sorted_indices"])
    rows, padded = call.table("permuted_tokens"), how["padded_mode"]
    shape = call.case.outputs["unpermuted_tokens"].shape
    if not rows:
        return {"unpermuted_tokens": [[0]] * shape[0]}
    marks, probs = call.numbers("routing_map"), call.numbers("probs")
    bits = call.numbers("probs", as_bits=True)
    found = loops([[0]] * len(rows), [0] * len(named) if not padded else named, marks, bits, **how)
    if probs is not None:
        kind = call.arrays["probs"].dtype
        taken = np.array(found["permute_probs"], f"u{kind.itemsize}").view(kind)
        if padded:
            same = call.arrays["permuted_tokens"].dtype == kind
            products = [
                row.columns * np.float32(one) for (row,), one in zip(rows, taken, strict=True)
            ]
            rows = [[Row(np.float32(one.astype(kind) if same else one))] for one in products]
            probs, how["restore_shape"] = None, shape
        else:
            named[taken == 0] = -1
    named[(named >= len(rows)) & (not padded)] = -1
    sums = loops(rows, named, marks, probs, **how)["unpermuted_tokens"]
    firsts = [False] * shape[0] if padded else (named[:: len(named) // shape[0]] >= 0).tolist()
    return {**found, "unpermuted_tokens": started(sums, firsts)}


def unpermute_grad(loops: Loops, call: Call) -> Found:
    """Rows that no index names stay as they were."""
    probs = call.numbers("probs")
    as_bits = probs is None
    grads = call.table("unpermuted_tokens_grad", as_bits=as_bits)
    rows = call.table("permuted_tokens") if "permuted_tokens" in call else None
    named = call.numbers("sorted_indices")
    found, probs_grad = loops(rows, grads, named, probs)
    kept = set(named)
    return {
        "permuted_tokens_grad": [one if at in kept else [None] for at, one in enumerate(found)],
        "probs_grad": probs_grad and [[lanes(one) for one in line] for line in probs_grad],
    }


def unpermute_with_routing_map_grad(loops: Loops, call: Call) -> Found:
    """Not padded, places of a token are side by side. Rows without an index stay as they were."""
    how, probs = dict(call.attributes), call.numbers("probs")
    grads = call.table("unpermuted_tokens_grad", as_bits=probs is None)
    named, ids = call.numbers("out_index"), call.numbers("permute_token_id")
    if not how["drop_and_pad"]:
        ids = [place // (len(named) // len(grads)) for place in range(len(named))]
    rows = None if probs is None else call.table("permuted_tokens")
    found = loops(grads, named, ids, call.numbers("routing_map"), rows, probs, **how)
    kept, moved = set(named), found["permuted_tokens_grad"]
    sums = [[lanes(one) for one in line] for line in found.get("probs_grad", ())]
    return {
        "permuted_tokens_grad": [one if at in kept else [None] for at, one in enumerate(moved)],
        "probs_grad": sums or None,
    }


def finalize(loops: Loops, call: Call) -> Found:
    """A slot that names no row has its bias alone, and an expert without a bias has none."""
    mode = call.attributes.get("drop_pad_mode", 0)
    rows = call.table("expanded_x")
    named = [at if 0 <= at < len(rows) else len(rows) for at in call.numbers("expanded_row_idx")]
    table = [*rows, [0]]
    optional = {name: call.rows(name) for name in ("x1", "x2", "bias")}
    experts = call.numbers("expert_idx")
    if optional["bias"] is not None:
        count = len(optional["bias"])
        optional["bias"].append([0])
        experts = [[at if 0 <= at < count else count for at in line] for line in experts]
    given = [table] if mode in (1, 3) else table
    optional |= {name: call.rows(name) for name in ("x", "alpha1", "alpha2", "v") if name in call}
    how = {**optional, "scales": call.numbers("scales"), "expert_idx": experts}
    return {"out": loops(given, named, **how, **call.attributes)}


def finalize_grad(loops: Loops, call: Call) -> Found:
    """An index that names no row is passed over. Without drop/pad other rows stay as they were."""
    scales, how = call.numbers("scales"), dict(call.attributes)
    padded, named = how["drop_pad_mode"], call.numbers("expanded_row_idx")
    rows = math.prod(call.case.outputs["grad_expanded_x"].shape[:-1])
    named = [at if 0 <= at < rows else -1 if padded else rows + len(named) for at in named]
    how["active_num"] = how["active_num"] or len(named)
    found, scales_grad = loops(
        call.table("grad_y", as_bits=scales is None),
        named,
        call.rows("expanded_x"),
        scales,
        call.numbers("expert_idx"),
        call.rows("bias"),
        **how,
    )
    kept = {*named}
    if not padded:
        found = [one if at in kept else [None] for at, one in enumerate(found)]
    return {
        "grad_expanded_x": found,
        "grad_scales": scales_grad and [[lanes(one) for one in line] for line in scales_grad],
    }


def re_routing(loops: Loops, call: Call) -> Found:
    counts = call.numbers("expert_token_num_per_rank")
    scales = call.numbers("per_token_scales", as_bits=True)
    return dict(loops(call.table("tokens", as_bits=True), counts, scales, **call.attributes))


def compute_expert_tokens(loops: Loops, call: Call) -> Found:
    return {"out": loops(call.numbers("sorted_experts"), **call.attributes)}


BINDINGS: dict[str, Callable[[Loops, Call], Found]] = {
    "moe_compute_expert_tokens": compute_expert_tokens,
    "moe_finalize_routing": finalize,
    "moe_finalize_routing_v2": finalize,
    "moe_finalize_routing_v2_grad": finalize_grad,
    "moe_finalize_routing_v3": finalize,
    "moe_finalize_routing_v4": finalize,
    "moe_init_routing": init_routing_of_pairs,
    "moe_init_routing_v2": init_routing,
    "moe_init_routing_v2_grad": init_routing_grad,
    "moe_re_routing": re_routing,
    "moe_token_permute": permute,
    "moe_token_permute_grad": permute_grad,
    "moe_token_permute_with_ep": permute_with_ep,
    "moe_token_permute_with_ep_grad": permute_with_ep_grad,
    "moe_token_permute_with_routing_map": permute_with_routing_map,
    "moe_token_permute_with_routing_map_grad": permute_with_routing_map_grad,
    "moe_token_unpermute": unpermute,
    "moe_token_unpermute_grad": unpermute_grad,
    "moe_token_unpermute_with_ep": unpermute_with_ep,
    "moe_token_unpermute_with_ep_grad": unpermute_with_ep_grad,
    "moe_token_unpermute_with_routing_map": unpermute_with_routing_map,
    "moe_token_unpermute_with_routing_map_grad": unpermute_with_routing_map_grad,
}
"""By operator: how its loops are called, and what they give by the names of the outputs."""

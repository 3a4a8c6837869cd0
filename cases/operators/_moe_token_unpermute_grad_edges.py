"""Where the kernels of MoeTokenUnpermuteGrad change their path: this project's and the vendor's.

What `limits` says is what the host tiling exports as MoeTokenUnpermuteGradTilingLimit; a test holds
them equal, and every run asks the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators import _slot_grad_limits as slot_grad
from cases.operators._moe_token_unpermute_grad_call import DTYPES, PROBS
from cases.operators._slot_sum import TokenSum
from cases.operators._slot_sum_edges import edges_on, sizes_of
from cases.operators._slot_sum_limits import CHIPS
from conformance.call.case import Case, Machine, numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.edges import STEPS, Edges, Sizes

PROB_BYTES = "prob_bytes"
"""The size of an edge that fixes the dtype of probabilities; 0: there are none."""

VENDOR_HIDDENS = {
    (0, 4, 1): 3064,
    (0, 2, 1): 6128,
    (4, 4, 8): 5248,
    (2, 2, 8): 7936,
    (4, 2, 8): 7680,
    (4, 4, 512): 4992,
    (2, 2, 512): 7680,
    (4, 2, 512): 7424,
}
"""The longest row that the vendor's kernel takes whole, by bytes of a probability (0: none) and of
an element, and top_k (ops-transformer, moe_token_unpermute_grad tiling, read)."""

VENDOR_INDICES = 256
"""The most indices that the vendor's kernel takes at a time: of whole tokens, or of one that has
more (ibid.)."""


def _buffer(element_bytes: int, prob_bytes: int) -> Callable[[int, int], slot_grad.SlotUb]:
    """The buffer of a call with probabilities of so many bytes, or none, by its bytes and top_k."""
    if not prob_bytes:
        return lambda ub_bytes, _: slot_grad.MovedUb(ub_bytes, element_bytes)
    return lambda ub_bytes, top_k: slot_grad.WeightedUb(ub_bytes, top_k, element_bytes, prob_bytes)


def limits() -> Iterator[Limit]:
    """The limits with probabilities of the tokens' dtype, of either size, and with none."""
    for dtype in DTYPES:
        size = numpy_dtype(dtype).itemsize
        for prefix, prob_bytes, top_ks in (
            ("", size, slot_grad.TOP_KS),
            ("fp32-probs-", 4, slot_grad.TOP_KS),
            ("16-bit-probs-", 2, slot_grad.TOP_KS),
            ("no-probs-", 0, (1,)),
        ):
            yield from slot_grad.limits(prefix, dtype, top_ks, _buffer(size, prob_bytes))


def edges(sums: TokenSum, mode: str, dtype: str, probs: bool) -> Edges:
    """The edges of one mode and dtype, with probabilities, whose bytes an edge fixes, or none."""
    size = numpy_dtype(dtype).itemsize
    declared = (
        (limit, machine, sizes)
        for machine in slot_grad.MACHINES
        for limit, sizes in _on(machine, size, probs)
    )
    near = edges_on(sums, mode, dtype, declared, products=probs)
    return replace(near, sizes_of=_sizes_of)


def dtypes_of(size: int, dtype: str) -> SearchStrategy[str]:
    """The dtype itself where it has that many bytes, else those that have."""
    if numpy_dtype(dtype).itemsize == size:
        return st.just(dtype)
    return st.sampled_from([one for one in DTYPES if numpy_dtype(one).itemsize == size])


def _sizes_of(case: Case) -> Sizes:
    probs = case.inputs.get(PROBS)
    return {**sizes_of(case), PROB_BYTES: numpy_dtype(probs.dtype).itemsize if probs else 0}


def _on(machine: Machine, element_bytes: int, probs: bool) -> Iterator[tuple[str, Sizes]]:
    same = element_bytes if probs else 0
    yield from slot_grad.core_edges(machine, {PROB_BYTES: same})
    for prob_bytes in (same, 6 - same) if probs else (0,):
        kind, fixed = f", probs {prob_bytes} B", {PROB_BYTES: prob_bytes}
        yield from slot_grad.own_edges(machine, _buffer(element_bytes, prob_bytes), kind, fixed)
    if machine in CHIPS:
        yield from _vendor(machine.cores, element_bytes, probs)


def _vendor(cores: int, element_bytes: int, probs: bool) -> Iterator[tuple[str, Sizes]]:
    for (prob_bytes, size, top_k), most in VENDOR_HIDDENS.items():
        if (bool(prob_bytes), size) != (probs, element_bytes):
            continue
        for count, (step, change) in product((1, 2), STEPS.items()):
            sizes = {"top_k": top_k, "hidden": count * most + change, PROB_BYTES: prob_bytes}
            yield f"{count} x vendor row of {top_k} slots, probs {prob_bytes} B{step}", sizes
    same = element_bytes if probs else 0
    for step, change in STEPS.items():
        for count, top_k in product((1, 2), (1, 8) if probs else (1,)):
            tokens = count * cores * (VENDOR_INDICES // top_k) + change
            sizes = {"top_k": top_k, "tokens": tokens, PROB_BYTES: same}
            yield f"{count} x vendor batch of {top_k} slots{step}", sizes
        if probs:
            sizes = {"top_k": VENDOR_INDICES + change, PROB_BYTES: same}
            yield f"a token as long as a vendor batch{step}", sizes

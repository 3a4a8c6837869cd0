"""Where the kernels of MoeTokenUnpermuteGrad change their path: this project's and the vendor's.

What `limits` says is what the host tiling exports as MoeTokenUnpermuteGradTilingLimit; a test holds
them equal, and every run asks the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from cases.operators._moe_token_unpermute_grad_call import DTYPES, PROBS
from cases.operators._slot_sum_edges import DEAREST, cost, sized, sizes_of
from cases.operators._slot_sum_limits import CHIPS, GRANULE_BYTES, SMALL, up
from conformance.case import Case, Machine, numpy_dtype
from conformance.devices.device import USABLE_UB_BYTES
from conformance.edges import STEPS, Edge, Edges, Sizes, distinct
from conformance.operator import Limit

LANE_BYTES = 256
"""The fp32 lanes in which the products of one slot are added."""

PROB_BYTES = "prob_bytes"
"""The size of an edge that fixes the dtype of probabilities; 0: there are none."""

MOST_PART, MOST_COLUMNS = 255, 16_320
TOP_KS = (1, 2, 8, 129, 512)
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


@dataclass(frozen=True)
class Ub:
    """The unified buffer of a call with probabilities, or without: ``prob_bytes`` is 0."""

    ub_bytes: int
    top_k: int
    element_bytes: int
    prob_bytes: int

    def of_slots(self, slots: int) -> int:
        """Bytes of the indices of so many slots, their probabilities and gradients of these."""
        widened = up(4 * slots, GRANULE_BYTES) if self.prob_bytes == 2 else 0
        own = 2 * up(self.prob_bytes * slots, GRANULE_BYTES)
        return up(4 * slots, GRANULE_BYTES) + own + widened

    @property
    def least(self) -> int:
        """The least buffer that the host tiling accepts."""
        if not self.prob_bytes:
            return 3 * GRANULE_BYTES
        row = {4: 192, 2: 320}[self.element_bytes]
        return self.of_slots(1) + LANE_BYTES + row

    @property
    def part(self) -> int:
        """The most slots of a token whose products are added at a time."""
        return min(MOST_PART, max(1, self.ub_bytes // 8 // LANE_BYTES))

    @property
    def columns(self) -> int:
        """The longest row in one tile."""
        granule = GRANULE_BYTES // self.element_bytes
        if not self.prob_bytes:
            half = (self.ub_bytes - GRANULE_BYTES - 4) // 2
            return half // GRANULE_BYTES * granule
        slots = min(self.top_k, self.part)
        left = self.ub_bytes - self.of_slots(slots) - LANE_BYTES * slots
        unit = {4: 24, 2: 20}[self.element_bytes]
        return max(0, min(MOST_COLUMNS, left // unit // granule * granule))


def limits() -> Iterator[Limit]:
    """The limits with probabilities of the tokens' dtype, of either size, and with none."""
    for dtype in DTYPES:
        size = numpy_dtype(dtype).itemsize
        for prefix, bytes_, top_ks in (
            ("", size, TOP_KS),
            ("fp32-probs-", 4, TOP_KS),
            ("16-bit-probs-", 2, TOP_KS),
            ("no-probs-", 0, (1,)),
        ):
            for top_k in top_ks:
                yield Limit(f"{prefix}ub-bytes", Ub(0, top_k, size, bytes_).least, top_k, dtype)
                yield Limit(f"{prefix}cores", SMALL.cores, top_k, dtype, SMALL.cores)
                for ub in (SMALL.ub_bytes, *USABLE_UB_BYTES.values()):
                    found = Ub(ub, top_k, size, bytes_)
                    yield Limit(f"{prefix}hidden", found.columns, top_k, dtype, ub_bytes=ub)
                    if bytes_:
                        yield Limit(f"{prefix}part", found.part, top_k, dtype, ub_bytes=ub)


def edges(call: Callable[..., Case], mode: str, dtype: str, probs: bool) -> Edges:
    """The edges of one mode and dtype, with probabilities, whose bytes an edge fixes, or none."""
    size = numpy_dtype(dtype).itemsize
    found = (
        Edge(limit, machine, sizes, cost(mode, sizes))
        for machine in (SMALL, *CHIPS)
        for limit, sizes in _on(machine, size, probs)
    )
    near = distinct(edge for edge in found if edge.cost <= DEAREST)
    return Edges(near, _sizes_of, lambda edge: sized(call, mode, dtype, edge.sizes, edge.machine))


def _sizes_of(case: Case) -> Sizes:
    probs = case.inputs.get(PROBS)
    return {**sizes_of(case), PROB_BYTES: numpy_dtype(probs.dtype).itemsize if probs else 0}


def _on(machine: Machine, element_bytes: int, probs: bool) -> Iterator[tuple[str, Sizes]]:
    same = element_bytes if probs else 0
    for step, change in STEPS.items():
        for count in (1, 2):
            sizes = {"top_k": 1, "tokens": count * machine.cores + change, PROB_BYTES: same}
            yield f"tokens = {count} x cores{step}", sizes
        for count, top_k, prob_bytes in _tiles(element_bytes, probs):
            own = Ub(machine.ub_bytes, top_k, element_bytes, prob_bytes)
            hidden = max(1, count * own.columns + change)
            sizes = {"top_k": top_k, "hidden": hidden, PROB_BYTES: prob_bytes}
            yield f"{count} x tile of {top_k} slots, probs {prob_bytes} B{step}", sizes
        if probs:
            part = Ub(machine.ub_bytes, 512, element_bytes, element_bytes).part
            sizes = {"top_k": max(1, part + change), "hidden": 8, PROB_BYTES: same}
            yield f"part of a token{step}", sizes
    if machine in CHIPS:
        yield from _vendor(machine.cores, element_bytes, probs)


def _tiles(element_bytes: int, probs: bool) -> Iterator[tuple[int, int, int]]:
    """How many tiles of a row are met, for how many slots, with how many bytes of a probability."""
    for count in (1, 2):
        for top_k in (1, 8, 512) if probs else (1,):
            yield count, top_k, element_bytes if probs else 0
    if probs:
        yield 1, 8, {2: 4, 4: 2}[element_bytes]


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

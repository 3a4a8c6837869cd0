"""Where the kernels of MoeTokenUnpermuteGrad change their path: this project's and the vendor's.

What `limits` says is what the host tiling exports as MoeTokenUnpermuteGradTilingLimit; a test holds
them equal, and every run asks the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from cases.operators._moe_token_unpermute_call import DTYPES
from cases.operators._slot_sum_edges import DEAREST, cost, sized, sizes_of
from cases.operators._slot_sum_limits import CHIPS, GRANULE_BYTES, SMALL, up
from conformance.case import Case, Machine, numpy_dtype
from conformance.devices.device import USABLE_UB_BYTES
from conformance.edges import STEPS, Edge, Edges, Sizes, distinct
from conformance.operator import Limit

LANE_BYTES = 256
"""The fp32 lanes in which the products of one slot are added."""

MOST_PART, MOST_COLUMNS = 255, 16_320
TOP_KS = (1, 2, 8, 129, 512)
VENDOR_HIDDENS = {
    (False, 4, 1): 3064,
    (False, 2, 1): 6128,
    (True, 4, 8): 5248,
    (True, 2, 8): 7936,
    (True, 4, 512): 4992,
    (True, 2, 512): 7680,
}
"""The longest row that the vendor's kernel takes whole, by probabilities of the tokens' dtype or
none, bytes of an element, and top_k (ops-transformer, moe_token_unpermute_grad tiling, read)."""


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
    """The edges of one mode and dtype, with probabilities of that dtype or with none."""
    size = numpy_dtype(dtype).itemsize
    found = (
        Edge(limit, machine, sizes, cost(mode, sizes))
        for machine in (SMALL, *CHIPS)
        for limit, sizes in _on(machine, size, probs)
    )
    near = distinct(edge for edge in found if edge.cost <= DEAREST)
    return Edges(near, sizes_of, lambda edge: sized(call, mode, dtype, edge.sizes, edge.machine))


def _on(machine: Machine, element_bytes: int, probs: bool) -> Iterator[tuple[str, Sizes]]:
    for step, change in STEPS.items():
        tokens = machine.cores + change
        yield f"tokens = cores{step}", {"top_k": 1, "tokens": tokens}
        for top_k in (1, 8, 512) if probs else (1,):
            prob_bytes = element_bytes if probs else 0
            own = Ub(machine.ub_bytes, top_k, element_bytes, prob_bytes)
            for count, name in ((1, "one tile"), (2, "two tiles")):
                hidden = max(1, count * own.columns + change)
                yield f"{name} of {top_k} slots{step}", {"top_k": top_k, "hidden": hidden}
        if probs:
            part = Ub(machine.ub_bytes, 512, element_bytes, element_bytes).part
            yield f"part of a token{step}", {"top_k": max(1, part + change), "hidden": 8}
    if machine not in CHIPS:
        return
    for (given, size, top_k), most in VENDOR_HIDDENS.items():
        if (given, size) != (probs, element_bytes):
            continue
        for (count, name), (step, change) in product(
            ((1, "vendor row"), (2, "two vendor pieces")), STEPS.items()
        ):
            sizes = {"top_k": top_k, "hidden": count * most + change}
            yield f"{name} of {top_k} slots{step}", sizes

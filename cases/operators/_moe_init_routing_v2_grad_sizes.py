"""Sizes of MoeInitRoutingV2Grad at which a kernel changes its path, solved for a drawn machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cases.operators._moe_init_routing_v2_grad_limits import (
    least_ub_bytes,
    tile_columns,
    tokens_per_batch,
    vendor_tile_columns,
)
from conformance.call.case import Machine
from conformance.draw.machines import UB_BYTES
from conformance.draw.patterns import least_tokens
from conformance.judge.legality import UB_BYTES as LEGAL_UB_BYTES
from conformance.record.chips import USABLE_UB_BYTES

SLOTS = {
    "1": (1,),
    "2-3": (2, 3),
    "4-7": (4, 5, 7),
    "8-15": (8, 9, 15),
    "16-31": (16, 31),
    "32-63": (32, 33, 63),
    "64-127": (64, 127),
    "128 and more": (128, 129, 200),
}
"""top_k of each class: with the class change the number of bins and every limit of the tiling."""

CORES = {"one": (1,), "few": (2, 3), "many": (40, 48)}
SMALL_UB = 16384
UB = {
    "small": tuple(ub for ub in UB_BYTES if ub <= SMALL_UB),
    "large": tuple(ub for ub in UB_BYTES if ub > SMALL_UB),
}
STEPS = {"": 0, " - 1": -1, " + 1": 1}
BOUNDARIES = (
    *(f"tokens = cores{step}" for step in STEPS),
    *(f"tokens = batches{step}" for step in STEPS),
    *(f"hidden = tile{step}" for step in STEPS),
    "hidden = two tiles + 1",
    *(f"hidden = vendor tile{step}" for step in STEPS),
    "least UB",
)
"""``batches``: one full batch of every core; ``tile``: the most columns that fit the buffer."""

EVERY_TUPLE = 0
"""In place of a number of kept slots: as many tokens as there are tuples of a small scope."""

MOST_VALUES = {"dropless": 3, "active": 4, "drop_pad": 4}
"""Values in the scope of every tuple: three rows, and what names none where a mode has that."""

MOST_INDICES = 7_000
MOST_ELEMENTS = 130_000
"""Elements that one case may add up: bounds its time, not what a kernel can do."""


def fewest_tokens(dropped: str, top_k: int, kept: int) -> int:
    """As `least_tokens`, but two slots at least where all are dropped.

    In active mode an index that adds nothing lies above the rows, of which there is one at least,
    and below the number of slots.
    """
    least = least_tokens(dropped, top_k, kept)
    return max(least, -(-2 // top_k)) if dropped == "all" else least


@dataclass(frozen=True)
class Sizes:
    """A machine and the sizes that a boundary fixes; ``tokens`` or ``hidden`` None is free."""

    machine: Machine
    top_k: int
    tokens: int | None = None
    hidden: int | None = None

    @property
    def most_tokens(self) -> int:
        """The most tokens within the bounds of a case."""
        return min(MOST_INDICES, MOST_ELEMENTS // (self.hidden or 1)) // self.top_k

    def holds(self, dropped: str, kept: int, most_values: int) -> bool:
        """Whether the sizes are large enough for a pattern, and not too large for a case."""
        if kept == EVERY_TUPLE:
            return self.values(most_values) > 1
        least = fewest_tokens(dropped, self.top_k, kept)
        return 0 < least <= (self.tokens or self.most_tokens) <= self.most_tokens

    def values(self, most: int) -> int:
        """How many values every tuple of top_k slots may be made of within the bounds, or 0."""
        if self.tokens is not None or self.top_k > 4:
            return 0
        return max((n for n in range(2, most + 1) if n**self.top_k <= self.most_tokens), default=0)


@cache
def sizes_at(
    boundary: str, slots: str, cores: str, ub: str, element_bytes: int
) -> tuple[Sizes, ...]:
    """The sizes on a boundary, fewest elements first; empty where the classes do not meet it."""
    found = {
        sizes
        for top_k in SLOTS[slots]
        for count in CORES[cores]
        for ub_bytes in _buffers(boundary, ub, least_ub_bytes(top_k, element_bytes))
        for sizes in _on(boundary, top_k, Machine(count, ub_bytes), element_bytes)
        if 1 <= (1 if sizes.tokens is None else sizes.tokens) <= sizes.most_tokens
    }
    return tuple(sorted(found, key=_simplicity))


def boundaries_of(
    machine: Machine | None, top_k: int, tokens: int, hidden: int, element_bytes: int
) -> set[str]:
    """The boundaries on which a case's sizes lie; without a machine, the vendor's."""
    vendor = {vendor_tile_columns(top_k, element_bytes, on) for on in USABLE_UB_BYTES}
    shown = {f"hidden = vendor tile{s}" for s, d in STEPS.items() if hidden - d in vendor}
    if machine is None:
        return shown
    tile = tile_columns(top_k, element_bytes, machine.ub_bytes)
    full = machine.cores * tokens_per_batch(top_k, element_bytes, machine.ub_bytes, hidden)
    for step, change in STEPS.items():
        shown |= {f"tokens = cores{step}"} if tokens == machine.cores + change else set()
        shown |= {f"hidden = tile{step}"} if hidden == tile + change else set()
        if hidden <= tile and tokens == full + change:
            shown.add(f"tokens = batches{step}")
    shown |= {"hidden = two tiles + 1"} if hidden == 2 * tile + 1 else set()
    least = _legal(least_ub_bytes(top_k, element_bytes))
    return shown | ({"least UB"} if machine.ub_bytes == least else set())


def _buffers(boundary: str, ub: str, least: int) -> Iterator[int]:
    """Buffers of a class on which a kernel runs."""
    if boundary == "least UB":
        if ub == "small" and least == _legal(least):
            yield least
        return
    yield from (size for size in UB[ub] if size >= least)


def _legal(ub_bytes: int) -> int:
    """The least buffer that a simulated machine may have and that is no smaller."""
    return max(LEGAL_UB_BYTES.start, -(-ub_bytes // LEGAL_UB_BYTES.step) * LEGAL_UB_BYTES.step)


def _on(boundary: str, top_k: int, machine: Machine, element_bytes: int) -> Iterator[Sizes]:
    """The sizes of one machine and top_k on a boundary."""
    what, _, step = boundary.partition(" = ")
    change = next((change for word, change in STEPS.items() if word and step.endswith(word)), 0)
    tile = tile_columns(top_k, element_bytes, machine.ub_bytes)
    if boundary == "least UB":
        yield Sizes(machine, top_k)
    elif step.startswith("cores"):
        yield Sizes(machine, top_k, tokens=machine.cores + change)
    elif step.startswith("vendor"):
        for product in USABLE_UB_BYTES:
            columns = vendor_tile_columns(top_k, element_bytes, product)
            yield Sizes(machine, top_k, hidden=columns + change)
    elif what == "hidden":
        yield Sizes(machine, top_k, hidden=tile * (2 if "two" in step else 1) + change)
    else:
        for hidden in {
            max(1, tile // share - less) for share in (1, 2, 3, 5, 9) for less in (0, 1)
        }:
            batch = tokens_per_batch(top_k, element_bytes, machine.ub_bytes, hidden)
            yield Sizes(machine, top_k, machine.cores * batch + change, hidden)


def _simplicity(sizes: Sizes) -> tuple[int, ...]:
    hidden, tokens = sizes.hidden or 1, sizes.tokens or 1
    machine = sizes.machine
    return (sizes.top_k * tokens * hidden, machine.cores, machine.ub_bytes, sizes.top_k, hidden)

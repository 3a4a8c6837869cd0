"""The quick look at a whole output: which elements need a closer one (numerics N.1).

Most elements of most outputs are decided here, in fp32 and in blocks that stay in the second-level
cache. What is accepted here is right; what is not is merely suspect and goes to `elements`.

* With a declared order, an element is right if it has the bits of that order.
* Without one, and with 16-bit terms, the certificate is read off the patterns. Let M and m be the
  largest magnitude of the element's K terms and the smallest one that is not zero, in binades
  2^E and 2^e. Then A < K 2^(E+1), and every term is a multiple of g = 2^(e+1-p) with p the
  precision of the terms, so that A <= 2^24 g if E - e <= 24 - p - log2 K, rounded down. Such a sum
  is exact, in the order that was used here as in any other. A pattern less its fraction is its
  binade, and no element with an infinity or a NaN is certified.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics import compiled
from conformance.numerics.accepted import Mask
from conformance.numerics.compiled import CompiledSums
from conformance.numerics.lanes import Lanes, Rows, packable
from conformance.numerics.order import Merges, sequential
from conformance.numerics.plan import Add, Plan, compile_merges
from reference.floats import FP16, FP32, Format, format_of

BLOCK_ELEMENTS = 1 << 18
"""Elements of an output looked at together: fewer cost more calls, more leave the caches."""

FEW_TERMS = 1 << 15
"""Terms that are loaded together, the slots of a row too: of short rows a slot at a time costs more
than to add it."""


@dataclass(frozen=True)
class Bulk:
    """A sum in fp32 under IEEE arithmetic: its source, its slots, what was observed.

    ``source`` is [source_rows, hidden], ``chosen`` integer [output_rows, slots] with -1 for a slot
    that adds nothing, ``observed`` [output_rows, hidden]; source and observed share their dtype.
    No axis is empty. ``merges`` None asks for any order, which only unweighted sums of 16-bit terms
    admit. ``weights`` are float32 [output_rows, slots], 0 where the slot adds nothing; their
    products are rounded before they are added.
    """

    source: NDArray[Any]
    chosen: NDArray[Any]
    observed: NDArray[Any]
    merges: Merges | None
    weights: NDArray[np.float32] | None = None

    def suspects(self) -> Iterator[tuple[slice, Mask]]:
        """Windows of whole output rows, with the elements not yet decided; the rest is right.

        The mask of a window may be overwritten by the next.
        """
        packed = packable(self.source, self.observed)
        if self.weights is not None and format_of(self.source.dtype) == FP16:
            packed = False  # products of scaled terms might underflow
        source, seen = Rows.of(self.source, packed), Rows.of(self.observed, packed)
        tokens, slots = self.chosen.shape
        merges = sequential(slots) if self.merges is None else self.merges
        plan = compile_merges(merges, slots)
        height = min(max(1, BLOCK_ELEMENTS // self.source.shape[1]), tokens)
        limits = certificate_limits(source.storage, slots) if self.merges is None else None
        worker: _Worker | CompiledSums
        if compiled.wanted(self.chosen.size * self.source.shape[1]) and CompiledSums.offered(
            source
        ):
            worker = CompiledSums(source, limits)
        else:
            worker = _Worker(source, plan.registers, height, limits)
        for start in range(0, tokens, height):
            rows = slice(start, min(start + height, tokens))
            weights = None if self.weights is None else self.weights[rows]
            chosen, mine = self.chosen[rows], plan
            if (idle := _idle(chosen, weights)).size > slots // 2:
                mine = compile_merges(merges, slots, idle.tolist())
            suspects = worker.look(mine, chosen, seen.raw[rows], weights)
            if suspects is not None:
                yield rows, suspects


class _Worker:
    """The buffers of one walk over an output."""

    def __init__(
        self, source: Rows, registers: int, height: int, limits: tuple[int, int] | None
    ) -> None:
        self.source, self.limits, self.certify = source, limits, limits is not None
        self.registers = [source.buffers(height) for _ in range(registers)]
        self.spare = source.buffers(height)
        self.gathered = np.empty((height, source.width), source.raw.dtype)
        if self.certify:
            hidden = source.width * (1 + source.packed)
            self.largest = np.empty((height, hidden), np.uint16)
            self.least = np.empty_like(self.largest)

    def look(
        self,
        plan: Plan,
        chosen: NDArray[Any],
        seen: NDArray[Any],
        weights: NDArray[np.float32] | None,
    ) -> Mask | None:
        """The suspects of a window: bool [rows, hidden]; None: there are none."""
        with np.errstate(all="ignore"):
            total = self._total(plan, chosen, weights)
            if total is None:
                return np.ones((len(seen), self.source.width * (1 + self.source.packed)), np.bool_)
            undefined = None if self.certify else self.source.nan(total)
            packed = self.source.pack(total, tuple(lane[: len(chosen)] for lane in self.spare))
            if self.certify:
                wrong = self.source.differing(packed, seen)
                wrong |= ~self._certified(len(chosen))
                return wrong
            if undefined is None and np.array_equal(packed, seen):
                return None
            wrong = self.source.differing(packed, seen)
            return wrong if undefined is None else wrong | undefined

    def _total(
        self, plan: Plan, chosen: NDArray[Any], weights: NDArray[np.float32] | None
    ) -> Lanes | None:
        """The sum in the plan's order; on the side, the extreme magnitudes. None: not possible."""
        if chosen.size * self.source.width <= FEW_TERMS:
            return self._total_of_few(plan, chosen, weights)
        registers = [tuple(lane[: len(chosen)] for lane in lanes) for lanes in self.registers]
        for place, step in enumerate(plan.steps):
            if isinstance(step, Add):
                _add(registers[step.into], registers[step.origin])
                continue
            lanes = registers[step.register]
            if not self._load(chosen[:, step.slot], lanes, first=place == 0):
                return None
            if weights is not None:
                for lane in lanes:
                    lane *= weights[:, step.slot, None]
        return registers[0]

    def _total_of_few(
        self, plan: Plan, chosen: NDArray[Any], weights: NDArray[np.float32] | None
    ) -> Lanes | None:
        """`_total` of so few terms that all of them are loaded before the first is added."""
        tokens, slots = chosen.shape
        gathered = np.take(self.source.raw, chosen.T, axis=0, mode="clip")
        gathered[chosen.T < 0] = 0
        if not self.certify and self.source.special(gathered):
            return None
        lanes = self.source.buffers(slots * tokens)
        self.source.unpack(gathered.reshape(-1, self.source.width), lanes)
        if weights is not None:
            for lane in lanes:
                lane *= weights.T.reshape(-1, 1)
        if self.certify:
            magnitudes = gathered.view(np.uint16) & np.uint16(0x7FFF)
            self.largest[:tokens] = magnitudes.max(axis=0)
            magnitudes -= 1  # a zero becomes the largest pattern, and counts for nothing
            self.least[:tokens] = magnitudes.min(axis=0)
        terms = [lane.reshape(slots, tokens, self.source.width) for lane in lanes]
        registers: list[Lanes] = [()] * plan.registers
        for step in plan.steps:
            if isinstance(step, Add):
                _add(registers[step.into], registers[step.origin])
            else:
                registers[step.register] = tuple(term[step.slot] for term in terms)
        return registers[0]

    def _load(self, rows: NDArray[Any], lanes: Lanes, *, first: bool) -> bool:
        """The terms of one slot into ``lanes``; whether that is possible."""
        dropped = rows < 0
        # Zeros, and no magnitudes to note: only the first slot's must be there.
        if dropped.all() and not (self.certify and first):
            for lane in lanes:
                lane.fill(0)
            return True
        straight = self.source.straight
        gathered = lanes[0].view(np.uint32) if straight else self.gathered[: len(rows)]
        np.take(self.source.raw, rows, axis=0, out=gathered, mode="clip")
        if dropped.any():
            gathered[dropped] = 0
        if not self.certify and self.source.special(gathered):
            return False
        if not straight:
            self.source.unpack(gathered, lanes)
        if self.certify:
            self._note(gathered, first=first)
        return True

    def _note(self, gathered: NDArray[Any], *, first: bool) -> None:
        """Keep M and m - 1 of every element; magnitudes grow with their patterns."""
        magnitudes = gathered.view(np.uint16)
        magnitudes &= np.uint16(0x7FFF)
        largest, least = self.largest[: len(gathered)], self.least[: len(gathered)]
        if first:
            np.copyto(largest, magnitudes)
            np.subtract(magnitudes, 1, out=least)
            return
        np.maximum(largest, magnitudes, out=largest)
        magnitudes -= 1  # a zero becomes the largest pattern, and counts for nothing
        np.minimum(least, magnitudes, out=least)

    def _certified(self, height: int) -> Mask:
        """Where all orders are exact, by the patterns of M and of m - 1."""
        assert self.limits is not None
        span, finite = self.limits
        largest, least = self.largest[:height], self.least[:height]
        least += 1  # m; without a term that is not zero, 0
        least &= np.uint16(0x10000 - (1 << (self.source.storage.precision - 1)))
        np.subtract(largest, least, out=least)  # E - e is at most the whole binades in it
        sure = least < span
        sure &= largest < finite
        return np.asarray(sure)


def certificate_limits(storage: Format, slots: int) -> tuple[int, int]:
    """What certifies sums of that many terms, as patterns of magnitudes.

    M less the binade of m must be below the first number, M itself below the second: from there on
    K M may be infinite in fp32, or M is.
    """
    doublings, binade = (slots - 1).bit_length(), 1 << (storage.precision - 1)
    binades = FP32.precision - storage.precision - doublings
    if binades < 0:
        return 1 << 16, 1
    spare = max(0, storage.emax + 1 + doublings - FP32.emax)
    return (binades + 1) * binade, max(0, storage.infinity_bits - spare * binade)


def _idle(chosen: NDArray[Any], weights: NDArray[np.float32] | None) -> NDArray[np.intp]:
    """The slots that add to no row of a window and weigh +0 there, but for the first of them.

    They may be left out: a sum is -0 if all of its terms are, and one zero is left among them.
    """
    idle = (chosen < 0).all(axis=0)
    if weights is not None:
        idle &= ~weights.view(np.uint32).any(axis=0)
    return np.flatnonzero(idle)[1:]


def _add(into: Lanes, origin: Lanes) -> None:
    """Add one register to another."""
    for total, term in zip(into, origin, strict=True):
        np.add(total, term, out=total)

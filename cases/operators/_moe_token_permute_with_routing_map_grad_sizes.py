"""Sizes of padded MoeTokenPermuteWithRoutingMapGrad calls, and the token ids of their rows.

The rows are those of experts with one capacity; rows are dealt to cores where probs are stored,
tokens or rows where the rows are added. Without padding the sizes are MoeTokenPermuteGrad's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cases.operators import _slot_sum_sizes as unpadded
from cases.operators._slot_sum_sizes import MOST_ELEMENTS, STEPS, hidden_on, machines_of
from conformance.call.case import Machine

Indices = NDArray[np.int64]

BOUNDARIES = (*(f"rows = cores{step}" for step in STEPS), *unpadded.BOUNDARIES)
SHARING = ("once", "several", "one token")
"""How the rows share tokens: no token has two; some has; one token has all."""

ORDERS = ("rising", "two runs", "any")
"""The token ids of one expert: rising; once begun anew, as the forward operator pads; any."""

LEAST_CAPACITY = {"rising": 1, "two runs": 2, "any": 3}
LEAST_UB_BYTES = 1024
FREE_EXPERTS = ((1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (3, 1), (2, 3), (3, 3), (5, 4), (8, 6))
"""Experts and capacity where no boundary fixes the rows."""
MOST_EXPERTS = 64


@dataclass(frozen=True)
class PaddedSizes:
    """A machine and the sizes that a boundary fixes; ``tokens`` or ``hidden`` None is free."""

    machine: Machine
    experts: int
    capacity: int
    tokens: int | None = None
    hidden: int | None = None

    @property
    def rows(self) -> int:
        """Rows of all experts."""
        return self.experts * self.capacity

    def fewest_tokens(self, sharing: str) -> int:
        """The fewest tokens that can share the rows so; 0 where none can."""
        if sharing == "once":
            return self.rows
        if self.experts < 2 or (sharing == "one token" and self.capacity > 1):
            return 0
        return self.capacity

    def holds(self, sharing: str, order: str) -> bool:
        """Whether the sizes are large enough for both patterns, and not too large for a case."""
        least = self.fewest_tokens(sharing)
        tokens = self.tokens or least
        largest = max(self.rows, tokens) * (self.hidden or 1)
        fits = 0 < least <= tokens and largest <= MOST_ELEMENTS
        return fits and self.capacity >= LEAST_CAPACITY[order]


@cache
def sizes_at(boundary: str, cores: str, ub: str, element_bytes: int) -> tuple[PaddedSizes, ...]:
    """The sizes on a boundary, fewest elements first."""
    found = {
        sizes
        for machine in machines_of(cores, ub, LEAST_UB_BYTES)
        for sizes in _on(boundary, machine, element_bytes)
    }
    return tuple(sorted(found, key=_simplicity))


def boundaries_of(
    machine: Machine | None, rows: int, tokens: int, hidden: int, element_bytes: int
) -> set[str]:
    """The boundaries on which a case's sizes lie."""
    shown = unpadded.LINES.shown(machine, 0, tokens, hidden, element_bytes)
    if machine is not None:
        shown |= {f"rows = cores{s}" for s, by in STEPS.items() if rows == machine.cores + by}
    return shown


def token_ids(
    sizes: PaddedSizes, tokens: int, sharing: str, order: str, generator: np.random.Generator
) -> Indices:
    """The token of every row, [experts * capacity]; no expert has one twice."""
    experts, capacity = sizes.experts, sizes.capacity
    if sharing == "one token":
        return np.full(experts, generator.integers(tokens), np.int64)
    if sharing == "once":
        ids = generator.permutation(tokens)[: sizes.rows].reshape(experts, capacity)
    else:
        ids = np.stack([generator.permutation(tokens)[:capacity] for _ in range(experts)])
        if np.unique(ids).size == ids.size:
            ids[1] = ids[0]
    ids = np.sort(ids, axis=1)
    if order == "two runs":
        return np.roll(ids, int(generator.integers(1, capacity)), axis=1).ravel()
    if order == "any":
        shuffled = generator.permuted(ids, axis=1)
        few = descents(shuffled) < 2
        return np.where(few, np.flip(ids, axis=1), shuffled).ravel()
    return ids.ravel()


def descents(ids: Indices) -> int:
    """How often the ids of an expert [experts, capacity] fall, at most."""
    return int((np.diff(ids, axis=1) < 0).sum(axis=1).max(initial=0))


def sharing_of(ids: Indices) -> set[str]:
    """How rows share tokens."""
    most = int(np.bincount(ids).max(initial=0)) if ids.size else 0
    if most < 2:
        return {"once"}
    return {"several"} | ({"one token"} if most == ids.size else set())


def order_of(ids: Indices, experts: int) -> set[str]:
    """The order of each expert's token ids, the least orderly of them."""
    return {ORDERS[min(descents(ids.reshape(experts, -1)), 2)]}


def _on(boundary: str, machine: Machine, element_bytes: int) -> Iterator[PaddedSizes]:
    what, _, step = boundary.partition(" = ")
    if what == "rows":
        rows = machine.cores + STEPS[step.removeprefix("cores")]
        for experts in range(1, min(rows, MOST_EXPERTS) + 1):
            if rows % experts == 0:
                yield PaddedSizes(machine, experts, rows // experts)
        return
    tokens = machine.cores + STEPS[step.removeprefix("cores")] if what == "tokens" else None
    if tokens == 0:
        return
    hidden = hidden_on(boundary, element_bytes)
    for experts, capacity in FREE_EXPERTS:
        yield PaddedSizes(machine, experts, capacity, tokens, hidden)


def _simplicity(sizes: PaddedSizes) -> tuple[int, ...]:
    machine, elements = sizes.machine, sizes.rows * (sizes.hidden or 1)
    return (elements, machine.cores, machine.ub_bytes, sizes.experts, sizes.tokens or 1)

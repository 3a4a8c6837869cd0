"""The indices of MoeInitRoutingV2Grad in each mode, from a routing and from what is dropped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from conformance.draw.patterns import placed, ranked
from conformance.draw.routings import DROPPED as DROPPED_INDEX

Indices = NDArray[np.int64]


def scope(
    mode: str, tuples: Indices, generator: np.random.Generator
) -> tuple[tuple[int, ...], Indices]:
    """Leading shape of the gradient, and the indices of all tuples as tokens in a drawn order."""
    indices = generator.permutation(tuples).ravel()
    values = int(tuples.max()) + 1
    if mode == "drop_pad":
        rows = values - 1
        return ((rows, 1) if generator.random() < 0.5 else (1, rows)), indices - 1
    if mode == "active":
        return (int(generator.integers(1, values)),), indices
    return (indices.size,), indices


def routed(
    mode: str,
    routing: str,
    mask: NDArray[np.bool_],
    generator: np.random.Generator,
    most_experts: int,
) -> tuple[tuple[int, ...], Indices]:
    """Leading shape of the gradient, and the indices of all slots; ``mask`` says which drop."""
    kept = int(np.count_nonzero(~mask))
    indices = np.full(mask.size, DROPPED_INDEX, np.int64)
    if mode == "drop_pad":
        experts, capacity, indices[~mask] = placed(routing, kept, generator, most_experts)
        return (experts, capacity), indices
    indices[~mask] = ranked(routing, kept, generator)
    if mode == "dropless":
        return (mask.size,), indices
    rows = kept + int(generator.choice([0, 0, 3]))
    if kept < mask.size:
        rows = max(1, min(rows, mask.size - 1))
    beyond = generator.integers(rows, max(mask.size, rows + 1), mask.size - kept)
    beyond[:1] = rows
    indices[mask] = generator.permutation(beyond)
    return (rows,), indices

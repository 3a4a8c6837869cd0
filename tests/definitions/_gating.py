"""What the definitions of the gating operators have in common: rows, softmax and topK."""

from __future__ import annotations

import math
from typing import Any


def plain(values: Any) -> Any:
    """Nested lists, of an array or of lists."""
    return values.tolist() if hasattr(values, "tolist") else values


def has_blocks(x: list[Any]) -> bool:
    """Whether x has a third axis, told by an element; without one it counts as having two."""
    return any(isinstance(value, (list, tuple)) for row in x for value in row)


def check_rows(x: list[list[float]]) -> None:
    """Raise ``ValueError`` for rows of different lengths, and for NaN."""
    if any(len(row) != len(x[0]) for row in x):
        raise ValueError("the rows of x have different lengths")
    if any(math.isnan(value) for row in x for value in row):
        raise ValueError("a NaN has no place in an order")


def softmax(row: list[float]) -> list[float]:
    """exp(row[j] - m) / sum over i of exp(row[i] - m), for the greatest element m.

    Raises ``ValueError`` if m is infinite: the quotient is then no number.
    """
    if not row:
        return []
    greatest = max(row)
    if math.isinf(greatest):
        raise ValueError("the greatest element of a softmax is infinite")
    powers = [math.exp(value - greatest) for value in row]
    total = 0.0
    for power in powers:
        total = total + power
    return [power / total for power in powers]


def top_k(values: list[float], k: int) -> list[int]:
    """The places of the k greatest values, the greatest first, the first place of equal ones."""
    chosen: list[int] = []
    for _ in range(k):
        best = -1
        for place in range(len(values)):
            if place not in chosen and (best < 0 or values[place] > values[best]):
                best = place
        chosen.append(best)
    return chosen

"""What the tests of the gating operators draw, and how near their values must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

FEW = settings(max_examples=200, database=None, derandomize=True, deadline=None)
LATTICE = st.integers(-64, 64).map(lambda eighths: eighths / 8)
"""Scores of 1/8 apart: differences are exact, and powers and quotients of two lie far apart."""


@st.composite
def scores(draw: st.DrawFn, *, blocks: bool = True) -> NDArray[np.float64]:
    """x of two axes or three, of few values (for ties) or many, with -inf; each row has a number.

    A row of -inf alone has no softmax, and documents are silent on it.
    """
    leading = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2 if blocks else 1))
    experts = draw(st.integers(1, 8))
    few = st.sampled_from(draw(st.lists(LATTICE, min_size=1, max_size=3)))
    element = draw(st.sampled_from([LATTICE, few, few | st.just(-np.inf)]))
    size = int(np.prod(leading)) * experts
    x = np.array(draw(st.lists(element, min_size=size, max_size=size))).reshape(-1, experts)
    for row in x:
        if np.isneginf(row).all():
            row[draw(st.integers(0, experts - 1))] = draw(LATTICE)
    return x.reshape(*leading, experts)


def marks(x: NDArray[np.float64]) -> st.SearchStrategy[NDArray[np.bool_] | None]:
    """A mark for each row of x, or none."""
    size = x[..., 0].size
    listed = st.lists(st.booleans(), min_size=size, max_size=size)
    return st.none() | listed.map(lambda drawn: np.reshape(drawn, x.shape[:-1]))


def same(found: Any, expected: Any) -> None:
    """Integers: each alike, in one shape."""
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected, np.int64))


def close(found: Any, expected: Any, *, terms: int) -> None:
    """Values of a quotient by a sum of ``terms``: both sides round the same operations.

    In units of 2^-53, each power is within 2 on either side. A sum of terms of one sign adds
    terms - 1, in any order, and a quotient adds 1. Each side is thus within 4 + terms of the exact
    value, and the two are within twice that of each other.
    """
    expected = np.asarray(expected, np.float64)
    np.testing.assert_allclose(found, expected, rtol=(4 + terms) * 2.0**-52, atol=0, strict=True)

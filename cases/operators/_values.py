"""Values of tensors in cases: storage bits of numbers, and the weights of slots."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.call.case import numpy_dtype
from conformance.draw.built import built
from conformance.draw.values import SEEDS, fills_with
from conformance.values.fill import Fill


def bits(dtype: str, *numbers: float) -> tuple[int, ...]:
    """Numbers rounded to a floating dtype, as unsigned integers of its size."""
    stored = np.array(numbers).astype(numpy_dtype(dtype))
    return tuple(stored.view(f"u{stored.dtype.itemsize}").tolist())


WEIGHT_BITS = 4
"""Bits of a weight of the lattice family, which rows leave to it."""

WEIGHT_TERMS = 2 ** (24 - WEIGHT_BITS)
WEIGHTS = ("lattice", "gaussian", "scaled", "special")
"""Families of weights: small integers; any; of all sizes; zeros, infinities and NaN."""


@cache
def weight_fills(families: tuple[str, ...] = WEIGHTS) -> SearchStrategy[Fill]:
    """Weights of one of these families."""
    stripes = st.sampled_from([(name,) for name in families])
    return built(partial(Fill, terms=WEIGHT_TERMS), stripes, SEEDS)


def weights_with(family: str) -> SearchStrategy[Fill]:
    """Weights of this family."""
    return fills_with(family, WEIGHT_TERMS, 1, WEIGHTS)

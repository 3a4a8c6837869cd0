"""A known mistake, and what the elements of a sum would add, or hold, that has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.catalogue.mistakes_of_terms import SO_DO_MORE

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

UNKNOWN = -2
"""A row that the source does not have: what is read there cannot be told."""

LOST = "terms left out"
DOUBLED = "terms added twice"
EXTRA = "terms added that must not be"
WEIGHTS = "wrong coefficients"
ROWS = "wrong rows"
COLUMNS = "wrong columns"
NARROW = "narrow index"
ROUNDED = "rounded or added up too narrow"
TRUNCATED = "truncated"
FLUSHED = "subnormals dropped"
FUSED = "product not rounded"
STALE = "left from before"
UNWRITTEN = "never written"
PLACED = "off by one place"
SIGN = "sign changed"
TYPE = "read as another type"
BITS = "bits changed"
ORDER = "another order"
COUNTED = "counted otherwise"
ZEROS = "zeros in place of values"
KEPT = "values in place of zeros"
UNINITIALISED = "memory that nobody wrote"
"""The natures of mistakes: failures are told apart by them, no person reads them."""


SHOWN = 3
"""Rows of which it is told one by one what they hold."""


def of_rows(sentences: Sequence[str], count: int) -> str:
    """The sentences about the first of so many rows, and how many more there are."""
    more = [SO_DO_MORE(count=count - len(sentences))] if count > len(sentences) else []
    return row([row(sentences, SEMICOLON), *more])


@dataclass(frozen=True)
class Mistake:
    """A mistake in a sentence, and its ``nature`` in a few words, the same for all of its kind.

    Of several that explain an output, those of the least ``rank`` are told. ``options`` is of how
    many like it this one was chosen: the more there are, the sooner one of them fits by chance.
    ``of_this_call``: the sentence speaks of places of this call, so that of another call the same
    mistake is told in another one.
    """

    nature: str
    words: str
    rank: int = 1
    options: int = 1
    of_this_call: bool = False


@dataclass(frozen=True)
class Reading:
    """What elements of an output would add, the arithmetic on it being right.

    int64 [elements, slots] ``rows`` of the source, -1 for none and `UNKNOWN`; float64 [elements,
    slots] ``weights`` (None: all are 1).
    """

    rows: Rows
    weights: Floats | None = None


@dataclass(frozen=True)
class Predicted:
    """What elements would hold: storage patterns [elements]."""

    bits: NDArray[Any]


Effect = Reading | Predicted

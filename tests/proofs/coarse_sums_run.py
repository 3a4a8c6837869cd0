"""What a row of 16 elements tells of a mistaken kernel: ``make proofs RUN=coarse-sums``.

A table of terms by dtype: the share of draws in which the judge, which knows no order, rejects an
element; each mistake adds in four orders, and the one that hides it best counts. Ends with status 1
where a promise is broken: too small a share, or a rejection where the right value was given.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from conformance.values.fill import NAMES
from tests.conformance.numerics.detection import (
    family_rows,
    gaussian_rows,
    storage_additions,
    truncating_additions,
    truncating_cast,
    witness,
    worst_share,
)

SLOTS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64)
HALVES = ("float16", "bfloat16")
ALWAYS, NEVER = 1.0, None


@dataclass(frozen=True)
class Column:
    """A mistake on one kind of data.

    ``rows(slots, draws, dtype)`` draws it in rows of ``width`` elements, for the ``dtypes``.
    ``promised(slots, dtype)`` is the least share of draws that must tell; None: the
    mistake gives the right value, which must be accepted.
    """

    name: str
    mistake: Callable[..., np.ndarray]
    rows: Callable[..., np.ndarray]
    promised: Callable[[int, str], float | None]
    width: int = 16
    dtypes: tuple[str, ...] = HALVES


def storage_promise(slots: int, dtype: str) -> float | None:
    """Two values rounded by way of fp32 are rounded once: 24 >= 2 p + 2."""
    return NEVER if slots < 3 else 0.96 if slots == 3 else 0.99


def from_terms(fewest: int) -> Callable[[int, str], float | None]:
    """Always, from so many live terms on."""
    return lambda slots, dtype: ALWAYS if slots >= fewest else NEVER


def truncation_promise(slots: int, dtype: str) -> float | None:
    """Two terms: the rounded sum in fp32; in half formats the lost bit is too low to matter."""
    return ALWAYS if slots >= (3 if dtype in HALVES else 2) else NEVER


COLUMNS = (
    Column("storage additions, normal values", storage_additions, gaussian_rows, storage_promise),
    Column(
        "storage additions, witness",
        storage_additions,
        lambda slots, draws, dtype: witness(slots, dtype) if slots > 2 else None,
        from_terms(3),
        width=2,
    ),
    Column(
        "truncating cast, normal values",
        truncating_cast,
        gaussian_rows,
        lambda slots, dtype: NEVER if slots < 2 else 0.98,
    ),
    Column(
        "truncating cast, knife",
        truncating_cast,
        lambda *which: family_rows(("knife",), *which),
        from_terms(2),
    ),
    Column(
        "truncating cast, all families, 64 wide",
        truncating_cast,
        lambda *which: family_rows(NAMES, *which, columns=64),
        from_terms(2),
        width=64,
    ),
    Column(
        "truncating additions, knife",
        truncating_additions,
        lambda *which: family_rows(("knife",), *which),
        truncation_promise,
        dtypes=(*HALVES, "float32"),
    ),
)


@dataclass(frozen=True)
class Cell:
    """A share of draws that tell, and what was promised of it; ``share`` None: no such data."""

    share: float | None
    promised: float | None

    @property
    def kept(self) -> bool:
        """A promise of nothing is broken by a single rejection: there the value is right."""
        if self.share is None:
            return self.promised is None
        return self.share == 0.0 if self.promised is None else self.share >= self.promised

    def __str__(self) -> str:
        if self.promised is None and self.kept:
            return "not observable"
        told = "-" if self.share is None else f"{100 * self.share:.2f} %"
        least = 0.0 if self.promised is None else 100 * self.promised
        return told if self.kept else f"{told}, promised {least:g} %"


def cells(column: Column, draws: int) -> Iterator[tuple[int, str, Cell]]:
    """(terms, dtype, cell), for every number of terms."""
    for slots in SLOTS:
        for dtype in column.dtypes:
            rows = column.rows(slots, draws, dtype)
            share = None
            if rows is not None:
                share = float(worst_share(column.mistake, rows, dtype, column.width))
            yield slots, dtype, Cell(share, column.promised(slots, dtype))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5000)
    draws = parser.parse_args().draws
    broken = 0
    for column in COLUMNS:
        print(f"\n{column.name}", flush=True)
        print(f"{'terms':>5}  " + "".join(f"{dtype:16}" for dtype in column.dtypes))
        for slots, dtype, cell in cells(column, draws):
            start = f"{slots:>5}  " if dtype == column.dtypes[0] else ""
            end = "\n" if dtype == column.dtypes[-1] else ""
            print(f"{start}{cell!s:16}", end=end, flush=True)
            broken += not cell.kept
    print("\nwitness, columns of slots 0, 1, 2 and all others:")
    for dtype in HALVES:
        print(f"{dtype:9} " + "; ".join(str(c) for c in witness(4, dtype).T.tolist()))
    print(f"{broken} promises broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

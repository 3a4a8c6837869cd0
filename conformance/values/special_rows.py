"""Values of a tensor in which each row, or each column, holds a special value among plain ones.

Drawn special values lie somewhere. Planted ones lie where a rule says, so that every slot of a
token, and every column of a tile, surely meets each kind, and no two kinds meet in one sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import Format

PLANTED = "planted"
"""The family's name in a recipe, whose only stripe it is."""

KINDS = ("NaN", "+infinity", "-infinity", "least subnormal", "-0.0")
LARGEST = 5
"""Of the plain values: small integers, which any order adds exactly."""


def planted(
    rows: NDArray[np.int64], columns: int, all_rows: int, fmt: Format, seed: int
) -> NDArray[np.float64]:
    """Rows [rows, columns] of a tensor of ``all_rows`` rows.

    A tensor with no fewer columns than rows has one special value in every column, whose row moves
    on with it; after so many columns as there are rows comes the next of `KINDS`. Any other tensor
    has one in every row, whose column moves on with it; the kind changes from row to row, and in a
    column from one to the next. Beside a kind that is lost among others, a subnormal or -0.0, stand
    zeros, along the column or the row.
    """
    row, column = rows[:, None], np.arange(columns)[None, :]
    if columns >= all_rows:
        special = column % max(1, all_rows) == row
        kind = column // max(1, all_rows) + seed
    else:
        special = row % max(1, columns) == column
        again = columns % len(KINDS) == 0  # a column would have one kind alone
        kind = row + again * (row // max(1, columns)) + seed
    kind = np.broadcast_to(kind % len(KINDS), special.shape)
    plain = (1 + (3 * row + column + seed) % LARGEST) * np.where((row + column) % 2, -1.0, 1.0)
    values: NDArray[Any] = np.where(kind >= KINDS.index("least subnormal"), 0.0, plain)
    return np.where(special, special_values(fmt)[kind], values)


def special_values(fmt: Format) -> NDArray[np.float64]:
    """One value of each of `KINDS`, in their order."""
    least = 2.0 ** (fmt.emin - fmt.precision + 1)
    return np.array([np.nan, np.inf, -np.inf, least, -0.0])

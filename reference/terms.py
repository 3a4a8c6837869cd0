"""The terms of a summed output: which source rows are really added for every output row.

An operator's module states its sums twice, as `formula` (the document's equation) and as `Terms`;
from the terms an evaluator computes exact values, sums of magnitudes and error bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import format_of


@dataclass(frozen=True, eq=False)
class Terms:
    """The source rows added for every output row, slots in the document's order t = 0..K-1.

    * `rows`: int32 or int64, [output_rows, slots]. An entry r >= 0 adds row r of the source, viewed
      as 2-D [source_rows, columns]; -1 adds nothing, and the source is not read for it. Repeated
      entries are added as often as they occur.
    * `source`: name of the input tensor that the rows index.
    * `under`: names of further tensors, whose rows are numbered on from those of the one before, as
      if they lay under it (see `stacked`). All have one dtype and as many columns.
    * `coefficients`: factor of each term, same shape as `rows`; None stands for 1 everywhere.
    * `cast`: name of the storage format (floats.format_of) that each term is rounded to before the
      sum; None where the terms enter the sum unrounded.
    * `columns`: columns of source and output viewed as 2-D; None stands for their last axis. It is
      1 where a sum runs along that axis, and the terms of an output are single elements.

    Raises TypeError for a dtype of `rows` other than the two, ValueError for a shape that is not
    2-D, for coefficients of another shape and for an unknown `cast`.
    """

    rows: NDArray[Any]
    source: str
    coefficients: NDArray[Any] | None = None
    cast: str | None = None
    columns: int | None = None
    under: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rows.dtype not in (np.int32, np.int64):
            raise TypeError(f"rows: dtype {self.rows.dtype} must be int32 or int64")
        if self.rows.ndim != 2:
            raise ValueError(f"rows: shape {self.rows.shape} must be (output_rows, slots)")
        if self.coefficients is not None and self.coefficients.shape != self.rows.shape:
            raise ValueError(
                f"coefficients: shape {self.coefficients.shape} must be that of rows,"
                f" {self.rows.shape}"
            )
        if self.cast is not None:
            format_of(self.cast)

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of all tensors that the rows index."""
        return (self.source, *self.under)

    def view(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """The 2-D shape [rows, columns] as which a source or output of that shape is viewed."""
        if self.columns is None:
            return math.prod(shape[:-1]), shape[-1] if shape else 1
        return math.prod(shape) // self.columns, self.columns

    @property
    def live(self) -> NDArray[np.int64]:
        """Number of slots that add a source row, int64 [output_rows].

        An upper bound on the n of numerics N.0, which leaves out terms that are zero as well.
        """
        return np.asarray(np.count_nonzero(self.rows >= 0, axis=1), dtype=np.int64)

    def of_elements(self, columns: int, factors: NDArray[Any] | None = None) -> Terms:
        """The same sums as those of single elements, of so many columns: an output row for each.

        `factors`, [output_rows, slots, columns], are one more factor of each element's term.
        """
        places = np.arange(columns)[:, None]
        rows = np.where(
            self.rows[:, None] >= 0, self.rows[:, None].astype(np.int64) * columns + places, -1
        ).reshape(-1, self.rows.shape[1])
        weights = None
        if self.coefficients is not None:
            weights = np.repeat(self.coefficients, columns, axis=0)
        if factors is not None:
            each = factors.transpose(0, 2, 1).reshape(rows.shape)
            weights = each if weights is None else weights * each
        return replace(self, rows=rows, coefficients=weights, columns=1)

    def validate(self, source_rows: int) -> None:
        """Raise ValueError for the first entry outside [-1, source_rows)."""
        outside = (self.rows < -1) | (self.rows >= source_rows)
        if outside.any():
            row, slot = (int(axis[0]) for axis in np.nonzero(outside))
            named = " and ".join(self.sources)
            raise ValueError(
                f"rows[output row {row}, slot {slot}]={self.rows[row, slot]}: must lie in"
                f" [-1, {source_rows}), the rows of {named}, -1 for a slot that adds nothing"
            )


def stacked(parts: Sequence[Terms], heights: Sequence[int]) -> Terms:
    """Sums of several sources as one: the slots of each part after those of the part before.

    `heights` are the rows of each part's source as it is viewed. A part without coefficients has
    ones where another has some. Raises ValueError for parts that are casts or of other `columns`
    than the first.
    """
    columns = {part.columns for part in parts}
    if len(columns) > 1 or any(part.cast is not None for part in parts):
        raise ValueError("parts: a cast, or other columns, cannot be stacked")
    starts = np.cumsum([0, *heights[:-1]])
    rows = [
        np.where(part.rows >= 0, part.rows.astype(np.int64) + start, -1)
        for part, start in zip(parts, starts, strict=True)
    ]
    weights = [part.coefficients for part in parts]
    dtype = next((one.dtype for one in weights if one is not None), None)
    coefficients = None
    if dtype is not None:
        shown = [
            np.ones(part.rows.shape, dtype) if one is None else one
            for part, one in zip(parts, weights, strict=True)
        ]
        coefficients = np.concatenate(shown, axis=1)
    return Terms(
        rows=np.concatenate(rows, axis=1),
        source=parts[0].source,
        coefficients=coefficients,
        columns=parts[0].columns,
        under=tuple(part.source for part in parts[1:]),
    )

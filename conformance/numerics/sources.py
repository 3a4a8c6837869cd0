"""The tensors whose rows a sum adds, seen as one list of rows: numbered on from one to the next."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Tensor
from reference.terms import Terms

Arrays = Mapping[str, NDArray[np.generic]]

MOST_ROWS_BY_NAME = 8
"""Times as many rows as names, up to which rows are marked and not sorted, which takes longer."""


@dataclass(frozen=True)
class Sources:
    """The sources of ``terms``, and the shape of each."""

    terms: Terms
    shapes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, terms: Terms, tensors: Mapping[str, Any]) -> Sources:
        """Those of some terms among tensors or arrays.

        Raises ValueError where one is not there or they differ in their columns.
        """
        absent = [name for name in terms.sources if name not in tensors]
        if absent:
            raise ValueError(f"terms: the call has no {absent[0]}, of which they name rows")
        found = cls(terms, tuple(tensors[name].shape for name in terms.sources))
        widths = {terms.view(shape)[1] for shape in found.shapes}
        if len(widths) > 1:
            raise ValueError(f"terms: {' and '.join(terms.sources)} must have as many columns")
        return found

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first row of each, and of the row beyond the last."""
        heights = [self.terms.view(shape)[0] for shape in self.shapes]
        return list(itertools.accumulate(heights, initial=0))

    @property
    def view(self) -> tuple[int, int]:
        """Rows and columns of them all."""
        return self.starts[-1], self.terms.view(self.shapes[0])[1]

    @cached_property
    def used(self) -> NDArray[np.int64] | None:
        """Of several sources the rows that the terms name, rising; None: of one, all rows."""
        if not self.terms.under:
            return None
        if self._marked is None:
            rows = self.terms.rows
            return np.unique(rows[rows >= 0]).astype(np.int64)
        return np.flatnonzero(self._marked[:-1])

    @cached_property
    def _marked(self) -> NDArray[np.bool_] | None:
        """Whether each row is named, and one place more for -1; None where rows are too many."""
        height = self.starts[-1]
        if height > MOST_ROWS_BY_NAME * max(1, self.terms.rows.size):
            return None
        marked = np.zeros(height + 1, np.bool_)
        marked[self.terms.rows] = True
        return marked

    def _numbered(self, used: NDArray[np.int64]) -> NDArray[np.int64]:
        """The terms' rows as numbers of those that are used."""
        rows = self.terms.rows
        if self._marked is None:
            return np.where(rows >= 0, np.searchsorted(used, rows), -1)
        numbers = np.cumsum(self._marked, dtype=np.int64) - 1
        numbers[-1] = -1
        return np.asarray(numbers[rows])

    def gathered(self, arrays: Arrays) -> tuple[NDArray[Any], Terms]:
        """Their values, 2-D, and the terms over these: a view and the terms as they are, where
        there is one source; of several the rows that are used, as sources may be huge and sparse.

        Raises ValueError where the terms name a row that is in none.
        """
        parts = [
            arrays[name].reshape(self.terms.view(shape))
            for name, shape in zip(self.terms.sources, self.shapes, strict=True)
        ]
        self.terms.validate(self.view[0])
        if self.used is None:
            return parts[0], self.terms
        bounds = np.searchsorted(self.used, self.starts)
        source = np.concatenate(
            [
                part[self.used[begin:end] - start]
                for part, start, begin, end in zip(
                    parts, self.starts, bounds, bounds[1:], strict=False
                )
            ]
        )
        return source, replace(self.terms, rows=self._numbered(self.used))

    def named(self, row: int) -> str:
        """Where a row of `gathered` lies: a tensor and its row, or a single element's indices."""
        row = row if self.used is None else int(self.used[row])
        which = int(np.searchsorted(self.starts, row, side="right")) - 1
        name, within = self.terms.sources[which], row - self.starts[which]
        if self.terms.columns is None:
            return f"{name}[{within}]"
        position = np.unravel_index(within * self.terms.columns, self.shapes[which])
        return f"{name}[{', '.join(str(at) for at in position)}]"

    def lacking(self, tensors: Mapping[str, Tensor]) -> str:
        """The first row that the terms name and a row-sparse tensor does not hold; empty: none."""
        rows = self.terms.rows
        for name, start, end in zip(self.terms.sources, self.starts, self.starts[1:], strict=False):
            tensor = tensors[name]
            if tensor.rows is None:
                continue
            own = np.where((rows >= start) & (rows < end), rows - start, -1)
            if self.terms.columns is not None:
                own = np.where(own >= 0, own * self.terms.columns // tensor.shape[-1], -1)
            absent = tensor.lacks(own)
            if absent.size:
                return f"{name}[{absent[0]}]"
        return ""

"""The tensors whose rows a sum adds, seen as one list of rows: numbered on from one to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.case import Tensor
from reference.terms import Terms

Arrays = Mapping[str, NDArray[np.generic]]


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
        return [0, *np.cumsum(heights).tolist()]

    @property
    def view(self) -> tuple[int, int]:
        """Rows and columns of them all."""
        return self.starts[-1], self.terms.view(self.shapes[0])[1]

    def array(self, arrays: Arrays) -> NDArray[Any]:
        """Their values, 2-D; a view where there is one of them."""
        parts = [
            arrays[name].reshape(self.terms.view(shape))
            for name, shape in zip(self.terms.sources, self.shapes, strict=True)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def named(self, row: int) -> str:
        """Where a row lies: a tensor and its row, or both indices of a single element."""
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

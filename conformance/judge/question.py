"""What a judge of one output is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.output import SummedOutput
from conformance.record.contract import Arrays, Contract

Formula = Callable[[Arrays, Mapping[str, int]], Arrays]


@dataclass(frozen=True)
class Question:
    """Does output ``name`` of ``case`` keep ``contract``?

    ``observed`` has the shape and dtype that the case declares. ``unwritten`` is what the device
    counted as elements of it that were never written, ``unwritten_at`` which they are, None where
    it does not say. ``formula`` is the operator's reference, ``arithmetic``
    what the device may do. ``specified`` has the shape of the output: elements of which the
    contract speaks, None: all. ``prepared`` is the output as a sum, if that is known already.
    ``outputs`` are all that were observed, ``wrong`` says which elements of those judged before are
    wrong. ``rows`` are those of the first axis of the output that are asked for, None: all.
    """

    name: str
    contract: Contract
    case: Case
    observed: NDArray[Any]
    formula: Formula
    unwritten: int = 0
    arithmetic: Arithmetic = IEEE
    specified: NDArray[np.bool_] | None = None
    unwritten_at: NDArray[np.bool_] | None = None
    prepared: SummedOutput | None = None
    outputs: Arrays = field(default_factory=dict)
    wrong: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    rows: slice | None = None

    @property
    def arrays(self) -> Arrays:
        """The inputs of the case; of a part its rows of those that have rows."""
        return self.case.arrays if self.rows is None else self._cut(self.case.arrays, self.rows)

    @property
    def by_row(self) -> tuple[str, ...]:
        """The tensors that the contract names as such, of which rows are judged by themselves."""
        return getattr(self.contract, "by_row", ())

    def part(self, rows: slice) -> Question:
        """The same question of some rows of the output alone."""
        return replace(
            self,
            rows=rows,
            observed=self.observed[rows],
            specified=None if self.specified is None else self.specified[rows],
            unwritten_at=None if self.unwritten_at is None else self.unwritten_at[rows],
            outputs=self._cut(self.outputs, rows),
            wrong=self._cut(self.wrong, rows),
        )

    def _cut(self, arrays: Mapping[str, NDArray[Any]], rows: slice) -> Mapping[str, NDArray[Any]]:
        return {n: a[rows] if n in self.by_row else a for n, a in arrays.items()}

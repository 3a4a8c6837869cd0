"""The relation of operators that compute each row by itself: further rows change none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held


def further_rows(
    given: str,
    of_rows: tuple[str, ...],
    shared: tuple[str, ...] = (),
    modes: tuple[str, ...] = (),
) -> Relation:
    """Rows have the same results beside others: as many, which are the same ones in reverse.

    ``given`` is an input with all rows, ``of_rows`` are the outputs whose rows depend on the same
    row of the inputs alone; inputs that are ``shared`` are the same for all rows.
    """

    def twice(array: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([array, array[::-1]])

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        count = case.inputs[given].shape[0]
        inputs = {
            name: one if name in shared else held(one, twice(case.arrays[name]))
            for name, one in case.inputs.items()
        }
        more = {
            name: replace(one, shape=(2 * one.shape[0], *one.shape[1:]))
            for name, one in case.outputs.items()
        }
        seen = run(replace(case, inputs=inputs, outputs=more))
        for name in of_rows:
            if name in outputs:
                meaning = "by the call without further rows"
                yield from difference(name, seen[name][:count], outputs[name], meaning)

    clause = inferred("further rows change no row", "each row is computed by itself")
    return Relation("further rows", clause, broken, None, modes)

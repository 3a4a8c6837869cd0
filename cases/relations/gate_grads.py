"""Relations of the gradient of weights: two slots exchanged, a factor in place of gradients."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held, with_arrays

LEAST_NORMAL = 2.0**-126
SLOTS = 2
"""Of more, a sum depends on the order of its terms."""


def two_slots(grad: str, ids: str, outputs_of: tuple[str, ...]) -> Relation:
    """Two slots in the other order have the same gradient, in each bit: a sum of two terms has one
    value. ``grad`` and ``ids`` are the inputs [rows, k]."""

    def first(array: NDArray[Any]) -> NDArray[Any]:
        return array[:, :SLOTS]

    def prepared(drawn: Case) -> Case | None:
        if drawn.inputs[grad].shape[1] < SLOTS:
            return None
        less = {name: held(drawn.inputs[name], first(drawn.arrays[name])) for name in (grad, ids)}
        return replace(drawn, inputs={**drawn.inputs, **less})

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        turned = {name: np.flip(case.arrays[name], axis=1).copy() for name in (grad, ids)}
        seen = run(with_arrays(case, turned))
        for name in outputs_of:
            meaning = "by the call with the slots in their order"
            yield from difference(name, seen[name], outputs[name], meaning, sums=True)

    clause = inferred("two slots may have either order", "a sum of two terms has one value")
    return Relation("two slots exchanged", clause, broken, prepared)


def factor_for_gradients(grad: str, factor: str, outputs_of: tuple[str, ...]) -> Relation:
    """A factor twice as large, and gradients that are half as large, have the same gradient, in
    each bit: their products are the same numbers."""

    def halves(case: Case) -> NDArray[Any]:
        return (case.arrays[grad].astype(np.float64) / 2).astype(case.arrays[grad].dtype)

    def prepared(drawn: Case) -> Case | None:
        given, half = (one.astype(np.float64) for one in (drawn.arrays[grad], halves(drawn)))
        size = np.abs(given)
        inexact = (half * 2 != given) | (size > 0) & (size < 2 * LEAST_NORMAL)
        return None if (inexact & ~np.isnan(given)).any() else drawn

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        larger = {**case.attributes, factor: 2 * case.attributes[factor]}
        seen = run(replace(with_arrays(case, {grad: halves(case)}), attributes=larger))
        for name in outputs_of:
            meaning = "with half of the factor, and twice the gradients"
            yield from difference(name, seen[name], outputs[name], meaning, sums=True)

    clause = inferred("gradients and the factor have one product", "step 1 of the equations")
    return Relation("a factor for gradients", clause, broken, prepared)

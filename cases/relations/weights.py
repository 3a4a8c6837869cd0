"""Relations of weighted sums: a weight of 0 leaves its row out, 1 changes nothing, NaN is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cases.relations.slot_sums import SlotSum, SumForm
from conformance.call.case import Case
from conformance.record.clause import Clause, inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held, on_lattice


def zero_is_none(
    own: SumForm, rows: str, weights: str, clause: Clause, modes: tuple[str, ...] = ()
) -> Relation:
    """A slot of weight 0, or -0, adds as little as one that names no row, whatever its row holds.

    Rows that only such slots name are NaN. ``rows`` and ``weights`` are inputs.
    """

    def zeros(shape: tuple[int, ...]) -> NDArray[np.bool_]:
        tokens, slots = np.indices(shape)
        return np.asarray((tokens + slots) % 3 == 0)

    def without(case: Case) -> SlotSum | None:
        sums = own.read(case)
        if sums is None or sums.weights is None or 0 in sums.names.shape:
            return None
        return replace(sums, names=np.where(zeros(sums.names.shape), -1, sums.names))

    def prepared(drawn: Case) -> Case | None:
        case = on_lattice(drawn)
        left = without(case)
        if left is None or own.call(left) is None:
            return None
        stored = np.array(case.arrays[weights])
        stored[zeros(stored.shape)] = 0
        stored[::2][zeros(stored.shape)[::2]] *= -1
        unread = np.setdiff1d(np.arange(left.count), left.names)
        inputs = {
            **case.inputs,
            rows: replace(case.inputs[rows], unread=tuple(unread.tolist())),
            weights: held(case.inputs[weights], stored),
        }
        return replace(case, inputs=inputs)

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        left = without(case)
        asked = None if left is None else own.call(left)
        if asked is not None:
            due, meaning = run(asked)[own.output], "by a call without the slots of weight 0"
            yield from difference(own.output, outputs[own.output], due, meaning, sums=True)

    return Relation("weights of zero", clause, broken, prepared, modes)


def no_number_is_told(
    own: SumForm, weights: str, clause: Clause, modes: tuple[str, ...] = ()
) -> Relation:
    """A token with a slot whose weight is NaN is NaN, and no other is."""

    def prepared(drawn: Case) -> Case | None:
        case = on_lattice(drawn)
        sums = own.read(case)
        if sums is None or weights not in case.inputs:
            return None
        stored = np.array(case.arrays[weights])
        weighed = np.argwhere(sums.names[:, : stored.shape[1]] >= 0)
        if not weighed.size:
            return None
        stored[tuple(weighed[-1])] = np.nan
        return replace(case, inputs={**case.inputs, weights: held(case.inputs[weights], stored)})

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        due: NDArray[np.bool_] = np.isnan(np.asarray(case.arrays[weights], np.float64))
        seen: NDArray[np.bool_] = np.isnan(np.asarray(outputs[own.output], np.float64))
        told, width = seen.sum(axis=1).tolist(), seen.shape[1]
        for token, weighed in enumerate(map(any, due.tolist())):
            if told[token] != weighed * width:
                least = "has a weight that is NaN" if weighed else "has none"
                yield f"token {token} {least}, and {told[token]} of its {width} columns are NaN"
                return

    return Relation("weight that is no number", clause, broken, prepared, modes)


def one_is_none(
    output: str,
    weights: str,
    gradient: str = "",
    modes: tuple[str, ...] = (),
) -> Relation:
    """Weights of 1 are as good as none, on any data: ``weights`` is an input that may be left out.

    With a ``gradient`` of weights, an output that is left out with them, a token has one slot.
    """

    def prepared(drawn: Case) -> Case | None:
        given = drawn.inputs.get(weights)
        if given is None or 0 in given.shape or (gradient and given.shape[1] != 1):
            return None
        ones = np.ones_like(drawn.arrays[weights])
        return replace(drawn, inputs={**drawn.inputs, weights: held(given, ones)})

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        inputs = {name: one for name, one in case.inputs.items() if name != weights}
        left = {name: one for name, one in case.outputs.items() if name != gradient}
        due = run(replace(case, inputs=inputs, outputs=left))[output]
        yield from difference(output, outputs[output], due, "by a call without weights", sums=True)

    clause = inferred("weights of 1 are as good as none", "a product with 1 is exact")
    return Relation("weights of one", clause, broken, prepared, modes)

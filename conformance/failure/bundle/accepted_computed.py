"""What a bundle stores of outputs that are computed or selected: what holds of any right device.

Of a selection only those rows are stored that have one legal answer, whatever scores the device
computes. Of what depends on a selection only the elements of such rows, by no device's own scores.
Integers that are quantised lie between those by the least and by the greatest scale of any device.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.judge.computed import promised_outputs
from conformance.judge.effects import specified_elements
from conformance.judge.ends import computed_of, ends_of
from conformance.judge.right_answer import right_answer
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.selection import certified
from conformance.record.contract import Bounded, Quantised, Selected
from conformance.record.operator import Operator

Mask = NDArray[np.bool_]
LEAST, MOST = -(2**31), 2**31 - 1
"""The range of all patterns."""

Arrays = dict[str, NDArray[Any]]


def of_computed(
    operator: Operator, case: Case, name: str, arithmetic: Arithmetic
) -> tuple[Mask, tuple[NDArray[Any], ...], tuple[int, int] | None]:
    """Of an output, which elements nothing is stored of; the least and the greatest accepted
    ordered pattern of each, with the storage bits and the infinity of their format, 0 for that of
    integers; or of a selection its positions, with None.
    """
    contract = operator.contract(name, case)
    outputs = promised_outputs(operator, case, right_answer(operator, case).outputs)
    like = np.zeros(case.outputs[name].shape, numpy_dtype(case.outputs[name].dtype))
    specified = specified_elements(contract, case, like)
    silent = np.zeros(like.shape, np.bool_) if specified is None else ~specified
    if isinstance(contract, Selected):
        return silent | ~_certain(contract, case, outputs[name], arithmetic), (outputs[name],), None
    assert isinstance(contract, Bounded | Quantised)
    for given in contract.given:
        chosen = operator.contract(given, case)
        if isinstance(chosen, Selected):
            certain = _certain(chosen, case, outputs[given], arithmetic)
            silent = silent | ~certain.any(axis=-1, keepdims=True)
    # Scores that a call writes are those of its device: a bundle holds those of none.
    chosen_ones = {
        given: outputs[given]
        for given in contract.given
        if isinstance(operator.contract(given, case), Selected)
    }
    both = [chosen_ones]
    if isinstance(contract, Quantised):
        both = [
            chosen_ones | own for own in _extreme(operator, contract, case, outputs, arithmetic)
        ]
    calls = [computed_of(contract, case, shown, arithmetic) for shown in both]
    found = [ends_of(contract, seen, like, arithmetic) for seen in calls]
    silent = np.logical_or.reduce([silent, *(ends.unbounded for ends in found)])
    low = np.where(silent, LEAST, np.minimum.reduce([ends.low for ends in found]))
    high = np.where(silent, MOST, np.maximum.reduce([ends.high for ends in found]))
    storage = found[0].storage
    bits = 8 * like.itemsize
    return silent, (low, high), (bits, storage.infinity_bits if storage is not None else 0)


def _extreme(
    operator: Operator, contract: Quantised, case: Case, outputs: Arrays, arithmetic: Arithmetic
) -> Iterator[Arrays]:
    """What the contract is given of outputs that are computed: the least of each, the greatest."""
    of_each = {}
    for given in contract.given:
        chosen = operator.contract(given, case)
        if isinstance(chosen, Bounded):
            seen = computed_of(chosen, case, {}, arithmetic)
            of_each[given] = ends_of(chosen, seen, outputs[given], arithmetic)
    yield {given: ends.values(ends.low) for given, ends in of_each.items()}
    yield {given: ends.values(ends.high) for given, ends in of_each.items()}


def _certain(contract: Selected, case: Case, ids: NDArray[Any], arithmetic: Arithmetic) -> Mask:
    """Which elements of a selection lie in rows that have one legal answer, these ids."""
    with np.errstate(all="ignore"):
        alternatives = contract.keys(computed_of(contract, case, {}, arithmetic))
    rows = ids.reshape(-1, ids.shape[-1])
    certain = np.logical_and.reduce([certified(rows, one, contract.ties) for one in alternatives])
    return np.repeat(certain, ids.shape[-1]).reshape(ids.shape)

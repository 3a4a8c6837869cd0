"""What a bundle stores of outputs that are computed or selected: what holds of any right device.

Of a selection only those rows are stored that have one legal answer, whatever scores the device
computes. Of what depends on a selection only the elements of such rows, by no device's own scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.judge.computed import promised_outputs
from conformance.judge.effects import specified_elements
from conformance.judge.ends import Ends, computed_of, ends_of
from conformance.judge.right_answer import right_answer
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.selection import certified
from conformance.record.contract import Bounded, Selected
from conformance.record.operator import Operator
from reference.floats import Format

Mask = NDArray[np.bool_]
LEAST, MOST = -(2**31), 2**31 - 1
"""The range of all patterns."""


def of_computed(
    operator: Operator, case: Case, name: str, arithmetic: Arithmetic
) -> tuple[Mask, tuple[NDArray[Any], ...], Format | None]:
    """Of an output, which elements nothing is stored of; the least and the greatest accepted
    ordered pattern of each, with their format; or of a selection its positions, with none.
    """
    contract = operator.contract(name, case)
    outputs = promised_outputs(operator, case, right_answer(operator, case).outputs)
    like = np.zeros(case.outputs[name].shape, numpy_dtype(case.outputs[name].dtype))
    specified = specified_elements(contract, case, like)
    silent = np.zeros(like.shape, np.bool_) if specified is None else ~specified
    if isinstance(contract, Selected):
        return silent | ~_certain(contract, case, outputs[name], arithmetic), (outputs[name],), None
    assert isinstance(contract, Bounded)
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
    ends = ends_of(contract, case, like, chosen_ones, arithmetic)
    silent = silent | ends.unbounded
    low, high = np.where(silent, LEAST, ends.low), np.where(silent, MOST, ends.high)
    return silent, (low, high), ends.storage


def _certain(contract: Selected, case: Case, ids: NDArray[Any], arithmetic: Arithmetic) -> Mask:
    """Which elements of a selection lie in rows that have one legal answer, these ids."""
    with np.errstate(all="ignore"):
        alternatives = contract.keys(computed_of(contract, case, {}, arithmetic))
    rows = ids.reshape(-1, ids.shape[-1])
    certain = np.logical_and.reduce([certified(rows, one, contract.ties) for one in alternatives])
    return np.repeat(certain, ids.shape[-1]).reshape(ids.shape)

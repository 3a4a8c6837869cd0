"""What a right device answers to a case, by the record's own reference; and wrong answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.judge.copies import as_integers
from conformance.numerics.addends import delivered
from conformance.numerics.output import SummedOutput, summed_output
from conformance.numerics.rounding import IEEE_BEHAVIOUR
from conformance.poison import OUTPUTS, pattern
from conformance.record.contract import Copy, Index, Quantised, Selected, Sum, Unspecified
from conformance.record.operator import Operator
from reference.floats import format_of, to_bits


def right_answer(operator: Operator, case: Case) -> Observation:
    """Sums added in float32 in the formula's order and rounded once, or in that of the slots if
    terms are cast before; what is moved, bit for bit; what is unspecified, left as poison."""
    outputs: dict[str, NDArray[Any]] = {}
    unwritten: dict[str, int] = {}
    with np.errstate(all="ignore"):
        sums = operator.formula(case.widened(np.float32), case.attributes)
    for name, tensor in case.outputs.items():
        contract = operator.contract(name, case)
        dtype = numpy_dtype(tensor.dtype)
        unwritten[name] = 0
        if isinstance(contract, Unspecified):
            poison = np.resize(
                np.frombuffer(pattern(OUTPUTS), np.uint8), tensor.size * dtype.itemsize
            )
            outputs[name] = poison.view(dtype).reshape(tensor.shape)
            unwritten[name] = tensor.size
        elif isinstance(contract, Copy):
            inputs = as_integers(case.arrays, contract.moved)
            moved = np.asarray(operator.formula(inputs, case.attributes)[name])
            outputs[name] = moved.astype(f"u{dtype.itemsize}").view(dtype)
        elif isinstance(contract, Index | Quantised | Selected):
            outputs[name] = np.asarray(sums[name], dtype)
        else:
            exact = np.asarray(sums[name], np.float32)
            if isinstance(contract, Sum):
                empty = np.zeros(tensor.shape, dtype)
                exact = _with_casts(summed_output(name, contract, case, empty), exact)
            outputs[name] = to_bits(exact, format_of(dtype)).view(dtype).reshape(tensor.shape)
    return Observation(Outcome.COMPLETED, outputs=outputs, unwritten=unwritten)


def _with_casts(output: SummedOutput, formula: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sums if terms are cast before, which a formula need not spell out; else the formula's."""
    if output.terms.cast is None:
        return formula
    given = output.whole
    terms = delivered(given.values, given.factors, output.rule, IEEE_BEHAVIOUR, bare=False)
    total = np.zeros(terms.shape[1:], np.float32)
    with np.errstate(all="ignore"):
        for term in terms.astype(np.float32):
            total += term
    return total

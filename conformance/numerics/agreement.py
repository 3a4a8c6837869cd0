"""The suite checked against itself: formula, terms and declared order of one case must agree."""

from __future__ import annotations

import numpy as np

from conformance.case import Case
from conformance.numerics.gather import blocks, gather
from conformance.numerics.interval import judge_elements
from conformance.numerics.summed import SummedOutput, summed_output
from conformance.operator import Arrays, Operator, Sum
from reference.floats import widen

ELEMENTS = 4096
"""Source elements times slots up to which a case is checked."""


class ReferenceDisagreement(Exception):  # noqa: N818
    """The suite's own definitions of an operator contradict each other; no verdict can be given."""


def check(operator: Operator, case: Case, limit: int = ELEMENTS) -> None:
    """Raise ReferenceDisagreement where a small case shows that the reference contradicts itself.

    The formula in float64 must give the exact sum of the terms (within float64's error; NaNs and
    infinities by class), and the declared order must give a value of the accepted set.
    """
    outputs: Arrays | None = None
    for name, contract in operator.contracts.items():
        if not isinstance(contract, Sum):
            continue
        template = case.outputs[name].materialize()
        output = summed_output(name, contract, case, template)
        if output.source.size * output.terms.rows.shape[1] > limit:
            continue
        if outputs is None:
            with np.errstate(all="ignore"):
                outputs = operator.formula(_in_float64(case.arrays), case.attributes)
        _check_formula(operator, output, outputs)
        _check_order(operator, output)


def _in_float64(arrays: Arrays) -> Arrays:
    """The inputs with every floating-point one widened to float64."""
    return {
        name: array if array.dtype.kind in "iub" else widen(array, np.float64)
        for name, array in arrays.items()
    }


def _check_formula(operator: Operator, output: SummedOutput, outputs: Arrays) -> None:
    formula = np.asarray(outputs[output.name], np.float64)
    if formula.shape != output.shape:
        raise ReferenceDisagreement(
            f"{operator.name}: the formula gives {output.name} the shape {formula.shape},"
            f" the case has {output.shape}"
        )
    formula = formula.reshape(output.bits.shape)
    for window in blocks(output.terms, output.source):
        values = gather(output.source, output.terms, *window).astype(np.float64)
        with np.errstate(invalid="ignore"):
            total = values.sum(axis=0)
            magnitude = np.abs(values).sum(axis=0)
            bound = (len(values) + 1) * 2.0**-52 * magnitude
            near = np.abs(formula[window] - total) <= bound
        near |= (formula[window] == total) | (np.isnan(formula[window]) & np.isnan(total))
        if not near.all():
            row, column = (int(axis[0]) for axis in np.nonzero(~near))
            raise ReferenceDisagreement(
                f"{operator.name}: {output.name}, row {window[0].start + row}, column"
                f" {window[1].start + column}: the formula gives"
                f" {formula[window][row, column].item()!r}, the terms sum to"
                f" {total[row, column].item()!r}"
            )


def _check_order(operator: Operator, output: SummedOutput) -> None:
    if output.merges is None:
        return
    for window in blocks(output.terms, output.source):
        values = gather(output.source, output.terms, *window)
        flat = values.reshape(len(values), -1).astype(np.float64)
        declared = output.declared(values)
        judged = judge_elements(flat, declared.reshape(-1), output.accumulate, output.storage)
        if not judged.ok.all():
            row, column = (int(axis[0]) for axis in np.nonzero(~judged.ok.reshape(declared.shape)))
            raise ReferenceDisagreement(
                f"{operator.name}: {output.name}, row {window[0].start + row}, column"
                f" {window[1].start + column}: the declared order gives the bits"
                f" {int(declared[row, column]):#x}, which no order of the terms"
                f" {flat.reshape(values.shape)[:, row, column].tolist()} can give"
            )

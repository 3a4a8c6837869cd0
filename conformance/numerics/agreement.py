"""The suite checked against itself: formula, terms and declared order of one case must agree."""

from __future__ import annotations

import numpy as np

from conformance.case import Case
from conformance.numerics.accepted import Floats, Mask
from conformance.numerics.interval import judge_elements
from conformance.numerics.output import SummedOutput, summed_output
from conformance.operator import Arrays, Operator, Sum

ELEMENTS = 4096
"""Source elements times slots up to which a case is checked; slots that are elements of one row
count as one."""


class ReferenceDisagreement(Exception):  # noqa: N818
    """The suite's own definitions of an operator contradict each other; no verdict can be given."""


def check(operator: Operator, case: Case, limit: int = ELEMENTS) -> None:
    """Raise ReferenceDisagreement where a small case shows that the reference contradicts itself.

    The case must hold the rows that the terms name. The formula in float64 must give the exact sum
    of the terms (within float64's error; NaNs and infinities by class), and the declared order must
    give a value of the accepted set.
    """
    outputs: Arrays | None = None
    for name in case.outputs:
        contract = operator.contract(name, case)
        if not isinstance(contract, Sum):
            continue
        template = case.outputs[name].materialize()
        output = summed_output(name, contract, case, template)
        output.terms.validate(output.source.shape[0])
        absent = output.sources.lacking(case.inputs)
        if absent:
            raise ReferenceDisagreement(
                f"{operator.name}: {name} adds {absent}, which the row-sparse case does not hold"
            )
        held = [case.inputs[source] for source in output.terms.sources]
        last = max(1, held[0].shape[-1])
        of_rows = output.terms.rows.shape[1] * output.source.shape[1] // last
        if sum(source.held_size for source in held) * max(1, of_rows) > limit:
            continue
        if outputs is None:
            with np.errstate(all="ignore"):
                outputs = operator.formula(case.widened(np.float64), case.attributes)
        _check_formula(operator, output, outputs)
        _check_order(operator, output)


def _check_formula(operator: Operator, output: SummedOutput, outputs: Arrays) -> None:
    formula = np.asarray(outputs[output.name], np.float64)
    if formula.shape != output.shape:
        raise ReferenceDisagreement(
            f"{operator.name}: the formula gives {output.name} the shape {formula.shape},"
            f" the case has {output.shape}"
        )
    operands = output.at(np.arange(output.bits.size))
    terms = operands.values
    with np.errstate(invalid="ignore"):
        if operands.factors is not None:
            terms = terms * operands.factors
        # A formula need not spell out a cast before the sum: both readings are the document's.
        near = _near(formula.reshape(-1), terms) | _near(
            formula.reshape(-1), output.addends(operands).low
        )
    if not near.all():
        place = int((~near).argmax())
        row, column = divmod(place, output.bits.shape[1])
        with np.errstate(invalid="ignore"):
            total = terms[:, place].sum().item()
        raise ReferenceDisagreement(
            f"{operator.name}: {output.name}, row {row}, column {column}: the formula gives"
            f" {formula.reshape(-1)[place].item()!r}, the terms sum to {total!r}"
        )


def _near(formula: Floats, terms: Floats) -> Mask:
    """Where the formula's float64 results are those of the terms, by any order in float64."""
    total, magnitude = terms.sum(axis=0), np.abs(terms).sum(axis=0)
    # an infinite magnitude would put every formula near
    near = np.abs(formula - total) <= (len(terms) + 1) * 2.0**-52 * magnitude
    near &= np.isfinite(total)
    return np.asarray(near | (formula == total) | (np.isnan(formula) & np.isnan(total)))


def _check_order(operator: Operator, output: SummedOutput) -> None:
    if output.merges is None:
        return
    operands = output.at(np.arange(output.bits.size))
    added = output.addends(operands)
    for declared in output.declared(operands):
        judged = judge_elements(added, declared, output.accumulate, output.storage)
        if not judged.ok.all():
            place = int((~judged.ok).argmax())
            row, column = divmod(place, output.bits.shape[1])
            raise ReferenceDisagreement(
                f"{operator.name}: {output.name}, row {row}, column {column}: the declared order"
                f" gives the bits {int(declared[place]):#x}, which no order of the terms"
                f" {added.low[:, place].tolist()} can give"
            )

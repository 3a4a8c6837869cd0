"""The suite checked against itself: formula, terms and declared order of one case must agree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conformance.call.case import Case, numpy_dtype
from conformance.catalogue import broken_record as say
from conformance.catalogue.message import row as lines
from conformance.errors import text_of
from conformance.judge.computed import judge_bounded, promised_outputs
from conformance.judge.effects import specified_elements
from conformance.judge.question import Question
from conformance.judge.right_answer import right_answer
from conformance.judge.selected import judge_selected
from conformance.numerics.accepted import Floats, Mask
from conformance.numerics.elements import judge_elements
from conformance.numerics.output import Operands, SummedOutput, summed_output
from conformance.record.contract import (
    Arrays,
    Computing,
    Index,
    Quantised,
    Selected,
    Sum,
    Unspecified,
)
from conformance.record.operator import Operator

ELEMENTS = 4096
"""Source elements times slots up to which a case is checked; slots that are elements of one row
count as one."""


class ReferenceDisagreement(Exception):  # noqa: N818
    """The suite's own definitions of an operator contradict each other; no verdict can be given."""


def check(operator: Operator, case: Case, limit: int = ELEMENTS) -> Mapping[str, SummedOutput]:
    """Raise ReferenceDisagreement where a small case shows that the reference contradicts itself.

    The case must hold the rows that the terms name. The formula in float64 must give the exact sum
    of the terms (within float64's error; NaNs and infinities by class), and the declared order must
    give a value of the accepted set.

    What the formula gives in float32 must keep the contracts of values that are computed and
    selected, on a device that rounds every function correctly.

    Returns the case's sums by output (`sums_of`): what was worked out serves to judge them.
    """
    _check_computed(operator, case, limit)
    outputs: Arrays | None = None
    sums = sums_of(operator, case)
    for name, output in sums.items():
        held = [case.inputs[source] for source in output.terms.sources]
        last = max(1, held[0].shape[-1])
        of_rows = output.terms.rows.shape[1] * output.source.shape[1] // last
        if sum(source.held_size for source in held) * max(1, of_rows) > limit:
            continue
        if outputs is None:
            with np.errstate(all="ignore"):
                outputs = operator.formula(case.widened(np.float64), case.attributes)
        _compare(operator, case, outputs, name)
        _check_formula(operator, output, outputs)
        _check_order(operator, output)
    return sums


def sums_of(operator: Operator, case: Case) -> dict[str, SummedOutput]:
    """The case's sums by output, each showing zeros.

    Raises ReferenceDisagreement if the case does not hold the rows that the terms name.
    """
    sums = {}
    for name, tensor in case.outputs.items():
        contract = operator.contract(name, case)
        if not isinstance(contract, Sum):
            continue
        template = np.zeros(tensor.shape, numpy_dtype(tensor.dtype))
        sums[name] = output = summed_output(name, contract, case, template)
        if absent := output.sources.lacking(case.inputs):
            adds = {"operator": operator.name, "output": name, "row": absent}
            raise ReferenceDisagreement(say.NOT_HELD(**adds))
    return sums


def _check_computed(operator: Operator, case: Case, limit: int) -> None:
    contracts = {name: operator.contract(name, case) for name in case.outputs}
    if not any(isinstance(one, Computing) for one in contracts.values()):
        return
    if sum(tensor.held_size for tensor in case.inputs.values()) > limit:
        return
    outputs = promised_outputs(operator, case, right_answer(operator, case).outputs)
    for name, contract in contracts.items():
        if not isinstance(contract, Computing):
            continue
        observed = outputs[name]
        specified = specified_elements(contract, case, observed)
        asked = Question(
            name,
            contract,
            case,
            observed,
            operator.formula,
            specified=specified,
            outputs=outputs,
        )
        found = (judge_selected if isinstance(contract, Selected) else judge_bounded)(asked)
        if not found.ok:
            told = say.OFF_THE_CONTRACT(why=found.worst.text if found.worst else "")
            raise _disagreement_on(operator, case, name, told)


def check_outputs(operator: Operator, case: Case) -> None:
    """Raise ReferenceDisagreement where the formula does not give the outputs that the case has.

    Asked before a call that was not carried out is held against the kernel: an interface rejects
    outputs of another shape. A row-sparse case is not asked: its other rows fill no memory.
    """
    if any(tensor.rows is not None for tensor in case.inputs.values()):
        return
    try:
        with np.errstate(all="ignore"):
            outputs = operator.formula(case.arrays, case.attributes)
    except (ValueError, TypeError) as error:
        on_case = say.DISAGREE_ON_CASE(operator=operator.name)
        rejects = say.REJECTS_CASE(why=text_of(error))
        raise _disagreement(operator, case, on_case, rejects) from error
    for name in case.outputs:
        if not isinstance(operator.contract(name, case), Unspecified):
            _compare(operator, case, outputs, name)


def _compare(operator: Operator, case: Case, outputs: Arrays, name: str) -> None:
    """Compare a formula's output with the case's: its shape, and that indices are integers."""
    if name not in outputs:
        raise _disagreement_on(operator, case, name, say.NO_SUCH_OUTPUT())
    tensor, given = case.outputs[name], np.asarray(outputs[name])
    indices = isinstance(operator.contract(name, case), Index | Quantised | Selected)
    wrong_kind = indices and given.dtype.kind not in "iub"
    if wrong_kind or given.shape != tensor.shape:
        of_case, found = list(map(int, tensor.shape)), list(given.shape)
        kinds = (tensor.dtype, given.dtype.name) if wrong_kind else ("", "")
        told = say.OTHER_SHAPE(of_case=f"{kinds[0]}{of_case}", found=f"{kinds[1]}{found}")
        raise _disagreement_on(operator, case, name, told)


def _disagreement_on(operator: Operator, case: Case, name: str, told: str) -> ReferenceDisagreement:
    """The error of a record and its formula that do not say the same of an output."""
    on_output = say.DISAGREE_ON_OUTPUT(operator=operator.name, output=name)
    return _disagreement(operator, case, on_output, told)


def _disagreement(operator: Operator, case: Case, what: str, told: str) -> ReferenceDisagreement:
    """The error of a record and its formula that do not say the same of a case."""
    where = say.IN_MODE(mode=case.mode, dtype=case.dtype, what=told)
    record = say.THE_RECORD(file=operator.file or say.NO_FILE())
    return ReferenceDisagreement(lines([what, "  " + where, "  " + record], "\n"))


def _check_formula(operator: Operator, output: SummedOutput, outputs: Arrays) -> None:
    formula = np.asarray(outputs[output.name], np.float64)
    near = _near(formula.reshape(-1), output.addends(output.whole).low)
    if near.all():
        return
    terms = _uncast(output.whole)
    # A formula need not spell out a cast before the sum: both readings are the document's.
    near |= _near(formula.reshape(-1), terms)
    if not near.all():
        place = int((~near).argmax())
        row, column = divmod(place, output.bits.shape[1])
        with np.errstate(invalid="ignore"):
            total = terms[:, place].sum().item()
        raise ReferenceDisagreement(
            say.OTHER_SUM(
                operator=operator.name,
                output=output.name,
                row=row,
                column=column,
                formula=repr(formula.reshape(-1)[place].item()),
                total=repr(total),
            )
        )


def _uncast(operands: Operands) -> Floats:
    """The terms as they are before any cast: float64 [slots, elements]."""
    with np.errstate(invalid="ignore"):
        return operands.values if operands.factors is None else operands.values * operands.factors


def _near(formula: Floats, terms: Floats) -> Mask:
    """Where the formula's float64 results are those of the terms, by any order in float64."""
    with np.errstate(invalid="ignore"):
        total, magnitude = terms.sum(axis=0), np.abs(terms).sum(axis=0)
        # an infinite magnitude would put every formula near
        near = np.abs(formula - total) <= (len(terms) + 1) * 2.0**-52 * magnitude
    near &= np.isfinite(total)
    if not near.all():
        near |= (formula == total) | (np.isnan(formula) & np.isnan(total))
    return np.asarray(near)


def _check_order(operator: Operator, output: SummedOutput) -> None:
    if output.merges is None:
        return
    added = output.addends(output.whole)
    for declared in output.declared(output.whole):
        judged = judge_elements(added, declared, output.accumulate, output.storage)
        if not judged.ok.all():
            place = int((~judged.ok).argmax())
            row, column = divmod(place, output.bits.shape[1])
            raise ReferenceDisagreement(
                say.OTHER_ORDER(
                    operator=operator.name,
                    output=output.name,
                    row=row,
                    column=column,
                    bits=f"{int(declared[place]):#x}",
                    terms=str(added.low[:, place].tolist()),
                )
            )

"""The judge: what a contract says of an observation. It knows contract types, not operators.

A call must complete, without an error diagnostic, leave its guard zones and inputs alone, and write
every element of every output that its contract specifies with a value that the contract accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import verdict as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import Message, row
from conformance.devices.withheld_calls import may_be_withheld
from conformance.diagnosis.deferred_text import Deferred
from conformance.judge.agreement import check, check_outputs, sums_of
from conformance.judge.computed import in_order, judge_bounded, promised_outputs
from conformance.judge.copies import judge_copy, judge_index
from conformance.judge.effects import (
    count_unwritten,
    shape_misfit,
    side_effects,
    specified_elements,
)
from conformance.judge.headline import failed
from conformance.judge.question import Question
from conformance.judge.selected import judge_selected
from conformance.judge.sums import judge_sum
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.clause import Clause
from conformance.record.contract import (
    Bounded,
    Contract,
    Copy,
    Index,
    Quantised,
    Selected,
    Sum,
    Unspecified,
)
from conformance.record.operator import Operator

UNSPECIFIED, SHAPE_AND_DTYPE = say.UNSPECIFIED(), say.SHAPE_AND_DTYPE()
JudgeOutput = Callable[[Question], OutputVerdict]

JUDGES: Mapping[type[Contract], JudgeOutput] = {
    Sum: judge_sum,
    Copy: judge_copy,
    Index: judge_index,
    Bounded: judge_bounded,
    Quantised: judge_bounded,
    Selected: judge_selected,
    Unspecified: lambda asked: OutputVerdict(
        asked.name, True, asked.contract.clause, UNSPECIFIED, 0, 0
    ),
}
"""How an output is judged, by the type of its contract."""


def judge(
    operator: Operator,
    case: Case,
    observation: Observation,
    arithmetic: Arithmetic = IEEE,
    *,
    checked: bool = True,
) -> Verdict:
    """Judge one call of a case that the operator must carry out, on a device of that arithmetic.

    The suite's own definitions are held against each other on the case if it is to be ``checked``,
    and before a call that was carried out is refused.

    Raises ReferenceDisagreement where the suite's own definitions contradict each other on the
    case, ValueError where the record's contracts do not fit the case.
    """
    about = (case.operator, case.mode, case.dtype)
    findings = call_findings(observation)
    if observation.outcome is not Outcome.COMPLETED:
        headline: str = say.OF_CALL(call=about, what=ending(observation))
        if observation.outcome is Outcome.NOT_POSSIBLE and _may_be_impossible(operator, case):
            return Verdict(True, headline, subject=case, judged=False)
        if observation.outcome is Outcome.REJECTED:
            check_outputs(operator, case)
        return Verdict(False, headline, findings=findings, subject=case)
    sums = check(operator, case) if checked else sums_of(operator, case)
    outputs: dict[str, OutputVerdict] = {}
    problems: list[str] = []
    clause: Clause | None = None
    wrong: dict[str, NDArray[np.bool_]] = {}
    lost: set[str] = set()  # outputs of another shape, by which others cannot be judged
    for name in in_order(operator, case):
        contract = operator.contract(name, case)
        misfit = shape_misfit(case, name, observation)
        promised = not isinstance(contract, Unspecified)
        unwritten = 0
        if name not in observation.unwritten:
            problems.append(say.WRITING_UNKNOWN(output=name))
        if misfit:
            check_outputs(operator, case)
            outputs[name] = OutputVerdict(name, False, contract.clause, SHAPE_AND_DTYPE, 0, 0)
            problems.append(misfit)
            lost.add(name)
        elif lost & set(getattr(contract, "given", ())):
            outputs[name] = OutputVerdict(name, True, contract.clause, SHAPE_AND_DTYPE, 0, 0)
        else:
            observed = observation.outputs[name]
            specified = specified_elements(contract, case, observed)
            if promised:
                unwritten = count_unwritten(observation, name, specified)
            asked = Question(
                name=name,
                contract=contract,
                case=case,
                observed=observed,
                formula=operator.formula,
                unwritten=unwritten,
                arithmetic=arithmetic,
                specified=specified,
                unwritten_at=observation.unwritten_at.get(name),
                prepared=sums.get(name),
                outputs=promised_outputs(operator, case, observation.outputs),
                wrong=wrong,
            )
            found = JUDGES[type(contract)](asked)
            outputs[name] = found
            if found.wrong is not None:
                wrong[name] = found.wrong
            size = observed.size if specified is None else int(np.count_nonzero(specified))
            problems += _problems(found, unwritten, size)
        if not outputs[name].ok or unwritten:
            clause = clause or outputs[name].clause
    surplus = sorted(observation.outputs.keys() - case.outputs.keys())
    problems += [say.NO_SUCH_OUTPUT(output=name) for name in surplus]
    problems += side_effects(observation, values_right=not problems)
    ok = not problems
    if not (ok or checked):
        check(operator, case)
    headline = failed(about, problems) if problems else _accepted(about, outputs)
    evidence = Deferred(lambda: [*findings, *_details(outputs.values())])
    return Verdict(ok, headline, outputs, evidence, clause, case)


def faults(operator: Operator, case: Case, observation: Observation) -> list[str]:
    """What is wrong with a completed call whatever the right values are."""
    problems: list[str] = []
    for name in case.outputs:
        misfit = shape_misfit(case, name, observation)
        if misfit:
            problems.append(misfit)
            continue
        contract = operator.contract(name, case)
        if isinstance(contract, Unspecified):
            continue
        observed = observation.outputs[name]
        specified = specified_elements(contract, case, observed)
        if unwritten := count_unwritten(observation, name, specified):
            problems.append(say.LEFT_OUT(count=unwritten, size=observed.size, output=name))
    return problems + side_effects(observation, values_right=not problems)


def _may_be_impossible(operator: Operator, case: Case) -> bool:
    """Whether a device may leave a call out: it has no room for it, no way to say it, or a CANN
    that may do harm with it."""
    sparse = any(tensor.rows is not None for tensor in case.inputs.values())
    unreached = bool(operator.unreached is not None and operator.unreached(case))
    return sparse or unreached or may_be_withheld(operator, case)


def _problems(found: OutputVerdict, unwritten: int, size: int) -> list[str]:
    """What is wrong with an output, for the headline; its contract speaks of ``size`` elements.

    Untouched elements fail even where the poison passes for a legal value, as a NaN does.
    """

    problems: list[tuple[Message, int]] = []
    if unwritten:
        problems.append((say.NOT_WRITTEN, unwritten))
    if found.mismatches > unwritten:
        problems.append((say.WRONG, found.mismatches))
    if not found.ok and not found.mismatches:
        problems.append((say.OFF_THE_ORDER, found.order_drift))
    return [told(count=count, size=size, output=found.output) for told, count in problems]


def _details(outputs: Iterable[OutputVerdict]) -> Iterator[str]:
    """The evidence behind the verdicts of outputs."""
    for found in outputs:
        if found.worst:
            yield found.worst.text
        if found.pattern:
            yield (say.PATTERN if found.mismatches else say.DRIFTED)(where=found.pattern)
        if found.mismatches and found.order_drift:
            yield say.ALSO_DRIFTED(count=found.order_drift)
        yield from found.guesses


def _accepted(about: tuple[str, ...], outputs: Mapping[str, OutputVerdict]) -> str:
    """The headline of a call that is right."""
    parts = row([_exact(found) for found in outputs.values()], SEMICOLON)
    return say.OF_CALL(call=about, what=say.SENTENCE(what=say.OF_OUTPUTS(outputs=parts)))


def _exact(found: OutputVerdict) -> str:
    """How far an output that is right is bit-exact."""
    if found.step == UNSPECIFIED:
        return say.OPEN(output=found.output, step=UNSPECIFIED)
    room = "" if found.headroom is None else say.HEADROOM(room=found.headroom)
    told = {"output": found.output, "elements": found.elements, "step": found.step, "room": room}
    if found.unbounded and not found.elements:
        return say.OPEN(output=found.output, step=say.NONE_BOUNDED(count=found.unbounded))
    if found.unbounded:
        told["room"] = row([room, say.UNBOUNDED(count=found.unbounded)])
    if found.exact == found.elements:
        return say.ALL_BIT_EXACT(**told)
    return say.BIT_EXACT(exact=found.exact, **told)

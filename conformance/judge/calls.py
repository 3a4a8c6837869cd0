"""The judge: what a contract says of an observation. It knows contract types, not operators.

A call must complete, without an error diagnostic, leave its guard zones and inputs alone, and write
every element of every output that its contract specifies with a value that the contract accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from conformance.call.case import Case
from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.devices.withheld_calls import may_be_withheld
from conformance.diagnosis.deferred_text import Deferred
from conformance.judge.agreement import check, check_outputs
from conformance.judge.copies import judge_copy, judge_index
from conformance.judge.effects import (
    count_unwritten,
    shape_misfit,
    side_effects,
    specified_elements,
)
from conformance.judge.question import Question
from conformance.judge.sums import judge_sum
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.clause import Clause
from conformance.record.operator import (
    Contract,
    Copy,
    Index,
    Operator,
    Sum,
    Unspecified,
)

UNSPECIFIED: Final = "unspecified"
JudgeOutput = Callable[[Question], OutputVerdict]

JUDGES: Mapping[type[Contract], JudgeOutput] = {
    Sum: judge_sum,
    Copy: judge_copy,
    Index: judge_index,
    Unspecified: lambda asked: OutputVerdict(
        asked.name, True, asked.contract.clause, UNSPECIFIED, 0, 0
    ),
}
"""How an output is judged, by the type of its contract."""


def judge(
    operator: Operator, case: Case, observation: Observation, arithmetic: Arithmetic = IEEE
) -> Verdict:
    """Judge one call of a case that the operator must carry out, on a device of that arithmetic.

    Raises ReferenceDisagreement where the suite's own definitions contradict each other on the
    case, ValueError where the record's contracts do not fit the case.
    """
    about = f"{case.operator}, {case.mode}, {case.dtype}"
    findings = call_findings(observation)
    if observation.outcome is not Outcome.COMPLETED:
        headline = f"{about}: {ending(observation)}"
        if observation.outcome is Outcome.NOT_POSSIBLE and _may_be_impossible(operator, case):
            return Verdict(True, headline, subject=case, judged=False)
        if observation.outcome is Outcome.REJECTED:
            check_outputs(operator, case)
        return Verdict(False, headline, findings=findings, subject=case)
    check(operator, case)
    outputs: dict[str, OutputVerdict] = {}
    problems: list[str] = []
    clause: Clause | None = None
    for name in case.outputs:
        contract = operator.contract(name, case)
        misfit = shape_misfit(case, name, observation)
        promised = not isinstance(contract, Unspecified)
        unwritten = 0
        if name not in observation.unwritten:
            problems.append(f"the device did not say how much of {name} was written")
        if misfit:
            check_outputs(operator, case)
            outputs[name] = OutputVerdict(name, False, contract.clause, "shape and dtype", 0, 0)
            problems.append(misfit)
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
            )
            found = JUDGES[type(contract)](asked)
            outputs[name] = found
            problems += _problems(found, unwritten)
        if not outputs[name].ok or unwritten:
            clause = clause or outputs[name].clause
    surplus = sorted(observation.outputs.keys() - case.outputs.keys())
    problems += [f"the device returned {name}, which is no output" for name in surplus]
    problems += side_effects(observation, values_right=not problems)
    ok = not problems
    headline = f"{about}: {'; '.join(problems)}." if problems else _accepted(about, outputs)
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
            problems.append(f"{unwritten} of {observed.size} elements of {name} never written")
    return problems + side_effects(observation, values_right=not problems)


def _may_be_impossible(operator: Operator, case: Case) -> bool:
    """Whether a device may leave a call out: it has no room for it, no way to say it, or a CANN
    that may do harm with it."""
    sparse = any(tensor.rows is not None for tensor in case.inputs.values())
    unreached = bool(operator.unreached is not None and operator.unreached(case))
    return sparse or unreached or may_be_withheld(operator, case)


def _problems(found: OutputVerdict, unwritten: int) -> list[str]:
    """What is wrong with an output, for the headline.

    Untouched elements fail even where the poison passes for a legal value, as a NaN does.
    """

    def share(count: int, be: tuple[str, str]) -> str:
        return f"{count} of {found.elements} elements of {found.output} {be[count > 1]}"

    problems: list[str] = []
    if unwritten:
        problems.append(f"{share(unwritten, ('was', 'were'))} never written")
    if found.mismatches > unwritten:
        problems.append(f"{share(found.mismatches, ('is', 'are'))} wrong")
    if not found.ok and not found.mismatches:
        drift = share(found.order_drift, ("was", "were"))
        problems.append(f"{drift} not added in the promised order, though another order gives it")
    return problems


def _details(outputs: Iterable[OutputVerdict]) -> Iterator[str]:
    """The evidence behind the verdicts of outputs."""
    for found in outputs:
        if found.worst:
            yield str(found.worst)
        if found.pattern:
            yield f"{'pattern' if found.mismatches else 'order drift'}: {found.pattern}"
        yield from found.guesses


def _accepted(about: str, outputs: Mapping[str, OutputVerdict]) -> str:
    """The headline of a call that is right."""
    parts = []
    for found in outputs.values():
        if found.step == UNSPECIFIED:
            parts.append(f"{found.output}: {UNSPECIFIED}")
            continue
        exact = "all" if found.exact == found.elements else f"{found.exact}"
        room = "" if found.headroom is None else f", headroom {found.headroom:.2f}"
        parts.append(
            f"{found.output}: {found.elements} elements, {exact} bit-exact ({found.step}{room})"
        )
    return f"{about}: accepted; {'; '.join(parts)}."

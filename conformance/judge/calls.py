"""The judge: what a contract says of an observation. It knows contract types, not operators.

A call must complete, without an error diagnostic, leave its guard zones and inputs alone, and write
every element of every output that its contract specifies with a value that the contract accepts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.call.findings import call_findings, ending, errors
from conformance.call.observation import Observation, Outcome
from conformance.devices.carried_out import may_be_withheld
from conformance.diagnosis.deferred import Deferred
from conformance.judge.agreement import ReferenceDisagreement, check, check_outputs
from conformance.judge.asked import Question
from conformance.judge.moved import judge_copy, judge_index
from conformance.judge.summed import judge_sum
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.judge.worst import show
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import (
    Contract,
    Copy,
    Example,
    Index,
    Operator,
    Quarantine,
    Rejection,
    Sum,
    Unspecified,
)
from reference.floats import format_of, round_once, to_bits

__all__ = [
    "ReferenceDisagreement",
    "faults",
    "judge",
    "judge_example",
    "judge_rejection",
    "observe_quarantined",
    "printed_bits",
    "specified_elements",
]

UNSPECIFIED = "unspecified"
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
            return Verdict(True, headline, subject=repr(case), judged=False)
        if observation.outcome is Outcome.REJECTED:
            check_outputs(operator, case)
        return Verdict(False, headline, findings=findings, subject=repr(case))
    check(operator, case)
    outputs: dict[str, OutputVerdict] = {}
    problems: list[str] = []
    clause: Clause | None = None
    for name in case.outputs:
        contract = operator.contract(name, case)
        misfit = _misfit(case, name, observation)
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
                unwritten = _unwritten(observation, name, specified)
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
    problems += _side_effects(observation, values_right=not problems)
    ok = not problems
    headline = f"{about}: {'; '.join(problems)}." if problems else _accepted(about, outputs)
    evidence = Deferred(lambda: [*findings, *_details(outputs.values())])
    return Verdict(ok, headline, outputs, evidence, clause, repr(case))


def judge_rejection(rejection: Rejection, observation: Observation) -> Verdict:
    """Judge one call that the interface must refuse: its status, and that it touched nothing."""
    case = rejection.case
    about = f"{case.operator}, {case.mode}, {case.dtype}, {rejection.name}"
    problems: list[str] = []
    if observation.outcome is Outcome.NOT_POSSIBLE and case.breach is not None:
        headline = f"{about}: {ending(observation)}"
        return Verdict(True, headline, clause=rejection.clause, subject=repr(case), judged=False)
    if observation.outcome is not Outcome.REJECTED:
        ended = "the call was carried out"
        if observation.outcome is not Outcome.COMPLETED:
            ended = ending(observation).rstrip(".")
        problems.append(f"{ended}, it must be refused with status {rejection.status}")
    elif observation.status != rejection.status:
        message = f' ("{observation.message}")' if observation.message else ""
        problems.append(
            f"refused with status {observation.status}{message}, must be {rejection.status}"
        )
    if not observation.outputs_untouched:
        problems.append("the outputs of a refused call were written to")
    problems += _side_effects(observation, values_right=False)
    ok = not problems
    refused = f"refused with status {rejection.status}, as it must be"
    headline = f"{about}: {'; '.join(problems) if problems else refused}."
    clause = None if ok else rejection.clause
    return Verdict(ok, headline, {}, call_findings(observation), clause, repr(case))


def judge_example(
    example: Example, operator: Operator, observation: Observation, arithmetic: Arithmetic = IEEE
) -> Verdict:
    """Judge a documented call: as any call, and by the values that the document prints or implies.

    Expected values are rounded once to the output's dtype and compared bit for bit.
    """
    verdict = judge(operator, example.case, observation, arithmetic)
    if observation.outcome is not Outcome.COMPLETED or example.expected is None:
        return verdict
    problems: list[str] = []
    details: list[str] = []
    for name, printed in example.expected.items():
        if _misfit(example.case, name, observation):
            continue  # the verdict says so already
        seen = np.ascontiguousarray(observation.outputs[name])
        expected = printed_bits(example, name, printed)
        observed = seen.reshape(-1).view(expected.dtype)
        wrong = np.flatnonzero(observed != expected)
        if wrong.size:
            first = int(wrong[0])
            position = ", ".join(str(int(i)) for i in np.unravel_index(first, seen.shape))
            problems.append(
                f"{wrong.size} of {seen.size} elements of {name} are not what the document gives"
            )
            values = [_shown(int(bits[first]), seen.dtype) for bits in (observed, expected)]
            details.append(f"{name}[{position}] is {values[0]}, due is {values[1]}")
    if not problems:
        return verdict
    about = f"{example.case.operator}, {example.name}"
    return Verdict(
        ok=False,
        headline=f"{about}: {'; '.join(problems)}.",
        outputs=verdict.outputs,
        findings=(*details, *(() if verdict.ok else (verdict.headline, *verdict.findings))),
        clause=Clause(
            "The documented call gives the values that its source gives.",
            example.source,
            SourceClass.DOCUMENT,
        ),
        subject=verdict.subject,
    )


def faults(operator: Operator, case: Case, observation: Observation) -> list[str]:
    """What is wrong with a completed call whatever the right values are."""
    problems: list[str] = []
    for name in case.outputs:
        misfit = _misfit(case, name, observation)
        if misfit:
            problems.append(misfit)
            continue
        contract = operator.contract(name, case)
        if isinstance(contract, Unspecified):
            continue
        observed = observation.outputs[name]
        specified = specified_elements(contract, case, observed)
        if unwritten := _unwritten(observation, name, specified):
            problems.append(f"{unwritten} of {observed.size} elements of {name} never written")
    return problems + _side_effects(observation, values_right=not problems)


def observe_quarantined(
    quarantined: Quarantine,
    operator: Operator,
    observation: Observation,
    arithmetic: Arithmetic = IEEE,
) -> Verdict:
    """What became of a call in quarantine: the verdict is ok, whatever it was."""
    case = quarantined.case
    told = ending(observation)
    if observation.outcome is Outcome.COMPLETED:
        try:
            found = judge(operator, case, observation, arithmetic)
            told = (
                "carried out as the contract says" if found.ok else f"otherwise: {found.headline}"
            )
        except (ReferenceDisagreement, ValueError, TypeError) as undefined:
            answer = f"outputs of sha256 {_digest(observation.outputs)}"
            told = f"carried out, of which the reference says nothing: {undefined}; {answer}"
        notes = dict.fromkeys(one.message for one in observation.diagnostics)
        told += "".join(f"; the device notes: {note}" for note in notes)
    return Verdict(
        ok=True,
        headline=(
            f"{case.operator}, {case.mode}, {case.dtype}, {quarantined.name}: {told}"
            f" [in doubt: {quarantined.clause.text}]"
        ),
        findings=call_findings(observation),
        clause=quarantined.clause,
        subject=repr(case),
        judged=False,
    )


def _digest(outputs: Mapping[str, NDArray[Any]]) -> str:
    """What two answers have in common only where they are the same."""
    found = hashlib.sha256()
    for name, array in sorted(outputs.items()):
        found.update(f"{name} {array.dtype} {array.shape} ".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def specified_elements(
    contract: Contract, case: Case, observed: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Which elements of an output the contract speaks of; None: all.

    Raises ValueError for a mask that does not broadcast to the output.
    """
    if isinstance(contract, Unspecified) or contract.specified is None:
        return None
    return np.broadcast_to(contract.specified(case.arrays, case.attributes), observed.shape)


def _unwritten(observation: Observation, name: str, specified: NDArray[np.bool_] | None) -> int:
    """How many elements of which a contract speaks were not written. If a device counts them and
    does not say which they are, those that are left open may be among them.
    """
    count = observation.unwritten.get(name, 0)
    if specified is None or not count:
        return count
    if (where := observation.unwritten_at.get(name)) is None:
        return max(0, count - int(np.count_nonzero(~specified)))
    return int(np.count_nonzero(where & specified))


def _may_be_impossible(operator: Operator, case: Case) -> bool:
    """Whether a device may leave a call out: it has no room for it, no way to say it, or a CANN
    that may do harm with it."""
    sparse = any(tensor.rows is not None for tensor in case.inputs.values())
    unreached = bool(operator.unreached is not None and operator.unreached(case))
    return sparse or unreached or may_be_withheld(operator, case)


def _misfit(case: Case, name: str, observation: Observation) -> str:
    """How an observed output differs in shape or dtype from the case's; empty if it does not."""
    declared = case.outputs[name]
    if name not in observation.outputs:
        return f"the device returned no output {name}"
    seen = observation.outputs[name]
    if seen.shape == declared.shape and seen.dtype == numpy_dtype(declared.dtype):
        return ""
    return (
        f"output {name} came back as {seen.dtype.name}{list(seen.shape)},"
        f" must be {declared.dtype}{list(declared.shape)}"
    )


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


def _side_effects(observation: Observation, *, values_right: bool) -> list[str]:
    """What else a call must not do, for the headline."""
    problems: list[str] = []
    if observation.outcome is Outcome.COMPLETED and observation.status != 0:
        problems.append(f"the call completed with status {observation.status}")
    count = len(errors(observation))
    if count:
        first = errors(observation)[0].code
        machine = f"the machine reports {count} error{'s' if count > 1 else ''}, first {first}"
        problems.append(f"the values are right, but {machine}" if values_right else machine)
    for damage in observation.guard_damage:
        problems.append(f"{damage.count} bytes outside {damage.buffer} were written")
    if observation.inputs_changed:
        problems.append(f"inputs were changed: {', '.join(observation.inputs_changed)}")
    return problems


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


def printed_bits(example: Example, name: str, printed: tuple[float, ...]) -> NDArray[Any]:
    """Printed values as bits of the output's dtype."""
    tensor = example.case.outputs[name]
    if len(printed) != tensor.size:
        raise ValueError(
            f"expected[{name!r}] of example {example.name}: {len(printed)} values,"
            f" must be {tensor.size}, the elements of the output"
        )
    dtype = numpy_dtype(tensor.dtype)
    if dtype.kind in "iub":
        return np.array(printed, dtype)
    fmt = format_of(dtype)
    return to_bits(round_once(np.array(printed, np.float64), fmt), fmt)


def _shown(bits: int, dtype: np.dtype[Any]) -> str:
    """A value with its bits, or an integer."""
    return str(bits) if dtype.kind in "iub" else show(bits, format_of(dtype))

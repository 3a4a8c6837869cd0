"""Judging relations: the calls are made one after the other, and the law is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import relations as say
from conformance.devices.withheld_calls import may_be_withheld
from conformance.judge.agreement import check_outputs
from conformance.judge.calls import faults
from conformance.judge.effects import specified_elements
from conformance.judge.verdict import Verdict
from conformance.record.operator import Operator, Unspecified
from conformance.record.relation import Outputs, Relation, does_not_hold

Observe = Callable[[Operator, Case], Observation]
MOST_SENTENCES = 4


class _Ended(Exception):  # noqa: N818 - not an error: the relation has its answer
    """A further call that has no outputs to compare: what became of it."""

    def __init__(self, told: str, observation: Observation) -> None:
        super().__init__(told)
        self.observation = observation


class _Beyond(_Ended):
    """A further call that the route has no way to make: the relation says nothing of the case."""


def related(
    relation: Relation, operators: Mapping[str, Operator], drawn: Case, observe: Observe
) -> tuple[Observation, Verdict]:
    """Whether a relation holds for a drawn case, and what its first call came to.

    ``observe`` makes the calls, of any of the ``operators``.
    """
    about = f"{drawn.operator}, {drawn.mode}, {drawn.dtype}"
    case = relation.case(drawn)
    if case is None:
        return Observation(Outcome.NOT_POSSIBLE), _silent(about, relation)
    first = observe(operators[case.operator], case)
    if _beyond(operators[case.operator], case, first):
        return first, _silent(about, relation)
    if first.outcome is not Outcome.COMPLETED:
        _check_record(operators[case.operator], case, first)
        headline = f"{about}: {ending(first)}"
        return first, Verdict(False, headline, {}, call_findings(first), relation.clause, case)
    try:
        told = list(_broken(relation, operators, case, first, observe))
        seen = first
    except _Beyond as beyond:
        return beyond.observation, _silent(about, relation)
    except _Ended as ended:
        told, seen = [str(ended)], ended.observation
    if not told:
        return first, Verdict(True, f"{about}: {relation.name} holds.", subject=case)
    says = say.HEADLINE_OF_SENTENCE if told[0].endswith(".") else say.HEADLINE
    headline = says(about=about, broken=does_not_hold(relation.name), what=told[0])
    findings = (*told[1:MOST_SENTENCES], *call_findings(seen))
    return first, Verdict(False, headline, {}, findings, relation.clause, case)


def _broken(
    relation: Relation,
    operators: Mapping[str, Operator],
    case: Case,
    first: Observation,
    observe: Observe,
) -> Iterator[str]:
    wrong = faults(operators[case.operator], case, first)
    if wrong:
        yield "; ".join(wrong)
        return

    def run(asked: Case) -> Outputs:
        operator = operators[asked.operator]
        seen = observe(operator, asked)
        if _beyond(operator, asked, seen):
            raise _Beyond(str(seen.message), seen)
        _check_record(operator, asked, seen)
        told = [ending(seen)] if seen.outcome is not Outcome.COMPLETED else []
        told = told or faults(operator, asked, seen)
        if told:
            raise _Ended(f"of a further call, {_named(asked)}, {'; '.join(told)}", seen)
        return _promised(operator, asked, seen.outputs)

    yield from relation.broken(case, _promised(operators[case.operator], case, first.outputs), run)


def _check_record(operator: Operator, case: Case, seen: Observation) -> None:
    """Raise ReferenceDisagreement where a call was rejected for outputs that its record invents."""
    if seen.outcome is Outcome.REJECTED:
        check_outputs(operator, case)


def _beyond(operator: Operator, case: Case, seen: Observation) -> bool:
    """Whether a call was not made, as the route cannot express it or CANN may do harm with it."""
    cannot = may_be_withheld(operator, case) or (
        operator.unreached is not None and operator.unreached(case)
    )
    return bool(cannot) and seen.outcome is Outcome.NOT_POSSIBLE


def _silent(about: str, relation: Relation) -> Verdict:
    return Verdict(True, f"{about}: {relation.name} says nothing of it.", judged=False)


def _promised(operator: Operator, case: Case, outputs: Outputs) -> dict[str, NDArray[np.generic]]:
    """Outputs that a later call on the same device does not change. Elements of which nothing is
    promised are 0: they may hold what was there before, which no law speaks of."""
    held = {}
    for name, array in outputs.items():
        contract = operator.contract(name, case)
        if isinstance(contract, Unspecified):
            held[name] = np.zeros_like(array)
            continue
        held[name] = np.array(array)
        specified = specified_elements(contract, case, array)
        if specified is not None:
            held[name][~specified] = 0
    return held


def _named(case: Case) -> str:
    sizes = ", ".join(f"{name} {list(tensor.shape)}" for name, tensor in case.inputs.items())
    return f"{case.operator} {case.mode} ({sizes})"

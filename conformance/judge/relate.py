"""Judging relations: the calls are made one after the other, and the law is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.findings import call_findings, ending
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import relate as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.catalogue.verdict import OF_CALL
from conformance.devices.withheld_calls import may_be_withheld
from conformance.errors import text_of
from conformance.judge.agreement import check_outputs
from conformance.judge.calls import faults
from conformance.judge.effects import specified_elements
from conformance.judge.headline import failed, unended
from conformance.judge.verdict import Verdict
from conformance.record.contract import Unspecified
from conformance.record.operator import Operator
from conformance.record.relation import Outputs, Relation

Observe = Callable[[Operator, Case], Observation]
MOST_SENTENCES = 4

INVARIANTS = {
    "definedness": say.DEFINEDNESS,
    "determinism": say.DETERMINISM,
    "layout": say.LAYOUT,
}
"""What is said where a relation of every operator does not hold (conformance/relations)."""


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
    about = (drawn.operator, drawn.mode, drawn.dtype)
    case = relation.case(drawn)
    if case is None:
        return Observation(Outcome.NOT_POSSIBLE), _silent(about, relation)
    first = observe(operators[case.operator], case)
    if _beyond(operators[case.operator], case, first):
        return first, _silent(about, relation)
    if first.outcome is not Outcome.COMPLETED:
        _check_record(operators[case.operator], case, first)
        headline: str = OF_CALL(call=about, what=ending(first))
        return first, Verdict(False, headline, {}, call_findings(first), relation.clause, case)
    try:
        told = list(_broken(relation, operators, case, first, observe))
        seen = first
    except _Beyond as beyond:
        return beyond.observation, _silent(about, relation)
    except _Ended as ended:
        told, seen = [text_of(ended)], ended.observation
    if not told:
        holds = OF_CALL(call=about, what=say.HOLDS(relation=relation.name))
        return first, Verdict(True, holds, subject=case)
    headline = failed(about, [_broken_law(relation.name, unended(told[0]))])
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
        yield row(wrong, SEMICOLON)
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
            what = row(told, SEMICOLON)
            raise _Ended(say.OF_A_FURTHER_CALL(call=_named(asked), what=what), seen)
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


def _broken_law(relation: str, what: str) -> str:
    """What is said where a relation does not hold."""
    invariant = INVARIANTS.get(relation)
    return invariant(what=what) if invariant else say.BROKEN(relation=relation, what=what)


def _silent(about: tuple[str, ...], relation: Relation) -> Verdict:
    silent = OF_CALL(call=about, what=say.SILENT(relation=relation.name))
    return Verdict(True, silent, judged=False)


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

"""Templates: one test over all records.

A template reads as run, judge, assert, and becomes one pytest item for every cell of every record:

    @conformance_test
    def test_values(operator, mode, dtype, device, case):
        verdict = judge(operator, case, device.run(operator, case))
        assert verdict.ok, verdict

What it is run over follows from its parameters: ``case`` draws cases of every mode and dtype,
without these of the operator, each with calls before it (conformance/sequences);
``rejection``, ``example`` and ``quarantined`` name one item for each of the record's, ``relation``
one for each in each of its modes and dtypes, ``ladder`` one for each in some of them, ``workload``
and ``given`` one for each. The items carry real parametrize marks, because by them Hypothesis tells
one item's examples from another's.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from conformance.call.case import ND, Case
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import session as say
from conformance.catalogue.verdict import OF_CALL
from conformance.devices.device import Device
from conformance.devices.withheld_calls import why_not_refused
from conformance.draw.batches import workloads_judged
from conformance.draw.ladder_cells import cells_asked
from conformance.draw.rejections_asked import rejections_asked
from conformance.field.given import GivenCase
from conformance.judge import calls, examples, rejections
from conformance.judge.beside import as_example, as_rejection, judged_beside, related_beside
from conformance.judge.judged import Judged
from conformance.judge.quarantined import observe_quarantined as told_of
from conformance.judge.verdict import Verdict
from conformance.names import joined
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.operator import (
    BOTH,
    RELATIONS,
    Example,
    Operator,
    Quarantine,
    Rejection,
)
from conformance.record.relation import Relation
from conformance.record.workload import Workload
from conformance.session.trial import current

Body = Callable[..., None]
DRAWN = "case"
MARK = "conformance_body"
RELATION = "relation"
LADDER = "ladder"
WORKLOAD = "workload"
GIVEN = "given"
SEQUENCE = "sequence"
REJECTION = "rejection"
CELL = ("mode", "dtype")

NAMED = {
    REJECTION: "rejections",
    "example": "examples",
    "quarantined": "quarantine",
    "frozen": "corpus",
    "regression": "regressions",
}
"""Parameters that get one of a record's named calls, and the record's field that lists them."""


def conformance_test(body: Body) -> Body:
    """Make a template of a test function; the plugin binds each of its items to a record's cell."""
    signature = inspect.signature(body)
    parameters = [signature.parameters[name] for name in fixed_parameters(body)]

    @functools.wraps(body)
    def template(**_: object) -> None:
        raise pytest.UsageError(str(say.NEEDS_THE_PLUGIN()))

    template.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    setattr(template, MARK, body)
    return template


def fixed_parameters(body: Body) -> tuple[str, ...]:
    """The parameters of a template that pytest provides: all but the drawn case."""
    return tuple(name for name in inspect.signature(body).parameters if name != DRAWN)


def cell_asked(parameters: Mapping[str, Any]) -> tuple[str, str]:
    """The mode and data type whose calls an item makes; "" for an item of none in particular."""
    mode, dtype = (str(parameters.get(name, "")) for name in CELL)
    return mode, dtype


def named_case(parameters: Mapping[str, Any]) -> Case | None:
    """The call of an item that makes one that the record names; None for another item."""
    return next((parameters[name].case for name in (*NAMED, GIVEN) if name in parameters), None)


def draws_sequences(names: Iterable[str]) -> bool:
    """Whether a template with these parameters draws calls of no mode and dtype in particular."""
    return DRAWN in names and not {*names} & {*CELL, *NAMED, RELATION, LADDER, WORKLOAD, GIVEN}


def body_of(template: object) -> Body | None:
    """The function under ``conformance_test``; None for any other object."""
    body: Body | None = getattr(template, MARK, None)
    return body


@dataclass(frozen=True)
class Asked:
    """What a run asks of its templates.

    Templates without a relation judge by the reference; with one, those that the ``oracle`` names,
    and those that are always asked: in ``each_dtype`` of a mode, or in one, by turns. Ladders are
    judged in one cell of each of ``ladders`` (conformance/draw/profiles.py), by ``turn``; so is
    one of the rejected calls that are alike, or ``each_rejection``; ``workloads`` in one item each:
    ``each_workload`` or some, by turns, and nothing else if they ``stand_alone``, as a person asks.
    If there are cases that are ``given`` in files, nothing else is judged.
    """

    oracle: str = BOTH
    each_dtype: bool = True
    ladders: str = "dtype"
    turn: int = 0
    workloads: tuple[Workload, ...] = ()
    stand_alone: bool = False
    given: tuple[GivenCase, ...] = ()
    each_rejection: bool = True
    each_workload: bool = True


ALL = Asked()
"""All that there is, but workloads."""


def parametrize(
    body: Body, operators: Iterable[Operator], asked: Asked = ALL
) -> pytest.MarkDecorator | None:
    """The parametrize mark of a template over ``operators``; None if there is nothing to run."""
    names = inspect.signature(body).parameters
    kinds = (*NAMED, RELATION, LADDER, WORKLOAD, GIVEN)
    named = next((name for name in kinds if name in names), None)
    axes: tuple[str, ...] = ("operator", named) if named else ("operator", *CELL)
    if named in (RELATION, LADDER):
        axes = ("operator", named, *CELL)
    elif draws_sequences(names):
        named, axes = SEQUENCE, ("operator",)
    if asked.stand_alone and named != WORKLOAD:
        return None
    if asked.given and named != GIVEN:
        return None
    if named != RELATION and asked.oracle == RELATIONS:
        return None
    values = [row for one in operators for row in _rows(one, named, asked)]
    ids = [_item_id(row, named) for row in values]
    return pytest.mark.parametrize(axes, values, ids=ids) if values else None


def item_ids(
    operators: Iterable[Operator],
    workloads: Sequence[Workload] = (),
    given: Sequence[GivenCase] = (),
) -> frozenset[str]:
    """What can stand in the brackets of a template's item over ``operators``.

    Where workers run the items, their names are all that the controller knows of them.
    """
    kinds = (None, RELATION, LADDER, WORKLOAD, GIVEN, SEQUENCE, *NAMED)
    asked = replace(ALL, workloads=tuple(workloads), given=tuple(given))
    return frozenset(
        _item_id(row, named)
        for operator in operators
        for named in kinds
        for row in _rows(operator, named, asked)
    )


def _rows(operator: Operator, named: str | None, asked: Asked) -> list[tuple[Any, ...]]:
    """What the items of a template get of an operator: each of its named calls, or each cell."""
    cells = operator.declared_cells
    if named == SEQUENCE:
        return [(operator,)]
    if named == RELATION:
        return [
            (operator, relation, mode, dtype)
            for number, relation in enumerate(operator.relations)
            for mode, dtype in cells
            if relation.holds_in(mode, dtype) and relation.asked_by(asked.oracle)
            if asked.each_dtype
            or not relation.always
            or dtype == _whose_turn(operator, number, mode)
        ]
    if named == LADDER:
        return [
            (operator, ladder, *cell)
            for ladder in operator.ladders
            for cell in cells_asked(operator, ladder, asked.ladders, asked.turn)
        ]
    if named == WORKLOAD:
        if operator.workload_cases is None:
            return []
        each = asked.each_workload or asked.stand_alone
        chosen = workloads_judged(asked.workloads, each, asked.turn, operator.name)
        return [(operator, one) for one in chosen]
    if named == GIVEN:
        return [(operator, one) for one in asked.given if one.case.operator == operator.name]
    if named == REJECTION:
        each, turn = asked.each_rejection, asked.turn
        return [(operator, one) for one in rejections_asked(operator.rejections, each, turn)]
    if named is not None:
        return [(operator, one) for one in getattr(operator, NAMED[named])]
    return [(operator, mode, dtype) for mode, dtype in cells]


def _whose_turn(operator: Operator, relation: int, mode: str) -> str:
    """The data type in which a mode is asked for a relation, if for one alone."""
    place, dtypes = [one.name for one in operator.modes].index(mode), operator.dtypes_in(mode)
    return dtypes[(place + relation) % len(dtypes)]


def judge(operator: Operator, case: Case, observation: Observation) -> Verdict:
    """Judge an observation of a drawn case, and put the verdict on record."""
    trial = current()
    checked = trial is None or trial.checks_suite()
    verdict = calls.judge(operator, case, observation, _arithmetic(), checked=checked)
    if trial is not None:
        verdict = trial.by_standard.reconsider(operator, case, observation, verdict)
        observation, verdict = judged_beside(trial.beside, operator, case, observation, verdict)
    return record(verdict, case, observation)


def relate(operator: Operator, relation: Relation, device: Device, case: Case) -> Verdict:
    """Make the calls of a relation that starts from a drawn case, and put on record if it holds."""
    trial = current()
    records = trial.records if trial is not None else {operator.name: operator}
    beside = trial.beside if trial is not None else None
    observation, verdict = related_beside(beside, relation, records, case, device)
    _note(Judged(case, observation, verdict, "relation", relation.name))
    return verdict


def judge_rejection(rejection: Rejection, observation: Observation) -> Verdict:
    """Judge an observation of a call that must be rejected, and put the verdict on record."""
    trial = current()
    lenient = trial is not None and trial.lenient
    verdict = rejections.judge_rejection(rejection, observation, lenient=lenient)
    if trial is not None and trial.beside is not None:
        case, second = rejection.case, as_rejection(rejection, lenient=lenient)
        operator = trial.records[case.operator]
        observation, verdict = judged_beside(
            trial.beside, operator, case, observation, verdict, second
        )
    _note(Judged(rejection.case, observation, verdict, "rejection", rejection.name))
    return verdict


def left_out(rejection: Rejection, device: Device) -> bool:
    """Whether a call that must be rejected cannot be made on this device, would do harm there, or
    is not known to be rejected there; then it is told so.
    """
    case, profile = rejection.case, device.profile
    formats = {one.format for one in (*case.inputs.values(), *case.outputs.values())}
    reason: str
    if case.breach is not None and profile.origin is None:
        reason = say.NO_PHASES()
    elif formats - {ND} and profile.origin is None:
        reason = say.NO_FORMATS()
    elif not rejection.checked_by_cann and profile.kind == "npu":
        reason = say.UNCHECKED()
    elif not (reason := why_not_refused(rejection, profile)):
        return False
    _tell_left_out(rejection, reason)
    return True


def says_nothing(operator: Operator, rejection: Rejection, device: Device) -> bool:
    """Whether a refusal says nothing, as the call without the mistake is not accepted either; then
    it is told so.
    """
    right = rejection.breaks
    if right is None:
        return False
    if calls.judge(operator, right, device.run(operator, right), _arithmetic()).ok:
        return False
    _tell_left_out(rejection, say.NOR_WITHOUT_IT())
    return True


def _tell_left_out(rejection: Rejection, reason: str) -> None:
    case = rejection.case
    about = (case.operator, case.mode, case.dtype, rejection.name)
    headline = OF_CALL(call=about, what=reason)
    verdict = Verdict(True, headline, clause=rejection.clause, subject=case, judged=False)
    _note(Judged(case, Observation(Outcome.NOT_POSSIBLE), verdict, "quarantine", rejection.name))


def judge_example(example: Example, operator: Operator, observation: Observation) -> Verdict:
    """Judge an observation of a documented call, and put the verdict on record."""
    verdict = examples.judge_example(example, operator, observation, _arithmetic())
    trial = current()
    if trial is not None:
        case, second = example.case, as_example(example)
        observation, verdict = judged_beside(
            trial.beside, operator, case, observation, verdict, second
        )
    _note(Judged(example.case, observation, verdict, "example", example.name))
    return verdict


def observe_quarantined(
    quarantined: Quarantine, operator: Operator, observation: Observation
) -> Verdict:
    """Put on record what became of a call in quarantine."""
    verdict = told_of(quarantined, operator, observation, _arithmetic())
    _note(Judged(quarantined.case, observation, verdict, "quarantine", quarantined.name))
    return verdict


def record(verdict: Verdict, case: Case, observation: Observation) -> Verdict:
    """Put a verdict on record that a template reached by its own means; returns the verdict."""
    _note(Judged(case, observation, verdict))
    return verdict


def _arithmetic() -> Arithmetic:
    """The arithmetic of the running attempt's device."""
    trial = current()
    return IEEE if trial is None else trial.arithmetic


def _note(judged: Judged) -> None:
    trial = current()
    if trial is not None:
        trial.record(judged)


def _item_id(row: Iterable[object], named: str | None) -> str:
    """Of a sequence more than the operator's name, which is also that of many an ordinary test."""
    return joined((*row, "calls") if named == SEQUENCE else row)

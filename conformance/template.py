"""Templates: one test over all records.

A template reads as run, judge, assert, and becomes one pytest item for every cell of every record:

    @conformance_test
    def test_values(operator, mode, dtype, device, case):
        verdict = judge(operator, case, device.run(operator, case))
        assert verdict.ok, verdict

What it is run over follows from its parameters: ``case`` draws cases of every mode and dtype,
without these of the operator, each with calls before it (conformance/sequences);
``rejection``, ``example`` and ``quarantined`` name one item for each of the record's, ``relation``
one for each in each of its modes and dtypes. The items carry real parametrize marks, because by
them Hypothesis tells one item's examples from another's.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.strategies import SearchStrategy

from conformance import judge as judging
from conformance.case import Case
from conformance.covered import covered, not_simplest
from conformance.devices.device import Device
from conformance.fitted import fitted
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.observation import Observation, Outcome
from conformance.operator import (
    BOTH,
    REFERENCE,
    RELATIONS,
    Example,
    Operator,
    Quarantine,
    Rejection,
)
from conformance.plan import plan
from conformance.profiles import Profile
from conformance.relations.asked import asked_of
from conformance.relations.relate import related
from conformance.relations.relation import Relation
from conformance.strategies.machines import in_any_order
from conformance.strategies.sequences import sequences
from conformance.trial import BrokenRecord, Judged, Trial, current
from conformance.verdict import Verdict

Body = Callable[..., None]
DRAWN = "case"
MARK = "conformance_body"
RELATION = "relation"
SEQUENCE = "sequence"
CELL = ("mode", "dtype")
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
FILTERED = (HealthCheck.filter_too_much,)
"""What Hypothesis must not complain of: big cases; and that a relation speaks of few of them."""

LARGER = 12
"""How many free draws, and how many rows, are looked at for a larger case that shows a mistake."""

NAMED = {
    "rejection": "rejections",
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
        raise pytest.UsageError(
            "a conformance template needs pytest's option -p conformance.plugin"
        )

    template.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    setattr(template, MARK, body)
    return template


def fixed_parameters(body: Body) -> tuple[str, ...]:
    """The parameters of a template that pytest provides: all but the drawn case."""
    return tuple(name for name in inspect.signature(body).parameters if name != DRAWN)


def body_of(template: object) -> Body | None:
    """The function under ``conformance_test``; None for any other object."""
    body: Body | None = getattr(template, MARK, None)
    return body


def cell_id(operator: str, mode: str, dtype: str) -> str:
    """The id of a cell inside an item's name."""
    return _id((operator, mode, dtype))


def parametrize(
    body: Body, operators: Iterable[Operator], oracle: str = BOTH, *, each_dtype: bool = True
) -> pytest.MarkDecorator | None:
    """The parametrize mark of a template over ``operators``; None if there is nothing to run.

    Templates without a relation judge by the reference; with one, those that the ``oracle`` names,
    and those that are always asked: in ``each_dtype`` of a mode, or in one, by turns.
    """
    names = inspect.signature(body).parameters
    named = next((name for name in (*NAMED, RELATION) if name in names), None)
    axes: tuple[str, ...] = ("operator", named) if named else ("operator", *CELL)
    if named == RELATION:
        axes = ("operator", RELATION, *CELL)
    elif named is None and DRAWN in names and not names.keys() & set(CELL):
        named, axes = SEQUENCE, ("operator",)
    if named != RELATION and oracle == RELATIONS:
        return None
    values = [row for one in operators for row in _rows(one, named, oracle, each_dtype=each_dtype)]
    ids = [_item_id(row, named) for row in values]
    return pytest.mark.parametrize(axes, values, ids=ids) if values else None


def item_ids(operators: Iterable[Operator]) -> frozenset[str]:
    """What can stand in the brackets of a template's item over ``operators``.

    Where workers run the items, their names are all that the controller knows of them.
    """
    kinds = (None, RELATION, SEQUENCE, *NAMED)
    return frozenset(
        _item_id(row, named)
        for operator in operators
        for named in kinds
        for row in _rows(operator, named)
    )


def _rows(
    operator: Operator, named: str | None, oracle: str = BOTH, *, each_dtype: bool = True
) -> list[tuple[Any, ...]]:
    """What the items of a template get of an operator: each of its named calls, or each cell."""
    cells = [(mode.name, dtype) for mode in operator.modes for dtype in operator.dtypes]
    if named == SEQUENCE:
        return [(operator,)]
    if named == RELATION:
        return [
            (operator, relation, mode, dtype)
            for turn, relation in enumerate(operator.relations)
            for place, (mode, dtype) in enumerate(cells)
            if mode in (relation.modes or (mode,)) and (relation.always or oracle != REFERENCE)
            if each_dtype or not relation.always or _is_its_turn(operator, turn, place)
        ]
    if named is not None:
        return [(operator, one) for one in getattr(operator, NAMED[named])]
    return [(operator, mode, dtype) for mode, dtype in cells]


def _is_its_turn(operator: Operator, relation: int, cell: int) -> bool:
    """Whether the data type of a cell is the one in which its mode is asked for a relation."""
    count = len(operator.dtypes)
    return (cell // count + relation) % count == cell % count


def bind(
    body: Body,
    parameters: dict[str, Any],
    trial: Trial,
    *,
    profile: Profile,
    run_seed: int,
    key: str,
    database: str | None,
    beside: Sequence[str] = (),
    operators: Sequence[Operator] = (),
    sequences_of_each: int = 1,
) -> Body:
    """The function that one item runs: the body under a trial, with drawn cases if it wants them.

    Hypothesis draws from a seed made of ``run_seed`` and ``key``, so that a run can be repeated and
    no two items draw alike. ``database`` is the folder of the example database, if one is kept:
    what was refused in an earlier run is drawn again before anything new;
    ``beside`` are the data types that the run judges of the item's mode, ``operators`` those whose
    calls one of ``sequences_of_each`` sequences may have.
    """
    if DRAWN not in inspect.signature(body).parameters:

        @functools.wraps(body)
        def once(**arguments: Any) -> None:
            __tracebackhide__ = True
            trial.attempt(lambda: body(**arguments))

        return once

    operator, mode, dtype = (parameters.get(name, "") for name in ("operator", *CELL))

    @functools.wraps(body)
    def attempt(**arguments: Any) -> None:
        __tracebackhide__ = True
        named = arguments[DRAWN].operator
        if named != operator.name:
            raise BrokenRecord(
                f"the record of {operator.name} draws a case of operator {named!r}: a record's "
                "cases must name its own operator (Case.operator)"
            )
        trial.attempt(lambda: body(**arguments), arguments[DRAWN])

    documented = (e.case for e in operator.examples if RELATION not in parameters)
    trial.documented = tuple(one for one in documented if (one.mode, one.dtype) == (mode, dtype))

    def attempt_each(**arguments: Any) -> None:
        __tracebackhide__ = True
        for case in arguments.pop(DRAWN):
            attempt(**arguments, **{DRAWN: case})

    on_machine = functools.partial(fitted, traits=trial.libraries)

    def drawing(
        cases: Sequence[SearchStrategy[Case]],
        examples: int,
        stream: str,
        *,
        again: bool | None = None,
        shrinks: bool = True,
        only: int | None = None,
    ) -> Body:
        if relation is not None and relation.always:
            # Of few draws the simplest, by which Hypothesis begins, would be half.
            cases = [not_simplest(some) for some in cases]
        wanted = [in_any_order(some).map(on_machine) for some in cases]
        if trial.by_standard.prescribes:
            wanted = [some.map(trial.by_standard.prescribe) for some in wanted]
        drawn = st.tuples(*wanted)
        if only is not None:
            drawn = drawn.map(lambda made: (made[only],))
        kept = database is not None and again is not None
        how = settings(
            max_examples=examples,
            phases=(Phase.reuse if again else Phase.generate,)
            + ((Phase.shrink,) if shrinks else ()),
            database=DirectoryBasedExampleDatabase(database) if database and kept else None,
            deadline=None,
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=SLOW + (FILTERED if RELATION in parameters else ()),
        )
        name = f"{key} {stream}".rstrip()
        test: Any = seed(stream_seed(run_seed, name))(how(given(case=drawn)(attempt_each)))
        # A seed takes the database away. What one stream kept means nothing to another.
        test._hypothesis_internal_use_settings = how
        test._hypothesis_internal_database_key = name.encode()
        return cast(Body, test)

    relation: Relation | None = parameters.get(RELATION)
    if not mode:
        trial.of_sequences = True
        drawn = not_simplest(sequences(operator, operators, on_machine))
        if database is not None:
            trial.again = (drawing([drawn], sequences_of_each, "", again=True),)
        return drawing([drawn], sequences_of_each, "", again=False)
    if relation is not None:
        operator = replace(
            operator,
            cases=asked_of(operator.cases, relation),
            small_cases=asked_of(operator.small_cases, relation),
            seam_cases=asked_of(operator.seam_cases, relation),
        )
    planned = plan(operator, mode, dtype, profile, beside=beside, relation=relation)
    streams = [(operator.cases, planned.free, "")]
    if operator.small_cases and planned.small:
        streams.append((operator.small_cases, planned.small, "small"))
    if operator.seam_cases and planned.seams:
        streams.append((operator.seam_cases, planned.seams, "seams"))
    drawn_of = [([draw(mode, dtype)], count, name) for draw, count, name in streams]
    if database is not None:
        trial.again = tuple(drawing(*stream, again=True) for stream in drawn_of)
    free, *scouts = (drawing(*stream, again=False) for stream in drawn_of)
    trial.scouts = tuple(scouts)
    if planned.cells:
        trial.covered = covered(
            planned.cells, planned.rows, drawing, planned.edges, as_drawn=lambda: trial.as_drawn
        )
    if RELATION not in parameters:
        wide = [operator.cases(mode, dtype)] * LARGER
        if planned.cells is not None:
            wide += map(planned.cells.cases, planned.rows[:: 1 + len(planned.rows) // LARGER])
        trial.larger = tuple(
            drawing([not_simplest(some)], 1, f"larger {n}", shrinks=False)
            for n, some in enumerate(wide)
        )
    return free


def stream_seed(run_seed: int, key: str) -> int:
    """The seed of one item's draws."""
    return int.from_bytes(hashlib.sha256(f"{run_seed} {key}".encode()).digest()[:8], "big")


def judge(operator: Operator, case: Case, observation: Observation) -> Verdict:
    """Judge an observation of a drawn case, and put the verdict on record."""
    verdict = judging.judge(operator, case, observation, _arithmetic())
    trial = current()
    if trial is not None:
        verdict = trial.by_standard.reconsider(operator, case, observation, verdict)
    return record(verdict, case, observation)


def relate(operator: Operator, relation: Relation, device: Device, case: Case) -> Verdict:
    """Make the calls of a relation that starts from a drawn case, and put on record if it holds."""
    trial = current()
    records = trial.records if trial is not None else {operator.name: operator}
    observation, verdict = related(relation, records, case, device.run)
    _note(Judged(case, observation, verdict, "relation", relation.name))
    return verdict


def judge_rejection(rejection: Rejection, observation: Observation) -> Verdict:
    """Judge an observation of a call that must be refused, and put the verdict on record."""
    verdict = judging.judge_rejection(rejection, observation)
    _note(Judged(rejection.case, observation, verdict, "rejection", rejection.name))
    return verdict


def left_out(rejection: Rejection, device: Device) -> bool:
    """Whether a call that must be refused would do harm on this device; then it is told so."""
    if rejection.checked_by_cann or device.profile.kind != "npu":
        return False
    case = rejection.case
    about = f"{case.operator}, {case.mode}, {case.dtype}, {rejection.name}"
    headline = f"{about}: not called on an NPU, where nothing checks the rule"
    verdict = Verdict(True, headline, clause=rejection.clause, subject=repr(case), judged=False)
    _note(Judged(case, Observation(Outcome.NOT_POSSIBLE), verdict, "quarantine", rejection.name))
    return True


def judge_example(example: Example, operator: Operator, observation: Observation) -> Verdict:
    """Judge an observation of a documented call, and put the verdict on record."""
    verdict = judging.judge_example(example, operator, observation, _arithmetic())
    _note(Judged(example.case, observation, verdict, "example", example.name))
    return verdict


def observe_quarantined(
    quarantined: Quarantine, operator: Operator, observation: Observation
) -> Verdict:
    """Put on record what became of a call in quarantine."""
    verdict = judging.observe_quarantined(quarantined, operator, observation, _arithmetic())
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
    return _id((*row, "calls") if named == SEQUENCE else row)


def _id(row: Iterable[object]) -> str:
    return "-".join(_word(value) for value in row)


def _word(value: object) -> str:
    # An operator in full is long, and so takes long to write.
    name = value.name if hasattr(value, "name") else value
    return re.sub(r"[^\w.+]+", "_", str(name))

"""An item's function: the body of its template under a trial, with the cases that it draws."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.catalogue import session as say
from conformance.draw.batches import batches, batches_asked
from conformance.draw.ladder_cells import sizes_asked
from conformance.draw.profiles import Profile
from conformance.draw.sequences import sequences
from conformance.evidence.part import WHOLE_ITEM, Part
from conformance.record.operator import Operator
from conformance.record.relation import Relation
from conformance.record.size_ladders import ONE_CELL
from conformance.record.workload import Workload
from conformance.session.ahead import AT_ONCE
from conformance.session.asked_relations import asked_of
from conformance.session.drawing import Draw, Drawing
from conformance.session.ladder_item import climbing
from conformance.session.planned_cases import plan
from conformance.session.rows_and_edges import covered
from conformance.session.template import CELL, DRAWN, LADDER, RELATION, WORKLOAD, Body
from conformance.session.trial import BrokenRecord, Trial
from conformance.session.workload_item import routed
from conformance.suite.for_libraries import fitted

LARGER = 12
"""How many free draws, and how many rows, are looked at for a larger case that shows a mistake."""

LONG_SEQUENCE = 25
"""A sequence opens a device and has several calls: it takes as long as so many cases, about."""


@dataclass(frozen=True)
class OfRun:
    """What a run draws of every item.

    ``database`` is the folder of the example database, if one is kept: what was refused in an
    earlier run is drawn again before anything new. ``operators`` are those whose calls one of
    ``sequences_of_each`` sequences may have; ``workloads`` are all of the run, which a person asked
    for (``workloads_asked``) or not.
    """

    profile: Profile
    seed: int
    database: str | None = None
    operators: Sequence[Operator] = ()
    workloads: Sequence[Workload] = ()
    workloads_asked: bool = False
    sequences_of_each: int = 1


@dataclass(frozen=True)
class Streams:
    """What an item draws: ``again`` what was refused in an earlier run, ``scouts`` small cases,
    ``free`` ones, the rows and edges that are to be ``covered``; where a case is refused,
    ``larger`` ones are drawn until one more is.
    """

    free: Draw
    again: tuple[Draw, ...] = ()
    scouts: tuple[Draw, ...] = ()
    covered: tuple[Draw, ...] = ()
    larger: tuple[Draw, ...] = ()

    @property
    def drawn(self) -> tuple[Draw, ...]:
        """The draws of this run, in their order."""
        return (*self.scouts, self.free, *self.covered)


def bind(
    body: Body,
    parameters: dict[str, Any],
    trial: Trial,
    of_run: OfRun,
    key: str,
    beside: Sequence[str] = (),
    part: Part = WHOLE_ITEM,
) -> Streams:
    """The draws of a template's item, whose cases go through its trial.

    They are drawn from a seed made of the run's and ``key``, so that a run can be repeated and
    no two items draw alike. ``beside`` are the data types that the run judges of the item's mode.
    A ``part`` of an item draws as the whole, of which it judges its share.
    """
    if DRAWN not in inspect.signature(body).parameters:

        @functools.wraps(body)
        def once(**arguments: Any) -> None:
            __tracebackhide__ = True
            trial.attempt(lambda: body(**arguments))

        return Streams(once)

    operator, mode, dtype = (parameters.get(name, "") for name in ("operator", *CELL))

    @functools.wraps(body)
    def attempt(**arguments: Any) -> None:
        __tracebackhide__ = True
        named = arguments[DRAWN].operator
        if named != operator.name:
            told = say.NOT_OF_THE_RECORD(operator=operator.name, other=repr(named))
            raise BrokenRecord(told)
        trial.attempt(
            lambda: body(**arguments),
            arguments[DRAWN],
            lambda case: body(**{**arguments, DRAWN: case}),
        )

    on_machine = functools.partial(fitted, traits=trial.libraries)

    def prepared(case: Case) -> Case:
        on = on_machine(case)
        return trial.by_standard.prescribe(on) if trial.by_standard.prescribes else on

    block = of_run.profile.block
    drawing = Drawing(
        attempt,
        prepared,
        key,
        of_run.seed,
        of_run.database,
        often_filtered=RELATION in parameters,
        computes=operator.computes,
        block=block if mode else max(1, block // LONG_SEQUENCE),
        at_once=AT_ONCE if mode else 1,
    )

    def repeated(streams: Sequence[tuple[SearchStrategy[Case], int, str]]) -> Streams:
        refused_before = () if of_run.database is None or part.index > 1 else streams
        again = [drawing.again(*stream) for stream in refused_before]
        free, *scouts = (drawing(*stream, shrinks=True, kept=True, part=part) for stream in streams)
        return Streams(free, tuple(again), tuple(scouts))

    profile = of_run.profile
    relation: Relation | None = parameters.get(RELATION)
    if (ladder := parameters.get(LADDER)) is not None:
        sizes = sizes_asked(operator, ladder, mode, profile.ladders, of_run.seed)
        quick = profile.ladders == ONE_CELL
        return Streams(
            climbing(ladder, mode, dtype, sizes, drawing, of_run.seed, trial, quick=quick)
        )
    if (one := parameters.get(WORKLOAD)) is not None:
        made = batches(one, of_run.workloads, profile.full_rows, of_run.seed)
        if of_run.workloads_asked:
            made = batches_asked(one, of_run.seed)
        return Streams(routed(operator, made, drawing, trial))
    if not mode:
        drawn = sequences(operator, of_run.operators, on_machine)
        return repeated([(drawn, of_run.sequences_of_each, "")])
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
    drawn_of = [(draw(mode, dtype), count, name) for draw, count, name in streams]
    found = repeated(drawn_of)
    if planned.cells:
        rows = covered(
            planned.cells,
            planned.rows,
            drawing,
            planned.edges,
            part=part,
            as_drawn=lambda: trial.diagnoses.as_drawn,
        )
        found = replace(found, covered=(rows,))
    if relation is None:
        wide = [operator.cases(mode, dtype)] * LARGER
        if planned.cells is not None:
            wide += map(planned.cells.cases, planned.rows[:: 1 + len(planned.rows) // LARGER])
        larger = tuple(
            drawing(some, 1, f"larger {n}", shrinks=False) for n, some in enumerate(wide)
        )
        found = replace(found, larger=larger)
    return found

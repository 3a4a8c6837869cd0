"""The decision on a run: everything that rejects it, at once and in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

from conformance.catalogue import gate as say
from conformance.catalogue.marks import AND_MORE, SEMICOLON
from conformance.catalogue.message import row
from conformance.devices.traits import loosened_lines
from conformance.errors import UsageError
from conformance.evidence.coverage import Coverage
from conformance.evidence.reading import CannotJudge, declared_cells, read_run, whole
from conformance.evidence.run import Run
from conformance.evidence.summary import carried_out
from conformance.gate import baseline as baselines
from conformance.gate.baseline import Baseline
from conformance.gate.compare import changed_inputs, compare, figures, unchanged_libraries
from conformance.gate.facts import Facts, facts, name_of, of_operators
from conformance.gate.failed import Answered, answer
from conformance.gate.judgement import (
    ACCEPTED,
    REJECTED,
    WORDS,
    Finding,
    Judgement,
    cannot,
    in_order,
)
from conformance.gate.times import slower, times_not_compared, times_told
from conformance.gate.waivers import Contract
from conformance.gate.work import less_work, more_work, work_not_compared
from conformance.names import cell_id

SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How a run is to be judged. ``compares`` False: there is no baseline, and that is meant;
    ``baseline`` None: that of the run's key. ``require_device`` is sim, npu or empty;
    ``changed``: a change of the kernels is claimed. ``operators`` are those that are compared with
    the baseline, none: all that it has. ``more_work`` is the share by which a count of work may
    grow, ``time_regression`` that by which a timed call may take longer, None: by any."""

    folder: Path
    baselines: Path = baselines.FOLDER
    baseline: str | None = None
    compares: bool = True
    waivers: tuple[Contract, ...] = ()
    require_device: str = ""
    changed: bool = False
    operators: tuple[str, ...] = ()
    more_work: float = 0.01
    time_regression: float | None = None
    today: date


def decide(asked: Asked) -> Judgement:
    """Judge a run. Raises `UsageError` for what was asked wrongly."""
    told = str(asked.folder)
    try:
        run = whole(read_run(asked.folder))
        found = facts(run)
        baseline = _baseline(asked, run, found)
    except CannotJudge as error:
        return cannot(told, error.reasons)
    measured = baseline.measured if baseline is not None else ()
    answered = answer(run, asked.waivers, asked.today, found.key.soc, found.kind, measured)
    findings = [*_device(asked, run, found), *answered.findings, *_not_run(run)]
    notes = answered.notes
    notes += loosened_lines(one.profile.get("loosened") for one in run.evidence.devices)
    notes += [say.NOT_POSSIBLE(what=one) for one in run.evidence.withheld]
    notes += [
        say.CARRIED_OUT(operator=operator, count=len(names))
        for operator, names in carried_out(run.lines).items()
    ]
    early = _ended_early(run, answered)
    for shown in run.evidence.coverage:
        ended = {
            cell[2]: by for cell, by in early.items() if cell[:2] == (shown.operator, shown.mode)
        }
        left_out, consequences = shown.unseen(ended)
        findings += [*_unseen(shown, left_out), *_open(shown, run)]
        for one in _unseen(shown, consequences):
            by = sorted(set().union(*(ended.get(dtype, ()) for dtype in shown.dtypes)))
            told_of = {"cell": one.subject, "what": one.message}
            cut = say.CUT_OFF_WAIVED(waivers=by, **told_of) if by else say.CUT_OFF(**told_of)
            notes.append(cut)
    if baseline is not None:
        findings += _worse(run, found, baseline, answered)
        findings += more_work(found, baseline.facts, asked.more_work)
        notes += [*work_not_compared(found, baseline.facts), *less_work(found, baseline.facts)]
        if asked.time_regression is not None:
            findings += slower(found, baseline.facts, asked.time_regression)
            notes += times_not_compared(found, baseline.facts)
        if asked.changed and (stale := unchanged_libraries(found, baseline)) is not None:
            findings.append(stale)
        changed = changed_inputs(found, baseline)
        if changed:
            notes.append(say.NOT_COMPARED(names=changed[:SHOWN]))
        new = len(found.named.keys() - baseline.facts.named.keys())
        notes += [say.NEW_CALLS(count=new)] if new else []
    timed = () if baseline is None else times_told(found, baseline.facts)
    status = REJECTED if findings else ACCEPTED
    return Judgement(
        status=status,
        verdict=WORDS[status],
        run=told,
        device=run.device.description,
        baseline=baseline.name if baseline is not None else "",
        cases=run.evidence.cases,
        findings=in_order(findings),
        waived=answered.waived,
        unconfirmed=answered.unconfirmed,
        notes=notes,
        figures=[*figures(found, baseline), *timed],
    )


def _baseline(asked: Asked, run: Run, found: Facts) -> Baseline | None:
    """The baseline to compare with, of the operators that are asked for; None for none."""
    for name in asked.operators:
        if name not in run.evidence.operators:
            rule = say.NOT_IN_THE_RUN(names=run.evidence.operators)
            raise UsageError("operator", name, rule)
    if not asked.compares:
        return None
    if asked.baseline is None:
        chosen = baselines.fitting(asked.baselines, found)
    else:
        chosen = baselines.named(asked.baselines, asked.baseline)
        baselines.check_fits(chosen, found)
    if not asked.operators:
        return chosen
    facts_of_these = of_operators(chosen.facts, asked.operators)
    return msgspec.structs.replace(chosen, facts=facts_of_these)


def _device(asked: Asked, run: Run, found: Facts) -> Iterator[Finding]:
    if asked.require_device and found.kind != asked.require_device:
        told = {"device": run.device.description, "kind": asked.require_device}
        simulated = found.kind == "sim"
        message = say.SIMULATED(**told) if simulated else say.JUDGED_ON(seen=found.kind, **told)
        yield Finding(kind="device", subject=found.key.soc, message=message)


def _not_run(run: Run) -> Iterator[Finding]:
    """Declared cells without a judged case, and what was asked for and cannot be judged."""
    evidence = run.evidence
    for name, reason in evidence.left_out.items():
        yield Finding(kind="not judged", subject=name, message=say.ASKED_FOR(why=reason))
    empty = [cell for cell in declared_cells(evidence) if not cell.cases]
    unrun = {cell_id(cell.operator, cell.mode, cell.dtype): cell for cell in empty}
    for name in dict.fromkeys([*unrun, *evidence.unjudged]):
        cell = unrun.get(name)
        why = say.NOT_RUN()
        if cell is not None and cell.impossible:
            why = say.IMPOSSIBLE(count=cell.impossible)
        yield Finding(kind="missing cell", subject=name, message=why)


def _ended_early(run: Run, answered: Answered) -> dict[tuple[str, str, str], set[str]]:
    """The cells whose item ended at a failed case, and so left the rest unjudged, each with the
    waivers that answer for it."""
    ended: dict[tuple[str, str, str], set[str]] = {}
    for line in run.verdicts:
        if not line.ok and line.judged_as == "values":
            by = answered.excused.get(id(line), "")
            cell = (line.operator, line.mode, line.dtype)
            ended.setdefault(cell, set()).update({by} - {""})
    return ended


def _unseen(shown: Coverage, missing: Sequence[str]) -> Iterator[Finding]:
    """The finding of discrete cells and edges that no judged case shows, if there are some."""
    if missing:
        told = row(missing[:SHOWN], SEMICOLON)
        if len(missing) > SHOWN:
            told = AND_MORE(names=told, count=len(missing) - SHOWN)
        name = cell_id(shown.operator, shown.mode, shown.dtype)
        yield Finding(kind="missing cell", subject=name, message=say.UNSEEN(what=told))


def _open(shown: Coverage, run: Run) -> Iterator[Finding]:
    """The finding of what was never reached of cells that were judged, in a run that is whole."""
    cells = {cell_id(one.operator, one.mode, one.dtype): one.cases for one in run.evidence.cells}
    mine = [cell_id(shown.operator, shown.mode, dtype) for dtype in shown.dtypes]
    if (shown.open or shown.open_edges) and all(cells.get(one) for one in mine):
        message = say.NOT_REACHED(combinations=shown.open, edges=shown.open_edges)
        name = cell_id(shown.operator, shown.mode, shown.dtype)
        yield Finding(kind="missing cell", subject=name, message=message)


def _worse(run: Run, found: Facts, baseline: Baseline, answered: Answered) -> Iterator[Finding]:
    """What got worse, but for failures that a waiver answers for."""
    rejecting = {
        name_of(line) for line in run.verdicts if not line.ok and id(line) not in answered.excused
    }
    for finding in compare(found, baseline):
        if finding.kind != "newly failing" or finding.subject in rejecting:
            yield finding

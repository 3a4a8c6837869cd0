"""The failures of a run, and the waivers that answer for some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from conformance.catalogue import gate as say
from conformance.catalogue import waivers
from conformance.catalogue.marks import AND_MORE, FULL_STOP, NAMES, SEMICOLON
from conformance.catalogue.message import Said, row
from conformance.evidence.items import short
from conformance.evidence.lines import FailureLine, VerdictLine
from conformance.evidence.run import Run
from conformance.gate.groups import groups
from conformance.gate.judgement import Finding
from conformance.gate.waivers import Contract, Use, here, judged, uses

SHOWN = 3


@dataclass
class Answered:
    """What became of a run's failures."""

    findings: list[Finding] = field(default_factory=list)
    waived: list[str] = field(default_factory=list)
    unconfirmed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    excused: dict[int, str] = field(default_factory=dict)
    """Of the lines of refused cases, by ``id``, those that reject nothing, each with the waiver
    that answers for it, if one does."""


def answer(
    run: Run,
    contracts: Iterable[Contract],
    today: date,
    soc: str,
    kind: str,
    measured: Collection[str],
) -> Answered:
    """Judge the failures of a run by the waivers, and the waivers by the run.

    On an NPU a failure that contradicts nothing but clauses without a document is unconfirmed,
    until ``measured`` has the clause.
    """
    answered = Answered()
    lines = [line for line in run.verdicts if judged(line)]
    evaluated = list(here(contracts, lines, soc, kind))
    away = len(list(contracts)) - len(evaluated) if isinstance(contracts, Collection) else 0
    if away:
        answered.notes.append(waivers.NOT_EVALUATED(count=away))
    for use in uses(evaluated, lines):
        _weigh(use, today, answered)
    if kind == "npu":
        _doubt(lines, measured, answered)
    answered.findings[:0] = _failures(run, lines, answered.excused)
    return answered


def _weigh(use: Use, today: date, answered: Answered) -> None:
    """One waiver: it excuses what it covers, or it is a finding itself."""
    contract, waiver = use.contract, use.contract.waiver
    kind, message = "", ""
    if use.wrong:
        kind, message = "wrong waiver", use.wrong
    elif today > waiver.expires:
        kind = "expired waiver"
        message = waivers.EXPIRED(expires=waiver.expires, owner=waiver.owner, link=waiver.link)
    elif not use.refused and not (waiver.intermittent and use.accepted):
        kind = "unmatched waiver"
        message = waivers.UNMATCHED(count=len(use.accepted))
    elif use.accepted and not waiver.intermittent:
        kind = "over-broad waiver"
        message = waivers.TOO_BROAD(
            accepted=len(use.accepted),
            refused=len(use.refused),
            example=_in_words(use.accepted[0]),
        )
    elif use.accepted and not use.left_out:
        kind = "over-broad waiver"
        message = waivers.COVERS_ALL()
    if kind:
        answered.findings.append(Finding(kind=kind, subject=contract.words, message=message))
        return
    answered.excused |= {id(line): waivers.NUMBER(number=contract.number) for line in use.refused}
    items = dict.fromkeys(short(line.item) for line in use.refused)
    told = {
        "waiver": contract.words,
        "reason": waiver.reason,
        "owner": waiver.owner,
        "expires": waiver.expires,
        "link": waiver.link,
    }
    if items:
        answered.waived.append(waivers.EXCUSES(items=_few(items), **told))
    else:
        answered.waived.append(waivers.EXCUSES_NOTHING_NOW(**told))


def _doubt(lines: Iterable[VerdictLine], measured: Collection[str], answered: Answered) -> None:
    told: dict[str, list[str]] = {}
    for line in lines:
        clauses = [f"{line.operator}: {clause}" for clause in line.unconfirmed]
        if line.ok or not clauses or any(clause in measured for clause in clauses):
            continue
        answered.excused.setdefault(id(line), "")
        for clause in clauses:
            told.setdefault(clause, []).append(short(line.item))
    answered.unconfirmed += [
        say.UNDOCUMENTED(clause=clause, items=_few(dict.fromkeys(items)))
        for clause, items in told.items()
    ]


def _failures(run: Run, lines: list[VerdictLine], excused: Collection[int]) -> Iterator[Finding]:
    """A finding for each diagnosis of items with a refused case that nothing excuses."""
    told: dict[str, FailureLine] = {failure.item: failure for failure in run.evidence.failures}
    failing = [line for line in lines if not line.ok]
    left: dict[str, VerdictLine] = {}
    for line in failing:
        if id(line) not in excused:
            left.setdefault(line.item, line)
    covered = {line.item for line in failing if id(line) in excused}
    grouped: set[str] = set()
    for group in groups(told[item] for item in left if item in told):
        mine = {group.show.item, *(one.item for one in group.others)}
        every = [item for item in left if item in mine]
        grouped |= mine
        yield _failure(group.show.item, group.show.headline, every, covered, group.show)
    for item, line in left.items():
        if item not in grouped:
            yield _failure(item, line.headline or say.REFUSED(), [item], covered)
    for item, text in run.evidence.errors.items():
        message = say.NO_VERDICT(what=_last_line(text))
        yield Finding(kind="error", subject=short(item), message=message)


def _failure(
    item: str,
    headline: str,
    every: list[str],
    covered: Collection[str],
    told: FailureLine | None = None,
) -> Finding:
    """The finding of ``every`` item of a diagnosis; ``item`` is the one that is ``told``."""
    message, others = headline, [short(one) for one in every if one != item]
    if item in covered:
        message += say.UNCOVERED()
    if others:
        message += "" if message.endswith(".") else FULL_STOP()
        message += say.MORE_ITEMS(count=len(others), items=_few(others))
    items = tuple(short(one) for one in every) if others else ()
    return Finding(
        kind="failure",
        subject=short(item),
        message=message,
        file=told.case if told is not None else "",
        items=items,
        **_place(told),
    )


def _place(failure: FailureLine | None) -> dict[str, Any]:
    """The line of a kernel that a failure's first diagnostic names."""
    for one in failure.excerpts if failure is not None else ():
        return {"source": one.path, "line": one.line}
    return {}


def _in_words(line: VerdictLine) -> str:
    shapes = [
        say.SHAPE(name=name, shape="x".join(map(str, shape)) or say.SCALAR())
        for name, shape in list((line.shapes or {}).items())[:SHOWN]
    ]
    attributes = [
        f"{name}={value}" for name, value in list((line.attributes or {}).items())[:SHOWN]
    ]
    parts = (f"{line.mode} {line.dtype}", ", ".join(attributes), row(shapes, ", "))
    return row([part for part in parts if part], SEMICOLON)


def _last_line(text: str) -> str:
    lines = text.splitlines() if isinstance(text, Said) else text.strip().splitlines()
    return next((line for line in reversed(lines) if line.strip()), say.NO_TEXT())


def _few(names: Iterable[str]) -> str:
    known = list(names)
    shown, more = known[:SHOWN], len(known) - SHOWN
    return AND_MORE(names=shown, count=more) if more > 0 else NAMES(names=shown)

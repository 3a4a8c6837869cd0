"""The failures of a run, and the waivers that answer for some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

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
        answered.notes.append(f"not evaluated: {_count(away, 'waiver')} of other devices or cells")
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
        message = f"expired on {waiver.expires}; ask {waiver.owner}: {waiver.link}"
    elif not use.refused and not (waiver.intermittent and use.accepted):
        kind = "unmatched waiver"
        cases = _count(len(use.accepted), "accepted case")
        message = f"excuses nothing: it covers no failure and {cases}; remove it"
    elif use.accepted and not waiver.intermittent:
        kind = "over-broad waiver"
        example = use.accepted[0]
        message = (
            f"covers {_count(len(use.accepted), 'accepted case')} beside"
            f" {_count(len(use.refused), 'refused one')}, such as {_in_words(example)}: say more"
            " exactly when it fails, or mark it intermittent"
        )
    elif use.accepted and not use.left_out:
        kind = "over-broad waiver"
        message = "covers every case of its operator: say when it fails"
    if kind:
        answered.findings.append(Finding(kind=kind, subject=str(contract), message=message))
        return
    answered.excused |= {id(line): f"waiver {contract.number}" for line in use.refused}
    items = dict.fromkeys(short(line.item) for line in use.refused)
    told = _few(items) if items else "nothing in this run (intermittent)"
    answered.waived.append(
        f"{contract} excuses {told}: {waiver.reason} ({waiver.owner}, until {waiver.expires},"
        f" {waiver.link})"
    )


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
        f"{clause} (no document states it; in {_few(dict.fromkeys(items))})"
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
            yield _failure(item, line.headline or "refused", [item], covered)
    for item, text in run.evidence.errors.items():
        last = (text.strip().splitlines() or ["no text"])[-1]
        message = f"ended without a verdict: {last}"
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
        message += " (no waiver covers every refused case of it)"
    if others:
        message += "" if message.endswith(".") else "."
        message += f" {_count(len(others), 'more item')} of the same diagnosis: {_few(others)}"
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
    shapes = ", ".join(
        f"{name} {'x'.join(map(str, shape)) or 'scalar'}"
        for name, shape in list((line.shapes or {}).items())[:SHOWN]
    )
    attributes = ", ".join(
        f"{name}={value}" for name, value in list((line.attributes or {}).items())[:SHOWN]
    )
    return "; ".join(part for part in (f"{line.mode} {line.dtype}", attributes, shapes) if part)


def _few(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return ", ".join(known[:SHOWN]) + more


def _count(number: int, noun: str) -> str:
    one, _, rest = noun.partition(" ")
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {one} {rest}s" if rest else f"{number:,} {one}s"

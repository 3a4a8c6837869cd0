"""The one answer to whether a run's folder contradicts itself, for all that read one.

First comes what was lost, added or changed since the run wrote it, by chain and seal. Then every
kind of line is checked against the others, and the summary against all of them, as if there were no
seal: who changes a line can seal the folder anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeGuard

from conformance.catalogue import corrupted as say
from conformance.evidence.cells_against_lines import unshown
from conformance.evidence.items import items_in_words, last_of_each, short
from conformance.evidence.lines import (
    AnyLine,
    DeviceLine,
    EnvironmentLine,
    FailureLine,
    ItemLine,
    VerdictLine,
)
from conformance.evidence.summary import (
    QUARANTINE,
    REJECTIONS,
    RELATIONS,
    SEQUENCES,
    Cell,
    Evidence,
    lost_cards,
    lost_workers,
    observed,
    summarize,
    withheld,
)
from conformance.evidence.summary_against_lines import told_otherwise
from conformance.names import bracket, call_id
from conformance.record.operator import RELATIONS as RELATIONS_ALONE

if TYPE_CHECKING:
    from conformance.evidence.run import Run

SHOWN, SHOWN_BREAKS = 3, 10
"""Contradictions of a kind that are told, and broken links and seals."""


def contradictions(run: Run) -> Iterator[str]:
    """What in the folder goes together in no run, each a sentence; nothing if all of it does.

    Of a run that has not ended only the lines are looked at: it has no seal, and no summary yet.
    """
    yield from _few(run.breaks, SHOWN_BREAKS)
    for sentences in _of_lines(run.lines):
        yield from _few(sentences)
    if run.evidence.status != "running":
        for sentences in _of_summary(run.evidence, run.lines):
            yield from _few(sentences)


def _few(sentences: Iterable[str], most: int = SHOWN) -> Iterator[str]:
    every = list(sentences)
    yield from (say.CORRUPTED(what=one) for one in every[:most])
    if len(every) > most:
        yield say.MORE_OF_A_KIND(count=len(every) - most)


def known_items(evidence: Evidence, lines: Iterable[AnyLine]) -> set[str]:
    """The items of a run that has ended, as the folder tells what became of each: it ended, it was
    cut short or not reached, or it had an error or no device."""
    ended = {line.item for line in lines if isinstance(line, ItemLine | EnvironmentLine)}
    # What could not be collected is no item, and has no brackets.
    failed = {name for name in evidence.errors if "[" in name}
    return ended | failed | {*evidence.cut, *evidence.unreached}


def _of_lines(lines: tuple[AnyLine, ...]) -> Iterator[Iterator[str]]:
    yield _verdicts(line for line in lines if isinstance(line, VerdictLine))
    yield _items(lines)
    yield _failures(lines)


def _verdicts(verdicts: Iterable[VerdictLine]) -> Iterator[str]:
    """A verdict says itself by what it is excused, and that fits what else it says.

    A call in quarantine fails nothing, has a name, and is that of its item. What fails says why;
    what is accepted has nothing to tell, unless nothing was judged.
    """
    for line in verdicts:
        item, own = short(line.item), call_id(line.operator, line.name)
        if line.judged_as == QUARANTINE:
            if not line.ok:
                yield say.QUARANTINE_NOT_OK(item=item)
            elif not line.name or bracket(line.item) != own:
                yield say.QUARANTINE_OF_ANOTHER(item=item, name=repr(line.name))
        elif not line.ok and not line.headline:
            yield say.UNEXPLAINED(item=item)
        if line.ok and line.headline and line.elements:
            yield say.ACCEPTED_WITH_MISTAKE(item=item)


def _items(lines: Iterable[AnyLine]) -> Iterator[str]:
    """How an item ended is how its verdicts came out."""
    failing = {line.item for line in lines if _fails(line)}
    told = {line.item for line in lines if isinstance(line, FailureLine)}
    open_: set[str] = set()
    for line in lines:
        if isinstance(line, DeviceLine):
            # Another process, or another part of the run: there an item may have begun anew.
            open_.clear()
        elif _fails(line):
            open_.add(line.item)
        elif isinstance(line, ItemLine) and line.outcome == "refused":
            if line.item not in failing:
                yield say.REFUSED_WITHOUT_VERDICT(item=short(line.item))
            elif line.item not in told:
                yield say.REFUSED_WITHOUT_FAILURE(item=short(line.item))
        elif isinstance(line, ItemLine) and line.item in open_:
            yield say.ENDED_DESPITE_VERDICT(item=short(line.item), outcome=line.outcome)


def _failures(lines: Iterable[AnyLine]) -> Iterator[str]:
    """A failure is that of a verdict, with what the verdict is excused by, if anything."""
    failing: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for line in lines:
        if _fails(line):
            failing.setdefault(_place(line), set()).add(line.unconfirmed)
    for line in lines:
        if not isinstance(line, FailureLine):
            continue
        known, item = failing.get(_place(line)), short(line.item)
        if known is None:
            yield say.FAILURE_WITHOUT_VERDICT(item=item)
        elif line.unconfirmed not in known:
            yield say.OTHER_CLAUSES(item=item)


def _of_summary(evidence: Evidence, lines: tuple[AnyLine, ...]) -> Iterator[Iterator[str]]:
    yield _cells(evidence, lines)
    yield _failures_told(evidence, lines)
    yield _every_item(evidence, lines)
    yield _withheld(evidence, lines)
    yield _lists(evidence, lines)
    yield unshown(evidence.coverage, lines)
    yield told_otherwise(evidence, lines)


def _withheld(evidence: Evidence, lines: Iterable[AnyLine]) -> Iterator[str]:
    """A mode that is not called is told by its items, of a device that keeps to its CANN alone."""
    if evidence.withheld != withheld(lines):
        yield say.OTHER_WITHHELD()
    told = (line.profile for line in evidence.devices)
    kept = [one.get("kind") == "npu" or one.get("cann_asked") is True for one in told]
    if evidence.withheld and not (kept and all(kept)):
        yield say.WITHHELD_WITHOUT_NPU()


def _cells(evidence: Evidence, lines: tuple[AnyLine, ...]) -> Iterator[str]:
    groups = (REJECTIONS, RELATIONS, SEQUENCES)
    declared = [_key(cell) for cell in evidence.cells if cell.mode not in groups]
    if evidence.request.get("oracle") == RELATIONS_ALONE:
        declared = []
    told = {_key(cell): _figures(cell) for cell in evidence.cells}
    counted = {_key(cell): _figures(cell) for cell in summarize(lines, declared)}
    for key in [key for key in {**told, **counted} if told.get(key) != counted.get(key)]:
        yield say.OTHER_FIGURES(
            cell="-".join(part for part in key if part),
            told=_told(told.get(key)),
            counted=_told(counted.get(key)),
        )
    cases = sum(cell.cases for cell in evidence.cells)
    if evidence.cases != cases:
        yield say.OTHER_CASES(told=evidence.cases, counted=cases)


def _failures_told(evidence: Evidence, lines: Iterable[AnyLine]) -> Iterator[str]:
    """The failures of the summary are those of the lines."""
    told = {one.item: one for one in evidence.failures}
    found = {
        one.item: one
        for one in last_of_each(line for line in lines if isinstance(line, FailureLine))
    }
    for item in {**told, **found}:
        if item not in told:
            yield say.FAILURE_NOT_IN_SUMMARY(item=short(item))
        elif item not in found:
            yield say.FAILURE_NOT_IN_LINES(item=short(item))
        elif told[item] != found[item]:
            yield say.OTHER_FAILURE(item=short(item))


def _every_item(evidence: Evidence, lines: Iterable[AnyLine]) -> Iterator[str]:
    """Of every item that was to run it is told what became of it."""
    known = known_items(evidence, lines)
    judged = dict.fromkeys(
        line.item for line in lines if isinstance(line, VerdictLine | FailureLine)
    )
    for item in judged:
        if item not in known:
            yield say.NO_END(item=short(item))
    asked = evidence.request.get("items", "")
    if not asked and known:
        yield say.NO_ITEMS()
    elif asked and asked != (told := items_in_words(sorted(known))):
        yield say.OTHER_ITEMS(asked=asked, told=told)


def _lists(evidence: Evidence, lines: tuple[AnyLine, ...]) -> Iterator[str]:
    """What the summary repeats of the lines."""
    for name, told, found in (
        ("observed", evidence.observed, observed(lines)),
        ("lost_cards", evidence.lost_cards, lost_cards(lines)),
        ("lost_workers", evidence.lost_workers, lost_workers(lines)),
        ("environment", evidence.environment, _lost(lines)),
        ("cut", evidence.cut, _cut(lines)),
    ):
        if missing := sum(one not in told for one in found):
            yield say.FEWER_THAN_LINES(field=name, count=missing)


def _lost(lines: Iterable[AnyLine]) -> list[str]:
    """What kept items from ending."""
    ended = {line.item for line in lines if isinstance(line, ItemLine)}
    losses = (line for line in lines if isinstance(line, EnvironmentLine))
    return [line.message for line in losses if line.item not in ended]


def _cut(lines: Iterable[AnyLine]) -> list[str]:
    """The items that the budget ended early, each time that they ran."""
    outcomes: dict[str, set[str]] = {}
    for line in lines:
        if isinstance(line, ItemLine):
            outcomes.setdefault(line.item, set()).add(line.outcome)
    return [item for item, found in outcomes.items() if found == {"cut"}]


def _fails(line: AnyLine) -> TypeGuard[VerdictLine]:
    return isinstance(line, VerdictLine) and not line.ok and line.judged_as != QUARANTINE


def _place(line: VerdictLine | FailureLine) -> tuple[str, ...]:
    return line.item, line.operator, line.mode, line.dtype, line.digest


def _key(cell: Cell) -> tuple[str, str, str]:
    return cell.operator, cell.mode, cell.dtype


def _figures(cell: Cell) -> tuple[int, int, int, int]:
    return cell.cases, cell.failed, cell.elements, cell.exact


def _told(figures: tuple[int, int, int, int] | None) -> str:
    if figures is None:
        return say.NOTHING()
    cases, failed, elements, exact = figures
    return say.FIGURES(cases=cases, failed=failed, exact=exact, elements=elements)

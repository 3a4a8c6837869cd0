"""The outcome of a run as the front door tells it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from conformance.catalogue import front_door as say
from conformance.catalogue import run_lines
from conformance.catalogue.message import Message
from conformance.cli import html
from conformance.errors import (
    ACCEPTED,
    ENVIRONMENT,
    INTERRUPTED,
    NOTHING_TO_DO,
    REFUSED,
    UsageError,
    text_of,
)
from conformance.evidence.lines import FailureLine
from conformance.evidence.reading import CannotJudge
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import Evidence
from conformance.gate.groups import groups, kept_lines
from conformance.judge.broken import is_broken
from conformance.names import bracket
from conformance.session.boundaries import limits_told
from conformance.session.left_out import told
from conformance.text.command_lines import near
from conformance.text.language import Speaking, shown
from conformance.text.one_screen import (
    beside,
    changes,
    comparable,
    operator_table,
)
from conformance.text.terminal import (
    WIDTH,
    called_lines,
    standards_table,
    table,
    whole,
)

LOG = "pytest.log"
SHOWN_FAILURES = 3
SHOWN_ITEMS = 5
SHOWN_LOG_LINES = 15
RESULTS = {
    ACCEPTED: say.ACCEPTED,
    REFUSED: say.FAILED,
    NOTHING_TO_DO: say.NOTHING_TO_JUDGE,
    ENVIRONMENT: say.ENVIRONMENT_FAILED,
    INTERRUPTED: say.INTERRUPTED,
}
"""A run's result in words, by exit status."""


def write_report(out: Path, console: Console) -> None:
    """Write the page of the run; a page that cannot be written changes no verdict."""
    try:
        html.write(out, out / html.REPORT)
    except (UsageError, CannotJudge) as error:
        console.print(say.NO_REPORT(error=text_of(error)), markup=False)


def tell(
    out: Path,
    evidence: Evidence,
    status: int,
    console: Console,
    *,
    called: str = "",
    verbose: bool = False,
    earlier: Evidence | None = None,
) -> None:
    """Print the table, the first failures and where the rest is; on one screen, or ``verbose``.

    ``called`` has been told of the device already. ``earlier`` is the run that was in the folder
    before: what is otherwise now comes first.
    """
    language = getattr(console, "language", "en")
    earlier = comparable(earlier, evidence)
    for line in changes(earlier, evidence):
        console.print(line, markup=False)
    cells = shown(table(evidence) if verbose else operator_table(evidence), language)
    width = max(console.width, WIDTH, whole(cells))
    wide = Speaking(language, file=console.file, width=width, highlight=False)
    wide.print(cells, crop=False)
    for line in limits_told(evidence.limits):
        console.print(line, markup=False)
    if evidence.standards:
        console.print()
        wide.print(standards_table(evidence), crop=False)
    found = groups(evidence.failures)
    for group in found[:SHOWN_FAILURES]:
        console.print(f"\n{group.show.item}", style="bold", markup=False)
        console.print(group.show.text, markup=False)
        _list(say.SAME_DIAGNOSIS, [failure.item for failure in group.others], console)
        _kept(group.others, console)
    untold = [one for group in found[SHOWN_FAILURES:] for one in (group.show, *group.others)]
    if untold:
        more = say.MORE_FAILED(count=len(untold), folder=out / "failures")
        console.print("\n" + more, markup=False)
        _kept(untold, console)
    for items, text in _errors(evidence)[:SHOWN_FAILURES]:
        console.print("\n" + say.NO_VERDICT(item=items[0]), style="bold", markup=False)
        _show_end(text, console)
        _list(say.SAME_ERROR, items[1:], console)
    if any(map(is_broken, evidence.errors.values())) and (out / LOG).is_file():
        console.print(say.TRACEBACKS(path=near(out / LOG)), markup=False)
    for message in evidence.environment:
        console.print(say.ENVIRONMENT(message=message), markup=False)
    lines = (
        *beside(evidence, verbose=verbose, earlier=earlier),
        *(
            line
            for line in called_lines(evidence)
            if line != run_lines.CALLED(implementation=called)
        ),
    )
    for line in lines:
        console.print(line, markup=False)
    said = {bracket(item) for item, text in evidence.errors.items() if is_broken(text)}
    unsaid = [cell for cell in evidence.unjudged if cell not in said]
    for line in (*(run_lines.NOT_JUDGED(cell=cell) for cell in unsaid), *told(evidence.left_out)):
        console.print(line, markup=False)
    _list(say.CUT, evidence.cut, console)
    _list(say.NOT_REACHED, evidence.unreached, console)
    console.print(_result_line(out, evidence, status), markup=False)


def _result_line(out: Path, evidence: Evidence, status: int) -> str:
    """How a run came out, how much it judged, and where its evidence is."""
    cells = shard = ""
    if evidence.selected < evidence.declared:
        cells = say.OF_CELLS(selected=evidence.selected, declared=evidence.declared)
    if evidence.request.get("shard", str(WHOLE)) != str(WHOLE):
        shard = say.OF_SHARD(shard=evidence.request["shard"])
    if evidence.seeds:
        shard = say.OF_SEEDS(seeds=evidence.seeds)
    return say.RESULT(
        result=result(evidence, status),
        cases=evidence.cases,
        cells=cells,
        shard=shard,
        seconds=evidence.seconds,
        path=near(out / "evidence.json"),
    )


def _errors(evidence: Evidence) -> list[tuple[list[str], str]]:
    """The items that ended without a verdict, those whose texts begin alike together."""
    found: dict[str, tuple[list[str], str]] = {}
    for item, text in evidence.errors.items():
        alike = text.partition("\n")[0] if is_broken(text) else item
        found.setdefault(alike, ([], text))[0].append(item)
    return list(found.values())


def result(evidence: Evidence, status: int) -> str:
    """The run's result in a word or two."""
    if status == ENVIRONMENT and not evidence.environment:
        return say.SUITE_FAILED()
    if status == REFUSED and not evidence.failures:
        return say.INCOMPLETE()
    if status == ACCEPTED and evidence.cut:
        return say.ACCEPTED_IN_BUDGET()
    return RESULTS[status]()


def explain(log: str, console: Console) -> None:
    """Why pytest ended, in its own words: the reason it gives, else the end of its output."""
    reasons = re.findall(
        r"^(?:ERROR: |Exit: |!+ _pytest\.outcomes\.Exit: )(.+?)(?: !+)?$", log, re.M
    )
    for reason in dict.fromkeys(reasons):
        console.print(say.ERROR(error=reason), markup=False)
    if not reasons:
        _show_end(log, console)


def _list(what: Message, items: list[str], console: Console) -> None:
    """Items by name, the first few of them."""
    if items:
        names = [item.rpartition("::")[2] for item in items[:SHOWN_ITEMS]]
        more = ["..."] if len(items) > SHOWN_ITEMS else []
        console.print(what(count=len(items), names=names + more), markup=False)


def _kept(failures: Iterable[FailureLine], console: Console) -> None:
    """What is known of the regressions among failures that are not told whole, the first few."""
    known = [lines for one in failures if (lines := kept_lines(one))]
    for lines in known[:SHOWN_ITEMS]:
        for line in lines:
            console.print("    " + line, markup=False)
    if len(known) > SHOWN_ITEMS:
        more = say.MORE_REGRESSIONS(count=len(known) - SHOWN_ITEMS)
        console.print(more, markup=False)


def _show_end(text: str, console: Console) -> None:
    """The end of pytest's own output, where that tells what the evidence does not."""
    for line in text.splitlines()[-SHOWN_LOG_LINES:]:
        console.print("  " + line, markup=False)

"""The outcome of a run as the front door tells it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from conformance.cli import html
from conformance.errors import (
    ACCEPTED,
    ENVIRONMENT,
    INTERRUPTED,
    NOTHING_TO_DO,
    REFUSED,
    UsageError,
)
from conformance.evidence.lines import FailureLine
from conformance.evidence.reading import CannotJudge
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import Evidence
from conformance.gate.groups import groups, kept_lines
from conformance.judge.broken import is_broken
from conformance.session.boundaries import limits_told
from conformance.session.left_out import told
from conformance.text.command_lines import near
from conformance.text.language import Speaking
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
    ACCEPTED: "accepted",
    REFUSED: "failed",
    NOTHING_TO_DO: "nothing to judge",
    ENVIRONMENT: "environment failed",
    INTERRUPTED: "interrupted",
}
"""A run's result in words, by exit status."""


def write_report(out: Path, console: Console) -> None:
    """Write the page of the run; a page that cannot be written changes no verdict."""
    try:
        html.write(out, out / html.REPORT)
    except (UsageError, CannotJudge) as error:
        console.print(f"the report was not written: {error}", markup=False)


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
    cells = table(evidence) if verbose else operator_table(evidence)
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
        _list("  of the same diagnosis", [failure.item for failure in group.others], console)
        _kept(group.others, console)
    untold = [one for group in found[SHOWN_FAILURES:] for one in (group.show, *group.others)]
    if untold:
        console.print(f"\n{len(untold)} more failed items: {out / 'failures'}", markup=False)
        _kept(untold, console)
    for items, text in _errors(evidence)[:SHOWN_FAILURES]:
        console.print(f"\n{items[0]} ended without a verdict:", style="bold", markup=False)
        _show_end(text, console)
        _list("  of the same error", items[1:], console)
    if any(map(is_broken, evidence.errors.values())) and (out / LOG).is_file():
        console.print(f"tracebacks: {near(out / LOG)}", markup=False)
    for message in evidence.environment:
        console.print(f"the device or its environment failed: {message}", markup=False)
    lines = (
        *beside(evidence, verbose=verbose, earlier=earlier),
        *(line for line in called_lines(evidence) if line != f"called: {called}"),
    )
    for line in lines:
        console.print(line, markup=False)
    said = [item for item, text in evidence.errors.items() if is_broken(text)]
    unsaid = [cell for cell in evidence.unjudged if not any(f"[{cell}]" in s for s in said)]
    for line in (*(f"not judged: {cell}" for cell in unsaid), *told(evidence.left_out)):
        console.print(line, markup=False)
    _list("cut short by the budget", evidence.cut, console)
    _list("not reached", evidence.unreached, console)
    words = f"{result(evidence, status)}: {evidence.cases:,} distinct cases"
    if evidence.selected < evidence.declared:
        words += f" in {evidence.selected} of {evidence.declared} declared cells"
    where = near(out / "evidence.json")
    if evidence.request.get("shard", str(WHOLE)) != str(WHOLE):
        words += f", shard {evidence.request['shard']}"
    console.print(f"{words} in {evidence.seconds:.0f} s; evidence: {where}", markup=False)


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
        return "a record or the suite failed"
    if status == REFUSED and not evidence.failures:
        return "incomplete"
    if status == ACCEPTED and evidence.cut:
        return "accepted as far as the budget went"
    return RESULTS[status]


def explain(log: str, console: Console) -> None:
    """Why pytest ended, in its own words: the reason it gives, else the end of its output."""
    reasons = re.findall(
        r"^(?:ERROR: |Exit: |!+ _pytest\.outcomes\.Exit: )(.+?)(?: !+)?$", log, re.M
    )
    for reason in dict.fromkeys(reasons):
        console.print(f"error: {reason}", markup=False)
    if not reasons:
        _show_end(log, console)


def _list(what: str, items: list[str], console: Console) -> None:
    """Items by name, the first few of them."""
    if items:
        names = ", ".join(item.rpartition("::")[2] for item in items[:SHOWN_ITEMS])
        more = ", ..." if len(items) > SHOWN_ITEMS else ""
        noun = "item" if len(items) == 1 else "items"
        console.print(f"{what}: {len(items)} {noun}: {names}{more}", markup=False)


def _kept(failures: Iterable[FailureLine], console: Console) -> None:
    """What is known of the regressions among failures that are not told whole, the first few."""
    known = [lines for one in failures if (lines := kept_lines(one))]
    for lines in known[:SHOWN_ITEMS]:
        for line in lines:
            console.print(f"    {line}", markup=False)
    if len(known) > SHOWN_ITEMS:
        console.print(f"    and {len(known) - SHOWN_ITEMS} more regressions", markup=False)


def _show_end(text: str, console: Console) -> None:
    """The end of pytest's own output, where that tells what the evidence does not."""
    for line in text.splitlines()[-SHOWN_LOG_LINES:]:
        console.print(f"  {line}", markup=False)

"""The report of a run: one HTML file that needs nothing else, made from the run's folder alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from conformance.catalogue import options, page
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row, within
from conformance.cli.matrix import BESIDE, matrix, verdict
from conformance.devices.traits import loosened_lines
from conformance.errors import (
    ACCEPTED,
    ENVIRONMENT,
    INTERRUPTED,
    NOTHING_TO_DO,
    REFUSED,
    UsageError,
)
from conformance.evidence.lines import FailureLine
from conformance.evidence.reading import read_run, sound
from conformance.evidence.summary import Cell, Evidence
from conformance.failure.drawing import heat_map, histogram, legend
from conformance.gate.groups import Group, groups, kept_lines
from conformance.names import cell_id
from conformance.printable import printable
from conformance.record.frozen import MOST_LINKS, is_link
from conformance.session.failure_text import REPORTED
from conformance.session.left_out import told
from conformance.text.language import check_language
from conformance.text.one_screen import unbounded_lines
from conformance.text.report_words import HTML_LANGUAGE, texts
from conformance.text.terminal import (
    functions_told,
    further_lines,
    implementations,
    percent,
    torch_function_lines,
    totals,
)

REPORT = "report.html"
SHOWN_FAILURES, SHOWN_MISSING, SHOWN_TEXT = 200, 20, 8_000
"""Failures, gaps of coverage in a cell, and characters of a text that the page shows."""

SHOWN_NOTE = 2_000
"""Characters."""

SHOWN_PICTURES, SHOWN_EXCERPTS = 4, 6
"""Of a failure."""

SHOWN_LIBRARIES = 200
"""Of all devices."""

LARGEST_PAGE = 10_000_000
"""Bytes; a browser on a phone still opens it."""

RESULTS = {
    ACCEPTED: "accepted",
    REFUSED: "failed",
    NOTHING_TO_DO: "nothing",
    ENVIRONMENT: "environment",
    INTERRUPTED: "interrupted",
}


def load(run: Path) -> Evidence:
    """The evidence of a run's folder. Raises `UsageError` where there is no folder, `CannotJudge`
    where it holds no run, or one that contradicts itself.
    """
    return sound(read_run(run)).evidence


@cache
def environment() -> Environment:
    """What pages are made of: a template is compiled once in a process."""
    return Environment(
        loader=PackageLoader("conformance.cli"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def template() -> Template:
    """The template of a run's page."""
    return environment().get_template("report.html.j2")


def render(evidence: Evidence, language: str = "en") -> str:
    """The page. Everything that comes from the evidence is escaped."""
    check_language(language)
    say = partial(within, language=language)
    shown = groups(evidence.failures)[:SHOWN_FAILURES]
    judged = [cell for cell in evidence.cells if _matters(cell, evidence)]
    dtypes, rows = matrix(judged)
    listed = sum(1 + len(group.others) for group in shown)
    return template().render(
        language=HTML_LANGUAGE[language],
        t=texts(language),
        run=evidence,
        result=result(evidence),
        dtypes=dtypes,
        rows=rows,
        cells=[_cell(cell, language) for cell in judged],
        sources=[(name, said) for name, said in sources(evidence, texts(language)) if said],
        libraries=libraries(evidence),
        coverage=[one for one in evidence.coverage if one.tuples],
        totals=totals(evidence),
        further=[say(line) for line in further_lines(evidence)],
        notes=[say(note)[:SHOWN_NOTE] for note in _notes(evidence)],
        left_out=[say(line) for line in told(evidence.left_out)],
        shown_missing=SHOWN_MISSING,
        shown_text=SHOWN_TEXT,
        shown_libraries=SHOWN_LIBRARIES,
        failures=[_failure(one, language) for one in shown],
        more_failures=len(evidence.failures) - listed,
        errors=[(name, say(text)[-2000:]) for name, text in list(evidence.errors.items())[:20]],
        devices=list(dict.fromkeys(say(line.description) for line in evidence.devices)),
        called=[say(one) for one in _called(evidence)],
        percent=percent,
        started=run_time(evidence.started),
    )


def write(run: Path, out: Path, language: str = "en") -> None:
    """Put the report of a run in place as a whole. Raises `UsageError`, and as `load` does."""
    evidence = load(run)
    try:
        made = printable(render(evidence, language)).encode("utf-8", "replace")
    except (ArithmeticError, ValueError) as error:
        raise UsageError("RUN", run, options.NO_FIGURE(error=str(error))) from error
    if len(made) > LARGEST_PAGE:
        rule = options.LARGE_PAGE(size=len(made), most=LARGEST_PAGE)
        raise UsageError("RUN", run, rule)
    put(made, out)


def put(made: bytes, out: Path) -> None:
    """Put a page in place as a whole. Raises `UsageError` if it cannot be written."""
    partial = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        partial.write_bytes(made)
        os.replace(partial, out)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError("out", out, options.NOT_WRITTEN(error=error.strerror)) from error


def run_time(started: str) -> str:
    """A time as people read it: to the second, and UTC where it is."""
    return started.replace("T", " ").replace("+00:00", " UTC")


def result(evidence: Evidence) -> str:
    """The key of the verdict on the whole run."""
    if evidence.status == "running" or evidence.exit_status is None:
        return "running"
    if evidence.exit_status == REFUSED and not evidence.failures:
        return "incomplete"
    if evidence.exit_status == ACCEPTED and evidence.cut:
        return "cut"
    return RESULTS.get(evidence.exit_status, "incomplete")


def replay_of(failure: FailureLine) -> str:
    """The line that judges the failure's case again; empty where its text tells none."""
    found = re.findall(r"^  replay: (.+)$", failure.text, re.MULTILINE)
    return found[-1] if found else ""


def _matters(cell: Cell, evidence: Evidence) -> bool:
    name = cell_id(cell.operator, cell.mode, cell.dtype)
    return bool(cell.cases or cell.impossible or name in evidence.unjudged)


def sources(evidence: Evidence, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Where the verdicts come from: keys of texts, each with what the evidence says, "" if nothing.

    What a run has written may have been changed: no part of it is taken for granted.
    """
    known = evidence.provenance
    git = known.get("git")
    commit = str(git.get("commit", "")) if isinstance(git, dict) else ""
    yield "command", str(known.get("command", ""))
    yield "commit", commit
    if isinstance(git, dict) and git.get("clean") is False:
        yield "tree", words["changed"]
    yield "cann", ", ".join(dict.fromkeys(_of(evidence, "cann")))
    yield "soc", ", ".join(dict.fromkeys(_of(evidence, "soc")))
    yield "host", str(known.get("platform", ""))
    packages = known.get("packages")
    versions = packages.items() if isinstance(packages, dict) else ()
    listed = (("python", known.get("python")), *versions)
    yield "packages", ", ".join(f"{name} {version}" for name, version in listed if version)
    yield "judge", str(known.get("sources", ""))


def libraries(evidence: Evidence) -> list[tuple[str, str]]:
    """The libraries that the devices loaded, by name, and the SHA-256 of each."""
    found: dict[tuple[str, str], None] = {}
    for line in evidence.devices:
        loaded = line.profile.get("libraries")
        for name, one in loaded.items() if isinstance(loaded, dict) else ():
            found[str(name), str(one.get("sha256", "")) if isinstance(one, dict) else ""] = None
    return list(found)


def _of(evidence: Evidence, name: str) -> Iterator[str]:
    """What each device says of itself under a name."""
    for line in evidence.devices:
        if said := line.profile.get(name):
            yield str(said)


def _notes(evidence: Evidence) -> Iterator[str]:
    """What stands below the verdict: what nothing bounds, cards that were lost, what is not called
    here, and failures of the environment.
    """
    yield from unbounded_lines(evidence)
    yield from functions_told(evidence)
    yield from (page.GAVE_WAY(line=one) for one in evidence.lost_cards[:SHOWN_MISSING])
    yield from (page.LOST_WORKER(line=one) for one in evidence.lost_workers[:SHOWN_MISSING])
    yield from (page.NOT_HERE(line=one) for one in evidence.withheld[:SHOWN_MISSING])
    yield from evidence.environment[:SHOWN_MISSING]


def _called(evidence: Evidence) -> Iterator[str]:
    """What the devices called, and settings under which the simulator checked less."""
    yield from implementations(evidence)
    yield from torch_function_lines(evidence)
    lines = loosened_lines(one.profile.get("loosened") for one in evidence.devices)
    yield from (line.partition(": ")[2] for line in lines)


def _cell(cell: Cell, language: str) -> dict[str, Any]:
    return {
        "operator": cell.operator,
        "mode": within(BESIDE.get(cell.mode, cell.mode), language),
        "dtype": cell.dtype,
        "cases": cell.cases,
        "verdict": verdict([cell]),
        "exact": None if cell.share_exact is None or cell.failed else percent(cell.share_exact),
        "headroom": None if cell.headroom is None else percent(cell.headroom),
    }


def _failure(group: Group, language: str) -> dict[str, Any]:
    failure = group.show
    words = texts(language)
    say = partial(within, language=language)
    return {
        "item": failure.item.rpartition("::")[2],
        "alike": [one.item.rpartition("::")[2] for one in group.others],
        "operator": failure.operator,
        "mode": failure.mode,
        "dtype": failure.dtype,
        "headline": say(_cut(failure.headline)),
        "details": say(row(_details(_cut(failure.text)), "\n")),
        "cut": len(failure.text) > SHOWN_TEXT,
        "replay": replay_of(failure),
        "links": list(dict.fromkeys(_links(group)))[:MOST_LINKS],
        "kept": [
            say(row([line for line in kept_lines(one) if not line.startswith(REPORTED)], SEMICOLON))
            for one in group.others[:SHOWN_FAILURES]
            if kept_lines(one)
        ],
        "pictured": say(_cut(failure.pictured)),
        "pictures": [
            {
                "output": one.output,
                "words": say(row([_cut(word) for word in one.words if word], SEMICOLON)),
                "map": heat_map(one, words),
                "legend": legend(one, words),
                "histogram": histogram(one, words),
            }
            for one in failure.pictures[:SHOWN_PICTURES]
        ],
        "excerpts": failure.excerpts[:SHOWN_EXCERPTS],
    }


def _cut(text: str) -> str:
    """As much of a text as the page shows."""
    return text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT]


def _links(group: Group) -> Iterator[str]:
    """The public reports of the mistake, of all failures that are taken for it."""
    for one in (group.show, *group.others):
        yield from (link for link in one.links[:MOST_LINKS] if is_link(link))


def _details(text: str) -> Iterator[str]:
    """The lines of a failure's text between its headline and its replay line, without links."""
    for line in text.splitlines()[1:]:
        if not line.startswith(("  replay: ", f"  {REPORTED}")):
            yield line.removeprefix("  ")

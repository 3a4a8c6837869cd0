"""The merged run: the lines of all shards, their failures, and one summary over both."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import msgspec

from conformance.catalogue import files, folder_of_run
from conformance.catalogue import merging as say
from conformance.catalogue.message import Said, changed, row
from conformance.errors import EnvironmentFailure, UsageError
from conformance.evidence import run_folder
from conformance.evidence.contradictions import known_items
from conformance.evidence.coverage import Coverage
from conformance.evidence.exit_status import exit_status
from conformance.evidence.items import items_in_words, last_of_each
from conformance.evidence.lines import (
    AnyLine,
    DeviceLine,
    FailureLine,
    LimitLine,
    OrderLine,
    Writer,
)
from conformance.evidence.reading import CannotJudge, declared_cells, read_run, sound
from conformance.evidence.run import Run
from conformance.evidence.run_folder import FAILURES
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import (
    COUNTED,
    Evidence,
    against,
    carried_out,
    lost_cards,
    lost_workers,
    observed,
    standard_rows,
    summarize,
    withheld,
    withheld_cells,
    write_evidence,
)
from conformance.evidence.tiling_keys import asked_in, tiling_keys
from conformance.evidence.torch_functions import torch_functions
from conformance.gate.junit import write_junit
from conformance.gate.parts_match import check_belong
from conformance.names import cell_id
from conformance.record.operator import RELATIONS
from conformance.session.failure_text import LARGER

BUNDLE = re.compile(r"failures/[\w.-]{1,200}/case\.json", re.ASCII)
COMMAND = re.compile(r" (?:run --case|replay) ('[^'\n]*'|\S+)")
"""A command of a failure's text that is there to be copied, with the path that it names."""
MOST_BUNDLE_BYTES = 2**30


def merge(folders: Sequence[Path], out: Path) -> Evidence:
    """Write the folder ``out`` of a run made of shards; nothing is written where they do not fit.

    A shard that did not reach its end leaves the merged run incomplete. Raises `UsageError` for
    what does not belong together, `CannotJudge` for a folder that cannot be read or whose run goes
    on, `EnvironmentFailure` where ``out`` cannot be written.
    """
    if not folders:
        raise UsageError("runs", "none", say.NAME_ALL())
    places = [folder.resolve() for folder in folders]
    if out.resolve() in places:
        raise UsageError("out", out, say.ONE_OF_THE_RUNS())
    runs = [read_run(folder) for folder in folders]
    for run in runs:
        if run.evidence.status == "running":
            raise _cannot(run, say.NOT_ENDED())
        sound(run)
    check_belong(runs)
    bundles = {run.folder: _bundles(run) for run in runs}
    evidence = _summed(runs)
    hold = run_folder.start(out, evidence)
    try:
        evidence.failures = [_moved(failure, out) for failure in evidence.failures]
        for number, run in enumerate(runs, 1):
            _write_lines(out, number, run, {one.item: one for one in evidence.failures})
            _copy(bundles[run.folder], run.folder, out)
        evidence.process = os.getpid()
        write_evidence(out, evidence)
        write_junit(out, evidence, [line for run in runs for line in run.lines])
    except OSError as error:
        told = files.UNWRITABLE_FILE(path=out, why=error.strerror)
        raise EnvironmentFailure(told) from error
    finally:
        hold.release()
    return evidence


def _summed(runs: Sequence[Run]) -> Evidence:
    """The summary of all shards, as one run over all their items has it."""
    first = runs[0].evidence
    told = [run.evidence for run in runs]
    lines: list[AnyLine] = [line for run in runs for line in run.lines]
    away = withheld_cells(lines)
    known = [(cell.operator, cell.mode, cell.dtype) for cell in declared_cells(first)]
    declared = [key for key in known if cell_id(*key) not in away]
    cells = summarize(lines, [] if first.request.get("oracle") == RELATIONS else declared)
    early = {
        (cell.operator, cell.mode, cell.dtype)
        for one in told
        for cell in one.cells
        if not cell.complete
    }
    for cell in cells:
        cell.complete = (cell.operator, cell.mode, cell.dtype) not in early
    judged = {cell_id(c.operator, c.mode, c.dtype) for c in cells if c.cases}
    statuses = {one.status for one in told}
    items = {item for run in runs for item in known_items(run.evidence, run.lines)}
    made = Evidence(
        status="finished" if statuses == {"finished"} else sorted(statuses - {"finished"})[0],
        started=min(one.started for one in told),
        seconds=round(sum(one.seconds for one in told), 3),
        profile=first.profile,
        seed=first.seed,
        device=first.device,
        route=first.route,
        devices=_devices(lines),
        orders=list({_order(ln): ln for ln in lines if isinstance(ln, OrderLine)}.values()),
        limits=list({ln.operator: ln for ln in lines if isinstance(ln, LimitLine)}.values()),
        provenance={**first.provenance, "shards": [_origin(run) for run in runs]},
        operators=first.operators,
        cases=sum(cell.cases for cell in cells),
        cells=cells,
        declared=max(one.declared for one in told),
        selected=min(sum(one.selected for one in told), max(one.declared for one in told)),
        unjudged=sorted({name for one in told for name in one.unjudged} - judged),
        left_out={name: why for one in told for name, why in one.left_out.items()},
        coverage=_coverage(told),
        further=first.further,
        tiling_keys=tiling_keys(
            lines, asked_in(each for one in told for each in one.tiling_keys), COUNTED
        ),
        torch_functions=torch_functions(
            lines, (each for one in told for each in one.torch_functions), COUNTED
        ),
        cut=[item for one in told for item in one.cut],
        unreached=[item for one in told for item in one.unreached],
        request={**first.request, "shard": str(WHOLE), "items": items_in_words(sorted(items))},
        parts=sum(one.parts for one in told),
        standard=first.standard,
        standards=standard_rows(lines),
        against=against(lines),
        carried_out=carried_out(lines),
        failures=last_of_each(failure for one in told for failure in one.failures),
        observed=observed(lines),
        withheld=withheld(lines),
        lost_cards=lost_cards(lines),
        lost_workers=lost_workers(lines),
        environment=list(dict.fromkeys(text for one in told for text in one.environment)),
        errors={item: text for one in told for item, text in one.errors.items()},
    )
    interrupted = any(one.exit_status == 130 for one in told)
    made.exit_status = exit_status(made, interrupted=interrupted)
    return made


def _coverage(told: Sequence[Evidence]) -> list[Coverage]:
    """What the cases of all shards show; a cell's covering item is in one of them: that in which
    the least is open. What others know of the cell is in that one, too.
    """
    found: dict[tuple[str, str, str], Coverage] = {}
    for one in (coverage for evidence in told for coverage in evidence.coverage):
        key = (one.operator, one.mode, one.dtype)
        known = found.get(key)
        if known is None or _left(one) < _left(known):
            found[key] = msgspec.structs.replace(
                one,
                levels={axis: dict(counts) for axis, counts in one.levels.items()},
                edges=dict(one.edges),
            )
        elif not (one.open or one.open_edges):
            _join(found[key], one)
    return list(found.values())


def _left(one: Coverage) -> tuple[int, int]:
    return one.open, one.open_edges


def _join(whole: Coverage, one: Coverage) -> None:
    """Add to the coverage of a cell what another run shows of the same, in place."""
    whole.missing = [name for name in whole.missing if name in one.missing]
    for axis, counts in one.levels.items():
        mine = whole.levels.setdefault(axis, {})
        for level, count in counts.items():
            mine[level] = mine.get(level, 0) + count
    for edge, count in one.edges.items():
        whole.edges[edge] = whole.edges.get(edge, 0) + count


def _devices(lines: Sequence[AnyLine]) -> list[DeviceLine]:
    """One line for each kind and SoC: hosts differ in the paths of their libraries."""
    known: dict[tuple[str, str], DeviceLine] = {}
    for line in lines:
        if isinstance(line, DeviceLine):
            known.setdefault((str(line.profile.get("kind")), str(line.profile.get("soc"))), line)
    return list(known.values())


def _order(line: OrderLine) -> tuple[str, str, int]:
    return line.operator, line.dtype, line.slots


def _origin(run: Run) -> dict[str, object]:
    told = run.evidence
    return {
        "shard": told.request.get("shard"),
        "folder": run.folder.name,
        "started": told.started,
        "seconds": told.seconds,
        "platform": told.provenance.get("platform"),
    }


def _bundles(run: Run) -> list[Path]:
    """The folders of a run's failures. Raises `CannotJudge` for a path that leads elsewhere."""
    found = []
    for failure in run.evidence.failures:
        if not BUNDLE.fullmatch(failure.case) or ".." in PurePosixPath(failure.case).parts:
            raise _cannot(run, say.NOT_THE_CASE(path=repr(failure.case)))
    place = run.folder / FAILURES
    if place.is_symlink():
        raise _cannot(run, say.IS_LINK(name=FAILURES))
    for path in sorted(place.rglob("*")) if place.is_dir() else ():
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise _cannot(run, say.NO_PLAIN_FILE(name=path.relative_to(run.folder)))
        if path.parent == place and path.is_dir():
            found.append(path)
        elif path.is_file() and path.stat().st_size > MOST_BUNDLE_BYTES:
            raise _cannot(run, say.LARGER_THAN_A_GIB(name=path.relative_to(run.folder)))
    return found


def _cannot(run: Run, what: str) -> CannotJudge:
    return CannotJudge(folder_of_run.OF_FOLDER(folder=run.folder, what=what))


def _copy(bundles: Sequence[Path], folder: Path, out: Path) -> None:
    for bundle in bundles:
        target = out / bundle.relative_to(folder)
        if not target.exists():
            shutil.copytree(bundle, target)


def _moved(failure: FailureLine, out: Path) -> FailureLine:
    """The failure with the commands that replay it where its case lies now."""
    case = out / failure.case
    places = (case, case.parent, case.parent / LARGER)
    text = failure.text
    lines = text.splitlines() if isinstance(text, Said) else text.split("\n")
    text = row([_line_of(line, out, places) for line in lines], "\n")
    return msgspec.structs.replace(failure, text=text)


def _line_of(line: str, out: Path, places: Sequence[Path]) -> str:
    """A line of a failure's text; a path in it that ends as one of ``places`` does is that one."""
    found = COMMAND.search(line)
    if found is None:
        return line
    before = found[1]
    named = PurePosixPath(before.strip("'")).parts
    tails = {one: one.relative_to(out).parts for one in places}
    place = next((one for one, tail in tails.items() if named[-len(tail) :] == tail), None)
    if place is None:
        return line
    near = os.path.relpath(place)
    now = shlex.quote(str(place) if near.startswith("..") else near)
    return changed(line, lambda text: text.replace(before, now))


def _write_lines(out: Path, number: int, run: Run, moved: dict[str, FailureLine]) -> None:
    """The lines of a shard, in a file of its own."""
    writer = Writer(out, f"shard{number:04}")
    try:
        for line in run.lines:
            known = moved.get(line.item) if isinstance(line, FailureLine) else None
            writer.write(line if known is None else known)
    finally:
        writer.close()

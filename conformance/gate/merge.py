"""The merged run: the lines of all shards, also of several seeds, their failures, and one summary
over both."""

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
from conformance.catalogue.corrupted import CORRUPTED
from conformance.catalogue.message import Said, changed, row
from conformance.errors import EnvironmentFailure, UsageError, text_of
from conformance.evidence import run_folder
from conformance.evidence.lines import (
    FailureLine,
    Writer,
)
from conformance.evidence.reading import CannotJudge, read_run, sound
from conformance.evidence.run import Run
from conformance.evidence.run_folder import FAILURES
from conformance.evidence.summary import (
    Evidence,
    write_evidence,
)
from conformance.gate.junit import write_junit
from conformance.gate.of_seed import of_its_seed
from conformance.gate.parts_match import by_seed, check_belong, going_on
from conformance.gate.summed import summed
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
    runs = [read_run(folder) for folder in folders if folder.is_dir()]
    for run in runs:
        if run.evidence.status == "running":
            raise _cannot(run, row([say.NOT_ENDED(), *going_on(run)], "\n"))
        sound(run)
    for folder in folders:
        if not folder.is_dir():
            if runs:
                check_belong(runs)  # says how to judge what is missing
            read_run(folder)
    check_belong(runs)
    if len(by_seed(runs)) > 1:
        runs = [of_its_seed(run) for run in runs]
    bundles = {run.folder: _bundles(run) for run in runs}
    try:
        evidence = summed(runs)
    except ValueError as error:
        raise CannotJudge(CORRUPTED(what=text_of(error))) from error
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

"""What a run writes for other programs when it ends: ``--json``, ``--score`` and ``--csv``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import help_field as helps
from conformance.catalogue import options
from conformance.catalogue.files import UNWRITABLE
from conformance.cli.common import add_json, tell_program
from conformance.cli.runner import Outcome
from conformance.cli.saved_cases import Cases
from conformance.errors import ACCEPTED, REFUSED, UsageError
from conformance.evidence.case_table import case_table
from conformance.evidence.summary import Evidence, read_evidence
from conformance.text.language import put


def add_written(group: Any) -> None:
    """The options of what is written for programs."""
    add_json(group)
    group.add_argument("--csv", type=Path, metavar="FILE", help=helps.CSV())
    group.add_argument("--score", action="store_true", help=helps.SCORE())


def check_written(parsed: argparse.Namespace) -> None:
    """Raise `UsageError` for what does not go together: standard output has one of them."""
    if parsed.score and parsed.json:
        raise UsageError("score", True, options.NOT_WITH(option="--json"))
    if parsed.csv is None:
        return
    if parsed.case is not None and not parsed.case.is_dir():
        raise UsageError("csv", parsed.csv, options.NOT_WITH(option="--case FILE"))
    if parsed.csv.is_dir() or not parsed.csv.absolute().parent.is_dir():
        raise UsageError("csv", parsed.csv, options.A_FILE())


def written(parsed: argparse.Namespace, outcome: Outcome, cases: Cases, console: Console) -> int:
    """The exit status of a run, after what it writes for programs."""
    out = parsed.out.absolute()
    if parsed.csv is not None:
        _put(parsed.csv, case_table(out, cases.files))
    if parsed.score and outcome.status in (ACCEPTED, REFUSED):
        put(str(_score(read_evidence(out))))
    if parsed.json:
        tell_program(outcome)
    return outcome.status


def _score(evidence: Evidence | None) -> int:
    """How many cases failed, and how much that was asked for was not judged; 0: accepted."""
    if evidence is None:
        return 1
    failed = sum(cell.failed for cell in evidence.cells)
    failed = max(failed, len(evidence.failures))
    unjudged = (evidence.left_out, evidence.errors, evidence.unreached, evidence.unjudged)
    return failed + sum(map(len, unjudged))


def _put(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise UsageError("csv", path, UNWRITABLE(why=error.strerror)) from error

"""``doctor``: what this host has and lacks, and what to do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from conformance.commands.common import add_json, tell_program
from conformance.controller import ACCEPTED, ENVIRONMENT
from conformance.doctor import Diagnosis, Finding, examine


def add_doctor(commands: Any) -> None:
    """The grammar of ``doctor``."""
    doctor = commands.add_parser(
        "doctor", help="what is missing on this host, and what to do", allow_abbrev=False
    )
    doctor.set_defaults(command=doctor_command)
    default = Path("reports/latest")
    doctor.add_argument("--out", type=Path, default=default, metavar="DIR", help="as of run")
    add_json(doctor)


def doctor_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Tell people on standard output, or programs with ``--json``."""
    diagnosis = examine(parsed.out.absolute())
    status = ACCEPTED if diagnosis.devices else ENVIRONMENT
    if parsed.json:
        tell_program({"status": status, **msgspec.to_builtins(diagnosis)})
    else:
        for line in _lines(diagnosis):
            print(line)
    return status


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    width = max(len(finding.name) for finding in diagnosis.findings)
    for finding in diagnosis.findings:
        yield from _finding(finding, width)
    if diagnosis.devices:
        yield f"kernels can be judged here: --device {' or '.join(diagnosis.devices)}"
    else:
        yield "nothing can be judged here"


def _finding(finding: Finding, width: int) -> Iterator[str]:
    if finding.found:
        yield f"  ok       {finding.name:{width}}  {finding.found}"
    else:
        yield f"  missing  {finding.name:{width}}  prevents {finding.prevents}"
        yield from (f"           {'':{width}}  {line}" for line in finding.advice.splitlines())

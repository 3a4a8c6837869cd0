"""``doctor``: what this host has and lacks, and what to do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from conformance.catalogue import help as helps
from conformance.catalogue import host as say
from conformance.catalogue.marks import OR
from conformance.catalogue.message import row, within
from conformance.cli.common import add_json, add_operators, tell_program
from conformance.devices.finding import Finding
from conformance.devices.open import DEVICE_NODES
from conformance.errors import ACCEPTED, ENVIRONMENT
from conformance.host import bundle
from conformance.host.doctor import Diagnosis, examine
from conformance.host.roots import Roots
from conformance.suite import records as suite
from conformance.text.language import put


def add_doctor(commands: Any) -> None:
    """The grammar of ``doctor``."""
    doctor = commands.add_parser("doctor", help=helps.DOCTOR(), allow_abbrev=False)
    doctor.set_defaults(command=doctor_command)
    default = Path("reports/latest")
    doctor.add_argument("--out", type=Path, default=default, metavar="DIR", help=helps.AS_OF_RUN())
    doctor.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help=helps.BUNDLE(),
    )
    add_json(doctor)
    add_operators(doctor)


def doctor_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Tell people on standard output, or programs with ``--json``; write the bundle, if asked."""
    out = parsed.out.absolute()
    if parsed.bundle is not None:
        bundle.check_name(parsed.bundle)
    operators = suite.operators([directory.absolute() for directory in parsed.operators])
    roots = Roots(devices=DEVICE_NODES)
    diagnosis = examine(out, operators, roots)
    status = ACCEPTED if diagnosis.devices else ENVIRONMENT
    told = {"status": status, **msgspec.to_builtins(diagnosis, enc_hook=str)}
    if parsed.json:
        tell_program(told)
    else:
        for line in _lines(diagnosis, getattr(console, "language", "en")):
            put(line, console)
    if parsed.bundle is not None:
        as_json = msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
        lines = "".join(f"{line}\n" for line in _lines(diagnosis, "en"))
        contents = bundle.texts(roots, lines, as_json, out)
        size = bundle.write(parsed.bundle, contents) / 1024
        written = say.BUNDLE_WRITTEN(path=parsed.bundle, count=len(contents), size=size)
        console.print(written, markup=False)
    return status


def _lines(diagnosis: Diagnosis, language: str) -> Iterator[str]:
    """What was found, in columns, and on what kernels can be judged."""
    width = max(cell_len(within(finding.name, language)) for finding in diagnosis.findings)
    for finding in diagnosis.findings:
        yield from _finding(finding, width, language)
    if diagnosis.devices:
        judged = say.JUDGED_HERE(devices=row(diagnosis.devices, OR))
    else:
        judged = say.NOT_JUDGED_HERE()
    yield judged.within(language)


def _finding(finding: Finding, width: int, language: str) -> Iterator[str]:
    """A line, and below it what to do where something is missing."""
    words = [one().within(language) for one in (say.OK, say.MISSING)]
    state = set_cell_size(words[not finding.found], max(map(cell_len, words)))
    name = set_cell_size(within(finding.name, language), width)
    found = finding.found or say.PREVENTS(what=finding.prevents)
    yield f"  {state}  {name}  {within(found, language)}"
    for line in [] if finding.found else finding.advice.splitlines():
        yield f"  {'':{cell_len(state)}}  {'':{width}}  {within(line, language)}"

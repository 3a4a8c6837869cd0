"""``doctor``: what this host has and lacks, and what to do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from conformance.catalogue import help as helps
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
    lines = list(_lines(diagnosis))
    if parsed.json:
        tell_program(told)
    else:
        for line in lines:
            put(line)
    if parsed.bundle is not None:
        as_json = msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"
        contents = bundle.texts(roots, "\n".join(lines) + "\n", as_json, out)
        size = bundle.write(parsed.bundle, contents)
        words = f"{parsed.bundle}: {len(contents)} texts, {size / 1024:.0f} KiB; look through it"
        console.print(f"{words} before you send it (docs/how-to/npu-host.md)", markup=False)
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

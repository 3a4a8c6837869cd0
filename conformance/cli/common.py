"""What several commands share."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec

from conformance.catalogue import help as say
from conformance.catalogue import options
from conformance.errors import UsageError
from conformance.printable import printable_json
from conformance.record.versions import VERSION
from conformance.text.language import put


def add_operators(command: argparse.ArgumentParser) -> None:
    """The option that adds records of another repository."""
    command.add_argument(
        "--operators",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help=say.OPERATORS_DIRECTORY(),
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """The option that asks for a line for programs."""
    command.add_argument("--json", action="store_true", help=say.JSON())


def add_verbose(command: argparse.ArgumentParser) -> None:
    """The option that asks for more than one screen."""
    command.add_argument(
        "--verbose",
        action="store_true",
        help=say.VERBOSE(),
    )


def tell_program(told: object) -> None:
    """Write the one line of ``--json``."""
    put(printable_json(msgspec.json.encode(told, enc_hook=str).decode()))


def with_cann(device: str, cann: str | None) -> str:
    """The device that is asked for, with the version of CANN. Raises `UsageError` for another than
    a simulated one."""
    if cann is None:
        return device
    if device.partition(":")[0] not in ("auto", "sim"):
        raise UsageError("cann", cann, options.SIMULATOR(option="--cann"))
    if not re.fullmatch(VERSION, cann, re.ASCII):
        raise UsageError("cann", cann, options.VERSIONS())
    return f"{device.replace('auto', 'sim')}@{cann}"

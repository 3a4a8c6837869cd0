"""What several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from conformance.catalogue import help as say
from conformance.printable import printable_json
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

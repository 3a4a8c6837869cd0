"""The page for coding agents names commands, statuses and fields that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec
import pytest

from conformance.cli.main import COMMANDS, parser
from conformance.errors import ACCEPTED, ENVIRONMENT, NOTHING_TO_DO, REFUSED
from conformance.evidence.lines import FailureLine

PAGE = (Path(__file__).parents[2] / "AGENTS.md").read_text()


@pytest.mark.parametrize("command", re.findall(r"python -m conformance ([^`\n]+)", PAGE))
def test_a_command_is_one_that_the_suite_understands(command: str) -> None:
    parsed, extra = parser().parse_known_args(shlex.split(command))
    assert extra == []
    assert command.split()[0] in COMMANDS
    assert callable(parsed.command)


def rows(title: str) -> list[list[str]]:
    """The cells of the table in a section, without its head."""
    section = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert section is not None
    lines = [line for line in section[1].splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_its_fields_of_a_failure_are_those_of_the_evidence() -> None:
    told = [row[0].strip("`") for row in rows("How to read a failure")]
    assert told
    assert set(told) <= {field.name for field in msgspec.structs.fields(FailureLine)}


def test_its_statuses_are_those_of_the_commands() -> None:
    told = [int(row[0]) for row in rows("Statuses of `run` and `replay`")]
    assert told == [ACCEPTED, REFUSED, NOTHING_TO_DO, ENVIRONMENT]

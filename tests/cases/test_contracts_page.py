"""The page of contracts says what the code promises, accepts and says of a wrong answer."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from conformance.judge.calls import JUDGES
from conformance.judge.verdict import STEPS
from conformance.numerics.addends import Fused
from conformance.record.clause import SourceClass
from conformance.record.contract import Contract
from tests.cases.contracts_audit import SAID
from tests.project.picture import SNAPSHOT

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "contracts.md").read_text("utf-8")
BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KINDS = pytest.mark.parametrize("kind", JUDGES, ids=lambda kind: kind.__name__)


def section(heading: str) -> str:
    """What the page has under a heading, to the next one of its depth."""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def rows(text: str, heading: str) -> list[str]:
    """The rows of the table whose first column has that heading."""
    found = re.search(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found is not None, heading
    return found[1].splitlines()


def named(text: str, heading: str) -> list[str]:
    """The names in the first column of a table."""
    return [row.split("|")[1].strip().strip("`") for row in rows(text, heading)]


def test_every_kind_of_contract_has_its_section_and_its_row() -> None:
    assert named(PAGE, "kind") == [kind.__name__ for kind in JUDGES]
    assert {kind.__name__ for kind in get_args(Contract)} == {kind.__name__ for kind in JUDGES}
    assert all(section(kind.__name__) for kind in JUDGES)


@KINDS
def test_the_fields_of_a_contract_are_those_of_the_page(kind: type[Contract]) -> None:
    assert named(section(kind.__name__), "field") == [one.name for one in fields(kind)]


def test_a_sum_s_products_are_those_that_a_record_can_declare() -> None:
    assert named(section("Sum"), "products") == list(get_args(Fused))


def test_every_step_of_a_verdict_is_told() -> None:
    assert named(section("What decided"), "step") == list(STEPS)


def test_every_class_of_sources_is_told() -> None:
    assert named(section("Where a clause comes from"), "class") == [
        one.value for one in SourceClass
    ]


def test_what_a_failure_says_is_what_the_judge_says() -> None:
    said = [SNAPSHOT.read_text(encoding="utf-8"), *(one() for one in SAID)]
    blocks = BLOCK.findall(PAGE)
    shown = [[line for line in block.splitlines() if line != "  ..."] for block in blocks]
    for text, lines in zip(said, shown, strict=True):
        places = [text.splitlines().index(line) for line in lines]
        assert places == sorted(places)

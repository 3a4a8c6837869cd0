"""The examples of operators of one's own are right and accepted, and a mistake in each fails."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conformance.front_door import conformance

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "operators"


class Worked(NamedTuple):
    """An example: how many calls its record documents, a mistake in its kernel, what it shows."""

    name: str
    examples: int
    right: str
    wrong: str
    shown: str


WORKED = (
    # The lower bound in place of the upper one.
    Worked(
        "moe_compute_expert_tokens", 3, "<= expert) {", "< expert) {", "1 of 1 elements of out is"
    ),
)
each = pytest.mark.parametrize("worked", WORKED, ids=[one.name for one in WORKED])


def test_their_records_are_right_and_nothing_of_them_is_weak(tmp_path: Path) -> None:
    ended = conformance("check", "--operators", str(FOLDER), folder=tmp_path)
    assert ended.status == 0
    for line, worked in zip(ended.out.splitlines(), WORKED, strict=True):
        assert line.startswith(f"{worked.name}: right; {worked.examples} examples, ")


@each
def test_its_kernel_is_accepted_and_keeps_its_relations(worked: Worked, tmp_path: Path) -> None:
    asked = ("--operators", str(FOLDER), "--operator", worked.name, "--device", "sim")
    ended = conformance("run", *asked, "--oracle", "both", "-n", "0", folder=tmp_path)
    assert ended.status == 0, ended.err
    assert "accepted: " in ended.err


@each
def test_a_mistake_in_its_kernel_fails(worked: Worked, tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "operators")
    kernel = tmp_path / "operators" / "kernels" / worked.name / f"{worked.name}_kernel.cpp"
    text = kernel.read_text()
    assert text.count(worked.right) == 1
    kernel.write_text(text.replace(worked.right, worked.wrong))
    asked = ("--operators", "operators", "--operator", worked.name, "--device", "sim", "-n", "0")
    ended = conformance("run", *asked, "--", "-k", "values", folder=tmp_path)
    assert ended.status == 1
    assert worked.shown in ended.err

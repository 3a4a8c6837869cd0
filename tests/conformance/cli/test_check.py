"""``check`` says of each record whether it is right, what is wrong, and where it is weak."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.main import main

RECORD = """
from dataclasses import replace
from cases.operators.moe_token_permute_grad import OPERATOR as RIGHT

def mine(case):
    return replace(case, operator="mine")

OPERATOR = replace(
    RIGHT, name="mine", modes=RIGHT.modes[:1], dtypes=("float32",), examples={examples},
    rejections=(), relations=(), quarantine=(), cells=None, small_cases=None, seam_cases=None,
    cases=lambda mode, dtype: RIGHT.cases(mode, dtype).map(mine), {more}
)
"""


def record(folder: Path, examples: str = "()", more: str = "") -> str:
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(RECORD.format(examples=examples, more=more))
    return str(folder)


def test_a_right_record_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "moe_token_permute_grad", "--draws", "1"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("moe_token_permute_grad: right; ")
    assert line.endswith(" rejected calls")


def test_a_weak_record_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--operators", record(tmp_path / "operators"), "--draws", "1"]) == 0
    first, *weak = capsys.readouterr().out.splitlines()
    assert first.startswith("mine: right; ")
    assert weak == [
        "  weak: mode whole has no example",
        "  weak: no rejected call is on record",
        "  weak: no relation is on record",
        "  weak: no cells are on record: coverage by levels is not measured",
        "  weak: no folder kernels/mine beside it",
    ]


def test_a_wrong_record_is_status_1_and_shows_the_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = 'formula=lambda i, a: {"out": 2 * RIGHT.formula(i, a)["out"]}'
    folder = record(tmp_path / "operators", more=twice)
    assert main(["check", "mine", "--operators", folder, "--draws", "3"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("mine: 1 problem; 0 examples, ")
    assert lines[1].startswith("  problem: whole, float32, cases: ")
    assert any(line.startswith("    Case(mine, whole, float32:") for line in lines)


def test_programs_get_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = record(tmp_path / "operators")
    assert main(["check", "--operators", folder, "--draws", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == 0
    assert told["records"][0]["operator"] == "mine"
    assert "mode whole has no example" in told["records"][0]["weak"]


def test_no_draws_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--draws", "0"]) == 2
    assert "--draws is '0': allowed: 1 or more" in capsys.readouterr().err


def test_an_unknown_record_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "moe_token_permut"]) == 2
    assert "moe_token_permute" in capsys.readouterr().err

"""``new`` writes an operator that can be checked and built, and whose first verdict fails."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from conformance.cli.main import main
from tests.conformance.front_door import conformance

LINES = """x input float16 float32 [row, hidden]
pairs input int32 [token, 2]
weightOptional input float32 optional [token]
order input int32 [token * slot]
topK number [slot]
paddedMode flag
range integers
y output float16 float32 [token, hidden]
rankOut output int32 [token * slot]
"""


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    (tmp_path / "parameters").write_text(LINES)
    into = str(tmp_path / "operators")
    return ["new", "RowPairSum", "--from", str(tmp_path / "parameters"), "--into", into]


def test_the_files_of_each_room_are_written(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(asked) == 0
    kernel = "operators/kernels/row_pair_sum"
    files = [
        "operators/row_pair_sum.py",
        "operators/reference/row_pair_sum.py",
        f"{kernel}/row_pair_sum_tiling.h",
        f"{kernel}/row_pair_sum_tiling.cpp",
        f"{kernel}/row_pair_sum_kernel.cpp",
        f"{kernel}/aclnn_row_pair_sum.cpp",
    ]
    out = capsys.readouterr().out
    assert all(f"wrote {tmp_path / file}" in out and (tmp_path / file).is_file() for file in files)
    assert "next: replace what is marked TODO" in out


def test_the_record_is_right_before_anything_is_replaced(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(asked)
    capsys.readouterr()
    assert main(["check", "--operators", str(tmp_path / "operators"), "--draws", "10"]) == 0
    assert capsys.readouterr().out.startswith("row_pair_sum: right; 1 example, 20 drawn cases, ")


def test_its_first_verdict_says_that_nothing_is_written(asked: list[str], tmp_path: Path) -> None:
    main(asked)
    only = ("--operators", "operators", "--operator", "row_pair_sum", "--", "-k", "examples")
    ended = conformance("run", "--device", "sim", "-n", "0", *only, folder=tmp_path)
    assert ended.status == 1
    assert "row_pair_sum, documented, float16: 4 of 4 elements of y were never written" in ended.err


def test_an_operator_that_is_there_is_not_overwritten(
    asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(asked)
    assert main(asked) == 2
    assert "row_pair_sum.py exists" in capsys.readouterr().err


def test_parameters_are_taken_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("x input int32\ny output int32\n"))
    assert main(["new", "copy_rows", "--into", str(tmp_path)]) == 0
    assert 'tensor("x", TOKEN)' in (tmp_path / "copy_rows.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["new", "row-pair", "--from", "x"], "a name in snake case"),
        (["new", "rows", "--from", "no/such/file"], "a file with an aclnn header"),
    ],
)
def test_bad_use_is_told(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_an_axis_may_be_a_number_of_times_a_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "x input int32 [2 * token]\nids input int32 [token]\ny output int32 [token]\n"
    (tmp_path / "parameters").write_text(lines)
    into = tmp_path / "operators"
    assert main(["new", "halves", "--from", str(tmp_path / "parameters"), "--into", str(into)]) == 0
    assert main(["check", "--operators", str(into), "--draws", "10"]) == 0
    assert "halves: right; " in capsys.readouterr().out

"""Runs that cannot judge all that they were asked for by name: never accepted, by run or gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue import session as say
from conformance.cli.main import main
from conformance.evidence.summary import Evidence, read_evidence
from tests.conformance.front_door import NAME, ON_SIMULATOR

EP = "moe_token_permute_with_ep"
RECORD = f"""
from dataclasses import replace
from cases.operators.{NAME} import OPERATOR as O

OPERATOR = replace(
    O,
    name="mine",
    modes=tuple(replace(mode, routes=("aclnn",)) for mode in O.modes),
    examples=(),
    rejections=(),
)
"""
REASON = "it is not reachable on route kernel: none of its modes is called there"


def run(out: Path, *arguments: str) -> tuple[int, Evidence]:
    status = main(["run", *ON_SIMULATOR, "-n", "0", "--out", str(out), *arguments])
    evidence = read_evidence(out)
    assert evidence is not None
    return status, evidence


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with a record that route kernel cannot call."""
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "mine.py").write_text(RECORD)
    return tmp_path / "records"


def test_an_operator_without_the_route_ends_the_run_with_status_1_and_the_gate_rejects(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--route", "kernel", "--operators", str(records), "--operator", "mine")
    rest = ("--operator", NAME, "--", "-k", "test_examples")
    status, evidence = run(tmp_path / "out", *asked, *rest)
    told = capsys.readouterr().err
    assert (status, evidence.exit_status) == (1, 1), told
    assert evidence.left_out == {"mine": REASON}
    assert evidence.operators == [NAME]
    assert evidence.cases > 0
    assert told.index(f"not judged: mine: {REASON}") < told.index("device: ")
    assert told.splitlines()[-2] == f"not judged: mine: {REASON}"
    assert told.splitlines()[-1].startswith("incomplete: ")
    assert f"mine: {REASON}" in (tmp_path / "out" / "report.html").read_text()
    assert main(["gate", str(tmp_path / "out"), "--no-baseline"]) == 1
    assert f"  not judged    mine: it was asked for: {REASON}" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_that_leaves_out_all_takes_the_place_of_an_older_one(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ("--", "-k", "test_examples and README")
    status, older = run(tmp_path / "out", "--operator", NAME, *only)
    assert (status, older.cases > 0) == (0, True)
    asked = ("--route", "kernel", "--operators", str(records), "--operator", "mine", "--json")
    status, evidence = run(tmp_path / "out", *asked)
    assert (status, evidence.exit_status, evidence.cases) == (1, 1, 0)
    assert evidence.left_out == {"mine": REASON}
    assert '"status":1,"verdict":"incomplete"' in capsys.readouterr().out
    assert main(["gate", str(tmp_path / "out"), "--no-baseline"]) == 3
    assert f"empty: no case was judged (mine: {REASON})" in capsys.readouterr().err


@pytest.mark.parametrize("expression", ["top_k_512 or padded", "padded"])
def test_a_mode_of_another_route_that_is_named_ends_the_run_with_status_1(
    tmp_path: Path, expression: str
) -> None:
    asked = ("--operator", EP, "--", "-k", f"test_examples and ({expression})")
    status, evidence = run(tmp_path / "out", *asked)
    reason = "only route kernel calls it"
    assert (status, evidence.left_out) == (1, {f"{EP} padded": reason})


def test_a_folder_of_which_a_record_does_not_load_is_wrong_use_whatever_is_asked_for(
    tmp_path: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (records / "other.py").write_text("OPERATOR = (")
    asked = ["--operators", str(records), "--operator", NAME, "--out", str(tmp_path / "out")]
    assert main(["run", *ON_SIMULATOR, *asked]) == 2
    assert f"{records / 'other.py'}': fails to import: SyntaxError(" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_run_that_cannot_go_on_for_want_of_a_device_keeps_its_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--operator", NAME, "--resume", "--", "-k", "test_examples and README")
    _, first = run(tmp_path / "out", *(word for word in asked if word != "--resume"))
    monkeypatch.setenv("CXX", "g++-0")
    status, kept = run(tmp_path / "out", *asked)
    assert (status, kept.cases, kept.environment) == (3, first.cases, [])
    assert kept.cases > 0


@pytest.mark.slow
def test_an_operator_of_which_no_item_is_left_was_asked_for_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "moe_token_permute_grad"
    asked = ("--operator", NAME, "--operator", other, "--", "-k", f"test_examples and {NAME}-")
    status, evidence = run(tmp_path / "out", *asked)
    told = capsys.readouterr().err
    assert (status, evidence.left_out) == (1, {other: say.NO_ITEM()}), told
    assert f"not judged: {other}: {say.NO_ITEM()}" in told
    status, evidence = run(tmp_path / "out", "--", "-k", f"test_examples and {NAME}-")
    assert (status, evidence.left_out) == (0, {}), "no other was asked for by name"

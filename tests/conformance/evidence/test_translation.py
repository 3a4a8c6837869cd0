"""Texts come back from evidence in both languages, and forged ones in none but their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.catalogue.message import KNOWN, Message, within
from conformance.evidence.lines import EnvironmentLine, FailureLine, Writer, read_lines
from conformance.evidence.reading import read_run
from conformance.evidence.summary import Evidence, read_evidence, write_evidence
from conformance.record.picture import Picture

LOST = Message("slot {slot} is left out", "漏加槽 {slot}")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, "test.lost", LOST)
    monkeypatch.setattr(LOST, "id", "test.lost")


def failure() -> FailureLine:
    text = "y is wrong\n  " + LOST(slot=2)
    picture = Picture(
        output="y",
        rows=1,
        columns=1,
        wrong=1,
        row_step=1,
        column_step=1,
        grid=[[1]],
        unit="ulp",
        histogram={},
        words=["row 0", LOST(slot=2)],
    )
    return FailureLine(
        worker="main",
        item="i",
        operator="op",
        mode="plain",
        dtype="float32",
        digest="d",
        case="",
        headline=LOST(slot=2),
        text=text,
        pictures=[picture],
    )


def write(out: Path, line: FailureLine) -> None:
    writer = Writer(out, "main")
    writer.write(line)
    writer.close()


def test_a_line_comes_back_in_both_languages(tmp_path: Path) -> None:
    write(tmp_path, failure())
    (line,) = read_lines(tmp_path)
    assert isinstance(line, FailureLine)
    assert line.headline == "slot 2 is left out"
    assert within(line.headline, "zh") == "漏加槽 2"
    assert within(line.text, "zh") == "y is wrong\n  漏加槽 2"
    assert [within(word, "zh") for word in line.pictures[0].words] == ["row 0", "漏加槽 2"]


def test_a_line_has_its_english_as_plain_texts(tmp_path: Path) -> None:
    write(tmp_path, failure())
    told = json.loads((tmp_path / "evidence.main.jsonl").read_text())
    assert told["headline"] == "slot 2 is left out"
    assert told["said"]["slot 2 is left out"] == {"id": "test.lost", "arguments": {"slot": 2}}


def test_a_summary_comes_back_with_its_lines(tmp_path: Path) -> None:
    made = failure()
    write(tmp_path, made)
    evidence = Evidence(status="running", failures=[made], observed=[LOST(slot=1)])
    write_evidence(tmp_path, evidence)
    for found in (read_evidence(tmp_path), read_run(tmp_path).evidence):
        assert found is not None
        assert within(found.observed[0], "zh") == "漏加槽 1"
        assert within(found.failures[0].headline, "zh") == "漏加槽 2"


@pytest.mark.parametrize(
    "forged",
    [
        {"id": "no.such"},
        {"id": "test.lost", "arguments": {"slot": 3}},
        {"id": "test.lost", "arguments": {"row": 2}},
        {"id": "test.lost", "arguments": 5},
        {"id": ["test.lost"]},
        {"id": "gate.more_findings", "arguments": {"kind": "", "width": 10**13, "count": 1}},
        [[["slot 2 is left out", {"id": "test.lost", "arguments": {"slot": 2}}]]],
        5,
        None,
    ],
)
def test_what_is_forged_is_shown_in_english(tmp_path: Path, forged: object) -> None:
    path = tmp_path / "evidence.main.jsonl"
    line = {"kind": "environment", "worker": "main", "item": "i", "message": "slot 2 is left out"}
    path.write_text(json.dumps({**line, "said": {"slot 2 is left out": forged}}) + "\n")
    (read,) = read_lines(tmp_path)
    assert isinstance(read, EnvironmentLine)
    assert within(read.message, "zh") == "slot 2 is left out"

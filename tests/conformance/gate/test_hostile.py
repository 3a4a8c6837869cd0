"""Folders, baselines and names that mean ill: refused or made harmless, never obeyed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.errors import UsageError
from conformance.evidence.reading import CannotJudge, read_run, whole
from conformance.gate import baseline as baselines
from conformance.gate.facts import facts
from conformance.gate.report import annotated
from tests.conformance.gate.asking import accepted, gate
from tests.conformance.gate.runs import device, every_cell, everywhere, refused, run

EVIL = "<script>alert(1)</script>\x1b[2J\x9b\u202e\r::error::owned%0A,:"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"kind"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"kind": "conformance evidence", "schema": "1"}',
        b'{"kind": "conformance evidence", "schema": true}',
        b'{"kind": "conformance evidence", "schema": 2, "cells": {}}',
        b'{"kind": "conformance evidence", "schema": 2, "cases": "many"}',
        b'{"kind": "conformance evidence", "schema": 2, "request": {"shard": []}}',
        b'{"kind": "something else", "schema": 1}',
    ],
)
def test_a_summary_of_wrong_types_is_not_judged(tmp_path: Path, text: bytes) -> None:
    folder = run(tmp_path / "run")
    (folder / "evidence.json").write_bytes(text)
    judgement, told = gate(folder)
    assert judgement.status == 3
    assert "corrupted: evidence.json" in told


@pytest.mark.parametrize(
    "line",
    [
        b"{}\n",
        b"null\n",
        b"\xff\n",
        b'{"kind":"verdict","worker":"main"}\n',
        b'{"kind":"unheard of","worker":"main"}\n',
        b"[" * 100_000 + b"\n",
        b'{"kind":"item","worker":"main","item":"t","outcome":"accepted","schema":99}\n',
    ],
)
def test_a_line_of_wrong_types_is_named_by_its_number(tmp_path: Path, line: bytes) -> None:
    folder = run(tmp_path / "run")
    (folder / "evidence.other.jsonl").write_bytes(line)
    judgement, told = gate(folder)
    assert judgement.status == 3
    assert "corrupted: evidence.other.jsonl, line 1: " in told


@pytest.mark.parametrize(
    "changed",
    [
        {"soc": 7},
        {"libraries": []},
        {"libraries": {"libopapi.so": "x"}},
        {"kind": ["npu"]},
        {"cann": None},
    ],
)
def test_a_profile_of_wrong_types_is_not_judged(tmp_path: Path, changed: dict[str, Any]) -> None:
    judgement, told = gate(run(tmp_path / "run", on=device(**changed)))
    assert judgement.status == 3
    assert "corrupted: the device's profile: " in told


@pytest.mark.parametrize("told", [{"corpus": 3}, {"corpus": ["x"]}])
def test_a_provenance_of_wrong_types_is_not_judged(tmp_path: Path, told: dict[str, Any]) -> None:
    assert gate(run(tmp_path / "run", provenance=told))[0].status == 3


@pytest.mark.parametrize("git", [None, 3, [], {"commit": 7}])
def test_a_commit_of_another_type_is_none(tmp_path: Path, git: object) -> None:
    found = facts(whole(read_run(run(tmp_path / "run", provenance={"git": git}))))
    assert found.commit == ""


@pytest.mark.parametrize("name", ["evidence.json", "evidence.main.jsonl"])
def test_a_link_in_the_place_of_evidence_is_not_followed(tmp_path: Path, name: str) -> None:
    folder = run(tmp_path / "run")
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    judgement, told = gate(folder)
    assert (judgement.status, f"corrupted: {name} cannot be read: it is a link" in told) == (
        3,
        True,
    )


def test_a_pipe_in_the_place_of_evidence_is_not_waited_for(tmp_path: Path) -> None:
    folder = run(tmp_path / "run")
    os.mkfifo(folder / "evidence.pipe.jsonl")
    judgement, told = gate(folder)
    assert (judgement.status, "evidence.pipe.jsonl cannot be read: it is a pipe" in told) == (
        3,
        True,
    )


def test_a_file_beyond_all_sense_is_not_read(tmp_path: Path) -> None:
    folder = run(tmp_path / "run")
    with (folder / "evidence.huge.jsonl").open("wb") as file:
        file.truncate(2**40)
    judgement, told = gate(folder)
    assert (judgement.status, "at most 2,147,483,648 are read" in told) == (3, True)


def test_what_a_terminal_would_obey_is_told_as_question_marks(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused(item=f"t::t[{EVIL}]", headline=EVIL)))
    judgement, told = gate(folder)
    assert judgement.status == 1
    assert all(character.isprintable() or character == "\n" for character in told)


def test_a_headline_starts_no_workflow_command_of_its_own(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused(item=f"t::t[{EVIL}]", headline=f"a\n{EVIL}")))
    lines = annotated(gate(folder)[0], "github").split("\n")
    assert len(lines) == 1
    assert lines[0].startswith("::error title=failure%3A ")
    assert lines[0].count("%250A") == 2
    assert "\x1b" not in lines[0]


def test_a_case_outside_of_the_folder_is_no_place_of_an_annotation(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    last = "failures/bad/case.json"
    for case in ("../../secret", "/etc/passwd", "failures/\x1b"):
        everywhere(folder, last, last := case)
        (one,) = msgspec.json.decode(annotated(gate(folder)[0], "gitlab"))
        assert one["location"]["path"] == "evidence.json"


@pytest.mark.parametrize("name", ["../evil", "/etc/x", "", ".hidden", "a/b", "a\0b", "x" * 200])
def test_a_baselines_name_is_no_path(tmp_path: Path, name: str) -> None:
    found = facts(whole(read_run(run(tmp_path / "run"))))
    with pytest.raises(UsageError, match="allowed: up to 100 letters"):
        baselines.accept(tmp_path / "b", name, found, "me", "why", [])
    with pytest.raises(UsageError, match="allowed: up to 100 letters"):
        baselines.named(tmp_path / "b", name)
    assert not (tmp_path / "b").exists()


def test_a_baselines_own_name_is_made_of_harmless_letters(tmp_path: Path) -> None:
    evil = device(soc="../../x y", cann="8\n/.0")
    assert accepted(tmp_path / "b", run(tmp_path / "run", on=evil)) == (
        "sim-.._.._x_y-cann8_.0-aclnn-gate"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "is corrupted"),
        (b"[]", "is corrupted"),
        (b'{"schema": 0}', "has schema 0; this version reads 1: accept a run anew"),
        (b'{"schema": 1}', "is corrupted: Object missing required field"),
        (b'{"schema": 1, "evil": 2}', "is corrupted"),
        (b"[" * 100_000, "is corrupted"),
    ],
)
def test_a_broken_baseline_is_told_and_not_compared_with(
    tmp_path: Path, text: bytes, words: str
) -> None:
    folder = run(tmp_path / "run")
    name = accepted(tmp_path / "b", folder)
    (tmp_path / "b" / f"{name}.json").write_bytes(text)
    judgement, told = gate(folder, baselines=tmp_path / "b")
    assert judgement.status == 3
    assert words in told
    with pytest.raises(CannotJudge):
        baselines.named(tmp_path / "b", name)

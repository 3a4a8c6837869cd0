"""``run --case FOLDER``: all saved cases in one run, each told by its file."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.case import Tensor
from conformance.draw.plain import plainly
from conformance.errors import UsageError
from conformance.evidence.lines import FailureLine, VerdictLine, read_lines
from conformance.evidence.summary import read_evidence
from conformance.failure.replay import Replay, save
from conformance.field import given
from conformance.suite import records as suite
from tests.conformance.front_door import ON_SIMULATOR, WRONG, conformance

RECORDS = suite.records([])
ONE = RECORDS["moe_init_routing_v2_grad"].examples[0].case
OTHER = RECORDS["moe_token_permute"].examples[0].case
BY_ONE = (*ON_SIMULATOR, "-n", "0")


def saved(folder: Path) -> Path:
    """A folder of three cases, one of them that of a failure."""
    save(Replay(ONE), folder / "first.json")
    save(Replay(OTHER), folder / "deep" / "second one.json")
    save(Replay(ONE), folder / "failures" / "abc" / "case.json")
    (folder / "failures" / "abc" / "manifest.json").write_text("{}")
    return folder


def test_all_cases_are_judged_in_one_run(tmp_path: Path) -> None:
    saved(tmp_path / "cases")
    done = conformance("run", "--case", "cases", "--score", *BY_ONE, folder=tmp_path)
    assert (done.status, done.out) == (0, "0\n"), done.err
    out = tmp_path / "reports" / "latest"
    lines = [line for line in read_lines(out) if isinstance(line, VerdictLine)]
    assert {line.item.partition("[")[2] for line in lines} == {
        "moe_init_routing_v2_grad-first]",
        "moe_init_routing_v2_grad-failures_abc_case]",
        "moe_token_permute-deep_second_one]",
    }
    evidence = read_evidence(out)
    assert evidence is not None
    assert evidence.request["case"] == str(tmp_path / "cases")
    assert evidence.cases == 2  # two files have the same call


def test_a_file_that_is_no_case_is_told_and_the_others_are_judged(tmp_path: Path) -> None:
    folder = saved(tmp_path / "cases")
    (folder / "=broken %3D.json").write_text("{")
    (folder / "link.json").symlink_to(folder / "first.json")
    rows = Tensor((1,), "int32", (99,))
    wrong = replace(ONE, inputs={**ONE.inputs, "expanded_row_idx": rows})
    save(Replay(wrong), folder / "illegal.json")
    done = conformance("run", "--case", "cases", "--score", *BY_ONE, folder=tmp_path)
    assert (done.status, done.out) == (1, "3\n"), done.err
    for name in ("=broken %3D.json", "link.json", "illegal.json"):
        assert name in done.err
    evidence = read_evidence(tmp_path / "reports" / "latest")
    assert evidence is not None
    assert (evidence.cases, evidence.failures) == (2, [])
    assert {*evidence.left_out} == {"=broken %3D.json", "link.json", "illegal.json"}


def test_a_failed_case_is_told_with_its_file_and_in_the_table(tmp_path: Path) -> None:
    records = suite.records([Path(WRONG[1])])
    wrong = records["first_slot_only"]
    drawn = (case for case, _ in plainly(wrong.cases("dropless", "float32"), 20, 0))
    case = next(one for one in drawn if one.attributes["top_k"] > 1 and one.outputs["grad_x"].size)
    save(Replay(case), tmp_path / "cases" / "=it.json")
    save(Replay(ONE), tmp_path / "cases" / "right.json")
    words = ("--case", "cases", "--csv", "table.csv", "--score", *WRONG[:2], *BY_ONE)
    done = conformance("run", *words, folder=tmp_path)
    assert (done.status, done.out) == (1, "1\n"), done.err
    assert "the case of =it.json" in done.err
    out = tmp_path / "reports" / "latest"
    (failure,) = [line for line in read_lines(out) if isinstance(line, FailureLine)]
    assert "first_slot_only-_it" in failure.item
    raw = (tmp_path / "table.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = {row["operator"]: row for row in csv.DictReader(io.StringIO(raw.decode("utf-8-sig")))}
    told = rows["first_slot_only"]
    assert (told["case"], told["verdict"]) == ("'=it.json", "failed")
    assert told["first_wrong_output"].startswith("first_slot_only")
    assert told["replay"].startswith("python -m conformance replay ")
    assert Path(told["replay"].split()[-1], "case.json").is_file()
    accepted = rows["moe_init_routing_v2_grad"]
    assert (accepted["case"], accepted["verdict"], accepted["replay"]) == (
        "right.json",
        "accepted",
        "",
    )


def test_a_single_case_has_a_score_and_no_table(tmp_path: Path) -> None:
    save(Replay(ONE), tmp_path / "one.json")
    done = conformance("run", "--case", "one.json", "--score", *ON_SIMULATOR, folder=tmp_path)
    assert (done.status, done.out) == (0, "0\n"), done.err
    done = conformance("run", "--case", "one.json", "--csv", "a.csv", folder=tmp_path)
    assert done.status == 2
    assert "does not go with --case FILE" in done.err


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (("--case", "empty"), "has no case that can be judged"),
        (("--case", "cases", "moe_re_routing"), "does not go with --case"),
        (("--case", "cases", "--score", "--json"), "does not go with --json"),
        (("--case", "cases", "--csv", "none/a.csv"), "a file in a folder that exists"),
    ],
)
def test_what_cannot_be_asked_is_told(tmp_path: Path, words: tuple[str, ...], rule: str) -> None:
    saved(tmp_path / "cases")
    (tmp_path / "empty").mkdir()
    done = conformance("run", *words, *ON_SIMULATOR, folder=tmp_path)
    assert done.status == 2
    assert rule in done.err


def test_names_that_look_alike_in_an_item_are_told_apart(tmp_path: Path) -> None:
    save(Replay(ONE), tmp_path / "a b.json")
    save(Replay(ONE), tmp_path / "a_b.json")
    found = given.read_folder(tmp_path)
    assert [one.name for one in found.cases] == ["a b", "a_b~2"]
    assert [one.file for one in found.cases] == ["a b.json", "a_b.json"]


def test_a_folder_of_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "MOST_FILES", 1)
    save(Replay(ONE), tmp_path / "a.json")
    save(Replay(ONE), tmp_path / "b.json")
    with pytest.raises(UsageError, match="more than 1 files"):
        given.read_folder(tmp_path)


def test_a_folder_of_more_files_that_are_none_than_can_be_told_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "MOST_UNREAD", 1)
    saved(tmp_path)
    for name in ("x.json", "y.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(UsageError, match="has 2 files that are no case"):
        given.checked(tmp_path, given.read_folder(tmp_path), RECORDS)

"""``import``: what is read of other tools' files, where it is written, and what is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.errors import UsageError
from conformance.failure.replay import load
from conformance.field import files
from conformance.judge.right_answer import right_answer
from conformance.suite import records as suite
from tests.conformance.field import samples
from tests.snapshots import both_pinned

RECORDS = suite.records([])
PERMUTE, EXPERTS = RECORDS["moe_token_permute"], RECORDS["moe_compute_expert_tokens"]
GATING = RECORDS["moe_gating_top_k_softmax_v2"]
SNAPSHOTS = Path(__file__).parents[1] / "snapshots"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOE_CONFORMANCE_CALLED", "moe-conformance")


def sample(path: Path) -> Path:
    """A file of TTK: two calls, and four rows that are none."""
    case = PERMUTE.examples[0].case
    right = samples.ttk_aclnn(PERMUTE, case, "permute/one")
    rows = [
        right,
        samples.ttk_kernel(EXPERTS, EXPERTS.examples[0].case, "../=cmd\x1b[2J"),
        {**right, "api_name": "aclnnAdd"},
        {**right, "tensor_dtypes": "('complex64',)"},
        {**right, "attributes": "{}"},
        {**right, "api_name": "aclnnAdd", "testcase_name": "again"},
    ]
    path.write_text(samples.ttk(rows))
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["import", *arguments])
    return status, *capsys.readouterr()


def test_what_was_read_and_what_was_not_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    path = sample(Path("cases.csv"))
    texts = []
    for language in ("en", "zh"):
        status, _, err = told(capsys, str(path), "--out", f"out-{language}", "--lang", language)
        assert status == 1
        texts.append(err.replace(f"out-{language}", "out"))
    both_pinned(SNAPSHOTS / "imported_rows.txt", *texts)


def test_each_call_has_a_file_of_a_plain_name_below_its_operator(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, str(sample(Path("cases.csv"))), "--out", "out")
    found = sorted(str(path) for path in Path("out").rglob("*") if path.is_file())
    assert found == [
        "out/moe_compute_expert_tokens/cases-.._cmd_2J.json",
        "out/moe_token_permute/cases-permute_one.json",
    ]
    assert load(Path(found[1])).case.operator == "moe_token_permute"


def test_programs_are_told_every_row_that_was_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = told(capsys, str(sample(Path("cases.csv"))), "--out", "out", "--json")
    said = json.loads(out)
    assert (status, said["status"], said["read"], said["not_read"]) == (1, 1, 2, 4)
    (of_file,) = said["files"]
    assert [one["place"] for one in of_file["not_read"]] == ["line 4", "line 5", "line 6", "line 7"]


def test_all_three_formats_are_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    case = PERMUTE.examples[0].case
    sample(Path("a.csv"))
    samples.written(Path("b.json"), [samples.atk(PERMUTE, case)])
    samples.written(Path("dump.json"), samples.msprobe(PERMUTE, case, Path.cwd()))
    status, _, err = told(capsys, "a.csv", "b.json", "dump.json", "--out", "out")
    assert status == 1
    for tool in ("a.csv: TTK, 2 of 6", "b.json: ATK, 1 of 1", "dump.json: msprobe, 1 of 1"):
        assert tool in err


def test_a_file_that_is_read_whole_ends_with_0_and_one_without_a_call_with_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    samples.written(Path("good.json"), [samples.atk(PERMUTE, PERMUTE.examples[0].case)])
    assert told(capsys, "good.json", "--out", "out")[0] == 0
    samples.written(Path("bad.json"), [{"aclnn_name": "Add", "inputs": []}])
    status, _, err = told(capsys, "bad.json", "--out", "other")
    assert status == 2
    assert err.endswith("no call was read\n")


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("a.csv", b"a,b\n1,2\n", "a CSV file of TTK"),
        ("a.json", b"{}", "a CSV file of TTK"),
        ("a.json", b"{", "is no JSON"),
        ("a.json", b"[" * 100_000, "is no JSON"),
        ("a.json", b"\xff\xfe", "is no UTF-8 text"),
    ],
)
def test_a_file_of_no_tool_is_refused(
    name: str, content: bytes, rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_bytes(content)
    sample(Path("right.csv"))
    status, _, err = told(capsys, "right.csv", name, "--out", "out")
    assert status == 2
    assert rule in err
    assert not Path("out").exists()


def test_cases_of_two_imports_are_not_mixed(capsys: pytest.CaptureFixture[str]) -> None:
    sample(Path("cases.csv"))
    Path("out").mkdir()
    Path("out", "kept.txt").touch()
    status, _, err = told(capsys, "cases.csv", "--out", "out")
    assert status == 2
    assert "must be a new folder" in err


def test_a_bound_of_elements_is_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    sample(Path("cases.csv"))
    status, _, err = told(capsys, "cases.csv", "--out", "out", "--most-elements", "many")
    assert status == 2
    assert "integers from 1" in err


def test_a_file_of_too_many_bytes_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    sample(Path("cases.csv"))
    with pytest.raises(Exception, match="at most 10 are read"):
        files.source_of(Path("cases.csv"))
    with pytest.raises(UsageError, match="file is 'none"):
        files.source_of(Path("none.csv"))


def test_no_more_rows_are_read_than_a_file_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 2)
    source = files.source_of(sample(Path("cases.csv")))
    found = files.import_file(source, Path("out"), RECORDS)
    assert (found.rows, found.read) == (2, 2)
    assert found.unread == [("the rest", "at most 2 calls of a file are read")]


def dump(folder: Path, *, off: int = 0, without: str = "") -> Path:
    """A dump of a call and of what it returned, a value of it ``off`` and one output left out."""
    case = next(one.case for one in PERMUTE.examples if one.case.mode == "whole")
    outputs = {n: one for n, one in right_answer(PERMUTE, case).outputs.items() if n != without}
    rows = outputs["sorted_indices"] = outputs["sorted_indices"].copy()
    rows[:2] += off
    folder.mkdir()
    return samples.written(folder / "dump.json", samples.msprobe(PERMUTE, case, folder, outputs))


def test_what_a_dumped_call_returned_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = told(capsys, str(dump(Path("right"))), "--out", "out")
    assert status == 0
    assert "outputs as dumped, judged as of any device: 1 accepted, 0 failed" in err


def test_a_wrong_output_of_a_dump_is_told_with_its_verdict(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(dump(Path("wrong"), off=1))
    texts = []
    for language in ("en", "zh"):
        status, _, err = told(capsys, path, "--out", f"out-{language}", "--lang", language)
        assert status == 1
        texts.append(err.replace(f"out-{language}", "out"))
    both_pinned(SNAPSHOTS / "imported_wrong_outputs.txt", *texts)
    _, out, _ = told(capsys, path, "--out", "again", "--json")
    (of_file,) = json.loads(out)["files"]
    assert of_file["outputs_judged"] == 1
    (failed,) = of_file["outputs_failed"]
    assert Path(failed["case"]).is_file()
    assert "sorted_indices" in failed["verdict"]


def test_outputs_that_are_not_all_in_the_dump_are_not_judged(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = str(dump(Path("part"), off=1, without="permute_tokens"))
    status, _, err = told(capsys, path, "--out", "out")
    assert status == 0
    assert "as dumped" not in err


def test_values_of_a_dump_that_nothing_bounds_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = next(one.case for one in GATING.examples if one.case.mode == "softmax_first")
    outputs = right_answer(GATING, case).outputs
    document = samples.msprobe(GATING, case, tmp_path, outputs)
    path = samples.written(tmp_path / "dump.json", document)
    status, _, err = told(capsys, str(path), "--out", "out")
    assert status == 0
    count = outputs["y"].size + outputs["expert_idx"].size
    assert f"{count} values of them not bounded: nothing is known of the device's" in err

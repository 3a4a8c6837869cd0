"""Shards become a run like any other; what does not belong together is refused by name."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from rich.console import Console

from conformance.cli import result as outcome
from conformance.cli.main import main
from conformance.errors import UsageError
from conformance.evidence.coverage import Coverage
from conformance.evidence.lines import read_lines
from conformance.evidence.reading import CannotJudge, read_run, whole
from conformance.gate.facts import facts
from conformance.gate.merge import merge
from tests.conformance.gate.asking import gate
from tests.conformance.gate.runs import (
    CELLS,
    KERNEL,
    OPERATOR,
    device,
    everywhere,
    example,
    order,
    refused,
    rewrite,
    run,
    verdict,
)

REQUEST = {"profile": "gate", "seed": "0", "device": "sim", "libraries": ""}
WHOLE = [verdict(f"{mode}{dtype}", mode=mode, dtype=dtype) for _, mode, dtype in CELLS]


def shard(place: Path, index: int, count: int = 2, **changed: Any) -> Path:
    """The I-th of two shards: the first has the cells of the mode whole, both the example."""
    lines = WHOLE[:2] if index == 1 else [*WHOLE[2:], order()]
    request = {**REQUEST, "shard": f"{index}/{count}"}
    told = {"request": request, "selected": 2, **changed}
    more = told.pop("more", [])
    return run(place / f"shard{index}", [*lines, example(), *more], **told)


def shards(place: Path, **second: Any) -> list[Path]:
    return [shard(place, 1), shard(place, 2, **second)]


def test_shards_give_the_run_that_one_host_would_have_given(tmp_path: Path) -> None:
    evidence = merge(shards(tmp_path), tmp_path / "out")
    merged = whole(read_run(tmp_path / "out"))
    alone = whole(read_run(run(tmp_path / "alone")))
    found, known = facts(merged), facts(alone)
    for cell in (*found.cells.values(), *known.cells.values()):
        cell.seconds = 0.0  # the documented call was made in each shard
    assert found == known
    assert (evidence.cases, evidence.exit_status, evidence.status) == (5, 0, "finished")
    assert merged.evidence.request["shard"] == "1/1"
    assert [one["shard"] for one in merged.evidence.provenance["shards"]] == ["1/2", "2/2"]
    assert gate(tmp_path / "out")[0].status == 0


def test_every_line_of_every_shard_is_kept(tmp_path: Path) -> None:
    folders = shards(tmp_path)
    merge(folders, tmp_path / "out")
    assert len(list(read_lines(tmp_path / "out"))) == sum(len(list(read_lines(f))) for f in folders)


def test_the_order_of_the_shards_does_not_matter(tmp_path: Path) -> None:
    folders = shards(tmp_path)
    merge(folders, tmp_path / "one")
    merge(folders[::-1], tmp_path / "other")
    assert facts(read_run(tmp_path / "one")) == facts(read_run(tmp_path / "other"))


def test_a_failure_of_a_shard_is_one_of_the_whole_with_its_case(tmp_path: Path) -> None:
    evidence = merge(shards(tmp_path, more=[refused()]), tmp_path / "out")
    assert evidence.exit_status == 1
    (failure,) = evidence.failures
    assert (tmp_path / "out" / failure.case).read_text() == '{"case": 1}\n'
    assert failure.text.endswith(f"--case {tmp_path / 'out' / failure.case}")
    console = Console(file=io.StringIO(), width=200)
    outcome.tell(tmp_path / "out", evidence, 1, console)
    assert "output has 3 wrong elements" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_shard_that_was_cut_short_leaves_the_whole_incomplete(tmp_path: Path) -> None:
    folders = shards(tmp_path, status="incomplete", unreached=["t.py::t[x]"], exit_status=1)
    evidence = merge(folders, tmp_path / "out")
    assert (evidence.status, evidence.exit_status) == ("incomplete", 1)
    assert gate(tmp_path / "out")[0].status == 3


def test_what_a_shard_left_out_of_what_it_was_asked_for_the_whole_left_out(tmp_path: Path) -> None:
    folders = shards(tmp_path, left_out={"unpermute": "it does not build: x"}, exit_status=1)
    evidence = merge(folders, tmp_path / "out")
    assert (evidence.left_out, evidence.exit_status) == ({"unpermute": "it does not build: x"}, 1)
    judgement, text = gate(tmp_path / "out")
    assert judgement.status == 1
    assert "  not judged  unpermute: it was asked for: it does not build: x" in text


def test_a_shard_that_lost_its_device_leaves_the_whole_unjudged(tmp_path: Path) -> None:
    folders = shards(tmp_path, environment=["the device is lost"], exit_status=3)
    assert merge(folders, tmp_path / "out").exit_status == 3


def test_a_cell_that_ended_early_in_a_shard_did_so_in_the_whole(tmp_path: Path) -> None:
    folders = shards(tmp_path)
    told = msgspec.json.decode((folders[1] / "evidence.json").read_bytes())
    for cell in told["cells"]:
        cell["complete"] = cell["mode"] != "tail"
    rewrite(folders[1], cells=told["cells"])
    cells = merge(folders, tmp_path / "out").cells
    assert [cell.complete for cell in cells] == [True, True, False, False]


def test_an_interrupted_shard_leaves_the_whole_interrupted(tmp_path: Path) -> None:
    evidence = merge(shards(tmp_path, status="interrupted", exit_status=130), tmp_path / "out")
    assert (evidence.status, evidence.exit_status) == ("interrupted", 130)


def test_discrete_cells_of_all_shards_are_told(tmp_path: Path) -> None:
    shown = {
        "mode": "tail",
        "dtype": "float16",
        "operator": OPERATOR,
        "strength": 2,
        "tuples": 2,
    }
    one = Coverage(**shown, levels={"family": {"nan": 1}}, missing=["a", "b"], edges={"e": 0})
    two = Coverage(**shown, levels={"family": {"nan": 2}}, missing=["b"], edges={"e": 3})
    levels = {"family": ("nan",), "edge": ("e",)}
    drawn = [verdict(f"d{n}", item=f"t.py::t[{n}]", mode="tail", levels=levels) for n in (1, 2)]
    folders = [
        shard(tmp_path, index, coverage=[cover], more=[drawn[index - 1]])
        for index, cover in ((1, one), (2, two))
    ]
    (found,) = merge(folders, tmp_path / "out").coverage
    assert (found.missing, found.levels, found.edges) == (["b"], {"family": {"nan": 2}}, {"e": 2})


def test_discrete_cells_are_told_as_by_the_shard_that_had_them(tmp_path: Path) -> None:
    shown = {
        "mode": "tail",
        "dtype": "float16",
        "operator": OPERATOR,
        "strength": 2,
        "tuples": 2,
    }
    away = Coverage(**shown, levels={"family": {"nan": 1}}, edges={"e": 1}, open=1, open_edges=1)
    mine = Coverage(**shown, levels={"family": {"nan": 2}}, edges={"e": 2, "f": 0}, missing=["b"])
    levels = {"family": ("nan",), "edge": ("e",)}
    drawn = [verdict(f"d{n}", item=f"t.py::t[{n}]", mode="tail", levels=levels) for n in (1, 2)]
    for first, second in ((away, mine), (mine, away)):
        folders = [
            shard(tmp_path, index, coverage=[cover], more=[drawn[index - 1]])
            for index, cover in ((1, first), (2, second))
        ]
        evidence = merge(folders, tmp_path / "out")
        assert evidence.coverage == [mine]
        assert evidence.exit_status == 1
    assert (mine.judged, mine.edges_judged, mine.edges_declared) == (1, 1, 2)
    assert (away.judged, away.edges_judged, away.edges_declared) == (1, 1, 2)


PACKAGE = {
    "libopapi.so": {"path": "lib/libopapi.so", "sha256": KERNEL},
    "ascend910b/permute/Permute_1.o": {"path": "Permute_1.o", "sha256": "binary"},
}
"""The libraries of a device on which a package is judged."""


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"provenance": {"git": {"commit": "beef"}, "sources": "s1"}},
            "another commit ('beef', not 'c0ffee')",
        ),
        (
            {"provenance": {"git": {"commit": "c0ffee"}, "sources": "s2"}},
            "judged with other python",
        ),
        ({"on": device(soc="Ascend910_9391")}, "another profile: soc is Ascend910_9391, not Asc"),
        ({"on": device(cann="8.6.0")}, "another profile: cann is 8.6.0, not 8.5.0"),
        ({"on": device(libraries={})}, "another profile: libopapi.so is None"),
        ({"on": device(libraries=PACKAGE)}, "another profile: package is "),
    ],
)
def test_a_run_of_another_commit_or_device_is_refused_by_name(
    tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    folders = shards(tmp_path, **changed)
    with pytest.raises(UsageError) as told:
        merge(folders, tmp_path / "out")
    assert f"run is '{folders[1]}': does not belong to {folders[0]}: {words}" in str(told.value)
    assert not (tmp_path / "out").exists()


def test_a_merged_run_has_a_junit_file_of_all_its_items(tmp_path: Path) -> None:
    item, error = "t.py::test_x[permute-tail-int8]", "cases/test_values.py::test_values[a-b-c]"
    told = {
        "more": [refused(headline="wrong \x1b[2J & <b>")],
        "errors": {error: "Traceback\nTypeError: no", "t.py": "no module"},
        "unreached": [item],
        "status": "incomplete",
    }
    merge(shards(tmp_path, **told), tmp_path / "out")
    (suite,) = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "8", "failures": "1", "errors": "2", "skipped": "1"}
    cases = {(one.get("classname"), one.get("name")): one for one in suite}
    whole = cases["cases.test_values", "test_values[permute-whole-float16]"]
    assert {one.get("name"): one.get("value") for one in whole.iter("property")} == {
        "operator": OPERATOR,
        "mode": "whole",
        "dtype": "float16",
        "route": "aclnn",
        "device": "sim",
    }
    assert (float(whole.get("time", "")), [one.tag for one in whole]) == (0.01, ["properties"])
    (failure,) = cases["cases.test_values", "test_values[permute-tail-float16]"].iter("failure")
    assert failure.get("message") == "wrong ?[2J & <b>"
    assert "failures/bad/case.json" in (failure.text or "")
    (found,) = cases["cases.test_values", "test_values[a-b-c]"].iter("error")
    assert (found.get("message"), found.text) == ("TypeError: no", "Traceback\nTypeError: no")
    assert cases["t", "test_x[permute-tail-int8]"].find("skipped") is not None
    assert ("", "t.py") in cases, "what could not be collected has no name of its own"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"standard": "ttk"}, "another standard ('ttk', not '')"),
        ({"profile": "smoke"}, "another profile ('smoke', not 'gate')"),
    ],
)
def test_a_run_that_was_asked_something_else_is_refused(
    tmp_path: Path, changed: dict[str, str], words: str
) -> None:
    request = {**REQUEST, "shard": "2/2", **changed}
    with pytest.raises(UsageError, match="does not belong") as told:
        merge(shards(tmp_path, request=request), tmp_path / "out")
    assert words in str(told.value)


@pytest.mark.parametrize("name", ["device", "libraries", "operators"])
def test_what_only_names_a_place_on_a_host_may_differ(tmp_path: Path, name: str) -> None:
    request = {**REQUEST, "shard": "2/2", name: "elsewhere"}
    assert merge(shards(tmp_path, request=request), tmp_path / "out").cases == 5


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    folders = [shard(tmp_path, 1, 4), shard(tmp_path, 2, 4)]
    with pytest.raises(UsageError, match=r"missing shard: 3/4, 4/4"):
        merge(folders, tmp_path / "out")


def test_a_missing_shard_comes_with_the_command_that_judges_it(tmp_path: Path) -> None:
    asked = "python -m conformance run --profile gate --shard 1/3 --out 'my runs/1'"
    provenance = {"git": {"commit": "c0ffee"}, "sources": "s1", "command": asked}
    with pytest.raises(UsageError) as told:
        merge([shard(tmp_path, 1, 3, provenance=provenance)], tmp_path / "out")
    run_it = "  to judge it: python -m conformance run --profile gate"
    assert str(told.value).splitlines()[1:] == [
        f"{run_it} --shard {index}/3 --out shard{index}" for index in (2, 3)
    ]


def test_a_shard_that_is_there_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"overlaps: shard 1/2 is also in .*shard1"):
        merge([shard(tmp_path, 1), shard(tmp_path / "again", 1)], tmp_path / "out")


def test_shards_of_other_counts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is shard 2/3, and .*shard1 is shard 1/2"):
        merge([shard(tmp_path, 1), shard(tmp_path, 2, 3)], tmp_path / "out")


def test_an_item_that_two_shards_drew_is_named(tmp_path: Path) -> None:
    folders = shards(tmp_path, more=[WHOLE[0]])
    with pytest.raises(UsageError, match=r"overlaps: test_values\[permute-whole-float16\] was"):
        merge(folders, tmp_path / "out")


def test_a_run_that_goes_on_or_was_killed_is_not_merged(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match="has not ended, or was ended before its end"):
        merge(shards(tmp_path, status="running"), tmp_path / "out")


def test_a_whole_run_merges_with_nothing_else(tmp_path: Path) -> None:
    request = {**REQUEST, "shard": "1/1"}
    folders = [shard(tmp_path, 1, request=request), shard(tmp_path, 2, request=request)]
    with pytest.raises(UsageError, match="overlaps: shard 1/1"):
        merge(folders, tmp_path / "out")


def test_a_merged_run_never_takes_the_place_of_one_of_its_shards(tmp_path: Path) -> None:
    folders = shards(tmp_path)
    with pytest.raises(UsageError, match="is one of the runs that are merged"):
        merge(folders, folders[0])
    assert len(list(read_lines(folders[0]))) == 7


@pytest.mark.parametrize("case", ["../../etc/passwd", "/etc/passwd", "failures/../x/case.json", ""])
def test_a_failure_whose_case_leads_out_of_the_folder_is_refused(tmp_path: Path, case: str) -> None:
    folders = shards(tmp_path, more=[refused()])
    everywhere(folders[1], "failures/bad/case.json", case)
    with pytest.raises(CannotJudge, match=r"it must be failures/ID/case\.json"):
        merge(folders, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_link_among_the_failures_is_refused(tmp_path: Path) -> None:
    folders = shards(tmp_path, more=[refused()])
    (folders[1] / "failures" / "bad" / "inputs").symlink_to("/etc")
    with pytest.raises(CannotJudge, match="failures/bad/inputs is no plain file"):
        merge(folders, tmp_path / "out")
    (folders[1] / "failures" / "bad" / "inputs").unlink()
    (folders[1] / "failures").rename(tmp_path / "elsewhere")
    (folders[1] / "failures").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotJudge, match="failures is a link"):
        merge(folders, tmp_path / "out")


def test_the_front_door_tells_a_merged_run_as_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(folder) for folder in shards(tmp_path, more=[refused()])]
    assert main(["merge", *words, "--out", str(tmp_path / "out"), "--json"]) == 1
    told = capsys.readouterr()
    assert (tmp_path / "out" / "report.html").read_bytes().startswith(b"<!doctype html>")
    assert msgspec.json.decode(told.out)["verdict"] == "failed"
    assert "failed: 6 distinct cases in 24 s" in told.err
    assert main(["merge", words[0], "--out", str(tmp_path / "other")]) == 2
    assert "missing shard: 2/2" in capsys.readouterr().err
    assert main(["merge", str(tmp_path), "--out", str(tmp_path / "other")]) == 3
    assert "no evidence: there is no evidence.json in" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["!", "eJwDAAAAAAE=", "AAAA"])
def test_combinations_that_no_run_wrote_are_not_merged(tmp_path: Path, text: str) -> None:
    shown = {"mode": "tail", "dtype": "float16", "operator": OPERATOR, "strength": 2, "tuples": 0}
    cover = Coverage(**shown, levels={"family": {"nan": 0}, "size": {"s": 0}}, together=text)
    folders = [shard(tmp_path, 1, coverage=[cover]), shard(tmp_path, 2)]
    with pytest.raises(CannotJudge, match="corrupted: "):
        merge(folders, tmp_path / "out")
    assert not (tmp_path / "out").exists()

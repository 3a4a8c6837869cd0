"""Going on with a run that did not end: nothing is judged twice, nothing is lost or mixed."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.devices.device import DeviceProfile, Library, Trait
from conformance.errors import UsageError
from conformance.evidence.lines import DeviceLine, ItemLine, Writer, read_lines
from conformance.evidence.summary import Evidence, read_evidence, write_evidence
from conformance.session.resume import changed, check_device, check_judges, earlier_run
from tests.conformance.evidence.unpacking import unpacked
from tests.conformance.front_door import ONE_OPERATOR, conformance
from tests.conformance.toy_runs import CELLS, Ended, Run, toy_runs
from tests.slow import slow_but


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """Where a run was killed in its second cell, what it left beside the toy, and how it ended."""
    place = tmp_path_factory.mktemp("killed")
    ended = toy_runs(place)(toy="dies")
    assert ended.status == -signal.SIGKILL, ended.output
    assert ended.evidence.status == "running"
    (place / "toy" / "reports").rename(place / "reports")
    return place, ended


@pytest.fixture
def resumed(dead: tuple[Path, Ended]) -> Run:
    """Runs pytest on the toy where a run was killed, as that left it."""
    place, _ = dead
    shutil.rmtree(place / "toy")
    run = toy_runs(place)
    shutil.copytree(place / "reports", place / "toy" / "reports")
    return run


@pytest.fixture
def killed(dead: tuple[Path, Ended]) -> Ended:
    """A run that was killed in its second cell."""
    return dead[1]


def counts(ended: Ended) -> list[tuple[int, int, int, bool]]:
    return [(c.cases, c.elements, c.failed, c.complete) for c in ended.evidence.cells]


@pytest.mark.parametrize("workers", slow_but(["2"], ["0", "2"]))
def test_a_killed_run_ends_as_if_it_had_not_been_killed(
    resumed: Run, killed: Ended, workers: str
) -> None:
    before = killed.verdicts(CELLS[0])
    ended = resumed("--conformance-resume", "-n", workers)
    assert ended.status == 0, ended.output
    assert ended.verdicts(CELLS[0]) == before, "a finished item is not run again"
    evidence = ended.evidence
    assert (evidence.status, evidence.parts, evidence.unreached) == ("finished", 2, [])
    told = counts(ended)
    assert told == counts(resumed())


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "1"])
def test_an_item_that_had_ended_may_stand_between_two_modules(run: Run, workers: str) -> None:
    words = ("check_quarantine.py", "-n", workers)
    first = run(*words, toy="half")
    assert first.status == 3, "what is int32 was lost, and what is int64 has ended"
    ended = run(*words, "--conformance-resume")
    assert (ended.status, ended.evidence.errors) == (0, {}), ended.output
    assert ended.evidence.status == "finished"
    assert counts(ended) == counts(run(*words))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [*lines[:2], *lines[3:]], "line 3: line 3 of the run is missing before it"),
        (lambda lines: [*lines, lines[3]], "it is line 4 of the run, out of its place"),
        (lambda lines: [one.replace(b'"ok":true', b'"ok":false') for one in lines], "was changed"),
    ],
    ids=["lost", "added", "changed"],
)
def test_a_killed_run_that_was_edited_is_not_gone_on_with(
    resumed: Run, killed: Ended, change: Callable[[list[bytes]], list[bytes]], words: str
) -> None:
    path = unpacked(killed.out) / "evidence.main.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))
    before = {one: one.read_bytes() for one in killed.out.iterdir() if one.is_file()}
    ended = resumed("--conformance-resume")
    assert ended.status == 3, ended.output
    assert "corrupted: evidence.main.jsonl, line " in ended.output
    assert words in ended.output
    assert {one: one.read_bytes() for one in killed.out.iterdir() if one.is_file()} == before


@pytest.mark.parametrize("ci", slow_but([""], ["", "true"]))
def test_failures_before_and_after_are_told_once_each(
    run: Run, monkeypatch: pytest.MonkeyPatch, ci: str
) -> None:
    monkeypatch.setenv("CI", ci)
    run("-k", "plain", "-x", toy="wrong")
    first = read_evidence(run("--collect-only").out)
    assert first is not None
    assert [len(first.failures), len(first.unreached)] == [1, 1]
    ended = run("--conformance-resume", "-k", "plain", toy="wrong")
    assert ended.status == 1
    assert [f.item.partition("[")[2] for f in ended.evidence.failures] == [
        f"{cell}]" for cell in CELLS[:2]
    ]
    assert ended.output.count("replay: ") == 2, "the earlier failure is told again"


@pytest.mark.slow
def test_what_the_budget_cut_short_begins_again(run: Run) -> None:
    run("--conformance-budget=0.3s", "-k", "plain and int32", toy="slow")
    ended = run("--conformance-resume", "-k", "plain and int32")
    assert ended.status == 0
    outcomes = [line.outcome for line in read_lines(ended.out) if isinstance(line, ItemLine)]
    assert outcomes == ["cut", "accepted"]
    assert (ended.evidence.status, ended.evidence.cut) == ("finished", [])


def test_an_environment_that_works_again_is_forgiven(run: Run) -> None:
    assert run("-k", "plain", toy="lost").status == 3
    ended = run("--conformance-resume", "-k", "plain")
    assert ended.status == 0, ended.output
    assert ended.evidence.environment == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--conformance-seed=5"], "asked with seed '0', this one with '5'"),
        (["--conformance-profile=gate"], "asked with profile 'smoke', this one with 'gate'"),
        (["--conformance-shard=1/2"], "asked with shard '1/1', this one with '1/2'"),
        (["-k", "plain"], "asked with items '4 items, "),
    ],
)
def test_another_request_is_refused_by_what_differs(
    resumed: Run, killed: Ended, options: list[str], words: str
) -> None:
    before = (killed.out / "evidence.json").read_bytes()
    ended = resumed("--conformance-resume", *options)
    assert ended.status == pytest.ExitCode.USAGE_ERROR
    assert words in ended.output
    assert (killed.out / "evidence.json").read_bytes() == before


def test_another_record_is_another_judge(resumed: Run, killed: Ended) -> None:
    with (killed.out.parents[1] / "records" / "copying.py").open("a") as record:
        record.write("# a remark\n")
    ended = resumed("--conformance-resume")
    assert ended.status == pytest.ExitCode.USAGE_ERROR
    assert "its run was judged with other sources" in ended.output


def test_judges_are_told_apart_by_python_packages_and_sources(tmp_path: Path) -> None:
    now = {"python": "3.11", "packages": {"numpy": "2"}, "sources": "a", "git": None}
    check_judges(tmp_path, {**now, "git": "other"}, now)
    for name in ("python", "packages", "sources"):
        with pytest.raises(UsageError, match=f"judged with other {name}"):
            check_judges(tmp_path, {**now, name: "other"}, now)


def test_another_library_is_another_device(tmp_path: Path) -> None:
    unknown = Trait("unknown")

    def profile(sha256: str) -> DeviceProfile:
        libraries = {"libopapi.so": Library("/any", sha256)}
        return DeviceProfile(
            "it", "npu", "Ascend910B1", 48, 1, "8", libraries, unknown, unknown, unknown
        )

    writer = Writer(tmp_path, "main")
    told = {"soc": "Ascend910B1", "libraries": {"libopapi.so": {"path": "/x", "sha256": "a"}}}
    writer.write(DeviceLine(worker="main", description="it", profile=told))
    writer.close()
    check_device(tmp_path, profile("a"))
    with pytest.raises(UsageError, match=r"judged another device \(libopapi\.so changed\)"):
        check_device(tmp_path, profile("b"))


def test_functions_that_are_known_otherwise_are_another_device() -> None:
    def profile(steps: int | None, origin: str) -> dict[str, object]:
        exp = {"steps": steps, "flush": True, "origin": origin, "source": origin}
        return {"soc": "it", "libraries": {}, "functions": {"exp": exp}}

    assert changed(profile(1, "probed"), profile(1, "declared")) == []
    assert changed(profile(None, "unknown"), profile(1, "probed")) == ["exp"]


@pytest.mark.parametrize(
    ("source", "folder", "names"),
    [
        ("built", "opapi-0123456789abcdef/lib", []),
        ("built", "opapi-0123456789abcdee/lib", ["libopapi.so"]),
        ("built", "elsewhere", ["libopapi.so"]),
        ("libraries", "opapi-0123456789abcdef/lib", ["libopapi.so"]),
    ],
)
def test_two_builds_of_the_same_are_one_device(source: str, folder: str, names: list[str]) -> None:
    def profile(place: str, sha256: str) -> dict[str, object]:
        library = {"path": f"{place}/libopapi.so", "sha256": sha256}
        return {"soc": "it", "libraries": {"libopapi.so": library}, "origin": {"source": source}}

    first = profile("/here/opapi-0123456789abcdef/lib", "a")
    assert changed(first, profile(f"/there/{folder}", "a")) == []
    assert changed(first, profile(f"/there/{folder}", "b")) == names


def test_there_must_be_a_run_to_go_on_with(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run to go on with"):
        earlier_run(tmp_path)
    write_evidence(tmp_path, Evidence())
    with pytest.raises(UsageError, match="holds no run to go on with"):
        earlier_run(tmp_path)


def test_a_run_that_had_nothing_on_record_begins(tmp_path: Path) -> None:
    """It was ended too early: who always goes on need not know."""
    only = ("--resume", "--out", "out", "--", "-k", "test_examples and float32")
    ended = conformance("run", *ONE_OPERATOR, *only, folder=tmp_path)
    assert ended.status == 0, ended.err
    assert "nothing to go on with in " in ended.err.splitlines()[0]

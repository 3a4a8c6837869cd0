"""``gate`` and ``baseline`` as they are typed: statuses, JSON, annotations, files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest

from conformance.cli.main import main
from conformance.evidence.lines import TimingLine
from conformance.evidence.reading import read_run, whole
from conformance.gate import baseline as baselines
from conformance.gate.facts import facts
from conformance.record.picture import Excerpt
from tests.conformance.gate.asking import waiver
from tests.conformance.gate.runs import (
    device,
    every_cell,
    example,
    failure,
    refused,
    run,
    verdict,
)

Captured = pytest.CaptureFixture[str]


def test_json_has_everything_on_one_line(tmp_path: Path, capsys: Captured) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    assert main(["gate", str(folder), "--no-baseline", "--json"]) == 1
    told = capsys.readouterr()
    (line,) = told.out.splitlines()
    found = msgspec.json.decode(line)
    assert (found["status"], found["verdict"], found["cases"]) == (1, "rejected", 6)
    assert found["findings"] == [
        {
            "kind": "failure",
            "subject": "test_values[permute-tail-float16]",
            "message": "permute, tail, float16: output has 3 wrong elements.",
            "file": "failures/bad/case.json",
            "items": [],
            "source": "",
            "line": 0,
        }
    ]
    assert "gate: rejected for failure (1)" in told.err


def test_what_cannot_be_judged_is_json_too(tmp_path: Path, capsys: Captured) -> None:
    folder = run(tmp_path / "run", status="interrupted")
    assert main(["gate", str(folder), "--no-baseline", "--json"]) == 3
    found = msgspec.json.decode(capsys.readouterr().out)
    assert found["reasons"] == ["incomplete: the run is interrupted"]


def test_github_is_told_a_workflow_command_for_each_finding(
    tmp_path: Path, capsys: Captured
) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    words = ["gate", str(folder), "--no-baseline", "--annotations", "github"]
    assert main(words) == 1
    assert capsys.readouterr().out == (
        "::error title=failure%3A test_values[permute-tail-float16]::"
        "permute, tail, float16: output has 3 wrong elements.\n"
    )


def test_gitlab_is_told_a_code_quality_report(tmp_path: Path, capsys: Captured) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    words = ["gate", str(folder), "--no-baseline", "--annotations", "gitlab"]
    assert main(words) == 1
    (one,) = msgspec.json.decode(capsys.readouterr().out)
    assert one["check_name"] == "conformance/failure"
    assert one["location"] == {"path": "failures/bad/case.json", "lines": {"begin": 1}}
    assert main(["gate", str(run(tmp_path / "good")), *words[2:]]) == 0
    assert capsys.readouterr().out == "[]\n"


def named_by_a_diagnostic(folder: Path, path: str) -> Path:
    """A run with a failure of which a diagnostic names line 9 of the kernel."""
    named = Excerpt(code="race", message="", file="op.cpp", line=9, first=9, lines=[""], path=path)
    return run(folder, every_cell(refused()), tells=partial(failure, excerpts=[named]))


@pytest.mark.parametrize("path", ["kernels/op/op.cpp", "/etc/op.cpp", "../op.cpp", "a\x1b.cpp", ""])
def test_the_line_of_the_kernel_is_marked_where_a_diagnostic_names_it(
    tmp_path: Path, capsys: Captured, path: str
) -> None:
    """If the file lies in the working directory, which in CI is the repository's."""
    words = ["gate", str(named_by_a_diagnostic(tmp_path / "run", path)), "--no-baseline"]
    inside = path.startswith("kernels")
    assert main([*words, "--annotations", "github"]) == 1
    marked = (
        "::error file=kernels/op/op.cpp,line=9,title=failure%3A " if inside else "::error title="
    )
    assert capsys.readouterr().out.startswith(marked)
    assert main([*words, "--annotations", "gitlab"]) == 1
    (one,) = msgspec.json.decode(capsys.readouterr().out)
    place = {"path": "kernels/op/op.cpp", "lines": {"begin": 9}}
    other = {"path": "failures/bad/case.json", "lines": {"begin": 1}}
    assert one["location"] == (place if inside else other)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["nowhere"], "run is 'nowhere': allowed: the folder of a run"),
        (["RUN", "--waivers", "none.toml"], "waivers is 'none.toml': cannot be read"),
        (["RUN", "--require-device", "gpu"], "require-device is 'gpu': allowed: sim, npu"),
        (["RUN", "--annotations", "jenkins"], "annotations is 'jenkins': allowed: github, gitlab"),
        (["RUN", "--annotations", "github", "--json"], "does not go with --json"),
        (["RUN", "--baseline", "x"], "baseline is 'x': is not in baselines; there are: none"),
        (["RUN", "--baseline", "x", "--no-baseline"], "does not go with --baseline"),
        (["RUN", "--changed", "--no-baseline"], "does not go with --changed"),
    ],
)
def test_wrong_usage_is_told_with_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured, words: list[str], rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = run(tmp_path / "run")
    assert main(["gate", *(str(folder) if word == "RUN" else word for word in words)]) == 2
    assert rule in capsys.readouterr().err


def test_a_waiver_is_read_from_its_file(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    (tmp_path / "w.toml").write_text(waiver().replace("2026-12-31", "9999-12-31"))
    words = ["gate", str(folder), "--no-baseline", "--waivers", str(tmp_path / "w.toml")]
    assert main(words) == 0


def test_a_baseline_is_accepted_shown_listed_and_compared_with(
    tmp_path: Path, capsys: Captured
) -> None:
    place = ["--baselines", str(tmp_path / "b")]
    folder = str(run(tmp_path / "run"))
    who = ["--who", "A. Engineer", "--why", "first light"]
    assert main(["gate", folder, *place]) == 3
    assert main(["baseline", "accept", folder, *who, *place]) == 0
    assert main(["gate", folder, *place]) == 0
    capsys.readouterr()
    name = "sim-Ascend910B1-cann8.5.0-aclnn-gate"
    assert main(["baseline", "list", *place]) == 0
    line = capsys.readouterr().out
    assert line.startswith(f"{name}: Ascend910B1, CANN 8.5.0, route aclnn; A. Engineer, ")
    assert line.endswith(": first light\n")
    assert main(["baseline", "show", name, *place]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"baseline {name}: Ascend910B1, CANN 8.5.0, route aclnn, profile gate"
    assert shown[1].startswith("  accepted by A. Engineer, 2")
    assert shown[1].endswith(" (commit c0ffee): first light")
    assert shown[2:] == [
        "  4 cells, 5 cases; 1 named calls, of which 0 fail",
        "  order of additions: permute: sequential (1 dtypes and lengths)",
        "  libopapi.so: sha256 kernel-binary-on",
        "  libascendcl.so: sha256 runtime",
    ]


def test_a_baseline_counts_the_cases_that_the_gate_counts(tmp_path: Path, capsys: Captured) -> None:
    refusal = verdict("r", judged_as="rejection", name="no experts", item="t::r[x]")
    folder = str(run(tmp_path / "run", every_cell(refusal)))
    place = ["--baselines", str(tmp_path / "b")]
    assert main(["baseline", "accept", folder, "--who", "A", "--why", "w", *place]) == 0
    assert "4 cells, 6 cases; 2 named calls" in capsys.readouterr().err
    assert main(["gate", folder, *place]) == 0
    assert "gate: accepted: 6 cases on " in capsys.readouterr().err


def test_accepting_again_keeps_who_accepted_before(tmp_path: Path) -> None:
    place = ["--baselines", str(tmp_path / "b"), "--name", "mine"]
    for day, who in enumerate(("A", "B")):
        folder = str(run(tmp_path / f"run{day}"))
        assert main(["baseline", "accept", folder, "--who", who, "--why", "w", *place]) == 0
    found = baselines.named(tmp_path / "b", "mine")
    assert [one.who for one in found.accepted] == ["A", "B"]


def test_a_name_stays_with_its_key(tmp_path: Path, capsys: Captured) -> None:
    place = ["--who", "A", "--why", "w", "--baselines", str(tmp_path / "b"), "--name", "mine"]
    assert main(["baseline", "accept", str(run(tmp_path / "one")), *place]) == 0
    upgraded = str(run(tmp_path / "two", on=device(cann="8.6.0")))
    assert main(["baseline", "accept", upgraded, *place]) == 2
    assert "this run is of another key (CANN 8.5.0 -> 8.6.0)" in capsys.readouterr().err


@pytest.mark.parametrize("who", [["--who", " ", "--why", "w"], ["--who", "A", "--why", ""]])
def test_a_baseline_is_somebodys_decision(tmp_path: Path, capsys: Captured, who: list[str]) -> None:
    place = ["--baselines", str(tmp_path / "b")]
    assert main(["baseline", "accept", str(run(tmp_path / "run")), *who, *place]) == 2
    assert "must say it: a baseline is somebody's decision" in capsys.readouterr().err


def test_what_cannot_be_judged_cannot_be_accepted(tmp_path: Path, capsys: Captured) -> None:
    folder = str(run(tmp_path / "run", status="running"))
    place = ["--who", "A", "--why", "w", "--baselines", str(tmp_path / "b")]
    assert main(["baseline", "accept", folder, *place]) == 3
    assert "incomplete: the run" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_what_an_accepted_run_left_out_is_told(tmp_path: Path, capsys: Captured) -> None:
    folder = str(run(tmp_path / "run", left_out={"unpermute": "it is not in ops"}, exit_status=1))
    place = ("--baselines", str(tmp_path / "baselines"))
    assert main(["baseline", "accept", folder, "--who", "A", "--why", "w", *place]) == 0
    assert "not judged: unpermute: it is not in ops" in capsys.readouterr().err


def test_a_failure_in_an_accepted_run_still_needs_a_waiver(
    tmp_path: Path, capsys: Captured
) -> None:
    place = ["--baselines", str(tmp_path / "b")]
    failing = example("two", "e2", ok=False, headline="wrong")
    folder = str(run(tmp_path / "run", every_cell(failing)))
    assert main(["baseline", "accept", folder, "--who", "A", "--why", "w", *place]) == 0
    assert "1 named calls fail in it; each needs a waiver still" in capsys.readouterr().err
    assert main(["gate", folder, *place]) == 1


def test_a_clause_that_was_measured_once_stays_measured(tmp_path: Path) -> None:
    found = facts(whole(read_run(run(tmp_path / "run"))))
    for measured in (["permute: ties keep order"], ["permute: tails are zero"]):
        baselines.accept(tmp_path / "b", "mine", found, "A", "w", measured)
    kept = baselines.named(tmp_path / "b", "mine").measured
    assert kept == ["permute: tails are zero", "permute: ties keep order"]


def test_the_shares_of_work_and_time_are_read_from_the_command_line(
    tmp_path: Path, capsys: Captured
) -> None:
    npu = device(kind="npu", name="npu:0")
    fixed = verdict("c", judged_as="corpus", name="pairs 01", work={"chain": 100})
    timed = TimingLine(worker="main", operator="permute", dtype="float16", name="model 64")
    before = msgspec.structs.replace(timed, digest="t", seconds=(1e-4,) * 30)
    earlier = run(tmp_path / "before", every_cell(fixed, before), on=npu)
    words = ["--baselines", str(tmp_path / "b")]
    assert main(["baseline", "accept", str(earlier), "--who", "A", "--why", "first", *words]) == 0
    more = msgspec.structs.replace(fixed, work={"chain": 104})
    slower = msgspec.structs.replace(before, seconds=(1.04e-4,) * 30)
    now = run(tmp_path / "now", every_cell(more, slower), on=npu)
    for asked, kinds in (
        ((), ["more work"]),
        (("--more-work", "5%"), []),
        (("--more-work", "5", "--time-regression", "5%"), []),
        (("--more-work", "5", "--time-regression", "3%"), ["slower"]),
    ):
        capsys.readouterr()
        status = main(["gate", str(now), "--json", *words, *asked])
        found = msgspec.json.decode(capsys.readouterr().out)
        assert [one["kind"] for one in found["findings"]] == kinds
        assert status == bool(kinds)


@pytest.mark.parametrize("option", ["--more-work", "--time-regression"])
def test_a_share_that_is_no_percent_is_wrong_usage(
    tmp_path: Path, capsys: Captured, option: str
) -> None:
    folder = run(tmp_path / "run")
    assert main(["gate", str(folder), option, ""]) == 2
    assert f"{option[2:]} is '': it must be percents" in capsys.readouterr().err

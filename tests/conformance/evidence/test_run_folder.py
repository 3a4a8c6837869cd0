"""The folder of a run: taken over from an earlier run, never from anyone else."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.case import Case, Machine, Tensor
from conformance.errors import EnvironmentFailure, UsageError
from conformance.evidence import run_folder
from conformance.evidence.summary import Evidence, read_evidence, write_evidence

ROOT = Path(__file__).resolve().parents[3]
CASE = Case(
    operator="copying",
    mode="plain",
    dtype="float32",
    attributes={"times": 2},
    inputs={"x": Tensor((2,), "float32", (0, 1))},
    outputs={"y": Tensor((2,), "float32")},
    machine=Machine(2, 4096),
)


def test_a_new_run_takes_the_place_of_the_last_one(tmp_path: Path) -> None:
    out = tmp_path / "reports" / "latest"
    run_folder.start(out, Evidence(status="finished", seed=1)).release()
    (out / "evidence.gw0.jsonl").write_text("old")
    run_folder.start(out, Evidence(seed=2))
    assert [path.name for path in out.iterdir()] == [".lock", "evidence.json"]
    assert [path.name for path in out.parent.iterdir()] == ["latest"]
    evidence = read_evidence(out)
    assert evidence is not None
    assert (evidence.seed, evidence.status) == (2, "running")


@pytest.mark.parametrize("judges", [True, False])
def test_a_run_that_judges_nothing_keeps_the_failures_of_the_last_one(
    tmp_path: Path, judges: bool
) -> None:
    out = tmp_path / "latest"
    run_folder.start(out, Evidence(status="finished")).release()
    case = run_folder.failure_folder(out, CASE) / "case.json"
    case.parent.mkdir(parents=True)
    case.write_text("{}")
    run_folder.start(out, Evidence(status="finished", seed=2), judges=judges).release()
    assert case.exists() != judges
    assert [path.name for path in tmp_path.iterdir()] == ["latest"]


def test_a_folder_that_is_not_a_runs_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="is not empty and not the folder of an earlier run"):
        run_folder.start(tmp_path, Evidence())
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_a_file_or_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        with pytest.raises(UsageError, match="must be a folder"):
            run_folder.check(tmp_path / name)


WRITING = """
import sys, time
from pathlib import Path
from conformance.evidence import run_folder
from conformance.evidence.summary import Evidence
hold = run_folder.start(Path(sys.argv[1]), Evidence())
print("writing", flush=True)
time.sleep(60)
"""


def writing(out: Path) -> subprocess.Popen[bytes]:
    """Another process that writes a run's folder until it is killed."""
    command = [sys.executable, "-c", WRITING, str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    other = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert other.stdout is not None
    assert other.stdout.readline() == b"writing\n"
    return other


def test_a_run_that_still_writes_is_not_replaced_and_a_dead_one_is(tmp_path: Path) -> None:
    with writing(tmp_path / "out") as other:
        words = f"another run, process {other.pid}, is writing there"
        for refused in (run_folder.start, run_folder.go_on):
            with pytest.raises(UsageError, match=words):
                refused(tmp_path / "out", Evidence())
        other.kill()
    run_folder.start(tmp_path / "out", Evidence(seed=2)).release()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_number_of_a_dead_process_may_be_anothers_by_now(tmp_path: Path) -> None:
    run_folder.start(tmp_path / "out", Evidence()).release()
    write_evidence(tmp_path / "out", Evidence(process=os.getppid()))
    run_folder.check(tmp_path / "out")


def test_going_on_keeps_what_is_there_but_for_a_line_that_was_cut(tmp_path: Path) -> None:
    run_folder.start(tmp_path, Evidence(seed=1)).release()
    (tmp_path / "evidence.gw0.jsonl").write_text("whole\ncu")
    run_folder.go_on(tmp_path, Evidence(seed=1, parts=2)).release()
    assert (tmp_path / "evidence.gw0.jsonl").read_text() == "whole\n"
    evidence = read_evidence(tmp_path)
    assert evidence is not None
    assert (evidence.process, evidence.parts) == (os.getpid(), 2)


def test_a_folder_that_fills_up_leaves_the_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    run_folder.start(out, Evidence(seed=1)).release()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run_folder, "write_evidence", full)
    with pytest.raises(EnvironmentFailure, match="cannot be written: No space left on device"):
        run_folder.start(out, Evidence(seed=2))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    evidence = read_evidence(out)
    assert evidence is not None
    assert evidence.seed == 1


def test_failures_in_two_orders_of_blocks_have_two_folders(tmp_path: Path) -> None:
    orders = ("forward", "reverse", "shuffled:7")
    cases = [replace(CASE, machine=Machine(2, 4096, order)) for order in orders]
    folders = [run_folder.failure_folder(tmp_path, case).name for case in cases]
    assert folders == [f"{CASE.digest}-2x4096{end}" for end in ("", "-reverse", "-shuffled7")]


def test_failures_on_two_machines_have_two_folders(tmp_path: Path) -> None:
    small = replace(CASE, machine=Machine(1, 4096))
    assert CASE.digest == small.digest
    assert run_folder.failure_folder(tmp_path, CASE) != run_folder.failure_folder(tmp_path, small)


def test_a_broken_law_has_a_folder_of_its_own_beside_that_of_a_wrong_value(tmp_path: Path) -> None:
    laws = ("", "determinism", "order along hidden")
    names = [run_folder.failure_folder(tmp_path, CASE, law).name for law in laws]
    assert names == [
        f"{CASE.digest}-2x4096{end}" for end in ("", "-determinism", "-order-along-hidden")
    ]


def test_a_run_that_left_pytests_report_alone_is_no_run(tmp_path: Path) -> None:
    """It was ended before it had anything on record."""
    assert run_folder.is_empty(tmp_path / "nowhere")
    (tmp_path / "junit.xml").write_text("<testsuites/>")
    assert run_folder.is_empty(tmp_path)
    run_folder.check(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    assert not run_folder.is_empty(tmp_path)


def test_who_goes_on_with_a_run_waits_for_one_that_is_ending(tmp_path: Path) -> None:
    out = tmp_path / "run"
    hold = run_folder.start(out, Evidence())
    said: list[str] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            hold.release()

    run_folder.wait(out, said.append, sleep)
    assert said == [f"waiting for the run that is ending in {out}"]
    assert len(slept) == 3
    run_folder.wait(out, said.append, sleep)
    assert (len(said), len(slept)) == (1, 3)
    other = run_folder.Hold(out)
    run_folder.wait(out, said.append, slept.append)
    assert len(slept) == 3 + run_folder.WAIT_SECONDS, "a run that goes on is not waited for"
    other.release()

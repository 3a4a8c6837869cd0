"""The folder of a run: taken over from an earlier run, never from anyone else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance import run_folder
from conformance.case import Case, Machine, Tensor
from conformance.suite import UsageError
from conformance.summary import Evidence, read_evidence, write_evidence

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
    run_folder.start(out, Evidence(status="finished", seed=1))
    (out / "evidence.gw0.jsonl").write_text("old")
    run_folder.start(out, Evidence(seed=2))
    assert [path.name for path in out.iterdir()] == ["evidence.json"]
    assert [path.name for path in out.parent.iterdir()] == ["latest"]
    evidence = read_evidence(out)
    assert evidence is not None
    assert (evidence.seed, evidence.status) == (2, "running")


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


def test_a_run_that_still_writes_is_not_replaced_and_a_dead_one_is(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    write_evidence(tmp_path, Evidence(process=other.pid))
    with pytest.raises(UsageError, match=f"another run, process {other.pid}, is writing there"):
        run_folder.check(tmp_path)
    other.kill()
    other.wait()
    run_folder.check(tmp_path)


def test_failures_on_two_machines_have_two_folders(tmp_path: Path) -> None:
    small = replace(CASE, machine=Machine(1, 4096))
    assert CASE.digest == small.digest
    assert run_folder.failure_folder(tmp_path, CASE) != run_folder.failure_folder(tmp_path, small)

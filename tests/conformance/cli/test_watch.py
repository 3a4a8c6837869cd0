"""`run --watch` judges again on each save: the case that was refused last, then all."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.main import parser
from conformance.cli.watch import folders, saved
from tests.conformance.front_door import HERE, ON_SIMULATOR, conformance, host
from tests.waiting import wait_for

RECORD = "first_slot_only.py"
WATCHING = "waiting for a save of one of "
ALONE = ("-n", "0", "--", "-k", "values and float32 and not mode_drop")


def records(folder: Path) -> Path:
    """A copy of a folder with a wrong record, of which a run answers soon."""
    return Path(shutil.copytree(HERE / "wrong", folder / "records"))


def test_a_save_is_judged_by_what_was_refused_last_and_then_by_all(tmp_path: Path) -> None:
    record, log = records(tmp_path) / RECORD, tmp_path / "log"
    asked = ("run", "--operators", "records", "--watch", "--out", "out", *ON_SIMULATOR, *ALONE)

    def waited(times: int) -> bool:
        return log.read_text().count(WATCHING) == times

    with log.open("w") as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "conformance", *asked], cwd=tmp_path, env=host(), stderr=told
        )
        try:
            wait_for(lambda: waited(1), "a first run")
            wrong = record.read_text()
            record.write_text(wrong + "\n# still wrong\n")
            wait_for(lambda: waited(2), "the case that was refused")
            record.write_text(wrong + "\ndef half_written(:\n")
            wait_for(lambda: waited(3), "what is no Python")
            right = wrong.replace("rows[:, 1:] = -1", "rows[:, 1:] = rows[:, 1:]")
            assert right != wrong
            record.write_text(right.replace("    formula=formula,\n", ""))
            wait_for(lambda: waited(4), "that case and all")
            process.send_signal(signal.SIGINT)
            assert process.wait() == 0, "the status of the last run"
        finally:
            process.kill()
    first, again, half, last, end = log.read_text().split(WATCHING)
    assert "evidence: out" in first
    assert again.count("saved: records/first_slot_only.py") == 1
    assert "1 of 1 elements of grad_x is wrong" in again
    assert "evidence: out" not in again, "only the case was judged"
    assert half.count("error: ") == 1, "told once, and the loop goes on"
    assert ": accepted" in last.partition("run: ")[0], "the case"
    assert "evidence: out" in last
    assert end.count("\n") == 1


def test_wrong_use_ends_at_once(tmp_path: Path) -> None:
    ended = conformance("run", "--watch", "nosuch", folder=tmp_path)
    assert (ended.status, WATCHING in ended.err) == (2, False)
    ended = conformance("run", "--watch", "--resume", folder=tmp_path)
    assert (ended.status, ended.err) == (2, "error: watch is 'True': does not go with --resume\n")


def test_the_folder_of_a_function_is_watched(tmp_path: Path) -> None:
    words = ["run", "op", "--implementation", f"op={tmp_path / 'kernels.py'}:f", "--watch"]
    asked = parser("en", "run").parse_args(words)
    assert tmp_path in list(folders(asked))


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("kernels/a/a_kernel.cpp", True),
        ("record.py", True),
        ("notes.md", False),
        ("build/a.cpp", False),
        (".git/a.py", False),
        ("out/failures/1/case.json", False),
    ],
)
def test_sources_are_watched_and_what_a_run_writes_is_not(
    tmp_path: Path, name: str, seen: bool
) -> None:
    before = saved([tmp_path], tmp_path / "out")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("1")
    after = saved([tmp_path], tmp_path / "out")
    assert (before != after) == seen

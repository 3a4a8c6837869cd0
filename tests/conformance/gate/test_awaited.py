"""`merge --wait` waits for shards of other hosts, by a clock that a test moves."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console

from conformance.cli.main import main
from conformance.cli.merge import wait_for
from conformance.errors import UsageError
from conformance.evidence.reading import CannotJudge
from conformance.gate.awaited import Clock, has_ended, seconds_asked, wait
from conformance.gate.merge import merge
from tests.conformance.gate.test_merge import shard, shards


@dataclass
class Time:
    """Seconds that go by when somebody sleeps; at some of them something happens."""

    happens: Mapping[float, Callable[[], object]] = field(default_factory=dict)
    seconds: float = 0.0

    def sleep(self, seconds: float) -> None:
        before, self.seconds = self.seconds, self.seconds + seconds
        for at, what in self.happens.items():
            if before < at <= self.seconds:
                what()

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.seconds, self.sleep)


def test_a_shard_that_comes_in_time_is_merged(tmp_path: Path) -> None:
    first = shard(tmp_path, 1)
    second, told = tmp_path / "shard2", list[int]()
    time = Time({42.0: lambda: shard(tmp_path, 2)})
    wait([first, second], 600, told.append, time.clock)
    assert 42 <= time.seconds <= 47, "it looks every five seconds"
    assert (set(told), told[-1]) == ({1, 2}, 2)
    assert merge([first, second], tmp_path / "out").status == "finished"


def test_nothing_is_waited_for_if_all_have_ended(tmp_path: Path) -> None:
    time = Time()
    wait(shards(tmp_path), 600, clock=time.clock)
    assert time.seconds == 0


def test_after_the_time_the_missing_shard_is_named_with_its_command(tmp_path: Path) -> None:
    asked = "python -m conformance run --profile gate --shard 1/2 --out shard1"
    provenance = {"git": {"commit": "c0ffee"}, "sources": "s1", "command": asked}
    folders = [shard(tmp_path, 1, provenance=provenance), tmp_path / "shard2"]
    time = Time()
    wait(folders, 12, clock=time.clock)
    assert time.seconds == 12
    with pytest.raises(UsageError) as told:
        merge(folders, tmp_path / "out")
    assert "missing shard: 2/2\n  to judge it: python -m conformance run" in str(told.value)


def test_a_shard_that_was_killed_is_named_with_the_command_that_goes_on(tmp_path: Path) -> None:
    asked = "python -m conformance run --shard 2/2 --out elsewhere"
    provenance = {"git": {"commit": "c0ffee"}, "sources": "s1", "command": asked}
    folders = shards(tmp_path, status="running", provenance=provenance)
    assert not has_ended(folders[1])
    with pytest.raises(CannotJudge) as told:
        merge(folders, tmp_path / "out")
    command = f"python -m conformance run --shard 2/2 --out {folders[1]} --resume"
    assert str(told.value).endswith(f"\n  to go on with it: {command}")


def test_a_folder_that_is_on_its_way_has_not_ended(tmp_path: Path) -> None:
    whole = shard(tmp_path, 1)
    part = tmp_path / "part"
    part.mkdir()
    assert not has_ended(part)
    shutil.copy(whole / "evidence.json", part)
    assert not has_ended(part)
    (part / "evidence.main.jsonl").write_bytes((whole / "evidence.main.jsonl").read_bytes()[:900])
    assert not has_ended(part)
    shutil.copy(whole / "evidence.main.jsonl", part)
    assert has_ended(part)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_shows_how_many_have_ended_and_a_pipe_shows_nothing(
    tmp_path: Path, terminal: bool
) -> None:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=80)
    time = Time()
    wait_for([shard(tmp_path, 1), tmp_path / "none"], 20, console, time.clock)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert ("waiting for shards" in shown and "1/2" in shown) if terminal else not shown
    assert time.seconds == 20


@pytest.mark.parametrize("text", ["-1", "1.5", "x", "", "10m"])
def test_a_wrong_time_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert seconds_asked(None) == 0
    with pytest.raises(UsageError, match="allowed: whole seconds"):
        seconds_asked(text)
    assert main(["merge", "run1", "--out", str(tmp_path / "out"), f"--wait={text}"]) == 2
    assert "allowed: whole seconds, such as 600" in capsys.readouterr().err

"""A run on a real cluster of Ray: its nodes are killed in the middle, another joins, and the
verdicts are those of a run without Ray. `test_farm` and `test_run_of_workers` fail by the same
mistakes.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.errors import ACCEPTED, INTERRUPTED
from conformance.evidence.lines import ItemLine, WorkerLine, read_lines
from tests.conformance.front_door import NAME, ROOT, conformance, host
from tests.conformance.ray.test_run_of_workers import Ended
from tests.waiting import HANGS, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
]

RUN = ("run", "--device", "sim", "--operator", NAME)


@dataclass(frozen=True)
class Cluster:
    """A cluster that does as it is told."""

    process: subprocess.Popen[str]
    address: str

    def __call__(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "done\n"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Three nodes on this host, two of them with room for a worker."""
    log = tmp_path / "cluster.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "conformance" / "ray" / "real_cluster.py")],
            env=host(RAY_USAGE_STATS_ENABLED="0"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address, log.read_text()
    yield Cluster(process, address)
    process.communicate(timeout=HANGS)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """The same run without Ray."""
    folder = tmp_path_factory.mktemp("plain")
    ended = conformance(*RUN, "--out", "run", folder=folder)
    assert ended.status == ACCEPTED, ended.err
    return Ended(ended.status, ended.err, folder / "run")


def started(cluster: Cluster, folder: Path) -> subprocess.Popen[str]:
    """The front door on the cluster."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "conformance",
            *RUN,
            "--out",
            "run",
            "--ray",
            cluster.address,
        ],
        cwd=folder,
        env=host(),
        stderr=subprocess.PIPE,
        text=True,
    )


def items_ended(out: Path) -> int:
    return sum(isinstance(one, ItemLine) for one in read_lines(out)) if out.is_dir() else 0


def sessions() -> list[str]:
    """The processes that judge for workers."""
    told = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            told.append(place.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [one for one in told if "--conformance-ray-worker" in one and str(ROOT) in one]


def test_a_run_is_finished_by_a_node_that_joins_when_all_others_are_killed(
    plain: Ended, cluster: Cluster, tmp_path: Path
) -> None:
    process = started(cluster, tmp_path)
    out = tmp_path / "run"
    wait_for(lambda: items_ended(out) > 5 or process.poll() is not None, "items that have ended")
    for word in ("lose", "join", "lose"):
        cluster(word)
    told = process.communicate(timeout=HANGS)[1]
    assert process.returncode == ACCEPTED, told
    ended = Ended(process.returncode, told, out)
    assert ended.verdicts == plain.verdicts
    assert {item for item, _ in ended.ends} == {item for item, _ in plain.ends}
    lost = {one.node for one in read_lines(out) if isinstance(one, WorkerLine)}
    assert len(lost) == 2, told
    assert ended.evidence.status == "finished"
    wait_for(lambda: not sessions(), "the end of all sessions")


def test_an_interrupted_run_goes_on_without_ray(
    plain: Ended, cluster: Cluster, tmp_path: Path
) -> None:
    process = started(cluster, tmp_path)
    out = tmp_path / "run"
    wait_for(lambda: items_ended(out) > 5 or process.poll() is not None, "items that have ended")
    os.kill(process.pid, signal.SIGINT)
    told = process.communicate(timeout=HANGS)[1]
    assert process.returncode == INTERRUPTED, told
    wait_for(lambda: not sessions(), "the end of all sessions")
    assert Ended(INTERRUPTED, told, out).evidence.status == "interrupted"
    ended = conformance(*RUN, "--out", "run", "--resume", folder=tmp_path)
    assert ended.status == ACCEPTED, ended.err
    assert Ended(ended.status, ended.err, out).verdicts == plain.verdicts

"""What the comparison of runs with one and with two workers calls the same, and what not."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from conformance.evidence.lines import VerdictLine, Writer
from tests.conformance.evidence.unpacking import unpacked
from tests.conformance.toy_runs import toy_runs
from tests.proofs.workers_run import difference, verdicts


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with one worker."""
    return toy_runs(tmp_path_factory.mktemp("whole"))("-n", "1", "-k", "careful").out


@pytest.mark.slow
def test_one_worker_and_two_reach_the_same_verdicts(whole: Path, tmp_path: Path) -> None:
    two = toy_runs(tmp_path)("-n", "2", "-k", "careful").out
    assert len(list(two.glob(Writer.PATTERN))) > len(list(whole.glob(Writer.PATTERN)))
    assert difference(verdicts(whole), verdicts(two)) == []
    assert sum(verdicts(whole).values()) > 100


@pytest.mark.slow
def test_a_verdict_that_one_run_lacks_is_told_and_so_is_one_that_came_out_otherwise(
    whole: Path, tmp_path: Path
) -> None:
    less = unpacked(Path(shutil.copytree(whole, tmp_path / "less")))
    (path,) = less.glob("evidence.gw0.jsonl")
    *lines, last = [line for line in path.read_bytes().splitlines(True) if b'"verdict"' in line]
    path.write_bytes(b"".join(lines))
    judged = msgspec.json.decode(last, type=VerdictLine)
    (told,) = difference(verdicts(whole), verdicts(less))
    assert told == f"{judged.item}, {judged.digest}: accepted 1 more time in the first"

    refused = msgspec.structs.replace(judged, ok=False)
    path.write_bytes(b"".join([*lines, msgspec.json.encode(refused) + b"\n"]))
    assert difference(verdicts(whole), verdicts(less)) == [
        told,
        f"{judged.item}, {judged.digest}: refused 1 more time in the second",
    ]


def test_the_times_that_calls_took_are_no_difference(whole: Path, tmp_path: Path) -> None:
    later = unpacked(Path(shutil.copytree(whole, tmp_path / "later")))
    (path,) = later.glob("evidence.gw0.jsonl")
    lines = []
    for raw in path.read_bytes().splitlines():
        line = msgspec.json.decode(raw)
        if line["kind"] == "verdict":
            line |= {"seconds": 99.0, "call_seconds": 98.0, "worker": "gw7"}
        lines.append(msgspec.json.encode(line) + b"\n")
    path.write_bytes(b"".join(lines))
    assert difference(verdicts(whole), verdicts(later)) == []

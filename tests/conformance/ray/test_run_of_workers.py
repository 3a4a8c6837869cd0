"""A run by workers gives the verdicts of a run without them, and one folder, whatever is lost.

The workers are sessions as on a cluster; only the few calls of Ray are not made.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from conformance.evidence.lines import FailureLine, ItemLine, WorkerLine, read_lines
from conformance.places import root
from conformance.ray.asked import Farmed
from conformance.session.command import environment_of_suite, of_suite
from tests.conformance import toy_runs
from tests.conformance.front_door import HERE, NAME, ROOT
from tests.waiting import HANGS

FEW = ("-k", "test_examples or (test_values and float16) or test_quarantine")
PLUGINS = ("-p", "conformance.ray.driver", "-p", "tests.conformance.ray.local_cluster")
OTHERWISE = {"worker", "seconds", "call_seconds", "said"}
"""What two runs of the same say otherwise."""


class Ended(toy_runs.Ended):
    @property
    def told(self) -> set[str]:
        """Every verdict, as its line says it."""
        return {
            repr(
                [
                    (name, getattr(one, name))
                    for name in one.__struct_fields__
                    if name not in OTHERWISE
                ]
            )
            for one in self.verdicts()
        }

    @property
    def ends(self) -> Counter[tuple[str, str]]:
        """How each item ended, and how often that was told."""
        lines = (one for one in read_lines(self.out) if isinstance(one, ItemLine))
        return Counter((one.item, one.outcome) for one in lines)


def judged(out: Path, *arguments: str, by_workers: bool = True, **environment: str) -> Ended:
    """Run pytest on a few items of an operator of the suite."""
    words = [f"--conformance-out={out}", "--conformance-device=sim", *arguments]
    if by_workers:
        asked = Farmed(address="nowhere:1", device="sim", npus=False)
        words += [*PLUGINS, f"--conformance-ray={msgspec.json.encode(asked).decode()}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *of_suite(root()), *words],
        cwd=out.parent,
        env={**environment_of_suite(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANGS,
    )
    return Ended(done.returncode, done.stdout, out)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """The same items judged by one process."""
    out = tmp_path_factory.mktemp("plain") / "run"
    return judged(out, f"--conformance-operator={NAME}", *FEW, by_workers=False)


@pytest.mark.slow
def test_workers_reach_the_verdicts_of_one_process(plain: Ended, tmp_path: Path) -> None:
    ended = judged(tmp_path / "run", f"--conformance-operator={NAME}", *FEW)
    assert ended.status == plain.status, ended.output
    assert ended.told == plain.told
    assert ended.ends == plain.ends
    assert len(list(ended.out.glob("evidence.ray*.jsonl"))) == 2
    mine, theirs = ended.evidence, plain.evidence
    assert (mine.status, mine.cases, mine.coverage) == (
        theirs.status,
        theirs.cases,
        theirs.coverage,
    )
    assert mine.request == theirs.request


@pytest.mark.slow
def test_a_lost_worker_costs_what_it_had_begun(plain: Ended, tmp_path: Path) -> None:
    ended = judged(tmp_path / "run", f"--conformance-operator={NAME}", *FEW, LOSES="ray1@2")
    assert ended.status == plain.status, ended.output
    assert ended.told == plain.told
    assert {item for item, _ in ended.ends} == {item for item, _ in plain.ends}
    (lost,) = (one for one in read_lines(ended.out) if isinstance(one, WorkerLine))
    assert (lost.worker, lost.node, lost.reason) == ("ray1", "host b", "killed by the test")
    assert len(ended.evidence.lost_workers) == 1
    assert "lost: worker ray1 on host b: killed by the test" in ended.output


def test_workers_leave_the_verdicts_and_the_bundle_of_one_process(tmp_path: Path) -> None:
    wrong = (f"--conformance-operators={HERE / 'wrong'}", "--conformance-operator=first_slot_only")
    few = ("-k", "test_values or test_rejections")
    alone = judged(tmp_path / "run", *wrong, *few, by_workers=False)
    verdicts, ends = alone.told, alone.ends
    failures = [one for one in read_lines(alone.out) if isinstance(one, FailureLine)]
    files = _files(alone.out / "failures")
    os.rename(alone.out, tmp_path / "earlier")
    ended = judged(tmp_path / "run", *wrong, *few)
    assert ended.status == alone.status == 1, ended.output
    again = [one for one in read_lines(ended.out) if isinstance(one, FailureLine)]
    assert files
    kept = (tmp_path / "kept").read_text().split()
    assert {one.removeprefix("failures/") for one in kept} == files
    assert _files(ended.out / "failures") == files
    assert _texts(again) == _texts(failures)
    assert (ended.told, ended.ends) == (verdicts, ends)
    assert ended.evidence.exit_status == 1


def _files(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


def _texts(failures: list[FailureLine]) -> set[tuple[str, str, str]]:
    return {(one.item, one.case, one.text) for one in failures}


@pytest.mark.slow
def test_a_run_goes_on_with_workers_where_one_process_had_begun(
    plain: Ended, tmp_path: Path
) -> None:
    begun = judged(
        tmp_path / "run", f"--conformance-operator={NAME}", *FEW, "--conformance-budget=0.01s",
        by_workers=False,
    )  # fmt: skip
    assert begun.evidence.status == "incomplete"
    ended = judged(tmp_path / "run", f"--conformance-operator={NAME}", *FEW, "--conformance-resume")
    assert ended.status == plain.status, ended.output
    assert ended.told == plain.told
    assert ended.evidence.parts == 2

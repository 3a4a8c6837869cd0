"""Evidence: what was judged is on disk as soon as it was judged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.call.case import Case, Machine, Tensor
from conformance.call.observation import Diagnostic, Observation, Outcome
from conformance.errors import EnvironmentFailure
from conformance.evidence.chain import Follower
from conformance.evidence.lines import (
    Place,
    VerdictLine,
    Writer,
    read_lines,
    verdict_line,
)
from conformance.evidence.packed import last_link
from conformance.judge.judged import Judged
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.record.clause import Clause, SourceClass

CLAUSE = Clause("the output equals the input", "toy document", SourceClass.DOCUMENT)
CASE = Case(
    operator="copying",
    mode="plain",
    dtype="float32",
    attributes={"times": 2},
    inputs={"x": Tensor((2,), "float32", (0, 1))},
    outputs={"y": Tensor((2,), "float32")},
    machine=Machine(2, 4096),
)


def line(digest: str = "a") -> VerdictLine:
    output = OutputVerdict("y", True, CLAUSE, "declared order", 10, 8, headroom=0.5)
    verdict = Verdict(True, "y is right", {"y": output})
    made = verdict_line(
        Judged(CASE, Observation(Outcome.COMPLETED), verdict),
        Place("gw0", "test_values[x]", "test_values"),
        phase="generate",
        seconds=0.25,
    )
    made.digest = digest
    return made


def test_a_line_says_what_was_judged_and_how_it_came_out() -> None:
    outputs = {
        "y": OutputVerdict("y", False, CLAUSE, "declared order", 10, np.int64(8), 1, headroom=0.5),
        "z": OutputVerdict("z", True, CLAUSE, "interval", 5, 5, headroom=np.float64(0.25)),
    }
    crossing = Diagnostic("ub-capacity", "error", "too much")
    observation = Observation(Outcome.COMPLETED, diagnostics=(crossing, crossing))
    made = verdict_line(
        Judged(CASE, observation, Verdict(False, "y is wrong.", outputs)),
        Place("gw1", "cases/test_values.py::test_values[x]", "test_values"),
        phase="shrink",
        seconds=0.25,
    )
    assert (made.elements, made.exact, made.headroom) == (15, 13, 0.25)
    assert (made.step, made.diagnostics) == ("declared order, interval", ("ub-capacity",))
    assert made.machine == {"cores": 2, "ub_bytes": 4096}
    assert (made.block_order, made.functions, made.pipes) == ("forward", "rounded", "program")
    assert made.headline == "y is wrong."
    assert (made.digest, made.outcome, made.ok) == (CASE.digest, "completed", False)


def test_a_call_that_was_not_possible_says_why() -> None:
    verdict = Verdict(True, "not possible here: x spans 9 GiB", judged=False)
    made = verdict_line(
        Judged(CASE, Observation(Outcome.NOT_POSSIBLE), verdict),
        Place("main", "i", "t"),
        phase="generate",
        seconds=0.0,
    )
    assert (made.outcome, made.headline) == (
        "not possible here",
        "not possible here: x spans 9 GiB",
    )
    assert made.elements == 0


def test_every_line_is_json_with_its_kind_and_schema(tmp_path: Path) -> None:
    writer = Writer(tmp_path, "gw3")
    writer.write(line())
    (raw,) = (tmp_path / "evidence.gw3.jsonl").read_text().splitlines()
    told = json.loads(raw)
    assert (told["kind"], told["schema"], told["worker"]) == ("verdict", 2, "gw0")
    assert list(read_lines(tmp_path)) == [line()]
    writer.close()


def test_a_second_part_of_a_run_goes_on_with_the_chain_of_the_first(tmp_path: Path) -> None:
    for digest in "abc":
        writer = Writer(tmp_path, "main")
        writer.write(line(digest))
        writer.close()
    follower = Follower("evidence.main.jsonl")
    raw = (tmp_path / "evidence.main.jsonl").read_bytes().splitlines(keepends=True)
    assert [follower.take(place, one) for place, one in enumerate(raw, 1)] == ["", "", ""]
    assert follower.end == last_link(tmp_path / "evidence.main.jsonl")
    assert follower.end.number == 3


def test_equal_lines_of_other_places_and_files_have_other_links(tmp_path: Path) -> None:
    for worker in ("gw0", "gw1"):
        writer = Writer(tmp_path, worker)
        writer.write(line())
        writer.write(line())
        writer.close()
    raw = [one for path in tmp_path.iterdir() for one in path.read_bytes().splitlines()]
    assert len({one.rpartition(b":")[2] for one in raw}) == 4


def test_nothing_is_written_behind_a_line_without_a_link(tmp_path: Path) -> None:
    (tmp_path / "evidence.main.jsonl").write_bytes(b"{}\n")
    with pytest.raises(EnvironmentFailure, match="cannot be written: its last line has no link"):
        Writer(tmp_path, "main")


def test_a_finished_verdict_survives_the_death_of_its_process(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from conformance.evidence.lines import *\n"
        f"w = Writer(Path({str(tmp_path)!r}), 'main')\n"
        "for i in range(3): w.write(EnvironmentLine(worker='main', item=str(i), message='m'))\n"
        "print('written', flush=True); time.sleep(60)"
    )
    root = Path(__file__).resolve().parents[3]
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        child.send_signal(signal.SIGKILL)
    assert len(list(read_lines(tmp_path))) == 3


def test_a_line_that_was_cut_is_no_verdict(tmp_path: Path) -> None:
    writer = Writer(tmp_path, "main")
    writer.write(line())
    writer.write(line("b"))
    writer.close()
    path = tmp_path / "evidence.main.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    assert [found.digest for found in read_lines(tmp_path) if isinstance(found, VerdictLine)] == [
        "a"
    ]

"""How far a run is: on a terminal a bar, elsewhere a line a minute, and no case counted twice."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from conformance.cli.progress import Pulse, Tail
from conformance.draw.profiles import PROFILES
from conformance.evidence.lines import VerdictLine, WorkerLine, Writer, read_lines
from conformance.evidence.summary import COUNTED, Evidence, write_evidence
from conformance.session.planned_cases import about
from conformance.session.resume import finished_items
from conformance.suite.records import operators
from tests.conformance.toy_runs import HERE, Run


def beats(*, terminal: bool = False) -> Iterator[tuple[float, str]]:
    """What a pulse has told by each of some seconds."""
    at = 100.0
    told = io.StringIO()
    pulse = Pulse(Console(file=told, force_terminal=terminal, width=100), lambda: at)
    for seconds, judged, failed in ((0, 0, 0), (59, 900, 0), (61, 1_000, 0), (119, 1_900, 0)):
        at = 100.0 + seconds
        pulse.beat(judged, 13_891, failed)
        yield seconds, told.getvalue()
    at = 100.0 + 3_700
    pulse.beat(12_000, 13_891, 2)
    yield 3_700, told.getvalue()


def test_a_run_without_a_terminal_gives_a_sign_of_life_each_minute() -> None:
    first = "judging for 1 min: 1,000 of about 13,891 verdicts\n"
    last = "judging for 61 min: 12,000 of about 13,891 verdicts, 2 failed\n"
    assert list(beats()) == [(0, ""), (59, ""), (61, first), (119, first), (3_700, first + last)]


def test_on_a_terminal_the_bar_is_enough() -> None:
    assert {told for _, told in beats(terminal=True)} == {""}


def test_of_an_earlier_part_only_items_that_had_ended_are_counted(run: Run) -> None:
    out = run(toy="dies").out
    ended = finished_items(out)
    lines = [line for line in read_lines(out) if isinstance(line, VerdictLine)]
    whole = [line for line in lines if line.phase in COUNTED and line.item in ended]
    assert 0 < len(whole) < len(lines)
    tail = Tail(out, process=0)
    tail.go_on()
    assert (tail.judged, tail.refused) == (len(whole), 0)


def test_a_lost_worker_is_told_once_and_not_those_of_an_earlier_part(tmp_path: Path) -> None:
    write_evidence(tmp_path, Evidence(process=7))
    writer = Writer(tmp_path, "ray0")
    writer.write(WorkerLine(worker="ray0", node="host (1f)", reason="gone", items=("a",)))
    earlier, tail = Tail(tmp_path, process=7), Tail(tmp_path, process=7)
    tail.read()
    told = "worker ray0 on host (1f): gone; 1 item is judged elsewhere"
    assert tail.lost == [told]
    writer.write(WorkerLine(worker="ray0", node="host (1f)", reason="gone again"))
    writer.close()
    tail.read()
    assert tail.lost == [told, "worker ray0 on host (1f): gone again"]
    earlier.go_on()
    earlier.read()
    assert earlier.lost == []


def test_about_as_many_verdicts_are_expected_as_are_reached(run: Run) -> None:
    ended = run()
    assert ended.status == 0
    reached = sum(line.phase in COUNTED for line in ended.verdicts())
    (record,) = (one for one in operators([HERE / "toy" / "records"]) if one.name == "copying")
    # The folder has the template of values alone.
    asked = replace(record, relations=(), rejections=(), quarantine=(), examples=())
    assert about(asked, PROFILES["smoke"], "reference") == pytest.approx(reached, rel=0.05)

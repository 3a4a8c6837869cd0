"""The summary: a case counts once, and evidence.json is whole at every moment."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from conformance.cli.result import tell
from conformance.evidence.lines import VerdictLine
from conformance.evidence.summary import (
    REJECTIONS,
    Cell,
    Evidence,
    read_evidence,
    summarize,
    write_evidence,
)
from conformance.text.terminal import as_text, impossible_lines, table

DECLARED = [("copying", "plain", "float32"), ("copying", "plain", "float16")]


def line(
    digest: str,
    phase: str = "generate",
    *,
    ok: bool = True,
    headroom: float | None = 0.5,
    judged_as: str = "values",
) -> VerdictLine:
    return VerdictLine(
        worker="gw0",
        item="test_values[x]",
        template="test_values",
        judged_as=judged_as,
        operator="copying",
        mode="plain",
        dtype="float32",
        digest=digest,
        phase=phase,
        ok=ok,
        step="interval",
        elements=10,
        exact=8,
        headroom=headroom,
        seconds=0.25,
        headline=None,
        machine=None,
        outcome="completed",
        diagnostics=(),
    )


def test_a_case_counts_once_by_its_inputs() -> None:
    cells = summarize([line("a"), line("a"), line("b")], DECLARED)
    assert [cell.cases for cell in cells] == [2, 0]
    assert (cells[0].elements, cells[0].exact, cells[0].share_exact) == (20, 16, 0.8)
    assert cells[1].share_exact is None


def test_a_call_that_was_not_possible_is_no_judged_case() -> None:
    impossible = msgspec.structs.replace(line("b"), outcome="not possible here", elements=0)
    cells = summarize([line("a"), impossible], DECLARED)
    assert (cells[0].cases, cells[0].impossible, cells[0].failed) == (1, 1, 0)
    assert list(impossible_lines(Evidence(cells=cells))) == [
        "not possible here, not judged: copying-plain-float32: 1 call that the route cannot"
        " express, its CANN may not carry out, or the device has no memory for"
    ]
    (folded,) = impossible_lines(Evidence(cells=cells), verbose=False)
    assert folded.startswith("not possible here, not judged: copying: 1 call that")


def test_shrinking_is_counted_apart_and_costs_time() -> None:
    lines = [line("a", ok=False), line("b", "shrink", ok=False), line("c", "replay", ok=False)]
    (cell, _) = summarize(lines, DECLARED)
    assert (cell.cases, cell.failed, cell.shrink_attempts, cell.seconds) == (1, 1, 2, 0.75)


def test_the_worst_headroom_stands() -> None:
    lines = [line("a", headroom=0.5), line("b", headroom=0.125), line("c", headroom=None)]
    (cell, _) = summarize(lines, DECLARED)
    assert cell.headroom == 0.125


def test_rejections_are_a_row_of_their_own_and_no_judged_case_of_a_cell() -> None:
    cells = summarize([line("a", judged_as="rejection")], DECLARED)
    assert [(cell.mode, cell.cases) for cell in cells] == [
        ("plain", 0),
        ("plain", 0),
        (REJECTIONS, 1),
    ]


def test_evidence_is_replaced_as_a_whole_and_read_back(tmp_path: Path) -> None:
    evidence = Evidence(profile="smoke", seed=7, cells=summarize([line("a")], DECLARED))
    write_evidence(tmp_path, evidence)
    write_evidence(tmp_path, evidence)
    assert read_evidence(tmp_path) == evidence
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "x"}'])
def test_a_file_that_is_no_evidence_reads_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "evidence.json").write_text(text)
    assert read_evidence(tmp_path) is None


def test_no_count_is_cut_though_names_and_times_are_long(tmp_path: Path) -> None:
    longest = Cell(
        operator="moe_token_permute_with_routing_map_grad",
        mode="dropless_columns",
        dtype="bfloat16",
        cases=12345,
        headroom=0.25,
        seconds=12345.6,
    )
    evidence = Evidence(cells=[longest])
    told = Console(file=io.StringIO(), width=80)
    tell(tmp_path, evidence, 0, told, verbose=True)
    assert isinstance(told.file, io.StringIO)
    for text in (as_text(table(evidence)), told.file.getvalue()):
        row = next(row for row in text.splitlines() if row.startswith(longest.operator))
        assert {"dropless_columns", "bfloat16", "12,345", "25%", "12345.6"} <= set(row.split())


def test_a_run_that_selects_tells_of_each_cell_how_many_rows_have_one_answer() -> None:
    sizes = {"operator": "gating", "mode": "softmax", "cases": 3}
    half = Cell(dtype="float16", rows=400, certain_rows=300, **sizes)
    plain = Cell(dtype="float32", **sizes)
    heading, first, second = as_text(table(Evidence(cells=[half, plain]))).splitlines()
    assert "certain rows" in heading
    assert "75%" in first.split()
    assert "%" not in second
    assert "certain rows" not in as_text(table(Evidence(cells=[plain])))

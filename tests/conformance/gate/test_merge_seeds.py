"""Runs of several seeds become one run, in which each item and failure keeps its seed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conformance.cli import result as outcome
from conformance.errors import UsageError
from conformance.evidence.reading import read_run
from conformance.gate.merge import merge
from tests.conformance.gate.asking import gate
from tests.conformance.gate.runs import example, refused, run, verdict
from tests.conformance.gate.test_merge import REQUEST, WHOLE


def of_seed(place: Path, seed: int, *more: Any, count: int = 1, **changed: Any) -> list[Path]:
    """The shards of a run of a seed, with one case that each seed has and one of its own."""
    own = verdict(f"of{seed}", mode="tail", dtype="float32")
    made = []
    for index in range(1, count + 1):
        lines = [*WHOLE, own, *more] if index == 1 else []
        request = {**REQUEST, "seed": str(seed), "shard": f"{index}/{count}", "times": str(seed)}
        told: dict[str, Any] = {"request": request, **changed}
        made.append(run(place / f"seed{seed}-{index}", [*lines, example()], **told))
    return made


def test_runs_of_several_seeds_are_one_run_that_counts_each_case_once(tmp_path: Path) -> None:
    folders = [*of_seed(tmp_path, 7), *of_seed(tmp_path, 2, count=2)]
    evidence = merge(folders, tmp_path / "out")
    assert (evidence.seed, evidence.seeds, evidence.request["seed"]) == (2, [2, 7], "2, 7")
    assert (evidence.cases, evidence.selected, evidence.exit_status) == (4 + 1 + 2, 4, 0)
    assert [one["seed"] for one in evidence.provenance["shards"]] == [7, 2, 2]
    items = {line.item for line in read_run(tmp_path / "out").verdicts}
    assert "cases/test_values.py::test_values[permute-tail-float32#seed7]" in items
    assert gate(tmp_path / "out")[0].status == 0
    console = Console(file=io.StringIO(), width=200)
    outcome.tell(tmp_path / "out", evidence, 0, console)
    assert "7 distinct cases, seeds 2, 7 in " in console.file.getvalue()  # type: ignore[attr-defined]


def test_what_failed_in_two_seeds_is_told_of_both(tmp_path: Path) -> None:
    cut = "cases/test_values.py::test_values[permute-head-float16]"
    told = {"unreached": [cut], "errors": {"t.py": "E: no"}, "status": "incomplete"}
    folders = of_seed(tmp_path, 1, refused()) + of_seed(tmp_path, 2, refused("worse"), **told)
    evidence = merge(folders, tmp_path / "out")
    failed = "cases/test_values.py::test_values[permute-tail-float16#seed{}]"
    assert [(one.item, one.digest) for one in evidence.failures] == [
        (failed.format(1), "bad"),
        (failed.format(2), "worse"),
    ]
    for one in evidence.failures:
        assert one.text.endswith(f"--case {tmp_path / 'out' / one.case}")
        assert (tmp_path / "out" / one.case).is_file()
    assert evidence.unreached == [f"{cut[:-1]}#seed2]"]
    assert evidence.errors == {"t.py#seed2": "E: no"}
    assert read_run(tmp_path / "out").breaks == ()


def test_of_each_seed_all_shards_are_needed(tmp_path: Path) -> None:
    asked = "python -m conformance run --profile gate --shard 1/3"
    provenance = {"git": {"commit": "c0ffee"}, "sources": "s1", "command": asked}
    told_by = {"provenance": provenance}
    folders = of_seed(tmp_path, 1, **told_by) + of_seed(tmp_path, 7, count=3, **told_by)
    with pytest.raises(UsageError) as told:
        merge(folders[:-1], tmp_path / "out")
    run_it = "  to judge it: python -m conformance run --profile gate"
    assert str(told.value).splitlines()[0].endswith("missing shard of seed 7: 3/3")
    assert str(told.value).splitlines()[1:] == [f"{run_it} --shard 3/3 --out shard3 --seed 7"]
    assert not (tmp_path / "out").exists()


def test_a_shard_of_a_seed_that_is_there_twice_is_named(tmp_path: Path) -> None:
    folders = of_seed(tmp_path, 1) + of_seed(tmp_path, 2) + of_seed(tmp_path / "again", 2)
    with pytest.raises(UsageError, match=r"overlaps: shard 1/1 is also in .*seed2"):
        merge(folders, tmp_path / "out")

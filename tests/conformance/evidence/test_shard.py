"""Shards: together they judge everything, and documented examples are in each of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.errors import UsageError
from conformance.evidence.shard import WHOLE, Shard
from tests.conformance.front_door import NAME, ROOT, host
from tests.conformance.toy_runs import CELLS, Run


def is_mandatory(item: str) -> bool:
    return item.startswith("documented")


ITEMS = [f"{'documented' if i % 4 == 0 else 'drawn'} {i}" for i in range(23)]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_each_item_is_in_one_shard_and_a_mandatory_one_in_all(count: int) -> None:
    shards = [Shard(i, count).part(ITEMS, is_mandatory) for i in range(1, count + 1)]
    for item in ITEMS:
        assert sum(item in shard for shard in shards) == (count if is_mandatory(item) else 1)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    assert all(shard == [item for item in ITEMS if item in shard] for shard in shards)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_items_that_share_something_stay_together(count: int) -> None:
    shards = [
        Shard(i, count).part(ITEMS, is_mandatory, lambda item: int(item.split()[1]) // 4)
        for i in range(1, count + 1)
    ]
    for first in range(0, len(ITEMS), 4):
        group = {item for item in ITEMS[first : first + 4] if not is_mandatory(item)}
        assert [group & set(shard) for shard in shards].count(group) == 1
        assert sum(bool(group & set(shard)) for shard in shards) == 1


def test_all_data_types_of_a_mode_with_cells_are_in_one_shard(tmp_path: Path) -> None:
    chosen = ("-m", "pytest", str(ROOT / "cases"), "-p", "conformance.plugin", "--collect-only")
    asked = ("-q", f"--conformance-operator={NAME}", "-k", "test_values")
    shards = []
    for index in (1, 2):
        command = [sys.executable, *chosen, *asked, f"--conformance-shard={index}/2"]
        told = subprocess.run(command, cwd=tmp_path, env=host(), capture_output=True, text=True)
        shards.append(re.findall(rf"test_values\[{NAME}-(\w+)-(\w+)\]", told.stdout))
    modes = [{mode for mode, _ in shard} for shard in shards]
    assert all(modes)
    assert not modes[0] & modes[1]
    for shard, of_it in zip(shards, modes, strict=True):
        assert len(shard) == 3 * len(of_it)


def test_a_shard_is_written_as_its_place_among_all() -> None:
    assert Shard.of("2/4") == Shard(2, 4)
    assert str(Shard.of("2/4")) == "2/4"
    assert Shard.of(None) == Shard.of("1/1") == WHOLE


@pytest.mark.parametrize("text", ["", "2", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1 / 2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="allowed: I/N with I from 1 to N"):
        Shard.of(text)


@pytest.mark.slow
def test_the_shards_of_a_run_judge_all_cells_between_them(run: Run) -> None:
    judged = []
    for index, workers in ((1, "0"), (2, "2"), (3, "0")):
        ended = run(f"--conformance-shard={index}/3", "-n", workers)
        assert ended.status == 0, ended.output
        evidence = ended.evidence
        cells = [f"{c.operator}-{c.mode}-{c.dtype}" for c in evidence.cells if c.cases]
        assert (evidence.declared, evidence.selected) == (4, len(cells))
        assert (evidence.unjudged, evidence.unreached) == ([], [])
        judged += cells
    assert sorted(judged) == sorted(CELLS)


def test_documented_examples_are_judged_in_every_shard(run: Run) -> None:
    for index in (1, 2):
        ended = run(f"--conformance-shard={index}/2", file="check_careless.py", toy="good")
        names = {line.template for line in ended.verdicts()}
        assert names == {"test_asserts_nothing", "test_asserts_something_else"}

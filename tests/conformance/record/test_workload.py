"""Workloads: what a file may say, and how tokens are routed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conformance.errors import UsageError
from conformance.record.workload import (
    BALANCED,
    ONE_HOT,
    ROUTINGS,
    SKEWED,
    Batch,
    Workload,
    chosen,
    read,
)

GOOD = """
model = "A model"
source = "https://example.org/config.json"
experts = 32
top_k = 4
hidden = 640
ranks = 4
decode = [1, 64]
prefill = [256, 512]
chunked = [128]
"""


def written(folder: Path, text: str, name: str = "mine") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Workload:
    return read(written(tmp_path, GOOD))


def test_a_workload_has_the_name_of_its_file(mine: Workload) -> None:
    assert mine.name == "mine"
    assert (mine.experts, mine.top_k, mine.hidden, mine.shared_experts) == (32, 4, 640, 0)
    assert mine.decode == (1, 64)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("experts = 32", "", "experts is missing; needed: model, source, experts, top_k, hidden ("),
        (
            "experts = 32",
            "experts = 0",
            "line 4, experts = 0: expected `int` >= 1 (docs/how-to/work",
        ),
        ("experts = 32", 'experts = "32"', "line 4, experts = '32': expected `int`, got `str` ("),
        ("top_k = 4", "top_k = 513", "line 5, top_k = 513: expected `int` <= 512 ("),
        ("top_k = 4", "top_k = 33", "top_k is 33: must be at most experts, 32"),
        ("ranks = 4", "ranks = 5", "ranks is 5: must divide experts, 32"),
        ("ranks = 4", "rank = 4", "line 7, rank: no such field; allowed: model, source, experts,"),
        ("ranks = 4", 'name = "x"', "line 7, name: no such field"),
        (
            "decode = [1, 64]",
            "decode = [0]",
            "line 8, decode = [0]: expected `int` >= 1 - at `$[0]",
        ),
        ("decode = [1, 64]", "decode = 64", "line 8, decode = 64: expected `array`, got `int` ("),
        ("experts = 32", "experts = = 32", "no TOML: Invalid value (at line 4"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, told: str) -> None:
    assert before in GOOD
    with pytest.raises(UsageError) as refused:
        read(written(tmp_path, GOOD.replace(before, after)))
    assert told in str(refused.value)
    assert "mine.toml" in str(refused.value)


def test_one_without_tokens_is_refused(tmp_path: Path) -> None:
    text = "\n".join(line for line in GOOD.splitlines() if "[" not in line)
    with pytest.raises(UsageError, match="decode, prefill or chunked must list numbers of tokens"):
        read(written(tmp_path, text))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"model = \xff")
    with pytest.raises(UsageError, match=r"workload is .*mine\.toml': no TOML: .*utf-8"):
        read(path)


def test_a_name_that_is_none_is_told_with_those_that_are(tmp_path: Path) -> None:
    written(tmp_path, GOOD, "first")
    written(tmp_path, GOOD, "second")
    assert [one.name for one in chosen(["second", "first"], tmp_path)] == ["second", "first"]
    with pytest.raises(UsageError, match=r"no file FILE\.toml; allowed: first, second"):
        chosen(["third"], tmp_path)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        chosen([str(tmp_path / "third.toml")], tmp_path)


@pytest.mark.parametrize("routing", ROUTINGS)
def test_a_token_chooses_different_experts(mine: Workload, routing: str) -> None:
    experts = Batch(mine, 200, 16, routing, seed=3).experts
    assert experts.shape == (200, 4)
    assert all(len({*row}) == 4 for row in experts.tolist())
    assert {*np.unique(experts)} <= {*range(32)}


def test_loads_are_even_or_skewed_or_one_expert_has_every_token(mine: Workload) -> None:
    def loads(routing: str) -> list[int]:
        experts = Batch(mine, 4096, 16, routing, seed=3).experts
        return sorted(np.bincount(experts.ravel(), minlength=32).tolist(), reverse=True)

    mean = 4096 * 4 / 32
    even, skewed, hot = loads(BALANCED), loads(SKEWED), loads(ONE_HOT)
    assert max(even) < 1.2 * mean
    assert skewed[0] > 4 * mean > skewed[-1] * 8
    assert hot[0] == 4096
    assert hot[1] < 1.2 * mean


def test_ranks_are_the_places_of_slots_in_the_order_of_experts(mine: Workload) -> None:
    batch = Batch(mine, 50, 16, SKEWED, seed=1)
    experts, ranks = batch.experts.ravel(), batch.ranks
    assert sorted(ranks.tolist()) == [*range(200)]
    by_rank = experts[np.argsort(ranks)]
    assert (np.diff(by_rank) >= 0).all()
    same = [ranks[experts == expert].tolist() for expert in range(32)]
    assert all(one == sorted(one) for one in same)


def test_the_middle_rank_holds_its_experts_slots_alone(mine: Workload) -> None:
    batch = Batch(mine, 50, 16, BALANCED, seed=1)
    start, end = batch.held
    held = np.sort(batch.experts.ravel())[start:end]
    assert {*held} <= {*range(16, 24)}
    assert held.size == np.isin(batch.experts, range(16, 24)).sum() > 0


def test_a_batch_is_told_in_words(mine: Workload) -> None:
    assert str(Batch(mine, 4096, 640, SKEWED, 0)) == (
        "A model: 4,096 tokens of 640 columns, skewed over 32 experts"
    )
    assert str(Batch(mine, 1, 1, ONE_HOT, 0)) == (
        "A model: 1 token of 1 column, one hot over 32 experts"
    )

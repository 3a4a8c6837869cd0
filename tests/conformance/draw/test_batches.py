"""Which steps of a workload a run judges."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from conformance.draw.batches import batches, batches_asked, workloads_judged
from conformance.record.workload import ROUTINGS, Workload


@pytest.fixture
def mine() -> Workload:
    return Workload(
        name="mine",
        model="A model",
        source="https://example.org",
        experts=32,
        top_k=4,
        hidden=640,
        ranks=4,
        decode=(1, 64),
        prefill=(256, 512),
        chunked=(128,),
    )


def test_smoke_judges_each_decode_step_and_a_shortest_prompt(
    mine: Workload,
) -> None:
    twin = msgspec.structs.replace(mine, name="twin", hidden=320)
    other = msgspec.structs.replace(mine, name="other", top_k=2)
    every = (mine, twin, other)
    for turn in range(4):
        for one in every:
            tokens = [b.tokens for b in batches(one, every, 0, turn)]
            assert tokens == ([1, 64] if one is twin else [1, 64, 128])
    assert {b.columns for b in batches(mine, every, 0, 5)} == {16}


def test_smoke_judges_a_workload_in_one_of_four_operators_by_turns(mine: Workload) -> None:
    every = tuple(msgspec.structs.replace(mine, name=f"model {n}") for n in range(8))
    turns = [workloads_judged(every, False, turn, "x") for turn in range(4)]
    assert [len(some) for some in turns] == [2] * 4
    assert {one.name for some in turns for one in some} == {one.name for one in every}
    chosen = {
        workloads_judged(every, False, 0, name) for name in ("a", "b", "c", "d", "e", "f", "g", "h")
    }
    assert len(chosen) > 1, "operators have turns of their own"
    assert workloads_judged(every, True, 0, "x") == every


def test_routings_and_full_rows_go_by_turns(mine: Workload) -> None:
    every = [msgspec.structs.replace(mine, name=f"model {n}") for n in range(7)]
    met = {b.routing for turn in range(3) for b in batches(every[0], every, 0, turn)}
    assert met == {*ROUTINGS}
    full: Counter[str] = Counter()
    for turn in range(7):
        whole = [
            b.workload.name
            for one in every
            for b in batches(one, every, 3, turn)
            if b.columns == 640
        ]
        assert len(whole) == 3
        full.update(whole)
    assert {*full.values()} == {3}


def test_gate_judges_a_prompt_by_turns_and_nightly_every_one(mine: Workload) -> None:
    every = [msgspec.structs.replace(mine, name=f"model {n}") for n in range(4)]
    asked = [{b.tokens for b in batches(every[1], every, 3, turn)} - {1, 64} for turn in range(3)]
    assert asked == [{256}, {512}, {128}]
    assert {b.tokens for b in batches(mine, [mine], 1_000, 0)} == {1, 64, 128, 256, 512}


def test_who_asks_for_a_model_gets_every_step_in_every_routing(mine: Workload) -> None:
    asked = [*batches_asked(mine, 0)]
    assert Counter(b.routing for b in asked) == dict.fromkeys(ROUTINGS, 5)
    assert {b.columns for b in asked if b.tokens in mine.decode} == {640}
    assert {b.columns for b in asked if b.tokens not in mine.decode} == {16}

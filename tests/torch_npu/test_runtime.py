"""Devices, streams, events and memory of torch_npu on the simulated runtime."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.torch_npu.conftest import PROGRAMS, Program


@pytest.fixture(scope="module")
def seen(run: Program, tmp_path_factory: pytest.TempPathFactory) -> Any:
    ended = run(str(PROGRAMS / "runtime.py"), folder=tmp_path_factory.mktemp("runtime"))
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_there_is_one_device_of_a_name_that_torch_npu_knows(seen: Any) -> None:
    told = (seen["devices"], seen["available"], seen["name"], seen["cores"])
    assert told == (1, True, "Ascend910B1", 48)


def test_streams_and_events_are_done_when_they_are_asked(seen: Any) -> None:
    assert seen["stream is done"]
    assert 0 <= seen["milliseconds"] < 1000


def test_copies_go_to_the_device_and_back_also_of_views_and_pinned_memory(seen: Any) -> None:
    assert seen["copied"]
    assert seen["pinned"]
    assert seen["view"]
    assert seen["halves"] == "torch.bfloat16"


def test_the_caching_allocator_gives_a_freed_block_to_the_next_tensor(seen: Any) -> None:
    assert seen["freed"] >= 4096 * 4
    assert seen["block is used again"]
    assert seen["aligned"]
    assert seen["reserved"] == 2 * (2 << 20)  # a block of the least size for each stream

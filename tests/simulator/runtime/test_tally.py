"""The runtime counts what a process has the device do, and keeps what of it failed."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from ctypes import c_uint32, c_uint64
from typing import Any

import pytest

from tests.simulator.runtime.driver import Acl, on_another_thread

LAUNCHES, TASKS, BYTES, FAILURES = range(4)
HOST_TO_DEVICE, DEVICE_TO_DEVICE = 1, 3


def tally(acl: Acl) -> list[int]:
    counts = (c_uint64 * 4)()
    acl.ascendsimTally(counts, c_uint32(4))
    return list(counts)


def added(acl: Acl, action: Callable[[], object]) -> list[int]:
    """What an action adds to each count."""
    before = tally(acl)
    action()
    return [after - count for after, count in zip(tally(acl), before, strict=True)]


def failures(acl: Acl) -> list[dict[str, Any]]:
    buffer = ctypes.create_string_buffer(1 << 16)
    acl.ascendcl.ascendsimTakeFailures(buffer, c_uint64(1 << 16))
    taken: list[dict[str, Any]] = json.loads(buffer.value)
    return taken


def functions(acl: Acl, room: int = 1 << 10) -> list[str]:
    buffer = ctypes.create_string_buffer(1 << 10)
    acl.ascendcl.ascendsimTakeFunctions(buffer, c_uint64(room))
    taken: list[str] = json.loads(buffer.value or b"[]")
    return taken


def test_a_launch_is_counted_on_whatever_stream_and_thread(acl: Acl) -> None:
    failures(acl)
    own = acl.stream()
    for action in (
        lambda: acl.increment(b"\x01", None),
        lambda: acl.increment(b"\x01", own),
        lambda: on_another_thread(lambda: (acl.aclrtSetDevice(0), acl.increment(b"\x01", None))),
    ):
        assert added(acl, action) == [1, 0, 0, 0]
    assert acl.aclrtDestroyStream(own) == 0


def test_fills_and_copies_inside_the_device_are_counted_and_no_other_copies(acl: Acl) -> None:
    memory, other = acl.malloc(8), acl.malloc(8)
    host = b"12345678"
    for task in (
        lambda: acl.aclrtMemset(memory, 8, 0, 8),
        lambda: acl.aclrtMemsetAsync(memory, 8, 0, 8, None),
        lambda: acl.aclrtMemcpy(memory, 8, other, 8, DEVICE_TO_DEVICE),
    ):
        assert added(acl, task) == [0, 1, 0, 0]
    assert added(acl, lambda: acl.aclrtMemcpy(memory, 8, host, 8, HOST_TO_DEVICE)) == [0, 0, 0, 0]
    assert added(acl, lambda: acl.download(memory, 8)) == [0, 0, 0, 0]
    assert added(acl, lambda: [acl.aclrtFree(one) for one in (memory, other)])[BYTES] == -16


def test_allocations_count_until_they_are_freed(acl: Acl) -> None:
    kept: list[int] = []
    assert added(acl, lambda: kept.append(acl.malloc(1000))) == [0, 0, 1000, 0]
    assert added(acl, lambda: acl.aclrtFree(kept[0])) == [0, 0, -1000, 0]


def test_a_kernel_that_fails_and_a_copy_that_is_refused_are_kept_until_they_are_taken(
    acl: Acl,
) -> None:
    failures(acl)
    assert tally(acl)[FAILURES] == 0
    memory = acl.malloc(8)
    own = acl.stream()
    assert acl.aclrtMemcpy(memory, 8, memory, 9, DEVICE_TO_DEVICE) == 107000
    acl.increment(b"\x01", own, count=65)
    assert acl.aclrtDestroyStream(own) == 0
    assert tally(acl)[FAILURES] == 2
    copy, launch = failures(acl)
    assert (copy["what"], copy["status"], copy["launch"]) == ("aclrtMemcpy", 107000, False)
    assert copy["text"] == "aclrtMemcpy: count is 9, destMax is 8; count must not exceed destMax"
    assert (launch["what"], launch["status"], launch["launch"]) == (
        "the launch of increment with 1 block",
        507015,
        True,
    )
    assert "more than 64 bytes: 65" in launch["text"]
    assert failures(acl) == []
    acl.aclrtFree(memory)


@pytest.mark.parametrize("room", [0, 2])
def test_failures_wait_until_they_fit(acl: Acl, room: int) -> None:
    failures(acl)
    assert acl.aclrtMemset(None, 8, 0, 8) != 0
    acl.ascendcl.ascendsimTakeFailures(ctypes.create_string_buffer(8), c_uint64(room))
    assert len(failures(acl)) == 1


def test_a_noted_function_is_told_once_and_waits_until_it_fits(acl: Acl) -> None:
    functions(acl)
    for name in (b"aclnnSecond", b"aclnnFirst", b"aclnnSecond"):
        acl.ascendcl.ascendsimNoteFunction(name)
    assert functions(acl, room=0) == []
    assert functions(acl) == ["aclnnSecond", "aclnnFirst"]
    assert functions(acl) == []

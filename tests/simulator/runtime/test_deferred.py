"""Deferred tasks: a stream holds them until somebody waits for it, or for an event behind them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_int, c_uint64, c_void_p

import pytest

from tests.simulator.runtime.driver import CALLBACK, DEVICE_TO_DEVICE, HOST_TO_DEVICE, Acl

WORD = 8


@pytest.fixture
def lazy(acl: Acl) -> Iterator[Acl]:
    """The runtime, with tasks deferred."""
    assert acl.ascendcl.ascendsimDeferTasks(1) == 0
    yield acl
    assert acl.ascendcl.ascendsimDeferTasks(0) == 0


def event(acl: Acl) -> c_void_p:
    made = c_void_p()
    assert acl.aclrtCreateEventExWithFlag(byref(made), 0) == 0
    return made


def copied(acl: Acl, target: int, source: ctypes.Array[ctypes.c_char], stream: int | None) -> int:
    """The status of an asynchronous copy of eight bytes to the device."""
    return acl.aclrtMemcpyAsync(target, WORD, source, WORD, HOST_TO_DEVICE, stream)


def waiting(acl: Acl) -> int:
    """Tasks that wait in streams."""
    counts = (c_uint64 * 5)()
    acl.ascendcl.ascendsimTally(counts, 5)
    return counts[4]


def test_a_copy_reads_host_memory_when_its_stream_is_waited_for(lazy: Acl) -> None:
    stream, target = lazy.stream(), lazy.malloc(WORD)
    host = ctypes.create_string_buffer(b"earlier!", WORD)
    assert copied(lazy, target, host, stream) == 0
    host.raw = b"too late"
    assert lazy.download(target, WORD) != b"too late"
    assert waiting(lazy) == 1
    assert lazy.aclrtSynchronizeStream(stream) == 0
    assert lazy.download(target, WORD) == b"too late"
    assert waiting(lazy) == 0
    assert (lazy.aclrtDestroyStream(stream), lazy.aclrtFree(target)) == (0, 0)


@pytest.mark.parametrize("own", [True, False])
def test_streams_and_the_default_one_are_not_ordered_among_themselves(lazy: Acl, own: bool) -> None:
    stream, other = lazy.stream(), lazy.stream()
    used, waited = (stream, None) if own else (None, stream)
    target = lazy.malloc(WORD)
    host = ctypes.create_string_buffer(b"a stream", WORD)
    assert copied(lazy, target, host, used) == 0
    assert lazy.aclrtSynchronizeStream(waited) == 0
    assert lazy.aclrtSynchronizeStream(other) == 0
    assert lazy.download(target, WORD) != b"a stream"
    assert lazy.aclrtSynchronizeDevice() == 0
    assert lazy.download(target, WORD) == b"a stream"
    for one in (stream, other):
        assert lazy.aclrtDestroyStream(one) == 0


def test_an_event_orders_one_stream_behind_another_up_to_its_record(lazy: Acl) -> None:
    first, second, place = lazy.stream(), lazy.stream(), event(lazy)
    source, target = lazy.malloc(WORD), lazy.malloc(WORD)
    before = ctypes.create_string_buffer(b"before  ", WORD)
    behind = ctypes.create_string_buffer(b"behind  ", WORD)
    assert copied(lazy, source, before, first) == 0
    assert lazy.aclrtRecordEvent(place, first) == 0
    assert copied(lazy, source, behind, first) == 0
    assert lazy.aclrtStreamWaitEvent(second, place) == 0
    assert lazy.aclrtMemcpyAsync(target, WORD, source, WORD, DEVICE_TO_DEVICE, second) == 0
    assert lazy.aclrtSynchronizeStream(second) == 0
    assert lazy.download(target, WORD) == b"before  "
    assert waiting(lazy) == 1
    for one in (first, second):
        assert lazy.aclrtDestroyStream(one) == 0
    assert lazy.download(source, WORD) == b"behind  "


def test_waiting_for_an_event_and_polling_it_come_to_its_record(lazy: Acl) -> None:
    stream, status = lazy.stream(), c_int()
    called: list[int | None] = []
    call = CALLBACK(called.append)
    first, second = event(lazy), event(lazy)
    for number, place in ((1, first), (2, second)):
        assert lazy.aclrtLaunchCallback(call, number, 1, stream) == 0
        assert lazy.aclrtRecordEvent(place, stream) == 0
    assert called == []
    assert lazy.aclrtSynchronizeEvent(first) == 0
    assert called == [1]
    answers = []
    for _ in range(2):
        assert lazy.aclrtQueryEventStatus(second, byref(status)) == 0
        answers.append(status.value)
    assert (answers, called) == ([0, 1], [1, 2])
    assert lazy.aclrtLaunchCallback(call, 3, 1, stream) == 0
    answers = []
    for _ in range(2):
        assert lazy.aclrtStreamQuery(stream, byref(status)) == 0
        answers.append(status.value)
    assert (answers, called) == ([1, 0], [1, 2, 3])
    assert lazy.aclrtDestroyStream(stream) == 0


def test_a_kernel_reads_what_was_copied_before_it_and_fails_its_own_stream(lazy: Acl) -> None:
    stream = lazy.stream()
    source, target, tiling = (lazy.malloc(WORD) for _ in range(3))
    content = ctypes.create_string_buffer(b"\x01\x02\x03\x04", WORD)
    count = ctypes.create_string_buffer((4).to_bytes(8, "little"), WORD)
    lazy.opapi.aclnnIncrement.argtypes = [c_void_p] * 4
    for host, device in ((content, source), (count, tiling)):
        assert copied(lazy, device, host, stream) == 0
    assert lazy.opapi.aclnnIncrement(source, target, tiling, stream) == 0
    assert lazy.aclrtSynchronizeStream(stream) == 0
    assert lazy.download(target, 4) == b"\x02\x03\x04\x05"
    count.raw = (65).to_bytes(8, "little")
    assert copied(lazy, tiling, count, stream) == 0
    assert lazy.opapi.aclnnIncrement(source, target, tiling, stream) == 0
    assert lazy.aclrtSynchronizeStream(None) == 0
    assert lazy.aclrtSynchronizeStream(stream) == 507015
    assert "more than 64 bytes: 65" in (lazy.text() or "")
    assert lazy.aclrtDestroyStream(stream) == 0


def test_device_memory_that_is_freed_before_a_copy_fails_the_stream(lazy: Acl) -> None:
    stream, target = lazy.stream(), lazy.malloc(WORD)
    host = ctypes.create_string_buffer(b"too late", WORD)
    assert copied(lazy, target, host, stream) == 0
    assert lazy.aclrtFree(target) == 0
    assert lazy.aclrtSynchronizeStream(stream) == 107000
    assert "was freed before its stream came to the copy" in (lazy.text() or "")
    assert lazy.aclrtDestroyStream(stream) == 0


def test_what_waits_is_forgotten_when_deferral_is_chosen_anew(lazy: Acl) -> None:
    stream, called = lazy.stream(), list[int | None]()
    call = CALLBACK(called.append)
    assert lazy.aclrtLaunchCallback(call, 1, 1, stream) == 0
    assert lazy.ascendcl.ascendsimDeferTasks(1) == 0
    assert lazy.aclrtSynchronizeStream(stream) == 0
    assert called == []
    assert lazy.ascendcl.ascendsimDeferTasks(0) == 0
    assert lazy.aclrtLaunchCallback(call, 2, 1, stream) == 0
    assert called == [2]
    assert lazy.aclrtDestroyStream(stream) == 0

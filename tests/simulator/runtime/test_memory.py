"""Device memory is bounded, poisoned, and checked at every copy."""

from __future__ import annotations

import ctypes
import resource
from ctypes import byref
from ctypes import c_void_p as void_p

import pytest

from conformance import poison
from conformance.poison import pattern
from tests.simulator.runtime.driver import (
    DEFAULT,
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    HOST_TO_DEVICE,
    Acl,
)

GIB = 1 << 30
FRESH = pattern(poison.FRESH)


@pytest.mark.parametrize("size", [1, 512, 513, 3 << 20, (40 << 20) + 5])
def test_memory_is_aligned_and_poisoned_from_end_to_end(acl: Acl, size: int) -> None:
    device = acl.malloc(size)
    assert device % 512 == 0
    assert acl.download(device, size) == (FRESH * size)[:size]
    assert acl.aclrtFree(device) == 0


def test_large_memory_costs_nothing_until_it_is_written(acl: Acl) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    device = acl.malloc(48 * GIB)
    far = device + 47 * GIB + 3
    assert acl.download(far, 2) == FRESH[::-1]
    assert acl.aclrtMemset(far, 2, 0x11, 2) == 0
    assert acl.download(far - 1, 4) == FRESH[:1] + b"\x11\x11" + FRESH[1:]
    assert acl.aclrtFree(device) == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


def test_one_allocation_does_not_show_in_another(acl: Acl) -> None:
    first, second = acl.malloc(32 << 20), acl.malloc(32 << 20)
    assert acl.aclrtMemset(first, 32 << 20, 0, 32 << 20) == 0
    assert acl.download(second, 32 << 20) == FRESH * (16 << 20)
    assert (acl.aclrtFree(first), acl.aclrtFree(second)) == (0, 0)


def test_the_device_has_64_gib(acl: Acl) -> None:
    pointer = void_p(1)
    assert acl.aclrtMalloc(byref(pointer), 64 * GIB + 1, 0) == 207001
    assert pointer.value is None
    assert f"size is {64 * GIB + 1} bytes; the simulated device has" in (acl.text() or "")
    first = acl.malloc(40 * GIB)
    assert acl.aclrtMalloc(byref(pointer), 40 * GIB, 0) == 207001
    assert acl.aclrtFree(first) == 0
    assert acl.aclrtFree(acl.malloc(40 * GIB)) == 0


@pytest.mark.parametrize("size", [2**64 - 1, 2**64 - 512])
def test_a_size_near_2_to_the_64_does_not_wrap(acl: Acl, size: int) -> None:
    assert acl.aclrtMalloc(byref(void_p()), size, 0) == 207001


def test_an_empty_allocation_is_refused(acl: Acl) -> None:
    assert acl.aclrtMalloc(byref(void_p()), 0, 0) == 100000
    assert "size is 0" in (acl.text() or "")


def test_only_what_was_allocated_can_be_freed_and_once(acl: Acl) -> None:
    device = acl.malloc(64)
    assert acl.aclrtFree(device + 8) == 107000
    assert acl.aclrtFree(device) == 0
    assert acl.aclrtFree(device) == 107000
    assert "freed before" in (acl.text() or "")


def test_content_returns_as_it_was_sent(acl: Acl) -> None:
    content = bytes(range(256)) * 5
    device = acl.upload(content)
    copy = acl.malloc(len(content))
    size = len(content)
    assert acl.aclrtMemcpyAsync(copy, size, device, size, DEVICE_TO_DEVICE, None) == 0
    assert acl.download(copy, size) == content
    assert (acl.aclrtFree(device), acl.aclrtFree(copy)) == (0, 0)


def test_a_copy_may_not_pass_destmax(acl: Acl) -> None:
    device, host = acl.malloc(64), bytes(64)
    assert acl.aclrtMemcpy(device, 63, host, 64, HOST_TO_DEVICE) == 107000
    assert "count is 64, destMax is 63" in (acl.text() or "")
    assert acl.aclrtMemcpyAsync(device, 63, host, 64, HOST_TO_DEVICE, None) == 107000
    assert acl.aclrtMemset(device, 63, 0, 64) == 107000
    assert "count is 64, maxCount is 63" in (acl.text() or "")
    assert acl.download(device, 64) == FRESH * 32
    assert acl.aclrtFree(device) == 0


def test_a_copy_may_not_pass_the_end_of_an_allocation(acl: Acl) -> None:
    device, host = acl.malloc(64), ctypes.create_string_buffer(128)
    assert acl.aclrtMemcpy(device + 32, 64, host, 33, HOST_TO_DEVICE) == 107000
    assert "which has 32 bytes from there" in (acl.text() or "")
    assert acl.aclrtMemcpy(host, 128, device, 65, DEVICE_TO_HOST) == 107000
    assert acl.aclrtMemcpy(host, 128, device + 70, 1, DEFAULT) == 107000
    assert acl.aclrtMemset(device, 128, 0, 65) == 107000
    assert acl.aclrtFree(device) == 0


@pytest.mark.parametrize(("kind", "wrong"), [(HOST_TO_DEVICE, "dst"), (DEVICE_TO_HOST, "src")])
def test_host_memory_is_not_taken_for_the_device(acl: Acl, kind: int, wrong: str) -> None:
    target, source = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    assert acl.aclrtMemcpy(target, 64, source, 64, kind) == 107000
    text = acl.text() or ""
    assert text.startswith(f"aclrtMemcpy: {wrong} 0x")
    assert "is not device memory" in text
    assert acl.aclrtMemcpy(target, 64, source, 64, DEFAULT) == 0


def test_an_unknown_kind_is_refused(acl: Acl) -> None:
    host = ctypes.create_string_buffer(8)
    assert acl.aclrtMemcpy(host, 8, host, 8, 9) == 100000
    assert "kind is 9" in (acl.text() or "")

"""Streams run at submission and tell a failure at the next synchronize, once."""

from __future__ import annotations

from tests.simulator.runtime.driver import Acl, on_another_thread


def test_a_stream_is_used_until_it_is_destroyed(acl: Acl) -> None:
    stream = acl.stream()
    assert acl.aclrtSynchronizeStream(stream) == 0
    assert acl.aclrtDestroyStream(stream) == 0
    assert acl.aclrtSynchronizeStream(stream) == 107003
    assert acl.aclrtDestroyStream(stream) == 107003
    assert acl.aclrtMemcpyAsync(stream, 1, stream, 1, 0, stream) == 107003
    assert "which was destroyed" in (acl.text() or "")


def test_a_kernel_runs_at_submission(acl: Acl) -> None:
    stream = acl.stream()
    assert acl.increment(b"\x01\x02\xff", stream) == b"\x02\x03\x00"
    assert acl.aclrtSynchronizeStream(stream) == 0
    assert acl.aclrtDestroyStream(stream) == 0


def test_a_failing_kernel_is_told_at_the_next_synchronize_once(acl: Acl) -> None:
    stream = acl.stream()
    acl.increment(b"\x01", stream, count=65)
    assert acl.text() is None
    assert acl.aclrtSynchronizeStream(stream) == 507015
    crashed = "[kernel-crash] kernel increment, block 0: an exception left the kernel: more than"
    assert (acl.text() or "").startswith(f"{crashed} 64 bytes: 65")
    assert acl.text() is None
    assert acl.aclrtSynchronizeStream(stream) == 0
    assert acl.increment(b"\x01\x02", stream) == b"\x02\x03"
    assert acl.aclrtSynchronizeStream(stream) == 0
    assert acl.aclrtDestroyStream(stream) == 0


def test_the_first_of_two_failures_is_told(acl: Acl) -> None:
    stream = acl.stream()
    acl.increment(b"\x01", stream, count=65)
    acl.increment(b"\x01", stream, count=66)
    assert acl.aclrtSynchronizeStream(stream) == 507015
    assert "bytes: 65" in (acl.text() or "")
    assert acl.aclrtSynchronizeStream(stream) == 0
    assert acl.aclrtDestroyStream(stream) == 0


def test_a_failure_belongs_to_its_stream(acl: Acl) -> None:
    failing, other = acl.stream(), acl.stream()
    acl.increment(b"\x01", failing, count=65)
    assert acl.aclrtSynchronizeStream(other) == 0
    assert acl.aclrtSynchronizeStream(None) == 0
    assert acl.aclrtSynchronizeStream(failing) == 507015
    assert (acl.aclrtDestroyStream(failing), acl.aclrtDestroyStream(other)) == (0, 0)


def test_the_default_stream_has_its_own_failure(acl: Acl) -> None:
    acl.increment(b"\x01", None, count=65)
    assert acl.aclrtSynchronizeStream(None) == 507015
    assert acl.aclrtSynchronizeStream(None) == 0


def test_synchronizing_the_device_tells_the_failures_of_all_streams(acl: Acl) -> None:
    first, second = acl.stream(), acl.stream()
    acl.increment(b"\x01", first, count=65)
    acl.increment(b"\x01", second, count=66)
    assert acl.aclrtSynchronizeDevice() == 507015
    text = acl.text() or ""
    assert "bytes: 65" in text
    assert "bytes: 66" in text
    assert acl.aclrtSynchronizeDevice() == 0
    assert (acl.aclrtDestroyStream(first), acl.aclrtDestroyStream(second)) == (0, 0)


def test_a_failure_outlives_its_stream_as_a_text(acl: Acl) -> None:
    stream = acl.stream()
    acl.increment(b"\x01", stream, count=65)
    assert acl.aclrtDestroyStream(stream) == 0
    assert "bytes: 65" in (acl.text() or "")
    assert acl.aclrtSynchronizeDevice() == 0


def test_a_failure_is_told_to_whichever_thread_waits(acl: Acl) -> None:
    stream = acl.stream()
    acl.increment(b"\x01", stream, count=65)
    assert on_another_thread(lambda: acl.aclrtSynchronizeStream(stream)) == 507015
    assert "bytes: 65" in (acl.text() or "")
    assert acl.aclrtDestroyStream(stream) == 0

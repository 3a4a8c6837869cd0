"""Events are complete once recorded, and callbacks are called where they are launched."""

from __future__ import annotations

from ctypes import byref, c_float, c_int, c_void_p

from tests.simulator.runtime.driver import CALLBACK, Acl


def event(acl: Acl) -> c_void_p:
    made = c_void_p()
    assert acl.aclrtCreateEventExWithFlag(byref(made), 0) == 0
    return made


def test_a_recorded_event_is_complete_and_time_passes_between_two(acl: Acl) -> None:
    start, end, status, ms = event(acl), event(acl), c_int(), c_float(-1)
    assert acl.aclrtRecordEvent(start, None) == 0
    assert acl.aclrtStreamWaitEvent(None, start) == 0
    assert acl.aclrtRecordEvent(end, None) == 0
    assert acl.aclrtSynchronizeEvent(end) == 0
    assert (acl.aclrtQueryEventStatus(end, byref(status)), status.value) == (0, 1)
    assert acl.aclrtEventElapsedTime(byref(ms), start, end) == 0
    assert 0 <= ms.value < 1000
    assert (acl.aclrtDestroyEvent(start), acl.aclrtDestroyEvent(end)) == (0, 0)


def test_an_event_that_was_never_recorded_or_was_reset_has_no_time(acl: Acl) -> None:
    start, end, ms = event(acl), event(acl), c_float()
    assert acl.aclrtRecordEvent(start, None) == 0
    assert acl.aclrtEventElapsedTime(byref(ms), start, end) == 100000
    assert (acl.text() or "") == "aclrtEventElapsedTime: endEvent was never recorded"
    assert acl.aclrtResetEvent(start, None) == 0
    assert acl.aclrtEventElapsedTime(byref(ms), start, end) == 100000
    assert "startEvent was never recorded" in (acl.text() or "")


def test_a_destroyed_event_is_refused_by_every_function(acl: Acl) -> None:
    gone, status, ms = event(acl), c_int(), c_float()
    assert acl.aclrtDestroyEvent(gone) == 0
    refused = [
        acl.aclrtDestroyEvent(gone),
        acl.aclrtRecordEvent(gone, None),
        acl.aclrtStreamWaitEvent(None, gone),
        acl.aclrtSynchronizeEvent(gone),
        acl.aclrtQueryEventStatus(gone, byref(status)),
        acl.aclrtEventElapsedTime(byref(ms), gone, gone),
    ]
    assert refused == [100000] * 6
    assert "which no aclrtCreateEventWithFlag returned or which was destroyed" in acl.text()


def test_a_callback_is_called_where_it_is_launched(acl: Acl) -> None:
    called: list[int | None] = []
    stream, status = c_void_p(), c_int(-1)
    assert acl.aclrtCreateStreamWithConfig(byref(stream), 0, 3) == 0
    assert acl.aclrtLaunchCallback(CALLBACK(called.append), 42, 1, stream) == 0
    assert called == [42]
    assert (acl.aclrtStreamQuery(stream, byref(status)), status.value) == (0, 0)
    assert acl.aclrtDestroyStream(stream) == 0
    assert acl.aclrtLaunchCallback(CALLBACK(called.append), 43, 1, stream) == 107003
    assert called == [42]

"""Every failure leaves a text that names its parameter, told once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.simulator.runtime.driver import Acl, on_another_thread
from tests.waiting import HANGS


def test_there_is_no_text_without_an_error(acl: Acl) -> None:
    assert acl.text() is None


def test_a_text_is_told_once(acl: Acl) -> None:
    acl.aclrtSetDevice(5)
    assert "deviceId is 5" in (acl.text() or "")
    assert acl.text() is None


def test_the_newest_of_several_texts_comes_first(acl: Acl) -> None:
    acl.aclrtSetDevice(5)
    acl.aclrtSetDevice(6)
    first, second = (acl.text() or "").splitlines()
    assert "deviceId is 6" in first
    assert "deviceId is 5" in second


def test_texts_do_not_pile_up(acl: Acl) -> None:
    for _ in range(100):
        acl.aclrtSetDevice(5)
    assert len((acl.text() or "").splitlines()) == 16


def test_a_thread_gets_its_own_texts_first_and_then_those_of_others(acl: Acl) -> None:
    on_another_thread(lambda: acl.aclrtSetDevice(5))
    acl.aclrtSetDevice(6)
    texts = [acl.text() or "", acl.text() or ""]
    assert [number in text for number, text in zip("65", texts, strict=True)] == [True, True]
    assert acl.text() is None


def test_another_threads_texts_are_told_once_and_stay_its_own(acl: Acl) -> None:
    def fail_and_wait() -> str | None:
        acl.aclrtSetDevice(5)
        begun.set()
        told.wait(HANGS)
        return acl.text()

    begun, told = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        own = pool.submit(fail_and_wait)
        begun.wait(HANGS)
        assert "deviceId is 5" in (acl.text() or "")
        assert acl.text() is None
        told.set()
        assert "deviceId is 5" in (own.result() or "")


def test_many_texts_of_another_thread_do_not_push_out_ones_own(acl: Acl) -> None:
    acl.aclrtSetDevice(6)
    on_another_thread(lambda: [acl.aclrtSetDevice(5) for _ in range(100)])
    assert "deviceId is 6" in (acl.text() or "")
    assert len((acl.text() or "").splitlines()) == 16


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda acl: acl.aclrtGetDeviceCount(None), "aclrtGetDeviceCount: count is null"),
        (lambda acl: acl.aclrtGetDevice(None), "aclrtGetDevice: deviceId is null"),
        (lambda acl: acl.aclrtGetDeviceInfo(0, 201, None), "aclrtGetDeviceInfo: value is null"),
        (lambda acl: acl.aclrtMalloc(None, 8, 0), "aclrtMalloc: devPtr is null"),
        (lambda acl: acl.aclrtFree(None), "aclrtFree: devPtr is null"),
        (lambda acl: acl.aclrtMemcpy(None, 8, b"8", 1, 0), "aclrtMemcpy: dst is null"),
        (lambda acl: acl.aclrtMemcpy(b"8", 8, None, 1, 0), "aclrtMemcpy: src is null"),
        (
            lambda acl: acl.aclrtMemcpyAsync(None, 8, b"8", 1, 0, None),
            "aclrtMemcpyAsync: dst is null",
        ),
        (lambda acl: acl.aclrtMemset(None, 8, 0, 8), "aclrtMemset: devPtr is null"),
        (lambda acl: acl.aclrtCreateStream(None), "aclrtCreateStream: stream is null"),
        (lambda acl: acl.aclrtDestroyStream(None), "aclrtDestroyStream: stream is null"),
        (lambda acl: acl.aclsysGetCANNVersion(0, None), "version is null"),
        (lambda acl: acl.aclsysGetVersionStr(None, b"8"), "pkgName is null"),
        (lambda acl: acl.aclsysGetVersionStr(b"cann", None), "versionStr is null"),
    ],
)
def test_a_null_argument_is_named(acl: Acl, call: Callable[[Acl], int], text: str) -> None:
    assert call(acl) == 100000
    assert text in (acl.text() or "")

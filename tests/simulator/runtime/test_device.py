"""Start, devices and versions answer as on one Ascend host with one device."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from ctypes import byref, c_int32, c_int64, c_uint32
from ctypes import c_void_p as void_p
from pathlib import Path

import pytest

from tests.simulator.runtime.driver import Acl, on_another_thread


def test_a_second_init_is_told_apart_and_leaves_no_text(acl: Acl) -> None:
    assert acl.aclInit(None) == 0
    assert acl.aclInit(None) == 100002
    assert acl.text() is None
    assert acl.aclInit(None) == 100002


def test_finalize_allows_a_new_start(acl: Acl) -> None:
    assert (acl.aclInit(None), acl.aclFinalize(), acl.aclInit(None)) == (0, 0, 0)


def test_the_configuration_makes_a_device_current(acl: Acl, tmp_path: Path) -> None:
    path = tmp_path / "acl.json"
    path.write_text(json.dumps({"defaultDevice": {"default_device": "0"}}))

    def start() -> tuple[int, int, int]:
        device = c_int32(-7)
        return acl.aclInit(bytes(path)), acl.aclrtGetDevice(byref(device)), device.value

    assert on_another_thread(start) == (0, 0, 0)


def test_a_configuration_without_a_device_is_accepted(acl: Acl, tmp_path: Path) -> None:
    (tmp_path / "acl.json").write_text("{}")
    assert acl.aclInit(bytes(tmp_path / "acl.json")) == 0


@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        (None, 100003, "cannot be read"),
        ('{"defaultDevice":{"default_device":"first"}}', 100008, "default_device"),
        ('{"defaultDevice":{"default_device":"3"}}', 107001, "default_device is 3"),
    ],
)
def test_a_bad_configuration_is_refused_and_nothing_has_started(
    acl: Acl, tmp_path: Path, content: str | None, status: int, text: str
) -> None:
    path = tmp_path / "acl.json"
    if content is not None:
        path.write_text(content)
    assert acl.aclInit(bytes(path)) == status
    assert text in (acl.text() or "")
    assert acl.aclInit(None) == 0


def test_the_version_is_told_in_512_bytes(acl: Acl) -> None:
    version = ctypes.create_string_buffer(b"\xee" * 520, 520)
    assert acl.aclsysGetCANNVersion(0, version) == 0
    parts = [version.raw[at:].split(b"\0")[0] for at in (0, 128, 192, 256, 320)]
    assert parts == [b"9.1.0", b"9", b"1", b"0", b"0"]
    assert version.raw[512:] == b"\xee" * 8
    text = ctypes.create_string_buffer(128)
    assert acl.aclsysGetVersionStr(b"runtime", text) == 0
    assert text.value == b"9.1.0"


def test_there_is_one_device(acl: Acl) -> None:
    count = c_uint32()
    assert acl.aclrtGetDeviceCount(byref(count)) == 0
    assert count.value == 1


def test_a_device_belongs_to_a_thread(acl: Acl) -> None:
    device = c_int32(-7)
    assert acl.aclrtGetDevice(byref(device)) == 0
    assert device.value == 0
    assert on_another_thread(lambda: acl.aclrtGetDevice(byref(device))) == 107002


def test_reset_gives_the_device_back(acl: Acl) -> None:
    device = c_int32()
    assert acl.aclrtResetDevice(0) == 0
    assert acl.aclrtGetDevice(byref(device)) == 107002
    assert "call aclrtSetDevice" in (acl.text() or "")


@pytest.mark.parametrize("device", [-1, 1])
def test_another_device_is_refused(acl: Acl, device: int) -> None:
    assert acl.aclrtSetDevice(device) == 107001
    assert f"deviceId is {device}" in (acl.text() or "")
    assert acl.aclrtResetDevice(device) == 107001


@pytest.mark.parametrize(
    "call",
    [
        lambda acl: acl.aclrtMalloc(byref(void_p()), 8, 0),
        lambda acl: acl.aclrtMemcpy(void_p(1), 1, void_p(1), 1, 0),
        lambda acl: acl.aclrtMemcpyAsync(void_p(1), 1, void_p(1), 1, 0, None),
        lambda acl: acl.aclrtMemset(void_p(1), 1, 0, 1),
        lambda acl: acl.aclrtCreateStream(byref(void_p())),
        lambda acl: acl.aclrtSynchronizeDevice(),
    ],
)
def test_a_thread_without_a_device_is_refused(acl: Acl, call: Callable[[Acl], int]) -> None:
    assert on_another_thread(lambda: call(acl)) == 107002


def test_the_machine_is_that_of_the_configured_soc(acl: Acl) -> None:
    def cores() -> tuple[int, int]:
        vector, cube = c_int64(), c_int64()
        assert acl.aclrtGetDeviceInfo(0, 201, byref(vector)) == 0
        assert acl.aclrtGetDeviceInfo(0, 101, byref(cube)) == 0
        return vector.value, cube.value

    assert acl.ascendcl.aclrtGetSocName() == b"Ascend910B1"
    assert cores() == (48, 24)
    assert acl.ascendsimConfigure(b"Ascend910B3", 3, 0) == 0
    assert acl.ascendcl.aclrtGetSocName() == b"Ascend910B3"
    assert cores() == (3, 2)


def test_what_the_device_does_not_know_is_refused(acl: Acl) -> None:
    assert acl.aclrtGetDeviceInfo(0, 1, byref(c_int64())) == 107000
    assert "attr is 1" in (acl.text() or "")
    assert acl.aclrtGetDeviceInfo(1, 201, byref(c_int64())) == 107001

"""What a program asks of the device before it uses it, and what it sets for all calls."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int32, c_int64, c_size_t, c_uint32, c_void_p

import pytest

from tests.simulator.runtime.driver import Acl, on_another_thread

GIB = 1 << 30


def test_a_parameter_is_zero_until_it_is_set(acl: Acl) -> None:
    value = c_int64(-1)
    assert (acl.aclrtGetSysParamOpt(2, byref(value)), value.value) == (0, 0)
    assert acl.aclrtSetSysParamOpt(2, 3) == 0
    assert (acl.aclrtGetSysParamOpt(2, byref(value)), value.value) == (0, 3)
    assert acl.aclrtGetSysParamOpt(2, None) == 100000
    assert acl.text() == "aclrtGetSysParamOpt: value is null; it must not be"


@pytest.mark.parametrize(("which", "answer"), [(0, 24), (1, 48), (2, 192 << 20)])
def test_the_device_tells_cores_vector_cores_and_cache(acl: Acl, which: int, answer: int) -> None:
    value, limit = c_int64(), c_uint32()
    assert (acl.aclGetDeviceCapability(0, which, byref(value)), value.value) == (0, answer)
    if which < 2:
        assert (acl.aclrtGetDeviceResLimit(0, which, byref(limit)), limit.value) == (0, answer)


def test_what_the_device_does_not_know_is_refused_with_what_it_knows(acl: Acl) -> None:
    assert acl.aclGetDeviceCapability(0, 9, byref(c_int64())) == 100000
    assert "deviceInfo is 9; the simulated device knows 0 (cores)" in (acl.text() or "")
    assert acl.aclGetDeviceCapability(1, 0, byref(c_int64())) == 107001
    assert acl.aclrtGetDeviceResLimit(0, 2, byref(c_uint32())) == 100000
    assert "type is 2; it must be 0 (cube) or 1 (vector cores)" in (acl.text() or "")
    assert acl.aclrtSetDeviceSatMode(1) == 0
    assert acl.aclrtSetDeviceSatMode(0) == 207000
    assert "computes in mode 1 (infinity and NaN) alone" in (acl.text() or "")


def test_there_is_no_other_device_to_reach(acl: Acl) -> None:
    reached = c_int32(-1)
    assert (acl.aclrtDeviceCanAccessPeer(byref(reached), 0, 1), reached.value) == (0, 0)


def test_a_context_is_the_device_and_makes_it_current_on_another_thread(acl: Acl) -> None:
    context = c_void_p()
    assert acl.aclrtGetCurrentContext(byref(context)) == 0

    def there() -> list[int]:
        other, device = c_void_p(), c_int32()
        before = acl.aclrtGetCurrentContext(byref(other))
        return [
            before,
            acl.aclrtSetCurrentContext(context),
            acl.aclrtGetDevice(byref(device)),
            acl.aclrtSetCurrentContext(None),
        ]

    assert on_another_thread(there) == [107002, 0, 0, 100000]


def test_memory_is_counted_and_host_memory_is_ordinary(acl: Acl) -> None:
    free, total, address, host = c_size_t(), c_size_t(), c_void_p(), c_void_p()
    assert acl.aclrtGetMemInfo(1, byref(free), byref(total)) == 0
    assert total.value == 64 * GIB
    assert acl.aclrtMallocAlign32(byref(address), 512, 0) == 0
    left = c_size_t()
    assert acl.aclrtGetMemInfo(1, byref(left), byref(total)) == 0
    assert free.value - left.value == 512  # aclrtMalloc would take 32 bytes more, and so a kilobyte
    assert acl.aclrtMemsetAsync(address, 512, 7, 512, None) == 0
    assert acl.aclrtMallocHost(byref(host), 512) == 0
    assert acl.aclrtMemcpy(host, 512, address, 512, 2) == 0
    assert ctypes.string_at(host.value or 0, 512) == b"\x07" * 512
    assert (acl.aclrtFreeHost(host), acl.aclrtFree(address)) == (0, 0)
    assert acl.aclrtMallocHost(byref(host), 0) == 100000
    assert acl.aclrtFreeHost(None) == 100000


def test_the_legacy_path_describes_and_refuses_by_name(acl: Acl) -> None:
    acl.ascendcl.aclCreateTensorDesc.restype = c_void_p
    desc = c_void_p(acl.ascendcl.aclCreateTensorDesc(0, 2, (c_int64 * 2)(3, 4), 2))
    size = c_int64()
    assert acl.aclGetTensorDescNumDims(desc) == 2
    assert (acl.aclGetTensorDescDimV2(desc, 1, byref(size)), size.value) == (0, 4)
    assert acl.aclGetTensorDescDimV2(desc, 2, byref(size)) == 100000
    acl.ascendcl.aclDestroyTensorDesc(desc)
    arguments = (b"Add", 0, None, None, 0, None, None, None, 0, 0, None, None)
    assert acl.aclopCompileAndExecute(*arguments) == 100024
    assert 'opType is "Add"; the simulated device compiles no operator' in (acl.text() or "")

"""Drives the simulated runtime as a program does: ctypes, every status and text at hand."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
)
from ctypes import c_void_p as void_p
from pathlib import Path

PROGRAMS = Path(__file__).parent.parent / "programs"
ND = 2
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = 1, 2, 3, 4
CALLBACK = ctypes.CFUNCTYPE(None, void_p)

RUNTIME = {
    "aclInit": [c_char_p],
    "aclFinalize": [],
    "aclsysGetCANNVersion": [c_int, void_p],
    "aclsysGetVersionStr": [c_char_p, c_char_p],
    "aclrtGetDeviceCount": [POINTER(c_uint32)],
    "aclrtSetDevice": [c_int32],
    "aclrtGetDevice": [POINTER(c_int32)],
    "aclrtResetDevice": [c_int32],
    "aclrtGetDeviceInfo": [c_uint32, c_int, POINTER(c_int64)],
    "aclrtMalloc": [POINTER(void_p), c_size_t, c_int],
    "aclrtFree": [void_p],
    "aclrtMemcpy": [void_p, c_size_t, void_p, c_size_t, c_int],
    "aclrtMemcpyAsync": [void_p, c_size_t, void_p, c_size_t, c_int, void_p],
    "aclrtMemset": [void_p, c_size_t, c_int32, c_size_t],
    "aclrtCreateStream": [POINTER(void_p)],
    "aclrtDestroyStream": [void_p],
    "aclrtSynchronizeStream": [void_p],
    "aclrtSynchronizeDevice": [],
    "aclrtCreateEventExWithFlag": [POINTER(void_p), c_uint32],
    "aclrtDestroyEvent": [void_p],
    "aclrtRecordEvent": [void_p, void_p],
    "aclrtResetEvent": [void_p, void_p],
    "aclrtStreamWaitEvent": [void_p, void_p],
    "aclrtSynchronizeEvent": [void_p],
    "aclrtQueryEventStatus": [void_p, POINTER(c_int)],
    "aclrtEventElapsedTime": [POINTER(c_float), void_p, void_p],
    "aclrtCreateStreamWithConfig": [POINTER(void_p), c_uint32, c_uint32],
    "aclrtStreamQuery": [void_p, POINTER(c_int)],
    "aclrtLaunchCallback": [CALLBACK, void_p, c_int, void_p],
    "aclrtGetCurrentContext": [POINTER(void_p)],
    "aclrtSetCurrentContext": [void_p],
    "aclrtMallocAlign32": [POINTER(void_p), c_size_t, c_int],
    "aclrtGetMemInfo": [c_int, POINTER(c_size_t), POINTER(c_size_t)],
    "aclrtMallocHost": [POINTER(void_p), c_size_t],
    "aclrtFreeHost": [void_p],
    "aclrtMemsetAsync": [void_p, c_size_t, c_int32, c_size_t, void_p],
    "aclrtGetSysParamOpt": [c_int, POINTER(c_int64)],
    "aclrtSetSysParamOpt": [c_int, c_int64],
    "aclrtSetDeviceSatMode": [c_int],
    "aclGetDeviceCapability": [c_uint32, c_int, POINTER(c_int64)],
    "aclrtGetDeviceResLimit": [c_int32, c_int, POINTER(c_uint32)],
    "aclrtDeviceCanAccessPeer": [POINTER(c_int32), c_int32, c_int32],
    "aclDestroyTensorDesc": [void_p],
    "aclGetTensorDescNumDims": [void_p],
    "aclGetTensorDescDimV2": [void_p, c_size_t, POINTER(c_int64)],
    "ascendsimConfigure": [c_char_p, c_uint32, c_uint64],
}


class Acl:
    """The two libraries, with every status and text at hand."""

    def __init__(self, lib: Path) -> None:
        self.ascendcl = ctypes.CDLL(str(lib / "libascendcl.so"))
        self.opapi = ctypes.CDLL(str(lib / "libopapi.so"))
        for name, types in RUNTIME.items():
            getattr(self.ascendcl, name).argtypes = types
        for name in ("aclGetRecentErrMsg", "aclrtGetSocName"):
            getattr(self.ascendcl, name).restype = c_char_p
        self.opapi.aclCreateTensor.restype = void_p

    def __getattr__(self, name: str) -> Callable[..., int]:
        function: Callable[..., int] = getattr(self.ascendcl, name)
        return function

    def text(self) -> str | None:
        """The text of the latest errors, now forgotten."""
        text = self.ascendcl.aclGetRecentErrMsg()
        return None if text is None else text.decode()

    def malloc(self, size: int) -> int:
        pointer = void_p()
        assert self.aclrtMalloc(byref(pointer), size, 0) == 0, self.text()
        assert pointer.value is not None
        return pointer.value

    def stream(self) -> int:
        pointer = void_p()
        assert self.aclrtCreateStream(byref(pointer)) == 0, self.text()
        assert pointer.value is not None
        return pointer.value

    def upload(self, content: bytes) -> int:
        device = self.malloc(len(content))
        size = len(content)
        assert self.aclrtMemcpy(device, size, content, size, HOST_TO_DEVICE) == 0, self.text()
        return device

    def download(self, device: int, size: int) -> bytes:
        host = ctypes.create_string_buffer(size)
        assert self.aclrtMemcpy(host, size, device, size, DEVICE_TO_HOST) == 0, self.text()
        return host.raw

    def tensor(
        self,
        shape: Sequence[int],
        address: int | None,
        dtype: int,
        *,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        form: int = ND,
    ) -> int:
        """A new tensor object."""
        dims = (c_int64 * len(shape))(*shape)
        steps = None if strides is None else (c_int64 * len(shape))(*strides)
        rank = c_uint64(len(shape))
        made: int | None = self.opapi.aclCreateTensor(
            dims, rank, dtype, steps, c_int64(offset), form, dims, rank, void_p(address)
        )
        assert made is not None, self.text()
        return made

    def increment(self, content: bytes, stream: int | None, count: int | None = None) -> bytes:
        """Launches the test kernel; it fails where ``count`` exceeds 64."""
        source, target = self.upload(content), self.malloc(len(content))
        tiling = self.upload((len(content) if count is None else count).to_bytes(8, "little"))
        self.opapi.aclnnIncrement.argtypes = [void_p] * 4
        assert self.opapi.aclnnIncrement(source, target, tiling, stream) == 0
        result = self.download(target, len(content))
        for device in (source, target, tiling):
            assert self.aclrtFree(device) == 0
        return result


def on_another_thread(action: Callable[[], object]) -> object:
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(action()))
    thread.start()
    thread.join()
    return answers[0]

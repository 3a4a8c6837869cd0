"""Calls of a two-phase operator as a program makes them, with tensors that a case cannot have:
strided, in other formats, without an address, or results without a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_bool, c_double, c_int64, c_uint64
from ctypes import c_void_p as void_p
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tests.simulator.runtime.driver import Acl

FP32, FP16, INT8, INT32, BOOL = 0, 1, 2, 3, 12
NCHW, ND = 0, 2


class Program:
    """Device memory and tensor objects of some calls of ``title``."""

    def __init__(self, acl: Acl, title: str) -> None:
        self.acl, self.title = acl, title
        self._memory: list[int] = []
        assert acl.aclrtSetDevice(0) == 0
        acl.ascendsimConfigure(None, 0, 0)
        while acl.text():
            pass

    def upload(self, array: NDArray[Any]) -> int:
        """The array in device memory."""
        self._memory.append(self.acl.upload(array.tobytes() or b"\0"))
        return self._memory[-1]

    def download(self, address: int, shape: Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
        """An array of device memory."""
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer(self.acl.download(address, count), dtype).reshape(shape)

    def tensor(
        self,
        shape: Sequence[int],
        address: int | None,
        dtype: int = FP32,
        *,
        strides: Sequence[int] | None = None,
        offset: int = 0,
        form: int = ND,
    ) -> int:
        """A new tensor object."""
        return self.acl.tensor(shape, address, dtype, strides=strides, offset=offset, form=form)

    def call(self, *arguments: float | bool | None) -> tuple[int, str]:
        """Both phases and the wait: the last status and its text.

        Tensors are given by their objects, which are large numbers, or None; attributes are small.
        """
        size, executor = c_uint64(), void_p()
        values = [_passed(one) for one in arguments]
        plan = getattr(self.acl.opapi, f"aclnn{self.title}GetWorkspaceSize")
        status: int = plan(*values, byref(size), byref(executor))
        if status == 0:
            workspace = self.acl.malloc(max(size.value, 1))
            status = getattr(self.acl.opapi, f"aclnn{self.title}")(
                void_p(workspace), size, executor, None
            )
            if status == 0:
                status = self.acl.aclrtSynchronizeStream(None)
            assert self.acl.aclrtFree(workspace) == 0
        return status, self.acl.text() or ""

    def call_without(self, missing: str, *arguments: float | bool | None) -> tuple[int, str]:
        """Phase 1 without a place for one of its two results."""
        size, executor = c_uint64(), void_p()
        results = {"workspaceSize": byref(size), "executor": byref(executor)} | {missing: None}
        plan = getattr(self.acl.opapi, f"aclnn{self.title}GetWorkspaceSize")
        status: int = plan(*map(_passed, arguments), *results.values())
        return status, self.acl.text() or ""

    def release(self) -> None:
        """Give the device memory back."""
        while self._memory:
            assert self.acl.aclrtFree(self._memory.pop()) == 0


SMALLEST_ADDRESS = 1 << 20


def _passed(argument: float | bool | None) -> Any:
    if isinstance(argument, bool):
        return c_bool(argument)
    if isinstance(argument, float):
        return c_double(argument)
    if argument is None or argument >= SMALLEST_ADDRESS:
        return void_p(argument)
    return c_int64(argument)

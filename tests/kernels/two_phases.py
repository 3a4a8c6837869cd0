"""Calls of aclnnMoeInitRoutingV2Grad as a program makes them: tensors, phase 1, phase 2, text."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_int64, c_uint64
from ctypes import c_void_p as void_p

import numpy as np

from tests.simulator.runtime.driver import Acl

FP32, INT32 = 0, 3
ROWS, HIDDEN, TOP_K = 4, 8, 2


class Calls:
    """Two tokens of two rows of eight fp32 columns, in device memory; each call may replace what
    it wants to be wrong.
    """

    def __init__(self, acl: Acl) -> None:
        self.acl = acl
        self.c = acl.opapi
        rows = np.arange(ROWS * HIDDEN, dtype=np.float32)
        self.gradient = acl.upload(rows.tobytes())
        self.indices = acl.upload(np.arange(ROWS, dtype=np.int32).tobytes())
        self.out = acl.malloc(ROWS // TOP_K * HIDDEN * 4)
        self.expected = rows.reshape(-1, TOP_K, HIDDEN).sum(axis=1)

    def tensor(
        self,
        shape: Sequence[int],
        address: int | None,
        dtype: int = FP32,
        strides: Sequence[int] | None = None,
        offset: int = 0,
    ) -> int:
        """A new tensor object."""
        return self.acl.tensor(shape, address, dtype, strides=strides, offset=offset)

    def good(self) -> list[int | None]:
        """The three tensors of a call that succeeds."""
        return [
            self.tensor((ROWS, HIDDEN), self.gradient),
            self.tensor((ROWS,), self.indices, INT32),
            self.tensor((ROWS // TOP_K, HIDDEN), self.out),
        ]

    def replaced(self, place: int, tensor: int | None) -> list[int | None]:
        """The good tensors but for one."""
        return [tensor if at == place else one for at, one in enumerate(self.good())]

    def phase1(self, tensors: Sequence[int | None]) -> tuple[int, int, int | None]:
        """Status, bytes of workspace, executor."""
        size, executor = c_uint64(), void_p()
        gradient, indices, out = map(void_p, tensors)
        top_k, zero = c_int64(TOP_K), c_int64(0)
        status: int = self.c.aclnnMoeInitRoutingV2GradGetWorkspaceSize(
            gradient, indices, top_k, zero, zero, out, byref(size), byref(executor)
        )
        return status, size.value, executor.value

    def phase2(self, size: int, executor: int | None) -> int:
        """Status of the submission on the default stream, with a workspace of that size."""
        workspace = self.acl.malloc(max(size, 1))
        status: int = self.c.aclnnMoeInitRoutingV2Grad(
            void_p(workspace), c_uint64(size), void_p(executor), None
        )
        assert self.acl.aclrtFree(workspace) == 0
        return status

    def run(self, tensors: Sequence[int | None]) -> tuple[int, str]:
        """Both phases and the wait: the last status and its text."""
        status, size, executor = self.phase1(tensors)
        if status == 0:
            status = self.phase2(size, executor)
        if status == 0:
            status = self.acl.aclrtSynchronizeStream(None)
        return status, self.acl.text() or ""

    def result(self) -> list[list[float]]:
        """What lies in the output."""
        content = self.acl.download(self.out, self.expected.nbytes)
        values: list[list[float]] = np.frombuffer(content, np.float32).reshape(-1, HIDDEN).tolist()
        return values


def host_memory(size: int) -> ctypes.Array[ctypes.c_char]:
    """Memory that is no device memory."""
    return ctypes.create_string_buffer(size)

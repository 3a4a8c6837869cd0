"""The same call once more, on another stream: who plans it while a call is under way.

It has the inputs in common with that call, and outputs and workspace of its own, which nobody looks
at. What a call keeps for phase two in one place for all calls is its newest by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, c_uint64
from ctypes import c_void_p as pointer
from types import TracebackType
from typing import Any

from conformance.catalogue.device import BESIDE
from conformance.devices.acl import SUCCESS, Acl, AclError
from conformance.devices.messages import Call
from conformance.devices.placement import WORKSPACE, Placement, tensors


class Beside:
    """Planned after a call, submitted after it, waited for last: on leaving."""

    def __init__(self, acl: Acl, placement: Placement, call: Call) -> None:
        self._acl, self._placement, self._call = acl, placement, call
        self._handles: dict[int, int] = {}
        self._executor, self._workspace_bytes = pointer(), c_uint64()
        self._stream: pointer | None = None

    def __enter__(self) -> Beside:
        self._stream = self._acl.create_stream()
        return self

    def plan(self, plan: Any, passed: Callable[[Mapping[int, int]], Sequence[Any]]) -> None:
        """Make phase one; ``passed`` are its arguments with other handles. Raises AclError."""
        for place, tensor in tensors(self._call):
            if tensor.role == "output":
                address = self._placement.apart(place, max(tensor.nbytes, 1))
                self._handles[place] = self._acl.create_tensor(tensor, address)
        arguments = passed(self._handles)
        status = plan(*arguments, byref(self._workspace_bytes), byref(self._executor))
        self._check(self._call.symbol + "GetWorkspaceSize", status)

    def submit(self, execute: Any) -> None:
        """Make phase two. Raises AclError."""
        count = self._workspace_bytes.value
        workspace = self._placement.apart(WORKSPACE, count) if count else None
        executor, self._executor = self._executor, pointer()
        status = execute(workspace, self._workspace_bytes, executor, self._stream)
        self._check(self._call.symbol, status)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait, and give everything back but the memory. Raises AclError."""
        try:
            if kind is None:
                self._acl.call("aclrtSynchronizeStream", self._stream)
        finally:
            if self._executor:
                destroy = self._acl.operator("aclDestroyAclOpExecutor", pointer)
                if destroy is not None:
                    destroy(self._executor)
            for handle in self._handles.values():
                self._acl.destroy_tensor(handle)
            self._acl.call("aclrtDestroyStream", self._stream)

    def _check(self, function: str, status: int) -> None:
        if status != SUCCESS:
            raise AclError(function, status, BESIDE(text=self._acl.message()))

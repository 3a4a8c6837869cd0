"""How long phase two of a call takes on the device, by events of its stream.

Events stand in the stream before and behind phase two, so what the host does before it is left out.
Each repetition makes phase one anew, as an executor serves one phase two.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import POINTER, byref, c_float, c_int, c_uint32
from ctypes import c_void_p as pointer
from types import TracebackType

from conformance.devices.acl import Acl
from conformance.devices.c_functions import declare

TIME_LINE = 0x8
"""ACL_EVENT_TIME_LINE (AscendCL, aclrtCreateEventWithFlag): the event keeps when it was reached."""


class EventTimer:
    """Two events of a stream, created on entering. Raises AclError, and AttributeError from a
    runtime without them.
    """

    def __init__(self, acl: Acl, stream: pointer) -> None:
        self._acl, self._stream = acl, stream
        self._events: list[pointer] = []
        runtime = acl.runtime
        create = (POINTER(pointer), c_uint32)
        self._create = declare(runtime, "aclrtCreateEventWithFlag", c_int, *create)
        self._record = declare(runtime, "aclrtRecordEvent", c_int, pointer, pointer)
        apart = (POINTER(c_float), pointer, pointer)
        self._elapsed = declare(runtime, "aclrtEventElapsedTime", c_int, *apart)
        self._destroy = declare(runtime, "aclrtDestroyEvent", c_int, pointer)

    def __enter__(self) -> EventTimer:
        for _ in range(2):
            event = pointer()
            status = self._create(byref(event), TIME_LINE)
            self._acl.check("aclrtCreateEventWithFlag", status)
            self._events.append(event)
        return self

    def seconds(self, submit: Callable[[], None]) -> float:
        """How long what ``submit`` puts into the stream takes there."""
        start, end = self._events
        self._acl.check("aclrtRecordEvent", self._record(start, self._stream))
        submit()
        self._acl.check("aclrtRecordEvent", self._record(end, self._stream))
        self._acl.call("aclrtSynchronizeStream", self._stream)
        milliseconds = c_float()
        status = self._elapsed(byref(milliseconds), start, end)
        self._acl.check("aclrtEventElapsedTime", status)
        return float(milliseconds.value) / 1000

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for event in self._events:
            self._destroy(event)

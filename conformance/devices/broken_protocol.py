"""What phase two gets of a call that breaks the protocol (`conformance.call.protocol_breach`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_void_p as pointer
from dataclasses import dataclass, replace

from conformance.call.protocol_breach import Breach
from conformance.catalogue import device as say
from conformance.devices.acl import SUCCESS, Acl, AclError
from conformance.devices.messages import Call
from conformance.devices.placement import Placement

MISALIGNED_BY = 32
"""Bytes: half a line of a core's cache."""

MADE_UP_BYTES = 4096


class NotBreakableError(Exception):
    """The library gives no occasion for the breach: why."""


@dataclass(frozen=True)
class Handed:
    """The arguments of phase two; ``waits``: the stream can be waited for."""

    workspace: int | None
    workspace_bytes: int
    executor: pointer | None
    stream: pointer
    waits: bool = True


@contextmanager
def breaking(
    acl: Acl, placement: Placement, call: Call, kept: Handed, run: Callable[[Handed], int]
) -> Iterator[Handed]:
    """What a call hands over otherwise than ``kept``, which has no workspace yet.

    What becomes of phase one's executor in that is noted in it: it is null where it is used up.
    ``run`` makes phase two and waits. Raises AclError, NotBreakableError.
    """
    breach = call.breach or Breach()
    if kept.workspace_bytes == 0 and breach.workspace != "as asked":
        raise NotBreakableError(say.NO_WORKSPACE())
    handed = kept
    streams: list[pointer] = []
    if breach.stream != "own":
        streams.append(acl.create_stream())
        handed = replace(handed, stream=streams[0])
    if breach.stream == "destroyed":
        acl.call("aclrtDestroyStream", streams.pop())
        handed = replace(handed, waits=False)
    made_up = ctypes.create_string_buffer(MADE_UP_BYTES)
    try:
        executor = _executor(breach, acl, kept, ctypes.addressof(made_up))
        if breach.executor == "used":
            first = replace(kept, workspace=_address(placement, call, kept), executor=executor)
            status = run(first)
            acl.check(call.symbol, status)
            placement.send(call)
        workspace, count = _workspace(breach, placement, call, kept)
        yield replace(handed, workspace=workspace, workspace_bytes=count, executor=executor)
    finally:
        for stream in streams:
            acl.call("aclrtDestroyStream", stream)


def _executor(breach: Breach, acl: Acl, kept: Handed, made_up: int) -> pointer | None:
    """What stands for the executor; phase one's is null afterwards if phase two gets it."""
    if breach.executor == "null":
        return None
    if breach.executor == "made up":
        return pointer(made_up)
    assert kept.executor is not None
    executor = pointer(kept.executor.value)
    kept.executor.value = None
    if breach.executor == "destroyed":
        destroy = acl.operator("aclDestroyAclOpExecutor", pointer)
        if destroy is None:
            kept.executor.value = executor.value
            raise NotBreakableError(say.NO_DESTROY())
        if (status := destroy(executor)) != SUCCESS:
            raise AclError("aclDestroyAclOpExecutor", status, acl.message())
    return executor


def _address(placement: Placement, call: Call, kept: Handed) -> int | None:
    return placement.workspace(kept.workspace_bytes, call.setting.memory)


def _workspace(
    breach: Breach, placement: Placement, call: Call, kept: Handed
) -> tuple[int | None, int]:
    """Address and size of the workspace as they are passed."""
    count = kept.workspace_bytes
    if breach.workspace == "null":
        return None, count
    if breach.workspace == "absent":
        return None, 0
    if breach.workspace == "misaligned":
        address = placement.workspace(count + MISALIGNED_BY, call.setting.memory)
        return (address or 0) + MISALIGNED_BY, count
    return _address(placement, call, kept), count - (breach.workspace == "short")

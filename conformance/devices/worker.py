"""The device process: ``python -m conformance.devices.worker COMMANDS REPLIES SEGMENT PARENT``.

Opens the device that the first message names and runs calls until the pipe of commands closes.
The first three arguments are inherited descriptors, the last is the parent's process id.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import signal
import sys
import traceback
from ctypes import c_char_p, c_int32, c_int64, c_uint32, c_uint64
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.devices import messages
from conformance.devices.acl import Acl, AclError
from conformance.devices.aclnn_route import AclnnRoute
from conformance.devices.lifetime import end_with
from conformance.devices.messages import (
    Answer,
    AskLimits,
    AskTimes,
    Call,
    Fault,
    Limits,
    Refused,
    Setup,
    Times,
    Unavailable,
)
from conformance.devices.opening import UnknownDeviceError, acl_of, opened_by
from conformance.devices.package_guard import NotOfThePackage, PackageGuard
from conformance.devices.routes import Route, route_of
from conformance.devices.segment import Segment
from conformance.errors import text_of

if TYPE_CHECKING:
    from conformance.devices.python.route import PythonRoute


def main() -> None:
    """Serve one parent until it closes the pipe or dies."""
    commands, replies, descriptor, parent = map(int, sys.argv[1:5])
    end_with(parent, signal.SIGKILL)  # also while a call hangs
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Should the host run out of memory, this process is the one to end, not the test run.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    setup = messages.receive(commands, messages.REQUESTS)
    if not isinstance(setup, Setup):
        return
    segment = Segment(descriptor)
    if setup.functions is not None:
        from conformance.devices.python.serving import serve

        serve(setup, setup.functions, segment, commands, replies, _run)
        return
    try:
        acl = acl_of(setup)
        guard = None if setup.package is None else PackageGuard(setup.package, setup.kind)
        if guard is not None:
            guard.check_functions(acl.package)
        opened = opened_by(acl, setup)
        words = segment.words()
        acl.leave_last_words(words)
        route = route_of(acl, segment, setup)
    except UnknownDeviceError as error:
        messages.send(replies, Refused(text_of(error), usage=True))
        return
    except (OSError, AttributeError, AclError, ValueError, ImportError, RuntimeError) as error:
        messages.send(replies, Refused(text_of(error), status=getattr(error, "status", 0)))
        return
    room = 0
    _limit_address_space(setup.address_space)
    messages.send(replies, opened)
    while (call := messages.receive(commands, messages.REQUESTS)) is not None:
        if isinstance(call, AskLimits):
            messages.send(replies, _limits(acl, call))
            continue
        if not isinstance(call, Call | AskTimes):
            break
        needed = call.call.sparse_bytes if isinstance(call, AskTimes) else call.sparse_bytes
        if segment.follow() or room != needed:
            room = needed
            _limit_address_space(setup.address_space and setup.address_space + room)
        if isinstance(call, AskTimes):
            messages.send(replies, _times(route, call))
            continue
        answer = _run(route, call)
        if guard is not None and isinstance(answer, Answer):
            try:
                guard.check_loaded(call.symbol)
            except NotOfThePackage as error:
                messages.send(replies, Refused(text_of(error)))
                continue
        messages.send(replies, answer)
    _end(acl, route, setup)


def _run(route: Route | PythonRoute, call: Call) -> Answer | Unavailable | Fault:
    try:
        return route.run(call)
    except MemoryError:
        # What is left cannot be trusted to hold another call; the parent starts a fresh process.
        sys.stderr.write("MemoryError\n")
        sys.stderr.flush()
        os.abort()
    except Exception:
        return Fault(traceback.format_exc())


def _times(route: Route, asked: AskTimes) -> Times | Unavailable | Fault:
    """What the route measures, if it has phases."""
    if not isinstance(route, AclnnRoute):
        return Unavailable(asked.call.symbol)
    try:
        return route.times(asked)
    except Exception:
        return Fault(traceback.format_exc())


def _limits(acl: Acl, asked: AskLimits) -> Limits | Unavailable:
    """What the operator library's own function answers, if it exports one."""
    parameters = (c_char_p, c_int64, c_int32, c_uint32, c_uint64, c_int64)
    answer = acl.operator(asked.symbol, *parameters, answers=c_int64)
    if answer is None:
        return Unavailable(asked.symbol)
    return Limits(tuple(answer(axis.encode(), *rest) for axis, *rest in asked.queries))


def _end(acl: Acl, route: Route, setup: Setup) -> None:
    """Leave the device in order, and without the libraries' static destructors."""
    try:
        route.release()
        acl.call("aclrtResetDevice", setup.device)
        acl.call("aclFinalize")
    except AclError as error:
        sys.stderr.write(f"{error}\n")
    acl.write_counters()
    sys.stderr.flush()
    os._exit(0)


def _limit_address_space(beyond: int) -> None:
    """Cap the address space at what is mapped now plus ``beyond`` bytes; 0 leaves it alone."""
    if beyond:
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (mapped + beyond, hard))


if __name__ == "__main__":
    main()

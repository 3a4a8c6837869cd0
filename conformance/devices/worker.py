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

from conformance.catalogue import device as say
from conformance.devices import messages
from conformance.devices.acl import Acl, AclError
from conformance.devices.lifetime import end_with
from conformance.devices.messages import (
    OWN_KERNELS,
    Answer,
    AskLimits,
    Call,
    Fault,
    Limits,
    Opened,
    Refused,
    Setup,
    Unavailable,
)
from conformance.devices.package_guard import NotOfThePackage, PackageGuard
from conformance.devices.routes import Route, route_of
from conformance.devices.segment import Segment
from conformance.devices.traits import traits_of
from conformance.errors import text_of

if TYPE_CHECKING:
    from conformance.devices.python.route import PythonRoute


class UnknownDeviceError(Exception):
    """The device asked for does not exist."""


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

        serve(setup.functions, segment, commands, replies, _run)
        return
    try:
        for name, value in traits_of(setup.libraries).environment.items():
            # An explicit setting wins; the library reads it when it is loaded.
            os.environ.setdefault(name, value)
        package = setup.package
        acl = Acl(setup.libraries, setup.kernels, setup.first, package.aclnn if package else None)
        guard = None if package is None else PackageGuard(package, setup.kind)
        if guard is not None:
            guard.check_functions(acl.package)
        opened = _open(acl, setup)
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
        if not isinstance(call, Call):
            break
        if segment.follow() or room != call.sparse_bytes:
            room = call.sparse_bytes
            _limit_address_space(setup.address_space and setup.address_space + room)
        answer = _run(route, call)
        if guard is not None and isinstance(answer, Answer):
            try:
                guard.check_loaded(call.symbol)
            except NotOfThePackage as error:
                messages.send(replies, Refused(text_of(error)))
                continue
        messages.send(replies, answer)
    _end(acl, route, setup)


def _open(acl: Acl, setup: Setup) -> Opened:
    """Open the device. Raises AclError, UnknownDeviceError for what is not there."""
    if setup.kind == "sim":
        if not acl.simulated:
            raise OSError(say.NO_SIMULATOR())
        try:
            acl.configure_machine(setup.soc, 0, 0)
        except AclError as error:
            why = error.message or text_of(error)
            raise UnknownDeviceError(say.NO_SUCH_SOC(soc=setup.soc, error=why)) from None
    acl.initialize()
    count = acl.device_count()
    if setup.device >= count:
        raise UnknownDeviceError(say.NO_SUCH_NUMBER(number=setup.device, count=count))
    acl.call("aclrtSetDevice", setup.device)
    return Opened(
        soc=acl.soc_name(),
        vector_cores=acl.vector_cores(setup.device),
        ub_bytes=acl.simulated_ub_bytes() if acl.simulated else None,
        cann=acl.cann_version(),
        libraries={**_loaded("libascendcl.so", "libopapi.so", OWN_KERNELS), **_beside(setup)},
        physical=None if setup.kind == "sim" else acl.physical_number(setup.device),
    )


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


def _beside(setup: Setup) -> dict[str, str]:
    """The libraries that are asked before CANN's general one, by name; where another has the name,
    too, by path."""
    loaded = "\n".join(_maps())
    found: dict[str, str] = {}
    for path in (one for one in setup.first if os.path.realpath(one) in loaded):
        name = os.path.basename(path)
        found[path if name in found else name] = path
    return found


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


def _loaded(*names: str) -> dict[str, str]:
    """The paths from which libraries are mapped into this process, by the name asked for."""
    paths = {line.split(maxsplit=5)[5] for line in _maps() if line.count("/")}
    return {n: p for n in names for p in sorted(paths) if os.path.basename(p).startswith(n)}


def _maps() -> list[str]:
    return Path("/proc/self/maps").read_text().splitlines()


if __name__ == "__main__":
    main()

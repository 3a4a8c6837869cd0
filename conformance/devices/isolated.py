"""A device in a process of its own: what becomes of the process becomes part of the Observation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec

from conformance import poison
from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import device as say
from conformance.catalogue import python_route
from conformance.catalogue.message import unpacked
from conformance.devices.answers import observation_of, of_ended
from conformance.devices.call import call_of
from conformance.devices.card_errors import CLASS
from conformance.devices.child import Child, ChildEndedError
from conformance.devices.device import DeviceProfile
from conformance.devices.forbidden import done, ended, left_behind, told
from conformance.devices.layout import SEGMENT_HEADER, write_elements
from conformance.devices.messages import (
    DTYPES,
    Answer,
    AskLimits,
    AskTimes,
    Call,
    Fault,
    Limits,
    Opened,
    Refused,
    Reply,
    Setup,
    Times,
    Unavailable,
)
from conformance.devices.segment import STEP, Segment
from conformance.devices.time_limits import seconds_for
from conformance.devices.unwritten import in_doubt, settled
from conformance.devices.withheld_calls import why_withheld
from conformance.errors import EnvironmentFailure, LimitsCrash, OperatorUnavailable, text_of
from conformance.printable import warn
from conformance.record.call_rules import Limit
from conformance.record.operator import Operator
from conformance.record.torch_binding import BY_KEYWORDS

OPEN_LIMIT = {"sim": 30.0, "npu": 120.0, "host": 120.0}
"""Seconds within which a device must open: a library that loads, a card that comes out of reset, or
a Python module that imports much, on whatever device."""

MOST_PRINTED = 80
"""Characters that are told of what a Python function prints."""

AHEAD_BYTES = STEP
"""Bytes of the segment that calls may take together which are made ahead."""

ABANDONED = frozenset({"memory-fault", "kernel-crash", "memory-exhausted"})
"""Diagnostics of a kernel that was left where it stood: what it wrote astray before is not known,
so that its process judges nothing more (docs/reference/diagnostics.md)."""


class DeviceRefused(EnvironmentFailure):
    """The device does not open; ``status`` is what the runtime answered, 0 where it did not.

    ``hung``: it answered nothing within `OPEN_LIMIT`.
    """

    def __init__(self, reason: str, status: int = 0, *, hung: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.hung = hung


class NotTimed(Exception):  # noqa: N818 - what became of a call
    """A call was not timed; the text says why."""


class IsolatedDevice:
    """A Device in a child process, which is started anew after it crashed, hung or overate."""

    def __init__(self, setup: Setup, *, time_limit: float, memory_limit: int) -> None:
        self._setup = setup
        self._route = setup.route
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._segment = Segment.create()
        self._child: Child | None = None
        self._profile: DeviceProfile | None = None
        self.physical: int | None = None
        self.offered: tuple[str, ...] = ()
        # Elsewhere the time of a call is not mostly that of asking for it.
        self._alone = setup.kind != "sim" or setup.functions is not None
        # By the number of a case's object, which is no other's while the case is kept.
        self._ahead: dict[int, tuple[Case, Observation]] = {}
        self._told_printed = False
        self._closed = False

    @property
    def profile(self) -> DeviceProfile:
        """What is known of the device; set by ``open``."""
        assert self._profile is not None
        return self._profile

    def open(self) -> Opened:
        """Start the process.

        Raises ValueError for a device that does not exist, EnvironmentFailure where it fails.
        """
        self._segment.forget_last_words()
        package = self._setup.package
        root = package.root if package is not None else None
        limits = (self._setup.kind, self._segment, self._memory_limit)
        self._child = Child(*limits, root, self._setup.python)
        try:
            limited_as = self._setup.kind if self._setup.functions is None else "host"
            reply = self._child.open(self._setup, OPEN_LIMIT[limited_as])
        except ChildEndedError as ended:
            hung = ended.outcome is Outcome.TIMED_OUT
            raise DeviceRefused(ended.detail, hung=hung) from None
        if isinstance(reply, Opened):
            self.physical, self.offered = reply.physical, reply.offered
            return reply
        self._child.kill()
        if isinstance(reply, Refused):
            if reply.usage:
                raise ValueError(unpacked(reply.reason))
            raise DeviceRefused(unpacked(reply.reason), reply.status)
        raise EnvironmentFailure(say.UNEXPECTED(reply=repr(reply)))

    def adopt(self, profile: DeviceProfile) -> None:
        """Keep the profile that was made from what ``open`` answered."""
        self._profile = profile

    def run(self, operator: Operator, case: Case) -> Observation:
        """Run one case; see ``Device.run``."""
        if self._closed:
            raise RuntimeError("the device is closed")
        if (kept := self._ahead.pop(id(case), None)) is not None:
            return kept[1]
        if reason := self._why_not(operator, case):
            return Observation(Outcome.NOT_POSSIBLE, message=reason)
        call = call_of(operator, case, self._route)
        first = self._made(operator, case, call)
        if not in_doubt(first):
            return first
        again = msgspec.structs.replace(call, poison=poison.OUTPUTS_AGAIN)
        return settled(first, self._made(operator, case, again))

    def _why_not(self, operator: Operator, case: Case) -> str:
        """Why a call is not made; "" if it is."""
        unreached = operator.unreached(case) if operator.unreached is not None else ""
        return unreached or why_withheld(operator, case, self.profile)

    def _made(self, operator: Operator, case: Case, call: Call) -> Observation:
        """Make one call of a case. Raises as ``run`` does."""
        self._lay_out(case, call)
        try:
            child, reply = self._ask(call)
        except ChildEndedError as ended:
            return self._of_ended(call, ended)
        if printed := child.printed():
            self._tell_printed(printed, call)
        if isinstance(reply, Answer):
            seen = observation_of(self._segment, call, reply)
            self._segment.empty()
            if self._is_abandoned(seen, reply):
                child.kill()
                return replace(seen, reopened=1)
            left = self._left(case, call, reply)
            return self._with_conduct(seen, operator, case, call, reply, left)
        if isinstance(reply, Unavailable):
            paths = [library.path for library in self.profile.libraries.values()]
            raise OperatorUnavailable(
                say.NOT_AVAILABLE(
                    operator=operator.name,
                    route=self._route,
                    symbol=reply.symbol,
                    libraries=[path for path in paths if path.endswith(".so")],
                )
            )
        if isinstance(reply, Refused):
            child.kill()
            raise EnvironmentFailure(unpacked(reply.reason))
        text = reply.traceback if isinstance(reply, Fault) else repr(reply)
        raise EnvironmentFailure(say.PROCESS_FAILED(error=text))

    def run_ahead(self, operator: Operator, cases: Sequence[Case]) -> None:
        """Make the small ones of these calls one after another; see ``RunsAhead.run_ahead``."""
        self._ahead.clear()
        child = self._child
        if self._alone or self._closed or child is None or not child.alive:
            return
        made: list[tuple[Case, Call]] = []
        for case in cases:
            end = made[-1][1].segment_bytes if made else SEGMENT_HEADER
            # What cannot be asked is told of the case when it is run.
            with suppress(Exception):
                call = self._small_call(operator, case, end)
                if call is not None:
                    self._lay_out(case, call)
                    made.append((case, call))
        limits = [(call, seconds_for(call, self._time_limit)) for _, call in made]
        replies, ended = child.ask_all(limits)
        if ended is None and child.printed():
            self._alone = True  # of which of them? It is told where each is made by itself
            return
        with suppress(Exception):  # told, too, when the case is run
            for (case, call), reply in zip(made, replies, strict=False):
                assert isinstance(reply, Answer)
                seen = observation_of(self._segment, call, reply)
                if self._is_abandoned(seen, reply):
                    child.kill()
                    self._ahead[id(case)] = case, replace(seen, reopened=1)
                    return
                leaves = reply.conduct is not None and reply.conduct.left_bytes
                if not (in_doubt(seen) or leaves):  # such calls are made twice
                    seen = self._with_conduct(seen, operator, case, call, reply)
                    self._ahead[id(case)] = case, seen
            if ended is not None:
                case, call = made[len(replies)]
                self._ahead[id(case)] = case, self._of_ended(call, ended)

    def _of_ended(self, call: Call, ended: ChildEndedError) -> Observation:
        functions = self._setup.functions is not None
        return of_ended(self._segment, call, ended, functions=functions)

    def _small_call(self, operator: Operator, case: Case, start: int) -> Call | None:
        """The call of a case that is laid out from ``start`` on; None for one to be made alone."""
        if case.before or self._why_not(operator, case):
            return None
        call = call_of(operator, case, self._route, start)
        is_small = call.segment_bytes <= AHEAD_BYTES and not call.sparse_bytes
        return call if is_small else None

    def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
        """What the kernels say of their limits; see ``Device.limits``."""
        symbol = f"{operator.title}TilingLimit"
        queries = tuple(
            (one.axis, one.top_k, DTYPES[one.dtype][0], one.cores, one.ub_bytes, one.hidden)
            for one in asked
        )
        self._segment.note(symbol)
        try:
            _, reply = self._ask(AskLimits(symbol, queries))
        except ChildEndedError as ended:
            why = ended.detail.splitlines()[0]
            raise LimitsCrash(say.OF_SYMBOL(symbol=symbol, why=why)) from None
        if not isinstance(reply, Limits):
            raise OperatorUnavailable(say.NOT_EXPORTED(symbol=symbol))
        return reply.values

    def times(self, operator: Operator, case: Case, warm: int, times: int) -> tuple[float, ...]:
        """Seconds of phase two on the device, by events: ``times`` repetitions of a case, after
        ``warm`` that are not measured.

        Raises OperatorUnavailable where the library has no such operator, `NotTimed` where the
        route has no phases, the call does not complete, or the runtime has no events.
        """
        if self._route in BY_KEYWORDS:
            raise NotTimed(say.NO_PHASES(route=self._route))
        call = call_of(operator, case, self._route)
        self._lay_out(case, call)
        self._segment.note(call.symbol)
        try:
            _, reply = self._ask(AskTimes(call, warm, times))
        except ChildEndedError as ended:
            raise NotTimed(ended.detail.splitlines()[0]) from None
        self._segment.empty()
        if isinstance(reply, Times):
            if reply.reason:
                raise NotTimed(unpacked(reply.reason))
            return reply.seconds
        if isinstance(reply, Fault):
            raise EnvironmentFailure(say.PROCESS_FAILED(error=reply.traceback))
        raise OperatorUnavailable(say.NOT_EXPORTED(symbol=call.symbol))

    def renew(self) -> None:
        """End the process in order and start another; see ``Device.renew``."""
        if self._closed:
            raise RuntimeError("the device is closed")
        self._ahead.clear()
        if self._child is not None:
            self._child.close()
        self._restart()

    def close(self) -> None:
        """End the process. Closing twice is harmless."""
        if not self._closed:
            self._closed = True
            if self._child is not None:
                self._child.close()
            self._segment.close()

    def _lay_out(self, case: Case, call: Call) -> None:
        """Put the inputs of a call in the segment."""
        self._segment.reserve(call.segment_bytes)
        for tensor in call.tensors:
            if tensor.role == "input":
                array = case.inputs[tensor.name].held(case.arrays[tensor.name])
                image = self._segment.image(tensor)
                if tensor.is_part:
                    poison.fill(image, poison.INPUT_GAPS)
                write_elements(image, tensor, array)
        self._segment.note("")

    def _tell_printed(self, printed: str, call: Call) -> None:
        """Pass on what a call printed; of Python functions once, as they may print in each call."""
        if self._setup.functions is None:
            warn(printed.removesuffix("\n"))
        elif not self._told_printed:
            self._told_printed = True
            first = printed.lstrip().partition("\n")[0][:MOST_PRINTED]
            count = len(printed.encode())
            warn(python_route.PRINTED(function=call.symbol, count=count, first=first))

    def _is_abandoned(self, seen: Observation, answer: Answer) -> bool:
        """Whether the process judges nothing more after this call."""
        lost = self._setup.kind == "npu" and answer.status in CLASS
        return lost or any(one.code in ABANDONED for one in seen.diagnostics)

    def _with_conduct(
        self,
        seen: Observation,
        operator: Operator,
        case: Case,
        call: Call,
        answer: Answer,
        left: int = 0,
    ) -> Observation:
        """What was observed, with what no call may do; it leaves ``left`` bytes."""
        found = [*done(operator, case, call, answer), *left_behind(left)]
        if not found:
            return seen
        conduct = told(found, own=self._setup.own)
        return replace(seen, diagnostics=(*seen.diagnostics, *conduct))

    def _left(self, case: Case, call: Call, answer: Answer) -> int:
        """Bytes of device memory that the call leaves, and would leave again.

        Whether they are kept for later calls is told by another one, which is made where the first
        has left some; one that does not come to its end tells nothing.
        """
        if answer.conduct is None or not ended(answer) or not answer.conduct.left_bytes:
            return 0
        self._lay_out(case, call)
        try:
            _, second = self._ask(call)
        except ChildEndedError:
            return answer.conduct.left_bytes
        self._segment.empty()
        if not isinstance(second, Answer) or second.conduct is None:
            return answer.conduct.left_bytes
        return min(answer.conduct.left_bytes, second.conduct.left_bytes)

    def _ask(self, call: Call | AskLimits | AskTimes) -> tuple[Child, Reply]:
        """Have the call answered by a process that is there. Raises ChildEndedError."""
        limit = self._time_limit
        if isinstance(call, Call):
            limit = seconds_for(call, limit)
        elif isinstance(call, AskTimes):
            limit = seconds_for(call.call, limit) * (call.warm + call.times)
        child = self._child
        if child is not None and child.alive:
            try:
                return child, child.ask(call, limit)
            except ChildEndedError as ended:
                # A process that was ended while it was idle says nothing of this call.
                if ended.outcome is not Outcome.CRASHED or self._segment.noted():
                    raise
        child = self._restart()
        return child, child.ask(call, limit)

    def _restart(self) -> Child:
        if self._child is not None:
            self._child.kill()
        try:
            self.open()
        except (ValueError, EnvironmentFailure) as error:
            text = say.NOT_OPEN_AGAIN(why=text_of(error))
            status, hung = getattr(error, "status", 0), getattr(error, "hung", False)
            raise DeviceRefused(text, status, hung=hung) from None
        assert self._child is not None
        return self._child

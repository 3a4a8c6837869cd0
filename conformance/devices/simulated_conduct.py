"""What a call has the simulated device do beside its work, counted while it runs.

Another runtime counts nothing: there nothing is told.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import msgspec

from conformance.call.work import work_of
from conformance.devices.acl import Acl, AclError
from conformance.devices.c_structures import Tally
from conformance.devices.messages import Conduct, Failure

_failures = msgspec.json.Decoder(tuple[Failure, ...]).decode


class _Phase:
    """Has what a block changes in the tally added, however the block ends."""

    def __init__(self, acl: Acl, add: Callable[[Tally, Tally], None]) -> None:
        self._acl, self._add = acl, add

    def __enter__(self) -> None:
        self._before = self._acl.tally()

    def __exit__(self, *_: object) -> None:
        after = self._acl.tally()
        if self._before is not None and after is not None:
            self._add(self._before, after)


class ConductCounter:
    """Counts what one call does. ``written_early`` are the outputs that phase 1 has written."""

    def __init__(self, acl: Acl) -> None:
        self._acl = acl
        self._launches = self._tasks = self._left_bytes = 0
        self._waiting = 0
        self.written_early: tuple[str, ...] = ()
        self._work_before = acl.work()
        before = acl.tally()
        self.counts = before is not None
        if before is not None and before.failures:
            acl.take_failures()  # an earlier call's, or the harness's own

    def phase(self, *, works: bool = False) -> _Phase:
        """Count the memory that the block leaves, and what it has the device do if it ``works``."""
        return _Phase(self._acl, self._add_working if works else self._add)

    def _add(self, before: Tally, after: Tally) -> None:
        self._left_bytes += after.held_bytes - before.held_bytes

    def _add_working(self, before: Tally, after: Tally) -> None:
        self._add(before, after)
        self._launches += after.launches - before.launches
        self._tasks += after.tasks - before.tasks

    def leave(self) -> None:
        """Note how many tasks wait in streams that the call left to themselves."""
        self._waiting = self._waits()

    def catch_up(self, *, works: bool = False) -> None:
        """Run the tasks that wait, so that what they do is told, too."""
        if self._waits():
            with self.phase(works=works), suppress(AclError):
                self._acl.call("aclrtSynchronizeDevice")

    def _waits(self) -> int:
        tally = self._acl.tally()
        return 0 if tally is None else tally.waiting

    def conduct(self) -> Conduct | None:
        """What was seen; None from a runtime that counts nothing. Forgets the failures."""
        if (tally := self._acl.tally()) is None:
            return None
        return Conduct(
            launches=self._launches,
            tasks=self._tasks,
            written_early=self.written_early,
            left_bytes=max(self._left_bytes, 0),
            failures=_failures(self._acl.take_failures()) if tally.failures else (),
            waiting=self._waiting,
            work=work_of(self._work_before, self._acl.work()),
        )

"""A constraint on calls, with the calls just inside and just outside."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.record.operator import Rejection

NULL, INVALID, TILING = 161001, 161002, 561002


@dataclass(frozen=True)
class Constraint:
    """A rule, the examples that just keep it, the calls that just break it, and their status.

    ``of`` are parameters: calls in which the shape or value of one alone is changed break the rule,
    in ``modes`` (none: all), if they have the status. ``retyped`` True: only those in which its
    data type is changed, False: only others.
    """

    rule: str
    inside: tuple[str, ...]
    outside: tuple[str, ...] = ()
    status: int = TILING
    routes: tuple[str, ...] = field(default=("aclnn", "kernel"))
    of: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    retyped: bool | None = None

    def names(self, rejections: Iterable[Rejection]) -> tuple[str, ...]:
        """The names of the calls that just break the rule, those that are derived among others."""
        return (*self.outside, *(one.name for one in rejections if self._covers(one)))

    def _covers(self, one: Rejection) -> bool:
        mode = one.case.mode
        changed = re.fullmatch(rf"(\w+) is (.*), {re.escape(mode)}", one.name)
        among = one.status == self.status and (not self.modes or mode in self.modes)
        if changed is None or changed[1] not in self.of or not among:
            return False
        return self.retyped is None or self.retyped == changed[2].isidentifier()


DTYPES = ("float16", "bfloat16", "float32")

"""What a record declares of calls beside its shapes: ranges of numbers, what no rule ties, and
sizes at which the host takes another branch.

From a right call a rejected one follows for each tensor, axis, rank and attribute, but for these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from conformance.record.clause import Clause

if TYPE_CHECKING:
    from conformance.call.case import Case

LESS, MORE = -1, 1
Size = Callable[["Case"], "int | None"]
BOTH = (LESS, MORE)
Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class FreeAxis:
    """An axis of a tensor of ``rank`` axes that may be one less or one more, all else the same.

    Such an axis defines a size of its own. ``ways`` are `LESS`, `MORE` or both.
    """

    tensor: str
    rank: int
    axis: int
    clause: Clause
    ways: tuple[int, ...] = BOTH


@dataclass(frozen=True)
class Ranks:
    """The ranks that a tensor may have in one and the same mode; ``most`` None: any from ``least``.

    A tensor that no `Ranks` names has one rank in each mode.
    """

    tensor: str
    least: int
    most: int | None
    clause: Clause

    def allow(self, rank: int) -> bool:
        """Whether a tensor of that rank may be rejected for its sizes only."""
        return self.least <= rank and (self.most is None or rank <= self.most)


@dataclass(frozen=True)
class FreeAttribute:
    """An attribute that no check looks at, or that only chooses among right calls."""

    attribute: str
    clause: Clause


@dataclass(frozen=True)
class Unseen:
    """A tensor that no check looks at in a call ``without`` another one."""

    tensor: str
    without: str
    clause: Clause


Freedom = FreeAxis | Ranks | FreeAttribute | Unseen


def extent(tensor: str, axis: int) -> Size:
    """The size of an axis of a tensor, as `Range.of`; None where a call has no such axis."""

    def of(case: Case) -> int | None:
        found = {**case.inputs, **case.outputs}.get(tensor)
        return found.shape[axis] if found and len(found.shape) > axis else None

    return of


def just_beyond(end: Number, way: int) -> Number:
    """The next number below (`LESS`) or above (`MORE`) an end of a range.

    Of a float it is the next of float32: a host tiling holds an attribute that is double as that
    (gert::RuntimeAttrs, GetFloat), so its checks cannot tell nearer ones apart.
    """
    if not isinstance(end, float):
        return end + way
    with np.errstate(over="ignore"):
        near = np.float32(end)
        if (float(near) - end) * way <= 0:
            near = np.nextafter(near, np.float32(way * np.inf))
    return type(end)(near)


@dataclass(frozen=True)
class Range:
    """A number of a call that an interface accepts from ``least`` to ``most``, both inclusive.

    An end is a number, what a call says, or None where nothing checks it. ``name`` is an
    attribute's, or that of what ``of(case)`` says; ``at`` is a place in an array of integers.
    """

    name: str
    least: float | Size | None
    most: float | Size | None
    clause: Clause
    of: Size | None = None
    at: int | None = None
    modes: tuple[str, ...] = ()

    def value(self, case: Case) -> float | None:
        """The number of a call; None where the call has none."""
        if self.of is not None:
            return self.of(case)
        value: Any = case.attributes[self.name]
        if self.at is None:
            return float(value) if isinstance(value, float) else int(value)
        return None if value is None or len(value) <= self.at else int(value[self.at])

    def ends(self, case: Case) -> tuple[float | None, float | None]:
        """The least and the most of a call; None: no end."""
        least, most = (end(case) if callable(end) else end for end in (self.least, self.most))
        return least, most


@dataclass(frozen=True)
class Limit:
    """A size at which the host tiling takes another branch, as the record draws around it.

    A kernel under judgement may export a function ``<title>TilingLimit`` that answers ``value`` to
    ``(const char* axis, int64 top_k, int32 dtype, uint32 cores, uint64 ub_bytes, int64 hidden)``;
    parameters that an axis does not depend on are 0. The axis "ub-bytes" is the least unified
    buffer that the tiling accepts.
    """

    axis: str
    value: int
    top_k: int
    dtype: str
    cores: int = 0
    ub_bytes: int = 0
    hidden: int = 0

    def __str__(self) -> str:
        sizes = {"top_k": self.top_k, "cores": self.cores, "UB": self.ub_bytes}
        shown = [
            f"{name} {size}" for name, size in {**sizes, "hidden": self.hidden}.items() if size
        ]
        return f"{self.axis} ({self.dtype}, {', '.join(shown)})"

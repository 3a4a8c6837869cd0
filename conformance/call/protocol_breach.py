"""How a call departs from the protocol of the two phases: plain data that the caller carries out.

A call of an aclnn operator is two: phase one plans it and hands out a size and an executor, phase
two runs it once on a stream, with workspace of that size.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from conformance.catalogue import case as say
from conformance.catalogue.marks import COMMA
from conformance.catalogue.message import row

Place = Literal["given", "null"]
Executor = Literal["handed out", "null", "made up", "destroyed", "used"]
Workspace = Literal["as asked", "null", "absent", "short", "misaligned"]
Stream = Literal["own", "another", "destroyed"]


@dataclass(frozen=True, repr=False)
class Breach:
    """What the caller does otherwise; a field that keeps its default keeps the protocol.

    ``size_place`` and ``executor_place`` are where phase one puts its results. ``executor`` is what
    phase two gets: that of phase one, null, an address of zeros on the host, or that of phase one
    after it was destroyed, or after phase two has run with it. ``workspace`` "null" has the size
    that phase one said, "absent" is null and of 0 bytes, "short" lacks one byte of the size,
    "misaligned" begins 32 bytes behind a multiple of 512. ``stream`` "another" is no stream on
    which the executor was used, "destroyed" is none any more.
    """

    size_place: Place = "given"
    executor_place: Place = "given"
    executor: Executor = "handed out"
    workspace: Workspace = "as asked"
    stream: Stream = "own"

    @property
    def text(self) -> str:
        """How the caller departs from the protocol."""
        departs = (
            DEPARTURES[one.name, value]()
            for one in fields(self)
            if (value := getattr(self, one.name)) != one.default
        )
        return row(departs, COMMA) or say.KEPT()

    def __repr__(self) -> str:
        return str(self.text)


DEPARTURES = {
    ("size_place", "null"): say.SIZE_PLACE_NULL,
    ("executor_place", "null"): say.EXECUTOR_PLACE_NULL,
    ("executor", "null"): say.EXECUTOR_NULL,
    ("executor", "made up"): say.EXECUTOR_MADE_UP,
    ("executor", "destroyed"): say.EXECUTOR_DESTROYED,
    ("executor", "used"): say.EXECUTOR_USED,
    ("workspace", "null"): say.WORKSPACE_NULL,
    ("workspace", "absent"): say.WORKSPACE_ABSENT,
    ("workspace", "short"): say.WORKSPACE_SHORT,
    ("workspace", "misaligned"): say.WORKSPACE_MISALIGNED,
    ("stream", "another"): say.STREAM_ANOTHER,
    ("stream", "destroyed"): say.STREAM_DESTROYED,
}
KEPT = Breach()
"""No departure."""

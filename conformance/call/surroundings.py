"""What a call may find around it without its result being another: memory, determinism, streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from conformance.catalogue import case as say
from conformance.catalogue.marks import COMMA
from conformance.catalogue.message import row

Memory = Literal["poisoned", "zeroed", "as left"]
POISONED: Final = "poisoned"
ZEROED: Final = "zeroed"
AS_LEFT: Final = "as left"
Stream = Literal["own", "default", "beside another"]
OWN: Final = "own"
DEFAULT: Final = "default"
BESIDE: Final = "beside another"
LEVELS = (0, 1, 2, 3)
"""Values of ACL_OPT_DETERMINISTIC."""
BATCH_INVARIANT: Final = 3
"""The level at which a result does not depend on the batch that it is computed in, either."""


@dataclass(frozen=True, repr=False)
class Setting:
    """The surroundings of a call. A right kernel computes the same in each of them.

    ``memory`` is what outputs and workspace hold before the call: "poisoned" (NaN in every format,
    beyond every index: `conformance.poison`) or "zeroed"; or "as left" by the calls before, or by
    the allocation. What a call left unwritten is told under the first alone.
    ``determinism`` is the runtime's ACL_OPT_DETERMINISTIC, 0 to 3.
    ``stream`` is that of phase two: one that the caller created, or the default stream; or one that
    the caller created while the same call, with outputs and workspace of its own, has been planned
    after it and is submitted after it to another stream. PyTorch chooses its stream itself.
    """

    memory: Memory = POISONED
    determinism: int = 0
    stream: Stream = OWN

    @property
    def text(self) -> str:
        """What is not as usual."""
        told = [] if self.memory == POISONED else [MEMORIES[self.memory]()]
        told += [say.DETERMINISM(level=self.determinism)] if self.determinism else []
        told += [] if self.stream == OWN else [STREAMS[self.stream]()]
        return row(told or [say.POISONED()], COMMA)

    def __repr__(self) -> str:
        return str(self.text)


MEMORIES = {POISONED: say.POISONED, ZEROED: say.ZEROED, AS_LEFT: say.AS_LEFT}
STREAMS = {OWN: say.OWN, DEFAULT: say.DEFAULT, BESIDE: say.BESIDE}
USUAL = Setting()

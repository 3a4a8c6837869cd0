"""What tells operators that sort slots and copy rows from one another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.case import Case

Call = Callable[..., Case]


@dataclass(frozen=True, eq=False)
class Windows:
    """Which ranks the calls of an operator keep, as levels of every mode that sorts.

    * ``levels``: of each mode; the first one is shown by every case of it.
    * ``least_slots``: the fewest slots in which a level of a mode is told from others.
    * ``attributes``: what a call of mode, level and slots says of them; two more numbers choose
      among the calls that show the level.
    * ``shown``: the levels that a case shows.
    """

    levels: Mapping[str, tuple[str, ...]]
    least_slots: Callable[[str, str], int]
    attributes: Callable[[str, str, int, int, int], dict[str, Any]]
    shown: Callable[[Case], set[str]]


@dataclass(frozen=True, eq=False)
class TokenPermute:
    """One operator: how it is called, what it keeps, and what the vendor's tiling of it does.

    * ``call``: makes a case of mode, dtype, sizes and what the windows say.
    * ``probs``: whether slots may have probabilities, too.
    * ``reserved_bytes``: of the buffer, what the vendor keeps back from rows.
    * ``batches``: whether sources tell how the vendor takes tokens together and rows in parts.
    * ``edge_modes``: modes in which the edges of both tilings are met; all share one kernel.
    """

    call: Call
    windows: Windows
    probs: bool
    reserved_bytes: int
    batches: bool
    edge_modes: tuple[str, ...]

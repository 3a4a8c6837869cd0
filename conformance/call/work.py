"""What a call had the simulated device do: exact counts, the same on every host and every time.

They are of the kernel's program (device_kernels/simulator/language/engine/order/work.h): neither
the schedule of pipes nor the order of blocks changes them. docs/reference/work.md says what each
counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

COUNTS = (
    "blocks",
    "scalar_bytes",
    "mte2_bytes",
    "mte3_bytes",
    "vector_bytes",
    "scalar_accesses",
    "mte2_instructions",
    "mte3_instructions",
    "vector_instructions",
    "barriers",
    "waits",
    "meetings",
    "most_scalar_bytes",
    "most_mte2_bytes",
    "most_mte3_bytes",
    "most_vector_bytes",
    "chain",
    "chain_bytes",
)
"""The counts in the order in which ``ascendsimWork`` tells them. ``blocks`` to ``meetings`` are of
all blocks, ``most_...`` of the block that has most, the chains of the
longest one. Those of a call's launches are added."""

Work = Mapping[str, int]
"""The counts of a call, by name."""


def work_of(before: Sequence[int], after: Sequence[int]) -> dict[str, int] | None:
    """The counts between two readings; None of a device that counts nothing, and of no launch."""
    counts = dict(zip(COUNTS, (b - a for a, b in zip(before, after, strict=True)), strict=False))
    return counts if counts.get("blocks") else None

"""The work of random programs, from a graph that has a node for every instruction.

A node comes behind its sources; how far it lies is the longest way to it. The rules are those of
docs/reference/work.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.call.work import COUNTS
from tests.simulator.happens_before import PIPES
from tests.simulator.random_programs import (
    BARRIER,
    BARRIERS,
    COPY_BACK,
    COPY_IN,
    COPY_OUT,
    EVENTS,
    SET,
    WAIT,
    Step,
    accesses,
)

FILLED = 128
"""Bytes of UB that the kernel fills before its first step, by an instruction of V."""

Node = tuple[int, int]
"""The longest ways to a node: in instructions, and in bytes."""


@dataclass
class BlockWork:
    """The counts of a block, and the last node of each pipe."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    last: dict[str, Node] = field(default_factory=lambda: dict.fromkeys(PIPES, (0, 0)))
    flags: dict[tuple[int, int], Node] = field(default_factory=dict)

    def issue(self, pipe: str, moved: int, length: int) -> None:
        """An instruction that moves bytes of global memory, and has ``length`` bytes in all."""
        instructions, so_far = behind(self.last[pipe], self.last["S"])
        self.last[pipe] = (instructions + 1, so_far + length)
        name = {"S": "scalar_accesses", "V": "vector_instructions"}.get(pipe)
        self.counts[name or f"{pipe.lower()}_instructions"] += 1
        if pipe.startswith("MTE"):
            self.counts[f"{pipe.lower()}_bytes"] += moved
        if pipe == "V":
            self.counts["vector_bytes"] += length

    def barrier(self, pipe: str) -> None:
        self.counts["barriers"] += 1
        if pipe == "ALL":
            self.last = dict.fromkeys(PIPES, behind(*self.last.values()))

    def step(self, step: Step) -> None:
        kind, x, y, z = step
        if kind == BARRIER:
            self.barrier(BARRIERS[x])
        elif kind == SET:
            source = EVENTS[x].split("_")[0]
            self.flags[x, y] = behind(self.last[source], self.last["S"])
        elif kind == WAIT:
            waiter = EVENTS[x].split("_")[1]
            self.counts["waits"] += 1
            self.last[waiter] = behind(self.last[waiter], self.flags.pop((x, y)))
        else:
            pipe, touched = accesses(step)
            moved = 4 * z if kind in (COPY_IN, COPY_OUT, COPY_BACK) else 0
            operands = sum(one.end - one.start for one in touched)
            self.issue(pipe, moved, operands if pipe == "V" else moved)


def behind(*sources: Node) -> Node:
    return max(one for one, _ in sources), max(other for _, other in sources)


def work_of_programs(programs: Sequence[Sequence[Step]]) -> dict[str, int]:
    """The counts of a launch of the test kernel ``script``, a block for each program."""
    counts = dict.fromkeys(COUNTS, 0)
    for program in programs:
        block = BlockWork()
        block.issue("V", 0, FILLED)
        block.barrier("ALL")
        for step in program:
            block.step(step)
        block.barrier("ALL")  # the TPipe ends
        block.counts["blocks"] = 1
        block.counts["chain"], block.counts["chain_bytes"] = block.last["S"]
        for pipe in ("scalar", "mte2", "mte3", "vector"):
            block.counts[f"most_{pipe}_bytes"] = block.counts[f"{pipe}_bytes"]
        for name, count in block.counts.items():
            is_longest = name.startswith(("most_", "chain"))
            counts[name] = max(counts[name], count) if is_longest else counts[name] + count
    return counts

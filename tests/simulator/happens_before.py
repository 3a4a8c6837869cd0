"""Which accesses of a simulated launch nothing orders: exact, slow, and without any clock.

Every instruction becomes two nodes of a graph, its start and its end, and every rule of the device
an edge; two accesses are in order where a path leads from the end of one to the start of the other.
Bytes are the bits of one large integer per access. The rules are those of
docs/reference/diagnostics.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

PIPES = ("S", "V", "MTE2", "MTE3")


@dataclass(frozen=True)
class Touched:
    """Bytes of a memory that an instruction reads (r), writes (w) or atomically adds to (a)."""

    kind: str
    memory: str
    start: int
    end: int

    @property
    def bits(self) -> int:
        return (1 << self.end) - (1 << self.start)


@dataclass
class Instruction:
    """``label`` is whatever names it to the caller; ``begins`` and ``ends`` are nodes."""

    label: object
    pipe: str
    block: int
    phase: int
    touched: list[Touched]
    begins: int = 0
    ends: int = 0


@dataclass
class Graph:
    """``before[node]``: the nodes from which a path leads to it, as bits."""

    before: list[int] = field(default_factory=list)

    def node(self, sources: Iterable[int]) -> int:
        """A new node behind all of ``sources``."""
        reached = 0
        for source in sources:
            reached |= self.before[source] | 1 << source
        self.before.append(reached)
        return len(self.before) - 1

    def ordered(self, earlier: int, later: int) -> bool:
        return bool(self.before[later] >> earlier & 1)


class Block:
    """The events of one block, in program order: the order in which its scalar unit issues them."""

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph, self.index, self.phase = graph, index, 0
        self.issued = graph.node([])
        self.gates = dict.fromkeys(PIPES, self.issued)
        self.ended: dict[str, list[int]] = {pipe: [] for pipe in PIPES}
        self.flags: dict[tuple[str, str, int], int] = {}

    def execute(self, label: object, pipe: str, touched: Sequence[Touched]) -> Instruction:
        own = self.ended["S"] if pipe == "S" else []
        begins = self.graph.node([self.issued, self.gates[pipe], *own])
        ends = self.graph.node([begins])
        # The scalar unit does one after the other: its last end is behind all others.
        if pipe == "S":
            self.ended[pipe].clear()
        self.ended[pipe].append(ends)
        return Instruction(label, pipe, self.index, self.phase, list(touched), begins, ends)

    def set_flag(self, source: str, waiter: str, identity: int) -> None:
        behind = [self.issued, self.gates[source], *self.ended[source]]
        self.flags[source, waiter, identity] = self.graph.node(behind)

    def wait_flag(self, source: str, waiter: str, identity: int) -> None:
        flag = self.flags.pop((source, waiter, identity))
        passed = self.graph.node([self.issued, self.gates[waiter], flag])
        self.gates[waiter] = passed
        if waiter == "S":
            self.issued = passed

    def barrier(self, pipe: str) -> None:
        pipes = PIPES if pipe == "ALL" else (pipe,)
        behind = [end for one in pipes for end in (self.gates[one], *self.ended[one])]
        passed = self.graph.node([self.issued, *behind])
        for one in pipes:
            self.gates[one] = passed
            self.ended[one] = []  # all of them are before the gate
        if pipe == "ALL":
            self.issued = passed

    def sync(self) -> None:
        self.phase += 1


def conflicts(one: Touched, other: Touched) -> bool:
    if one.memory != other.memory or one.kind == other.kind != "w":
        return False
    return bool(one.bits & other.bits)


def unordered(
    graph: Graph, instructions: Sequence[Instruction]
) -> list[tuple[Instruction, Instruction]]:
    """The pairs of instructions, in the order given, that conflict and that nothing orders."""
    found = []
    for later, second in enumerate(instructions):
        for first in instructions[:later]:
            same = first.block == second.block
            if same and graph.ordered(first.ends, second.begins):
                continue
            if not same and first.phase != second.phase:
                continue
            if any(
                (same or one.memory != "ub") and conflicts(one, other)
                for one in first.touched
                for other in second.touched
            ):
                found.append((first, second))
    return found


def has_unordered(graph: Graph, instructions: Sequence[Instruction]) -> bool:
    """Whether `unordered` would find any.

    A write of a byte that comes after all that was done to it stands for that: what comes after
    the write comes after the rest, too. So each access meets those of its bytes since the last
    write, of its own block; of other blocks it meets all.
    """
    accesses: dict[tuple[str, int], list[tuple[Touched, Instruction]]] = {}
    for instruction in instructions:
        for touched in instruction.touched:
            private = instruction.block if touched.memory == "ub" else -1
            accesses.setdefault((touched.memory, private), []).append((touched, instruction))
    return any(_meets_unordered(graph, found) for found in accesses.values())


def _meets_unordered(graph: Graph, accesses: Sequence[tuple[Touched, Instruction]]) -> bool:
    """`has_unordered` of the accesses to one memory, in order."""
    ends = sorted({end for one, _ in accesses for end in (one.start, one.end)})
    kept: list[dict[str, list[Instruction]]] = [{"r": [], "w": [], "a": []} for _ in ends]
    for touched, later in accesses:
        kinds = [kind for kind in "rwa" if kind != touched.kind or kind == "w"]
        for place in range(bisect_left(ends, touched.start), bisect_left(ends, touched.end)):
            before = kept[place]
            for earlier in (one for kind in kinds for one in before[kind]):
                same = earlier.block == later.block
                if same and earlier is not later and not graph.ordered(earlier.ends, later.begins):
                    return True
                if not same and earlier.phase == later.phase:
                    return True
            if touched.kind == "w":
                for kind, ones in before.items():
                    before[kind] = [one for one in ones if one.block != later.block]
            before[touched.kind].append(later)
    return False


def read_trace(lines: Iterable[str]) -> Iterator[tuple[Graph, list[Instruction]]]:
    """For each launch in a file that ASCENDSIM_TRACE named, its graph and its instructions."""
    launch: list[list[str]] = []
    for line in lines:
        event = line.split()
        if event[0] == "launch" and launch:
            yield _launch(launch)
            launch = []
        elif event[0] != "launch":
            launch.append(event)
    if launch:
        yield _launch(launch)


def _launch(events: Iterable[list[str]]) -> tuple[Graph, list[Instruction]]:
    graph, blocks = Graph(), dict[int, Block]()
    instructions: dict[int, Instruction] = {}
    for event, index, *rest in events:
        if int(index) not in blocks:
            blocks[int(index)] = Block(graph, int(index))
        block = blocks[int(index)]
        if event == "access":
            _, pipe, number, kind, *memory, start, end = rest
            touched = Touched(kind, " ".join(memory), int(start), int(end))
            if int(number) in instructions:
                instructions[int(number)].touched.append(touched)
            else:
                instructions[int(number)] = block.execute(int(number), pipe, [touched])
        elif event == "set":
            block.set_flag(rest[0], rest[1], int(rest[2]))
        elif event == "wait":
            block.wait_flag(rest[0], rest[1], int(rest[2]))
        elif event == "barrier":
            block.barrier(rest[0])
        else:
            block.sync()
    return graph, list(instructions.values())

"""What a host tiling must hold of any call: the vocabulary of the operators' descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

BLOCK_BYTES = 32
"""A copy to or from the unified buffer begins on a block, and a buffer takes whole ones."""

COPY_BLOCKS = 4095
"""The most blocks, here rows, of one copy."""

REPEATS = 255
"""The most repeats of one instruction."""

WORKSPACE_ALIGNMENT = 512


@dataclass(frozen=True)
class Cut:
    """``size`` things in pieces of ``step``, the last one shorter.

    A piece has at most as many as one instruction takes; one that is followed by another has a
    ``multiple``. If it is ``rounded``, so has a single one, which may be more than there is.
    """

    size: int
    step: int
    most: int | None = None
    multiple: int = 1
    rounded: bool = False

    @property
    def count(self) -> int:
        return -(-self.size // self.step) if self.size else 0

    def broken(self) -> Iterator[str]:
        if self.size < 0 or (self.size > 0 and self.step < 1):
            yield f"{self.size} in pieces of {self.step}"
        elif self.most is not None and self.step > self.most:
            yield f"pieces of {self.step} are more than {self.most}"
        elif (self.count > 1 or self.rounded) and self.step % self.multiple:
            yield f"pieces of {self.step} are no multiple of {self.multiple}"
        elif 0 < (round_up(self.size, self.multiple) if self.rounded else self.size) < self.step:
            yield f"pieces of {self.step} of only {self.size}"


@dataclass
class Work:
    """What one tiling says, in the terms in which it can be wrong.

    ``cuts``: how an axis is cut, by the name of its pieces. ``launches``: blocks that are launched,
    and those that each step of the kernel keeps busy. ``buffers``: bytes of each buffer that a core
    has at the same time, by step. ``workspace``: its bytes, and first byte and bytes of what lies
    in it. ``says``: what is said and what must be, by name. ``counts``: other numbers that change
    at a limit.
    """

    cuts: dict[str, Cut] = field(default_factory=dict)
    launches: dict[str, tuple[int, list[int]]] = field(default_factory=dict)
    buffers: dict[str, list[int]] = field(default_factory=dict)
    workspace_bytes: int = 0
    workspace: list[tuple[int, int]] = field(default_factory=list)
    says: dict[str, tuple[int, int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, name: str) -> int:
        """The number of pieces of such a name, or another number."""
        return self.counts[name] if name in self.counts else self.cuts[name].count

    def broken(self, cores: int, ub_bytes: int) -> list[str]:
        """What does not hold on such a machine, in words."""
        return [
            *(f"{name}: {told}" for name, cut in self.cuts.items() for told in cut.broken()),
            *(
                f"{name}: {used} blocks of {cores}, {busy} are busy"
                for name, (used, busy) in self.launches.items()
                if not max(busy) == used <= cores
            ),
            *(
                f"{name}: buffers {each} are more than {ub_bytes}"
                for name, each in self.buffers.items()
                if sum(map(in_blocks, each)) > ub_bytes or min(each) < 0
            ),
            *self._workspace_broken(),
            *(f"{name}: {said}, not {must}" for name, (said, must) in self.says.items()
              if said != must),
        ]  # fmt: skip

    def _workspace_broken(self) -> Iterator[str]:
        room = 0
        for start, size in sorted(self.workspace):
            if start != room:
                yield f"workspace: a part begins at {start}, not at {room}"
            room = round_up(start + size, WORKSPACE_ALIGNMENT)
        if self.workspace_bytes != room:
            yield f"workspace: {self.workspace_bytes} bytes, not {room}"


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def in_blocks(size: int) -> int:
    """Bytes of a buffer, in whole blocks."""
    return round_up(size, BLOCK_BYTES)


def merge_levels(runs: int) -> int:
    """How often four lists at a time become one, until one is left."""
    count = 0
    while runs > 1:
        runs, count = -(-runs // 4), count + 1
    return count

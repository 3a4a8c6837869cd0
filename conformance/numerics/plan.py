"""A declared order as a program over few registers: what a sum needs in the cache at one time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from conformance.numerics.order import Merges


@dataclass(frozen=True)
class Load:
    """Put the term of ``slot`` into ``register``."""

    slot: int
    register: int


@dataclass(frozen=True)
class Add:
    """Add register ``origin`` to register ``into``; ``origin`` is free afterwards."""

    into: int
    origin: int


@dataclass(frozen=True)
class Plan:
    """Loads and additions in an order that keeps few registers alive; the sum ends in register 0.

    Independent additions are reordered, and the two sides of one may be exchanged, neither of which
    changes a bit of the sum (the payload of a NaN is not a value). Left to right takes two
    registers for any number of slots, a balanced tree their logarithm.
    """

    steps: tuple[Load | Add, ...]
    registers: int


@dataclass(frozen=True)
class _Node:
    """A subtree: its slot if it is a leaf, its two sides if not, and the registers it needs."""

    slot: int
    needs: int
    sides: tuple[_Node, _Node] | None = None


def compile_merges(merges: Merges, slots: int, left_out: Iterable[int] = ()) -> Plan:
    """The plan of merges that `order.validate` accepts, of all slots but those ``left_out``: of one
    at least.
    """
    return _compiled(tuple(merges), slots, frozenset(left_out))


@lru_cache(maxsize=64)
def _compiled(merges: tuple[tuple[int, int], ...], slots: int, left_out: frozenset[int]) -> Plan:
    """`compile_merges`, made once: most calls with as many slots add them in one order."""
    nodes = [None if slot in left_out else _Node(slot, 1) for slot in range(slots)]
    for into, origin in merges:
        one, other = nodes[into], nodes[origin]
        if one is None or other is None:
            nodes[into] = one or other
            continue
        first, second = (one, other) if one.needs >= other.needs else (other, one)
        needs = max(first.needs, second.needs + 1)
        nodes[into] = _Node(-1, needs, (first, second))
    root = nodes[0]
    assert root is not None
    return Plan(tuple(_steps(root)), root.needs)


def _steps(root: _Node) -> Iterator[Load | Add]:
    """Post-order, without recursion: an order of thousands of slots is as deep as that.

    A subtree that begins at register r leaves its sum there and uses r and higher ones only.
    """
    stack: list[tuple[_Node, int] | Add] = [(root, 0)]
    while stack:
        work = stack.pop()
        if isinstance(work, Add):
            yield work
            continue
        node, register = work
        if node.sides is None:
            yield Load(node.slot, register)
            continue
        first, second = node.sides
        stack.append(Add(register, register + 1))
        stack.append((second, register + 1))
        stack.append((first, register))

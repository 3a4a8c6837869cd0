"""A cluster without Ray, for the logic: workers that say what a test wants, on nodes that come and
go; and what a run does with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from conformance.ray.cluster import Lost, Node
from conformance.ray.dealing import Dealing, Group
from conformance.ray.farm import Farm
from conformance.ray.messages import Do, Ended, Job, Message, Ready, Reported, Written, encode

JOB = Job((), {}, "/", 1)
A, B, C = (Node(name * 32, f"host-{name}", 1) for name in "abc")
decode_do = msgspec.msgpack.Decoder(Do).decode


@dataclass(eq=False)
class Worker:
    """A worker: what it was started with, and what it does with items."""

    node: Node
    name: str
    probes: bool
    elapsed: float | None
    judges: dict[str, Any]
    does: Callable[[Worker, str], list[Message]]
    given: list[Do] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    greeted: bool = False
    gone: str = ""
    ended: bool = False

    def say(self) -> list[bytes]:
        """What it says now; it judges one item at a time."""
        if self.gone:
            raise Lost(self.gone)
        if not self.greeted:
            self.greeted = True
            return [encode(Ready(judges=self.judges))]
        if not self.given:
            return []
        if not self.given[0].items:
            self.given.pop(0)
            return []
        item = self.given[0].items.pop(0)
        if not self.given[0].items and not self.given[0].last:
            self.given.pop(0)
        self.judged.append(item)
        said = self.does(self, item)
        if self.gone:
            raise Lost(self.gone)
        return [encode(one) for one in said]


def judges(worker: Worker, item: str, failure: str = "") -> list[Message]:
    """What a worker says that judges an item."""
    line = b'{"kind":"item","item":"%b"}' % item.encode()
    told = Reported(report=item.encode())
    return [Written(kind="item", line=line), told, Ended(item=item, failure=failure)]


class FakeCluster:
    """A cluster whose nodes a test changes: ``happens`` is called before each wait."""

    def __init__(
        self,
        *nodes: Node,
        does: Callable[[Worker, str], list[Message]] = judges,
        happens: Callable[[FakeCluster], None] = lambda cluster: None,
    ) -> None:
        self.alive = list(nodes)
        self.workers: list[Worker] = []
        self.judges_on: dict[str, dict[str, Any]] = {}
        self.now = 0.0
        self._does = does
        self._happens = happens

    def nodes(self) -> list[Node]:
        return list(self.alive)

    def start(self, node: Node, job: Job, worker: str, probes: bool, elapsed: float | None) -> Any:
        known = self.judges_on.get(node.id, {"sources": "ours"})
        made = Worker(node, worker, probes, elapsed, known, self._does)
        if node not in self.alive:
            made.gone = "node is gone"
        self.workers.append(made)
        return made

    def tell(self, worker: Worker, given: Sequence[bytes]) -> Any:
        worker.given += map(decode_do, given)
        return (worker,)

    def wait(self, awaited: Sequence[Any], seconds: float) -> list[Any]:
        self.now += 1.0
        assert self.now < 1000, "the run does not end"
        self._happens(self)
        return list(awaited)

    def get(self, awaited: Any) -> list[bytes]:
        said: list[bytes] = awaited[0].say()
        return said

    def end(self, worker: Worker) -> None:
        worker.ended = True
        worker.gone = worker.gone or "ended"

    def lose(self, node: Node) -> None:
        """A node dies, with all that runs there."""
        self.alive = [one for one in self.alive if one != node]
        for worker in self.workers:
            if worker.node == node:
                worker.gone = f"{node.name} is gone"


@dataclass
class FakeDesk:
    """Remembers what it is given."""

    lines: list[tuple[str, bytes]] = field(default_factory=list)
    reports: dict[str, list[bytes]] = field(default_factory=dict)
    losses: list[tuple[str, str, str, list[str]]] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    known: dict[str, bytes] = field(default_factory=dict)

    def differs(self, judges: dict[str, Any]) -> list[str]:
        return [] if judges == {"sources": "ours"} else ["sources"]

    def other_device(self, line: bytes) -> str:
        return "" if b"ours" in line else "another device"

    def write(self, worker: str, line: bytes) -> None:
        self.lines.append((worker, line))

    def keep(self, path: str, content: bytes) -> None:
        self.files[path] = content

    def report(self, item: str, reports: list[bytes]) -> None:
        assert item not in self.reports, "an item is reported once"
        self.reports[item] = reports

    def crashed(self, worker: str, item: str) -> None:
        self.crashes.append(item)

    def lost(self, worker: str, node: str, reason: str, items: list[str]) -> None:
        self.losses.append((worker, node, reason, items))

    def worked_out(self, known: dict[str, bytes]) -> None:
        self.known |= known


def items(count: int) -> list[str]:
    return [f"item{number}" for number in range(count)]


def farm(
    cluster: FakeCluster, count: int, *, most: int = 0, first: int = 0
) -> tuple[Farm, FakeDesk, Dealing]:
    """A run of so many items that share nothing."""
    dealing = Dealing([Group((one,), whole=False) for one in items(count)])
    desk = FakeDesk()
    made = Farm(cluster, dealing, desk, JOB, most=most, first=first, clock=lambda: cluster.now)
    return made, desk, dealing


def go_on() -> bool:
    return False

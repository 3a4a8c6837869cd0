"""The workers of a run on a cluster: started where there is room, told what to judge, replaced."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from conformance.catalogue import on_ray as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.errors import EnvironmentFailure
from conformance.ray.cluster import Cluster, Lost, Node
from conformance.ray.dealing import TRIES, Dealing
from conformance.ray.messages import (
    Bundled,
    Closed,
    Do,
    Ended,
    Gone,
    Job,
    Ready,
    Reported,
    Written,
    decode,
    encode,
)

LOOK_SECONDS = 1.0
"""Between two looks at which nodes live."""

SILENT_SECONDS = 20.0
"""How long nothing is started on a node that a worker was lost on: Ray may not know yet that the
node is gone."""

END_SECONDS = 20.0
"""How long sessions have to end by themselves."""

GONE_SECONDS = 5.0
"""How long a worker that is ended may live."""

SESSIONS = 2 * TRIES
"""How many sessions in a row may end on a node without an item that ended: more than one item."""

STARTS = 2
"""How often a worker is started on a node where none says anything: the suite may not be there."""


class Desk(Protocol):
    """Where everything goes that workers say: the run's one folder, and pytest's hooks."""

    def differs(self, judges: dict[str, Any]) -> list[str]:
        """What decides verdicts and is otherwise there than here, by name."""

    def other_device(self, line: bytes) -> str:
        """Why the device of this line must not judge in the run; empty if it may."""

    def write(self, worker: str, line: bytes) -> None:
        """Put a line on record. Raises `EnvironmentFailure`."""

    def keep(self, path: str, content: bytes) -> None:
        """Keep a file of a failure's bundle."""

    def report(self, item: str, reports: list[bytes]) -> None:
        """An item has ended; these are pytest's reports of it."""

    def crashed(self, worker: str, item: str) -> None:
        """An item has lost as many workers as it may."""

    def lost(self, worker: str, node: str, reason: str, items: list[str]) -> None:
        """A worker judges no more; others judge its items."""

    def worked_out(self, known: dict[str, bytes]) -> None:
        """What spares this process work."""


@dataclass(eq=False)
class _Worker:
    name: str
    node: Node
    of_ray: Any
    probes: bool
    awaited: Any = None
    ready: bool = False
    closing: bool = False
    given: list[str] = field(default_factory=list)
    reports: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))


class Farm:
    """All workers of a run; ``most`` is how many may judge at once, 0: as many as there is room."""

    def __init__(
        self,
        cluster: Cluster,
        dealing: Dealing,
        desk: Desk,
        job: Job,
        *,
        most: int = 0,
        first: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``first`` is the number of the first worker."""
        self._cluster = cluster
        self._dealing = dealing
        self._desk = desk
        self._job = job
        self._most = most
        self._number = first
        self._clock = clock
        self._workers: list[_Worker] = []
        self._apart: list[_Worker] = []
        self._nodes: list[Node] = []
        self._looked = -LOOK_SECONDS
        self._refused: set[str] = set()
        self._silent: dict[str, float] = {}
        self._in_vain: dict[str, int] = defaultdict(int)
        self._reasons: dict[str, None] = {}
        self._probed = False
        self._began: float | None = None

    def run(self, stopped: Callable[[], bool]) -> None:
        """Have all items judged, or as many as end before it is ``stopped``.

        Raises `EnvironmentFailure` where items are left and no worker is.
        """
        try:
            while self._dealing.open and not stopped():
                self._start()
                self._hear(LOOK_SECONDS)
            self._close()
        finally:
            self._end_all()

    def _end_all(self) -> None:
        """End all workers, and wait until those that are to say something cannot any more."""
        for worker in (*self._workers, *self._apart):
            with contextlib.suppress(Exception):
                self._cluster.end(worker.of_ray)
        until = self._clock() + GONE_SECONDS
        awaited = [one.awaited for one in self._workers]
        while awaited and self._clock() < until:
            for one in self._cluster.wait(awaited, GONE_SECONDS):
                awaited.remove(one)

    def _start(self) -> None:
        """Start workers where there is room. Raises `EnvironmentFailure`."""
        now = self._clock()
        if now - self._looked >= LOOK_SECONDS:
            self._nodes, self._looked = self._cluster.nodes(), now
        usable = [node for node in self._nodes if node.id not in self._refused]
        for node in usable:
            if now < self._silent.get(node.id, now):
                continue
            here = sum(one.node.id == node.id for one in (*self._workers, *self._apart))
            room = min(node.room - here, self._dealing.open - len(self._workers))
            if self._most:
                room = min(room, self._most - len(self._workers))
            for _ in range(room):
                self._workers.append(self._started(node))
        if not self._workers and not any(node.id in self._silent for node in usable):
            reasons = [*self._reasons] or [say.NO_NODE()]
            raise EnvironmentFailure(say.NO_WORKER(reasons=row(reasons, SEMICOLON)))

    def _started(self, node: Node) -> _Worker:
        name = f"ray{self._number}"
        self._number += 1
        probes = not self._probed and not any(one.probes for one in self._workers)
        elapsed = None if self._began is None else self._clock() - self._began
        of_ray = self._cluster.start(node, self._job, name, probes, elapsed)
        worker = _Worker(name, node, of_ray, probes)
        worker.awaited = self._cluster.tell(of_ray, [])
        return worker

    def _hear(self, seconds: float) -> None:
        """Take what workers have said, and tell them what to do next."""
        by_awaited = {one.awaited: one for one in self._workers}
        for awaited in self._cluster.wait([*by_awaited], seconds):
            worker = by_awaited[awaited]
            try:
                said = self._cluster.get(awaited)
            except Lost as error:
                self._out_of_reach(worker, str(error))
                continue
            for one in said:
                if worker in self._workers:
                    self._take(worker, one)
            if worker in self._workers:
                worker.awaited = self._cluster.tell(worker.of_ray, self._next(worker))

    def _out_of_reach(self, worker: _Worker, reason: str) -> None:
        """Ray has lost a worker, or cannot start one: perhaps its node, which may not be known."""
        with contextlib.suppress(Exception):
            self._cluster.end(worker.of_ray)  # it may live, if only its host is out of reach
        node = worker.node
        self._in_vain[node.id] += 1
        if self._in_vain[node.id] < (SESSIONS if worker.ready else STARTS):
            self._silent[node.id] = self._clock() + SILENT_SECONDS
            self._lose(worker, reason)
        else:
            self._refuse(node, reason)

    def _next(self, worker: _Worker) -> list[bytes]:
        if not worker.ready or worker.given or worker.closing:
            return []
        worker.given = self._dealing.next(worker.name)
        return [encode(Do(items=worker.given))] if worker.given else []

    def _take(self, worker: _Worker, said: bytes) -> None:
        message = decode(said)
        match message:
            case Ready(judges=judges):
                worker.ready = True
                if self._began is None:
                    self._began = self._clock()
                if names := self._desk.differs(judges):
                    self._refuse(worker.node, say.NODE_DIFFERS(names=names))
            case Written(kind=kind, line=line):
                if kind == "device" and (why := self._desk.other_device(line)):
                    self._refuse(worker.node, why)
                else:
                    self._desk.write(worker.name, line)
            case Bundled(path=path, content=content):
                self._desk.keep(path, content)
            case Reported(report=report):
                worker.reports[worker.given[0]].append(report)
            case Ended(item=item, failure=failure):
                self._end(worker, item, failure)
            case Closed(worked_out=known):
                self._desk.worked_out(known)
            case Gone(status=status, text=text):
                self._ended_by_itself(worker, status, text)

    def _end(self, worker: _Worker, item: str, failure: str) -> None:
        """An item has ended; once more it is judged where its device failed and another has not."""
        if failure and self._dealing.may_fail(item):
            # Its card stays claimed, so that Ray gives it to nobody.
            self._apart.append(worker)
            self._lose(worker, failure)
            return
        worker.given.remove(item)
        self._in_vain[worker.node.id] = 0
        self._probed |= worker.probes
        self._dealing.ended(item)
        self._desk.report(item, worker.reports.pop(item, []))

    def _ended_by_itself(self, worker: _Worker, status: int, text: str) -> None:
        if worker.closing:
            self._workers.remove(worker)
            self._apart.append(worker)
        elif not worker.ready:
            self._refuse(worker.node, say.NO_SESSION(text=text))
        else:
            self._in_vain[worker.node.id] += 1
            why = say.SESSION_ENDED(status=status, text=text)
            if self._in_vain[worker.node.id] < SESSIONS:
                self._cluster.end(worker.of_ray)
                self._lose(worker, why)
            else:
                self._refuse(worker.node, why)

    def _refuse(self, node: Node, reason: str) -> None:
        """Have nothing judged on a node, nor later on."""
        self._refused.add(node.id)
        for worker in [one for one in self._workers if one.node.id == node.id]:
            self._cluster.end(worker.of_ray)
            self._lose(worker, reason)

    def _lose(self, worker: _Worker, reason: str) -> None:
        self._workers.remove(worker)
        given_up = self._dealing.lose(worker.name, worker.given)
        again = [one for one in worker.given if one not in given_up]
        self._desk.lost(worker.name, worker.node.name, reason, again)
        self._reasons[f"{worker.node.name}: {reason}"] = None
        for item in given_up:
            self._desk.crashed(worker.name, item)
            self._dealing.ended(item)

    def _close(self) -> None:
        """Let sessions end by themselves: they hand over what they have worked out."""
        until = self._clock() + END_SECONDS
        for worker in [one for one in self._workers if not one.ready]:
            self._cluster.end(worker.of_ray)
            self._workers.remove(worker)
        for worker in self._workers:
            worker.closing = True
        told: set[str] = set()
        while self._workers and self._clock() < until:
            by_awaited = {one.awaited: one for one in self._workers}
            for awaited in self._cluster.wait([*by_awaited], LOOK_SECONDS):
                worker = by_awaited[awaited]
                try:
                    said = self._cluster.get(awaited)
                except Lost:
                    self._workers.remove(worker)
                    continue
                for one in said:
                    if worker in self._workers:
                        self._take(worker, one)
                if worker in self._workers:
                    given = [] if worker.name in told else [encode(Do(last=True))]
                    told.add(worker.name)
                    worker.awaited = self._cluster.tell(worker.of_ray, given)

"""A pytest plugin that puts workers of this host in the place of Ray's: sessions as they are, and
no cluster. What the variable LOSES names, such as ``ray1@3``, ends at its so-and-so-many-th answer
in which an item has ended.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from conformance.ray import driver
from conformance.ray.cluster import Lost, Node
from conformance.ray.messages import Ended, Job, decode
from conformance.ray.slot import Slot


class Worker(Slot):
    """A worker in this process."""

    def __init__(self, job: Job, worker: str, probes: bool, elapsed: float | None) -> None:
        super().__init__(job, worker, probes, elapsed)
        name, _, count = os.environ.get("LOSES", "").partition("@")
        self.left = int(count) if worker == name else -1
        self.gone = False

    def end(self) -> None:
        self.gone = True
        self._process.kill()
        self._process.wait()


class LocalCluster:
    """Two nodes, each with room for one worker."""

    def __init__(self, address: str | None, *, npus: bool, cards: int = 0, cpus: int = 0) -> None:
        self._nodes = [Node("a" * 32, "host a", 1), Node("b" * 32, "host b", 1)]

    def nodes(self) -> list[Node]:
        return self._nodes

    def start(self, node: Node, job: Job, worker: str, probes: bool, elapsed: float | None) -> Any:
        return Worker(job, worker, probes, elapsed)

    def tell(self, worker: Worker, given: Sequence[bytes]) -> Any:
        return worker, tuple(given)

    def wait(self, awaited: Sequence[Any], seconds: float) -> list[Any]:
        return list(awaited)

    def get(self, awaited: Any) -> list[bytes]:
        worker, given = awaited
        if worker.gone:
            raise Lost("ended")
        said: list[bytes] = worker.told(given)
        worker.left -= any(isinstance(decode(one), Ended) for one in said)
        if worker.left == 0:
            worker.end()
            raise Lost("killed by the test")
        return said

    def end(self, worker: Worker) -> None:
        worker.end()

    def close(self) -> None:
        """There is nothing to leave."""


class Desk(driver.RunDesk):
    """Lists beside the run's folder the files that workers sent."""

    def keep(self, path: str, content: bytes) -> None:
        super().keep(path, content)
        with (self._out.parent / "kept").open("a") as file:
            print(path, file=file)


driver.RunDesk = Desk  # type: ignore[misc]
driver.RayCluster = LocalCluster  # type: ignore[misc,assignment]

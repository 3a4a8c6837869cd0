"""The few calls of Ray that a run makes (Ray's reference: Core API, ray.nodes, actor options)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.ray.messages import Job
from conformance.ray.slot import SlotOfRaylet

NPU = "NPU"
"""The resource under which Ray counts Ascend cards (Ray's reference: accelerators)."""


@dataclass(frozen=True)
class Node:
    """A node that lives: its id in Ray, its name for people, and the number of workers that fit."""

    id: str
    name: str
    room: int


class Lost(Exception):  # noqa: N818 - what became of a worker
    """A worker's process, or its node, is gone; the text says what Ray knows of it."""


class NoCluster(Exception):  # noqa: N818 - as above
    """There is no cluster to join; the text says what Ray knows of it."""


class Cluster(Protocol):
    """What a run asks of Ray; a worker and an answer that is awaited are Ray's own objects."""

    def nodes(self) -> list[Node]:
        """The nodes that live now."""

    def start(self, node: Node, job: Job, worker: str, probes: bool, elapsed: float | None) -> Any:
        """Start a worker on a node."""

    def tell(self, worker: Any, given: Sequence[bytes]) -> Any:
        """Tell a worker `Do`s; what to wait for."""

    def wait(self, awaited: Sequence[Any], seconds: float) -> list[Any]:
        """Those that can be had now; waits for the first of them."""

    def get(self, awaited: Any) -> list[bytes]:
        """What a worker said. Raises `Lost`."""

    def end(self, worker: Any) -> None:
        """End a worker."""


class RayCluster:
    """A cluster of Ray, or Ray on this host alone."""

    def __init__(self, address: str | None, *, npus: bool, cards: int = 0, cpus: int = 0) -> None:
        """Join the cluster at an address; None: start Ray here, with ``cpus`` and ``cards``.

        ``npus``: workers claim a card each, else a CPU each. Raises `NoCluster`.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import ray

            self._ray: Any = ray
            self._npus = npus
            how: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
            if address is None:
                resources = {NPU: cards} if npus else None
                how |= {"num_cpus": cpus, "resources": resources, "include_dashboard": False}
            try:
                ray.init(address=address or "local", configure_logging=False, **how)
            except (ConnectionError, RuntimeError, ValueError, OSError) as error:
                raise NoCluster(short(error)) from error
            self._slot = ray.remote(SlotOfRaylet)

    def nodes(self) -> list[Node]:
        """The nodes that live now and have what a worker claims."""
        resource = NPU if self._npus else "CPU"
        return [
            Node(one["NodeID"], name_of(one), room)
            for one in self._ray.nodes()
            if one["Alive"] and (room := int(one["Resources"].get(resource, 0)))
        ]

    def resources(self) -> list[dict[str, float]]:
        """What each node that lives has of each resource."""
        return [one["Resources"] for one in self._ray.nodes() if one["Alive"]]

    def start(self, node: Node, job: Job, worker: str, probes: bool, elapsed: float | None) -> Any:
        """Start a worker on a node; Ray tells a worker its card."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        how = self._slot.options(
            num_cpus=1,
            resources={NPU: 1} if self._npus else None,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
        )
        return how.remote(job, worker, probes, elapsed)

    def tell(self, worker: Any, given: Sequence[bytes]) -> Any:
        """Tell a worker `Do`s; what to wait for."""
        return worker.told.remote(list(given))

    def wait(self, awaited: Sequence[Any], seconds: float) -> list[Any]:
        """Those that can be had now; waits for the first of them."""
        if not awaited:
            time.sleep(seconds)
            return []
        ready, _ = self._ray.wait(list(awaited), num_returns=1, timeout=seconds)
        if not ready:
            return []
        more, _ = self._ray.wait(list(awaited), num_returns=len(awaited), timeout=0)
        return list(more)

    def get(self, awaited: Any) -> list[bytes]:
        """What a worker said. Raises `Lost`."""
        try:
            said: list[bytes] = self._ray.get(awaited)
        except self._ray.exceptions.RayError as error:
            raise Lost(short(error)) from error
        return said

    def end(self, worker: Any) -> None:
        """End a worker, and by it its session."""
        self._ray.kill(worker, no_restart=True)

    def close(self) -> None:
        """Leave the cluster; Ray that was started here ends."""
        self._ray.shutdown()


def name_of(node: dict[str, Any]) -> str:
    """A node's host, as people know it, with the beginning of its id."""
    return f"{node['NodeManagerHostname']} ({node['NodeID'][:8]})"


def short(error: BaseException) -> str:
    """The last line of what Ray says, which has the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__

"""``python -m conformance.ray.look ADDRESS``: what a cluster has, as one line of JSON.

A process of its own: Ray leaves threads behind, and the front door is forked.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

from conformance.ray.cluster import NPU, NoCluster, RayCluster


def look(address: str) -> dict[str, object]:
    """The sums of CPUs and NPUs of the nodes that live; or why there is no cluster."""
    try:
        cluster = RayCluster(address, npus=False)
    except NoCluster as failure:
        return {"error": str(failure)}
    alive = cluster.resources()
    cluster.close()
    return {
        "nodes": len(alive),
        "cpus": sum(int(one.get("CPU", 0)) for one in alive),
        "npus": sum(int(one.get(NPU, 0)) for one in alive),
    }


if __name__ == "__main__":
    put = os.dup(1)
    os.dup2(2, 1)  # what Ray prints is no answer
    with contextlib.suppress(BrokenPipeError):
        os.write(put, json.dumps(look(sys.argv[1])).encode())

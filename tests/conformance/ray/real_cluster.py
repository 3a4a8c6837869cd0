"""``python real_cluster.py``: a cluster of Ray with three nodes on this host, for a test. Workers
fit on two of them: the head must live.

It prints the address, then answers each line of its input: ``lose`` ends the raylet of the first
node by its process id, ``join`` starts one more. At the end of its input the cluster ends.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Start the cluster, and do as the input says."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    others = [cluster.add_node(num_cpus=1) for _ in range(2)]
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "join":
            others.append(cluster.add_node(num_cpus=1))
        else:
            (raylet,) = others.pop(0).all_processes["raylet"]
            os.kill(raylet.process.pid, signal.SIGKILL)
            raylet.process.wait()
        print("done", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    main()

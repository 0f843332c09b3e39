"""A Ray cluster of this machine alone, in a process of its own: `python cluster.py NODES`.

It prints its address once all nodes are there. Each line of its standard input kills the processes of one node, but
never the head's; with the end of its input it ends everything that it began. Every node has one processor to offer, and
only this machine can reach it.
"""

from __future__ import annotations

import socket
import sys
from typing import Any, Final

from ray.cluster_utils import Cluster

#: What each node gets: a store that is as small as Ray lets it be, for results are a few words a unit.
_NODE: Final[dict[str, Any]] = {
    "num_cpus": 1,
    "object_store_memory": 80 << 20,
    "node_ip_address": "127.0.0.1",
    "include_dashboard": False,
}


def main() -> None:
    """Start the cluster, do what is asked, end it."""
    cluster = Cluster(initialize_head=True, head_node_args={**_NODE, "gcs_server_port": _free_port()})
    try:
        nodes = [cluster.add_node(**_NODE) for _ in range(int(sys.argv[1]) - 1)]
        cluster.wait_for_nodes()
        _write(cluster.address)
        for _ in sys.stdin:
            cluster.remove_node(nodes.pop(), allow_graceful=False)
            _write("gone")
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]


def _write(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


if __name__ == "__main__":
    main()

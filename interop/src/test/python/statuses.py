"""What a server answers, and a stock one: python statuses.py LAUNCHER [ROW...], LAUNCHER being Headrace's.

Starts a cluster of either kind, and asks both for all that the rows ask for: by a stock client, and call by
call, which sends what no stock client would. A row says which status is the answer, and what its message
tells. Where stock crashes or hangs, the row says so, and only Headrace is asked. Prints "ok NAME" for each
row; ends with status 1 if one failed.
"""

import os
import sys

from cases import CASES, run

import tensorflow as tf

import clusters
import raw_calls

tf.compat.v1.disable_v2_behavior()
import rows_of_sessions
import rows_of_graphs
import rows_of_callables
import rows_of_clients
import rows_of_variants
import rows_of_workers
import rows_of_servers
import rows_of_failures


class Asked(clusters.Cluster):
    """A cluster that rows ask; worker is the master's task."""

    def __init__(self, name, command, launcher):
        super().__init__(command)
        self.name, self.launcher = name, launcher
        self.channel, other = (raw_calls.open_channel(address) for address in self.addresses.values())
        self.master, self.ps = raw_calls.master(self.channel), raw_calls.worker(other)


def main():
    launcher = sys.argv[1]
    both = [Asked("headrace", clusters.headrace(launcher), launcher), Asked("stock", clusters.stock, launcher)]
    try:
        for cluster in both:
            cluster.await_ready()
        chosen = sys.argv[2:]
        return run(lambda row: row(both), [c for c in CASES if not chosen or c.__name__ in chosen])
    finally:
        for cluster in both:
            cluster.close()


os._exit(main())  # a stock server of this process has no other end

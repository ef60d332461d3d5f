"""Compares statuses of Headrace and stock: python statuses.py LAUNCHER [ROW...], with Headrace's launcher.

Starts a cluster of each kind and makes the calls of all rows on both: by a stock client, and at the wire level,
including requests that no stock client sends. A row declares the expected status and parts of its message. Rows on
which stock crashes or hangs run on Headrace only. Prints "ok NAME" for each row; ends with status 1 if one failed.
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
    """A cluster under test; the worker's task is the master."""

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


os._exit(main())  # a stock server in this process can't be stopped

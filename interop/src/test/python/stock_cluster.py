"""A stock cluster in one process: python stock_cluster.py CLUSTER_JSON

Prints "ready" and the target of its last task, and serves until SIGTERM or the end of standard input.
"""

import json
import sys

import tensorflow as tf

import serve

cluster = json.loads(sys.argv[1])
servers = [
    tf.distribute.Server(cluster, job_name=job, task_index=task)
    for job, addresses in cluster.items()
    for task in range(len(addresses))
]
serve.serve(servers, servers[-1].target.removeprefix("grpc://"))

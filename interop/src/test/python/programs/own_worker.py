"""A trainer with a worker in its own process, from which alone it reads: own_worker.py DISPATCHER

Prints two lines: the elements of an epoch of its own, and those that it got of one that it shares with the other
trainers.
"""

import sys

import tensorflow as tf

(DISPATCHER,) = sys.argv[1:]
service = tf.data.experimental.service

worker = service.WorkerServer(service.WorkerConfig(dispatcher_address=DISPATCHER, heartbeat_interval_ms=200))
dataset = tf.data.Dataset.range(300).map(lambda x: 3 * x)
own = dataset.apply(service.distribute("parallel_epochs", DISPATCHER, target_workers="LOCAL"))
print(*own.as_numpy_iterator())
shared = dataset.apply(
    service.distribute("distributed_epoch", DISPATCHER, job_name="shared", target_workers="LOCAL")
)
print(*shared.as_numpy_iterator())

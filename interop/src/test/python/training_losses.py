"""The losses of a training on a stock cluster: python training_losses.py CLUSTER_JSON GRAPH BATCHES SIZE NAMES...

GRAPH is a file with a GraphDef, BATCHES a file with batches of SIZE images and labels, as in memory: float32 [SIZE,
28, 28] and int32 [SIZE]. NAMES are the names of images, labels, loss, step and initializer. Prints "losses" and the
loss of each batch.
"""

import json
import sys

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
cluster, graph_file, batches_file, size, *names = sys.argv[1:]
images, labels, loss, step, initializer = names
size = int(size)

servers = [tf.distribute.Server(json.loads(cluster), job_name=job, task_index=0) for job in ("ps", "worker")]
graph = tf.Graph()
with graph.as_default(), open(graph_file, "rb") as file:
    tf.import_graph_def(tf1.GraphDef.FromString(file.read()), name="")

losses = []
with tf1.Session(servers[1].target, graph=graph) as session, open(batches_file, "rb") as batches:
    session.run(initializer)
    while pixels := batches.read(size * 28 * 28 * 4):
        batch = {
            images: np.frombuffer(pixels, np.float32).reshape(size, 28, 28),
            labels: np.frombuffer(batches.read(size * 4), np.int32),
        }
        losses.append(session.run([loss, step], batch)[0])
print("losses", *losses, flush=True)

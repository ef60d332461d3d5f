"""The steps of a training, taken by a stock cluster: python training_losses.py CLUSTER_JSON GRAPH TRAINING SIZE RATE NAMES...

GRAPH is a file with a GraphDef, TRAINING a file with what another cluster did with it, as in memory: the initial
parameters, and for each step a batch of SIZE images and labels, float32 [SIZE, 28, 28] and int32 [SIZE], and the
parameters after it. RATE is the learning rate. NAMES are the names of images, labels, loss, step, initializer and the
parameters.

Each step begins with the other cluster's parameters, so a difference is of that step alone. Prints "losses" and the
loss of each step, and for each parameter its name and the largest difference, from the initial value and after each
step.
"""

import json
import sys

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
raw = tf.raw_ops
cluster, graph_file, training_file, size, rate, *names = sys.argv[1:]
images, labels, loss, step, initializer, *parameters = names
size, rate = int(size), float(rate)

# A unit's gradient jumps where its input is 0. Clusters sum in different orders, so they may see an input that is this
# close to 0 on different sides. The inputs are sums of 784 products, about 1 in size.
NEAR_ZERO = 1e-5

servers = [tf.distribute.Server(json.loads(cluster), job_name=job, task_index=0) for job in ("ps", "worker")]
graph = tf.Graph()
with graph.as_default(), open(graph_file, "rb") as file:
    tf.import_graph_def(tf1.GraphDef.FromString(file.read()), name="")
    handles = [graph.get_tensor_by_name(f"{name}:0") for name in parameters]
    given = [tf1.placeholder(tf.float32) for _ in handles]
    assign = [raw.AssignVariableOp(resource=handle, value=value) for handle, value in zip(handles, given)]
    held = [raw.ReadVariableOp(resource=handle, dtype=tf.float32) for handle in handles]
    relu_gradient, = (op for op in graph.get_operations() if op.type == "ReluGrad")
    relu, = (op for op in graph.get_operations() if op.type == "Relu")
    units = relu.inputs[0], relu_gradient.inputs[0]


def read(file, *shape, dtype=np.float32):
    content = file.read(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    return np.frombuffer(content, dtype).reshape(shape) if content else None


def jumps(pixels, inputs, gradients):
    """How much each parameter may differ because units are near 0: those of the hidden layer, which come first."""
    uncertain = rate * np.abs(gradients) * (np.abs(inputs) < NEAR_ZERO)
    return [pixels.reshape(size, -1).T @ uncertain, uncertain.sum(0), 0, 0]


losses, differences = [], []
with tf1.Session(servers[1].target, graph=graph) as session, open(training_file, "rb") as training:
    session.run(initializer)
    initial = session.run(held)
    now = [read(training, *value.shape) for value in initial]
    differences.append([np.abs(stock - other).max() for stock, other in zip(initial, now)])
    while (pixels := read(training, size, 28, 28)) is not None:
        batch = {images: pixels, labels: read(training, size, dtype=np.int32)}
        session.run(assign, dict(zip(given, now)))
        allowed = jumps(pixels, *session.run(units, batch))
        losses.append(session.run([loss, step], batch)[0])
        now = [read(training, *value.shape) for value in now]
        differences.append([
            (np.abs(stock - other) - jump).max() for stock, other, jump in zip(session.run(held), now, allowed)])
print("losses", *losses, flush=True)
for name, values in zip(parameters, zip(*differences)):
    print(name, *values, flush=True)

"""A stock client of servers with a GPU: python gpus.py grpc://SERVER grpc://DISPATCHER.

Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import sys

from cases import case, fails, run

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2

tf1 = tf.compat.v1
SERVER, DISPATCHER = sys.argv[1:]
GPU = "/device:GPU:0"
IMAGES = np.arange(2 * 6 * 5 * 3, dtype=np.uint8).reshape(2, 6, 5, 3) * 3


def both(build, config=None):
    """The results of `build` on the GPU, those on the CPU of this process, and the devices of the nodes on the server."""
    with tf.Graph().as_default():
        with tf.device(GPU):
            tensor, feed = build()
        with tf1.Session(SERVER, config=config) as session:
            options = tf1.RunOptions(output_partition_graphs=True)
            metadata = tf1.RunMetadata()
            actual = session.run(tensor, feed, options=options, run_metadata=metadata)
    with tf.Graph().as_default():
        tensor, feed = build()
        with tf1.Session() as session:
            expected = session.run(tensor, feed)
    ops = {node.op: node.device for graph in metadata.partition_graphs for node in graph.node}
    return actual, expected, ops


def images():
    return tf1.placeholder(tf.uint8, [None, None, None, 3])


@case
def devices():
    with tf.Graph().as_default(), tf1.Session(SERVER) as session:
        gpus = [device for device in session.list_devices() if device.device_type == "GPU"]
    assert [gpu.name for gpu in gpus] == ["/job:localhost/replica:0/task:0" + GPU], gpus
    assert gpus[0].memory_limit_bytes > 0, gpus


@case
def elementwise_and_moves():
    def build():
        x = images()
        floats = (tf.cast(x, tf.float32) - [123.7, 116.3, 103.5]) / 64.0
        return tf.transpose(tf.reverse(floats, [2]), [0, 3, 1, 2]), {x: IMAGES}

    actual, expected, ops = both(build)
    assert actual.tobytes() == expected.tobytes()
    assert all(device.endswith(GPU) for op, device in ops.items() if op in ("Sub", "RealDiv", "Transpose")), ops


@case
def products_and_sums():
    def build():
        x = images()
        flat = tf.reshape(tf.cast(x, tf.float32), [2, -1]) / 255.0
        scores = tf.matmul(flat, tf.constant(np.linspace(-1, 1, 360).reshape(90, 4).astype("f")))
        return [tf.nn.softmax(scores), tf.reduce_sum(scores), tf.argmax(scores, 1), scores[:, 1:3]], {x: IMAGES}

    actual, expected, ops = both(build)
    for a, e in zip(actual, expected):
        np.testing.assert_allclose(a, e, rtol=1e-5)
    assert ops["MatMul"].endswith(GPU) and ops["Softmax"].endswith(GPU), ops


@case
def control_flow():
    def build():
        x = images()
        total = tf.reduce_mean(tf.cast(x, tf.float32))
        _, powers = tf.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * 1.5 + tf.sqrt(v)), [0, total])
        return tf.cond(powers > 10.0, lambda: powers - 1.0, lambda: powers + 1.0), {x: IMAGES}

    actual, expected, _ = both(build)
    np.testing.assert_allclose(actual, expected, rtol=1e-6)


@case
def variables_learn():
    def losses(target, device):
        with tf.Graph().as_default():
            with tf.device(device):
                w = tf1.get_variable("w", initializer=tf.constant([[0.5], [-0.25]]), use_resource=True)
                x = tf.constant(np.linspace(-1, 1, 16).reshape(8, 2).astype("f"))
                y = tf.matmul(x, [[2.0], [1.0]])
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
                step = tf1.train.GradientDescentOptimizer(0.3).minimize(loss)
            config = tf1.ConfigProto(allow_soft_placement=True)
            with tf1.Session(target, config=config) as session:
                session.run(tf1.global_variables_initializer())
                found = []
                for _ in range(6):
                    found.append(session.run(loss))
                    session.run(step)
                return found

    on_gpu, on_cpu = losses(SERVER, GPU), losses("", "/cpu:0")
    np.testing.assert_allclose(on_gpu, on_cpu, rtol=1e-5)
    assert on_gpu[-1] < on_gpu[0] / 2, on_gpu


@case
def classifier_learns():
    """Biases and both cross-entropies, forward and back."""

    def losses(target, device):
        with tf.Graph().as_default():
            with tf.device(device):
                numbers = np.random.RandomState(1)
                x = tf.constant(numbers.randn(12, 5).astype("f"))
                labels = tf.constant(numbers.randint(0, 3, 12))
                w = tf1.get_variable("w", initializer=tf.zeros([5, 3]), use_resource=True)
                b = tf1.get_variable("b", initializer=tf.zeros([3]), use_resource=True)
                scores = tf.nn.bias_add(tf.matmul(x, w), b)
                sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
                dense = tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(labels, 3), scores)
                loss = tf.reduce_mean(sparse) + tf.reduce_mean(dense)
                step = tf1.train.GradientDescentOptimizer(0.4).minimize(loss)
            config = tf1.ConfigProto(allow_soft_placement=True)
            options = tf1.RunOptions(output_partition_graphs=True)
            metadata = tf1.RunMetadata()
            with tf1.Session(target, config=config) as session:
                session.run(tf1.global_variables_initializer())
                found = []
                for _ in range(6):
                    found.append(session.run(loss))
                    session.run(step, options=options, run_metadata=metadata)
                return found, metadata

    (on_gpu, metadata), (on_cpu, _) = losses(SERVER, GPU), losses("", "/cpu:0")
    np.testing.assert_allclose(on_gpu, on_cpu, rtol=1e-5)
    assert on_gpu[-1] < on_gpu[0] * 0.8, on_gpu
    ops = {node.op: node.device for graph in metadata.partition_graphs for node in graph.node}
    losses_and_biases = {op for op in ops if "CrossEntropy" in op or op.startswith("Bias")}
    dense_and_sparse = {"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"}
    assert losses_and_biases == dense_and_sparse | {"BiasAdd", "BiasAddGrad"}, ops
    assert all(ops[op].endswith(GPU) for op in losses_and_biases), ops


@case
def op_without_a_kernel():
    def build():
        return tf.strings.as_string(tf.constant([1, 2]), name="words"), None

    fails(tf.errors.InvalidArgumentError, "words", lambda: both(build))
    config = tf1.ConfigProto(allow_soft_placement=True)
    actual, expected, ops = both(build, config=config)
    assert actual.tolist() == expected.tolist()
    assert ops["AsString"].endswith("CPU:0"), ops


@case
def error_of_an_element():
    def build():
        x = tf1.placeholder(tf.int32, [3])
        return tf.constant([7, 8, 9]) // x, {x: [1, 0, 2]}

    fails(tf.errors.InvalidArgumentError, "ivision by zero", lambda: both(build))


def pinned():
    """Pins the ops added in this context to the worker's GPU."""
    pin = attr_value_pb2.AttrValue(s=b"/gpu:0")
    return tf1.get_default_graph()._attr_scope({"_headrace_device": pin})


def distributed(dataset):
    return list(
        dataset.apply(tf.data.experimental.service.distribute("parallel_epochs", DISPATCHER)).as_numpy_iterator()
    )


def photo(i):
    return tf.cast(tf.reshape(tf.range(60, dtype=tf.int64) * (i + 1) % 251, [5, 4, 3]), tf.uint8)


def prepared(image):
    small = tf.image.resize(image, [4, 4])
    return tf.transpose((small - [1.5, 2.0, 2.5]) * 0.25, [2, 0, 1])


@case
def rows_of_a_map():
    def function(i):
        image = photo(i)
        with pinned():
            return i, prepared(image)

    dataset = tf.data.Dataset.range(60)
    expected = list(dataset.map(lambda i: (i, prepared(photo(i)))).as_numpy_iterator())
    actual = distributed(dataset.map(function, num_parallel_calls=tf.data.AUTOTUNE))
    assert [i for i, _ in actual] == list(range(60))
    assert all(a.tobytes() == e.tobytes() for (_, a), (_, e) in zip(actual, expected))


@case
def rows_that_are_filtered_and_batched():
    def function(i):
        with pinned():
            return tf.square(tf.cast(i, tf.float32)) - 3.0

    dataset = tf.data.Dataset.range(100).map(function).filter(lambda x: x > 500.0).batch(7)
    actual = distributed(dataset)
    whole = np.concatenate(actual)
    assert whole.tolist() == [float(i * i) - 3 for i in range(100) if i * i - 3 > 500], whole
    assert [len(batch) for batch in actual[:-1]] == [7] * (len(actual) - 1), actual


@case
def large_rows():
    """Results that the device copies into memory of their own, from which they are sent."""

    def numbers(i):
        return tf.reshape(tf.range(300 * 300), [300, 300]) % (tf.cast(i, tf.int32) + 7)

    def function(i):
        table = numbers(i)
        with pinned():
            return tf.cast(table, tf.float32) * 0.5 - 1.0

    dataset = tf.data.Dataset.range(4)
    expected = list(dataset.map(lambda i: tf.cast(numbers(i), tf.float32) * 0.5 - 1.0).as_numpy_iterator())
    actual = distributed(dataset.map(function))
    assert [a.tobytes() for a in actual] == [e.tobytes() for e in expected]


@case
def row_that_fails():
    def function(i):
        with pinned():
            return 100 // (i - 20)

    found = []

    def read():
        dataset = tf.data.Dataset.range(40).map(function)
        for x in dataset.apply(tf.data.experimental.service.distribute("parallel_epochs", DISPATCHER)):
            found.append(x.numpy())

    fails(tf.errors.InvalidArgumentError, "ivision by zero", read)
    assert found == [100 // (i - 20) for i in range(20)], found


sys.exit(run())

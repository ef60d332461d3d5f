"""Cases of two_tasks.py: models with variables on one task and computation on the other.

Each also runs in this process alone, and must learn the same.
"""

import contextlib
import sys

from cases import case

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TARGET = sys.argv[1]
TASKS = {"ps": "/job:ps/task:0/cpu:0", "worker": "/job:worker/task:0/cpu:0"}
X = np.random.RandomState(3).uniform(-1, 1, [16, 6]).astype("f")
LABELS = np.random.RandomState(4).randint(0, 3, [16])


def places():
    """The devices of variables and of computation: in both directions, and in this process."""
    for variables, work in ("ps", "worker"), ("worker", "ps"):
        yield (lambda: tf1.device(TASKS[variables])), (lambda: tf1.device(TASKS[work]))
    yield contextlib.nullcontext, contextlib.nullcontext


def compare(build, steps=4, **config):
    """Builds a model for each placement, and compares its fetches over some steps."""
    results = []
    for variables, work in places():
        with tf1.Graph().as_default():
            fetches = build(variables, work)
            target = TARGET if variables is not contextlib.nullcontext else ""
            if target:
                tf1.Session.reset(target)
            with tf1.Session(target, config=tf1.ConfigProto(**config)) as session:
                session.run(tf1.global_variables_initializer())
                results.append([session.run(fetches) for _ in range(steps)])
    for there in results[:-1]:
        tf.nest.map_structure(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), there, results[-1])


def variable(variables, name, value, resource):
    with variables():
        return tf1.get_variable(name, initializer=tf1.constant(np.asarray(value, "f")), use_resource=resource)


def optimizers():
    train = tf1.train
    return [
        train.GradientDescentOptimizer(0.2), train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), train.AdamOptimizer(0.05),
        train.AdagradOptimizer(0.2), train.RMSPropOptimizer(0.05, momentum=0.5), train.FtrlOptimizer(0.1),
        train.AdadeltaOptimizer(1.0)]


def learns(resource):
    """One classifier per optimizer; slots and updates are on the task of the variables."""

    def build(variables, work):
        fetches = []
        for i, optimizer in enumerate(optimizers()):
            with tf1.variable_scope(f"m{i}"):
                w = variable(variables, "w", np.linspace(-1, 1, 18).reshape(6, 3), resource)
                b = variable(variables, "b", np.zeros(3), resource)
                with work():
                    loss = tf1.losses.sparse_softmax_cross_entropy(LABELS, tf1.matmul(X, w) + b)
                train = optimizer.minimize(loss, colocate_gradients_with_ops=True)
            with tf1.control_dependencies([train]), variables():
                fetches += [loss, tf1.identity(w.read_value())]
        return fetches

    compare(build)


@case
def classifiers_with_variables_by_handle():
    learns(True)


@case
def classifiers_with_variables_by_reference():
    learns(False)


@case
def what_scripts_print():
    """The global step fetched beside the training op that increments it: the new value, for a reference variable.

    A stock master guarantees that for its own task only; here this is ps.
    """
    variables, work = next(places())
    w = variable(variables, "w", [[1.0, 2.0]], False)
    with variables():
        step = tf1.train.create_global_step()
    with work():
        loss = tf1.reduce_sum(tf1.square(tf1.matmul(w, [[1.0], [1.0]]) - 2.0))
    train = tf1.train.MomentumOptimizer(0.01, 0.9).minimize(loss, step, colocate_gradients_with_ops=True)
    with tf1.Session(TARGET) as session:
        session.run(tf1.global_variables_initializer())
        seen = [session.run([train, step])[1] for _ in range(10)]
    assert seen == list(range(1, 11)), seen


@case
def embeddings():
    """Rows of a table, some repeated, are read and updated on its task.

    Each table has its own optimizer: tables that share one race for the powers of Adam's decays.
    """

    def build(variables, work):
        fetches = []
        for resource in True, False:
            for i, optimizer in enumerate(optimizers()):
                with tf1.variable_scope(f"m{i}{resource}"):
                    table = variable(variables, "table", np.linspace(-1, 1, 20).reshape(5, 4), resource)
                    rows = tf1.nn.embedding_lookup(table, [1, 3, 3, 0])
                    with work():
                        loss = tf1.reduce_sum(tf1.square(tf1.tanh(rows) - 0.3))
                    gradients = optimizer.compute_gradients(loss, [table], colocate_gradients_with_ops=True)
                    assert isinstance(gradients[0][0], tf.IndexedSlices)
                    train = optimizer.apply_gradients(gradients)
                with tf1.control_dependencies([train]), variables():
                    fetches += [loss, tf1.identity(table.read_value())]
        return fetches

    compare(build)


def recurrent(variables, work):
    """A loop on the computing task; the weights come from the other."""
    w = variable(variables, "w", np.linspace(-0.5, 0.5, 9).reshape(3, 3), True)
    u = variable(variables, "u", np.linspace(-1, 1, 18).reshape(6, 3), True)
    with work():
        weights = tf1.identity(w.read_value())
        inputs = tf1.reshape(tf1.matmul(X, u.read_value()), [4, 4, 3])
        state = tf1.while_loop(
            lambda t, _: t < 4, lambda t, s: (t + 1, tf1.tanh(tf1.matmul(s, weights) + inputs[t])), [0, tf1.zeros([4, 3])])[1]
        sign = tf1.cond(tf1.reduce_sum(state) > 0, lambda: tf1.reduce_sum(state ** 2), lambda: -tf1.reduce_sum(state))
        loss = sign + tf1.reduce_mean(state)
    train = tf1.train.AdamOptimizer(0.05).minimize(loss, colocate_gradients_with_ops=True)
    with tf1.control_dependencies([train]), variables():
        return [loss, tf1.identity(w.read_value()), tf1.identity(u.read_value())]


@case
def loops_of_1():
    compare(recurrent)


@case
def loops_of_2():
    """TensorFlow 2's loops are function calls."""
    tf1.enable_control_flow_v2()
    try:
        compare(recurrent)
    finally:
        tf1.disable_control_flow_v2()


def optimized(work, x, image):
    """Products, convolutions and chains that stock's optimizer fuses."""
    with work():
        r = np.random.RandomState(5)
        constant = lambda *shape: tf1.constant(r.uniform(-1, 1, shape).astype("f"))
        dense = tf1.nn.relu(tf1.nn.bias_add(tf1.matmul(x, constant(6, 4), name="dense"), constant(4)), name="relu")
        wide = tf1.nn.bias_add(tf1.matmul(dense, constant(4, 5)), constant(5))
        conv = tf1.nn.relu(tf1.nn.bias_add(tf1.nn.conv2d(image, constant(3, 3, 2, 4), 1, "SAME"), constant(4)))
        plain = tf1.nn.bias_add(tf1.nn.conv2d(conv, constant(2, 2, 4, 3), 2, "VALID"), constant(3))
        norm = tf1.nn.relu(tf1.nn.fused_batch_norm(
            plain, constant(3), constant(3), constant(3), tf1.abs(constant(3)) + 0.5, is_training=False)[0])
        batch = tf1.nn.relu(tf1.nn.fused_batch_norm(conv, constant(4), constant(4), is_training=True)[0])
        chain = tf1.exp(tf1.tanh(tf1.sqrt(tf1.abs(wide))))
        long_chain = tf1.reciprocal(tf1.square(tf1.cos(tf1.sin(tf1.negative(dense))) + 2.0))
        return [dense, wide, conv, plain, norm, batch, chain, long_chain]


def of_optimizer(graphs):
    """The op types that only the optimizer creates, with their tasks."""
    return {(node.device.split("/")[1], node.op) for graph in graphs for node in graph.node
            if node.op.startswith(("_Fused", "_Unary"))}


@case
def graphs_that_stocks_optimizer_made():
    """A stock master sends fused ops to the other task, too, which computes the same."""
    feeds = X, np.random.RandomState(6).uniform(-1, 1, [2, 8, 8, 2]).astype("f")

    def results(target, work):
        with tf1.Graph().as_default():
            x, image = tf1.placeholder(tf.float32, [None, 6]), tf1.placeholder(tf.float32, [None, 8, 8, 2])
            metadata, options = tf1.RunMetadata(), tf1.RunOptions(output_partition_graphs=True)
            fetches = [tf1.identity(y) for y in optimized(work, x, image)]
            with tf1.Session(target) as session:
                values = session.run(fetches, {x: feeds[0], image: feeds[1]}, options=options, run_metadata=metadata)
            return values, of_optimizer(metadata.partition_graphs)

    expected, _ = results("", contextlib.nullcontext)
    for task in TASKS:
        values, fused = results(TARGET, lambda: tf1.device(TASKS[task]))
        for a, b in zip(values, expected):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        if "fused-at=" + task in sys.argv:
            ops = "_FusedMatMul", "_FusedConv2D", "_FusedBatchNormEx", "_UnaryOpsComposition"
            assert {(f"job:{task}", op) for op in ops} <= fused, fused

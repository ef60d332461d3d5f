"""A stock client of a cluster of two tasks: python two_tasks.py grpc://HOST:PORT [fused-at=JOB].

/job:ps/task:0 and /job:worker/task:0 are stock or Headrace, and either is the master; with fused-at=JOB a stock
master sends fused ops to Headrace's task of JOB. Prints "ok NAME" for each case, and ends with status 1 if one
failed.
"""

import sys

from cases import case, fails, run

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TARGET = sys.argv[1]
tf1.disable_v2_behavior()
import two_tasks_training  # noqa: F401, E402: its cases

# Otherwise a stock master's optimizer replaces pinned ops, which may then move.
CONFIG = tf1.ConfigProto()
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True


def on(device, make):
    with tf1.device("/job:ps/task:0/cpu:0" if device == "ps" else "/job:worker/task:0"):
        return make()


@case
def the_books_cluster():
    a = on("ps", lambda: tf1.constant(1.0))
    b = on("worker", lambda: a + 2)
    c = a * b
    with tf1.Session(TARGET, config=CONFIG) as session:
        assert session.run([a, b, c]) == [1, 3, 3]
        assert {d.name for d in session.list_devices()} == {
            "/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0"}


@case
def variables_of_the_other_task():
    v = on("ps", lambda: tf1.get_variable("v", initializer=tf1.constant([1.0, 2.0])))
    change = on("worker", lambda: v * 2)
    add = on("ps", lambda: tf1.assign_add(v, change))
    with tf1.Session(TARGET, config=CONFIG) as session:
        fails(tf.errors.FailedPreconditionError, "uninitialized value v", lambda: session.run(change))
        session.run(tf1.global_variables_initializer())
        assert session.run(add).tolist() == [3, 6]
        session.run(add.op)
    with tf1.Session(TARGET, config=CONFIG) as session:
        assert session.run(v).tolist() == [9, 18]


@case
def every_dtype_travels():
    values = [np.arange(6).reshape(2, 3).astype(t) for t in (np.float32, np.float64, np.int32, np.int64, np.uint8, np.float16)]
    values += [np.array([True, False]), np.array([b"ab", b"", b"c" * 5000], object), np.float32(3), np.zeros([0, 2], "f")]
    fed = [tf1.placeholder(tf.as_dtype(v.dtype) if v.dtype != object else tf.string) for v in values]
    there = [on("ps", lambda: tf1.identity(x)) for x in fed]
    back = [on("worker", lambda: tf1.identity(x)) for x in there]
    again = [on("ps", lambda: tf1.identity(x)) for x in back]
    with tf1.Session(TARGET, config=CONFIG) as session:
        for expected, actual in zip(values, session.run(again, dict(zip(fed, values)))):
            assert np.asarray(actual).tolist() == expected.tolist()


@case
def large_tensors_travel():
    x = on("ps", lambda: tf1.fill([2000, 2000], 0.5))
    y = on("worker", lambda: tf1.reduce_sum(x))
    z = on("worker", lambda: x * 2)
    w = on("ps", lambda: tf1.reduce_max(z))
    with tf1.Session(TARGET, config=CONFIG) as session:
        assert session.run([y, w]) == [2000000, 1]


@case
def untaken_branches_travel():
    p = tf1.placeholder(tf.bool, [])
    x = on("ps", lambda: tf1.constant(5.0))
    no, yes = on("worker", lambda: tf1.raw_ops.Switch(data=x, pred=p))
    doubled = on("ps", lambda: yes * 2)
    merged = on("worker", lambda: tf1.raw_ops.Merge(inputs=[no, doubled]))[0]
    with tf1.Session(TARGET, config=CONFIG) as session:
        assert session.run(merged, {p: True}) == 10
        assert session.run(merged, {p: False}) == 5


@case
def control_edges_cross():
    v = on("ps", lambda: tf1.get_variable("crossed", initializer=0.0))
    with tf1.control_dependencies([on("ps", lambda: tf1.assign(v, 4.0)).op]):
        after = on("worker", lambda: tf1.constant(1.0) + 1)
    with tf1.control_dependencies([after]):
        read = on("ps", lambda: v.read_value() + 0)
    with tf1.Session(TARGET, config=CONFIG) as session:
        session.run(v.initializer)
        assert session.run(read) == 4


@case
def errors_of_the_other_task():
    for there, here in ("ps", "worker"), ("worker", "ps"):
        size = tf1.placeholder(tf.int32, [1])
        bad = on(there, lambda: tf1.reshape(tf1.constant([1.0, 2.0]), size, name="bad_" + there))
        use = on(here, lambda: bad * 2)
        with tf1.Session(TARGET, config=CONFIG) as session:
            fails(tf.errors.InvalidArgumentError, "bad_" + there, lambda: session.run(use, {size: [5]}))
            assert session.run(use, {size: [2]}).tolist() == [2, 4]


@case
def steps_end_in_time_everywhere():
    loop = on("ps", lambda: tf1.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [tf1.constant(0)]))
    use = on("worker", lambda: loop + 1)
    ready = tf1.constant(1)
    with tf1.Session(TARGET, config=CONFIG) as session:
        session.run(ready)
        fails(tf.errors.DeadlineExceededError, "",
              lambda: session.run(use, options=tf1.RunOptions(timeout_in_ms=500)))
        assert session.run(ready) == 1


@case
def steps_are_timed_at_each_task():
    there = on("ps", lambda: tf1.square(tf1.placeholder_with_default(3.0, []), name="there"))
    here = on("worker", lambda: tf1.negative(there, name="here"))
    with tf1.Session(TARGET, config=CONFIG) as session:
        metadata = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        assert session.run(here, options=options, run_metadata=metadata) == -9
        # Where stock folds constants, the node's name has a suffix.
        timed = {
            (d.device, n.node_name.split("/")[0])
            for d in metadata.step_stats.dev_stats for n in d.node_stats}
        for job, node in ("ps", "there"), ("worker", "here"):
            assert (f"/job:{job}/replica:0/task:0/device:CPU:0", node) in timed, timed


@case
def filtered_sessions():
    config = tf1.ConfigProto(device_filters=["/job:worker/task:0", "/job:ps"])
    c = on("ps", lambda: tf1.constant(2)) + 1
    with tf1.Session(TARGET, config=config) as session:
        assert session.run(c) == 3


def in_a_graph(function):
    with tf1.Graph().as_default():
        function()


# Variables outlive sessions, including those of an earlier client.
tf1.Session.reset(TARGET)
sys.exit(run(in_a_graph))

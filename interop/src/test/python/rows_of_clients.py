"""Cases of TensorFlow's own tests that no other script covers."""

import threading

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

from rows import row

tf1 = tf.compat.v1
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


def fresh(function):
    """Runs a row in its own graph, on servers without variables."""

    def run(c):
        tf1.Session.reset(c.target)
        with tf1.Graph().as_default():
            return function(c)

    run.__name__ = function.__name__
    return run


def variable(name, value):
    return tf1.get_variable(name, initializer=tf1.constant(value), use_resource=False)


@row("OK")
@fresh
def reset_of_no_container(c):
    a = variable("a", 1.0)
    with tf1.container("other"):
        b = variable("b", 2.0)
    with tf1.Session(c.target) as session:
        session.run(tf1.global_variables_initializer())
    tf1.Session.reset(c.target, ["nobody's"])
    with tf1.Session(c.target) as session:
        assert session.run([a, b]) == [1, 2]


@row("ABORTED", "is not found")
@fresh
def session_after_the_reset_of_another_container(c):
    with tf1.container("one"):
        a = variable("a", 1.0)
    with tf1.Session(c.target) as session:
        session.run(a.initializer)
        tf1.Session.reset(c.target, ["nobody's"])
        session.run(a)


@row("FAILED_PRECONDITION", "Attempting to use uninitialized value one/v")
@fresh
def variables_of_two_containers(c):
    with tf1.container("one"), tf1.variable_scope("one"):
        a = variable("v", 1.0)
    with tf1.container("two"), tf1.variable_scope("two"):
        b = variable("v", 2.0)
    with tf1.Session(c.target) as session:
        session.run(tf1.global_variables_initializer())
    tf1.Session.reset(c.target, ["one"])
    with tf1.Session(c.target) as session:
        assert session.run(b) == 2
        session.run(a)


@row("FAILED_PRECONDITION", "uninitialized value there")
@fresh
def default_container_is_called_as_the_job(c):
    with tf1.device(PS):
        there = variable("there", 1.0)
    with tf1.device(WORKER):
        here = variable("here", 2.0)
    with tf1.Session(c.target) as session:
        session.run(tf1.global_variables_initializer())
    tf1.Session.reset(c.target, ["ps"])
    with tf1.Session(c.target) as session:
        assert session.run(here) == 2
        session.run(there)


@row("INVALID_ARGUMENT", "shared_name cannot start with '_'")
@fresh
def shared_name_that_is_private(c):
    queue = tf1.FIFOQueue(1, [tf.float32], shared_name="_private")
    with tf1.Session(c.target) as session:
        session.run(queue.size())


@row("INVALID_ARGUMENT", "container contains invalid characters: not good!")
@fresh
def container_of_other_characters(c):
    with tf1.container("not good!"):
        a = variable("a", 1.0)
    with tf1.Session(c.target) as session:
        session.run(a.initializer)


@row("INVALID_ARGUMENT", "container contains invalid characters: not good!")
@fresh
def container_of_other_characters_for_a_queue(c):
    with tf1.container("not good!"):
        queue = tf1.FIFOQueue(1, [tf.float32], shared_name="q")
    with tf1.Session(c.target) as session:
        session.run(queue.size())


@row("OK")
@fresh
def interactive_session(c):
    session = tf1.InteractiveSession(c.target)
    try:
        assert tf1.matmul([[2.0]], [[4.0]]).eval().tolist() == [[8.0]]
    finally:
        session.close()


@row("OK")
@fresh
def extension_while_steps_wait(c):
    queue = tf1.FIFOQueue(1, [tf.float32], [[]])
    put, taken = queue.enqueue(1.0), queue.dequeue()
    with tf1.Session(c.target) as session:
        session.run(tf1.constant(1))
        found = []
        thread = threading.Thread(target=lambda: found.append(session.run(taken)))
        thread.start()
        assert session.run(tf1.constant(5)) == 5
        session.run(put)
        thread.join(60)
        assert found == [1.0]


@row("OK")
@fresh
def other_shape_of_a_variable_of_that_name(c):
    a = variable("a", [1.0, 2.0])
    with tf1.Session(c.target) as session:
        session.run(a.initializer)
    with tf1.Graph().as_default():
        other = variable("a", [[7.0]])
        with tf1.Session(c.target) as session:
            assert session.run(other).tolist() == [1, 2]
        with tf1.Session(c.target, config=tf1.ConfigProto(isolate_session_state=True)) as session:
            session.run(other.initializer)
            assert session.run(other).tolist() == [[7]]


@row("INVALID_ARGUMENT", "has inputs from different frames")
@fresh
def sum_of_two_frames(c):
    enter = lambda frame: tf1.raw_ops.Enter(data=1.0, frame_name=frame, is_constant=False, parallel_iterations=10)
    with tf1.Session(c.target) as session:
        session.run(tf1.raw_ops.AddV2(x=enter("one"), y=enter("two")))


@row("OK")
@fresh
def function_that_comes_later(c):
    with tf1.Session(c.target) as session:
        assert session.run(tf1.constant(1)) == 1

        @tf.function
        def twice(x):
            return x * 2

        assert session.run(twice(tf1.constant(4.0))) == 8


@row("OK")
@fresh
def chain_of_two_hundred_parts(c):
    first = tf1.placeholder(tf.float32, [])
    chain = [first]
    for _ in range(200):
        chain.append(chain[-1] + 1)
    fed = [tf1.placeholder(tf.float32, []) for _ in range(3)]
    sums = [chain[-1] + fed[0]]
    for more in fed[1:]:
        sums.append(sums[-1] + more)
    with tf1.Session(c.target) as session:
        handle = session.partial_run_setup(sums, [first, *fed])
        assert session.partial_run(handle, sums[0], {first: 1, fed[0]: 1}) == 202
        for i in 1, 2:
            assert session.partial_run(handle, sums[i], {fed[i]: 1}) == 202 + i


@row("OK")
@fresh
def parts_that_take_turns(c):
    """Two interleaved partial runs, of which one never ends."""
    a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
    doubled = a * 2
    both = doubled + b
    with tf1.Session(c.target) as session:
        handles = [session.partial_run_setup([doubled, both], [a, b]) for _ in range(3)]
        for i, handle in enumerate(handles):
            assert session.partial_run(handle, [], {a: i}) == []
        for i, handle in enumerate(handles):
            assert session.partial_run(handle, doubled) == 2 * i
        assert session.partial_run(handles[1], both, {b: 5}) == 7
        assert session.partial_run(handles[0], both, {b: 4}) == 4
    with tf1.Session(c.target) as session:
        assert session.run(both, {a: 1, b: 1}) == 3


@row("OK")
@fresh
def parts_on_two_tasks(c):
    with tf1.device(PS):
        a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
        both = a + b
    with tf1.device(WORKER):
        last = tf1.placeholder(tf.float32, [])
        product = both * last
    with tf1.Session(c.target) as session:
        for _ in range(3):
            handle = session.partial_run_setup([both, product], [a, b, last])
            assert session.partial_run(handle, both, {a: 1, b: 2}) == 3
            assert session.partial_run(handle, product, {last: 3}) == 9


def cluster_of(c, name, **more):
    spec = tf.train.ClusterSpec({name: list(c.addresses.values())})
    return tf1.ConfigProto(cluster_def=spec.as_cluster_def(), **more)


@row("OK")
@fresh
def names_of_devices_of_a_cluster_that_is_sent_along(c):
    for device in "/job:trainer/task:1", "/job:trainer/replica:0/task:1/device:CPU:0", "/job:trainer/task:0/cpu:0", "/cpu:0":
        with tf1.device(device):
            x = tf1.placeholder_with_default(17.0, []) + 1
        task = "0" if device.startswith("/cpu") else device.partition("task:")[2][0]
        config = cluster_of(c, "trainer")
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf1.Session(c.target, config=config) as session:
            metadata = tf1.RunMetadata()
            options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
            assert session.run(x, options=options, run_metadata=metadata) == 18
            # Where stock folds constants, the node's name has a suffix.
            timed = {
                d.device for d in metadata.step_stats.dev_stats for n in d.node_stats
                if n.node_name.split("/")[0] == x.op.name}
            assert timed == {f"/job:trainer/replica:0/task:{task}/device:CPU:0"}, metadata


@row("FAILED_PRECONDITION", "uninitialized value v")
@fresh
def variables_of_a_cluster_that_is_sent_along(c):
    with tf1.device("/job:trainer/task:1"):
        v = variable("v", 3.0)
    shared = cluster_of(c, "trainer")
    shared.experimental.share_session_state_in_clusterspec_propagation = True
    with tf1.Session(c.target, config=shared) as first, tf1.Session(c.target, config=shared) as second:
        first.run(v.initializer)
        assert second.run(v) == 3
    with tf1.Session(c.target, config=cluster_of(c, "trainer")) as first:
        first.run(v.initializer)
        assert first.run(v) == 3
        with tf1.Session(c.target, config=cluster_of(c, "trainer")) as second:
            second.run(v)


@row("OK")
@fresh
def graphs_of_tasks_that_nobody_asked_for(c):
    x = tf1.placeholder_with_default(2.0, []) * 3
    with tf1.Session(c.target) as session:
        for asked in False, True, False:
            metadata = tf1.RunMetadata()
            options = tf1.RunOptions(output_partition_graphs=asked)
            assert session.run(x, options=options, run_metadata=metadata) == 6
            assert bool(metadata.partition_graphs) == asked, metadata


@row("OK")
@fresh
def feeds_and_fetches_of_128_megabytes(c):
    x = tf1.placeholder(tf.float32)
    large = np.full((1 << 25,), 0.5, "f")
    with tf1.device(PS):
        there = x * 2
    with tf1.Session(c.target) as session:
        assert (session.run(there, {x: large}) == 1).all()


@row("OK")
@fresh
def graph_with_a_constant_of_100_megabytes(c):
    constant = tf1.constant(np.full((25_000_000,), 0.25, "f"))
    with tf1.device(PS):
        total = tf1.reduce_max(constant)
    with tf1.Session(c.target) as session:
        assert session.run(total) == 0.25


@row("OK")
@fresh
def callable_from_options(c):
    x = tf1.placeholder(tf.float32, [], "x")
    y = x * 2
    options = config_pb2.CallableOptions(feed=[x.name], fetch=[y.name])
    options.run_options.trace_level = config_pb2.RunOptions.FULL_TRACE
    with tf1.Session(c.target) as session:
        # The client does not return the step's timings.
        assert session._make_callable_from_options(options)(np.float32(3)) == [6]
        assert session.make_callable(y, [x])(4) == 8


@row("OK")
@fresh
def variables_that_the_step_changes(c):
    """A fetch beside a training op has the value after the step, if the variable is on the master's own task."""
    with tf1.device(WORKER):
        w = variable("w", [1.0, 2.0])
        step = variable("step", np.int64(0))
        train = tf1.train.AdamOptimizer(0.1).minimize(tf1.reduce_sum(w * w), global_step=step)
        read = w.read_value()
    options = config_pb2.CallableOptions(fetch=[step.name], target=[train.name])
    with tf1.Session(c.target) as session:
        session.run(tf1.global_variables_initializer())
        run = session._make_callable_from_options(options)
        for i in range(1, 20, 2):
            _, at, left, same = session.run([train, step, w, read])
            assert at == i and left.tolist() == same.tolist() == session.run(w).tolist(), (i, at, left, same)
            assert run() == [i + 1]


@row("DEADLINE_EXCEEDED")
@fresh
def callable_that_waits(c):
    value = tf1.FIFOQueue(1, [tf.float32]).dequeue()
    options = config_pb2.RunOptions(timeout_in_ms=200)
    with tf1.Session(c.target) as session:
        session.make_callable(value, accept_options=True)(options=options)

"""A stock client with loops that span devices: python two_tasks_loops.py grpc://HOST:PORT.

/job:ps/task:0 and /job:worker/task:0 are stock or Headrace, with two CPUs each, and either is the master. Prints
"ok NAME" for each case, and ends with status 1 if one failed.
"""

import contextlib
import sys

from cases import case, fails, run

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TARGET = sys.argv[1]
tf1.disable_v2_behavior()

# Otherwise a stock master's optimizer replaces pinned ops, which may then move.
CONFIG = tf1.ConfigProto()
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True
PS, WORKER = "/job:ps/task:0/cpu:0", "/job:worker/task:0/cpu:0"


def on(device, make):
    with tf1.device(device):
        return make()


@contextlib.contextmanager
def session():
    with tf1.Session(TARGET, config=CONFIG) as opened:
        opened.run(tf1.global_variables_initializer())
        yield opened


def fetch(tensors, feeds=None):
    with session() as opened:
        return opened.run(tensors, feeds)


@case
def bodies_of_two_tasks():
    for first, second in (PS, WORKER), (WORKER, PS):
        def body(i, x):
            doubled = on(first, lambda: x * 2)
            return i + 1, on(second, lambda: doubled + 1)

        i, x = tf1.while_loop(lambda i, _: i < 10, body, [0, tf1.constant([1.0, 0.0])])
        assert [v.tolist() for v in fetch([i, x])] == [10, [2047, 1023]]


@case
def conditions_of_the_other_task():
    for here, there in (PS, WORKER), (WORKER, PS):
        n = tf1.placeholder(tf.int32, [])
        loop = tf1.while_loop(
            lambda i, s: on(there, lambda: i < n), lambda i, s: (i + 1, on(here, lambda: s + i)), [0, 0])
        with session() as opened:
            for k in 0, 1, 2, 12:  # no iteration at first, at last more than parallel_iterations
                assert opened.run(loop, {n: k}) == (k, sum(range(k)))


@case
def iterations_one_at_a_time():
    loop = tf1.while_loop(
        lambda i, x: on(PS, lambda: i < 7),
        lambda i, x: (on(PS, lambda: i + 1), on(WORKER, lambda: x - on(PS, lambda: tf1.cast(i, tf.float32)))),
        [0, 0.0], parallel_iterations=1)
    assert fetch(loop) == (7, -21)


@case
def what_is_the_same_in_each_iteration():
    matrix = np.random.RandomState(7).uniform(-0.1, 0.1, [100, 100]).astype(np.float32)
    m = on(PS, lambda: tf1.placeholder(tf.float32, [100, 100]))
    start = np.ones([100, 1], np.float32)

    def body(i, x):
        with tf1.device(WORKER):
            y = tf1.matmul(m, x)
        with tf1.device(PS):
            return i + 1, tf1.matmul(m, y)

    loop = tf1.while_loop(lambda i, _: i < 5, body, [0, start])[1]
    expected = start
    for _ in range(10):
        expected = matrix @ expected
    np.testing.assert_allclose(fetch(loop, {m: matrix}), expected, rtol=1e-3, atol=1e-12)


@case
def strings_go_around():
    def body(i, s):
        with tf1.device(WORKER):
            longer = tf1.strings.join([s, tf1.as_string(i)])
        with tf1.device(PS):
            return i + 1, tf1.strings.join(["(", longer, ")"])

    assert fetch(tf1.while_loop(lambda i, _: i < 3, body, [0, ""])[1]) == b"(((0)1)2)"


@case
def loops_within_loops():
    """For each i, the inner loop is on another task than the outer one, or on both."""
    def inner(i, s, device, other):
        with tf1.device(device):
            return tf1.while_loop(
                lambda j, _: j < i,
                lambda j, t: (j + 1, on(other, lambda: t + on(device, lambda: i * j))), [0, s])[1]

    for device, other in (PS, PS), (WORKER, WORKER), (PS, WORKER), (WORKER, PS):
        def body(i, s):
            return i + 1, inner(i, s, device, other)

        loop = tf1.while_loop(lambda i, _: on(PS, lambda: i < 6), body, [0, 0])
        assert fetch(loop) == (6, sum(i * j for i in range(6) for j in range(i)))


@case
def three_loops_deep():
    def count(i, n):
        with tf1.device(WORKER):
            return tf1.while_loop(
                lambda j, _: on(PS, lambda: j < 2), lambda j, m: (j + 1, on(WORKER, lambda: m + i * j)), [0, n])[1]

    def middle(k, n):
        with tf1.device(PS):
            return tf1.while_loop(lambda i, _: i < 3, lambda i, m: (i + 1, count(i, m) + k), [0, n])[1]

    loop = tf1.while_loop(lambda k, _: k < 4, lambda k, n: (k + 1, middle(k, n)), [0, 0])
    assert fetch(loop)[1] == sum(sum(i * j for j in range(2)) + k for k in range(4) for i in range(3))


@case
def branches_within_loops():
    def body(i, x):
        with tf1.device(WORKER):
            odd = tf1.equal(i % 2, 1)
        return i + 1, tf1.cond(odd, lambda: on(PS, lambda: x + 1), lambda: on(WORKER, lambda: x * 2))

    assert fetch(tf1.while_loop(lambda i, _: i < 8, body, [0, 1]))[1] == 31


@case
def loops_within_branches():
    p = tf1.placeholder(tf.bool, [])
    x = on(PS, lambda: tf1.constant(1.0))

    def twice():
        return tf1.while_loop(
            lambda i, _: on(WORKER, lambda: i < 4), lambda i, y: (i + 1, on(PS, lambda: y * 2)), [0, x])[1]

    taken = tf1.cond(p, twice, lambda: on(WORKER, lambda: x - 5))
    with session() as opened:
        assert [opened.run(taken, {p: v}) for v in (True, False, True)] == [16, -4, 16]


@case
def loops_in_branches_within_loops():
    def inner(x):
        return tf1.while_loop(
            lambda j, _: on(PS, lambda: j < 3), lambda j, y: (j + 1, on(WORKER, lambda: y + j)), [0, x])[1]

    def body(i, x):
        return i + 1, tf1.cond(tf1.equal(i % 3, 0), lambda: inner(x), lambda: on(PS, lambda: x * 2))

    x = 1
    for i in range(7):
        x = x + 3 if i % 3 == 0 else x * 2
    assert fetch(tf1.while_loop(lambda i, _: on(WORKER, lambda: i < 7), body, [0, 1]))[1] == x


@case
def branches_of_two_tasks():
    p, q = tf1.placeholder(tf.bool, []), tf1.placeholder(tf.bool, [])
    x = on(PS, lambda: tf1.constant([1.0, 2.0]))
    inner = lambda: tf1.cond(q, lambda: on(PS, lambda: x + 1), lambda: on(WORKER, lambda: x - 1))
    y = tf1.cond(p, inner, lambda: on(WORKER, lambda: x * 10))
    z = on(PS, lambda: y + 0)
    with session() as opened:
        seen = [opened.run(z, {p: a, q: b}).tolist() for a in (True, False) for b in (True, False)]
    assert seen == [[2, 3], [0, 1], [10, 20], [10, 20]]


@case
def control_edges_within_loops():
    v = on(PS, lambda: tf1.get_variable("v", initializer=0, use_resource=True))

    def body(i, s):
        add = on(PS, lambda: v.assign_add(2, read_value=False))
        with tf1.control_dependencies([add]):
            after = on(WORKER, lambda: i + 1)
        with tf1.control_dependencies([after]):
            return after, s + on(PS, lambda: v.read_value())

    loop = tf1.while_loop(lambda i, _: i < 20, body, [0, 0], parallel_iterations=1)
    with session() as opened:
        assert opened.run(loop) == (20, sum(2 * (k + 1) for k in range(20)))
        assert opened.run(v) == 40


@case
def reference_variables_within_loops():
    v = on(PS, lambda: tf1.get_variable("ref", initializer=1.0, use_resource=False))

    def body(i):
        change = on(WORKER, lambda: tf1.cast(i, tf.float32))
        with tf1.control_dependencies([on(PS, lambda: tf1.assign_add(v, change))]):
            return i + 1

    loop = tf1.while_loop(lambda i: i < 5, body, [0], parallel_iterations=1)
    with session() as opened:
        opened.run(loop)
        assert opened.run(v) == 11


@case
def arrays_within_loops():
    x = tf1.placeholder(tf.float32, [None, 2])
    source = on(PS, lambda: tf1.TensorArray(tf.float32, tf1.shape(x)[0]).unstack(x))
    made = on(PS, lambda: tf1.TensorArray(tf.float32, tf1.shape(x)[0]))

    def body(i, array):
        row = on(PS, lambda: source.read(i))
        return i + 1, on(PS, lambda: array.write(i, on(WORKER, lambda: row * row)))

    array = tf1.while_loop(lambda i, _: i < tf1.shape(x)[0], body, [0, made])[1]
    fed = np.arange(8, dtype=np.float32).reshape(4, 2)
    np.testing.assert_array_equal(fetch(on(PS, array.stack), {x: fed}), fed * fed)


@case
def gradients_through_loops():
    x, w = tf1.placeholder(tf.float32, [2]), on(PS, lambda: tf1.get_variable("w", initializer=[0.5, 2.0]))
    for first, second in (PS, WORKER), (WORKER, PS):
        def body(i, y):
            product = on(first, lambda: y * w)
            return i + 1, on(second, lambda: product * product + x)

        y = tf1.while_loop(lambda i, _: i < 3, body, [0, x])[1]
        gradients = tf1.gradients(y, [x, w])
        value, in_x, in_w = fetch([y] + gradients, {x: [1.0, 0.3]})
        for k, (a, b) in enumerate([(1.0, 0.5), (0.3, 2.0)]):
            expected, dx, dw = a, 1.0, 0.0
            for _ in range(3):
                dx, dw = 2 * expected * b * b * dx + 1, 2 * expected * b * (expected + b * dw)
                expected = (expected * b) ** 2 + a
            np.testing.assert_allclose([value[k], in_x[k], in_w[k]], [expected, dx, dw], rtol=1e-5)


@case
def gradients_through_loops_within_loops():
    x = tf1.placeholder(tf.float32, [])

    def inner(i, y):
        return tf1.while_loop(
            lambda j, _: j < i + 1, lambda j, z: (j + 1, on(WORKER, lambda: z * on(PS, lambda: x + z))), [0, y])[1]

    y = tf1.while_loop(lambda i, _: i < 2, lambda i, z: (i + 1, on(PS, lambda: inner(i, z) + x)), [0, x])[1]
    value, gradient = fetch([y] + tf1.gradients(y, [x]), {x: 0.5})
    expected, d = 0.5, 1.0
    for i in range(2):
        for _ in range(i + 1):
            expected, d = expected * (0.5 + expected), d * (0.5 + expected) + expected * (1 + d)
        expected, d = expected + 0.5, d + 1
    np.testing.assert_allclose([value, gradient], [expected, d], rtol=1e-5)


@case
def devices_of_one_task():
    for task in "/job:ps/task:0", "/job:worker/task:0":
        def body(i, x):
            with tf1.device(task + "/cpu:1"):
                y = tf1.while_loop(lambda j, _: j < 3, lambda j, z: (j + 1, on(task + "/cpu:0", lambda: z + j)), [0, x])[1]
            return on(task + "/cpu:0", lambda: i + 1), on(task + "/cpu:1", lambda: y * 2)

        with tf1.device(task + "/cpu:0"):
            loop = tf1.while_loop(lambda i, _: i < 4, body, [0, 1])
        assert fetch(loop) == (4, 106)


@case
def all_four_devices():
    def body(i, x):
        for device in PS, WORKER, PS[:-1] + "1", WORKER[:-1] + "1":
            x = on(device, lambda: x + i)
        return i + 1, x

    loop = tf1.while_loop(lambda i, _: on(WORKER[:-1] + "1", lambda: i < 30), body, [0, 0])
    assert fetch(loop) == (30, 4 * sum(range(30)))


@case
def long_loops():
    """Each iteration sends several tensors in both directions; none may leak."""
    def body(i, x):
        return on(PS, lambda: i + 1), on(WORKER, lambda: x + on(PS, lambda: i % 7))

    loop = tf1.while_loop(lambda i, _: on(PS, lambda: i < 3000), body, [0, 0])
    assert fetch(loop) == (3000, sum(i % 7 for i in range(3000)))


@case
def errors_within_loops():
    for there, here in (PS, WORKER), (WORKER, PS):
        name = "bad_" + there[5:7]
        last = tf1.placeholder(tf.int32, [])

        def body(i, x):
            size = on(here, lambda: tf1.where(i < last, 2, 3))
            y = on(there, lambda: tf1.reshape(x, [size], name=name))
            return on(here, lambda: i + 1), on(here, lambda: y + 1)

        loop = tf1.while_loop(lambda i, _: i < 50, body, [0, tf1.constant([1.0, 2.0])])
        with session() as opened:
            for _ in range(3):
                fails(tf.errors.InvalidArgumentError, name, lambda: opened.run(loop, {last: 25}))
                assert opened.run(loop, {last: 99})[1].tolist() == [51, 52]


@case
def endless_loops_end_in_time():
    for here, there in (PS, WORKER), (WORKER, PS):
        loop = on(here, lambda: tf1.while_loop(
            lambda i: i >= 0, lambda i: on(there, lambda: (i + 1) % 1000), [tf1.constant(0)]))
        one = on(there, lambda: tf1.constant(1))
        with session() as opened:
            fails(tf.errors.DeadlineExceededError, "",
                  lambda: opened.run(loop, options=tf1.RunOptions(timeout_in_ms=500)))
            assert opened.run(one) == 1


def in_a_graph(function):
    with tf1.Graph().as_default():
        function()


# Variables outlive sessions, including those of an earlier client.
tf1.Session.reset(TARGET)
sys.exit(run(in_a_graph))

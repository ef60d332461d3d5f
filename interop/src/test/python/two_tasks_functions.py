"""A stock client with functions that span devices: python two_tasks_functions.py grpc://HOST:PORT.

Conditionals, loops and calls are TensorFlow 2's: functions, with nodes pinned to /job:ps/task:0, /job:ps/task:1 and
/job:worker/task:0, each stock or Headrace. Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import contextlib
import sys

from cases import case, fails, run

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

tf1 = tf.compat.v1
TARGET = sys.argv[1]
tf1.disable_eager_execution()
tf1.enable_control_flow_v2()
tf1.enable_resource_variables()

# Otherwise a stock master's optimizer replaces pinned ops, which may then move.
CONFIG = tf1.ConfigProto()
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True
# Otherwise a stock master places a call on one task, which then refuses nodes pinned to another.
CONFIG.graph_options.optimizer_options.do_function_inlining = True
PS, OTHER, WORKER = "/job:ps/task:0/cpu:0", "/job:ps/task:1/cpu:0", "/job:worker/task:0/cpu:0"


def on(device, make):
    with tf1.device(device):
        return make()


def variable(device, name, value):
    return on(device, lambda: tf1.get_variable(name, initializer=value))


@contextlib.contextmanager
def session(config=CONFIG):
    with tf1.Session(TARGET, config=config) as opened:
        opened.run(tf1.global_variables_initializer())
        yield opened


def fetch(tensors, feeds=None):
    with session() as opened:
        return opened.run(tensors, feeds)


def counted(condition, body, start):
    """A loop over an index and another variable; returns their final values."""
    return tuple(tf1.while_loop(condition, body, (tf1.constant(0), start)))


@case
def branches_of_two_tasks():
    p = tf1.placeholder(tf.bool, [])
    x = tf1.placeholder(tf.float32, [None])
    there, here = variable(PS, "there", 2.0), variable(OTHER, "here", 5.0)
    y = tf1.cond(p, lambda: on(PS, lambda: x * there), lambda: on(OTHER, lambda: x + here))
    assert y.op.inputs[0].op.type == "If", y.op.inputs[0].op.type
    with session() as opened:
        assert opened.run(y, {p: True, x: [1, 2]}).tolist() == [2, 4]
        assert opened.run(y, {p: False, x: [1, 2]}).tolist() == [6, 7]


@case
def branches_of_only_effects():
    p = tf1.placeholder(tf.bool, [])
    v, w = variable(PS, "v", 0.0), variable(OTHER, "w", 0.0)

    def change(device, variable, by):
        def branch():
            return on(device, lambda: variable.assign_add(by, read_value=False))
        return branch

    change = tf1.cond(p, change(PS, v, 1.0), change(OTHER, w, 10.0))
    with session() as opened:
        for taken in True, False, False:
            opened.run(change, {p: taken})
        assert opened.run([v, w]) == [1, 20]


@case
def branches_within_branches():
    p, q = tf1.placeholder(tf.bool, []), tf1.placeholder(tf.bool, [])
    x = on(PS, lambda: tf1.constant([1.0, 2.0]))
    inner = lambda: tf1.cond(q, lambda: on(PS, lambda: x + 1), lambda: on(WORKER, lambda: x - 1))
    y = tf1.cond(p, inner, lambda: on(OTHER, lambda: x * 10))
    with session() as opened:
        seen = [opened.run(y, {p: a, q: b}).tolist() for a in (True, False) for b in (True, False)]
    assert seen == [[2, 3], [0, 1], [10, 20], [10, 20]]


@case
def cases_of_three_tasks():
    index = tf1.placeholder(tf.int32, [])
    v = [variable(device, f"v{i}", i + 1.0) for i, device in enumerate([PS, OTHER, WORKER])]
    branches = [lambda i=i, d=d: on(d, lambda: v[i] * 2) for i, d in enumerate([PS, OTHER, WORKER])]
    y = tf.switch_case(index, branches)
    with session() as opened:
        assert [opened.run(y, {index: i}) for i in (0, 1, 2, 3, -1)] == [2, 4, 6, 6, 6]


@case
def loops_over_variables_of_two_tasks():
    v, w = variable(PS, "v", [1.0, 2.0]), variable(OTHER, "w", [10.0, 20.0])
    n = tf1.placeholder(tf.int32, [])
    loop = counted(lambda i, _: i < n, lambda i, s: (i + 1, s + v * w), tf1.constant([0.0, 0.0]))
    with session() as opened:
        for k in 0, 1, 25:
            i, s = opened.run(loop, {n: k})
            assert (i, s.tolist()) == (k, [10.0 * k, 40.0 * k])


@case
def loops_that_change_variables_of_two_tasks():
    v, w = variable(PS, "v", 0.0), variable(OTHER, "w", 1.0)

    def body(i):
        with tf1.control_dependencies([v.assign_add(1.0), w.assign(w * 2)]):
            return i + 1

    loop = tf1.while_loop(lambda i: i < 5, body, [0], parallel_iterations=1)
    with session() as opened:
        for times in 1, 2:
            assert opened.run(loop) == 5
            assert opened.run([v, w]) == [5 * times, 32 ** times]


@case
def loops_that_are_only_run():
    """A stock master passes all loop variables to the loop's task, including handles of others' variables."""
    for n, device in enumerate([None, PS, OTHER]):
        v, w = variable(PS, f"v{n}", 1.0), variable(OTHER, f"w{n}", 2.0)

        def body(i):
            with tf1.control_dependencies([v.assign_add(1.0), w.assign(w * 2)]):
                return i + 1

        with tf1.device(device):
            loop = tf1.while_loop(lambda i: i < 5, body, [0], parallel_iterations=1)
        whole = [op for op in loop.graph.get_operations() if op.type == "While"][-1]
        with session() as opened:
            opened.run(whole)
            assert opened.run([v, w]) == [6, 64]
            opened.run(loop.op)
            assert opened.run([v, w]) == [11, 2048]


@case
def bodies_of_two_tasks():
    for first, second in (PS, WORKER), (WORKER, PS), (PS, OTHER):
        def body(i, x):
            doubled = on(first, lambda: x * 2)
            return i + 1, on(second, lambda: doubled + 1)

        i, x = tf1.while_loop(lambda i, _: i < 10, body, [0, tf1.constant([1.0, 0.0])])
        assert [v.tolist() for v in fetch([i, x])] == [10, [2047, 1023]]


@case
def conditions_of_the_other_task():
    v = variable(OTHER, "bound", 7)
    loop = counted(lambda i, _: on(OTHER, lambda: i < v), lambda i, s: (i + 1, on(PS, lambda: s + i)), 0)
    assert fetch(loop) == (7, 21)


@case
def loops_within_loops():
    def inner(i, s, device, other):
        with tf1.device(device):
            return tf1.while_loop(
                lambda j, _: j < i,
                lambda j, t: (j + 1, on(other, lambda: t + on(device, lambda: i * j))), [0, s])[1]

    for device, other in (PS, PS), (PS, OTHER), (WORKER, PS):
        loop = counted(
            lambda i, _: on(PS, lambda: i < 6), lambda i, s: (i + 1, inner(i, s, device, other)), 0)
        assert fetch(loop) == (6, sum(i * j for i in range(6) for j in range(i)))


@case
def branches_within_loops():
    v = variable(OTHER, "v", 3)

    def body(i, x):
        odd = on(WORKER, lambda: tf1.equal(i % 2, 1))
        return i + 1, tf1.cond(odd, lambda: on(PS, lambda: x + 1), lambda: on(OTHER, lambda: x * v))

    x = 1
    for i in range(8):
        x = x + 1 if i % 2 else x * 3
    assert fetch(tf1.while_loop(lambda i, _: i < 8, body, [0, 1]))[1] == x


@case
def loops_within_branches():
    p = tf1.placeholder(tf.bool, [])
    x = on(PS, lambda: tf1.constant(1.0))

    def twice():
        return tf1.while_loop(
            lambda i, _: on(WORKER, lambda: i < 4), lambda i, y: (i + 1, on(PS, lambda: y * 2)), [0, x])[1]

    taken = tf1.cond(p, twice, lambda: on(OTHER, lambda: x - 5))
    with session() as opened:
        assert [opened.run(taken, {p: v}) for v in (True, False, True)] == [16, -4, 16]


@case
def calls_of_several_tasks():
    v, w = variable(PS, "v", 3.0), variable(OTHER, "w", 4.0)

    @tf.function(autograph=False)
    def product(x):
        return on(WORKER, lambda: x * v + w), on(PS, lambda: x - 1)

    x = tf1.placeholder(tf.float32, [])
    a, b = product(x)
    with session() as opened:
        assert opened.run([a, b], {x: 2.0}) == [10, 1]
        assert opened.run(b, {x: 5.0}) == 4
        assert opened.run(a + 1, {x: 5.0}) == 20


@case
def calls_within_calls():
    v = variable(PS, "v", 3.0)

    @tf.function(autograph=False)
    def inner(x):
        return on(PS, lambda: x * v)

    @tf.function(autograph=False)
    def outer(x):
        return on(OTHER, lambda: inner(x) + inner(x + 1))

    assert fetch(on(WORKER, lambda: outer(tf1.constant(2.0)))) == 15


@case
def effects_of_calls_whose_results_nobody_takes():
    v, w = variable(PS, "v", 0.0), variable(OTHER, "w", 0.0)

    @tf.function(autograph=False)
    def count(x):
        on(PS, lambda: v.assign_add(x))
        on(OTHER, lambda: w.assign_add(2 * x))
        return on(WORKER, lambda: x * 10)

    y = count(tf1.constant(1.0))
    with session() as opened:
        assert opened.run(y) == 10
        assert opened.run([v, w]) == [1, 2]
        with tf1.control_dependencies([y.op]):
            after = tf1.identity(v.read_value())
        assert opened.run(after) == 2  # extends the session
        assert opened.run(w) == 4


@case
def calls_that_wait_for_others():
    v = variable(PS, "v", 1.0)

    @tf.function(autograph=False)
    def read():
        return on(OTHER, lambda: on(PS, v.read_value) * 2)

    with tf1.control_dependencies([v.assign(5.0)]):
        y = read()
    assert fetch(y) == 10


def remote_call(device, called, arguments, *dtypes):
    return functional_ops.remote_call(target=device, args=arguments, Tout=dtypes, f=called)


@case
def calls_where_a_tensor_says():
    """In each direction between tasks, and on the caller's own: they share the function's variable."""
    @function.Defun(tf.float32, tf.string)
    def count(x, name):
        total = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="total")
        with tf1.control_dependencies([tf.raw_ops.AssignAddVariableOp(resource=total, value=x)]):
            return tf.raw_ops.ReadVariableOp(resource=total, dtype=tf.float32), tf1.strings.join([name, "!"])

    there = tf1.placeholder(tf.string, [])
    calls = [
        on(device, lambda: remote_call(there, count, [tf1.constant(2.0), "a"], tf.float32, tf.string))
        for device in (PS, WORKER)]
    totals = [
        on(device, lambda: tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="total"))
        for device in (PS, OTHER, WORKER)]
    set_all = [tf.raw_ops.AssignVariableOp(resource=v, value=10.0 * n) for n, v in enumerate(totals)]
    read_all = [tf.raw_ops.ReadVariableOp(resource=v, dtype=tf.float32) for v in totals]
    devices = [d.replace("/task", "/replica:0/task").replace("/cpu", "/device:CPU") for d in (PS, OTHER, WORKER)]
    with session() as opened:
        opened.run(set_all)
        for n, device in enumerate(devices):
            for times, call in enumerate(calls, 1):
                assert opened.run(call, {there: device}) == [10 * n + 2 * times, b"a!"]
        assert opened.run(read_all) == [4, 14, 24]
        nowhere = {there: "/job:ps/replica:0/task:7/device:CPU:0"}
        fails(tf.errors.InvalidArgumentError, "/job:ps/replica:0/task:7", lambda: opened.run(calls[0], nowhere))


@case
def calls_elsewhere_with_variables_of_there():
    @function.Defun(tf.resource, tf.int32)
    def shaped(v, shape):
        return tf1.reshape(tf.raw_ops.ReadVariableOp(resource=v, dtype=tf.float32), shape)

    v = variable(OTHER, "v", [3.0, 4.0])
    shape = tf1.placeholder(tf.int32, [1])
    device = OTHER.replace("/task", "/replica:0/task").replace("/cpu", "/device:CPU")
    y = on(PS, lambda: remote_call(device, shaped, [v.handle, shape], tf.float32))
    with session() as opened:
        assert opened.run(y, {shape: [2]})[0].tolist() == [3, 4]
        fails(tf.errors.InvalidArgumentError, "the requested shape has 5", lambda: opened.run(y, {shape: [5]}))
        assert opened.run(y, {shape: [2]})[0].tolist() == [3, 4]


@case
def gradients_through_functions():
    v, w = variable(PS, "v", 0.5), variable(OTHER, "w", 2.0)
    x = tf1.placeholder(tf.float32, [])
    y = tf1.while_loop(
        lambda i, _: i < 3, lambda i, y: (i + 1, on(PS, lambda: y * v) * on(OTHER, lambda: y * w) + x), [0, x])[1]
    gradients = tf1.gradients(y, [x, v, w])
    value, in_x = 0.3, 1.0
    in_v, in_w = 0.0, 0.0
    for _ in range(3):
        in_v, in_w = value * value * 2.0 + 2 * value * in_v, value * value * 0.5 + 2 * value * in_w
        in_x, value = 2 * value * in_x + 1, value * value + 0.3
    with session() as opened:
        seen = opened.run([y] + gradients, {x: 0.3})
        np.testing.assert_allclose(seen, [value, in_x, in_v, in_w], rtol=1e-5)


@case
def gradients_through_branches():
    p = tf1.placeholder(tf.bool, [])
    v, w = variable(PS, "v", 3.0), variable(OTHER, "w", 4.0)
    y = tf1.cond(p, lambda: on(PS, lambda: v * v) + w, lambda: on(OTHER, lambda: w * w))
    gradients = tf1.gradients(y, [v, w])
    with session() as opened:
        assert opened.run([y] + gradients, {p: True}) == [13, 6, 1]
        assert opened.run([y] + gradients, {p: False}) == [16, 0, 8]


@case
def training_on_variables_of_two_tasks():
    """A Keras-like step: a function of variables on the parameter servers, pinned to a worker."""
    random = np.random.RandomState(3)
    data, truth = random.uniform(-1, 1, [64, 3]).astype(np.float32), np.array([[1.0], [-2.0], [0.5]], np.float32)
    v, w = variable(PS, "kernel", np.zeros([3, 1], np.float32)), variable(OTHER, "bias", np.zeros([1], np.float32))
    x, labels = tf1.placeholder(tf.float32, [64, 3]), tf1.placeholder(tf.float32, [64, 1])

    @tf.function(autograph=False)
    def step(x, labels):
        error = tf.matmul(x, v) + w - labels
        loss = tf.reduce_mean(error * error)
        for variable, gradient in zip((v, w), tf1.gradients(loss, [v, w])):
            variable.assign_sub(0.5 * gradient)
        return loss

    loss = on(WORKER, lambda: step(x, labels))
    with session() as opened:
        losses = [opened.run(loss, {x: data, labels: data @ truth + 0.25}) for _ in range(60)]
        assert losses[-1] < 1e-3 < losses[0], losses
        np.testing.assert_allclose(opened.run(v), truth, atol=0.05)


@case
def lists_that_loops_fill():
    x = tf1.placeholder(tf.float32, [None, 2])
    array = tf.TensorArray(tf.float32, tf1.shape(x)[0], element_shape=[2])

    def body(i, array):
        return i + 1, array.write(i, on(PS, lambda: x[i] * x[i]) + on(OTHER, lambda: x[i]))

    array = tf1.while_loop(lambda i, _: i < tf1.shape(x)[0], body, [0, array])[1]
    fed = np.arange(8, dtype=np.float32).reshape(4, 2)
    np.testing.assert_array_equal(fetch(array.stack(), {x: fed}), fed * fed + fed)


@case
def random_numbers_of_each_iteration():
    """An op without inputs runs exactly once per iteration."""
    v = variable(PS, "v", 0)

    def body(i, total):
        with tf1.control_dependencies([on(PS, lambda: v.assign_add(1))]):
            return i + 1, total + on(OTHER, lambda: tf1.random.uniform([]))

    loop = tf1.while_loop(lambda i, _: i < 20, body, [0, 0.0])
    with session() as opened:
        totals = [opened.run(loop)[1] for _ in range(3)]
        assert len(set(totals)) == 3 and all(4 < total < 16 for total in totals), totals
        assert opened.run(v) == 60


@case
def errors_within_functions():
    size = tf1.placeholder(tf.int32, [1])

    @tf.function(autograph=False)
    def shaped(x):
        return on(OTHER, lambda: tf1.reshape(on(PS, lambda: x + 0), size, name="misshapen"))

    y = shaped(tf1.constant([1.0, 2.0]))
    with session() as opened:
        fails(tf.errors.InvalidArgumentError, "misshapen", lambda: opened.run(y, {size: [5]}))
        assert opened.run(y, {size: [2]}).tolist() == [1, 2]


@case
def long_loops():
    loop = counted(
        lambda i, _: i < 300,
        lambda i, x: (on(PS, lambda: i + 1), on(WORKER, lambda: x + on(OTHER, lambda: i % 7))), 0)
    assert fetch(loop) == (300, sum(i % 7 for i in range(300)))


@case
def functions_that_ask_for_what_there_is_not():
    @tf.function(autograph=False)
    def wrong(x):
        return on("/job:ps/task:9", lambda: x * 2)

    y = wrong(tf1.constant(1.0))
    with tf1.Session(TARGET, config=CONFIG) as opened:
        fails(tf.errors.InvalidArgumentError, "/job:ps/", lambda: opened.run(y))


def in_a_graph(function):
    tf1.Session.reset(TARGET)  # variables outlive sessions, including the previous case's
    with tf1.Graph().as_default():
        function()


sys.exit(run(in_a_graph))

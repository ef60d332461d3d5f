"""Ops with which steps and clients of sessions wait for each other, on a server and on a stock one.

python coordination.py grpc://HOST:PORT [CASE...]: runs every case there and on a stock server of this process;
values and errors must be the same. Prints "ok NAME" for each; ends with status 1 if one failed.
"""

import os
import sys
import tempfile
import threading
import time

from cases import CASES, case, run

import numpy as np
import tensorflow as tf

from outcomes import differences, ordered, outcome, plain, same

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
import functional_flow  # noqa: F401, E402: its cases

FOLDER = tempfile.TemporaryDirectory()


class Steps:
    """Steps on other threads, all of which must have ended at the end."""

    def __init__(self, session):
        self.session, self.results, self.threads = session, {}, []

    def start(self, name, fetches, **options):
        def run():
            self.results[name] = outcome(lambda: self.session.run(fetches, **options))

        thread = threading.Thread(target=run, daemon=True)
        self.threads.append(thread)
        thread.start()
        return thread

    def end(self):
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive(), "a step did not end"
        return self.results


def until(condition):
    """Waits until another step has made the condition true."""
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("did not come to pass")


@case
def fifo_queue(open_session):
    q = tf1.FIFOQueue(10, [tf.float32, tf.string], shapes=[[2], []], name="q")
    e = q.enqueue([[1.0, 2.0], "a"])
    many = q.enqueue_many([[[3.0, 4.0], [5.0, 6.0]], ["b", "c"]])
    none = q.enqueue_many([np.zeros([0, 2], "f"), np.zeros([0], object)])
    with open_session() as s:
        s.run([e]), s.run(many), s.run(none)
        results = [s.run(q.size()), s.run(q.dequeue()), s.run(q.dequeue_many(2)), s.run(q.size())]
        results.append(s.run(q.dequeue_many(0)))
        s.run(many)
        s.run(q.close())
        results += [s.run(q.is_closed()), outcome(lambda: s.run(e)), outcome(lambda: s.run(q.close()))]
        results += [s.run(q.dequeue_up_to(5)), outcome(lambda: s.run(q.dequeue_up_to(5)))]
        results += [outcome(lambda: s.run(q.dequeue_many(3))), outcome(lambda: s.run(q.dequeue()))]
        return results


@case
def queues_are_checked(open_session):
    shaped = tf1.FIFOQueue(3, [tf.int32, tf.int32], shapes=[[], [2]], shared_name="shaped")
    free = tf1.FIFOQueue(3, [tf.int32, tf.int32], shared_name="free")
    n, m = tf1.placeholder(tf.int32), tf1.placeholder(tf.int32)
    with open_session() as s:
        def tried(op, a, b=0):
            return outcome(lambda: s.run(op, {n: a, m: b}))

        results = [
            tried(shaped.enqueue([n, m]), 1, [1, 2, 3]), tried(shaped.enqueue_many([n, m]), [1, 2], [[1, 2]]),
            tried(free.enqueue_many([n, m]), [1, 2], [1]), tried(shaped.dequeue_many(n), -1),
            tried(free.dequeue_many(n), 1), tried(shaped.enqueue([n, m]), 4, [5, 6]),
        ]
        others = [
            tf1.FIFOQueue(4, [tf.int32, tf.int32], shapes=[[], [2]], shared_name="shaped"),
            tf1.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]], shared_name="shaped"),
            tf1.FIFOQueue(3, [tf.int32, tf.int32], shapes=[[], [3]], shared_name="shaped"),
            tf1.RandomShuffleQueue(3, 1, [tf.int32, tf.int32], shapes=[[], [2]], shared_name="shaped"),
            tf1.FIFOQueue(3, [tf.int32, tf.int32], shapes=[[], [2]], shared_name="shaped"),
        ]
        return results + [outcome(lambda: s.run(q.size())) for q in others]


@case
def shuffled_queue(open_session):
    q = tf1.RandomShuffleQueue(100, 5, [tf.int32], shapes=[[]], seed=87, name="r")
    fill = q.enqueue_many([list(range(40))])
    with open_session() as s:
        s.run(fill)
        results = [s.run(q.dequeue()) for _ in range(10)] + [s.run(q.dequeue_many(20))]
        results.append(s.run(q.size()))
        s.run(q.close())
        return results + [s.run(q.dequeue_up_to(4)), s.run(q.dequeue_many(6)), outcome(lambda: s.run(q.dequeue()))]


@case
def padding_queue(open_session):
    q = tf1.PaddingFIFOQueue(10, [tf.float32, tf.string], shapes=[[None, 2, None], [None]])
    a, b = tf1.placeholder(tf.float32), tf1.placeholder(tf.string)
    e = q.enqueue([a, b])
    with open_session() as s:
        s.run(e, {a: np.ones([1, 2, 3]), b: ["x"]})
        s.run(e, {a: np.full([2, 2, 1], 2.0), b: ["y", "z"]})
        s.run(e, {a: np.zeros([0, 2, 1]), b: []})
        s.run(e, {a: np.full([1, 2, 1], 3.0), b: ["w"]})
        return [s.run(q.dequeue_many(0)), s.run(q.dequeue_many(3)), s.run(q.dequeue()),
                outcome(lambda: s.run(e, {a: np.ones([2, 2]), b: ["x"]}))]


@case
def priority_queue(open_session):
    q = tf1.PriorityQueue(10, [tf.string], shapes=[[]])
    with open_session() as s:
        s.run(q.enqueue_many([np.array([5, 1, 3, 1, 2], np.int64), ["e", "a", "c", "b", "d"]]))
        results = [s.run(q.dequeue()), s.run(q.dequeue_many(3))]
        steps = Steps(s)
        waiting = steps.start("many", q.dequeue_many(3))
        s.run(q.enqueue([np.int64(9), "z"]))
        s.run(q.enqueue([np.int64(0), "y"]))
        waiting.join(60)
        results.append(steps.end())
        s.run(q.close())
        return results + [outcome(lambda: s.run(q.dequeue()))]


@case
def waiting_steps(open_session):
    q = tf1.FIFOQueue(2, tf.int32, shapes=[[]])
    n = tf1.placeholder(tf.int32)
    put, take, size = q.enqueue(n), q.dequeue(), q.size()
    with open_session() as s:
        steps = Steps(s)
        for i in range(4):
            steps.start(i, take)
        for i in range(4):
            s.run(put, {n: 7})
        results = [steps.end(), s.run(size)]
        steps = Steps(s)
        steps.start("many", q.dequeue_many(5))
        s.run(q.enqueue_many([[1, 2, 3, 4, 5]]))  # more than the capacity
        results.append(steps.end())
        steps = Steps(s)
        steps.start("fill", q.enqueue_many([[1, 2, 3, 4, 5]]))
        until(lambda: s.run(size) == 2)
        results += [s.run(q.dequeue_many(4)), steps.end(), s.run(take)]
        return results


@case
def closing_ends_what_waits(open_session):
    q = tf1.FIFOQueue(2, tf.int32, shapes=[[]])
    size = q.size()
    results = []
    with open_session() as s:
        steps = Steps(s)
        steps.start("take", q.dequeue())
        steps.start("many", q.dequeue_many(3))
        s.run(q.close())
        results.append(steps.end())
    q = tf1.FIFOQueue(2, tf.int32, shapes=[[]])
    size = q.size()
    with open_session() as s:
        steps = Steps(s)
        fill = steps.start("fill", q.enqueue_many([[1, 2, 3, 4]]))
        until(lambda: s.run(size) == 2)  # waits for room for the rest
        closing = steps.start("close", q.close())
        results += [s.run(q.is_closed()), s.run(q.dequeue_many(2))]
        fill.join(60), closing.join(60)
        results += [s.run(q.is_closed()), s.run(q.dequeue_up_to(7)), steps.end()]
    q = tf1.FIFOQueue(2, tf.int32, shapes=[[]])
    size = q.size()
    with open_session() as s:
        steps = Steps(s)
        steps.start("fill", q.enqueue_many([[1, 2, 3]]))
        until(lambda: s.run(size) == 2)
        s.run(q.close(cancel_pending_enqueues=True))
        results += [steps.end(), s.run(size), s.run(q.is_closed())]
    return results


@case
def a_step_that_waits_too_long_is_withdrawn(open_session):
    q = tf1.FIFOQueue(2, tf.int32, shapes=[[]], shared_name="too_long")
    fill, size, milliseconds = q.enqueue_many([[1, 2, 3]]), q.size(), 500
    with open_session() as other:
        while other.run(size) < 2:  # a loaded machine may take longer
            s = open_session()
            result = outcome(lambda: s.run(fill, options=tf1.RunOptions(timeout_in_ms=milliseconds)))
            s.close()  # waits for its steps
            milliseconds *= 2
        return [result[0], other.run(q.dequeue_many(2)), other.run(size)]


@case
def closing_a_session_ends_what_waits(open_session):
    q = tf1.FIFOQueue(2, tf.int32, shapes=[[]], shared_name="left")
    fill, size = q.enqueue_many([[1, 2, 3]]), q.size()
    with open_session() as other:
        s = open_session()
        steps = Steps(s)
        steps.start("fill", fill)
        until(lambda: other.run(size) == 2)
        s.close()
        return [steps.end()["fill"][0], other.run(q.dequeue_many(2)), other.run(size)]


@case
def queues_are_shared_by_name(open_session):
    shared = tf1.FIFOQueue(10, tf.int32, shared_name="everybodys")
    own = tf1.FIFOQueue(10, tf.int32)
    with open_session() as first, open_session() as second:
        first.run([shared.enqueue(5), own.enqueue(6)])
        return [second.run(shared.dequeue()), second.run(own.size()), first.run(own.size())]


@case
def old_queues(open_session):
    from tensorflow.python.ops import gen_data_flow_ops as ops
    q = ops.fifo_queue([tf.int32], shapes=[[]], capacity=4)
    with open_session() as s:
        s.run(ops.queue_enqueue_many(q, [[1, 2, 3]]))
        results = [s.run(ops.queue_dequeue(q, [tf.int32])), s.run(ops.queue_size(q))]
        s.run(ops.queue_close(q))
        return results + [s.run(ops.queue_dequeue_up_to(q, 9, [tf.int32])), s.run(ops.queue_is_closed(q))]


@case
def a_function_waits(open_session):
    from tensorflow.python.framework import function
    q = tf1.FIFOQueue(1, tf.int32, shapes=[[]], shared_name="in_function")

    @function.Defun(tf.resource, tf.int32, func_name="take_and_add")
    def take_and_add(handle, more):
        from tensorflow.python.ops import gen_data_flow_ops as ops
        return ops.queue_dequeue_v2(handle, [tf.int32])[0] + more

    taken = take_and_add(q.queue_ref, 10)
    n = tf1.placeholder(tf.int32)
    put = q.enqueue(n)
    with open_session() as s:
        s.run(q.size())
        steps = Steps(s)
        for i in range(12):  # more than there are threads
            steps.start(i, taken)
        for i in range(12):
            s.run(put, {n: 1})
        return steps.end()


@case
def input_pipeline(open_session):
    """A producer of numbers, a queue of batches, runners for both and a coordinator."""
    limit = tf1.get_local_variable("epochs", initializer=tf.constant(0, tf.int64))
    numbers = tf1.FIFOQueue(20, tf.int32, shapes=[[]], name="numbers")
    epoch = numbers.enqueue_many([tf1.range(tf1.cast(tf1.count_up_to(limit, 2), tf.int32) * 0, 50)])
    tf1.train.add_queue_runner(tf1.train.QueueRunner(numbers, [epoch]))
    number = numbers.dequeue()
    batches = tf1.FIFOQueue(30, [tf.int32, tf.int32], shapes=[[], []], name="batches")
    tf1.train.add_queue_runner(tf1.train.QueueRunner(batches, [batches.enqueue([number, number * number])]))
    batch = batches.dequeue_up_to(7)
    with open_session() as s:
        s.run(tf1.local_variables_initializer())
        coordinator = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(s, coordinator)
        results = []
        try:
            while not coordinator.should_stop():
                results.append(s.run(batch))
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=60)
        return results


@case
def tensor_arrays(open_session):
    def array(**options):
        return tf1.TensorArray(tf.float32, **options)

    n = tf1.placeholder_with_default(0, [])
    x = tf1.placeholder_with_default(np.float32([1, 2]), None)
    filled = array(size=3, clear_after_read=False).write(0, x).write(1, x * 2).write(2, x * 3)
    dynamic = array(size=0, dynamic_size=True).write(0, x).write(3, x)
    unstacked = array(size=3).unstack(np.float32([[1], [2], [3]]))
    parts = array(size=3, infer_shape=False).split(np.float32([[1], [2], [3], [4]]), [1, 3, 0])
    results = [
        filled.stack(), filled.gather([2, 0]), filled.read(1), filled.size(), filled.concat(),
        dynamic.size(), unstacked.stack(), parts.read(1), parts.concat(),
        array(size=0, element_shape=[2]).stack(), array(size=2, element_shape=[2]).stack(),
        tf1.TensorArray(tf.string, size=1).write(0, "a").stack(),
        dynamic.read(3), dynamic.read(2),
    ]
    once = array(size=2).write(0, x)
    first = once.read(0)
    with tf1.control_dependencies([first]):
        twice = once.read(0)
    closing = array(size=2, name="closed").write(0, x)
    with tf1.control_dependencies([closing.close()]):
        closed = closing.read(0)
    errors = [
        filled.write(3, x).flow, filled.write(0, x).flow, filled.read(5), filled.read(n - 1), twice,
        array(size=2).read(0), array(size=2, infer_shape=False).write(0, x).write(1, x[:1]).stack(), closed,
        array(size=2, infer_shape=False).write(0, 1.0).concat(), array(size=3).unstack(np.zeros([4, 1], "f")).flow,
        array(size=2).split(np.zeros([4, 1], "f"), [1, 3, 0]).flow, array(size=1).split(x, [1]).flow,
        array(size=2, element_shape=[3]).write(0, tf1.placeholder_with_default(np.float32([1, 2]), None)).flow,
        array(size=0).stack(), array(size=2, infer_shape=False).write(n, x).write(n, x).flow,
    ]
    with open_session() as s:
        return [outcome(lambda r=r: s.run(r)) for r in results + errors]


@case
def gradients_of_tensor_arrays(open_session):
    x = tf1.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    array = tf1.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    y = array.read(0) * array.read(2) + tf1.reduce_sum(array.stack()) + array.read(0)
    pieces = tf1.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 2])
    z = tf1.square(pieces.concat())
    written = tf1.TensorArray(tf.float32, size=2).write(0, x[0]).write(1, x[1] * 3).stack()
    with open_session() as s:
        return s.run([tf1.gradients(y, x), tf1.gradients(z, x), tf1.gradients(written, x)])


@case
def gradients_of_loops(open_session):
    w = tf1.constant([[0.5, -0.2], [0.1, 0.3]])
    x = tf1.placeholder_with_default(np.linspace(-1, 1, 24).reshape(4, 3, 2).astype("f"), [None, 3, 2])
    steps = tf1.shape(x)[0]
    inputs = tf1.TensorArray(tf.float32, steps).unstack(x)

    def body(t, state, outputs):
        state = tf1.tanh(tf1.matmul(state, w) + inputs.read(t))
        return t + 1, state, outputs.write(t, state)

    _, last, outputs = tf1.while_loop(lambda t, *_: t < steps, body,
                                      [0, tf1.zeros([3, 2]), tf1.TensorArray(tf.float32, steps)],
                                      parallel_iterations=4)
    outputs = outputs.stack()
    loss = tf1.reduce_sum(tf1.square(outputs)) + tf1.reduce_sum(last)
    nested = tf1.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf1.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * a[0] + 1.0), [0, a])[1]),
        [0, tf1.reshape(w, [-1])])[1]
    branch = tf1.while_loop(
        lambda i, a: i < 4,
        lambda i, a: (i + 1, tf1.cond(tf1.equal(i % 2, 0), lambda: a * w, lambda: a + tf1.sin(w))), [0, w])[1]
    mapped = tf1.map_fn(lambda row: tf1.reduce_sum(row * w[0]) ** 2, x[0])
    scanned = tf1.scan(lambda a, row: a * row + w[1], x[:, 0])
    with open_session() as s:
        return s.run([loss, outputs, tf1.gradients(loss, [w, x]), nested, tf1.gradients(nested, w), branch,
                      tf1.gradients(branch, w), mapped, tf1.gradients(mapped, [w, x]), scanned,
                      tf1.gradients(scanned, [w, x])])


@case
def dynamic_rnn(open_session):
    x = tf1.constant(np.linspace(-1, 1, 2 * 4 * 2).reshape(2, 4, 2).astype("f"))

    class Cell:
        output_size = state_size = 3

        def zero_state(self, batch_size, dtype):
            return tf1.zeros([batch_size, 3], dtype)

        def __call__(self, inputs, state, scope=None):
            w = tf1.get_variable("w", [5, 3], initializer=tf1.constant_initializer(np.linspace(-1, 1, 15)))
            output = tf1.tanh(tf1.matmul(tf1.concat([inputs, state], 1), w))
            return output, output

    outputs, state = tf1.nn.dynamic_rnn(Cell(), x, sequence_length=[4, 2], dtype=tf.float32)
    loss = tf1.reduce_sum(outputs ** 2)
    variables = tf1.trainable_variables()
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    with open_session() as s:
        s.run(tf1.global_variables_initializer())
        results = [s.run([outputs, state, tf1.gradients(loss, variables)])]
        for _ in range(3):
            results.append(s.run([loss, train])[0])
        return results


@case
def stacks(open_session):
    from tensorflow.python.ops import gen_data_flow_ops as ops
    stack = ops.stack_v2(-1, tf.float32, stack_name="s")
    small = ops.stack_v2(1, tf.float32, stack_name="small")
    push = ops.stack_push_v2(stack, [1.0])
    with tf1.control_dependencies([push]):
        push = ops.stack_push_v2(stack, [2.0, 3.0])
    with tf1.control_dependencies([push]):
        pop = ops.stack_pop_v2(stack, tf.float32)
    with tf1.control_dependencies([pop]):
        again = ops.stack_pop_v2(stack, tf.float32)
    full = ops.stack_push_v2(small, 1.0)
    with tf1.control_dependencies([full]):
        full = ops.stack_push_v2(small, 1.0)
    with tf1.control_dependencies([full]):
        full = ops.stack_pop_v2(small, tf.float32)  # without it, stock prunes the pushes
    with tf1.control_dependencies([ops.stack_push_v2(stack, 1)]):
        wrong = ops.stack_pop_v2(stack, tf.float32)
    with tf1.control_dependencies([ops.stack_close_v2(ops.stack_v2(-1, tf.float32))]):
        closed = tf1.constant(1)
    with open_session() as s:
        return [s.run([pop, again]), outcome(lambda: s.run(ops.stack_pop_v2(stack, tf.float32))),
                outcome(lambda: s.run(full)), s.run(closed), outcome(lambda: s.run(wrong))[0]]


@case
def dense_accumulators(open_session):
    mean = tf1.ConditionalAccumulator(tf.float32, shape=tf1.TensorShape([None, 2]), name="mean")
    total = tf1.ConditionalAccumulator(tf.float64, shape=[], reduction_type="SUM")
    g = tf1.placeholder(tf.float32, None)
    step = tf1.placeholder(tf.int64, [])
    apply, take, count = mean.apply_grad(g, step), mean.take_grad(2), mean.num_accumulated()
    with open_session() as s:
        results = []
        for value in ([[1.0, 2.0]], [[3.0, 5.0]], [[5.0, 5.0]]):
            s.run(apply, {g: value, step: 0})
        results += [s.run(count), s.run(take), s.run(count)]
        s.run(apply, {g: [[1.0, 2.0]], step: 0})  # of an earlier step
        results.append(s.run(count))
        steps = Steps(s)
        steps.start("take", take)
        for value in ([[1.0, 2.0]], [[2.0, 3.0]]):
            s.run(apply, {g: value, step: 1})
        results.append(steps.end())
        results.append(outcome(lambda: s.run(apply, {g: [[1.0]], step: 9})))
        s.run(apply, {g: [[1.0, 2.0]], step: 9})
        results.append(outcome(lambda: s.run(apply, {g: [[1.0, 2.0], [1.0, 2.0]], step: 9})))
        results.append(outcome(lambda: s.run(mean.take_grad(0))))
        s.run(mean.set_global_step(20))
        s.run(apply, {g: [[1.0, 2.0]], step: 19})
        results.append(s.run(count))
        for value in (1.5, 2.5):
            s.run(total.apply_grad(tf1.constant(value, tf.float64), 0))
        results.append(s.run(total.take_grad(1)))
        return results


@case
def sparse_accumulators(open_session):
    results = []
    for reduction in ("MEAN", "SUM"):
        a = tf1.SparseConditionalAccumulator(tf.float32, shape=tf1.TensorShape([10, 2]), reduction_type=reduction)
        indices, values = tf1.placeholder(tf.int64, None), tf1.placeholder(tf.float32, None)
        apply = a.apply_grad(indices, values, local_step=0)
        shaped = a.apply_grad(indices, values, grad_shape=[10, 3])
        with open_session() as s:
            s.run(apply, {indices: [1, 4], values: [[1, 2], [3, 4]]})
            s.run(apply, {indices: [0, 4, 9], values: [[5, 6], [7, 8], [9, 9]]})
            taken = a.take_indexed_slices_grad(2)
            results += [s.run(a.num_accumulated()), list(s.run(taken)), s.run(a.num_accumulated())]
            for i, v in (([1, 10], [[1, 2], [3, 4]]), ([1], [[1, 2, 3]]), ([[1]], [[1, 2]]), ([1, 2], [[1, 2]]), ([1], 1)):
                results.append(outcome(lambda: s.run(a.apply_grad(indices, values, local_step=5), {indices: i, values: v})))
            results.append(outcome(lambda: s.run(shaped, {indices: [1], values: [[1, 2]]})))
    return results


@case
def workers_in_step(open_session):
    """As in SyncReplicasOptimizer: workers apply gradients and wait for a token each; a chief applies the mean."""
    w = tf1.get_variable("w", initializer=[1.0, 2.0])
    global_step = tf1.train.get_or_create_global_step()
    local_step = tf1.placeholder(tf.int64, [])
    gradient = tf1.placeholder(tf.float32, [2])
    accumulator = tf1.ConditionalAccumulator(tf.float32, shape=[2], shared_name="gradients")
    tokens = tf1.FIFOQueue(-1, tf.int64, shapes=[[]], shared_name="tokens")
    hand_in = accumulator.apply_grad(gradient, local_step)
    token = tokens.dequeue()
    with tf1.control_dependencies([tf1.train.GradientDescentOptimizer(0.5).apply_gradients(
            [(accumulator.take_grad(3), w)], global_step)]):
        chief = tokens.enqueue_many([tf1.fill([3], global_step.read_value())])
    with open_session() as s:
        s.run(tf1.global_variables_initializer())
        step, results = 0, []
        for i in range(5):
            steps = Steps(s)
            steps.start("chief", chief)
            for k in range(3):
                steps.start(k, hand_in, feed_dict={gradient: [k, i], local_step: step})
            steps.end()
            steps = Steps(s)
            for k in range(3):
                steps.start(k, token)
            results.append(steps.end())
            step = int(s.run(global_step))
            s.run(hand_in, feed_dict={gradient: [9, 9], local_step: step - 1})  # stale: dropped
        return results + s.run([w, global_step, accumulator.num_accumulated(), tokens.size()])


@case
def synchronous_optimizer(open_session):
    """SyncReplicasOptimizer with one replica. Its tokens are the global step as read before the step's increment:
    for a reference variable, that is nevertheless the new value."""
    results = []
    for kind in ("resource", "reference"):
        with tf1.variable_scope(kind, use_resource=kind == "resource"):
            w = tf1.get_variable("w", initializer=[1.0, 2.0])
            step = tf1.get_variable("step", initializer=tf1.constant(0, tf1.int64), trainable=False)
            optimizer = tf1.train.SyncReplicasOptimizer(tf1.train.GradientDescentOptimizer(0.25), 1, 1)
            train = optimizer.minimize(tf1.reduce_sum(w * w), step)
            runner = optimizer.get_chief_queue_runner()
        with open_session() as s:
            s.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
            s.run(optimizer.chief_init_op)
            for _ in range(4):
                steps = Steps(s)
                steps.start("chief", runner.enqueue_ops[0])
                steps.start("train", train)
                steps.end()
                results.append(s.run([w, step]))
    return results


@case
def staging(open_session):
    from tensorflow.python.ops import data_flow_ops
    area = data_flow_ops.StagingArea([tf.int32, tf.float32], capacity=2, shared_name="area")
    n = tf1.placeholder(tf.int32, [])
    put = area.put([n, tf1.cast(n, tf.float32) / 2])
    take, size, peek = area.get(), area.size(), area.peek(1)
    small = data_flow_ops.StagingArea([tf.float32], memory_limit=8)
    with open_session() as s:
        steps = Steps(s)
        steps.start("peek", peek)
        s.run(put, {n: 1})
        s.run(put, {n: 2})
        results = [s.run(size), steps.end()]
        steps = Steps(s)
        steps.start("third", put, feed_dict={n: 3})
        results += [s.run(take), steps.end(), s.run(take), s.run(take), s.run(size)]
        s.run(put, {n: 4})
        s.run(area.clear())
        results += [s.run(size), outcome(lambda: s.run(small.put([tf1.zeros([3])])))]
        s.run(small.put([tf1.ones([2])]))
        return results + [s.run(small.get())]


@case
def critical_sections(open_session):
    v = tf1.get_variable("v", initializer=0, use_resource=True)
    section = tf1.CriticalSection(name="section", shared_name="section")

    def slow_increment():
        before = v.read_value()
        with tf1.control_dependencies([before]):
            later = tf1.while_loop(lambda i: i < 50, lambda i: i + 1, [0])
        with tf1.control_dependencies([later]):
            return v.assign(before + 1, read_value=True)

    increment = section.execute(slow_increment)
    check = section.execute(lambda: tf1.debugging.assert_equal(v.read_value(), -1, message="never"))
    with open_session() as s:
        s.run(v.initializer)
        steps = Steps(s)
        for i in range(10):
            steps.start(i, increment.op)
        steps.end()
        results = [s.run(v), outcome(lambda: s.run(check))[0]]
        s.run(increment)  # a failed step no longer holds the mutex
        return results + [s.run(v)]


@case
def barriers(open_session):
    from tensorflow.python.ops import data_flow_ops
    b = data_flow_ops.Barrier([tf.float32, tf.string], shapes=[[2], []], name="b")
    keys, floats, strings = tf1.placeholder(tf.string), tf1.placeholder(tf.float32), tf1.placeholder(tf.string)
    first, second = b.insert_many(0, keys, floats), b.insert_many(1, keys, strings)
    sizes = [b.ready_size(), b.incomplete_size()]
    with open_session() as s:
        results = []
        steps = Steps(s)
        steps.start("two", list(b.take_many(2)))
        s.run(first, {keys: ["x"], floats: [[1, 2]]})
        s.run(first, {keys: ["y"], floats: [[3, 4]]})
        results.append(s.run(sizes))
        s.run(second, {keys: ["y"], strings: ["b"]})
        s.run(second, {keys: ["x"], strings: ["a"]})
        results.append(steps.end())
        s.run(first, {keys: ["z"], floats: [[5, 6]]})
        results.append(outcome(lambda: s.run(first, {keys: ["z"], floats: [[5, 6]]})))
        results.append(outcome(lambda: s.run(first, {keys: ["q"], floats: np.zeros([1, 0])})))
        s.run(b.close())
        results.append(outcome(lambda: s.run(b.close())))
        results.append(outcome(lambda: s.run(first, {keys: ["new"], floats: [[5, 6]]})))
        s.run(second, {keys: ["z"], strings: ["c"]})
        results.append(outcome(lambda: s.run(second, {keys: ["z"], strings: ["c"]})))
        results.append(s.run(list(b.take_many(5, allow_small_batch=True))))
        results.append(outcome(lambda: s.run(list(b.take_many(1)))))
        s.run(b.close(cancel_pending_enqueues=True))
        results.append(outcome(lambda: s.run(first, {keys: ["w"], floats: [[5, 6]]})))
        return results + [s.run(sizes)]


@case
def old_tables(open_session):
    from tensorflow.python.ops import gen_lookup_ops as ops
    table = ops.hash_table(tf.string, tf.int64)
    filled = ops.initialize_table(table, ["a", "b"], tf1.constant([1, 2], tf.int64))
    mutable = ops.mutable_hash_table(tf.int64, tf.float32)
    insert = ops.lookup_table_insert(mutable, tf1.constant([3, 4], tf.int64), [3.5, 4.5])
    default = tf1.constant(-1, tf.int64)
    dense = tf1.lookup.experimental.DenseHashTable(tf.int64, tf.float32, 0.5, empty_key=-1, deleted_key=-2)
    keys = tf1.placeholder(tf.int64)
    with open_session() as s:
        results = [outcome(lambda: s.run(ops.lookup_table_find(table, ["a"], default)))[0]]
        s.run([filled, insert])
        results += [s.run(ops.lookup_table_find(table, ["b", "c"], default)), s.run(ops.lookup_table_size(mutable)),
                    s.run(ops.lookup_table_find(mutable, tf1.constant([4, 5], tf.int64), 0.5))]
        s.run(dense.insert(tf1.constant([5, 6], tf.int64), [1.0, 2.0]))
        s.run(dense.erase(tf1.constant([6], tf.int64)))
        find = dense.lookup(keys)
        return results + [s.run(find, {keys: [5, 6, 7]}), s.run(dense.size()), outcome(lambda: s.run(find, {keys: [-1]})),
                          outcome(lambda: s.run(find, {keys: [-2]}))]


@case
def clocks_and_temporary_variables(open_session):
    from tensorflow.python.ops import gen_state_ops as ops
    before = time.time()
    now = tf1.timestamp()
    kept = ops.temporary_variable([2], tf.float32, var_name="kept")
    assigned = tf1.assign(kept, [1.0, 2.0])
    more = tf1.assign_add(assigned, [3.0, 4.0])
    value = ops.destroy_temporary_variable(more, var_name="kept")
    with open_session() as s:
        stamp = s.run(now)
        assert before - 1 < stamp < time.time() + 1, stamp
        return [s.run(value), s.run(value)]


@case
def readers(open_session):
    names, folder = [], FOLDER.name
    for i in range(2):
        names.append(os.path.join(folder, "lines%d" % i))
        with open(names[-1], "w") as f:
            f.write("head\n" + "".join("line %d of %d\n" % (k, i) for k in range(3)))
    records = os.path.join(folder, "records")
    with tf.io.TFRecordWriter(records) as w:
        for value in (b"first", b"", b"third one"):
            w.write(value)
    fixed = os.path.join(folder, "fixed")
    with open(fixed, "wb") as f:
        f.write(b"HHaabbccF")

    def queue(*files):
        q = tf1.FIFOQueue(10, tf.string, shapes=[[]])
        return q, [q.enqueue_many([list(files)]), q.close()]

    def all_of(s, reader, *files, many=None):
        q, (fill, close) = queue(*files)
        read = reader.read(q) if many is None else reader.read_up_to(q, many)
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        s.run(fill)
        s.run(close)
        results = []
        while True:
            results.append(outcome(lambda: s.run(list(read))))
            results.append(s.run(counts))
            if isinstance(results[-2][0], str):
                break
        s.run(reader.reset())
        return results + [s.run(counts)]

    with open_session() as s:
        results = [
            all_of(s, tf1.TextLineReader(skip_header_lines=1), *names), all_of(s, tf1.TextLineReader(), names[0]),
            all_of(s, tf1.TFRecordReader(), records), all_of(s, tf1.TextLineReader(), *names, many=3),
            all_of(s, tf1.WholeFileReader(), *names), all_of(s, tf1.IdentityReader(), "a", "b", "c"),
            all_of(s, tf1.IdentityReader(), "a", "b", "c", many=2),
            all_of(s, tf1.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=1), fixed, fixed),
        ]
        steps = Steps(s)
        q = tf1.FIFOQueue(10, tf.string, shapes=[[]])
        reader = tf1.TextLineReader()
        for i in range(3):
            steps.start(i, list(reader.read(q)))
        s.run(q.enqueue(names[1]))
        results.append(sorted(map(str, steps.end().values())))
        return results


@case
def iterators(open_session):
    data = tf1.data.Dataset.range(5).map(lambda i: (i * 2, tf1.as_string(i)))
    one_shot = tf1.data.make_one_shot_iterator(data.batch(2)).get_next()
    limit = tf1.placeholder(tf.int64, [])
    initialized = tf1.data.make_initializable_iterator(
        tf1.data.Dataset.range(limit).shuffle(10, seed=3).repeat(2).prefetch(2))
    following = initialized.get_next()
    structure = tf1.data.get_output_types(data), tf1.data.get_output_shapes(data)
    several = tf1.data.Iterator.from_structure(*structure)
    first, second = several.make_initializer(data), several.make_initializer(data.skip(3))
    either = several.get_next()
    handle = tf1.placeholder(tf.string, [])
    fed = tf1.data.Iterator.from_string_handle(handle, *structure).get_next()
    strings = [tf1.data.make_one_shot_iterator(data).string_handle(),
               tf1.data.make_one_shot_iterator(data.skip(2)).string_handle()]
    optional = tf1.data.experimental.get_next_as_optional(tf1.data.make_one_shot_iterator(data.skip(4)))
    with tf1.control_dependencies([optional.has_value()]):
        has = optional.has_value()

    def drain(s, element, **options):
        results = []
        while not results or not isinstance(results[-1][0], str):
            results.append(outcome(lambda: s.run(element, **options)))
        return results

    with open_session() as s:
        results = [drain(s, one_shot), outcome(lambda: s.run(following))]
        for n in (3, 4):
            s.run(initialized.initializer, {limit: n})
            results.append(drain(s, following))
        for initializer in (first, second):
            s.run(initializer)
            results.append(drain(s, either))
        s.run(first)
        results.append(s.run(either))
        s.run(second)  # before the other has ended
        results.append(s.run(either))
        values = s.run(strings)
        results += [s.run(fed, {handle: values[k]}) for k in (0, 1, 1, 0)]
        results += [outcome(lambda: s.run(fed, {handle: "nobody"}))[0], s.run(has), s.run(has)]
        return results


@case
def training_from_an_iterator(open_session):
    x = np.linspace(-1, 1, 32).astype("f")
    data = tf1.data.Dataset.from_tensor_slices((x, 2 * x - 1)).shuffle(32, seed=1).repeat().batch(8).prefetch(1)
    iterator = tf1.data.make_initializable_iterator(data)
    features, labels = iterator.get_next()
    w, b = tf1.get_variable("w", initializer=0.0), tf1.get_variable("b", initializer=0.0)
    loss = tf1.reduce_mean(tf1.square(features * w + b - labels))
    train = tf1.train.MomentumOptimizer(0.1, 0.5).minimize(loss)
    with open_session() as s:
        s.run([tf1.global_variables_initializer(), iterator.initializer])
        losses = [s.run([loss, train])[0] for _ in range(30)]
        return losses + s.run([w, b])


def main():
    stock = tf1.train.Server.create_local_server()

    def on_both(function):
        results = []
        for target in [stock.target, sys.argv[1]]:
            tf1.Session.reset(target)
            with tf1.Graph().as_default():
                results.append(ordered(function(lambda: tf1.Session(target))))
        assert same(*results), "\n".join(differences(*results))

    chosen = sys.argv[2:]
    status = run(on_both, [c for c in CASES if not chosen or c.__name__ in chosen])
    sys.stdout.flush()
    FOLDER.cleanup()
    os._exit(status)  # a stock server can't be stopped


main()

"""What makes the steps and clients of sessions wait for one another, on a server and on a stock one.

python coordination.py grpc://HOST:PORT [CASE...]: every case is run there and on a stock server of this process,
and must give the same values and errors on both. Prints "ok NAME" for each; ends with status 1 if one failed.
"""

import os
import re
import sys
import threading
import time
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
CASES = []


def case(function):
    CASES.append(function)
    return function


def plain(value):
    """Nested lists of numbers and bytes, floats as written with six digits."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, tf1.SparseTensorValue):
        return plain(list(value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    value = np.asarray(value)
    if value.dtype.kind == "f":
        return [str(value.dtype), value.shape, ["%.5g" % v for v in value.ravel()]]
    return [str(value.dtype), value.shape, value.ravel().tolist()]


def outcome(function):
    """What a call gives, or its error: the kind, and what the kernel said, without what tells of the graph."""
    try:
        return plain(function())
    except tf.errors.OpError as e:
        lines = e.message.split("\n\t [[")[0].split(" [[")[0].split("\n")
        while any(line.startswith("Node: ") for line in lines):
            lines.pop(0)
        message = "\n".join(line for line in lines if not line.startswith("From /job:"))
        return [type(e).__name__, re.sub(r"'_\d+_", "'_N_", message)]


class Steps:
    """Steps that run beside this thread; at the end all must be over."""

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
    """Waits for what another step does."""
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
        s.run(q.enqueue_many([[1, 2, 3, 4, 5]]))  # more than there is room for at once
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
        until(lambda: s.run(size) == 2)  # it waits for room for the others
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
        while other.run(size) < 2:  # a loaded machine may need longer to begin
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


def main():
    stock = tf1.train.Server.create_local_server()
    chosen = set(sys.argv[2:])
    failed = False
    for function in CASES:
        if chosen and function.__name__ not in chosen:
            continue
        start = time.time()
        try:
            results = []
            for target in [stock.target, sys.argv[1]]:
                tf1.Session.reset(target)
                with tf1.Graph().as_default():
                    results.append(ordered(function(lambda: tf1.Session(target))))
            assert results[0] == results[1], "stock: %s\n here: %s" % tuple(results)
            print("ok", function.__name__, "%.2f s" % (time.time() - start), flush=True)
        except BaseException:
            failed = True
            print("failed", function.__name__, flush=True)
            traceback.print_exc()
    sys.stdout.flush()
    os._exit(1 if failed else 0)  # a stock server has no other end


def ordered(value):
    """Outcomes are plain already; what steps gave is made so."""
    if isinstance(value, (list, tuple)):
        return [ordered(v) for v in value]
    if isinstance(value, dict):
        return {k: ordered(v) for k, v in sorted(value.items(), key=str)}
    return value if isinstance(value, (str, int, float, bool, bytes)) else plain(value)


main()

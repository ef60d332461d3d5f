"""A stock client that iterates over datasets in sessions: python iterators.py grpc://HOST:PORT.

Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import sys
import threading

from cases import case, fails, run

import tensorflow as tf

tf1 = tf.compat.v1
TARGET = sys.argv[1]
tf1.disable_eager_execution()
tf1.enable_resource_variables()


def ends(session, get_next):
    fails(tf.errors.OutOfRangeError, "End of sequence", lambda: session.run(get_next))


@case
def one_shot():
    with tf1.Graph().as_default():
        dataset = tf1.data.Dataset.range(6).map(lambda x: (x * x, tf1.as_string(x))).batch(4)
        number, text = tf1.data.make_one_shot_iterator(dataset).get_next()
        with tf1.Session(TARGET) as session:
            assert session.run([number, text])[0].tolist() == [0, 1, 4, 9]
            assert session.run(text).tolist() == [b"4", b"5"]
            ends(session, number)
            ends(session, number)
        with tf1.Session(TARGET) as session:
            assert session.run(number).tolist() == [0, 1, 4, 9]


@case
def initializable():
    with tf1.Graph().as_default():
        end = tf1.placeholder(tf.int64, [])
        iterator = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(end).prefetch(2))
        value = iterator.get_next()
        with tf1.Session(TARGET) as session:
            fails(tf.errors.FailedPreconditionError, "has not been initialized", lambda: session.run(value))
            for count in (3, 1, 2):
                session.run(iterator.initializer, {end: count})
                assert [session.run(value) for _ in range(count)] == list(range(count))
                ends(session, value)


@case
def shared():
    with tf1.Graph().as_default():
        iterator = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(10), shared_name="numbers")
        value = iterator.get_next()
        with tf1.Session(TARGET) as first, tf1.Session(TARGET) as second:
            first.run(iterator.initializer)
            assert [first.run(value), second.run(value), first.run(value)] == [0, 1, 2]
        with tf1.Session(TARGET) as third:
            assert third.run(value) == 3
    tf1.Session.reset(TARGET)


@case
def reinitializable():
    with tf1.Graph().as_default():
        train, test = tf1.data.Dataset.range(3), tf1.data.Dataset.range(100, 102)
        iterator = tf1.data.Iterator.from_structure(tf1.data.get_output_types(train), tf1.data.get_output_shapes(train))
        value = iterator.get_next()
        start_train, start_test = iterator.make_initializer(train), iterator.make_initializer(test)
        with tf1.Session(TARGET) as session:
            session.run(start_train)
            assert session.run(value) == 0
            session.run(start_test)
            assert [session.run(value) for _ in range(2)] == [100, 101]
            ends(session, value)


@case
def feedable():
    with tf1.Graph().as_default():
        a = tf1.data.make_one_shot_iterator(tf1.data.Dataset.range(10))
        b = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(50, 60))
        handle = tf1.placeholder(tf.string, [])
        value = tf1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        wrong = tf1.data.Iterator.from_string_handle(handle, tf.string, []).get_next()
        with tf1.Session(TARGET) as session:
            first, second = session.run([a.string_handle(), b.string_handle()])
            session.run(b.initializer)
            taken = [session.run(value, {handle: h}) for h in (first, second, second, first)]
            assert taken == [0, 50, 51, 1], taken
            fails(tf.errors.InvalidArgumentError, "Data type mismatch", lambda: session.run(wrong, {handle: first}))
            fails(tf.errors.InvalidArgumentError, "Could not parse", lambda: session.run(value, {handle: b"\xff"}))


@case
def optionals():
    with tf1.Graph().as_default():
        iterator = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(1))
        optional = tf1.data.experimental.get_next_as_optional(iterator)
        both = tf1.cond(optional.has_value(), lambda: optional.get_value(), lambda: tf1.constant(-1, tf.int64))
        with tf1.Session(TARGET) as session:
            session.run(iterator.initializer)
            assert [session.run(both) for _ in range(3)] == [0, -1, -1]


@case
def single_elements_and_sums():
    with tf1.Graph().as_default():
        single = tf1.data.experimental.get_single_element(tf1.data.Dataset.range(7, 8))
        empty = tf1.data.experimental.get_single_element(tf1.data.Dataset.range(0))
        total = tf1.data.Dataset.range(5).reduce(tf1.constant(0, tf.int64), lambda s, x: s + x)
        with tf1.Session(TARGET) as session:
            assert session.run([single, total]) == [7, 10]
            fails(tf.errors.InvalidArgumentError, "Dataset was empty", lambda: session.run(empty))


@case
def map_sees_the_sessions_variable():
    with tf1.Graph().as_default():
        v = tf1.get_variable("factor", initializer=tf1.constant(2, tf.int64))
        iterator = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(1, 10).map(lambda x: x * v))
        value, more = iterator.get_next(), v.assign_add(10)
        with tf1.Session(TARGET) as session:
            session.run(v.initializer)
            session.run(iterator.initializer)
            assert session.run(value) == 2
            session.run(more)
            assert session.run(value) == 24


@case
def elements_that_fail_name_their_op():
    with tf1.Graph().as_default():
        dataset = tf1.data.Dataset.range(3).map(lambda x: tf1.debugging.check_numerics(2.0 / tf1.cast(1 - x, tf.float32), "at one"))
        value = tf1.data.make_one_shot_iterator(dataset).get_next()
        with tf1.Session(TARGET) as session:
            assert session.run(value) == 2.0
            fails(tf.errors.InvalidArgumentError, "at one", lambda: session.run(value))
            assert session.run(value) == -2.0


@case
def those_who_wait_hold_nobody_up():
    """Many steps wait for elements from a queue; the step that fills the queue must not be blocked."""
    with tf1.Graph().as_default():
        queue = tf1.FIFOQueue(100, [tf.int64], [[]])
        put = queue.enqueue_many([tf1.range(16, dtype=tf.int64)])
        iterators = [
            tf1.data.make_initializable_iterator(tf1.data.Dataset.range(1).map(lambda _: queue.dequeue())) for _ in range(16)]
        values = [iterator.get_next() for iterator in iterators]
        with tf1.Session(TARGET) as session:
            session.run([iterator.initializer for iterator in iterators])
            found = []
            threads = [threading.Thread(target=lambda v=value: found.append(session.run(v))) for value in values]
            [thread.start() for thread in threads]
            session.run(put)
            [thread.join(60) for thread in threads]
            assert sorted(found) == list(range(16)), found


@case
def waiting_can_be_ended():
    with tf1.Graph().as_default():
        queue = tf1.FIFOQueue(100, [tf.int64], [[]])
        put = queue.enqueue(tf1.constant(5, tf.int64))
        iterator = tf1.data.make_initializable_iterator(tf1.data.Dataset.range(1).map(lambda _: queue.dequeue()))
        value = iterator.get_next()
        with tf1.Session(TARGET) as session:
            session.run(iterator.initializer)
            options = tf1.RunOptions(timeout_in_ms=300)
            fails(tf.errors.DeadlineExceededError, "", lambda: session.run(value, options=options))


sys.exit(run())

"""A stock client of TensorFlow 1, in graph mode: python graph_mode.py grpc://DISPATCHER.

Reads each dataset in a session of its own, in stock TensorFlow alone and through the service, and compares elements and
errors. Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import sys

from cases import case, run

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function

tf1 = tf.compat.v1
raw = tf.raw_ops
Dataset = tf1.data.Dataset
DISPATCHER = sys.argv[1]
tf1.disable_v2_behavior()


def read(build, service=None):
    """The elements of a dataset, and the code of the error that ended it."""
    elements = []
    with tf1.Graph().as_default():
        dataset = build()
        if service:
            dataset = dataset.apply(tf.data.experimental.service.distribute("parallel_epochs", service))
        iterator = tf1.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        with tf1.Session() as session:
            try:
                session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
                session.run(iterator.initializer)
                while True:
                    elements.append(tf.nest.flatten(session.run(following)))
            except tf.errors.OpError as error:
                return elements, error


def dataset(build):
    """Registers a dataset that is the same through the service.

    A stock client tells an error as soon as it has it, before elements that it also holds: so of a dataset that ends in an
    error, the service may show fewer elements, never others.
    """

    def check():
        (expected, end), (given, error) = read(build), read(build, DISPATCHER)
        assert error.error_code == end.error_code, f"{error} is not as {end}"
        if isinstance(end, tf.errors.OutOfRangeError):
            assert len(given) == len(expected), (given, expected)
        assert len(given) <= len(expected), (given, expected)
        for mine, theirs in zip(given, expected):
            for a, b in zip(mine, theirs):
                np.testing.assert_array_equal(np.asarray(a), np.asarray(b), strict=True)

    check.__name__ = build.__name__
    return case(check)


def refused(error, *texts):
    """Registers a dataset that the service refuses, with a message that contains `texts`."""

    def register(build):
        def check():
            _, given = read(build, DISPATCHER)
            assert isinstance(given, error), given
            missing = [text for text in texts if text not in given.message]
            assert not missing, f"{missing} not in {given.message}"

        check.__name__ = build.__name__
        return case(check)

    return register


def sum_below(x):
    zero = tf.zeros_like(x)
    return tf1.while_loop(lambda i, _: i < x, lambda i, s: (i + 1, s + i * x), [zero, zero])[1]


@dataset
def loop():
    return Dataset.range(6).map_with_legacy_function(sum_below)


@dataset
def loop_in_branch():
    return Dataset.range(6).map_with_legacy_function(lambda x: tf1.cond(x > 2, lambda: sum_below(x), lambda: -x))


@dataset
def branch_in_loop():
    def f(x):
        step = lambda i, s: (i + 1, tf1.cond(tf.equal(i % 2, 0), lambda: s + x, lambda: s * 2))
        return tf1.while_loop(lambda i, _: i < 5, step, [tf.constant(0), x], parallel_iterations=1)

    return Dataset.range(6).map_with_legacy_function(f)


@dataset
def loop_in_loop_with_a_captured_value():
    by = tf.constant([1, 2, 3], tf.int64)

    def f(x):
        inner = lambda i, s: tf1.while_loop(lambda j, _: j < i, lambda j, t: (j + 1, t + by * x), [tf.zeros_like(x), s])[1]
        start = [tf.zeros_like(x), tf.zeros([3], tf.int64)]
        return tf1.while_loop(lambda i, _: i < x, lambda i, s: (i + 1, inner(i, s) + 1), start)[1]

    return Dataset.range(6).map_with_legacy_function(f)


@dataset
def filter_with_branches():
    even = lambda x: tf.equal(x % 2, 0)
    return Dataset.range(12).filter_with_legacy_function(
        lambda x: tf1.cond(x > 2, lambda: even(x), lambda: even(sum_below(x))))


@dataset
def gradient_of_loop():
    def f(x):
        y = tf.cast(x, tf.float32)
        last = tf1.while_loop(lambda i, _: i < 4, lambda i, s: (i + 1, s * y + 1.0), [tf.constant(0), y])[1]
        return last, tf1.gradients(last, y)[0]

    return Dataset.range(6).map_with_legacy_function(f)


@dataset
def rows_of_a_tensor_array():
    def f(x):
        return tf1.map_fn(lambda y: y * y + x, tf.range(x))

    return Dataset.range(5).map_with_legacy_function(f)


@dataset
def assertion_in_a_branch():
    def f(x):
        with tf.control_dependencies([tf1.Assert(x < 4, ["too large:", x])]):
            return tf.identity(x)

    return Dataset.range(6).map_with_legacy_function(f)


@dataset
def function_that_calls_a_function():
    @function.Defun(tf.int64, func_name="old_loop")
    def old_loop(x):
        return sum_below(x)

    return Dataset.range(6).map(lambda x: old_loop(x) + old_loop(x + 1))


@dataset
def merge_of_three_branches():
    def f(x):
        few, many = raw.Switch(data=x, pred=x > 2)
        some, most = raw.Switch(data=many, pred=x > 4)
        return raw.Merge(inputs=[few * 2, some * 3, most * 4])

    return Dataset.range(8).map(f, num_parallel_calls=2).batch(3)


@dataset
def result_of_a_branch_that_is_not_taken():
    return Dataset.range(3).map(lambda x: raw.Switch(data=x, pred=x > 0)[0])


@dataset
def table_of_a_dataset():
    pairs = Dataset.zip((Dataset.from_tensor_slices(["a", "c"]), Dataset.range(10, 12)))
    table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1)
    return Dataset.from_tensor_slices(["a", "b", "c"]).map(table.lookup)


@dataset
def table_of_words():
    table = tf1.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 2)
    return Dataset.from_tensor_slices(["a", "b", "zz", "y"]).map(table.lookup)


@dataset
def table_that_is_not_initialized():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    tf1.get_default_graph().clear_collection(tf1.GraphKeys.TABLE_INITIALIZERS)
    return Dataset.from_tensor_slices(["a"]).map(table.lookup)


@dataset
def variable():
    v = tf1.get_variable("v", initializer=tf.constant(3, tf.int64))
    return Dataset.range(5).map(lambda x: x + v)


# Stock workers refuse these with NOT_FOUND and, of Python functions, INVALID_ARGUMENT.


@refused(tf.errors.NotFoundError, "Could not find resource: localhost/", "OneShotIterator", "{{node IteratorGetNext}}")
def captured_iterator():
    other = tf1.data.make_one_shot_iterator(Dataset.range(10, 20))
    return Dataset.range(5).map(lambda x: x + other.get_next())


@refused(tf.errors.NotFoundError, "Could not find resource: localhost/", "fifo_queue", "Dequeue}}")
def captured_queue():
    queue = tf1.FIFOQueue(10, [tf.int64], shapes=[[]])
    return Dataset.range(5).map(lambda x: x + queue.dequeue())


@refused(tf.errors.UnimplementedError, "Op PyFunc (node ", "parse", "/PyFunc)", "it calls a Python function")
def python_function():
    def parse(x):
        return tf.numpy_function(lambda y: y * 2, [x], tf.int64)

    return Dataset.range(5).map(parse)


if __name__ == "__main__":
    sys.exit(run())

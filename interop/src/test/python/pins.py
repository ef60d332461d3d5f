"""A stock client with map functions partly pinned to another task: python pins.py grpc://DISPATCHER JOB PID.

The dispatcher's workers are Headrace's, in a cluster with /job:JOB/task:0, the process PID of this host, stock or
Headrace. Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import sys

from cases import case, fails, run

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2

DISPATCHER, JOB, PID = sys.argv[1:]
OTHER = f"/job:{JOB}/task:0"


def pinned(device):
    """Pins the ops added in this context to `device`, for Headrace's workers. Other workers ignore it."""
    pin = attr_value_pb2.AttrValue(s=device.encode())
    return tf.compat.v1.get_default_graph()._attr_scope({"_headrace_device": pin})


def distributed(dataset):
    return dataset.apply(tf.data.experimental.service.distribute("parallel_epochs", DISPATCHER))


def is_there():
    """1 in the process PID, otherwise 0: only there is its main thread one of the own threads."""
    return tf.size(tf.io.matching_files([f"/proc/self/task/{PID}"]))


@case
def part_of_a_map():
    def function(x):
        with pinned(OTHER):
            there, twice = is_there(), x * 2
        return twice + 1, there, is_there()

    found = list(distributed(tf.data.Dataset.range(500).map(function)).as_numpy_iterator())
    assert found == [(2 * x + 1, 1, 0) for x in range(500)], found


@case
def batches_in_parallel():
    def function(x):
        with pinned(OTHER):
            squares = tf.square(tf.cast(x, tf.float32))
            total = tf.reduce_sum(squares)
        return total, tf.strings.as_string(x)

    dataset = tf.data.Dataset.range(40).batch(4).map(function, num_parallel_calls=tf.data.AUTOTUNE)
    found = list(distributed(dataset).as_numpy_iterator())
    assert [t for t, _ in found] == [sum(float(x * x) for x in range(i, i + 4)) for i in range(0, 40, 4)], found
    assert found[2][1].tolist() == [b"8", b"9", b"10", b"11"], found[2]


@case
def function_that_is_called():
    @tf.function
    def doubled(x):
        return x * 2, is_there()

    def function(x):
        with pinned(OTHER):
            return doubled(x)

    found = list(distributed(tf.data.Dataset.range(5).map(function)).as_numpy_iterator())
    assert found == [(2 * x, 1) for x in range(5)], found


@case
def branches_and_predicates():
    def function(x):
        with pinned(OTHER):
            return tf.cond(x % 2 == 0, lambda: x * 10, lambda: -x), is_there()

    def predicate(x, there):
        with pinned(OTHER):
            return x >= 0

    found = list(distributed(tf.data.Dataset.range(6).map(function).filter(predicate)).as_numpy_iterator())
    assert found == [(0, 1), (20, 1), (40, 1)], found


@case
def element_that_fails():
    def function(x):
        with pinned(OTHER):
            return 12 // (x - 1)

    elements = iter(distributed(tf.data.Dataset.range(3).map(function)))
    assert next(elements) == -12
    fails(tf.errors.InvalidArgumentError, "zero", lambda: next(elements))


@case
def job_that_there_is_not():
    def function(x):
        with pinned("/job:nowhere"):
            return x * 2

    elements = iter(distributed(tf.data.Dataset.range(3).map(function)))
    fails(tf.errors.InvalidArgumentError, "/job:nowhere", lambda: next(elements))


@case
def device_that_there_is_not():
    def function(x):
        with pinned(OTHER + "/device:GPU:7"):
            return x * 2

    elements = iter(distributed(tf.data.Dataset.range(3).map(function)))
    fails(tf.errors.InvalidArgumentError, "GPU:7", lambda: next(elements))


@case
def device_that_is_none():
    def function(x):
        with pinned("no device"):
            return x * 2

    elements = iter(distributed(tf.data.Dataset.range(3).map(function)))
    fails(tf.errors.InvalidArgumentError, "no device", lambda: next(elements))


@case
def resource_of_another_device():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], [10, 20]), -1)

    def function(x):
        key = tf.cast(x, tf.int32)
        with pinned(OTHER):
            return table.lookup(key)

    elements = iter(distributed(tf.data.Dataset.range(3).map(function)))
    fails(tf.errors.InvalidArgumentError, "resource", lambda: next(elements))


sys.exit(run())

"""Variants under the zeros and sums of gradients."""

import numpy as np
import tensorflow as tf

from rows import row
from rows_of_clients import fresh

tf1 = tf.compat.v1


def optional(*components):
    return tf.raw_ops.OptionalFromValue(components=[tf1.constant(x) for x in components])


def values(optional, *dtypes):
    return tf.raw_ops.OptionalGetValue(optional=optional, output_types=dtypes, output_shapes=[None] * len(dtypes))


def floats():
    return tf.raw_ops.TensorListReserve(element_shape=tf1.constant([], tf.int32), num_elements=3, element_dtype=tf.float32)


def fetch(c, tensor):
    with tf1.Session(c.target) as session:
        return session.run(tensor)


@row("OK")
@fresh
def zeros_and_sums_of_optionals(c):
    """As in second gradients of conditionals."""
    zeros = values(tf.raw_ops.ZerosLike(x=optional([1.0, 2.0], [True], 5)), tf.float32, tf.bool, tf.int32)
    total = values(tf.raw_ops.AddN(inputs=[optional(1.0, 2), optional(3.0, 4), optional(5.0, 6)]), tf.float32, tf.int32)
    none = tf.raw_ops.OptionalNone()
    empty = [
        tf.raw_ops.OptionalHasValue(optional=o)
        for o in (tf.raw_ops.ZerosLike(x=none), tf.raw_ops.AddN(inputs=[none, tf.raw_ops.OptionalNone()]))]
    seen, totals, has_value = fetch(c, [zeros, total, empty])
    assert [np.asarray(x).tolist() for x in seen] == [[0, 0], [False], 0]
    assert list(totals) == [9, 12] and has_value == [False, False]


@row("INVALID_ARGUMENT", "Cannot add optionals because one has a value and the other doesn't.")
@fresh
def sum_of_an_optional_and_none(c):
    fetch(c, values(tf.raw_ops.AddN(inputs=[optional(1.0), tf.raw_ops.OptionalNone()]), tf.float32))


@row("INTERNAL", "BinaryOpVariants: Variants a and b have different type ids.")
@fresh
def sum_of_an_optional_and_a_list(c):
    fetch(c, values(tf.raw_ops.AddN(inputs=[optional(1.0), floats()]), tf.float32))


@row("INVALID_ARGUMENT", "Trying to compute zeros_like for unsupported dtype string")
@fresh
def zeros_of_an_optional_string(c):
    fetch(c, values(tf.raw_ops.ZerosLike(x=optional("a")), tf.string))


@row("INTERNAL", "No unary variant unary_op function found for op ZEROS_LIKE Variant type_name: ")
@fresh
def zeros_of_a_dataset(c):
    fetch(c, tf.raw_ops.TensorListLength(input_handle=tf.raw_ops.ZerosLike(x=tf1.data.Dataset.range(3)._variant_tensor)))


@row("OK")
@fresh
def second_gradients_of_conditionals(c):
    x, p = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.bool, [])
    tf1.enable_control_flow_v2()
    try:
        y = tf1.cond(p, lambda: x * x * x, lambda: tf1.exp(2 * x))
        first = tf1.gradients(y, x)
        second = tf1.gradients(first, x)
    finally:
        tf1.disable_control_flow_v2()
    with tf1.Session(c.target) as session:
        assert session.run(second, {x: 2.0, p: True}) == [12]
        assert session.run(second, {x: 0.0, p: False}) == [4]


@row("FAILED_PRECONDITION", "GetSessionHandle called on null session state")
@fresh
def session_handle_that_is_a_resource(c):
    fetch(c, tf.raw_ops.GetSessionHandleV2(value=tf1.constant(1.0)).op)

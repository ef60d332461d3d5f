"""Lists made by scattering, without their size, and gradients of ragged tensors in variants."""

import numpy as np
import tensorflow as tf
from values import DTYPES, KINDS, grid, i32, i64


def record(case):
    scattered(case)
    ragged_gradients(case)


def scattered(case):
    def scatter(tensor, indices, shape, **kw):
        case("TensorListScatter", tensor=tensor, indices=np.int32(indices), element_shape=shape, **kw)

    for dtype in KINDS:
        scatter(grid([3, 2], dtype), [2, 0, 4], i32(2))
    scatter([1, 2], [3, 1], i32())
    scatter([1, 2], [3, 1], i64())
    scatter([[1, 2], [3, 4]], [1, 1], i32(-1))
    scatter([[1, 2], [3, 4]], [0, 1], np.int32(-1))
    scatter([1, 2], [-3, 1], i32())
    scatter([1, 2], [1], i32())
    scatter([1, 2], [1, 0], i32(2))
    scatter(np.zeros([0, 3], np.float32), [], i32(3))
    scatter(np.int32(1), [0], i32())


def encoded(value):
    return tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=value, batched_input=False)


def ragged_gradients(case):
    def gradient(variants, splits, shape, dtype=np.float32, **kw):
        case(
            "RaggedTensorToVariantGradient", encoded_ragged_grad=variants, row_splits=splits, dense_values_shape=shape,
            Tvalues=tf.as_dtype(dtype), **kw,
        )  # fmt: skip

    def pieces(*shapes, dtype=np.float32):
        return tf.stack([encoded(grid(shape, dtype)) for shape in shapes])

    for dtype in DTYPES:
        gradient(pieces([2], [1], dtype=dtype), i64(0, 2, 3), [3], dtype)
        gradient(pieces([1, 2], [2, 2], dtype=dtype), i32(0, 1, 3), [3, 2], dtype)
    one = encoded(grid([2]))
    gradient(one, i64(0, 2), [2])
    gradient(one, i64(0, 5), [7, 7])
    gradient(one, np.int64(0), [2])
    gradient(one, np.int32(7), [2])
    gradient(pieces([2], [1]), i64(0, 2), [3])
    gradient(pieces([2], [1]), i64(0, 1, 1, 9), [3, 1])
    gradient(pieces([1, 2], [2, 2]), i64(0, 1, 3), [6])
    gradient(pieces([0], [0]), i64(0, 0, 0), [0])
    gradient(pieces([], []), i64(0, 1, 2), [2])
    gradient(pieces([2])[:0], i64(0), [0])
    gradient(tf.reshape(pieces([2], [1], [3], [0]), [2, 2]), i64(0, 2, 3, 6, 6), [6])
    inner = [i64(0, 1, 3), i64(0, 1, 3, 4)]
    nested = tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=inner, rt_dense_values=grid([4]), batched_input=True)
    gradient(nested, i64(0, 1, 4), [4])
    missing = tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=3, element_dtype=tf.float32)
    for dtype in (np.float32, np.float16, np.bool_):  # stock crashes over strings
        gradient(tf.stack([missing, missing]), i64(0, 2, 4), [4, 3], dtype)
        gradient(tf.stack([encoded(grid([2], dtype)), missing]), i64(0, 2, 3), [3], dtype)
        gradient(missing, i64(0, 2), [7, 2], dtype)
    for splits in (i64(), i64([0, 2]), i64(1, 2), i64(0, -2, 3), i64(0, 5, 3)):
        gradient(one, splits, [2])
    gradient(one, i64(0, 2), [-1])

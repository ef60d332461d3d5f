"""TensorMap ops."""

import numpy as np
import tensorflow as tf
from values import KINDS, grid

R = tf.raw_ops


def inserted(*entries):
    handle = R.EmptyTensorMap()
    for key, value in entries:
        handle = R.TensorMapInsert(input_handle=handle, key=key, value=value)
    return handle


def record(case):
    case("EmptyTensorMap")
    one = inserted((np.float32(1.5), np.int32([1, 2])))
    some = inserted(("a", [1.0]), ("b", [[2.0]]), (np.int32([1, 2]), "c"), ("a", 3.0))
    for dtype in KINDS:
        key, value = grid([2], dtype), grid([2, 2], dtype)
        case("TensorMapInsert", input_handle=inserted(), key=key, value=value)
        case("TensorMapInsert", input_handle=inserted((key, key)), key=key, value=value)
        case("TensorMapLookup", input_handle=inserted((key, value)), key=key, value_dtype=tf.as_dtype(tf.constant(value).dtype))
        case("TensorMapErase", input_handle=inserted((key, value)), key=key, value_dtype=tf.as_dtype(tf.constant(value).dtype))
        case("TensorMapHasKey", input_handle=inserted((key, value)), key=key)
        case("TensorMapHasKey", input_handle=inserted((key, value)), key=key[:1])
        case("TensorMapStackKeys", input_handle=inserted((key, value)), key_dtype=tf.constant(key).dtype)
    for handle in [inserted(), one, some]:
        case("TensorMapSize", input_handle=handle)
    for key in ["a", "b", "c", np.int32([1, 2]), np.int64([1, 2]), np.int32([[1, 2]]), np.int32(1), 1.5]:
        case("TensorMapHasKey", input_handle=some, key=key, _label=str(key))
    for key in [0.0, -0.0, np.float32(np.nan), 1.0]:
        case("TensorMapHasKey", input_handle=inserted((0.0, 1), (np.float32(np.nan), 2)), key=key, _label=str(key))
    case("TensorMapLookup", input_handle=some, key="a", value_dtype=tf.float32)
    case("TensorMapLookup", input_handle=some, key="b", value_dtype=tf.float32)
    case("TensorMapLookup", input_handle=some, key=np.int32([1, 2]), value_dtype=tf.string)
    case("TensorMapErase", input_handle=inserted(("a", 1), ("b", 2)), key="a", value_dtype=tf.int32)
    case("TensorMapLookup", input_handle=one, key=2.5, value_dtype=tf.int32, _says="Trying to lookup non-existent key. Could not find key \"2.5\".")
    case("TensorMapLookup", input_handle=one, key=np.int32([[1, 2], [3, 4]]), value_dtype=tf.int32, _says="Could not find key \"[1 2][3 4]\".")
    case("TensorMapErase", input_handle=one, key="x", value_dtype=tf.int32, _says="Trying to erase non-existent item. Could not find key \"x\".")
    case("TensorMapStackKeys", input_handle=inserted(), key_dtype=tf.int32, _says="TensorMapStackKeys cannot be called on empty map.")
    case("TensorMapStackKeys", input_handle=one, key_dtype=tf.int32, _says="Key does not match requested dtype.")
    case("TensorMapStackKeys", input_handle=inserted((1, 1), (np.int32([2]), 1)), key_dtype=tf.int32, _says="Keys must all have the same shape.")
    case("TensorMapSize", input_handle=tf.stack([one, one]), _says="Input map must be a scalar. Saw: [2]")
    listed = R.EmptyTensorList(element_shape=np.int32([]), max_num_elements=1, element_dtype=tf.int32)
    case("TensorMapSize", input_handle=listed, _says="Input handle is not a map. Saw: '")
    case("ZerosLike", x=one)
    case("AddN", inputs=[inserted(("a", 1)), inserted(("a", 2))])

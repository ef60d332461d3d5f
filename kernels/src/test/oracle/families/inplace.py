"""Ops that change rows of a tensor in place, and that make such tensors."""

import numpy as np
import tensorflow as tf
from values import DTYPES, FLOATS, SMALL, grid, i32

UPDATES = ["InplaceUpdate", "InplaceAdd", "InplaceSub"]


def record(case):
    for op in UPDATES:
        changes(case, op)
    makes(case)


def changes(case, op):
    for dtype in DTYPES:
        case(op, x=grid([3, 2], dtype), i=[2, 0, 2], v=grid([3, 2], dtype))
    for dtype in FLOATS:
        odd = np.array([np.nan, np.inf, -np.inf, 1e-8, 6e4, -0.0], dtype)
        case(op, x=odd, i=[5, 4, 3, 2, 1, 0], v=odd)
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        most = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
        case(op, x=most, i=[0, 1, 0, 1], v=np.array([1, 1, 2, 100], dtype))
    case(op, x=grid([3, 2]), i=[-1, 4, 3, -7], v=grid([4, 2]))
    case(op, x=grid([3, 2]), i=[2**31 - 1, -(2**31)], v=grid([2, 2]))
    case(op, x=grid([4]), i=[1, 1, 1], v=grid([3]))
    case(op, x=grid([2, 3, 2]), i=[1], v=grid([1, 3, 2]))
    case(op, x=grid([3, 2]), i=np.zeros([0], np.int32), v=np.zeros([0, 2], np.float32))
    case(op, x=np.zeros([0, 2], np.float32), i=[1], v=grid([1, 2]))
    case(op, x=np.zeros([3, 0], np.float32), i=[7], v=np.zeros([1, 0], np.float32))
    bad = dict(_shapes=False)
    case(op, x=grid([3, 2]), i=np.int32(0), v=grid([2]), **bad)
    case(op, x=grid([]), i=[0], v=grid([]), **bad)
    case(op, x=grid([3, 2]), i=[0], v=grid([2]), **bad)
    case(op, x=grid([3, 2]), i=[0], v=grid([1, 3]), **bad)
    case(op, x=grid([3, 2, 2]), i=[0], v=grid([1, 2, 3]), **bad)
    case(op, x=grid([3, 2]), i=[0, 1], v=grid([1, 2]), **bad)
    for dtype in SMALL:
        case(op, x=grid([2], dtype), i=[0], v=grid([1], dtype))
        case(op, x=grid([2], dtype), i=np.zeros([0], np.int32), v=np.zeros([0], dtype))


def makes(case):
    for dtype in DTYPES:
        case("DeepCopy", x=grid([3, 2], dtype))
        case("Empty", shape=[2, 3], dtype=tf.as_dtype(dtype), init=True)
        case("Empty", shape=[0, 3], dtype=tf.as_dtype(dtype))
    case("DeepCopy", x=grid([]))
    case("DeepCopy", x=np.zeros([0, 2], np.float32))
    for dtype in SMALL:
        case("DeepCopy", x=grid([2], dtype))
    case("Empty", shape=[2], dtype=tf.string, init=False)
    case("Empty", shape=i32(), dtype=tf.float32, init=True)
    case("Empty", shape=[2, -1], dtype=tf.float32, init=True)
    case("Empty", shape=np.int32(2), dtype=tf.float32, init=True)
    case("Empty", shape=i32([2, 3]), dtype=tf.float32, init=True)

"""Ops that only move elements."""

import numpy as np
import tensorflow as tf

# One dtype for each kind of array that holds elements, and those that share one.
DTYPES = [
    np.bool_,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.uint64,
    np.float16,
    tf.bfloat16.as_numpy_dtype,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
    np.str_,
]


def grid(shape, dtype=np.float32):
    """Values that differ from each other, as far as the dtype can tell them apart."""
    n = int(np.prod(shape))
    if dtype is np.str_:
        return np.array([b"s%d" % i for i in range(n)], dtype=object).reshape(shape)
    if dtype is np.bool_:
        return (np.arange(n) % 3 == 1).reshape(shape)
    if dtype in (np.complex64, np.complex128):
        return (np.arange(n) - 1j * np.arange(1, n + 1)).astype(dtype).reshape(shape)
    return np.arange(1, n + 1).astype(dtype).reshape(shape)


def record(case):
    reshape(case)


def reshape(case):
    for dtype in DTYPES:
        case("Reshape", tensor=grid([2, 3], dtype), shape=[3, 2])
    case("Reshape", tensor=grid([2, 3]), shape=np.array([6], np.int64))
    case("Reshape", tensor=grid([2, 3]), shape=[-1])
    case("Reshape", tensor=grid([2, 3]), shape=[3, -1, 1])
    case("Reshape", tensor=grid([0, 3]), shape=[3, 0])
    case("Reshape", tensor=grid([1]), shape=np.zeros([0], np.int32))
    case("Reshape", tensor=grid([]), shape=[1, 1, 1])
    case("Reshape", tensor=grid([0, 3]), shape=[-1, 0])
    case("Reshape", tensor=grid([0, 3]), shape=[-1, 3])
    case("Reshape", tensor=grid([2, 3]), shape=[4])
    case("Reshape", tensor=grid([2, 3]), shape=[4, -1])
    case("Reshape", tensor=grid([2, 3]), shape=[-1, -1])
    case("Reshape", tensor=grid([2, 3]), shape=[-2, 3])
    case("Reshape", tensor=grid([2, 3]), shape=[[2, 3]])
    case("Reshape", tensor=grid([2, 3]), shape=[1 << 30, 1 << 30])
    case("Reshape", tensor=grid([2, 3]), shape=np.array([1 << 40, 1 << 40], np.int64))

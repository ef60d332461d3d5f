"""Dtypes and input values for cases."""

import numpy as np
import tensorflow as tf

BFLOAT16 = tf.bfloat16.as_numpy_dtype

# All dtypes, including those that share a kind of array.
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
    BFLOAT16,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
    np.str_,
]

# Dtypes below 8 bits and of floats of 8 bits, which stock casts and moves only.
SMALL = [
    getattr(tf.dtypes.experimental, name).as_numpy_dtype
    for name in ("float8_e5m2", "float8_e4m3fn", "int4", "uint4")
]

# One dtype for each element layout that kernels move.
KINDS = [np.uint8, np.int16, np.int32, np.int64, np.float32, np.float64, np.complex64, np.str_]

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]

FLOATS = [np.float16, BFLOAT16, np.float32, np.float64]


def grid(shape, dtype=np.float32):
    """Distinct values, as far as the dtype can represent them."""
    n = int(np.prod(shape))
    if dtype is np.str_:
        return np.array([b"s%d" % i for i in range(n)], dtype=object).reshape(shape)
    if dtype is np.bool_:
        return (np.arange(n) % 3 == 1).reshape(shape)
    if dtype in (np.complex64, np.complex128):
        return (np.arange(n) - 1j * np.arange(1, n + 1)).astype(dtype).reshape(shape)
    return np.arange(1, n + 1).astype(dtype).reshape(shape)


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)

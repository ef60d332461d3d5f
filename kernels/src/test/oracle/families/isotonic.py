"""Isotonic regression."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16

from families.signal import normal

KINDS = {
    np.float32: tf.float32,
    np.float64: tf.float64,
    np.float16: tf.half,
    BFLOAT16: tf.bfloat16,
    np.int8: tf.float32,
    np.int16: tf.float32,
    np.int32: tf.float64,
    np.int64: tf.float64,
}


def record(case):
    for kind, out in KINDS.items():
        fit = lambda x: case("IsotonicRegression", input=np.asarray(x).astype(kind), output_dtype=out)
        fit([[3, 1, 2, 2, 0, 5, 4]])
        fit([[5, 4, 3], [1, 2, 3]])
        fit([1, 1, 2, 1])
        fit(7)
        fit(np.zeros([0, 3]))
        fit(np.zeros([3, 0]))
        fit(np.zeros([0]))
        fit(np.zeros([0, 1000000000]))
        fit(40 * normal([2, 3, 50], np.float64))
        fit(40 * normal([4, 2000], np.float64))
        fit([np.arange(-100, 100)])
    odd = [[1, np.nan, 2, 3, 0], [np.inf, 1, np.inf, -np.inf, 2], [-np.inf, np.inf, 1, 2, 3], [0.0, -0.0, -0.0, 0.0, 1]]
    for kind in [np.float32, np.float64, np.float16, BFLOAT16]:
        case("IsotonicRegression", input=np.array(odd).astype(kind), output_dtype=KINDS[kind])
        big = np.array([[6e4, 6.1e4, 1, 3e38]]).astype(kind)
        case("IsotonicRegression", input=big, output_dtype=KINDS[kind])
    case("IsotonicRegression", input=np.array([[2**62 + 1, 2**62 + 3, 2**53 + 1, -(2**63)]]), output_dtype=tf.float64)

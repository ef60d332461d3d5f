"""Ops that create tensors from few values."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, DTYPES, FLOATS, INTEGERS, KINDS, grid, i32, i64


def record(case):
    fill(case)
    ranges(case)
    lin_space(case)
    one_hot(case)
    bitcast(case)
    matrix(case)


def fill(case):
    for dtype in DTYPES:
        value = grid([2], dtype)[1] if dtype is not np.str_ else b"filled"
        case("Fill", dims=[2, 3], value=value)
    for dims in ([], [0], [5], [2, 0, 3], [1, 1, 1, 1]):
        case("Fill", dims=np.array(dims, np.int32), value=7.0)
        case("Fill", dims=np.array(dims, np.int64), value=np.int64(7))
    case("Fill", dims=[-1], value=7.0)
    case("Fill", dims=3, value=7.0)
    case("Fill", dims=[2], value=[7.0])
    case("Fill", dims=[2], value=[7.0, 8.0])


def ranges(case):
    for dtype in (BFLOAT16, np.float16, np.float32, np.float64):
        for start, limit, delta in (
            (0, 5, 1), (0, 1, 0.1), (1, 0, -0.3), (0.5, 0.5, 1), (-2, 3, 1.5), (0, 10, 3),
            (0, 100, 1.1), (5, 5, -1),
        ):  # fmt: skip
            values = np.array([start, limit, delta], dtype)
            case("Range", start=values[0], limit=values[1], delta=values[2])
    for dtype in (np.int32, np.int64):
        for start, limit, delta in (
            (0, 5, 1), (0, 5, 2), (3, 10, 7), (2, 2, 1), (0, 6, 3), (0, 1, 100),
        ):  # fmt: skip
            values = np.array([start, limit, delta], dtype)
            case("Range", start=values[0], limit=values[1], delta=values[2])
    for start, limit, delta in ((5, 0, -1), (5, 0, -2), (-5, 5, 3), (0, -1, -1)):
        for dtype in (np.int32, np.int64):
            values = np.array([start, limit, delta], dtype)
            case("Range", start=values[0], limit=values[1], delta=values[2])
    case("Range", start=0, limit=5, delta=0)
    case("Range", start=0, limit=5, delta=-1)
    case("Range", start=5, limit=0, delta=1)
    case("Range", start=0.0, limit=5.0, delta=-1.0)
    case("Range", start=[0], limit=5, delta=1)
    case("Range", start=[0, 1], limit=5, delta=1)
    case("Range", start=0, limit=[5, 5], delta=1)
    case("Range", start=0, limit=5, delta=[1, 1])


def lin_space(case):
    for dtype in (np.float32, np.float64):
        for start, stop, num in ((0, 1, 5), (1, 0, 3), (2, 2, 4), (0, 10, 1), (-1, 1, 2), (0, 1, 7)):
            case("LinSpace", start=dtype(start), stop=dtype(stop), num=num)
    case("LinSpace", start=0.0, stop=1.0, num=np.int64(3))
    case("LinSpace", start=0.0, stop=1.0, num=0)
    case("LinSpace", start=0.0, stop=1.0, num=-1)
    case("LinSpace", start=[0.0], stop=1.0, num=3)
    case("LinSpace", start=0.0, stop=[1.0], num=3)
    case("LinSpace", start=0.0, stop=1.0, num=[3])


def one_hot(case):
    for dtype in DTYPES:
        values = grid([2], dtype)
        case("OneHot", indices=[1, 0, 2], depth=3, on_value=values[1], off_value=values[0])
    values = dict(on_value=1.0, off_value=0.0)
    for dtype in (np.uint8, np.int8, np.int32, np.int64):
        case("OneHot", indices=np.array([0, 1, 9], dtype), depth=4, **values)
    case("OneHot", indices=[-1, 5, 1], depth=3, **values)
    case("OneHot", indices=1, depth=3, **values)
    case("OneHot", indices=i32(), depth=3, **values)
    case("OneHot", indices=[1], depth=0, **values)
    for axis in (-1, 0, 1, 2):
        case("OneHot", indices=[[0, 2], [1, 0], [2, 2]], depth=3, axis=axis, **values)
    case("OneHot", indices=[1], depth=3, axis=2, **values)
    case("OneHot", indices=[1], depth=-1, **values)
    case("OneHot", indices=[1], depth=[3], **values)
    case("OneHot", indices=[1], depth=[3, 3], **values)
    case("OneHot", indices=[1], depth=3, on_value=[1.0], off_value=0.0)
    case("OneHot", indices=[1], depth=3, on_value=1.0, off_value=[0.0, 0.0])


def bitcast(case):
    for value, to in (
        (grid([2, 2]), tf.int32),
        (grid([2], np.int32), tf.float32),
        (grid([2], np.int64), tf.float64),
        (grid([2], np.float64), tf.int64),
        (grid([2, 4], np.uint8), tf.int32),
        (grid([4], np.uint8), tf.float32),
        (grid([2], np.float32), tf.uint8),
        (grid([2], np.int16), tf.float16),
        (grid([2], np.float16), tf.bfloat16),
        (grid([3], np.int8), tf.uint8),
        (grid([2, 2], np.float32), tf.complex64),
        (grid([2], np.complex64), tf.float32),
        (grid([2], np.complex64), tf.int64),
        (grid([2, 2], np.int64), tf.complex128),
        (grid([0], np.float32), tf.int16),
        (grid([], np.float32), tf.uint32),
        (grid([], np.float32), tf.uint8),
        (grid([2, 3], np.uint8), tf.int32),
        (grid([], np.uint8), tf.int32),
    ):
        case("Bitcast", input=value, type=to)


def matrix(case):
    for dtype in KINDS[:-1] + [np.bool_]:
        case("MatrixBandPart", input=grid([3, 4], dtype), num_lower=1, num_upper=0)
    for lower, upper in ((0, 0), (-1, 0), (0, -1), (-1, -1), (2, 3), (1, 1)):
        bounds = dict(num_lower=np.int64(lower), num_upper=np.int64(upper))
        case("MatrixBandPart", input=grid([2, 3, 4]), **bounds)
        case("MatrixBandPart", input=grid([4, 3]), **bounds)
    case("MatrixBandPart", input=grid([3]), num_lower=0, num_upper=0)
    case("MatrixBandPart", input=grid([3, 3]), num_lower=5, num_upper=0)
    case("MatrixBandPart", input=grid([3, 3]), num_lower=0, num_upper=[0])
    for dtype in KINDS[:-1]:
        case("MatrixDiag", diagonal=grid([2, 2], dtype))
        case("MatrixDiagPart", input=grid([2, 2, 3], dtype))
        case("Diag", diagonal=grid([3], dtype)) if dtype not in (np.uint8, np.int16) else None
    case("Diag", diagonal=grid([2, 2]))
    for dtype in [np.float32, np.float64, np.int32, np.int64, np.complex64]:
        case("DiagPart", input=grid([3, 3], dtype))
    case("DiagPart", input=grid([2, 3, 2, 3]))
    case("DiagPart", input=grid([0, 0]))
    case("DiagPart", input=grid([2, 3]), _says="", _shapes=False)
    case("DiagPart", input=grid([3]), _says="", _shapes=False)
    case("MatrixDiagPart", input=grid([3, 2]))
    case("MatrixDiag", diagonal=grid([0]))
    case("MatrixDiag", diagonal=grid([]))
    case("MatrixDiagPart", input=grid([3]))

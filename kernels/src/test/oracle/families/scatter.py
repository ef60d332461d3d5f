"""Scatter and gather ops on rows and slices of variables."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, FLOATS, grid, i32, i64

REAL = FLOATS + [np.int8, np.uint8, np.int16, np.int32, np.int64]
ROWS = ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"]
SLICES = ["Update", "Add", "Sub", "Min", "Max"]


def variable(shape, dtype=np.float32):
    return tf.Variable(grid(shape, dtype))


def record(case):
    rows(case)
    slices(case)
    reads(case)
    for dtype in REAL + [np.bool_, np.complex64]:
        kw = dict(indices=i32([2], [0], [2]), updates=grid([3, 2], dtype))
        case("ScatterNdNonAliasingAdd", input=grid([3, 2], dtype), **kw)
    case("ScatterNdNonAliasingAdd", input=grid([3]), indices=i32([3]), updates=grid([1]), _says="")


def rows(case):
    for name in ROWS:
        dtypes = {"Min": FLOATS + [np.int32, np.int64], "Max": FLOATS + [np.int32, np.int64]}
        more = {"Update": [np.bool_, np.complex64, np.str_], "Add": [np.complex64], "Sub": [np.complex64]}
        for dtype in dtypes.get(name, REAL) + more.get(name, []):
            indices = i64(3, 0) if dtype in FLOATS else i32(2, 0, 2)
            kw = dict(indices=indices, updates=grid([len(indices), 3], dtype))
            case("ResourceScatter" + name, resource=variable([4, 3], dtype), **kw, _calls=2)
        for op, var in [("ResourceScatter" + name, "resource"), ("Scatter" + name, "ref")]:
            case(op, **{var: variable([4, 3])}, indices=i32([3, 0], [0, 1]), updates=grid([2, 2, 3]), _calls=2)
            case(op, **{var: variable([4, 3])}, indices=np.int32(1), updates=grid([3]))
            case(op, **{var: variable([4, 3])}, indices=i32(1, 1, 2), updates=np.float32(3))
            case(op, **{var: variable([4])}, indices=i64(1, 3), updates=grid([2]))
            case(op, **{var: variable([4, 3])}, indices=np.zeros([0], np.int32), updates=np.zeros([0, 3], np.float32))
            bad = dict(_shapes=False)
            case(op, **{var: variable([4, 3])}, indices=i32(1, 4), updates=grid([2, 3]), _says="indices[1] = 4 is not in [0, 4)", **bad)
            case(op, **{var: variable([4, 3])}, indices=i32([1, -1]), updates=grid([1, 2, 3]), _says="indices[0,1] = -1 is not in [0, 4)", **bad)
            if var == "ref":  # stock does not look at the shape over resources
                case(op, ref=variable([4, 3]), indices=i32(1, 2), updates=grid([2, 4]), _says="Must have updates.shape", **bad)


def slices(case):
    for name in SLICES:
        numbers = FLOATS + [np.int32, np.int64]
        more = {
            "Update": [np.bool_, np.complex64], "Add": [np.bool_, np.complex64], "Sub": [np.bool_, np.complex64],
        }
        for dtype in numbers + more.get(name, []):
            kw = dict(indices=i32([2], [0], [2]), updates=grid([3, 3], dtype))
            case("ResourceScatterNd" + name, ref=variable([4, 3], dtype), **kw, _calls=2)
        for op in ["ResourceScatterNd" + name, "ScatterNd" + name]:
            case(op, ref=variable([4, 3]), indices=i64([2, 1], [0, 0], [2, 1]), updates=grid([3]), _calls=2)
            case(op, ref=variable([4, 3]), indices=i64([[2], [1]], [[0], [3]]), updates=grid([2, 2, 3]))
            case(op, ref=variable([4, 3]), indices=np.zeros([0, 1], np.int32), updates=np.zeros([0, 3], np.float32))
            bad = dict(_shapes=False)
            case(op, ref=variable([4, 3]), indices=i32([4]), updates=grid([1, 3]), _says="indices[0] = [4] does not index into shape [4,3]", **bad)
        skip = dict(bad_indices_policy="IGNORE")
        for op in ["ResourceScatterNd" + name, "ScatterNd" + name]:
            case(op, ref=variable([4, 3]), indices=i32([4], [1], [-1]), updates=grid([3, 3]), **skip)
        for indices, updates in [([1], [2, 3]), ([1], [1, 4])]:
            case("ResourceScatterNd" + name, ref=variable([4, 3]), indices=i32(indices), updates=grid(updates), _says="", **bad)


def reads(case):
    for dtype in [np.float32, np.int64, np.str_, np.complex64]:
        case("ResourceGather", resource=variable([4, 3], dtype), indices=i32([3, 0], [1, 1]), dtype=dtype if dtype is not np.str_ else tf.string)
        case("ResourceGatherNd", resource=variable([4, 3], dtype), indices=i64([3, 0], [1, 1]), dtype=dtype if dtype is not np.str_ else tf.string)
    case("ResourceGatherNd", resource=variable([4, 3]), indices=i32([[3]], [[1]]), dtype=tf.float32)
    case("ResourceGatherNd", resource=variable([4, 3]), indices=i32([4]), dtype=tf.float32, _says="does not index into param")
    case("ResourceGather", resource=variable([4, 3]), indices=i32(4), dtype=tf.float32, _says="indices[0] = 4 is not in [0, 4)")

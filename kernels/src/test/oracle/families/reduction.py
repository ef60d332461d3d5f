"""Reductions along a dimension, and ops that find an element along it."""

import numpy as np
import tensorflow as tf

from families.elementwise import FLOATS, INTEGERS, REAL, is_float, values


def some(shape, dtype):
    """Small integers, so that sums are exact in any order."""
    n = int(np.prod(shape))
    return ((np.arange(n) * 7 % 11) - (3 if is_float(dtype) else 0)).astype(dtype).reshape(shape)


def record(case):
    reductions(case)
    scans(case)
    positions(case)


def reductions(case):
    for op in ["Sum", "Mean", "Prod", "Max", "Min"]:
        for dtype in REAL:
            case(op, input=some([3, 4, 5], dtype), reduction_indices=[1], _ulps=4)
            case(op, input=some([37], dtype), reduction_indices=[0], _ulps=4)
            case(op, input=some([5, 11], dtype), reduction_indices=[-1], _ulps=4)
            case(op, input=some([0, 2], dtype), reduction_indices=[0])
        each(case, op, np.float32)
        case(op, input=some([2, 3, 4, 5], np.int64), reduction_indices=[0, 2])
        case(op, input=some([2, 3, 4, 5], np.float64), reduction_indices=[0, 1, 3], _ulps=4)
    for dtype in INTEGERS:
        case("Sum", input=values(dtype), reduction_indices=[0], _label="wraps")
        case("Prod", input=values(dtype, zero=False), reduction_indices=[0], _label="wraps")
        case("Mean", input=values(dtype), reduction_indices=[0], _label="wraps")
    for dtype in REAL:
        for op in ["Max", "Min"]:
            # No zeros: ours orders -0 before +0, stock does not.
            v = values(dtype, zero=not is_float(dtype), infinite=False)
            case(op, input=v, reduction_indices=[0])
            if is_float(dtype):
                case(op, input=values(dtype, zero=False), reduction_indices=[0], _label="NaN")
                case(op, input=np.array([[np.inf, -np.inf], [-np.inf, -np.inf]], dtype), reduction_indices=[0])
    noise = np.random.RandomState(1).standard_normal([10, 100]).astype(np.float32)
    for op in ["Sum", "Mean"]:
        case(op, input=noise, reduction_indices=[1], _atol=1e-5)
        case(op, input=noise, reduction_indices=[0], _atol=1e-5)
        case(op, input=noise, reduction_indices=[0, 1], _atol=1e-5)
    norms(case, noise)
    for op in ["All", "Any"]:
        each(case, op, np.bool_)
        case(op, input=[[True, True], [True, False], [False, False]], reduction_indices=[1])


def norms(case, noise):
    for dtype in REAL:
        x = np.array([[3, 4], [1, 0], [0, 0]], dtype)
        case("EuclideanNorm", input=x, reduction_indices=[1], _ulps=1)
        case("EuclideanNorm", input=x, reduction_indices=[0], _ulps=1)
        case("EuclideanNorm", input=x[:0], reduction_indices=[0])
    each(case, "EuclideanNorm", np.float32)
    case("EuclideanNorm", input=noise, reduction_indices=[1], _atol=1e-5)
    case("EuclideanNorm", input=np.array([[np.nan, 1], [np.inf, -np.inf]], np.float32), reduction_indices=[1])


def each(case, op, dtype):
    def x(*shape):
        return some(shape, dtype)

    def axes(*indices):
        return np.array(indices, np.int32)

    for keep in [False, True]:
        kw = dict(keep_dims=keep, _ulps=4)
        case(op, input=x(2, 3), reduction_indices=axes(), **kw)
        case(op, input=x(2, 3), reduction_indices=0, **kw)
        case(op, input=x(2, 3), reduction_indices=axes(0, 1), **kw)
        case(op, input=x(2, 3), reduction_indices=np.array([-1], np.int64), **kw)
        case(op, input=x(2, 3, 4), reduction_indices=axes(2, 0), **kw)
        case(op, input=x(2, 3, 4, 2), reduction_indices=axes(1, 2), **kw)
        case(op, input=x(), reduction_indices=axes(), **kw)
        case(op, input=x(0, 3), reduction_indices=axes(0), **kw)
        case(op, input=x(0, 3), reduction_indices=axes(1), **kw)
        case(op, input=x(0), reduction_indices=axes(0), **kw)
    case(op, input=x(2, 3), reduction_indices=[[0, 1]], _ulps=4)
    case(op, input=x(2, 3), reduction_indices=[2])
    case(op, input=x(2, 3), reduction_indices=[-3])
    case(op, input=x(2, 3), reduction_indices=[0, -2])
    case(op, input=x(), reduction_indices=[0])


def scans(case):
    for op in ["Cumsum", "Cumprod"]:
        for dtype in REAL:
            for exclusive in [False, True]:
                for reverse in [False, True]:
                    kw = dict(exclusive=exclusive, reverse=reverse)
                    case(op, x=some([7], dtype), axis=0, **kw)
                    case(op, x=some([2, 3, 4], dtype), axis=1, **kw)
        x = some([2, 3], np.float32)
        case(op, x=x, axis=-1)
        case(op, x=x, axis=np.array(0, np.int64))
        case(op, x=some([0, 3], np.float32), axis=0)
        case(op, x=some([3, 0], np.float32), axis=0)
        case(op, x=x, axis=2)
        case(op, x=x, axis=-3)
        case(op, x=x, axis=[0], _shapes=False)
        case(op, x=1.0, axis=0)
    case("Cumsum", x=np.array([2048, 1, 1, 1], np.float16), axis=0)


def positions(case):
    for op in ["ArgMax", "ArgMin"]:
        for dtype in REAL + [np.bool_]:
            case(op, input=values(dtype), dimension=0)
            case(op, input=some([3, 4, 5], dtype if dtype is not np.bool_ else np.uint8).astype(dtype), dimension=1)
        x = some([2, 3], np.float32)
        for output in [tf.int32, tf.int64] + ([tf.int16, tf.uint16] if op == "ArgMax" else []):
            case(op, input=x, dimension=-1, output_type=output)
        case(op, input=x, dimension=np.array(0, np.int64))
        case(op, input=np.array([np.nan, -np.inf, -3], np.float32), dimension=0)
        case(op, input=np.array([np.nan, np.nan], np.float32), dimension=0)
        case(op, input=np.array([1, np.nan, 1, 2, 2, 0, 0], np.float32), dimension=0)
        case(op, input=some([0, 2], np.float32), dimension=0)
        case(op, input=some([2, 0], np.float32), dimension=0)
        case(op, input=x, dimension=2)
        case(op, input=x, dimension=-3)
        case(op, input=x, dimension=[0], _shapes=False)
        case(op, input=1.0, dimension=0, _shapes=False)

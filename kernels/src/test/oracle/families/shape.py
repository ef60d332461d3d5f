"""Ops that change or return a tensor's shape, and identity ops."""

import numpy as np
import tensorflow as tf
from values import DTYPES, grid, i32, i64


def record(case):
    reshape(case)
    shape(case)
    expand_dims(case)
    squeeze(case)
    ensure_shape(case)
    broadcast_args(case)
    invert_permutation(case)
    passing(case)


def reshape(case):
    for dtype in DTYPES:
        case("Reshape", tensor=grid([2, 3], dtype), shape=[3, 2])
    case("Reshape", tensor=grid([2, 3]), shape=i64(6))
    case("Reshape", tensor=grid([2, 3]), shape=[-1])
    case("Reshape", tensor=grid([2, 3]), shape=[3, -1, 1])
    case("Reshape", tensor=grid([0, 3]), shape=[3, 0])
    case("Reshape", tensor=grid([1]), shape=i32())
    case("Reshape", tensor=grid([]), shape=[1, 1, 1])
    case("Reshape", tensor=grid([4]), shape=4)
    case("Reshape", tensor=grid([0, 3]), shape=[-1, 0])
    case("Reshape", tensor=grid([0, 3]), shape=[-1, 3])
    case("Reshape", tensor=grid([0, 3, 2]), shape=[3, -1])
    case("Reshape", tensor=grid([2, 3]), shape=[0, -1])
    case("Reshape", tensor=grid([2, 3]), shape=[4])
    case("Reshape", tensor=grid([2, 3]), shape=[4, -1])
    case("Reshape", tensor=grid([2, 3]), shape=[-1, -1])
    case("Reshape", tensor=grid([2, 3]), shape=[-2, 3])
    case("Reshape", tensor=grid([2, 3]), shape=[[2, 3]])
    case("Reshape", tensor=grid([2, 3]), shape=[1 << 30, 1 << 30])
    case("Reshape", tensor=grid([2, 3]), shape=i64(1 << 40, 1 << 40))
    case("Reshape", tensor=grid([2, 3]), shape=i64(1 << 40, 1 << 40, -1))


def shape(case):
    for dims in ([], [0], [3], [2, 0, 3], [1, 2, 3, 4]):
        for out_type in (tf.int32, tf.int64):
            case("Shape", input=grid(dims), out_type=out_type)
            case("Size", input=grid(dims), out_type=out_type)
        case("Rank", input=grid(dims))
        case("ShapeN", input=[grid(dims), grid([2]), grid([0, 1])])
    case("ShapeN", input=[grid([3])], out_type=tf.int64)
    for dtype in DTYPES:
        case("Shape", input=grid([2], dtype))
        case("Size", input=grid([2], dtype))
        case("Rank", input=grid([2], dtype))


def expand_dims(case):
    for dtype in DTYPES:
        case("ExpandDims", input=grid([2, 3], dtype), dim=1)
    for dim in (-3, -2, -1, 0, 1, 2):
        case("ExpandDims", input=grid([2, 3]), dim=dim)
    case("ExpandDims", input=grid([]), dim=0)
    case("ExpandDims", input=grid([]), dim=-1)
    case("ExpandDims", input=grid([2, 0]), dim=np.int64(1))
    case("ExpandDims", input=grid([2]), dim=[1])
    case("ExpandDims", input=grid([2]), dim=[1, 0])
    case("ExpandDims", input=grid([2]), dim=i32())
    case("ExpandDims", input=grid([2]), dim=2)
    case("ExpandDims", input=grid([2]), dim=-3)


def squeeze(case):
    for dtype in DTYPES:
        case("Squeeze", input=grid([1, 2, 1], dtype))
    case("Squeeze", input=grid([]))
    case("Squeeze", input=grid([1, 1]))
    case("Squeeze", input=grid([0, 1]))
    case("Squeeze", input=grid([2, 3]))
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[0])
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[-1])
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[2, 0])
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[-1, 2])
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[1])
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[3])
    case("Squeeze", input=grid([1, 2, 1]), squeeze_dims=[-4])


def ensure_shape(case):
    for dtype in DTYPES:
        case("EnsureShape", input=grid([2, 3], dtype), shape=[2, 3])
    case("EnsureShape", input=grid([2, 3]), shape=[None, 3])
    case("EnsureShape", input=grid([2, 3]), shape=tf.TensorShape(None))
    case("EnsureShape", input=grid([]), shape=[])
    case("EnsureShape", input=grid([2, 3]), shape=[None, 4])
    case("EnsureShape", input=grid([2, 3]), shape=[2])


def broadcast_args(case):
    for a, b in (
        ([], []),
        ([1], [5]),
        ([2, 1], [3]),
        ([2, 1, 4], [3, 1]),
        ([0], [1]),
        ([5], []),
    ):
        case("BroadcastArgs", s0=i32(*a), s1=i32(*b))
        case("BroadcastArgs", s0=i64(*b), s1=i64(*a))
    case("BroadcastArgs", s0=[2], s1=[3])
    case("BroadcastArgs", s0=[2, 2], s1=[3, 1, 4])
    case("BroadcastArgs", s0=2, s1=[3])
    case("BroadcastArgs", s0=[2], s1=[[3]])


def invert_permutation(case):
    case("InvertPermutation", x=[2, 0, 1, 3])
    case("InvertPermutation", x=i64(1, 2, 0))
    case("InvertPermutation", x=i32())
    case("InvertPermutation", x=[0, 0])
    case("InvertPermutation", x=[0, 2])
    case("InvertPermutation", x=[0, -1])
    case("InvertPermutation", x=[[0]])


def passing(case):
    for dtype in DTYPES:
        value = grid([2, 2], dtype)
        case("Identity", input=value)
        if dtype is not np.str_:
            case("Snapshot", input=value)
            case("GuaranteeConst", input=value)
        case("StopGradient", input=value)
        case("PlaceholderWithDefault", input=value, shape=[None, 2])
        case("IdentityN", input=[value, grid([], dtype)])
    case("PreventGradient", input=grid([2]), message="not this one")
    case("IdentityN", input=[grid([2]), grid([1], np.int64), grid([0], np.str_)])
    case("NoOp")
    for dtype in DTYPES:
        for dims in ([], [3], [0], [2, 2]):
            constant = tf.constant(grid(dims, dtype))
            proto = tf.make_tensor_proto(constant.numpy(), constant.dtype)
            case("Const", value=proto, dtype=constant.dtype, _calls=2)
    repeated = tf.make_tensor_proto(7, tf.int64, [2, 2])
    case("Const", value=repeated, dtype=tf.int64, _calls=2)

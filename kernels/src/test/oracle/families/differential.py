"""Calls in which Headrace differed from stock TensorFlow, as DifferentialOpsTest found and shrank them."""

import numpy as np
import tensorflow as tf
from values import i32, i64

NAN = np.float64(np.nan)


def record(case):
    sparse(case)
    variables(case)
    others(case)


def sparse(case):
    beyond = dict(input_indices=i64(1, 1).reshape(1, 2), input_values=np.array([1.0]), input_shape=i64(1, 1))
    for op in ["SparseReduceSum", "SparseReduceMax"]:
        case(op, **beyond, reduction_axes=i32(1), _shapes=False)
        case(op, **beyond, reduction_axes=i32(1).reshape(1, 1), _says="", _shapes=False)
    for op in ["SparseReduceSumSparse", "SparseReduceMaxSparse"]:
        case(op, **beyond, reduction_axes=i32(1), _shapes=False)
    case(
        "SparseSlice", indices=i64(0, 1, 0, 3, 2, 0, 2, 2, 4, 1).reshape(5, 2), values=np.arange(5), shape=i64(3, 4),
        start=i64(1, 0), size=i64(4, 3), _shapes=False,
    )
    many = np.array([5, 4] * 15)
    one = np.ones(30, np.int64)
    case(
        "SparseSlice", indices=one.reshape(1, 30), values=i32(1), shape=many, start=one, size=one,
        _says="Encountered overflow when multiplying", _shapes=False,
    )
    case(
        "SparseSliceGrad", backprop_val_grad=i64(1), input_indices=i64(1).reshape(1, 1), input_start=i64(1),
        output_indices=i64(1).reshape(1, 1),
    )
    for op in ["SparseSparseMinimum", "SparseSparseMaximum"]:
        inside, outside = i64(1, 1).reshape(1, 2), i64(4, -1).reshape(1, 2)
        for a, b in [(inside, outside), (outside, inside)]:
            case(
                op, a_indices=a, a_values=i64(1), a_shape=i64(5, 4), b_indices=b, b_values=i64(1), b_shape=i64(5, 4),
                _says="is out of bounds", _shapes=False,
            )
    case(
        "EditDistance", hypothesis_indices=i64(1, 1).reshape(1, 2), hypothesis_values=np.array([b"1"], object),
        hypothesis_shape=i64(-1, 1), truth_indices=i64(1, 1).reshape(1, 2), truth_values=np.array([b""], object),
        truth_shape=i64(3, 1), _says="must be >= 0", _shapes=False,
    )
    case(
        "RaggedTensorToSparse", rt_nested_splits=[i64(0)], rt_dense_values=np.float32(1),
        _says="Final value of ragged splits", _shapes=False,
    )


    case(
        "EditDistance", hypothesis_indices=i64(1, 1).reshape(1, 2), hypothesis_values=np.array([b"1"], object),
        hypothesis_shape=i64(1, 1), truth_indices=i64(1, 1).reshape(1, 2), truth_values=np.array([b""], object),
        truth_shape=i64(1, 1), _shapes=False,
    )


def variables(case):
    for op in ["ResourceScatterAdd", "ResourceScatterUpdate"]:
        case(op, resource=tf.Variable([[1.0]]), indices=np.zeros([0], np.int32), updates=np.array([[1.0]], np.float32), _shapes=False)
    for name, value in [("lr", 0.0), ("l1", -1.0), ("l2", -1.0), ("lr_power", 1.0)]:
        scalars = {**dict(lr=1.0, l1=1.0, l2=1.0, lr_power=-0.5), name: value}
        case(
            "ResourceSparseApplyFtrl", var=tf.Variable([[1.0]]), accum=tf.Variable([[1.0]]), linear=tf.Variable([[1.0]]),
            grad=np.zeros([0, 1], np.float32), indices=i32(), **{k: np.float32(v) for k, v in scalars.items()},
            _says="", _label=name,
        )


def others(case):
    case("Roll", input=np.array([[1.0]]), shift=i64(1), axis=np.int64(1), _shapes=False)
    case("MatrixInverse", input=np.array([[NAN]]))
    case("MatrixSolve", matrix=np.array([[NAN]]), rhs=np.array([[1.0]]))
    case("StatelessRandomUniformFullInt", shape=i32(1), seed=np.array([1, 1], np.uint32), _says="Invalid seed type")
    case(
        "MaxPoolWithArgmax", input=np.zeros([1, 0, 0, 1], np.float32), ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME",
        _shapes=False,
    )
    case("SplitV", value=np.array([1.0, 2.0]), size_splits=i32(-1), split_dim=0, num_split=1, _shapes=False)
    case("DiagPart", input=np.float32(3), _shapes=False)

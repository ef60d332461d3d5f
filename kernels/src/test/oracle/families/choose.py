"""Ops that select, search, partition and stitch elements: Where, Unique, TopK and others."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, DTYPES, FLOATS, INTEGERS, KINDS, grid, i32, i64

NAN = float("nan")
INF = float("inf")


def record(case):
    where(case)
    unique(case)
    list_diff(case)
    partition(case)
    stitch(case)
    top_k(case)
    search(case)
    sparse_to_dense(case)
    asserts(case)
    check_numerics(case)


def where(case):
    for dtype in DTYPES:
        if dtype in (np.str_, np.float16):
            continue  # stock has no kernel
        values = np.array([[0, 1, 0], [3, 0, 2]]).astype(dtype)
        case("Where", input=values)
    case("Where", input=np.array([0.0, -0.0, NAN], np.float32))
    for dims in ([], [0], [3], [2, 0], [2, 1, 2], [1, 2, 1, 2]):
        case("Where", input=np.ones(dims, np.bool_))
        case("Where", input=np.zeros(dims, np.bool_))


def unique(case):
    for dtype in DTYPES:
        if dtype in (np.complex64, np.complex128):
            continue
        values = np.concatenate([grid([3], dtype)[::-1], grid([4], dtype)])
        case("Unique", x=values)
        case("UniqueWithCounts", x=values, out_idx=tf.int64)
    case("Unique", x=i32())
    case("Unique", x=i64(5, 5, 5), out_idx=tf.int64)
    case("UniqueWithCounts", x=i64())
    case("Unique", x=np.array([0.0, -0.0, NAN, NAN, 1.0], np.float32))
    case("Unique", x=[[1]])
    case("UniqueWithCounts", x=1)
    unique_slices(case)


def list_diff(case):
    for dtype in DTYPES:
        if dtype in (np.complex64, np.complex128, np.bool_):
            continue
        case("ListDiff", x=np.repeat(grid([5], dtype), 2), y=grid([3], dtype))
    case("ListDiff", x=i32(), y=[1])
    case("ListDiff", x=[3, 1, 3], y=i32(), out_idx=tf.int64)
    case("ListDiff", x=[[1]], y=[1])


def partition(case):
    for dtype in DTYPES:
        parts = dict(partitions=[1, 0, 1], num_partitions=2)
        case("DynamicPartition", data=grid([3], dtype), **parts)
        case("DynamicPartition", data=grid([3, 2], dtype), **parts)
    case("DynamicPartition", data=grid([2, 2, 2]), partitions=[[0, 2], [2, 0]], num_partitions=3)
    case("DynamicPartition", data=grid([0]), partitions=i32(), num_partitions=2)
    case("DynamicPartition", data=grid([]), partitions=1, num_partitions=2)
    case("DynamicPartition", data=grid([3]), partitions=[0, 1, 2], num_partitions=2)
    case("DynamicPartition", data=grid([3]), partitions=[0, -1, 0], num_partitions=2)
    case("DynamicPartition", data=grid([3]), partitions=[0, 1], num_partitions=2)


def stitch(case):
    for op in ("DynamicStitch", "ParallelDynamicStitch"):
        for dtype in DTYPES:
            pair = [i32(2, 0), i32(1, 3)]
            case(op, indices=pair, data=[grid([2], dtype), grid([2], dtype)[::-1]])
        case(op, indices=[i32(1, 0)], data=[grid([2, 3])])
        rest = [grid([2]), 10 * grid([2, 2, 2])]
        case(op, indices=[np.int32(4), i32([0, 1], [3, 2])], data=[rest[0], rest[1]])
        case(op, indices=[i32(), i32(0)], data=[grid([0, 2]), grid([1, 2])])
        case(op, indices=[i32()], data=[grid([0])])
        case(op, indices=[i32(0, 1)], data=[grid([3])])
        case(op, indices=[i32(0), i32(1)], data=[grid([1]), grid([1, 2])])
        case(op, indices=[i32(-1)], data=[grid([1])])
    case("DynamicStitch", indices=[i32(0, 1), i32(1, 0)], data=[grid([2]), 10 * grid([2])])


def top_k(case):
    for dtype in INTEGERS + FLOATS:
        case("TopKV2", input=np.array([3, 1, 4, 1, 5], dtype), k=3)
    for k in (0, 1, 2, 5):
        case("TopKV2", input=np.array([[3, 1, 4, 1, 5], [2, 7, 1, 8, 2]], np.int32), k=k)
        case("TopKV2", input=np.array([[3.0, 1, 4, 1, 5]], np.float32), k=k)
    case("TopKV2", input=np.array([1.0, -INF, INF, 0.0, -0.0], np.float32), k=5)
    case("TopKV2", input=grid([2, 0, 3]), k=2)
    case("TopKV2", input=grid([3]), k=4)
    case("TopKV2", input=grid([3]), k=-1)
    case("TopKV2", input=grid([]), k=1)
    case("TopKV2", input=grid([3]), k=[1])


def search(case):
    for op in ("LowerBound", "UpperBound"):
        for dtype in INTEGERS + FLOATS:
            if dtype in (np.uint32, np.uint64):
                continue
            inputs = np.array([[1, 3, 3, 5]], dtype)
            case(op, sorted_inputs=inputs, values=np.array([[0, 1, 2, 3, 5, 6]], dtype))
        rows = dict(sorted_inputs=grid([2, 3]), values=grid([2, 4]))
        case(op, **rows, out_type=tf.int64)
        case(op, sorted_inputs=grid([1, 0]), values=grid([1, 2]))
        case(op, sorted_inputs=grid([2, 3]), values=grid([1, 2]))
        case(op, sorted_inputs=grid([3]), values=grid([3]))
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        values = np.array([[-5, 0], [10, 11]], dtype)
        case("Bucketize", input=values, boundaries=[0.0, 10.0, 100.0])
        case("Bucketize", input=values, boundaries=[])
    case("Bucketize", input=np.array([0.1, 0.5, NAN], np.float32), boundaries=[0.1, 0.5])
    case("Bucketize", input=grid([2]), boundaries=[3.0, 1.0])


def sparse_to_dense(case):
    for dtype in DTYPES:
        if dtype in (np.complex64, np.complex128):
            continue
        values = dict(sparse_values=grid([2], dtype), default_value=grid([2], dtype)[1])
        case("SparseToDense", sparse_indices=[[0, 1], [1, 0]], output_shape=[2, 2], **values)
    values = dict(sparse_values=grid([2]), default_value=9.0)
    case("SparseToDense", sparse_indices=[1, 3], output_shape=[5], **values)
    case("SparseToDense", sparse_indices=i64(1, 3), output_shape=i64(5), **values)
    case("SparseToDense", sparse_indices=[1, 3], output_shape=[5], sparse_values=7.0, default_value=0.0)
    case("SparseToDense", sparse_indices=1, output_shape=[5], sparse_values=7.0, default_value=0.0)
    none = np.zeros([0, 2], np.int32)
    case("SparseToDense", sparse_indices=none, output_shape=[2, 2], sparse_values=grid([0]), default_value=1.0)
    case("SparseToDense", sparse_indices=[3, 1], output_shape=[5], _says="is out of order", **values)
    case("SparseToDense", sparse_indices=[3, 1], output_shape=[5], validate_indices=False, **values)
    case("SparseToDense", sparse_indices=[1, 1], output_shape=[5], **values)
    case("SparseToDense", sparse_indices=[1, 5], output_shape=[5], **values)
    case("SparseToDense", sparse_indices=[1, 5], output_shape=[5], validate_indices=False, **values)
    case("SparseToDense", sparse_indices=[-1, 3], output_shape=[5], **values)
    case("SparseToDense", sparse_indices=[[0, 1], [1, 0]], output_shape=[2], **values)
    case("SparseToDense", sparse_indices=[1, 2, 3], output_shape=[5], **values)
    case("SparseToDense", sparse_indices=[1, 3], output_shape=[[5]], **values)
    case("SparseToDense", sparse_indices=[1, 3], output_shape=[5], sparse_values=grid([2]), default_value=[9.0])
    case("SparseToDense", sparse_indices=[[[1]]], output_shape=[5], **values)
    case("SparseToDense", sparse_indices=[1, 3], output_shape=[-5], **values)


def asserts(case):
    case("Assert", condition=True, data=[np.int32(1)])
    for data in (
        [np.array([b"it is", b"bad"], object)], [grid([5], np.int32)], [grid([2, 2], np.float32)],
        [np.array(b"x = "), np.int64(3)], [np.float32(0.1), np.float64(1e10), np.float32(NAN)],
        [np.array([True, False])], [grid([3, 3])], [np.array(b"it's \n\"quoted\"")],
        [grid([0])], [grid([2, 3], np.uint8)], [grid([4], np.str_)], [np.float64(1e-5)],
        [np.array([100000.0, 1234567.0, 123456789.0, INF], np.float32)], [np.int8(-3), np.uint64(7)],
        [np.float16(1.5)], [np.complex64(1 + 2j)], [BFLOAT16(0.3)],
    ):  # fmt: skip
        case("Assert", condition=False, data=data)
        case("Assert", condition=False, data=data, summarize=-1)
        case("Assert", condition=False, data=data, summarize=2)
    case("Assert", condition=[False], data=[np.int32(1)])
    case("Assert", condition=[True, False], data=[np.int32(1)])


def check_numerics(case):
    for dtype in FLOATS:
        case("CheckNumerics", tensor=grid([3], dtype), message="values")
        for bad in ([NAN, 1], [INF, 1], [-INF, 1], [NAN, INF], [NAN, -INF], [INF, -INF]):
            case("CheckNumerics", tensor=np.array(bad, dtype), message="the values")
    case("CheckNumerics", tensor=grid([0]), message="values")


def unique_slices(case):
    rows = np.array([[1, 2], [1, 2], [3, 4], [1, 2]])
    for dtype in [np.float32, np.float64, np.int64, np.int32, np.uint8, np.float16, np.str_]:
        x = rows.astype(dtype) if dtype is not np.str_ else rows.astype(str).astype(object)
        for axis in [0, 1, -1]:
            case("UniqueV2", x=x, axis=i64(axis))
        case("UniqueWithCountsV2", x=x, axis=i32(0), out_idx=tf.int64)
    case("UniqueV2", x=np.array([[0.0, 1.0], [-0.0, 1.0], [NAN, 1.0], [NAN, 1.0]], np.float32), axis=i32(0))
    case("UniqueV2", x=np.array([True, False, True]), axis=i32(0))
    blocks = np.array([[[1, 2], [3, 4], [1, 2]], [[5, 6], [7, 8], [5, 6]]], np.int32)
    for axis in range(3):
        case("UniqueWithCountsV2", x=blocks, axis=i32(axis))
    case("UniqueV2", x=i32(3, 1, 3), axis=i64())
    for shape in [[0, 3], [3, 0]]:
        for axis in [0, 1]:
            case("UniqueV2", x=np.zeros(shape, np.float32), axis=i32(axis))
    for axis in [i64(), i64(2), i64(-3), i64(0, 1), np.int64(0)]:
        case("UniqueV2", x=rows.astype(np.float32), axis=axis)

"""Ops that count, and segment sums."""

import numpy as np
import tensorflow as tf
from values import FLOATS, INTEGERS, grid, i32, i64


def record(case):
    dense_bincount(case)
    bincount(case)
    unsorted_segments(case)
    segments(case)
    histogram(case)


def dense_bincount(case):
    for index in (np.int32, np.int64):
        values = np.array([1, 0, 1, 3], index)
        for dtype in (np.int32, np.int64, np.float32, np.float64):
            none = np.zeros([0], dtype)
            case("DenseBincount", input=values, size=index(4), weights=none)
            case("DenseBincount", input=values, size=index(2), weights=none)
            case("DenseBincount", input=values, size=index(4), weights=grid([4], dtype))
            for binary in (False, True):
                rows = dict(input=values.reshape([2, 2]), size=index(4), binary_output=binary)
                case("DenseBincount", weights=none, **rows)
                case("DenseBincount", weights=grid([2, 2], dtype), **rows)
    none = np.zeros([0], np.int32)
    case("DenseBincount", input=[1, 1, 0], size=3, weights=none, binary_output=True)
    case("DenseBincount", input=i32(), size=3, weights=none)
    case("DenseBincount", input=np.zeros([2, 0], np.int32), size=3, weights=none)
    case("DenseBincount", input=[1], size=0, weights=none)
    case("DenseBincount", input=1, size=3, weights=none)
    case("DenseBincount", input=[-1], size=3, weights=none)
    case("DenseBincount", input=[[0, -1]], size=3, weights=none)
    case("DenseBincount", input=[1], size=-1, weights=none)
    case("DenseBincount", input=[1], size=[3], weights=none)
    case("DenseBincount", input=[1, 2], size=3, weights=[1.0])
    case("DenseBincount", input=[[[1]]], size=3, weights=none)


def bincount(case):
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        case("Bincount", arr=[1, 0, 1, 3], size=4, weights=np.zeros([0], dtype))
        case("Bincount", arr=[1, 0, 1, 3], size=3, weights=grid([4], dtype))
    none = np.zeros([0], np.int32)
    case("Bincount", arr=[[1, 2], [1, 0]], size=3, weights=none)
    case("Bincount", arr=i32(), size=3, weights=none)
    case("Bincount", arr=[1], size=0, weights=none)
    case("Bincount", arr=[-1], size=3, weights=none)
    case("Bincount", arr=[1], size=-1, weights=none)
    case("Bincount", arr=[1], size=[3], weights=none)
    case("Bincount", arr=[1, 2], size=3, weights=[1.0])


def unsorted_segments(case):
    for op in ("Sum", "Prod", "Max", "Min"):
        name = "UnsortedSegment" + op
        for dtype in INTEGERS + FLOATS:
            case(name, data=grid([4], dtype), segment_ids=[1, 0, 1, 1], num_segments=3)
        case(name, data=grid([3, 2]), segment_ids=i64(0, 2, 0), num_segments=np.int64(3))
        case(name, data=grid([2, 2, 2]), segment_ids=[[0, 1], [1, 0]], num_segments=2)
        case(name, data=grid([3]), segment_ids=[0, -1, 1], num_segments=2)
        case(name, data=grid([0, 2]), segment_ids=i32(), num_segments=2)
        case(name, data=grid([3]), segment_ids=[0, 0, 0], num_segments=0)
        case(name, data=grid([3]), segment_ids=[0, 2, 0], num_segments=2)
        case(name, data=grid([3]), segment_ids=[0, 1], num_segments=2)
        case(name, data=grid([3]), segment_ids=[0, 1, 0], num_segments=-1)
        case(name, data=grid([3]), segment_ids=[0, 1, 0], num_segments=[2])


def segments(case):
    for op in ("Sum", "Prod", "Max", "Min", "Mean"):
        name = "Segment" + op
        for dtype in INTEGERS + FLOATS:
            case(name, data=grid([4], dtype), segment_ids=[0, 0, 2, 2])
        case(name, data=grid([4, 2]), segment_ids=i64(0, 1, 1, 3))
        case(name, data=grid([2, 2, 2]), segment_ids=[1, 1])
        case(name, data=grid([0, 2]), segment_ids=i32())
        case(name, data=grid([3]), segment_ids=[0, 2, 1])
        case(name, data=grid([3]), segment_ids=[-1, 0, 1])
        case(name, data=grid([3]), segment_ids=[0, 1])
        case(name, data=grid([3]), segment_ids=[[0, 1, 2]])
        case(name, data=grid([]), segment_ids=[0])


def histogram(case):
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        values = np.array([-1, 0, 1, 2, 5, 9], dtype)
        case("HistogramFixedWidth", values=values, value_range=np.array([0, 5], dtype), nbins=5)
    values = grid([2, 2])
    case("HistogramFixedWidth", values=values, value_range=[0.0, 4.0], nbins=3, dtype=tf.int64)
    case("HistogramFixedWidth", values=values, value_range=[4.0, 4.0], nbins=3)
    case("HistogramFixedWidth", values=values, value_range=[0.0, 4.0], nbins=0)
    case("HistogramFixedWidth", values=values, value_range=[0.0], nbins=3)

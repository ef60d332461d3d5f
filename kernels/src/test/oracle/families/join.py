"""Ops that concatenate, pack, split and unpack tensors."""

import numpy as np
from values import DTYPES, KINDS, grid, i32, i64


def record(case):
    pack(case)
    unpack(case)
    concat(case)
    split(case)
    split_v(case)


def pack(case):
    for dtype in DTYPES:
        case("Pack", values=[grid([2, 3], dtype), grid([2, 3], dtype)[::-1]], axis=1)
    for axis in (-4, -3, -2, -1, 0, 1, 2, 3):
        case("Pack", values=[grid([2, 3]), grid([2, 3]) + 10, grid([2, 3]) + 20], axis=axis)
    case("Pack", values=[grid([])])
    case("Pack", values=[grid([], np.int32), grid([], np.int32) + 1, grid([], np.int32) + 2])
    case("Pack", values=[grid([0]), grid([0])], axis=1)
    case("Pack", values=[grid([2, 0, 3]), grid([2, 0, 3])], axis=2)
    case("Pack", values=[grid([2]), grid([3])])
    case("Pack", values=[grid([2]), grid([1, 2])])
    case("Pack", values=[grid([1, 2, 3]) + i for i in range(6)], axis=1)


def unpack(case):
    for dtype in DTYPES:
        case("Unpack", value=grid([2, 3], dtype), num=3, axis=1)
        case("Unpack", value=grid([2, 3], dtype), num=2)
    for axis, num in ((-4, 4), (-3, 2), (-2, 3), (-1, 4), (0, 2), (1, 3), (2, 4), (3, 1)):
        case("Unpack", value=grid([2, 3, 4]), num=num, axis=axis)
    case("Unpack", value=grid([0]), num=0)
    case("Unpack", value=grid([1]), num=1)
    case("Unpack", value=grid([2, 0]), num=2)
    case("Unpack", value=grid([2, 0]), num=0, axis=1)
    case("Unpack", value=grid([2]), num=3)
    case("Unpack", value=grid([]), num=1)


def concat(case):
    for dtype in DTYPES:
        case("ConcatV2", values=[grid([2, 3], dtype), grid([2, 1], dtype)], axis=1)
    for dtype in KINDS:
        case("ConcatV2", values=[grid([1, 3], dtype), grid([2, 3], dtype)], axis=0)
        case("Concat", concat_dim=-1, values=[grid([1, 3], dtype), grid([1, 2], dtype)])
    for axis in (-4, -3, -2, -1, 0, 1, 2, 3):
        case("ConcatV2", values=[grid([2, 2, 2]), grid([2, 2, 2]) + 10], axis=axis)
    case("ConcatV2", values=[grid([2]), grid([0]), grid([3])], axis=np.int64(0))
    case("ConcatV2", values=[grid([0, 2]), grid([0, 3])], axis=1)
    case("ConcatV2", values=[grid([2, 1]), grid([2, 2]), grid([2, 3])], axis=1)
    case("ConcatV2", values=[grid([2]) + 10 * i for i in range(6)], axis=0)
    case("ConcatV2", values=[grid([2]), grid([2])], axis=[0])
    case("ConcatV2", values=[grid([2]), grid([2])], axis=[0, 0])
    case("ConcatV2", values=[grid([]), grid([])], axis=0)
    case("ConcatV2", values=[grid([2]), grid([2, 1])], axis=0)
    case("ConcatV2", values=[grid([2, 2]), grid([3, 3])], axis=0)
    case("ConcatV2", values=[grid([2, 2]), grid([2, 2]), grid([3, 3])], axis=1)
    case("Concat", concat_dim=2, values=[grid([2]), grid([2])])
    for dtype in KINDS:
        case("ParallelConcat", values=[grid([1, 3], dtype), grid([1, 3], dtype)[:, ::-1]], shape=[2, 3])
    case("ParallelConcat", values=[grid([1])], shape=[1])
    case("ParallelConcat", values=[grid([1, 0]), grid([1, 0])], shape=[2, 0])


def split(case):
    for dtype in DTYPES:
        case("Split", split_dim=1, value=grid([2, 4], dtype), num_split=2)
    for axis, num in ((-4, 1), (-3, 2), (-2, 3), (-1, 2), (0, 1), (1, 3), (2, 4), (3, 1), (2, 3)):
        case("Split", split_dim=axis, value=grid([2, 3, 4]), num_split=num)
    case("Split", split_dim=0, value=grid([0, 2]), num_split=3)
    case("Split", split_dim=1, value=grid([0, 2]), num_split=2)
    case("Split", split_dim=[0], value=grid([2]), num_split=2)
    case("Split", split_dim=0, value=grid([]), num_split=1)


def split_v(case):
    for dtype in DTYPES:
        case("SplitV", value=grid([2, 4], dtype), size_splits=[1, 3], split_dim=1, num_split=2)
    for sizes in (i64(1, -1), i64(-1, 4), i64(2, 2), i32(0, 4), i32(4, 0), i32(-1, 0)):
        case("SplitV", value=grid([4, 2]), size_splits=sizes, split_dim=0, num_split=2)
    case("SplitV", value=grid([2, 4]), size_splits=[2, 1, 1], split_dim=-1, num_split=3)
    case("SplitV", value=grid([0, 4]), size_splits=[2, 2], split_dim=1, num_split=2)
    case("SplitV", value=grid([4]), size_splits=[4], split_dim=0, num_split=1)
    case("SplitV", value=grid([4]), size_splits=[2, 2], split_dim=[0], num_split=2)
    case("SplitV", value=grid([4]), size_splits=[-1, -1], split_dim=0, num_split=2)
    case("SplitV", value=grid([4]), size_splits=[-2, 6], split_dim=0, num_split=2)
    case("SplitV", value=grid([4]), size_splits=[1, 2], split_dim=0, num_split=2)
    case("SplitV", value=grid([4]), size_splits=[-1, 5], split_dim=0, num_split=2)
    case("SplitV", value=grid([4]), size_splits=[5], split_dim=0, num_split=1)
    case("SplitV", value=grid([4]), size_splits=[2, 2], split_dim=1, num_split=2)
    case("SplitV", value=grid([4]), size_splits=[[2, 2]], split_dim=0, num_split=2, _shapes=False)
    case("SplitV", value=grid([4]), size_splits=[1, 1, 2], split_dim=0, num_split=2)
    case("SplitV", value=grid([]), size_splits=[1], split_dim=0, num_split=1)

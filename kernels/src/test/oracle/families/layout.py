"""Ops that rearrange elements: transpose, reverse, tile, roll, pad and others."""

import numpy as np
from values import DTYPES, KINDS, grid, i32, i64


def record(case):
    transpose(case)
    tile(case)
    reverse(case)
    reverse_sequence(case)
    roll(case)
    broadcast_to(case)
    pad(case)
    mirror_pad(case)


def transpose(case):
    for dtype in DTYPES:
        case("Transpose", x=grid([2, 3], dtype), perm=[1, 0])
        case("ConjugateTranspose", x=grid([2, 3], dtype), perm=[1, 0])
    for perm in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [-1, 0, 1]):
        case("Transpose", x=grid([2, 3, 4]), perm=perm)
    for dtype in KINDS:
        case("Transpose", x=grid([2, 3, 1, 4], dtype), perm=i64(3, 1, 0, 2))
        case("Transpose", x=grid([20, 3], dtype), perm=[1, 0])
        case("Transpose", x=grid([3, 20], dtype), perm=[1, 0])
    case("Transpose", x=grid([]), perm=i32())
    case("Transpose", x=grid([3]), perm=[0])
    case("Transpose", x=grid([0, 3]), perm=[1, 0])
    case("Transpose", x=grid([1, 3]), perm=[1, 0])
    case("Transpose", x=grid([2, 3]), perm=[0, 0])
    case("Transpose", x=grid([2, 3]), perm=[0, 2])
    case("Transpose", x=grid([2, 3]), perm=[-3, 0])
    case("Transpose", x=grid([2, 3]), perm=[0])
    case("Transpose", x=grid([2, 3]), perm=[[0, 1]])


def tile(case):
    for dtype in DTYPES:
        if dtype is np.uint16:
            continue  # stock has no kernel
        case("Tile", input=grid([2, 3], dtype), multiples=[2, 2])
    for multiples in ([1, 1], [3, 1], [1, 3], [0, 2], [2, 0]):
        case("Tile", input=grid([2, 3]), multiples=multiples)
    case("Tile", input=grid([]), multiples=i32())
    case("Tile", input=grid([2]), multiples=i64(3))
    case("Tile", input=grid([0]), multiples=[3])
    case("Tile", input=grid([1, 2, 1, 2]), multiples=[2, 1, 3, 2])
    case("Tile", input=grid([2, 3]), multiples=[2])
    case("Tile", input=grid([2, 3]), multiples=[-1, 2])
    case("Tile", input=grid([2]), multiples=[[2]])


def reverse(case):
    for dtype in DTYPES:
        case("ReverseV2", tensor=grid([2, 3], dtype), axis=[1])
    for axis in ([0], [1], [2], [0, 2], [-1], [-3, 1], [0, 1, 2], []):
        case("ReverseV2", tensor=grid([2, 3, 4]), axis=np.array(axis, np.int32))
    case("ReverseV2", tensor=grid([3]), axis=i64(0))
    case("ReverseV2", tensor=grid([0, 2]), axis=[0, 1])
    case("ReverseV2", tensor=grid([]), axis=i32())
    case("ReverseV2", tensor=grid([20, 3]), axis=[0])
    case("ReverseV2", tensor=grid([]), axis=[0])
    case("ReverseV2", tensor=grid([3]), axis=[1])
    case("ReverseV2", tensor=grid([3]), axis=[-2])
    case("ReverseV2", tensor=grid([3, 3]), axis=[0, 0])
    case("ReverseV2", tensor=grid([3, 3]), axis=[-1, 1])
    case("ReverseV2", tensor=grid([3]), axis=0)


def reverse_sequence(case):
    for dtype in DTYPES:
        case("ReverseSequence", input=grid([2, 3], dtype), seq_lengths=[2, 3], seq_dim=1)
    case("ReverseSequence", input=grid([3, 2]), seq_lengths=i64(2, 3), seq_dim=0, batch_dim=1)
    case("ReverseSequence", input=grid([2, 3, 2]), seq_lengths=[0, 1], seq_dim=1)
    case("ReverseSequence", input=grid([2, 3, 2]), seq_lengths=[2, 1], seq_dim=2)
    case("ReverseSequence", input=grid([0, 3]), seq_lengths=i32(), seq_dim=1)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[2, 4], seq_dim=1)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[2, -1], seq_dim=1)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[2], seq_dim=1)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[2, 2], seq_dim=0)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[2, 2], seq_dim=2)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[2, 2], seq_dim=1, batch_dim=2)
    case("ReverseSequence", input=grid([2, 3]), seq_lengths=[[2, 2]], seq_dim=1)


def roll(case):
    for dtype in DTYPES:
        case("Roll", input=grid([2, 3], dtype), shift=1, axis=1)
    for shift in (-7, -1, 0, 1, 2, 4, 5, 11):
        case("Roll", input=grid([5]), shift=[shift], axis=[0])
    case("Roll", input=grid([2, 3, 4]), shift=[1, -1], axis=[0, 2])
    case("Roll", input=grid([2, 3, 4]), shift=[1, 2], axis=[1, 1])
    case("Roll", input=grid([2, 3, 4]), shift=i64(1, 1, 1), axis=i64(-1, -2, -3))
    case("Roll", input=grid([0, 3]), shift=1, axis=0)
    case("Roll", input=grid([3]), shift=i32(), axis=i32())
    case("Roll", input=grid([3]), shift=1, axis=1)
    case("Roll", input=grid([3]), shift=1, axis=-2)
    case("Roll", input=grid([3]), shift=[1, 2], axis=[0])
    case("Roll", input=grid([]), shift=1, axis=0)
    case("Roll", input=grid([3]), shift=[[1]], axis=[0])
    case("Roll", input=grid([3]), shift=[1], axis=[[0]])


def broadcast_to(case):
    for dtype in DTYPES:
        case("BroadcastTo", input=grid([2, 1], dtype), shape=[3, 2, 2])
    for dims, to in (
        ([], []), ([], [2, 3]), ([1], [4]), ([3], [2, 3]), ([2, 1], [2, 3]), ([1, 3], [2, 3]),
        ([1, 1], [2, 3]), ([2, 3], [2, 3]), ([1], [0]), ([0], [2, 0]), ([2, 1, 2], [2, 3, 2]),
        ([2], [3]), ([2, 3], [3]), ([2], [-1]), ([3], [1]), ([0], [1]),
    ):  # fmt: skip
        case("BroadcastTo", input=grid(dims), shape=np.array(to, np.int32))
    case("BroadcastTo", input=grid([2, 1]), shape=i64(2, 2))
    case("BroadcastTo", input=grid([1]), shape=[[2]])


def pad(case):
    for dtype in DTYPES:
        if dtype is not np.str_:
            case("Pad", input=grid([2, 3], dtype), paddings=[[1, 0], [0, 2]])
        padding = grid([], np.str_) if dtype is np.str_ else np.array(9).astype(dtype)
        values = dict(input=grid([2, 2], dtype), constant_values=padding)
        case("PadV2", paddings=[[1, 0], [1, 2]], **values)
    case("Pad", input=grid([]), paddings=np.zeros([0, 2], np.int32))
    case("Pad", input=grid([0]), paddings=[[1, 2]])
    case("Pad", input=grid([2]), paddings=np.array([[0, 0]], np.int64))
    case("Pad", input=grid([1, 2, 1, 2]), paddings=[[1, 1], [0, 0], [2, 0], [0, 1]])
    case("Pad", input=grid([2, 2, 2]), paddings=[[0, 0], [1, 1], [0, 0]])
    case("Pad", input=grid([2]), paddings=[[-1, 0]])
    case("Pad", input=grid([2]), paddings=[[1, 0], [1, 0]])
    case("Pad", input=grid([2]), paddings=[1, 0])
    case("Pad", input=grid([2]), paddings=[[1, 0, 0]])
    case("PadV2", input=grid([2]), paddings=[[1, 0]], constant_values=grid([1]))


def mirror_pad(case):
    for mode in ("REFLECT", "SYMMETRIC"):
        for dtype in DTYPES:
            if dtype in (np.str_,):
                continue
            case("MirrorPad", input=grid([2, 3], dtype), paddings=[[1, 0], [2, 1]], mode=mode)
        for dtype in [np.float32, np.float64, np.int32, np.int64, np.float16]:
            case("MirrorPadGrad", input=grid([3, 6], dtype), paddings=[[1, 0], [2, 1]], mode=mode)
        case("MirrorPadGrad", input=grid([6, 4, 5]), paddings=[[1, 2], [0, 1], [2, 0]], mode=mode)
        case("MirrorPadGrad", input=grid([10]), paddings=np.array([[3, 3]], np.int64), mode=mode)
        case("MirrorPadGrad", input=grid([4]), paddings=[[0, 0]], mode=mode)
        case("MirrorPadGrad", input=grid([4]), paddings=[[3, 0]], mode=mode, _says="", _shapes=False)
        case("MirrorPadGrad", input=grid([4]), paddings=[[1, 0], [0, 0]], mode=mode, _says="", _shapes=False)
        case("MirrorPad", input=grid([3, 3, 3]), paddings=[[1, 2], [0, 1], [2, 0]], mode=mode)
        case("MirrorPad", input=grid([4]), paddings=np.array([[3, 3]], np.int64), mode=mode)
        case("MirrorPad", input=grid([4]), paddings=[[4, 0]], mode=mode)
        case("MirrorPad", input=grid([4]), paddings=[[0, 5]], mode=mode)
        case("MirrorPad", input=grid([4]), paddings=[[0, 0]], mode=mode)
        case("MirrorPad", input=grid([4]), paddings=[[-1, 0]], mode=mode)
        case("MirrorPad", input=grid([4]), paddings=[[1, 0], [0, 0]], mode=mode)
        case("MirrorPad", input=grid([]), paddings=np.zeros([0, 2], np.int32), mode=mode)
        case("MirrorPad", input=grid([0, 2]), paddings=[[0, 0], [1, 1]], mode=mode)

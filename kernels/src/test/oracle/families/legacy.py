"""Ops that newer ones have replaced: Reverse, SpaceToBatch, BatchToSpace; and Fingerprint."""

import numpy as np
from values import DTYPES, grid, i32, i64

NOT_MOVED = [np.bool_, np.float16, np.complex64, np.complex128, np.str_]


def record(case):
    reverse(case)
    space_to_batch(case)
    fingerprint(case)


def flags(*values):
    return np.array(values, np.bool_)


def reverse(case):
    for dtype in DTYPES:
        case("Reverse", tensor=grid([2, 3], dtype), dims=flags(False, True))
    case("Reverse", tensor=grid([2, 3, 4]), dims=flags(True, False, True))
    case("Reverse", tensor=grid([0, 2]), dims=flags(True, True))
    case("Reverse", tensor=grid([]), dims=flags())
    case("Reverse", tensor=grid([]), dims=flags(True), _shapes=False)
    case("Reverse", tensor=grid([3]), dims=flags(True, False), _shapes=False)
    case("Reverse", tensor=grid([3]), dims=np.array(True), _shapes=False)
    case("Reverse", tensor=grid([1] * 9), dims=flags(*[True] * 9), _shapes=False)


def space_to_batch(case):
    for dtype in [d for d in DTYPES if d not in NOT_MOVED]:
        case("SpaceToBatch", input=grid([1, 2, 4, 3], dtype), paddings=i32(1, 1, 0, 2).reshape(2, 2), block_size=2)
        case("BatchToSpace", input=grid([4, 2, 2, 1], dtype), crops=i32(0, 1, 1, 0).reshape(2, 2), block_size=2)
    case("SpaceToBatch", input=grid([2, 3, 6, 2]), paddings=np.zeros([2, 2], np.int64), block_size=3)
    case("BatchToSpace", input=grid([18, 1, 2, 2]), crops=np.zeros([2, 2], np.int64), block_size=3)
    for paddings, size in [([[0, 0], [0, 1]], 2), ([[-1, 0], [0, 0]], 2), ([[0, 0]], 2)]:
        bad = dict(_says="", _shapes=False)
        case("SpaceToBatch", input=grid([1, 2, 2, 1]), paddings=np.array(paddings, np.int32), block_size=size, **bad)
    case("SpaceToBatch", input=grid([2, 2]), paddings=i32(0, 0, 0, 0).reshape(2, 2), block_size=2, _shapes=False)
    case("BatchToSpace", input=grid([3, 2, 2, 1]), crops=i32(0, 0, 0, 0).reshape(2, 2), block_size=2, _says="", _shapes=False)
    case("BatchToSpace", input=grid([4, 1, 1, 1]), crops=i32(2, 2, 0, 0).reshape(2, 2), block_size=2, _says="", _shapes=False)


def fingerprint(case):
    method = np.array(b"farmhash64", object)
    for dtype in DTYPES:
        case("Fingerprint", data=grid([3, 2], dtype), method=method)
        case("Fingerprint", data=grid([4], dtype), method=method)
    case("Fingerprint", data=grid([2, 3, 2], np.str_), method=method)
    case("Fingerprint", data=grid([2, 0]), method=method)
    case("Fingerprint", data=grid([0, 2]), method=method)
    case("Fingerprint", data=grid([0], np.str_), method=method)
    case("Fingerprint", data=grid([]), method=method, _shapes=False)
    case("Fingerprint", data=i64(1), method=np.array(b"md5", object))
    case("Fingerprint", data=i64(1), method=np.array([b"farmhash64"], object), _shapes=False)

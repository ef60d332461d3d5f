"""Elements by rank and index: UnravelIndex, NthElement; diagonals of older versions; CheckNumericsV2."""

import numpy as np
import tensorflow as tf

from values import BFLOAT16, DTYPES, FLOATS, INTEGERS, grid, i32, i64

RANDOM = np.random.RandomState(3)


def record(case):
    for dtype in [np.int32, np.int64]:
        of = lambda i, d, **o: case("UnravelIndex", indices=np.array(i, dtype), dims=np.array(d, dtype), **o)
        of(5, [2, 3])
        of([0, 5, 3], [2, 3])
        of([22, 41, 37], [7, 6])
        of([], [2, 3])
        of([1], [4])
        of(0, [1])
        of(6, [2, 3])
        of(-1, [2, 3])
        of([-7, -2], [2, 3])
        of([[1]], [2, 3])
        of(1, 5)
        of(1, [0, 3])
    of(1, [2**40, 2**40])
    for dtype in [*INTEGERS, *FLOATS]:
        values = RANDOM.permutation(60)[:24].reshape(2, 3, 4).astype(dtype)
        for n in [0, 2, 3]:
            for reverse in [False, True]:
                case("NthElement", input=values, n=np.int32(n), reverse=reverse)
    nth = lambda x, n, **o: case("NthElement", input=x, n=n, **o)
    nth(np.float32([3, 3, 1, 1]), np.int32(1))
    nth(grid([4]), np.int32(4))
    nth(grid([4]), np.int32(-1))
    nth(grid([4]), i32(1))
    nth(np.float32(1), np.int32(0))
    nth(grid([0, 4]), np.int32(1))
    diagonals(case)
    for dtype in FLOATS:
        for values in [[1, 2], [], [np.inf], [-np.inf, 1], [np.nan], [np.inf, -np.inf], [np.nan, np.inf],
                       [-np.inf, np.nan], [np.nan, np.inf, -np.inf]]:
            case("CheckNumericsV2", tensor=np.array(values).astype(dtype), message="m")


def diagonals(case):
    for dtype in [d for d in DTYPES if d is not np.str_]:
        case("MatrixSetDiag", input=grid([2, 3, 4], dtype), diagonal=grid([2, 3], dtype))
    of = lambda x, d, **o: case("MatrixSetDiag", input=x, diagonal=d, **o)
    of(grid([4, 3]), grid([3]))
    of(grid([0, 3]), grid([0]))
    of(grid([4, 3]), grid([4]))
    of(grid([3]), grid([3]))
    of(grid([3, 3]), np.float32(1))
    for k in [np.int32(0), np.int32(1), np.int32(-2), i32(-1, 1), i32(0, 2), i32(-3, -1)]:
        x = grid([2, 4, 5])
        case("MatrixDiagPartV2", input=x, k=k, padding_value=np.float32(-7))
        part = tf.raw_ops.MatrixDiagPartV2(input=x, k=k, padding_value=np.float32(-7)).numpy()
        case("MatrixSetDiagV2", input=x, diagonal=-part, k=k)
        for size in [(-1, -1), (6, 7)]:
            case(
                "MatrixDiagV2", diagonal=part, k=k, num_rows=np.int32(size[0]), num_cols=np.int32(size[1]),
                padding_value=np.float32(9),
            )
    case("MatrixDiagPartV2", input=grid([2, 2]), k=i32(1, 0), padding_value=np.float32(0))
    case("MatrixDiagPartV2", input=grid([2]), k=np.int32(0), padding_value=np.float32(0))

"""Set ops along the last dimension of dense and sparse tensors."""

import numpy as np

from values import grid, i32, i64


def s(*values):
    return np.array(values, dtype=object)


OPERATIONS = ["a-b", "b-a", "intersection", "union", "UNION"]
IX = np.array([[0, 0], [0, 1], [0, 2], [2, 0], [2, 1]], np.int64)
IX2 = np.array([[0, 1], [1, 0], [2, 2], [2, 3]], np.int64)


def record(case):
    dense(case)
    sparse(case)
    sizes(case)


def dense(case):
    def both(a, b, operation="union", **options):
        case("DenseToDenseSetOperation", set1=a, set2=b, set_operation=operation, **options)

    for operation in OPERATIONS:
        for kind in [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64]:
            a = np.array([[3, 1, 3, 200], [9, 9, 9, 9], [1, 2, 3, 4]]).astype(kind)
            b = np.array([[1, 255, 7], [9, 9, 9], [5, 2, 1]]).astype(kind)
            both(a, b, operation)
        words = s(b"b", b"a", b"", b"b", b"\xff", b"ab").reshape(2, 3)
        both(words, s(b"a", b"c", b"\xff", b"").reshape(2, 2), operation)
        both(grid([2, 2, 3], np.int32), grid([2, 2, 1], np.int32), operation)
        both(np.zeros([2, 0], np.int32), grid([2, 2], np.int32), operation)
        both(np.zeros([0, 2], np.int32), np.zeros([0, 3], np.int32), operation)
    both(grid([2, 3], np.int32), grid([3, 3], np.int32), _shapes=False)
    both(grid([3], np.int32), grid([3], np.int32), _shapes=False)
    both(grid([2, 3], np.int32), grid([2, 3], np.int32), "xor")


def sparse(case):
    def mixed(a, indices, values, shape, operation="union", **options):
        case(
            "DenseToSparseSetOperation", set1=a, set2_indices=indices, set2_values=values,
            set2_shape=shape, set_operation=operation, **options,
        )

    def both(a, b, operation="union", **options):
        case(
            "SparseToSparseSetOperation", set1_indices=a[0], set1_values=a[1], set1_shape=a[2],
            set2_indices=b[0], set2_values=b[1], set2_shape=b[2], set_operation=operation, **options,
        )

    a = (IX, i32(5, 3, 5, 1, 2), i64(3, 4))
    b = (IX2, i32(3, 7, 2, 9), i64(3, 4))
    words = (IX, s(b"x", b"", b"y", b"z", b"x"), i64(3, 4))
    for operation in OPERATIONS:
        mixed(i32(1, 3, 3, 8, 2, 9).reshape(3, 2), *a, operation)
        mixed(s(b"x", b"y", b"z", b"w", b"x", b"").reshape(3, 2), *words, operation)
        both(a, b, operation)
        both(b, a, operation)
        both(words, words, operation)
        both(a, (np.zeros([0, 2], np.int64), i32(), i64(3, 9)), operation)
    wrong = (IX[::-1].copy(), i32(5, 3, 5, 1, 2), i64(3, 4))
    order = "is out of order. Many sparse ops require sorted indices."
    both(wrong, b, _says=order)
    mixed(grid([3, 2], np.int32), *wrong, _says=order)
    both(a, (IX2, i32(3, 7, 2, 9), i64(2, 4)), _says="is out of bounds: need 0 <= index <")
    both(a, (IX2[:1], i32(3), i64(2, 4)))
    both(a, (IX2, i32(3, 7, 2, 9), i64(3)), _says="", _shapes=False)
    mixed(grid([2, 2], np.int32), *a)
    mixed(grid([3], np.int32), *a, _shapes=False)


def sizes(case):
    case("SetSize", set_indices=IX, set_values=i32(5, 3, 5, 1, 2), set_shape=i64(3, 4))
    case("SetSize", set_indices=IX, set_values=s(b"a", b"a", b"a", b"b", b"c"), set_shape=i64(4, 9))
    case("SetSize", set_indices=np.zeros([0, 2], np.int64), set_values=i32(), set_shape=i64(3, 4))
    case("SetSize", set_indices=IX, set_values=i32(5, 3, 5, 1, 2), set_shape=i64(2, 4), _says="is out of bounds: need 0 <= index <")

"""Assignments to slices of tensors and of variables."""

import numpy as np
import tensorflow as tf
from families.slice import x
from values import DTYPES, KINDS, SMALL, grid, i32, i64

# Each op, and the name of the input that is assigned to.
OPS = [("TensorStridedSliceUpdate", "input"), ("ResourceStridedSliceAssign", "ref"), ("StridedSliceAssign", "ref")]


def record(case):
    def assign(shape, spec, values, dtype=np.float32, only=OPS, says=None):
        if dtype is np.str_:
            only = OPS[:2]  # the recorder makes no references to strings
        value = values if isinstance(values, np.ndarray) else -grid(values, dtype) if dtype == np.float32 else grid(values, dtype)
        for op, target in only:
            tensor = grid(shape, dtype)
            held = tensor if op == "TensorStridedSliceUpdate" else tf.Variable(tensor)
            case(op, **{target: held}, value=value, **spec, _shapes=says is None, _says=says)

    for dtype in DTYPES:
        assign([3, 4], x[1:, ::-2], [2, 2], dtype)
        assign([3, 4], x[1], [4], dtype)
        assign([3, 4], x[:, 1:3], [], dtype)
    for dtype in SMALL[:2]:
        # Stock copies no tensor of these dtypes, and updates only one that nobody else holds.
        assign([3, 4], x[1:, ::-2], [2, 2], dtype, OPS[1:2])
    for spec, shape in (
        (x[0], []), (x[-1], []), (x[5:], [1]), (x[-2:], [2]), (x[:-1], [5]), (x[::2], [3]), (x[::-1], [6]),
        (x[4:1:-2], [2]), (x[1:100], [5]), (x[-100:3], [3]), (x[3:3], [0]), (x[4:2], [0]), (x[2:4:-1], [0]),
        (x[None], [1, 6]), (x[...], [6]), (x[..., None], [6, 1]), (x[None, 1:3, None], [1, 2, 1]), (x[()], [6]),
        (x[::100], [1]), (x[::-100], [1]), (x[4::-1], [5]), (x[:1:-1], [4]),
    ):  # fmt: skip
        assign([6], spec, shape)
    for spec, shape in (
        (x[1], [3, 4]), (x[1, 2], [4]), (x[1, 2, 3], []), (x[..., 3], [2, 3]), (x[..., 1, :], [2, 4]),
        (x[0, ..., 0], [3]), (x[:, None, 1], [2, 1, 4]), (x[1, ...], [3, 4]), (x[None, ..., None], [1, 2, 3, 4, 1]),
        (x[::-1, ::-1, ::-1], [2, 3, 4]), (x[:, 1:2], [2, 1, 4]), (x[1:, 1:, 1:], [1, 2, 3]), (x[0, 1:, ::2], [2, 2]),
        (x[..., ::-2], [2, 3, 2]), (x[:, ..., :, :], [2, 3, 4]), (x[..., None, 1], [2, 3, 1]),
        (x[None, 1, ..., None, 0], [1, 3, 1]), (x[1:0], [0, 3, 4]), (x[:, 5:], [2, 0, 4]),
    ):  # fmt: skip
        assign([2, 3, 4], spec, shape)
    for dtype in KINDS:
        assign([2, 3, 1, 2], x[:, ::2, 0, ::-1], [2, 2, 2], dtype, OPS[:2])
    broadcast(assign)
    large(assign)
    edges(assign, case)
    errors(assign)


def broadcast(assign):
    for shape in ([], [1], [4], [1, 4], [3, 1], [3, 4], [1, 1], [2, 1, 1], [2, 1, 4], [1, 3, 1], [1, 1, 2, 3, 4], [1, 1, 1, 1]):
        assign([2, 3, 4], x[...], shape)
        assign([2, 3, 4], x[::-1, ..., ::-1], shape)
    for shape in ([], [3], [1, 3], [4, 1], [2, 4, 3], [2, 1, 1], [2, 1, 3], [1, 4, 1], [1, 1, 2, 4, 3]):
        assign([3, 4, 5], x[1:, :, 2:], shape)
    for shape in ([], [2], [1, 2], [3, 1, 2], [1, 1, 1], [1, 3, 1, 1]):
        assign([3, 3, 4], x[:, None, 1, 1:3], shape)
    for shape in ([], [2], [1, 2], [3, 1, 1], [1, 1, 3, 1, 2]):
        assign([3, 3, 4], x[1, :, None, ::3], shape)
    for shape in ([2], [3, 4, 2], [2, 2, 3, 4], [2, 1], [4, 3], [0], [1, 0]):
        text = ",".join(map(str, shape))
        assign([2, 3, 4], x[...], shape, says=f"Cannot broadcast input shape [{text}] into final shape [2,3,4]")
        assign([2, 3, 4], x[1:0], shape)
    assign([2, 3, 4], x[1, 2, 3], [2], says="Cannot broadcast input shape [2] into final shape []")
    assign([2, 3, 4], x[1, 2, 3], [1, 1])


def large(assign):
    assign([100, 30], x[5:90:2], [43, 30])
    assign([100, 30], x[5:90:2], [30])
    assign([100, 30], x[::-1, 3:20], [100, 1])


def edges(assign, case):
    assign([0, 3], x[:, 1], [0])
    assign([0, 3], x[:, 1], [7])
    assign([], x[...], [])
    assign([], x[...], [1])
    assign([], x[None, None], [1, 1])
    assign([1] * 8, x[...], [1] * 8)
    assign([1] * 9, x[...], [1] * 9, says="Unhandled input dimensions 9")
    assign([1] * 8 + [0], x[...], [1])
    assign([3], dict(begin=i64(1), end=i64(3), strides=i64(1)), [2])
    assign([3], dict(begin=i64(-(1 << 60)), end=i64(1 << 60), strides=i64(2)), [2])
    assign([3], dict(begin=i64(0), end=i64(3), strides=i64(1 << 40)), [1])
    for dtype in (np.float32, np.int64):
        for op, target in OPS[1:]:
            case(op, **{target: tf.Variable(grid([4], dtype))}, value=grid([2], dtype), **x[1:3], _calls=2)


def errors(assign):
    assign([3], x[::0], [3], says="strides[0] must be non-zero")
    assign([], x[0], [], says="Attempting to slice scalar input.")
    assign([3], x[3], [], says="slice index 3 of dimension 0 out of bounds.")
    assign([3], x[-4], [], says="slice index -1 of dimension 0 out of bounds.")
    assign([0], x[0], [], says="slice index 0 of dimension 0 out of bounds.")
    assign([3], x[0, 0], [], says="Index out of range using input dim 1; input has only 1 dims")
    assign([3, 3], x[0, ..., 1, 2], [], says="Index out of range using input dim 2; input has only 2 dims")
    unequal = "Expected begin, end, and strides to be 1D equal size tensors, but got shapes"
    assign([3], dict(begin=i32(0), end=i32(1, 2), strides=i32(1)), [1], says=unequal + " [1], [2], and [1] instead.")
    scalars = dict(begin=np.int32(0), end=np.int32(1), strides=np.int32(1))
    assign([3], scalars, [1], says=unequal + " [], [], and [] instead.")
    two = dict(begin=i32(0, 0), end=i32(1, 1), strides=i32(-1, -1))
    assign([3, 3], {**two, "shrink_axis_mask": 3}, [], says="only stride 1 allowed on non-range indexing.")
    assign([3, 3], {**two, "ellipsis_mask": 3}, [], says="Multiple ellipses in slice spec not allowed")

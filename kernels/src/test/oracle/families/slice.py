"""Ops that slice tensors."""

import numpy as np
from values import DTYPES, KINDS, grid, i32, i64


class Spec:
    """Turns the subscript of x[...] into StridedSlice's inputs and attrs."""

    def __getitem__(self, entries):
        entries = entries if isinstance(entries, tuple) else (entries,)
        begin, end, strides, masks = [], [], [], dict.fromkeys(
            ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"], 0
        )
        for i, entry in enumerate(entries):
            b, e, s = 0, 0, 1
            if entry is Ellipsis:
                masks["ellipsis_mask"] |= 1 << i
            elif entry is None:
                masks["new_axis_mask"] |= 1 << i
            elif isinstance(entry, slice):
                masks["begin_mask"] |= (entry.start is None) << i
                masks["end_mask"] |= (entry.stop is None) << i
                b, e, s = entry.start or 0, entry.stop or 0, 1 if entry.step is None else entry.step
            else:
                masks["shrink_axis_mask"] |= 1 << i
                b, e = entry, entry + 1
            begin.append(b)
            end.append(e)
            strides.append(s)
        return dict(begin=i32(*begin), end=i32(*end), strides=i32(*strides), **masks)


x = Spec()


def record(case):
    strided_slice(case)
    slices(case)


def strided_slice(case):
    for dtype in DTYPES:
        case("StridedSlice", input=grid([3, 4], dtype), **x[1:, ::-2])
        case("StridedSlice", input=grid([3, 4], dtype), **x[1])
    for spec in (
        x[0], x[-1], x[5:], x[-2:], x[:-1], x[::2], x[::-1], x[4:1:-2], x[1:100], x[-100:3],
        x[3:3], x[4:2], x[2:4:-1], x[None], x[...], x[..., None], x[None, 1:3, None], x[()],
        x[::100], x[::-100], x[4::-1], x[:1:-1],
    ):  # fmt: skip
        case("StridedSlice", input=grid([6]), **spec)
    for spec in (
        x[1], x[1, 2], x[1, 2, 3], x[..., 3], x[..., 1, :], x[0, ..., 0], x[:, None, 1], x[1, ...],
        x[None, ..., None], x[::-1, ::-1, ::-1], x[:, 1:2], x[1:, 1:, 1:], x[0, 1:, ::2],
        x[..., ::-2], x[:, ..., :, :], x[:, :, :, ...], x[..., None, 1], x[None, 1, ..., None, 0],
        x[1:0], x[:, 5:],
    ):  # fmt: skip
        case("StridedSlice", input=grid([2, 3, 4]), **spec)
    for dtype in KINDS:
        case("StridedSlice", input=grid([2, 3, 1, 2], dtype), **x[:, ::2, 0, ::-1])
    case("StridedSlice", input=grid([100, 3]), **x[5:90])
    case("StridedSlice", input=grid([2, 100]), **x[1])
    case("StridedSlice", input=grid([0, 3]), **x[:, 1])
    case("StridedSlice", input=grid([]), **x[...])
    case("StridedSlice", input=grid([]), **x[None, None])
    case("StridedSlice", input=grid([3]), begin=i64(1), end=i64(3), strides=i64(1))
    case("StridedSlice", input=grid([3]), begin=i64(-(1 << 60)), end=i64(1 << 60), strides=i64(2))
    case("StridedSlice", input=grid([3]), begin=i64(0), end=i64(3), strides=i64(1 << 40))
    case("StridedSlice", input=grid([3]), **x[::0])
    case("StridedSlice", input=grid([]), **x[0])
    case("StridedSlice", input=grid([3]), **x[3])
    case("StridedSlice", input=grid([3]), **x[-4])
    case("StridedSlice", input=grid([0]), **x[0])
    case("StridedSlice", input=grid([3]), **x[0, 0])
    case("StridedSlice", input=grid([3, 3]), **x[0, ..., 1, 2])
    case("StridedSlice", input=grid([3]), begin=i32(0), end=i32(1, 2), strides=i32(1))
    case("StridedSlice", input=grid([3]), begin=np.int32(0), end=np.int32(1), strides=np.int32(1))
    for mask in ("shrink_axis_mask", "ellipsis_mask"):
        two = dict(begin=i32(0, 0), end=i32(1, 1), strides=i32(-1, -1))
        case("StridedSlice", input=grid([3, 3]), **two, **{mask: 3})


def slices(case):
    for dtype in DTYPES:
        case("Slice", input=grid([3, 4], dtype), begin=[1, 1], size=[2, -1])
    for begin, size in (
        ([0, 0], [3, 4]), ([0, 0], [-1, -1]), ([3, 4], [0, 0]), ([2, 0], [1, 4]), ([1, 3], [2, 1]),
        ([1, 0], [-1, 4]), ([0, 4], [-1, -1]), ([4, 0], [0, 0]), ([-1, 0], [1, 1]),
        ([0, 0], [4, 1]), ([1, 1], [1, 4]), ([0, 0], [1, -2]), ([0], [1]), ([0, 0], [1]),
        ([[0, 0]], [[1, 1]]),
    ):  # fmt: skip
        case("Slice", input=grid([3, 4]), begin=np.array(begin, np.int32), size=size)
    case("Slice", input=grid([3, 4]), begin=i64(1, 1), size=i64(1, 2))
    case("Slice", input=grid([]), begin=i32(), size=i32())
    case("Slice", input=grid([0, 2]), begin=i32(0, 1), size=i32(0, 1))
    case("Slice", input=grid([2, 3, 4, 2]), begin=[1, 0, 1, 0], size=[1, 2, 3, 1])
    case("Slice", input=grid([100, 2]), begin=[10, 0], size=[80, 2])

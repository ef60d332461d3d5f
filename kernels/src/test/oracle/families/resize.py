"""Ops that resize images."""

import numpy as np
import tensorflow as tf

DTYPES = [
    np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16,
    tf.bfloat16.as_numpy_dtype, np.float32, np.float64,
]  # fmt: skip


def images(batch, height, width, channels, dtype=np.float32):
    random = np.random.RandomState(height * width)
    return (random.rand(batch, height, width, channels) * 120).astype(dtype)


def record(case):
    for op in ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"]:
        for dtype in DTYPES:
            case(op, images=images(1, 4, 5, 3, dtype), size=[6, 3], half_pixel_centers=True)
        for channels in [1, 2, 3, 4]:
            for size in [[7, 11], [3, 2], [5, 6], [1, 1], [10, 12]]:
                for align, half in [(False, False), (True, False), (False, True)]:
                    case(
                        op,
                        images=images(2, 5, 6, channels),
                        size=size,
                        align_corners=align,
                        half_pixel_centers=half,
                    )
        case(op, images=images(1, 4, 5, 3), size=[6, 3], half_pixel_centers=True, align_corners=True)
        case(op, images=images(1, 4, 5, 3), size=[0, 3])
        case(op, images=images(1, 4, 5, 3), size=[1, 2, 3], _says="")
        case(op, images=images(1, 4, 5, 3)[0], size=[1, 2], _says="")
        case(op, images=images(1, 0, 5, 3), size=[1, 2], _says="")
    for dtype in DTYPES:
        case("ResizeArea", images=images(1, 4, 5, 3, dtype), size=[6, 3])
    for channels in [1, 2, 3, 4]:
        for size in [[7, 11], [3, 2], [5, 6], [1, 1], [10, 12]]:
            for align in [False, True]:
                case("ResizeArea", images=images(2, 5, 6, channels), size=size, align_corners=align)
    case("ResizeArea", images=images(1, 64, 48, 3), size=[17, 19])
    for size in [[4, 4], [2, 7]]:
        for lone in [(1, 1), (1, 3), (3, 1)]:
            case("ResizeArea", images=images(1, *lone, 3), size=size, align_corners=True)
    for channels in [1, 3]:
        photos = np.random.RandomState(channels).randint(0, 256, [2, 40, 30, channels]).astype(np.uint8)
        for size in [[17, 13], [20, 15], [55, 71]]:
            case("ResizeArea", images=photos, size=size)
            case("ResizeBilinear", images=photos, size=size, half_pixel_centers=True)
    case("ResizeArea", images=images(1, 4, 5, 3), size=[0, 3])
    case("ResizeArea", images=images(1, 4, 5, 3), size=[1, 2, 3], _says="")
    case("ResizeBicubic", images=images(1, 64, 48, 3), size=[17, 119], half_pixel_centers=True)

"""ExtractVolumePatches: patches of volumes as channels.

Stock infers 4 dimensions where it does not know the sizes of volumes, so shapes are not compared.
"""

import numpy as np
import tensorflow as tf

DTYPES = [
    np.float32, np.float64, np.float16, tf.bfloat16.as_numpy_dtype, np.int8, np.uint8, np.int16, np.uint16, np.int32,
    np.uint32, np.int64, np.uint64,
]  # fmt: skip


def volumes(*shape, dtype=np.float32):
    return (np.arange(np.prod(shape)).reshape(shape) % 119 + 1).astype(dtype)


def record(case):
    op = "ExtractVolumePatches"
    ok = {"ksizes": [1, 2, 2, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": "SAME", "_shapes": False}
    for dtype in DTYPES:
        case(op, input=volumes(1, 2, 3, 4, 2, dtype=dtype), **ok)
    for window in [(2, 2, 2), (3, 1, 2), (1, 1, 1), (1, 3, 5)]:
        for strides in [(1, 1, 1), (2, 1, 3), (2, 3, 2)]:
            for padding in ["SAME", "VALID"]:
                case(op, input=volumes(2, 3, 4, 5, 2), ksizes=[1, *window, 1], strides=[1, *strides, 1], padding=padding,
                     _shapes=False, _label=f"{window} {strides} {padding}")
    case(op, input=volumes(1, 2, 2, 2, 1), ksizes=[1, 7, 6, 5, 1], strides=[1, 1, 1, 1, 1], padding="SAME", _shapes=False)
    for shape in [(0, 2, 3, 4, 2), (2, 2, 3, 4, 0), (2, 3, 4, 2)]:
        case(op, input=volumes(*shape), **ok)
    small = volumes(1, 2, 2, 2, 1)
    case(op, input=volumes(1, 0, 2, 2, 1), **ok)
    for size in [3, 4]:
        case(op, input=small, **{**ok, "ksizes": [1, size, 1, 1, 1], "padding": "VALID"})
    for name in ["ksizes", "strides"]:
        for sizes in [[2, 1, 1, 1, 1], [1, 1, 1, 1, 2]]:
            case(op, input=small, **{**ok, name: sizes})

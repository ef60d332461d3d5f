"""Ops that adjust the colors of images."""

import numpy as np


def images(shape, dtype=np.float32, seed=0):
    values = np.random.RandomState(seed).rand(*shape).astype(dtype)
    flat = values.reshape(-1, shape[-1])
    if shape[-1] == 3 and len(flat) > 8:
        flat[:8] = [
            [0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0.5, 0.5, 0.25], [0.2, 0.7, 0.7],
        ]  # fmt: skip
    return values


def record(case):
    for op, factor, values in [
        ("AdjustContrastv2", "contrast_factor", [0.0, 0.5, 1.0, 2.5, -1.0]),
        ("AdjustHue", "delta", [0.0, 0.1, -0.25, 0.5, 1.0, -1.0, 3.7]),
        ("AdjustSaturation", "scale", [0.0, 0.3, 1.0, 2.5]),
    ]:
        for value in values:
            case(op, images=images([5, 7, 3]), **{factor: np.float32(value)})
        case(op, images=images([2, 3, 4, 3]), **{factor: np.float32(0.7)})
        case(op, images=images([2, 2, 4, 5, 3]) * 255, **{factor: np.float32(0.7)})
        case(op, images=images([4, 5, 3]) - np.float32(0.5), **{factor: np.float32(0.7)})
        # Quarters, of which many are equal.
        case(op, images=np.round(images([16, 16, 3]) * 4) / np.float32(4), **{factor: np.float32(0.7)})
        case(op, images=images([1, 1, 3]), **{factor: np.float32(0.7)})
        case(op, images=images([0, 4, 3]), **{factor: np.float32(0.7)})
        case(op, images=images([4, 3]), **{factor: np.float32(0.7)})
        case(op, images=images([4, 5, 3]), **{factor: np.array([0.7], np.float32)})
        case(op, images=images([4, 5, 2]), **{factor: np.float32(0.7)})
        if op == "AdjustContrastv2":
            case(op, images=images([9, 4, 1]), **{factor: np.float32(0.7)})
            case(op, images=images([31, 20, 5]), **{factor: np.float32(1.7)})
    for op in ["RGBToHSV", "HSVToRGB"]:
        for dtype in [np.float32, np.float64]:
            case(op, images=images([5, 7, 3], dtype))
            case(op, images=images([4, 5, 3], dtype) * dtype(3) - dtype(1))
        case(op, images=images([3]))
        case(op, images=images([2, 2, 4, 5, 3]))
        case(op, images=images([0, 3]))
        case(op, images=images([4, 2]))
        case(op, images=np.float32(1))

"""Gradients of ResizeBicubic and ScaleAndTranslate."""

import numpy as np

F = np.float32
KERNELS = ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"]


def images(*shape, dtype=F):
    random = np.random.RandomState(int(np.prod(shape)))
    return (random.rand(*shape) * 4 - 2).astype(dtype)


def record(case):
    bicubic(case)
    scale_and_translate(case)


def bicubic(case):
    op = "ResizeBicubicGrad"
    for dtype in [F, np.float64]:
        for channels in [1, 3]:
            for size in [(7, 11), (3, 2), (5, 6), (1, 1), (10, 12)]:
                for align, half in [(False, False), (True, False), (False, True)]:
                    case(op, grads=images(2, *size, channels), original_image=images(2, 5, 6, channels, dtype=dtype),
                         align_corners=align, half_pixel_centers=half, _label=f"{align} {half}")
        case(op, grads=images(1, 4, 5, 2), original_image=images(1, 1, 1, 2, dtype=dtype), half_pixel_centers=True)
    ok = {"grads": images(1, 4, 5, 2), "original_image": images(1, 3, 6, 2)}
    case(op, **ok, half_pixel_centers=True, align_corners=True)
    case(op, **{**ok, "original_image": images(3, 3, 6, 4)})
    for name in ok:
        case(op, **{**ok, name: images(4, 5, 2)})
        case(op, **{**ok, name: images(1, 0, 5, 2)})
        case(op, **{**ok, name: images(1, 4, 0, 2)})
    for shape in [(0, 4, 5, 2), (1, 4, 5, 0)]:
        case(op, **{**ok, "grads": images(*shape)})
        case("ResizeBilinearGrad", **{**ok, "grads": images(*shape)})
    for op in [op, "ResizeBilinearGrad"]:
        case(op, grads=np.zeros([0, 1000000000, 1, 1], F), original_image=np.zeros([0, 3, 2, 1], F))


def scale_and_translate(case):
    op = "ScaleAndTranslateGrad"
    for kernel in KERNELS:
        for antialias in [True, False]:
            for size, scale, translation in [
                ((9, 7), (1.5, 1.25), (0, 0)), ((3, 2), (0.5, 0.3), (0.25, -0.5)), ((8, 9), (1.0, 2.0), (-3, 20)),
                ((6, 6), (0.4, 1.0), (2.5, -1.5)),
            ]:  # fmt: skip
                case(op, grads=images(2, *size, 3), original_image=images(2, 6, 5, 3), scale=np.array(scale, F),
                     translation=np.array(translation, F), kernel_type=kernel, antialias=antialias,
                     _label=f"{kernel} {antialias} {scale} {translation}")
    ok = {"grads": images(1, 4, 5, 2), "original_image": images(1, 3, 6, 2), "scale": np.array([1.5, 1], F), "translation": np.zeros(2, F)}
    case(op, **ok)
    case(op, **{**ok, "original_image": images(3, 3, 6, 4)})
    case(op, **ok, kernel_type="lanczos2")
    for name in ["grads", "original_image"]:
        case(op, **{**ok, name: images(4, 5, 2)})
        case(op, **{**ok, name: images(1, 0, 5, 2)})
    case(op, **{**ok, "grads": images(0, 4, 5, 2)})
    case(op, **{**ok, "scale": np.array([0, 1], F)})
    case(op, **{**ok, "scale": np.array([1, -1], F)})
    for name in ["scale", "translation"]:
        case(op, **{**ok, name: np.ones(3, F)})
        case(op, **{**ok, name: np.ones([1, 2], F)})

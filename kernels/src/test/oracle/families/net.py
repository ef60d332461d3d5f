"""Convolutions and pooling of images."""

import numpy as np
from values import BFLOAT16, FLOATS, grid


def small(shape, dtype=np.float32, seed=0):
    """Small integers, so that sums of products are exact in any order."""
    return np.random.RandomState(seed).randint(-3, 4, shape).astype(dtype)


WINDOWS = [
    ((1, 1), (1, 1), (1, 1)),
    ((3, 3), (1, 1), (1, 1)),
    ((2, 3), (2, 1), (1, 1)),
    ((3, 2), (1, 3), (1, 1)),
    ((2, 2), (1, 1), (2, 3)),
    ((5, 4), (2, 2), (1, 1)),
]


def record(case):
    for op, filter_ in [("Conv2D", [3, 4]), ("DepthwiseConv2dNative", [3, 2])]:
        for dtype in FLOATS + ([np.int32] if op == "Conv2D" else []):
            images, weights = small([2, 4, 5, 3], dtype), small([2, 3, *filter_], dtype, 1)
            case(op, input=images, filter=weights, strides=[1, 1, 1, 1], padding="SAME")
        for window, stride, dilation in WINDOWS:
            if op == "DepthwiseConv2dNative" and stride[0] != stride[1]:
                continue  # stock takes equal strides only
            for padding in ["SAME", "VALID"]:
                case(
                    op,
                    input=small([2, 7, 9, 3]),
                    filter=small([*window, *filter_], seed=1),
                    strides=[1, *stride, 1],
                    dilations=[1, *dilation, 1],
                    padding=padding,
                )
        ok = dict(input=small([2, 4, 5, 3]), filter=small([2, 3, *filter_], seed=1), strides=[1, 1, 1, 1])
        explicit = [0, 0, 1, 2, 0, 3, 0, 0]
        case(op, **ok, padding="EXPLICIT", explicit_paddings=explicit)
        ok["padding"] = "VALID"
        # No inputs of other ranks, on which stock aborts, and no empty output, for which its shape is wrong.
        case(op, **{**ok, "filter": small([2, 3, 2, 2]), "_says": ""})
    case("Conv2D", input=small([1, 40, 40, 8]), filter=small([3, 3, 8, 16], seed=1), strides=[1, 2, 2, 1], padding="SAME")
    case("DepthwiseConv2dNative", input=small([1, 30, 20, 1]), filter=small([5, 5, 1, 1], seed=1), strides=[1, 1, 1, 1], padding="SAME")
    case("Conv2D", input=small([1, 4, 5, 3]), filter=small([2, 0, 3, 2]), strides=[1, 1, 1, 1], padding="SAME", _says="")
    pools(case)
    grouped(case)
    channels_first(case)
    any_rank(case)
    across_depth(case)


def across_depth(case):
    """Pooling across channels, which stock supports for MaxPool only."""
    for dtype in FLOATS + [np.int32, np.int64, np.uint8, np.int16, np.int8, np.uint16]:
        images = np.abs(small([2, 3, 2, 6], np.float32)).astype(dtype)
        case("MaxPool", input=images, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID")
    images = small([2, 3, 2, 6])
    three = dict(ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3])
    case("MaxPool", input=images, padding="SAME", **three)
    case("MaxPoolV2", input=images, padding="VALID", **three)
    case("MaxPool", input=images, padding="VALID", ksize=[1, 1, 1, 6], strides=[1, 1, 1, 6])
    for ksize, strides in [
        ([1, 1, 1, 3], [1, 1, 1, 1]), ([1, 1, 1, 4], [1, 1, 1, 4]), ([1, 2, 1, 2], [1, 1, 1, 2]), ([2, 1, 1, 2], [2, 1, 1, 2]),
    ]:
        refused = dict(ksize=ksize, strides=strides, padding="VALID", _says="ooling", _shapes=False)
        case("MaxPool", input=images, **refused)
        case("MaxPoolV2", input=images, **refused)
    refused = dict(padding="VALID", _says="", _shapes=False)
    case("MaxPool", input=images, ksize=[1, 3, 1, 1], strides=[1, 3, 1, 1], data_format="NCHW", **refused)
    gradient = dict(orig_input=images, orig_output=images[..., :2], grad=images[..., :2], **three)
    case("MaxPoolGrad", **gradient, **refused)
    case("MaxPoolGradV2", **gradient, **refused)


def pools(case):
    for dtype in FLOATS + [np.int32, np.int64, np.uint8, np.int16, np.int8, np.uint16]:
        unsigned = np.dtype(dtype).kind == "u"
        images = grid([2, 4, 5, 3], dtype) if unsigned else small([2, 4, 5, 3], dtype)
        case("MaxPool", input=images, ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME")
        if dtype in FLOATS:
            # Stock accumulates 16-bit floats in their own dtype.
            ulps = 2 if dtype in (np.float16, BFLOAT16) else 1
            case("AvgPool", value=images, ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME", _ulps=ulps)
    for op, name in [("MaxPool", "input"), ("AvgPool", "value")]:
        for window, stride, _ in WINDOWS:
            for padding in ["SAME", "VALID"]:
                kw = dict(ksize=[1, *window, 1], strides=[1, *stride, 1], padding=padding)
                case(op, **{name: small([2, 7, 9, 3])}, **kw, _ulps=1)
        ok = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
        case(op, **{name: small([1, 1, 5, 3])}, **ok)
    images = -np.abs(small([1, 4, 5, 2])) - 1
    case(
        "MaxPool",
        input=images,
        ksize=[1, 2, 3, 1],
        strides=[1, 1, 1, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 0, 2, 0, 0],
    )


def grouped(case):
    for dtype in FLOATS:
        for depth, groups in [(4, 2), (6, 3), (4, 4)]:
            filter_ = small([2, 3, depth // groups, 2 * groups], dtype, 1)
            case("Conv2D", input=small([2, 4, 5, depth], dtype), filter=filter_, strides=[1, 2, 1, 1], padding="SAME")
    bad = dict(strides=[1, 1, 1, 1], padding="SAME", _says="")
    case("Conv2D", input=small([1, 4, 5, 6]), filter=small([2, 3, 2, 4]), **bad)
    case("Conv3D", input=small([1, 3, 4, 5, 4]), filter=small([2, 2, 2, 2, 4]), strides=[1] * 5, padding="SAME",
         _says="input and filter must have the same depth: 4 vs 2")


def channels_first(case):
    """NCHW, of float and bfloat16: stock's CPU kernels refuse it for other dtypes."""
    images, volumes = small([2, 4, 6, 5]), small([2, 2, 3, 4, 5])
    for window, stride, dilation in WINDOWS:
        for padding in ["SAME", "VALID"]:
            kw = dict(strides=[1, 1, *stride], dilations=[1, 1, *dilation], padding=padding, data_format="NCHW")
            case("Conv2D", input=images, filter=small([*window, 4, 3], seed=1), **kw)
            case("Conv2D", input=images, filter=small([*window, 2, 6], seed=1), **kw)
            if stride[0] == stride[1]:
                case("DepthwiseConv2dNative", input=images, filter=small([*window, 4, 2], seed=1), **kw)
            kw = dict(ksize=[1, 1, *window], strides=[1, 1, *stride], padding=padding, data_format="NCHW")
            case("MaxPool", input=images, **kw)
            case("AvgPool", value=images, **kw, _ulps=1)
    explicit = dict(padding="EXPLICIT", explicit_paddings=[0, 0, 0, 0, 1, 2, 0, 3], data_format="NCHW")
    case("Conv2D", input=images, filter=small([2, 3, 4, 3], seed=1), strides=[1, 1, 2, 1], **explicit)
    kw = dict(strides=[1, 1, 1, 2, 1], padding="SAME", data_format="NCDHW")
    case("Conv3D", input=volumes, filter=small([2, 1, 3, 2, 3], seed=1), **kw)
    case("MaxPool3D", input=volumes, ksize=[1, 1, 2, 2, 3], **kw)
    case("AvgPool3D", input=volumes, ksize=[1, 1, 2, 2, 3], **kw, _ulps=1)
    kw = dict(strides=[1, 1, 2, 1], padding="SAME", data_format="NCHW")
    case("Conv2D", input=small([2, 4, 6, 5], BFLOAT16), filter=small([2, 3, 4, 3], BFLOAT16, 1), **kw)
    case("MaxPool", input=small([2, 4, 6, 5], BFLOAT16), ksize=[1, 1, 2, 3], **kw)
    for dtype in [np.float16, np.float64]:
        refused = dict(data_format="NCHW", padding="SAME", _says="only supports", _shapes=False)
        depthwise = {**refused, "_says": ""}
        images = small([2, 4, 6, 5], dtype)
        case("Conv2D", input=images, filter=small([2, 3, 4, 3], dtype), strides=[1] * 4, **refused)
        case("DepthwiseConv2dNative", input=images, filter=small([2, 3, 4, 1], dtype), strides=[1] * 4, **depthwise)
        case("MaxPool", input=images, ksize=[1, 1, 2, 2], strides=[1] * 4, **refused)
        case("AvgPool", value=images, ksize=[1, 1, 2, 2], strides=[1] * 4, **refused)
        refused["data_format"] = "NCDHW"
        volumes = small([2, 2, 3, 4, 5], dtype)
        case("Conv3D", input=volumes, filter=small([2, 1, 3, 2, 3], dtype), strides=[1] * 5, **refused)


def any_rank(case):
    for dtype in FLOATS + [np.int32]:
        case("Conv", input=small([2, 4, 5, 3], dtype), filter=small([2, 3, 3, 4], dtype, 1), strides=[1, 2, 1, 1], padding="SAME", _shapes=False)
    flat = dict(filter=small([2, 3, 3, 4], seed=1), strides=[1, 1, 2, 1])
    for padding in ["SAME", "VALID"]:
        case("Conv", input=small([2, 7, 6, 3]), padding=padding, **flat, _shapes=False)
        case("Conv", input=small([2, 3, 7, 6, 3]), padding=padding, batch_dims=2, **flat, _shapes=False)
        case("Conv", input=small([7, 6, 3]), padding=padding, batch_dims=0, **flat, _shapes=False)
        volumes = dict(filter=small([2, 1, 3, 3, 4], seed=1), strides=[1, 1, 2, 1, 1])
        case("Conv", input=small([2, 4, 5, 6, 3]), padding=padding, **volumes, _shapes=False)
    explicit = dict(padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 3, 0, 0])
    case("Conv", input=small([2, 7, 6, 3]), **explicit, **flat, _shapes=False)
    flat["strides"] = [1, 1, 1, 1]
    case("Conv", input=small([2, 7, 6, 3]), padding="SAME", dilations=[1, 2, 2, 1], **flat, _shapes=False)
    bad = dict(padding="SAME", _shapes=False)
    case("Conv", input=small([2, 7, 6, 2]), **flat, **bad)
    case("Conv", input=small([2, 7, 6, 6]), groups=2, **flat, **bad)
    case("Conv", input=small([2, 3, 7, 6]), data_format="CHANNELS_FIRST", **flat, _says="", **bad)
    case("Conv", input=small([2, 7, 6, 3]), **{**flat, "strides": [1, 1, 1]}, **bad)
    case("Conv", input=small([2, 7, 6, 3]), **{**flat, "strides": [2, 1, 1, 1]}, **bad)
    case("Conv", input=small([2, 7, 3]), filter=small([2, 3, 4]), strides=[1, 1, 1], **bad)

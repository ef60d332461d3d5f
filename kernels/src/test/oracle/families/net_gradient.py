"""Gradients of convolutions and pooling, in two and three dimensions."""

import numpy as np
from families.net import WINDOWS, small
from values import BFLOAT16, FLOATS, INTEGERS, i32, i64

HALFS = (np.float16, BFLOAT16)


def record(case):
    flat(case)
    volumes(case)
    depthwise(case)
    max_pools(case)
    mean_pools(case)
    batch_norms(case)
    responses(case)
    argmax(case)
    grouped(case)


def out_size(size, window, stride, dilation, padding):
    reach = (window - 1) * dilation + 1
    return -(-size // stride) if padding == "SAME" else (size - reach) // stride + 1


def out_shape(images, window, stride, dilation, padding, depth):
    space = [out_size(*each, padding) for each in zip(images[1:-1], window, stride, dilation)]
    return [images[0], *space, depth]


def gradients(case, names, images, filter_, dtype=np.float32, stride=None, dilation=None, padding="SAME", **kw):
    """Both gradients of a convolution, of small integers, so that sums are exact."""
    space = len(images) - 2
    stride, dilation = stride or [1] * space, dilation or [1] * space
    depth = filter_[-1] * (filter_[-2] if "Depthwise" in names[0] else 1)
    dy = small(out_shape(images, filter_, stride, dilation, padding, depth), dtype, 2)
    kw = dict(strides=[1, *stride, 1], dilations=[1, *dilation, 1], padding=padding, out_backprop=dy, **kw)
    case(names[0], input_sizes=i32(*images), filter=small(filter_, dtype, 1), **kw)
    case(names[1], input=small(images, dtype), filter_sizes=i32(*filter_), **kw)


def flat(case):
    names = ["Conv2DBackpropInput", "Conv2DBackpropFilter"]
    for dtype in FLOATS:
        gradients(case, names, [2, 4, 5, 3], [2, 3, 3, 4], dtype)
    for window, stride, dilation in WINDOWS:
        for padding in ["SAME", "VALID"]:
            for dtype in [np.float32, np.float64]:
                if dtype is np.float64 and dilation != (1, 1):
                    continue  # stock takes these of float only
                gradients(case, names, [2, 7, 9, 3], [*window, 3, 4], dtype, stride, dilation, padding)
    gradients(case, names, [1, 30, 30, 8], [3, 3, 8, 16], stride=(2, 2))
    gradients(case, names, [1, 1, 1, 2], [1, 1, 2, 2])
    kw = dict(strides=[1, 1, 1, 1], padding="SAME")
    images, filter_, dy = small([2, 4, 5, 3]), small([2, 3, 3, 4], seed=1), small([2, 4, 5, 4], seed=2)
    case(names[0], input_sizes=i32(4, 5), filter=filter_, out_backprop=dy, **kw)
    case(names[0], input_sizes=i32(2, 4, 5, 3), filter=filter_.astype(np.int32), out_backprop=dy.astype(np.int32), **kw)
    padded = dict(strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 3, 0, 0])
    dy = small([2, 6, 6, 4], seed=2)
    case(names[0], input_sizes=i32(2, 4, 5, 3), filter=filter_, out_backprop=dy, **padded)
    case(names[1], input=images, filter_sizes=i32(2, 3, 3, 4), out_backprop=dy, **padded)
    wide = lambda *a: small(*a).astype(np.float64)
    bad = dict(_says="", _shapes=False, **kw)
    for shape in [[2, 4, 6, 4], [1, 4, 5, 4], [2, 4, 5, 3]]:
        case(names[0], input_sizes=i32(2, 4, 5, 3), filter=wide([2, 3, 3, 4]), out_backprop=wide(shape), **bad)
        case(names[1], input=wide([2, 4, 5, 3]), filter_sizes=i32(2, 3, 3, 4), out_backprop=wide(shape), **bad)
    case(names[0], input_sizes=i32(2, 4, 5), filter=wide([2, 3, 3, 4]), out_backprop=wide([2, 4, 5, 4]), **bad)


def volumes(case):
    names = ["Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"]
    for dtype in FLOATS:
        case("Conv3D", input=small([2, 3, 4, 5, 2], dtype), filter=small([2, 2, 3, 2, 3], dtype, 1), strides=[1] * 5, padding="SAME")
        gradients(case, names, [2, 3, 4, 5, 2], [2, 2, 3, 2, 3], dtype)
    for window, stride in [((1, 1, 1), (1, 1, 1)), ((2, 3, 2), (2, 1, 3)), ((3, 2, 2), (2, 2, 2))]:
        for padding in ["SAME", "VALID"]:
            kw = dict(strides=[1, *stride, 1], padding=padding)
            case("Conv3D", input=small([1, 5, 6, 7, 2]), filter=small([*window, 2, 3], seed=1), **kw)
            gradients(case, names, [1, 5, 6, 7, 2], [*window, 2, 3], np.float32, stride, padding=padding)
    filter_, dy = small([2, 2, 3, 2, 3]), small([2, 3, 4, 5, 3])
    case(names[0], input_sizes=i64(2, 3, 4, 5, 2), filter=filter_, out_backprop=dy, strides=[1] * 5, padding="SAME")


def depthwise(case):
    names = ["DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"]
    for dtype in FLOATS:
        gradients(case, names, [2, 4, 5, 3], [2, 3, 3, 2], dtype)
    for window, stride, dilation in WINDOWS:
        if stride[0] != stride[1] or dilation != (1, 1):
            continue
        for padding in ["SAME", "VALID"]:
            gradients(case, names, [2, 7, 9, 3], [*window, 3, 1], np.float32, stride, padding=padding)


def max_pools(case):
    for dtype in FLOATS + INTEGERS:
        images = np.abs(small([2, 4, 5, 3], np.float32)).astype(dtype)
        kw = dict(ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME")
        dy = np.abs(small([2, 4, 3, 3], np.float32, 1)).astype(dtype)
        case("MaxPoolGrad", orig_input=images, orig_output=np.zeros_like(dy), grad=dy, **kw)
    for window, stride, _ in WINDOWS:
        for padding in ["SAME", "VALID"]:
            kw = dict(ksize=[1, *window, 1], strides=[1, *stride, 1], padding=padding)
            # Images with ties: the first of equal maxima gets the gradient.
            images = small([2, 7, 9, 3])
            dy = small(out_shape(images.shape, window, stride, (1, 1), padding, 3), seed=1)
            largest = np.zeros_like(dy)
            case("MaxPoolGrad", orig_input=images, orig_output=largest, grad=dy, **kw)
            vectors = dict(ksize=i32(*kw["ksize"]), strides=i32(*kw["strides"]), padding=padding)
            case("MaxPoolGradV2", orig_input=images, orig_output=largest, grad=dy, **vectors)
            case("MaxPoolV2", input=images, **vectors)
    kw = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    images = np.array([np.nan, 1, 2, -np.inf], np.float32).reshape([1, 2, 2, 1])
    one = np.ones([1, 1, 1, 1], np.float32)
    case("MaxPoolGrad", orig_input=images, orig_output=one, grad=one, **kw)
    case("MaxPoolGrad", orig_input=images * -np.inf, orig_output=one, grad=one, **kw)
    bad = dict(_says="", _shapes=False)
    case("MaxPoolGrad", orig_input=small([1, 4, 4, 2]), orig_output=small([1, 2, 2, 2]), grad=small([1, 2, 3, 2]), **kw, **bad)
    case("MaxPoolGrad", orig_input=small([1, 4, 4, 2]), orig_output=small([1, 2, 3, 2]), grad=small([1, 2, 2, 2]), **kw, **bad)
    case("MaxPoolGrad", orig_input=small([4, 4, 2]), orig_output=small([1, 2, 2, 2]), grad=small([1, 2, 2, 2]), **kw, **bad)
    for dtype in [BFLOAT16, np.float32]:
        images = small([2, 3, 4, 5, 2], dtype)
        kw = dict(ksize=[1, 2, 2, 3, 1], strides=[1, 1, 2, 2, 1], padding="SAME")
        largest, dy = case_max3d(case, images, kw)
        case("MaxPool3DGrad", orig_input=images, orig_output=largest, grad=dy, **kw)
        kw["padding"] = "VALID"
        largest, dy = case_max3d(case, images, kw)
        case("MaxPool3DGrad", orig_input=images, orig_output=largest, grad=dy, **kw)


def case_max3d(case, images, kw):
    import tensorflow as tf

    case("MaxPool3D", input=images, **kw)
    largest = tf.raw_ops.MaxPool3D(input=images, **kw).numpy()
    return largest, small(largest.shape, images.dtype.type, 1)


def mean_pools(case):
    for dtype in FLOATS:
        near = dict(_ulps=3, _atol=0.05 if dtype in HALFS else 1e-6)
        kw = dict(ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME", **near)
        case("AvgPoolGrad", orig_input_shape=i32(2, 4, 5, 3), grad=small([2, 4, 3, 3], dtype), **kw)
        if dtype not in (BFLOAT16, np.float32):
            continue  # stock has no others
        kw = dict(ksize=[1, 2, 2, 3, 1], strides=[1, 1, 2, 2, 1], padding="SAME", **near)
        case("AvgPool3D", input=small([2, 3, 4, 5, 2], dtype), **kw)
        case("AvgPool3DGrad", orig_input_shape=i32(2, 3, 4, 5, 2), grad=small([2, 3, 2, 3, 2], dtype), **kw)
    for window, stride, _ in WINDOWS:
        for padding in ["SAME", "VALID"]:
            dy = small(out_shape([2, 7, 9, 3], window, stride, (1, 1), padding, 3))
            kw = dict(ksize=[1, *window, 1], strides=[1, *stride, 1], padding=padding)
            case("AvgPoolGrad", orig_input_shape=i32(2, 7, 9, 3), grad=dy, **kw, _ulps=3, _atol=1e-6)


def batch_norms(case):
    random = np.random.RandomState(3)
    number = lambda *shape: random.uniform(-2, 2, shape).astype(np.float32)
    vectors = lambda n: dict(scale=number(n), offset=number(n))
    moments = lambda n: dict(mean=number(n), variance=np.abs(number(n)))
    none = dict(mean=np.zeros([0], np.float32), variance=np.zeros([0], np.float32))
    near = dict(_ulps=8, _atol=3e-6)
    for op in ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"]:
        for shape in [[2, 3, 4, 5], [1, 1, 1, 2], [3, 1, 2, 1], [0, 2, 2, 3]]:
            x, n = number(*shape), shape[-1]
            case(op, x=x, **vectors(n), **none, **near)
            if shape[0] > 0:
                case(op, x=x, **vectors(n), **moments(n), epsilon=0.01, exponential_avg_factor=0.25, **near)
                case(op, x=x, **vectors(n), **moments(n), is_training=False, **near)
        case(op, x=number(2, 5, 3, 4), **vectors(5), **none, data_format="NCHW", **near)
        bad = dict(_says="", _shapes=False)
        case(op, x=number(2, 3, 4), **vectors(4), **none, **bad)
        case(op, x=number(2, 3, 4, 5), **vectors(4), **none, **bad)
        case(op, x=number(2, 3, 4, 5), **vectors(5), **none, is_training=False, **bad)
    for dtype in HALFS:
        half = dict(_ulps=2, _atol=0.01 if dtype is np.float16 else 0.07)
        x = number(2, 3, 4, 5).astype(dtype)
        case("FusedBatchNormV2", x=x, **vectors(5), **none, **half)
        kw = dict(scale=number(5), reserve_space_1=number(5), reserve_space_2=np.abs(number(5)) + 0.1, **half)
        case("FusedBatchNormGradV2", y_backprop=x, x=number(2, 3, 4, 5).astype(dtype), **kw)
    for op in ["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"]:
        third = dict(reserve_space_3=np.zeros([0], np.float32)) if op.endswith("V3") else {}
        for training in [True, False]:
            x, dy = number(2, 3, 4, 5), number(2, 3, 4, 5)
            flat = x.reshape(-1, 5)
            kw = dict(scale=number(5), reserve_space_1=flat.mean(0), reserve_space_2=flat.var(0), **third)
            case(op, y_backprop=dy, x=x, **kw, is_training=training, **near)
            case(op, y_backprop=dy, x=x, **kw, is_training=training, epsilon=0.5, **near)
        turn = lambda t: np.ascontiguousarray(np.transpose(t, [0, 3, 1, 2]))
        case(op, y_backprop=turn(dy), x=turn(x), **kw, data_format="NCHW", **near)
        case(op, y_backprop=dy[:1], x=x, **kw, **bad)
    kw = dict(scale=number(2), offset=number(2), **none)
    case("FusedBatchNormV3", x=number(2, 3, 2, 2, 2), **kw, data_format="NDHWC", **near)


def responses(case):
    random = np.random.RandomState(4)
    for dtype in [np.float16, np.float32]:
        near = dict(_ulps=8, _atol=0.01 if dtype is np.float16 else 1e-6)
        x, dy, y = (random.uniform(-2, 2, [2, 2, 3, 7]).astype(dtype) for _ in range(3))
        for kw in [{}, dict(depth_radius=2, bias=2.0, alpha=0.5, beta=0.75), dict(depth_radius=1, beta=1.0)]:
            case("LRN", input=x, **kw, **near)
            case("LRNGrad", input_grads=dy, input_image=x, output_image=y, **kw, **near)
    case("LRN", input=np.zeros([0, 2, 2, 3], np.float32))
    case("LRN", input=small([2, 2, 3]), _says="", _shapes=False)
    case("LRNGrad", input_grads=small([1, 2, 2, 3]), input_image=small([1, 2, 2, 4]), output_image=small([1, 2, 2, 3]), _says="", _shapes=False)


def grouped(case):
    """Grouped convolutions, of float and bfloat16, the dtypes that stock supports."""
    for depth, groups in [(4, 2), (6, 3), (4, 4)]:
        for padding in ["SAME", "VALID"]:
            for stride in [(1, 1), (2, 2)]:
                names = ["Conv2DBackpropInput", "Conv2DBackpropFilter"]
                gradients(case, names, [2, 4, 5, depth], [2, 3, depth // groups, 2 * groups], stride=stride, padding=padding)
    kw = dict(strides=[1, 1, 2, 1], padding="SAME", data_format="NCHW")
    images, filter_, dy = small([2, 4, 6, 5]), small([2, 3, 2, 6], seed=1), small([2, 6, 3, 5], seed=2)
    for filter_ in [small([2, 3, 2, 6], seed=1), small([2, 3, 4, 6], seed=1)]:
        case("Conv2DBackpropInput", input_sizes=i32(2, 4, 6, 5), filter=filter_, out_backprop=dy, **kw)
        case("Conv2DBackpropFilter", input=images, filter_sizes=i32(*filter_.shape), out_backprop=dy, **kw)
    for dtype in [np.float16, np.float64]:
        of_groups = dict(strides=[1, 1, 1, 1], padding="SAME", _says="", _shapes=False)
        channels_first = dict(**of_groups, data_format="NCHW")
        filter_ = small([2, 3, 2, 6], dtype)
        for kw, images, dy in [
            (of_groups, small([2, 6, 5, 4], dtype), small([2, 6, 5, 6], dtype)),
            (channels_first, small([2, 2, 6, 5], dtype), small([2, 6, 6, 5], dtype)),
        ]:
            case("Conv2DBackpropInput", input_sizes=i32(*images.shape), filter=filter_, out_backprop=dy, **kw)
            case("Conv2DBackpropFilter", input=images, filter_sizes=i32(2, 3, 2, 6), out_backprop=dy, **kw)


def argmax(case):
    import tensorflow as tf

    for dtype in FLOATS + INTEGERS:
        images = np.abs(small([2, 4, 5, 3], np.float32)).astype(dtype)
        kw = dict(ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME")
        case("MaxPoolWithArgmax", input=images, **kw)
    for window, stride, _ in WINDOWS:
        for padding in ["SAME", "VALID"]:
            for batch in [False, True]:
                images = small([2, 7, 9, 3])
                kw = dict(ksize=[1, *window, 1], strides=[1, *stride, 1], padding=padding, include_batch_in_index=batch)
                case("MaxPoolWithArgmax", input=images, Targmax=tf.int32, **kw)
                winners = tf.raw_ops.MaxPoolWithArgmax(input=images, **kw).argmax.numpy()
                case("MaxPoolGradWithArgmax", input=images, grad=small(winners.shape, seed=1), argmax=winners, **kw)
    kw = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    images = np.array([np.nan, 1, 2, -np.inf], np.float32).reshape([1, 2, 2, 1])
    for edge in [images, images * np.nan, np.full([1, 2, 2, 1], -np.inf, np.float32)]:
        case("MaxPoolWithArgmax", input=edge, **kw)
    one, at = np.ones([1, 1, 1, 1], np.float32), np.zeros([1, 1, 1, 1], np.int64)
    case("MaxPoolGradWithArgmax", input=images, grad=one[0:0], argmax=at, **kw)
    case("MaxPoolGradWithArgmax", input=images, grad=one, argmax=at[0:0], **kw)
    case("MaxPoolWithArgmax", input=small([2, 2, 1]), **kw, _says="tensor_in must be 4-dimensional", _shapes=False)

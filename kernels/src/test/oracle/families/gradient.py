"""Gradient kernels, losses, and sums of several tensors."""

import numpy as np
import tensorflow as tf
from families.elementwise import REAL, values
from values import BFLOAT16, FLOATS, grid, i32, i64

HALFS = (np.float16, BFLOAT16)


def record(case):
    elementwise(case)
    shapes(case)
    sums(case)
    slices(case)
    losses(case)


def every_pair(dtype, **kw):
    v = values(dtype, **kw)
    return [np.ascontiguousarray(a).reshape(-1) for a in np.meshgrid(v, v)]


def elementwise(case):
    for dtype in FLOATS:
        label = tf.as_dtype(dtype).name
        # Stock multiplies in one order for a single element and another for several; ours in the former.
        x, dy = every_pair(dtype, infinite=False)
        fits = np.abs(x.astype(np.float64)) < 1000
        x, dy = x[fits], dy[fits]
        for op in ["TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]:
            y = x if op in ("TanhGrad", "SigmoidGrad", "SqrtGrad") else np.where(np.abs(x) > 0.2, x, dtype(1))
            with np.errstate(all="ignore"):
                small = np.isfinite((dy.astype(np.float64) * 1e9).astype(dtype)) if dtype not in HALFS else np.abs(dy) < 50
            case(op, y=y[small], dy=dy[small], _ulps=3, _label=label)
            case(op, y=np.reshape(y[:6], [2, 3]), dy=np.ones([2, 3], dtype), _ulps=3, _label=label)
            case(op, y=np.zeros([0, 3], dtype), dy=np.zeros([0, 3], dtype))
        for op, name in [("EluGrad", "outputs"), ("SeluGrad", "outputs"), ("LeakyReluGrad", "features")]:
            x, dy = every_pair(dtype)
            case(op, gradients=dy, **{name: x}, _label=label, _ulps=2)
        case("LeakyReluGrad", gradients=dy, features=x, alpha=0.5, _label=label)
        x, dy = every_pair(dtype, infinite=False)
        near = np.abs(x.astype(np.float64)) < 60
        for op in ["SoftplusGrad", "SoftsignGrad"]:
            case(op, gradients=dy[near], features=x[near], _label=label, _ulps=6)
    for dtype in REAL:
        dy, x = every_pair(dtype)
        for op in ["ReluGrad", "Relu6Grad"]:
            case(op, gradients=dy, features=x, _label=tf.as_dtype(dtype).name)
            case(op, gradients=np.zeros([0], dtype), features=np.zeros([0], dtype))
    case("ReluGrad", gradients=grid([2, 3]), features=grid([2, 3]) - 3)


def shapes(case):
    pairs = [
        ([], []),
        ([2], []),
        ([], [2, 1]),
        ([2, 3], [2, 3]),
        ([1], [1]),
        ([1, 3], [2, 1]),
        ([2, 3, 5], [1]),
        ([2, 3, 5], [5]),
        ([2, 3, 5], [3, 1]),
        ([3, 1], [2, 3, 5]),
        ([2, 1, 1], [1, 1]),
        ([0, 3], [1]),
        ([1, 0], [4, 1]),
        ([2, 3], [2, 4]),
        ([2], [0]),
    ]
    for a, b in pairs:
        for dtype in [np.int32, np.int64]:
            case("BroadcastGradientArgs", s0=np.array(a, dtype), s1=np.array(b, dtype), _label=f"{a} {b}")
    case("BroadcastGradientArgs", s0=np.array([[1]], np.int32), s1=i32(1), _shapes=False)
    for dtype in [np.int32, np.int64]:
        many = [np.array(s, dtype) for s in ([2, 3, 5], [2, 7, 5], [2, 0, 5])]
        for axis in [1, -2]:
            case("ConcatOffset", concat_dim=np.int32(axis), shape=many, _label=str(axis))
    case("ConcatOffset", concat_dim=np.int32(0), shape=[i32(2, 3), i32(5, 4)], _shapes=False)
    case("ConcatOffset", concat_dim=np.int32(2), shape=[i32(2, 3), i32(5, 3)], _shapes=False)
    case("ConcatOffset", concat_dim=np.int32(0), shape=[i32(2, 3), i32(5)], _shapes=False)
    case("ConcatOffset", concat_dim=i32(0), shape=[i32(2, 3), i32(5, 3)], _shapes=False)


def sums(case):
    for dtype in REAL + [np.complex64, np.complex128]:
        for n in [1, 2, 3, 8, 9, 17]:
            if n in (1, 3, 9) or dtype is np.float32:
                case("AddN", inputs=[grid([2, 3], dtype) for _ in range(n)], _label=f"{n}")
    case("AddN", inputs=[grid([]), grid([])])
    case("AddN", inputs=[np.zeros([0, 2], np.float32)] * 2)
    case("AddN", inputs=[grid([2, 3]), grid([3])], _says="must have the same size and shape.")
    case("AddN", inputs=[grid([2, 3]), grid([3, 2])], _says="Input 0: [2,3] != input 1: [3,2]")
    for dtype in [np.int32, np.int64] + FLOATS:
        case("BiasAddGrad", out_backprop=grid([4, 3], dtype), _ulps=1)
        case("BiasAddGrad", out_backprop=grid([2, 3, 2, 2], dtype), _ulps=1)
        case("BiasAddGrad", out_backprop=grid([2, 3, 2, 2], dtype), data_format="NCHW", _ulps=1)
    case("BiasAddGrad", out_backprop=grid([2, 3, 4]), data_format="NCHW")
    case("BiasAddGrad", out_backprop=np.zeros([0, 3], np.float32))
    case("BiasAddGrad", out_backprop=np.zeros([2, 0], np.float32))
    case("BiasAddGrad", out_backprop=grid([3]))


def slices(case):
    def grad(shape, begin, end, strides, dy, index=np.int32, **kw):
        vectors = [np.array(v, index) for v in (shape, begin, end, strides)]
        case("StridedSliceGrad", **dict(zip(["shape", "begin", "end", "strides"], vectors)), dy=dy, **kw)

    for dtype in [np.float32, np.float64, np.int32, np.int64, np.bool_, np.complex64, np.float16]:
        grad([4, 3], [1, 0], [3, 2], [1, 1], grid([2, 2], dtype))
        grad([4, 3], [3, 0], [0, 3], [-2, 1], grid([2, 3], dtype), np.int64)
    grad([4, 3], [2], [0], [1], grid([3]), shrink_axis_mask=1)
    grad([4, 3], [0, 0, 1], [0, 0, 2], [1, 1, 1], grid([1, 4, 1]), new_axis_mask=1, ellipsis_mask=2)
    grad([4, 3], [0, 0], [4, 3], [1, 1], grid([4, 3]))
    grad([4, 3], [0, 0], [0, 0], [2, 2], grid([2, 2]), begin_mask=3, end_mask=3)
    grad([4], [2], [2], [1], np.zeros([0], np.float32))
    grad([0, 2], [0, 0], [0, 2], [1, 1], np.zeros([0, 2], np.float32))
    grad([4, 3], [1, 0], [3, 2], [1, 1], grid([2, 3]), _says="shape of dy was [2,3] instead of [2,2]")
    grad([4, 3], [1, 0], [3, 2], [0, 1], grid([2, 2]), _says="strides[0] must be non-zero")
    grad([4, 3], [1, 0, 0], [3, 2, 1], [1, 1, 1], grid([2, 2]), _says="", _shapes=False)
    grad([[4, 3]], [1, 0], [3, 2], [1, 1], grid([2, 2]), _says="shape must be 1-D", _shapes=False)


def losses(case):
    random = np.random.RandomState(1)
    for dtype in FLOATS:
        label = tf.as_dtype(dtype).name
        # Stock rounds 16-bit floats after each step.
        near = dict(_ulps=8, _atol={np.float16: 4e-3, BFLOAT16: 4e-2, np.float32: 4e-7}.get(dtype, 1e-15))
        logits = random.uniform(-3, 3, [4, 5]).astype(dtype)
        labels = random.dirichlet(np.ones(5), 4).astype(dtype)
        op = "SoftmaxCrossEntropyWithLogits"
        case(op, features=logits, labels=labels, _label=label, **near)
        case(op, features=logits, labels=np.eye(4, 5, dtype=dtype), _label=label, **near)
        case(op, features=logits, labels=labels[:1], _label=label, **near)
        case(op, features=logits[:, :1], labels=labels, _label=label, **near)
        case(op, features=logits[:1], labels=labels, _label=label, **near)
        # Extreme logits and a one-hot label.
        case(op, features=np.array([[1000, -1000, 0]], dtype), labels=np.array([[1, 0, 0]], dtype), **near)
    case(op, features=np.zeros([0, 5], np.float32), labels=np.zeros([0, 5], np.float32))
    case(op, features=grid([2, 3]), labels=grid([2, 4]), _says="logits and labels must be broadcastable")
    case(op, features=grid([3]), labels=grid([3]), _says="")
    case(op, features=grid([2, 2, 3]), labels=grid([2, 2, 3]), _says="")

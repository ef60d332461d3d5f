"""The gradients of max pooling's gradients."""

import numpy as np
import tensorflow as tf

BFLOAT16 = tf.bfloat16.as_numpy_dtype
DTYPES = [
    np.float32, np.float64, np.float16, BFLOAT16, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64,
    np.uint64,
]  # fmt: skip
F = np.float32


def i32(values):
    return np.array(values, np.int32)


def images(*shape, dtype=F, seed=0):
    return np.random.RandomState(seed).randint(0, 9, shape).astype(dtype)


def pooled(x, size, strides, padding):
    pool = tf.nn.max_pool2d if x.ndim == 4 else tf.nn.max_pool3d
    return pool(x.astype(F), size, strides, padding).numpy().astype(x.dtype)


def record(case):
    flat(case)
    volumes(case)
    for op, shape in [("MaxPoolGradGrad", (1, 4, 4, 2)), ("MaxPoolGradGradV2", (1, 4, 4, 2)), ("MaxPool3DGradGrad", (1, 4, 4, 4, 2))]:
        refusals(case, op, images(*shape))


def both(case, ksize, strides, **kw):
    case("MaxPoolGradGrad", ksize=ksize, strides=strides, **kw)
    case("MaxPoolGradGradV2", ksize=i32(ksize), strides=i32(strides), **kw)


def flat(case):
    for dtype in DTYPES:
        x, dy = images(2, 4, 5, 2, dtype=dtype), images(2, 4, 5, 2, dtype=dtype, seed=1)
        both(case, [1, 2, 3, 1], [1, 2, 1, 1], orig_input=x, orig_output=pooled(x, [2, 3], [2, 1], "SAME"), grad=dy, padding="SAME")
    for size in [(2, 2), (3, 1), (1, 4), (1, 1)]:
        for strides in [(1, 1), (2, 3), (3, 2)]:
            for padding in ["SAME", "VALID"]:
                x, dy = images(2, 5, 6, 3), images(2, 5, 6, 3, seed=1)
                both(case, [1, *size, 1], [1, *strides, 1], orig_input=x, orig_output=pooled(x, size, strides, padding), grad=dy,
                     padding=padding, _label=f"{size} {strides} {padding}")
    kw = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    x = np.array([np.nan, 1, -0.0, -np.inf] * 4, F).reshape(1, 4, 4, 1)
    for y in [np.nan, 1, 0.0, -np.inf, 7]:
        both(case, orig_input=x, orig_output=np.full([1, 2, 2, 1], y, F), grad=images(1, 4, 4, 1, seed=1), **kw, _label=str(y))
    both(case, orig_input=images(0, 4, 4, 2), orig_output=images(0, 2, 2, 2), grad=images(0, 4, 4, 2), **kw)
    both(case, orig_input=images(1, 4, 4, 0), orig_output=images(1, 2, 2, 0), grad=images(1, 4, 4, 0), **kw)


def volumes(case):
    op = "MaxPool3DGradGrad"
    for dtype in [F, BFLOAT16]:
        for size in [(2, 2, 2), (3, 1, 2), (1, 1, 1)]:
            for strides in [(1, 1, 1), (2, 1, 3)]:
                for padding in ["SAME", "VALID"]:
                    x, dy = images(2, 3, 4, 5, 2, dtype=dtype), images(2, 3, 4, 5, 2, dtype=dtype, seed=1)
                    case(op, orig_input=x, orig_output=pooled(x, size, strides, padding), grad=dy, ksize=[1, *size, 1],
                         strides=[1, *strides, 1], padding=padding, _label=f"{size} {strides} {padding}")
    kw = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"}
    case(op, orig_input=images(0, 4, 4, 4, 2), orig_output=images(0, 2, 2, 2, 2), grad=images(0, 4, 4, 4, 2), **kw)


def refusals(case, op, x):
    space = x.ndim - 2
    y = pooled(x, 2, 2, "VALID")
    ok = {"orig_input": x, "orig_output": y, "grad": x, "ksize": [1, *[2] * space, 1], "strides": [1, *[2] * space, 1], "padding": "VALID"}

    def refused(_says=None, **kw):
        values = {**ok, **kw}
        if op.endswith("V2"):
            values.update(ksize=i32(values["ksize"]), strides=i32(values["strides"]))
        case(op, **values, _says=_says)

    for kw in [
        {"grad": y}, {"orig_output": x}, {"orig_output": y[:, :1]}, {"orig_output": y[0]}, {"orig_input": x[0]}, {"grad": x[0]},
        {"orig_input": x[:, :2]}, {"grad": x[:, :2]}, {"ksize": [2, *[2] * space, 1]}, {"ksize": [1, *[2] * space, 2]},
        {"strides": [2, *[2] * space, 1]}, {"strides": [1, *[2] * space, 2]}, {"ksize": [1, *[5] * space, 1]},
    ]:  # fmt: skip
        refused(**kw)
    if op.endswith("V2"):
        for name in ["ksize", "strides"]:
            for size in [0, -1]:
                refused(_says="", **{name: [1, size, 2, 1]})
            refused(**{name: [1, 2, 2]})
    refused(data_format="NCHW" if space == 2 else "NCDHW")
    if space == 3:
        refused(data_format="NCDHW", ksize=[1, 1, 2, 2, 2], strides=[1, 1, 2, 2, 2], orig_input=x[:, :2], orig_output=x[:, :2, :2, :2, :1], grad=x[:, :2])

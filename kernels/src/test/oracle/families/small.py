"""Floats of 8 bits and types of fewer: casts and moves."""

import numpy as np
import tensorflow as tf

from families.elementwise import values
from values import BFLOAT16, FLOATS, INTEGERS

E5M2 = tf.dtypes.experimental.float8_e5m2
E4M3FN = tf.dtypes.experimental.float8_e4m3fn
INT4 = tf.dtypes.experimental.int4
UINT4 = tf.dtypes.experimental.uint4


def record(case):
    casts_from_float8(case)
    casts_to_float8(case)
    casts_of_int4(case)
    refusals(case)
    moves(case)
    formats(case)
    lists(case)


def every(dtype):
    """The 256 values of a float8, or the values of an integer of 4 bits."""
    if dtype.is_floating:
        return np.arange(256, dtype=np.uint8).view(dtype.as_numpy_dtype)
    return np.arange(dtype.min, dtype.max + 1).astype(dtype.as_numpy_dtype)


def casts_from_float8(case):
    for source in (E5M2, E4M3FN):
        x = every(source)
        wide = x.astype(np.float64)
        for target in [*FLOATS, np.bool_, np.complex64, np.complex128, E5M2, E4M3FN]:
            case("Cast", x=x, DstT=target, _label=f"{source.name} to {tf.as_dtype(target).name}")
        for target in INTEGERS:
            # Of what is not finite, stock's result depends on the place in the tensor.
            some = x[np.isfinite(wide)] if target is np.uint32 else x
            case("Cast", x=some, DstT=target, _label=f"{source.name} to {tf.as_dtype(target).name}")


def casts_to_float8(case):
    for target in (E5M2, E4M3FN):
        positive = every(target).astype(np.float64)
        positive = np.unique(positive[np.isfinite(positive) & (positive >= 0)])
        middles = (positive + np.append(positive[1:], 2 * positive[-1] - positive[-2])) / 2
        for source in FLOATS:
            with np.errstate(over="ignore"):
                near = np.concatenate([positive, middles, 4 * middles[-8:]]).astype(source)
                beside = [np.nextafter(near, source(side)) for side in (-np.inf, np.inf)] if source is not BFLOAT16 else []
            x = np.concatenate([near, *beside, values(source)])
            case("Cast", x=np.concatenate([x, -x]), DstT=target, _label=f"{tf.as_dtype(source).name} to {target.name}")


def casts_of_int4(case):
    for type_ in (INT4, UINT4):
        for other in [*INTEGERS, INT4, UINT4]:
            name = tf.as_dtype(other).name
            case("Cast", x=every(type_), DstT=other, _label=f"{type_.name} to {name}")
            if other not in (INT4, UINT4):
                case("Cast", x=values(other), DstT=type_, _label=f"{name} to {type_.name}")


def refusals(case):
    for name in ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float4_e2m1fn", "int2", "uint2"):
        type_ = getattr(tf.dtypes.experimental, name)
        x = np.array([1, 0, 1], type_.as_numpy_dtype)
        case("Cast", x=x, DstT=tf.float32, _says="is not supported", _shapes=False)
        case("Cast", x=[1.0], DstT=type_, _says="is not supported", _shapes=False)
        case("Identity", input=x)
        case("Reshape", tensor=x, shape=[3, 1])


def moves(case):
    for type_ in (E5M2, E4M3FN):
        x = every(type_).reshape(4, 8, 8)
        case("BroadcastTo", input=x[0], shape=[3, 8, 8])
        case("Concat", concat_dim=1, values=[x, x[:, :3]])
        case("ConcatV2", values=[x, x[:2]], axis=0)
        case("ConjugateTranspose", x=x, perm=[2, 0, 1])
        case("Gather", params=x, indices=[3, 1])
        case("GatherNd", params=x, indices=[[3, 1], [0, 7]])
        case("GatherV2", params=x, indices=[7, 0], axis=2)
        case("Pack", values=[x, x], axis=1)
        case("Slice", input=x, begin=[1, 2, 3], size=[2, -1, 4])
        case("StridedSlice", input=x, begin=[3, 0], end=[0, 8], strides=[-1, 3])
        case("Transpose", x=x, perm=[1, 2, 0])
        case("Unpack", value=x, num=4)
    for type_ in (E5M2, E4M3FN, INT4, UINT4):
        x = every(type_)[:16]
        case("ExpandDims", input=x, dim=1)
        case("Fingerprint", data=x.reshape(2, 8), method=b"farmhash64")
        case("Shape", input=x)
        case("Split", split_dim=0, value=x, num_split=4)
        case("SplitV", value=x, size_splits=[3, 13], split_dim=0, num_split=2)
        case("Squeeze", input=x.reshape(16, 1))
    for type_ in (INT4, UINT4):
        case("Fill", dims=[2, 3], value=every(type_)[5])


def formats(case):
    for type_ in (E5M2, E4M3FN, INT4, UINT4):
        case("StringFormat", inputs=[every(type_)], template=b"%s", placeholder=b"%s", summarize=-1)
    for name in ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float4_e2m1fn", "int2", "uint2"):
        x = np.array([[1, 0], [1, 1]], getattr(tf.dtypes.experimental, name).as_numpy_dtype)
        case("StringFormat", inputs=[x], template=b"%s", placeholder=b"%s", summarize=3)


def lists(case):
    for type_ in (E5M2, INT4, tf.qint8):
        x = tf.cast(every(type_), type_) if type_ is not tf.qint8 else tf.bitcast(tf.constant([1, 2], tf.int8), type_)
        empty = tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=type_)
        items = tf.raw_ops.TensorListPushBack(input_handle=empty, tensor=x)
        case("AddN", inputs=[items, items], _says="Trying to add unsupported dtype", _shapes=False)
        case("ZerosLike", x=items, _says="Trying to compute zeros_like for unsupported dtype", _shapes=False)

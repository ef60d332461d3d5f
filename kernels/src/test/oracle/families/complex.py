"""Arithmetic, functions and sums of complex numbers."""

import numpy as np
import tensorflow as tf
from values import grid

COMPLEX = [np.complex64, np.complex128]
INF, NAN = np.inf, np.nan


def normal(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)


def record(case):
    for dtype in COMPLEX:
        arithmetic(case, dtype)
        functions(case, dtype)
        specials(case, dtype)
        gradients(case, dtype)
        parts(case, dtype)
        choices(case, dtype)
        casts(case, dtype)
        reductions(case, dtype)
        scans(case, dtype)
        segments(case, dtype)
        updates(case, dtype)


def numbers(dtype):
    """Stock divides in vectors of up to four numbers, and otherwise differently: the length is a multiple."""
    some = [1, -1, 1j, -1j, 0.5 + 2j, 3 - 4j, -0.1j + 7, 100 - 1e-3j, 1e10 + 1e-10j, -2.5 - 2.5j, 1e-4, 200.75]
    return np.concatenate([np.array(some, dtype), normal(12, dtype)])


def zeros(dtype):
    return np.array([0, complex(-0.0, 0), complex(0, -0.0), complex(-0.0, -0.0)], dtype)


def arithmetic(case, dtype):
    v = numbers(dtype)
    everything = np.concatenate([v, zeros(dtype)])
    for op in ["AddV2", "Add", "Sub", "Mul", "MulNoNan", "SquaredDifference"]:
        case(op, x=everything[:, None], y=everything)
        case(op, x=normal([3, 1, 5], dtype), y=normal([7, 1], dtype, 1))
    for op in ["Div", "RealDiv", "DivNoNan", "Xdivy"]:
        case(op, x=everything[:, None], y=v)
        case(op, x=normal([4, 8], dtype), y=normal([8], dtype, 1))
        case(op, x=normal([4, 8], dtype), y=np.array(3, dtype))
        case(op, x=np.array(1, dtype), y=normal([8], dtype))
        case(op, x=normal([5, 3], dtype), y=normal([3], dtype, 1), _ulps=2, _label="odd")
    for op in ["DivNoNan", "MulNoNan", "Xdivy"]:
        case(op, x=np.array([0, 0, 1, INF], dtype), y=np.array([0, 1, 0, 0], dtype), _label="zeros")
    case("Div", x=np.array([0, 1, 1j, 1 + 1j], dtype), y=np.zeros([4], dtype), _label="by zero")
    for op in ["Neg", "Square"]:
        case(op, x=everything)
    for op in ["Reciprocal", "Inv"]:
        case(op, x=v)
        case(op, x=v[:3], _ulps=2)
    case("Sign", x=everything, _ulps=2)
    case("Neg", x=np.zeros([0, 2], dtype))
    for n in [2, 8, 9, 10, 11, 17, 20]:
        case("AddN", inputs=[normal([3, 2], dtype, i) for i in range(n)], _label=str(n))
    case("AddN", inputs=[normal([5], dtype)])
    for op in ["BiasAdd", "BiasAddV1"]:
        case(op, value=normal([2, 3, 4], dtype), bias=normal([4], dtype, 1))
    case("BiasAddGrad", out_backprop=normal([2, 3, 4], dtype), _ulps=4)
    for op in ["ZerosLike", "OnesLike"]:
        case(op, x=normal([2, 3], dtype))


def spread(dtype):
    """A grid around 0 and numbers of all quadrants, none of them on a branch cut."""
    line = np.linspace(-3.03, 3.07, 12)
    plane = (line[:, None] + 1j * line).ravel()
    return np.concatenate([plane, normal(64, np.complex128, 7)]).astype(dtype)


def functions(case, dtype):
    single = dtype is np.complex64
    v = spread(dtype)
    exact = ["Exp", "Sin", "Cos", "Sinh", "Cosh", "Tanh", "Sqrt", "Rsqrt"]
    inverse = ["Sigmoid", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh", "Tan", "Log"]
    for op in exact + inverse:
        case(op, x=v, _ulps=8 if op in inverse else 4, _atol=1e-7 if single else 0)
        case(op, x=v[:7], _ulps=8 if op in inverse else 4, _atol=1e-7 if single else 0)
        case(op, x=normal([2, 0], dtype))
    # Stock's results are less exact: it rounds 1 + x, and e^x, first.
    for op in ["Log1p", "Expm1"]:
        case(op, x=v, _ulps=16, _atol=2e-6 if single else 1e-15)
    for op in ["Log", "Sqrt", "Rsqrt", "Asinh"]:
        small = (v * 1e-6).astype(dtype)
        large = (v * 1e6).astype(dtype)
        case(op, x=small, _ulps=4, _atol=0)
        case(op, x=large, _ulps=4, _atol=0)
    x, y = normal([9, 1], dtype), normal([7], dtype, 1)
    case("Pow", x=x, y=y, _ulps=16, _atol=1e-6 if single else 1e-15)
    case("Pow", x=x, y=np.array(2, dtype), _ulps=8)
    case("Xlogy", x=x, y=y, _ulps=8, _atol=1e-7 if single else 1e-15)
    case("Xlog1py", x=x, y=y, _ulps=16, _atol=2e-6 if single else 1e-15)


def specials(case, dtype):
    """Zeros, branch cuts and infinities."""
    ulps = dict(_ulps=2, _label="specials")
    v = zeros(dtype)
    cuts = np.array([complex(-1, 0.0), complex(-1, -0.0), 1, complex(2, 0.0), complex(2, -0.0),
                     complex(-2, 0.0), complex(-2, -0.0), complex(0.0, 2), complex(-0.0, 2), complex(0.0, -2)], dtype)
    infinite = np.array([INF, -INF, complex(0, INF), complex(0, -INF), complex(1, INF), complex(INF, 1),
                         complex(-INF, 1), complex(NAN, NAN)], dtype)
    for op in ["Exp", "Sqrt", "Log", "Sinh", "Cosh", "Tanh", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"]:
        case(op, x=np.concatenate([v, cuts]), **ulps)
        case(op, x=infinite, **ulps)
    for op in ["Sin", "Cos", "Tan"]:
        case(op, x=np.concatenate([v, cuts]), **ulps)
    for op in ["Rsqrt", "Sigmoid"]:
        case(op, x=np.concatenate([v, infinite[[0, 1]]]), **ulps)
    both = np.array([complex(INF, INF), complex(-INF, INF), complex(INF, NAN)], dtype)
    for op in ["Sqrt", "Log", "Asin", "Acos", "Asinh", "Acosh"]:
        case(op, x=both, **ulps)
    case("Pow", x=np.array([0, 1, -1, 1j, 0, 0, 0, 0, INF], dtype),
         y=np.array([0, 0, 0.5, 1, 1, -1, 1j, 2 + 1j, 1], dtype), **ulps)
    case("Sigmoid", x=np.array([-800, 800, -80, 80, -720 + 1j], dtype), _ulps=8, _atol=1e-37)


def gradients(case, dtype):
    y, dy = normal([16], dtype), normal([16], dtype, 1)
    for op in ["TanhGrad", "SigmoidGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "SqrtGrad"]:
        case(op, y=y, dy=dy)
    case("SqrtGrad", y=np.array([0, 1, 0, 1], dtype), dy=np.array([0, 0, 0, 1j], dtype), _label="zeros")


def parts(case, dtype):
    real = np.float32 if dtype is np.complex64 else np.float64
    z = np.concatenate([numbers(dtype), zeros(dtype), np.array([complex(INF, NAN), complex(NAN, 1)], dtype)])
    for op in ["Real", "Imag"]:
        case(op, input=z, Tout=real)
    case("ComplexAbs", x=z, Tout=real, _ulps=1)
    case("Angle", input=z, Tout=real, _ulps=2)
    case("Conj", input=z)
    case("Complex", real=z.real[:, None], imag=z.imag[:5], Tout=dtype)


def choices(case, dtype):
    v = np.array([0, 1, 1j, -0.0, 1 + 1j, complex(NAN, 0), complex(0, NAN)], dtype)
    for op in ["Equal", "NotEqual"]:
        case(op, x=v[:, None], y=v)
        case(op, x=v, y=v[:2], incompatible_shape_error=False)
    t, e = normal([4, 3], dtype), normal([4, 3], dtype, 1)
    for shape in [[4, 3], [4], []]:
        c = np.random.default_rng(2).integers(0, 2, shape).astype(bool)
        case("Select", condition=c, t=t, e=e)
    c = np.array([[True], [False], [True], [False]])
    case("SelectV2", condition=c, t=t, e=e[0])
    case("SelectV2", condition=c, t=t, e=e[0, 0])
    case("ClipByValue", t=t, clip_value_min=np.array(-0.5 - 0.1j, dtype), clip_value_max=np.array(0.2 + 1j, dtype))
    case("ClipByValue", t=t, clip_value_min=e, clip_value_max=e + 1)


def casts(case, dtype):
    z = np.array([0, 1.5 - 2.5j, -3, 1j, 100.25 + 1j], dtype)
    for target in [np.bool_, np.float16, tf.bfloat16, np.float32, np.float64, np.int8, np.int16, np.uint16,
                   np.int32, np.int64, np.complex64, np.complex128]:
        case("Cast", x=z, DstT=target)
        if target is not np.bool_:
            case("Cast", x=grid([3]).astype(tf.as_dtype(target).as_numpy_dtype), DstT=dtype)
    case("Cast", x=np.array([True, False]), DstT=dtype)


def reductions(case, dtype):
    eps = np.finfo(dtype).eps
    x = normal([3, 4, 5], dtype)
    for axes in [[0], [1], [2], [0, 2], [0, 1, 2], [], [-1]]:
        axis = np.array(axes, np.int32)
        for op in ["Sum", "Mean", "Prod", "EuclideanNorm"]:
            for keep in [False, True]:
                case(op, input=x, reduction_indices=axis, keep_dims=keep, _ulps=16, _atol=32 * float(eps))
    for op in ["Sum", "Mean", "Prod", "EuclideanNorm"]:
        case(op, input=np.zeros([0, 3], dtype), reduction_indices=np.array([0], np.int32))
        case(op, input=normal([1000], dtype) if op != "Prod" else normal([20], dtype),
             reduction_indices=np.array([0], np.int32), _ulps=64, _atol=1e3 * float(eps))


def scans(case, dtype):
    x = normal([3, 5, 2], dtype)
    eps = float(np.finfo(dtype).eps)
    for op in ["Cumsum", "Cumprod"]:
        for axis in [0, 1, -1]:
            for exclusive in [False, True]:
                case(op, x=x, axis=axis, exclusive=exclusive, _ulps=4, _atol=4 * eps)
                case(op, x=x, axis=axis, exclusive=exclusive, reverse=True, _ulps=4, _atol=4 * eps)


def segments(case, dtype):
    x = normal([6, 3], dtype)
    ids = np.array([0, 0, 1, 1, 1, 4], np.int32)
    for op in ["SegmentSum", "SegmentProd", "SegmentMean"]:
        case(op, data=x, segment_ids=ids, _ulps=8)
        case(op, data=x[:0], segment_ids=ids[:0])
    for op in ["UnsortedSegmentSum", "UnsortedSegmentProd"]:
        case(op, data=x, segment_ids=np.array([2, 0, -1, 0, 2, 5], np.int32), num_segments=7, _ulps=8)
        case(op, data=x, segment_ids=np.arange(18, dtype=np.int64).reshape(6, 3) % 4, num_segments=4, _ulps=16)
    for mode in ["REFLECT", "SYMMETRIC"]:
        case("MirrorPadGrad", input=normal([5, 7], dtype), paddings=np.array([[1, 1], [2, 2]], np.int32),
             mode=mode, _ulps=4)


def updates(case, dtype):
    """Arithmetic on variables; stock divides rows as vectors of numbers, single numbers otherwise."""
    at = np.array([2, 0, 2], np.int32)
    for how in ["Update", "Add", "Sub", "Mul", "Div"]:
        updates = normal([3, 4], dtype, 1)
        case("Scatter" + how, ref=tf.Variable(normal([3, 4], dtype)), indices=at, updates=updates, _ulps=4)
        case("ResourceScatter" + how, resource=tf.Variable(normal([3, 4], dtype)), indices=at, updates=updates, _ulps=4)
    for how in ["Add", "Sub"]:
        value = normal([3, 4], dtype, 1)
        case(f"Assign{how}VariableOp", resource=tf.Variable(normal([3, 4], dtype)), value=value)
        case("Assign" + how, ref=tf.Variable(normal([3, 4], dtype)), value=value)

"""Elementwise ops on numbers, bools and strings."""

import numpy as np
import tensorflow as tf
from values import grid

BFLOAT16 = tf.bfloat16.as_numpy_dtype
FLOATS = [np.float16, BFLOAT16, np.float32, np.float64]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = SIGNED + UNSIGNED
REAL = FLOATS + INTEGERS


def is_float(dtype):
    return dtype in FLOATS


def values(dtype, zero=True, infinite=True):
    """Edge cases of ops, without subnormal numbers, some of which stock flushes to zero."""
    if dtype is np.bool_:
        return np.array([False, True])
    if is_float(dtype):
        large = {np.float16: 65504, np.float64: 1e200}.get(dtype, 1e30)
        some = [1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -3, 0.1, 7, 100, -200.75, large, -large, 1e-4]
        some += [0.0, -0.0] if zero else []
        some += [np.nan, np.inf, -np.inf] if infinite else []
        return np.array(some, np.float64).astype(dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    some = [1, 2, 3, 5, 8, 100, high, high - 1, high // 2 + 1]
    some += [-1, -2, -7, low, low + 1] if low < 0 else []
    some += [0] if zero else []
    return np.array(some, dtype)


def pairs(dtype, **kw):
    """All pairs of values, by broadcasting a column with a row."""
    v = values(dtype, **kw)
    return v[:, None], v


def record(case):
    arithmetic(case)
    math(case)
    comparisons(case)
    logic(case)
    choices(case)
    casts(case)
    shapes(case)


def binary(case, op, dtypes, **kw):
    for dtype in dtypes:
        x, y = pairs(dtype)
        case(op, x=x, y=y, _label=tf.as_dtype(dtype).name, **kw)


def unary(case, op, dtypes, name="x", **kw):
    for dtype in dtypes:
        case(op, **{name: values(dtype)}, _label=tf.as_dtype(dtype).name, **kw)


def arithmetic(case):
    binary(case, "AddV2", REAL)
    binary(case, "Add", FLOATS + SIGNED + [np.uint8])
    binary(case, "Sub", REAL)
    binary(case, "Mul", REAL)
    binary(case, "RealDiv", FLOATS)
    binary(case, "DivNoNan", FLOATS)
    binary(case, "MulNoNan", FLOATS)
    binary(case, "Xdivy", FLOATS)
    binary(case, "Xlogy", FLOATS, _ulps=4)
    binary(case, "Xlog1py", FLOATS, _ulps=4)
    binary(case, "SquaredDifference", FLOATS + [np.int32, np.int64])
    for op in ["Div", "FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Mod"]:
        modulo = op in ("TruncateMod", "Mod")
        dtypes = [np.float32, np.float64, np.int32, np.int64] if modulo else REAL
        for dtype in dtypes:
            v = values(dtype)
            divisors = v if is_float(dtype) else values(dtype, zero=False)
            case(op, x=v[:, None], y=divisors, _label=tf.as_dtype(dtype).name)
            if not is_float(dtype):
                case(op, x=v, y=np.array(2, dtype), _label="by two")
                # For the Truncate ops stock's code is INTERNAL; ours is the same as for the others.
                if not op.startswith("Truncate"):
                    case(op, x=v, y=np.array(0, dtype), _label="by zero")
                case(op, x=np.zeros([0], dtype), y=np.array(0, dtype), _label="nothing by zero")
    for dtype in FLOATS:
        x, y = pairs(dtype)
        case("Pow", x=x, y=y, _ulps=4, _label=tf.as_dtype(dtype).name)
        case("Atan2", y=x, x=y, _ulps=4, _label=tf.as_dtype(dtype).name)
    for dtype in SIGNED:
        exponents = np.array([0, 1, 2, 3, 5, 62, 63], dtype)
        case("Pow", x=values(dtype)[:, None], y=exponents, _label=tf.as_dtype(dtype).name)
        case("Pow", x=values(dtype), y=np.array(-1, dtype), _says="negative integer powers")
    for op in ["Maximum", "Minimum"]:
        for dtype in REAL:
            # No zeros: ours orders -0 before +0, stock does not.
            v = values(dtype, zero=not is_float(dtype))
            case(op, x=v[:, None], y=v, _label=tf.as_dtype(dtype).name)
            case(op, x=values(dtype), y=np.array(1, dtype), _label="with one")
    for op in ["Neg", "Abs", "Sign"]:
        unary(case, op, FLOATS + SIGNED)
    unary(case, "Square", REAL)
    unary(case, "Reciprocal", FLOATS, _ulps=1)
    unary(case, "Inv", FLOATS, _ulps=1)
    strings = np.array([b"", b"a", b"bc"], object)
    for op in ["AddV2", "Add"]:
        if op == "Add":
            case(op, x=strings[:, None], y=strings)


def math(case):
    for op in ["Sqrt", "Floor", "Ceil"]:
        unary(case, op, FLOATS)
    unary(case, "Rint", [np.float32, np.float64])
    unary(case, "Round", FLOATS)
    close = ["Rsqrt", "Exp", "Expm1", "Log", "Log1p", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh"]
    close += ["Tanh", "Erf", "Sigmoid"]
    for op in close:
        if op != "Erf":
            unary(case, op, FLOATS, _ulps=4)
    for op in ["Sin", "Cos", "Erf"]:
        for dtype in FLOATS:
            # Stock's results are wrong for larger arguments.
            v = values(dtype, infinite=op == "Erf" and dtype is not np.float64)
            v = v[~((np.abs(v.astype(np.float64)) > 1000) & np.isfinite(v))]
            case(op, x=v, _ulps=4, _atol=1e-7, _label=tf.as_dtype(dtype).name)
    for dtype in FLOATS:
        spread = np.linspace(-9, 9, 250).astype(dtype)
        for op in close + ["Sin", "Cos"]:
            case(op, x=spread, _ulps=4, _atol=1e-7 if dtype is not np.float64 else 0, _label="spread")
    for op in ["Relu", "Relu6"]:
        for dtype in REAL:
            # Ours maps -0 to +0; in stock the sign depends on the position in the tensor.
            v = values(dtype, zero=not is_float(dtype))
            case(op, features=v, _label=tf.as_dtype(dtype).name)
    for op in ["Elu", "Softplus", "Softsign"]:
        unary(case, op, FLOATS, name="features", _ulps=8)


def comparisons(case):
    for op in ["Less", "LessEqual", "Greater", "GreaterEqual"]:
        binary(case, op, REAL)
    for op in ["Equal", "NotEqual"]:
        binary(case, op, REAL + [np.bool_])
        for dtype in [np.complex64, np.complex128]:
            v = np.array([0, 1, 1j, -0.0, 1 + 1j, complex(np.nan, 0)], dtype)
            case(op, x=v[:, None], y=v)
        strings = np.array([b"", b"a", b"bc", b"b"], object)
        case(op, x=strings[:, None], y=strings)
        case(op, x=strings, y=np.array(b"a", object))
        case(op, x=[1, 2, 3], y=[1, 2])
        case(op, x=[1, 2, 3], y=[1, 2], incompatible_shape_error=False)
        case(op, x=[[1], [2]], y=[1, 2], incompatible_shape_error=False)
        case(op, x=strings, y=strings[:2], incompatible_shape_error=False)
    for op in ["IsNan", "IsInf", "IsFinite"]:
        unary(case, op, FLOATS)


def logic(case):
    binary(case, "LogicalAnd", [np.bool_])
    binary(case, "LogicalOr", [np.bool_])
    unary(case, "LogicalNot", [np.bool_])
    for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"]:
        binary(case, op, INTEGERS)
    unary(case, "Invert", INTEGERS)
    for op in ["LeftShift", "RightShift"]:
        binary(case, op, INTEGERS)


def choices(case):
    for dtype in REAL + [np.bool_, np.complex64, np.complex128, np.str_]:
        if dtype is np.str_:
            t = np.array([b"a", b"b", b"c", b"d"], object)
        elif dtype is np.bool_:
            t = np.array([True, True, False, False])
        else:
            t = values(dtype)[-4:] if dtype in REAL else np.array([1, 2j, 3, 4], dtype)
        c = np.array([True, False, False, True])
        e = t[::-1].copy()
        case("SelectV2", condition=c, t=t, e=e)
        case("SelectV2", condition=c[:, None], t=t, e=e[0])
        case("SelectV2", condition=np.array(True), t=t[:, None], e=e)
        case("Select", condition=c, t=t, e=e)
        case("Select", condition=np.array(False), t=t, e=e)
        case("Select", condition=c, t=np.stack([t, e], 1), e=np.stack([e, e], 1))
    case("SelectV2", condition=[True, False, True], t=[1, 2], e=3, _says="", _shapes=False)
    case("Select", condition=[True, False, True], t=[1, 2], e=[1, 2], _says="", _shapes=False)
    case("Select", condition=[True, False], t=[1, 2], e=[1, 2, 3], _says="", _shapes=False)
    for dtype in FLOATS + [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64]:
        v = values(dtype, zero=not is_float(dtype))
        low, high = np.array(1, dtype), np.array(3, dtype)
        case("ClipByValue", t=v, clip_value_min=low, clip_value_max=high)
        case("ClipByValue", t=v, clip_value_min=high, clip_value_max=low, _label="crossed")
        case("ClipByValue", t=v, clip_value_min=np.full_like(v, low), clip_value_max=v)
    case("ClipByValue", t=[1.0, 2.0], clip_value_min=[[1.0]], clip_value_max=2.0, _says="", _shapes=False)
    for op in ["ZerosLike", "OnesLike"]:
        unary(case, op, REAL + [np.bool_])
    for dtype in [np.str_, np.complex64, np.complex128]:
        case("ZerosLike", x=grid([2, 3], dtype))
    case("ZerosLike", x=np.zeros([0, 3], object))


def casts(case):
    for source in REAL + [np.bool_]:
        for target in REAL + [np.bool_]:
            label = f"{tf.as_dtype(source).name} to {tf.as_dtype(target).name}"
            v = values(source)
            if is_float(source) and not is_float(target) and target is not np.bool_:
                outside = [128, 255.5, 256, 300, 32768, 40000, 65536, -129, -40000]
                outside += [2.0**31, 2.0**32, 2.0**33, 2.0**63, 2.0**64, -(2.0**31), -(2.0**63)]
                with np.errstate(over="ignore"):
                    v = np.concatenate([v, np.array(outside, np.float64).astype(source)])
                if target in [np.int32, np.int64, np.uint64]:
                    case("Cast", x=v, DstT=target, _label=label)
                # Out of range, stock's result depends on the position in the tensor; ours is that of a scalar.
                for x in v[np.isfinite(v)]:
                    case("Cast", x=x, DstT=target, _label=f"{label} of {x}")
            else:
                case("Cast", x=v, DstT=target, _label=label)
    case("Cast", x=np.array([b"a"], object), DstT=tf.string)
    case("Cast", x=np.array([b"a"], object), DstT=tf.int32, _says="is not supported", _shapes=False)


def shapes(case):
    def numbers(*shape):
        return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)

    for x, y in [
        ([], []),
        ([], [3]),
        ([1], [3]),
        ([2, 3], [3]),
        ([2, 1], [3]),
        ([4, 1, 5], [3, 1]),
        ([0], [1]),
        ([0, 3], [1]),
        ([2, 0, 3], [3]),
        ([1, 1, 1], [1]),
        ([5, 2, 3], [5, 1, 3]),
        ([2, 3], [2]),
        ([0], [2]),
    ]:
        case("Sub", x=numbers(*x), y=numbers(*y))

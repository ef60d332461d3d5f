"""Fused ops, which the graph optimizer of a stock master puts into graphs in place of several ops."""

import numpy as np
from families.net import small
from values import BFLOAT16

ACTIVATIONS = ["Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"]
NEAR = dict(_ulps=8, _atol=2e-6)


def half(dtype):
    return dict(_ulps=4, _atol={np.float16: 0.02, BFLOAT16: 0.1}.get(dtype, 2e-6))


def record(case):
    mat_mul(case)
    conv(case)
    depthwise(case)
    batch_norm(case)
    compositions(case)


def mat_mul(case):
    def fused(ops, args, dtype=np.float32, **kw):
        a, b = small([3, 5], dtype) / dtype(4), small([5, 4], dtype, 1)
        case("_FusedMatMul", a=a, b=b, args=args, fused_ops=ops, num_args=len(args), _label=" ".join(ops), **kw)

    bias = small([4], seed=2)
    for dtype in [np.float32, BFLOAT16]:
        fused(["BiasAdd"], [bias.astype(dtype)], dtype, **half(dtype))
        for activation in ACTIVATIONS:
            fused(["BiasAdd", activation], [bias.astype(dtype)], dtype, **half(dtype))
    fused(["BiasAdd", "LeakyRelu"], [bias], leakyrelu_alpha=0.5, **NEAR)
    for activation in ["GeluExact", "GeluApproximate"]:
        # Stock's GELU, exact or approximate, is accurate to some digits only.
        fused(["BiasAdd", activation], [bias], _ulps=8, _atol=1e-5)
    fused(["BiasAdd", "Add"], [bias, small([3, 4], seed=3)], **NEAR)
    kw = dict(fused_ops=["BiasAdd"], num_args=1, args=[bias], **NEAR)
    case("_FusedMatMul", a=small([5, 3]), b=small([4, 5], seed=1), transpose_a=True, transpose_b=True, **kw)
    bad = dict(_says="", _shapes=False)
    case("_FusedMatMul", a=small([3, 5]), b=small([5, 4]), args=[small([3])], fused_ops=["BiasAdd"], num_args=1, **bad)
    case("_FusedMatMul", a=small([3, 5]), b=small([5, 4]), args=[bias], fused_ops=["BiasAdd", "Sin"], num_args=1, **bad)


def conv(case):
    def fused(ops, args, dtype=np.float32, images=(1, 5, 6, 3), filter_=(2, 3, 3, 4), padding="SAME", **kw):
        case(
            "_FusedConv2D",
            input=small(images, dtype) / dtype(4),
            filter=small(filter_, dtype, 1),
            args=args,
            host_args=[],
            fused_ops=ops,
            num_args=len(args),
            TArgs=[dtype] * len(args),
            T=dtype,
            strides=[1, 1, 1, 1],
            padding=padding,
            _label=" ".join(ops),
            **kw,
        )

    bias = small([4], seed=2)
    norm = [bias, small([4], seed=3), small([4], seed=4), np.abs(small([4], seed=5)) + 1]
    for dtype in [np.float32, np.float64]:
        fused(["BiasAdd"], [bias.astype(dtype)], dtype, **NEAR)
        for activation in ["Relu", "Relu6", "Elu", "LeakyRelu"]:
            fused(["BiasAdd", activation], [bias.astype(dtype)], dtype, **NEAR)
            fused(["FusedBatchNorm", activation], [v.astype(dtype) for v in norm], dtype, **NEAR)
    fused(["FusedBatchNorm"], norm, epsilon=0.25, **NEAR)
    fused(["BiasAdd"], [bias], padding="VALID", **NEAR)
    fused(["BiasAdd"], [bias], images=(2, 4, 4, 3), filter_=(1, 1, 3, 4), **NEAR)
    first = dict(images=(1, 3, 5, 6), data_format="NCHW")
    fused(["BiasAdd"], [bias], **first, **NEAR)
    fused(["BiasAdd", "Relu"], [bias], **first, **NEAR)
    fused(["BiasAdd", "Add"], [bias, small([1, 4, 5, 6], seed=3)], **first, **NEAR)
    fused(["FusedBatchNorm", "Relu"], norm, **first, **NEAR)
    wide = [bias.astype(np.float64)]
    fused(["BiasAdd"], wide, np.float64, **first, _says="only supports", _shapes=False)


def depthwise(case):
    kw = dict(strides=[1, 1, 1, 1], padding="SAME", num_args=1)
    for ops in [["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Relu6"], ["BiasAdd", "Elu"]]:
        args = [small([6], seed=2)]
        last = dict(filter=small([2, 3, 3, 2], seed=1), args=args, fused_ops=ops, **kw)
        case("_FusedDepthwiseConv2dNative", input=small([1, 5, 6, 3]), **last, **NEAR)
        case("_FusedDepthwiseConv2dNative", input=small([2, 3, 5, 6]), data_format="NCHW", **last, **NEAR)
    narrow = dict(filter=small([2, 3, 3, 2], BFLOAT16, 1) / BFLOAT16(4), args=[small([6], BFLOAT16, 2)], fused_ops=["BiasAdd", "Relu"], **kw)
    case("_FusedDepthwiseConv2dNative", input=small([2, 3, 5, 6], BFLOAT16), data_format="NCHW", **narrow, **half(BFLOAT16))


def batch_norm(case):
    x, side = small([2, 3, 4, 4]), small([2, 3, 4, 4], seed=1)
    vectors = dict(scale=small([4], seed=2), offset=small([4], seed=3))
    none = dict(mean=np.zeros([0], np.float32), variance=np.zeros([0], np.float32))
    given = dict(mean=small([4], seed=4), variance=np.abs(small([4], seed=5)) + 1, is_training=False)
    for kw in [none, given]:
        case("_FusedBatchNormEx", x=x, side_input=[], activation_mode="Relu", **vectors, **kw, **NEAR)


def compositions(case):
    near = {np.float16: 0.01, np.float32: 1e-6, np.float64: 1e-14}
    x = np.linspace(-0.9, 0.9, 21)
    for dtype in [np.float32, np.float64, np.float16]:
        kw = dict(_ulps=16, _atol=near[dtype])
        for names in [["Sqrt", "Log"], ["Abs", "Sqrt", "Exp"], ["Asin", "Sin"], ["Tanh", "Neg", "Relu"], ["Square", "Reciprocal", "Rsqrt"]]:
            if dtype is np.float16 and "Asin" in names:
                continue  # stock composes fewer of these
            case("_UnaryOpsComposition", x=(np.abs(x) + 0.05).astype(dtype), op_names=names, **kw)
    kw = dict(_ulps=16, _atol=1e-6)
    safe = ["Abs", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Expm1", "Exp", "Floor", "Inv", "Log1p"]
    safe += ["Neg", "Reciprocal", "Rint", "Round", "Sigmoid", "Sin", "Sinh", "Square", "Tan", "Tanh", "Elu", "Relu"]
    for name in safe + ["Acos", "Relu6", "Selu"]:
        case("_UnaryOpsComposition", x=x[x != 0].astype(np.float32), op_names=[name, "Neg"], **kw, _label=name)
    case("_UnaryOpsComposition", x=(x + 3).astype(np.float32), op_names=["Acosh", "Neg"], **kw)

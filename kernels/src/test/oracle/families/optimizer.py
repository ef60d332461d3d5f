"""Optimizer ops: updates of a variable and its slots, dense and sparse."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, FLOATS, i32, i64

SCALARS = {
    "alpha": 0.1,
    "lr": 0.1,
    "l1": 0.01,
    "l2": 0.02,
    "l2_shrinkage": 0.03,
    "lr_power": -0.5,
    "momentum": 0.9,
    "rho": 0.8,
    "epsilon": 1e-3,
    "beta1_power": 0.81,
    "beta2_power": 0.9,
    "beta1": 0.9,
    "beta2": 0.99,
    "logbase": 0.7,
    "sign_decay": 0.6,
    "beta": 0.5,
}

# Variables, other arguments, and bool attrs to vary, in the order of TensorFlow's declarations.
DENSE = {
    "ApplyGradientDescent": ("var", "alpha delta"),
    "ApplyProximalGradientDescent": ("var", "alpha l1 l2 delta"),
    "ApplyMomentum": ("var accum", "lr grad momentum", "use_nesterov"),
    "ApplyKerasMomentum": ("var accum", "lr grad momentum", "use_nesterov"),
    "ApplyAdam": ("var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", "use_nesterov"),
    "ApplyAdamWithAmsgrad": ("var m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon grad"),
    "ApplyAdaMax": ("var m v", "beta1_power lr beta1 beta2 epsilon grad"),
    "ApplyAdagrad": ("var accum", "lr grad", "update_slots"),
    "ApplyAdagradV2": ("var accum", "lr epsilon grad", "update_slots"),
    "ApplyAdagradDA": ("var gradient_accumulator gradient_squared_accumulator", "grad lr l1 l2 global_step"),
    "ApplyProximalAdagrad": ("var accum", "lr l1 l2 grad"),
    "ApplyRMSProp": ("var ms mom", "lr rho momentum epsilon grad"),
    "ApplyCenteredRMSProp": ("var mg ms mom", "lr rho momentum epsilon grad"),
    "ApplyFtrl": ("var accum linear", "grad lr l1 l2 lr_power", "multiply_linear_by_lr"),
    "ApplyFtrlV2": ("var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", "multiply_linear_by_lr"),
    "ApplyAdadelta": ("var accum accum_update", "lr rho epsilon grad"),
    "ApplyAddSign": ("var m", "lr alpha sign_decay beta grad"),
    "ApplyPowerSign": ("var m", "lr logbase sign_decay beta grad"),
}
SPARSE = {
    "SparseApplyProximalGradientDescent": ("var", "alpha l1 l2 grad indices"),
    "SparseApplyMomentum": ("var accum", "lr grad indices momentum", "use_nesterov"),
    "SparseApplyKerasMomentum": ("var accum", "lr grad indices momentum", "use_nesterov"),
    "SparseApplyAdagrad": ("var accum", "lr grad indices", "update_slots"),
    "SparseApplyAdagradV2": ("var accum", "lr epsilon grad indices", "update_slots"),
    "SparseApplyAdagradDA": (
        "var gradient_accumulator gradient_squared_accumulator",
        "grad indices lr l1 l2 global_step",
    ),
    "SparseApplyProximalAdagrad": ("var accum", "lr l1 l2 grad indices"),
    "SparseApplyRMSProp": ("var ms mom", "lr rho momentum epsilon grad indices"),
    "SparseApplyCenteredRMSProp": ("var mg ms mom", "lr rho momentum epsilon grad indices"),
    "SparseApplyFtrl": ("var accum linear", "grad indices lr l1 l2 lr_power", "multiply_linear_by_lr"),
    "SparseApplyFtrlV2": (
        "var accum linear",
        "grad indices lr l1 l2 l2_shrinkage lr_power",
        "multiply_linear_by_lr",
    ),
    "SparseApplyAdadelta": ("var accum accum_update", "lr rho epsilon grad indices"),
}

# Ops without kernels for these dtypes in stock.
NOT_HALF = ["ProximalGradientDescent", "ProximalAdagrad", "AdagradDA"]
NOT_BFLOAT16 = NOT_HALF + ["ApplyAdaMax", "SparseApplyRMSProp", "SparseApplyCenteredRMSProp"]

# Like ours, stock rounds 16-bit floats after each step, but not always in the same order.
NEAR = {np.float16: (4, 4e-3), BFLOAT16: (4, 3e-2), np.float32: (4, 3e-7), np.float64: (4, 1e-15)}


def states(names, shape, dtype, seed=0):
    random = np.random.RandomState(seed)
    result = {}
    for name in names.split():
        low = -1 if name in ("var", "m", "linear", "mom", "gradient_accumulator") else 0.5
        low, high = (0, 0.1) if name == "mg" else (low, 1)
        result[name] = tf.Variable(random.uniform(low, high, shape).astype(dtype))
    return result


def others(names, shape, dtype, indices=None, **given):
    result = {}
    for name in names.split():
        if name in ("grad", "delta"):
            result[name] = np.random.RandomState(7).uniform(-1, 1, shape).astype(dtype)
        elif name == "indices":
            result[name] = indices
        elif name == "global_step":
            result[name] = np.int64(3)
        else:
            result[name] = np.array(SCALARS[name], dtype)
    return {**result, **given}


def record(case):
    for name, (slots, arguments, *attrs) in DENSE.items():
        dense(case, "Resource" + name, slots, arguments, *attrs)
    for name, (slots, arguments, *attrs) in SPARSE.items():
        sparse(case, "Resource" + name, slots, arguments, *attrs)
    errors(case, "Resource")
    references(case)


def references(case):
    """The same updates on reference variables (TensorFlow 1)."""
    for name, (slots, arguments, *_) in {**DENSE, **SPARSE}.items():
        if "Keras" in name or "Amsgrad" in name:
            continue
        rows = [3, 2] if name.startswith("Sparse") else [4, 2]
        kw = {**states(slots, [4, 2], np.float32), **others(arguments, rows, np.float32, i32(2, 0, 2))}
        case(name, **kw, _calls=2, **near(np.float32))
    kw = {**states("var", [3], np.float32), **others("alpha delta", [2], np.float32)}
    case("ApplyGradientDescent", **kw, _says="var and delta do not have the same shape", _shapes=False)


def dtypes(op):
    missing = {np.float16: NOT_HALF, BFLOAT16: NOT_BFLOAT16}
    return [d for d in FLOATS if not any(op.endswith(name) for name in missing.get(d, []))]


def near(dtype):
    ulps, atol = NEAR[dtype]
    return dict(_ulps=ulps, _atol=atol)


def dense(case, op, slots, arguments, attr=None):
    for dtype in dtypes(op):
        label = tf.as_dtype(dtype).name
        case(op, **states(slots, [2, 9], dtype), **others(arguments, [2, 9], dtype), _label=label, _calls=2, **near(dtype))
    for shape in [[], [0, 3]]:
        case(op, **states(slots, shape, np.float32), **others(arguments, shape, np.float32), **near(np.float32))
    if attr:
        value = attr != "update_slots"
        kw = {**states(slots, [7], np.float32), **others(arguments, [7], np.float32)}
        case(op, **kw, **{attr: value}, _label=attr, _calls=2, **near(np.float32))
        if "lr_power" in arguments:
            kw = {**states(slots, [7], np.float32), **others(arguments, [7], np.float32, lr_power=np.float32(-0.7))}
            case(op, **kw, **{attr: value}, _label=attr + " and power", **near(np.float32))
    if "lr_power" in arguments:
        kw = {**states(slots, [7], np.float32), **others(arguments, [7], np.float32, lr_power=np.float32(-0.7))}
        case(op, **kw, _label="power", **near(np.float32))


def sparse(case, op, slots, arguments, attr=None):
    for dtype in dtypes(op):
        label = tf.as_dtype(dtype).name
        for indices in [i32(3, 0), i64(2, 2, 0, 2)]:
            shape = [len(indices), 3]
            kw = {**states(slots, [4, 3], dtype), **others(arguments, shape, dtype, indices)}
            case(op, **kw, _label=label, _calls=2, **near(dtype))
    for shape in [[4], [4, 2, 2]]:
        kw = {**states(slots, shape, np.float32), **others(arguments, [2] + shape[1:], np.float32, i32(3, 1))}
        case(op, **kw, **near(np.float32))
    kw = {**states(slots, [4, 2], np.float32), **others(arguments, [0, 2], np.float32, np.zeros([0], np.int32))}
    case(op, **kw, **near(np.float32))
    if attr:
        value = attr != "update_slots"
        kw = {**states(slots, [4, 2], np.float32), **others(arguments, [2, 2], np.float32, i32(3, 1))}
        case(op, **kw, **{attr: value}, _label=attr, _calls=2, **near(np.float32))


def errors(case, form):
    def bad(op, says, shape=(3,), slots=(3,), gradient=(3,), **given):
        names, arguments, *_ = {**DENSE, **SPARSE}[op]
        first = states("var", shape, np.float32)
        rest = states(names.removeprefix("var"), slots, np.float32)
        given = {**others(arguments, gradient, np.float32, i32(0)), **given}
        case(form + op, **first, **rest, **given, _says=says, _shapes=False)

    vector = np.float32([0.1])
    bad("ApplyGradientDescent", "alpha is not a scalar: [1]", alpha=vector)
    bad("ApplyGradientDescent", "var and delta do not have the same shape[3] [2]", gradient=[2])
    bad("ApplyMomentum", "lr is not a scalar", lr=vector)
    bad("ApplyMomentum", "var and accum do not have the same shape[3] [4]", slots=[4])
    bad("ApplyAdam", "beta1_power is not a scalar", beta1_power=vector)
    bad("ApplyAdam", "var and grad do not have the same shape", gradient=[1, 3])
    bad("ApplyRMSProp", "var and ms do not have the same shape", slots=[1, 3])
    bad("SparseApplyAdagrad", "Index 3 at offset 0 in indices is out of range", gradient=[1], indices=i32(3))
    bad("SparseApplyAdagrad", "Index -1 at offset 1 in indices is out of range", gradient=[2], indices=i32(0, -1))
    bad("SparseApplyMomentum", "indices must be one-dimensional", gradient=[1], indices=np.int32([[0]]))
    bad("SparseApplyAdagrad", "grad must be the same size as indices in the first dimension.", gradient=[2], indices=i32(0))
    bad("SparseApplyMomentum", "var and grad must match in dimension 1", shape=[3, 2], slots=[3, 2], gradient=[1, 3])
    bad("SparseApplyMomentum", "var must be at least 1 dimensional", shape=[], slots=[], gradient=[1])

"""FractionalMaxPool, FractionalAvgPool and their gradients.

Stock infers a length for pooling sequences that is one too small, so the pools' shapes are not compared.
"""

import numpy as np
import tensorflow as tf

F = np.float32
DTYPES = [F, np.float64, np.int32, np.int64]
POOLS = ["FractionalMaxPool", "FractionalAvgPool"]
RATIOS = [(1.5, 1.4), (1.0, 1.0), (2.0, 3.0), (1.44, 1.73), (2.7, 1.01), (9.0, 13.0)]


def i64(*values):
    return np.array(values, np.int64)


def images(*shape, dtype=F, seed=0):
    values = np.random.RandomState(seed).rand(*shape) * 100 - 50
    return np.round(values).astype(dtype) if np.dtype(dtype).kind == "i" else values.astype(dtype)


def record(case):
    for op in POOLS:
        pools(case, op)
    largest(case)
    gradients(case)
    refused_gradients(case)


def pools(case, op):
    for dtype in DTYPES:
        for pseudo in [False, True]:
            for overlapping in [False, True]:
                options = {"pseudo_random": pseudo, "overlapping": overlapping, "deterministic": True, "_shapes": False}
                for ratio in RATIOS:
                    case(op, value=images(2, 9, 13, 2, dtype=dtype), pooling_ratio=[1.0, *ratio, 1.0], seed=3, seed2=8, **options,
                         _calls=2, _label=f"{pseudo} {overlapping} {ratio}")
                case(op, value=images(1, 30, 41, 1, dtype=dtype), pooling_ratio=[1.0, 1.3, 1.7, 1.0], seed=0, seed2=5, **options,
                     _label=f"{pseudo} {overlapping}")
    ok = {"value": images(1, 6, 7, 2), "pooling_ratio": [1.0, 1.5, 1.4, 1.0], "deterministic": True, "seed": 1, "_shapes": False}
    for ratios in [
        [1.0, 6.5, 1.0, 1.0], [1.0, 1.5, 7.25, 1.0], [2.0, 1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0, 2.0],
    ]:  # fmt: skip
        case(op, **{**ok, "pooling_ratio": ratios}, _label=str(ratios))
    case(op, **{**ok, "deterministic": False})
    for shape in [(6, 7, 2), (0, 6, 7, 2), (1, 0, 7, 2), (1, 6, 7, 0)]:
        case(op, **{**ok, "value": images(*shape)})


def largest(case):
    x = np.array([np.nan, 1, -np.inf, np.nan, np.inf, 2] * 4, F).reshape(1, 4, 3, 2)
    kw = {"pooling_ratio": [1.0, 2.0, 1.0, 1.0], "deterministic": True, "seed": 1, "_shapes": False}
    for dtype in [F, np.float64]:
        for op in POOLS:
            case(op, value=x.astype(dtype), **kw)
            case(op, value=np.full([1, 4, 4, 1], -np.inf, dtype), **kw)
            case(op, value=np.full([1, 4, 4, 1], np.nan, dtype), **kw)


def pooled(x, overlapping, pseudo=False):
    return [t.numpy() for t in tf.raw_ops.FractionalMaxPool(
        value=x, pooling_ratio=[1.0, 1.5, 1.4, 1.0], overlapping=overlapping, pseudo_random=pseudo, deterministic=True, seed=3)]


def gradients(case):
    for dtype in DTYPES:
        for overlapping in [False, True]:
            for pseudo in [False, True]:
                x = images(2, 9, 13, 2, dtype=dtype) // dtype(20)
                y, rows, columns = pooled(x, overlapping, pseudo)
                dy = images(*y.shape, dtype=dtype, seed=1)
                kw = {"out_backprop": dy, "row_pooling_sequence": rows, "col_pooling_sequence": columns, "overlapping": overlapping}
                case("FractionalMaxPoolGrad", orig_input=x, orig_output=y, **kw, _label=f"{overlapping} {pseudo}")
                case("FractionalAvgPoolGrad", orig_input_tensor_shape=i64(*x.shape), **kw, _label=f"{overlapping} {pseudo}")


def refused_gradients(case):
    x = images(2, 6, 7, 3)
    y, rows, columns = pooled(x, False)
    op = "FractionalMaxPoolGrad"
    ok = {"orig_input": x, "orig_output": y, "out_backprop": y, "row_pooling_sequence": rows, "col_pooling_sequence": columns}
    case(op, **{**ok, "orig_input": x[0]}, _says="orig_input should be a tensor of rank 4, got")
    case(op, **{**ok, "orig_output": y[0]}, _says="orig_output should be a tensor of rank 4, got")
    case(op, **{**ok, "orig_input": x[:, :0]}, _says="orig_input must not be empty, got")
    case(op, **{**ok, "orig_output": y[:, :0]}, _says="orig_output must not be empty, got")
    case(op, **{**ok, "row_pooling_sequence": rows[None]})
    case(op, **{**ok, "col_pooling_sequence": columns[None]})
    case(op, **{**ok, "orig_output": y + 1})
    case(op, **{**ok, "row_pooling_sequence": rows[:3]})
    case(op, **{**ok, "orig_input": np.where(x > 0, x, np.nan).astype(F)})
    op = "FractionalAvgPoolGrad"
    sizes = i64(*x.shape)
    ok = {"orig_input_tensor_shape": sizes, "out_backprop": y, "row_pooling_sequence": rows, "col_pooling_sequence": columns}
    for shape in [(2, 6, 7, 4), (3, 6, 7, 3), (2, 3, 7, 3)]:
        case(op, **{**ok, "orig_input_tensor_shape": i64(*shape)})
    for shape in [sizes[:3], sizes[None], -sizes, sizes * 0, i64(2, 0, 7, 3), i64(2, 6, 0, 3), i64(2, 6, 7, 0)]:
        case(op, **{**ok, "orig_input_tensor_shape": shape})
    for dy in [y[0], y[:0], y[..., :0], y[:, :2]]:
        case(op, **{**ok, "out_backprop": dy})
    case(op, **{**ok, "row_pooling_sequence": rows[None]})
    for name, line in [("row_pooling_sequence", "Row"), ("col_pooling_sequence", "Column")]:
        case(op, **{**ok, name: ok[name][:3]})
        case(op, **{**ok, name: ok[name] + 2})
        case(op, **{**ok, name: ok[name] * 3})
        for sequence in [-ok[name], ok[name] - 1, ok[name] * 0]:
            case(op, **{**ok, name: sequence}, _says=f"{line} sequence tensor values must not be negative, got")

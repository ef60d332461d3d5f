"""Matrix diagonals, cross products, fake quantization, special functions and related ops."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, DTYPES, FLOATS, INTEGERS, grid

ALIGNMENTS = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


def record(case):
    diag(case)
    diag_part(case)
    set_diag(case)
    cross(case)
    in_top_k(case)
    sparse_softmax(case)
    fake_quant(case)
    special_functions(case)


def diag(case):
    def run(diagonal, k, rows=-1, columns=-1, padding=None, **kw):
        value = np.zeros([], diagonal.dtype) if padding is None else np.array(padding, diagonal.dtype)
        case("MatrixDiagV3", diagonal=diagonal, k=k, num_rows=rows, num_cols=columns, padding_value=value, **kw)

    for dtype in DTYPES:
        if dtype is not np.str_:
            run(grid([2, 3], dtype), 0)
            run(grid([3], dtype), 1, padding=1)
            run(grid([2, 2, 3], dtype), [-1, 0], 4, 3, padding=1)
    for k in [0, 1, -1, 3, -4]:
        run(grid([3]), k)
        run(grid([3]), [k])
        run(grid([3]), [k, k])
        run(grid([2, 3]), k, rows=3 + max(0, -k))
        run(grid([2, 3]), k, columns=3 + max(0, k), padding=9)
        run(grid([3]), k, 3 + max(0, -k), 7 + max(0, k))
        run(grid([3]), k, 8 + max(0, -k), 3 + max(0, k))
    for align in ALIGNMENTS:
        run(grid([3, 3]), [-1, 1], align=align, padding=-1)
        run(grid([2, 3, 3]), [-1, 1], 3, 4, align=align)
        run(grid([2, 3]), [1, 2], align=align)
        run(grid([2, 3]), [-2, -1], align=align)
        run(grid([4, 2]), [-3, 0], 5, 2, align=align)
    run(grid([0]), 0)
    run(grid([0, 3]), 0)
    run(grid([2, 0]), 1)
    run(grid([2, 0]), [0, 1])
    run(grid([3]), [1, 0])
    run(grid([3, 3]), [0, 1], _says="The number of", _shapes=False)
    run(grid([3]), 0, rows=2, _says="too small")
    run(grid([3]), 0, columns=2, _says="too small")
    run(grid([3]), 0, 4, 4, _says="not consistent")
    run(grid([3]), [0, 0, 0], _says="one or two elements")
    run(grid([3]), [[0]], _says="", _shapes=False)
    run(grid([]), 0, _says="", _shapes=False)


def diag_part(case):
    def run(matrix, k, padding=None, **kw):
        value = np.zeros([], matrix.dtype) if padding is None else np.array(padding, matrix.dtype)
        case("MatrixDiagPartV3", input=matrix, k=k, padding_value=value, **kw)

    for dtype in DTYPES:
        if dtype is not np.str_:
            run(grid([2, 3, 4], dtype), 0)
            run(grid([2, 3, 4], dtype), [-2, 1], padding=1)
    for shape in [[3, 3], [3, 5], [5, 3], [2, 2, 4, 4]]:
        for k in [0, 1, -1, 2, -2, [-1, 1], [0, 2], [-2, 0], [-2, -1], [1, 2]]:
            run(grid(shape), k)
        for align in ALIGNMENTS:
            run(grid(shape), [-2, 2], padding=-1, align=align)
    run(grid([0, 0]), 0)
    run(grid([0, 3, 3]), [0, 1])
    run(grid([2, 0]), 0)
    run(grid([3]), 0, _says="", _shapes=False)
    for k in [3, -3, [0, 4], [-4, 0], [1, 0], [0, 0, 0]]:
        run(grid([3, 3]), k, _says="")


def set_diag(case):
    def run(matrix, diagonal, k, **kw):
        case("MatrixSetDiagV3", input=matrix, diagonal=-diagonal, k=k, **kw)

    for dtype in DTYPES:
        if dtype not in (np.str_, np.bool_):
            run(grid([2, 3, 4], dtype), grid([2, 3], dtype), 0)
            run(grid([3, 4], dtype), grid([2, 3], dtype), [0, 1])
    for k, length in [(0, 3), (1, 3), (2, 2), (-1, 2), (-2, 1), (3, 1)]:
        run(grid([2, 3, 4]), grid([2, length]), k)
        run(grid([3, 4]), grid([length]), [k])
    for align in ALIGNMENTS:
        run(grid([2, 3, 3]), grid([2, 3, 3]), [-1, 1], align=align)
        run(grid([4, 2]), grid([5, 2]), [-3, 1], align=align)
        run(grid([2, 4]), grid([2, 2]), [-1, 0], align=align)
    run(grid([0, 0]), grid([0]), 0)
    run(grid([0, 3, 3]), grid([0, 2, 3]), [0, 1])
    run(grid([3, 3]), grid([2]), 0)
    run(grid([3, 3]), grid([2, 3]), 0)
    run(grid([3, 3]), grid([2, 3]), [-1, 1], _says="", _shapes=False)
    run(grid([3, 3]), grid([3]), 3)
    run(grid([3, 3]), grid([3]), -3)
    run(grid([3, 3]), grid([2, 3]), [1, 0])
    run(grid([3]), grid([3]), 0)


def cross(case):
    for dtype in FLOATS + INTEGERS:
        case("Cross", a=grid([2, 3], dtype), b=grid([2, 3], dtype)[::-1].copy())
    x = np.random.RandomState(0).randn(4, 2, 3)
    for dtype in FLOATS:
        case("Cross", a=x.astype(dtype), b=x[::-1].astype(dtype))
    case("Cross", a=np.array([127, -128, 5], np.int8), b=np.array([3, 100, -128], np.int8))
    special = np.array([np.nan, np.inf, 1], np.float32)
    case("Cross", a=special, b=special[::-1].copy())
    case("Cross", a=grid([0, 3]), b=grid([0, 3]))
    case("Cross", a=grid([2]), b=grid([2]))
    case("Cross", a=grid([]), b=grid([]), _says="Input must be at least 1D")
    case("Cross", a=grid([1, 3]), b=grid([3]))


def in_top_k(case):
    scores = np.array([[0.1, 0.3, 0.2, 0.3], [4, 3, 2, 1], [1, np.nan, 2, 3], [1, 2, np.inf, 3]], np.float32)
    many = np.random.RandomState(0).rand(20, 9).astype(np.float32)
    for kind in [np.int32, np.int64]:
        for k in [-1, 0, 1, 2, 3, 4, 9]:
            for targets in [[1, 0, 0, 0], [2, 1, 1, 2], [3, 3, 2, 1], [-1, 4, 3, 3]]:
                case("InTopKV2", predictions=scores, targets=np.array(targets, kind), k=kind(k))
            case("InTopK", predictions=many, targets=(np.arange(20) % 9).astype(kind), k=k)
    case("InTopKV2", predictions=np.zeros([0, 3], np.float32), targets=np.zeros([0], np.int32), k=1)
    case("InTopKV2", predictions=np.zeros([2, 0], np.float32), targets=[0, 0], k=1)
    case("InTopKV2", predictions=scores, targets=[1, 2], k=1)
    case("InTopKV2", predictions=scores[0], targets=[1, 2, 3, 0], k=1)
    case("InTopKV2", predictions=scores, targets=[[1, 2, 3, 0]], k=1)
    case("InTopKV2", predictions=scores, targets=[1, 2, 3, 0], k=[1], _says="", _shapes=False)


def sparse_softmax(case):
    def run(indices, values, shape, **kw):
        case(
            "SparseSoftmax",
            sp_indices=np.array(indices, np.int64),
            sp_values=values,
            sp_shape=np.array(shape, np.int64),
            **kw,
        )

    at = [[0, 0], [0, 2], [1, 1], [2, 0], [2, 1], [2, 2]]
    values = np.array([1, 2.5, -3, 0, 10, 9.5])
    for dtype in [np.float16, np.float32, np.float64]:
        run(at, values.astype(dtype), [3, 3], _ulps=4)
        run(at[::-1], values.astype(dtype), [3, 3], _ulps=4)
    run([[0, 0, 1], [0, 0, 0], [0, 1, 1], [1, 0, 2]], values[:4].astype(np.float32), [2, 2, 3], _ulps=4)
    run(np.zeros([0, 2]), values[:0].astype(np.float32), [3, 3])
    run([[0, 0], [0, 1]], np.array([np.inf, 1], np.float32), [3, 3])
    run([0, 1], values[:2].astype(np.float32), [3, 3])
    run(at, values[:, None].astype(np.float32), [3, 3])
    run([[0], [1]], values[:2].astype(np.float32), [3], _says="Input should have rank >= 2")
    run(at, values[:3].astype(np.float32), [3, 3], _says="")


def fake_quant(case):
    x = np.concatenate([np.random.RandomState(0).randn(200) * 4, [np.nan, np.inf, -np.inf, 0, -0.0, 6, -6]])
    x = x.astype(np.float32)
    for low, high in [(-6, 6), (-1.3, 2.7), (0, 6), (1, 6), (-5, -1), (-0.1, 0.1), (-1, 1e-3)]:
        for bits, narrow in [(8, False), (8, True), (2, False), (2, True), (16, False), (4, True)]:
            kw = {"num_bits": bits, "narrow_range": narrow, "_label": f"{low} {high} {bits} {narrow}"}
            case("FakeQuantWithMinMaxArgs", inputs=x, min=low, max=high, **kw)
            low32, high32 = np.float32(low), np.float32(high)
            case("FakeQuantWithMinMaxVars", inputs=x, min=low32, max=high32, **kw)
    lows, highs = np.array([-6, -1.3, 0], np.float32), np.array([6, 2.7, 0], np.float32)
    for shape in [[66, 3], [11, 6, 3], [3], [0, 3]]:
        values = x[: np.prod(shape)].reshape(shape)
        case("FakeQuantWithMinMaxVarsPerChannel", inputs=values, min=lows, max=highs)
    case("FakeQuantWithMinMaxVars", inputs=x[:9], min=0.0, max=0.0)
    case("FakeQuantWithMinMaxVars", inputs=x[:9], min=6.0, max=1.0)
    case("FakeQuantWithMinMaxArgs", inputs=np.zeros([0], np.float32))
    case("FakeQuantWithMinMaxArgs", inputs=x[:9], min=6.0, max=6.0)
    case("FakeQuantWithMinMaxArgs", inputs=x[:9], num_bits=1)
    case("FakeQuantWithMinMaxVars", inputs=x[:9], min=0.0, max=1.0, num_bits=17)
    case("FakeQuantWithMinMaxVars", inputs=x[:9], min=[0.0], max=1.0)
    case("FakeQuantWithMinMaxVarsPerChannel", inputs=x[:9], min=lows, max=highs)
    case("FakeQuantWithMinMaxVarsPerChannel", inputs=x[:9], min=0.0, max=1.0)


def special_functions(case):
    for dtype in FLOATS:
        wide = dtype is np.float64
        for spread in [np.linspace(-9, 9, 200), np.linspace(0.01, 3, 150), [9.5, 10, 26, 27.5, 30, -30, 0, -0.0]]:
            x = np.array(spread).astype(dtype)
            # Stock's float Erfc is less accurate than ours where the result is small.
            case("Erfc", x=x, _ulps=12 if wide else 4, _atol=0 if wide else 1e-7)
        special = np.array([np.nan, np.inf, -np.inf]).astype(dtype)
        case("Erfc", x=special)
        if dtype is BFLOAT16:
            continue  # stock has no kernel of Lgamma
        # Stock rounds intermediate results of half to half; ours are double.
        far = dict(_ulps=8, _atol={np.float16: 4e-3, np.float32: 2e-6}.get(dtype, 1e-14))
        for spread in [np.linspace(0.01, 20, 200), [100, 1e4], np.linspace(-8.9, -0.1, 60), [0.0, -1, -2, np.inf, -np.inf, np.nan]]:
            case("Digamma", x=np.array(spread).astype(dtype), **far)
        size = np.concatenate([np.linspace(0, 4, 60), [1e-3, 60, 1e4]])
        case("Asinh", x=np.concatenate([size, -size, [np.inf, -np.inf, np.nan]]).astype(dtype), **far)
        case("Acosh", x=np.concatenate([1 + size, [0, -3, np.inf, np.nan]]).astype(dtype), **far)
        part = np.linspace(0, 0.99, 50)
        case("Atanh", x=np.concatenate([part, -part, [1, -1, 2, np.inf, np.nan]]).astype(dtype), **far)
        case("Lgamma", x=special)
        for spread in [np.linspace(0.01, 20, 300), [1, 2, 100, 1e4], np.linspace(-8.9, -0.1, 100)]:
            case("Lgamma", x=np.array(spread).astype(dtype), _ulps=4, _atol=1e-14 if wide else 1e-6)
    case("Lgamma", x=np.array([0.0, -0.0, -1, -2, -1e9, 1e-30, -1e-30, 1e30], np.float32), _ulps=4)
    case("Lgamma", x=np.array([0.0, -0.0, -1, -2, 1e-300, -1e-300, 1e300, 1e15], np.float64), _ulps=4)

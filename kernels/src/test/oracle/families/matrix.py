"""Matrix products, bias additions, activations and softmax."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, FLOATS, grid

COMPLEX = [np.complex64, np.complex128]


def small(shape, dtype=np.float32, seed=0):
    """Small integers, so that sums of products are exact in any order."""
    values = np.random.RandomState(seed).randint(0 if np.dtype(dtype).kind == "u" else -4, 5, shape)
    if dtype in COMPLEX:
        return (values + 1j * values[..., ::-1]).astype(dtype)
    return values.astype(dtype)


def normal(shape, dtype=np.float32, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


def record(case):
    mat_mul(case)
    batch_mat_mul(case)
    einsum(case)
    softmax(case)
    cross_entropy(case)
    bias(case)


def mat_mul(case):
    for dtype in FLOATS + [np.int32, np.int64] + COMPLEX:
        case("MatMul", a=small([3, 5], dtype), b=small([5, 4], dtype, 1))
    for shape in [(1, 1, 1), (1, 7, 1), (6, 1, 9), (5, 6, 1), (1, 300, 2), (4, 131, 3), (3, 2, 1100)]:
        m, k, n = shape
        case("MatMul", a=small([m, k]), b=small([k, n], seed=1), _label=str(shape))
        case("MatMul", a=small([m, k], np.int32), b=small([k, n], np.int32, seed=1), _label=str(shape))
    for shape in [(0, 2, 3), (2, 0, 3), (2, 3, 0)]:
        m, k, n = shape
        case("MatMul", a=small([m, k]), b=small([k, n], seed=1), _label=str(shape))
    for a in (False, True):
        for b in (False, True):
            for dtype in [np.float32, np.complex64]:
                x, y = small([3, 4], dtype), small([4, 2], dtype, 1)
                case(
                    "MatMul",
                    a=x.T.copy() if a else x,
                    b=y.T.copy() if b else y,
                    transpose_a=a,
                    transpose_b=b,
                )
    for dtype in [np.float32, np.float64]:
        close = 8e-6 if dtype is np.float32 else 1e-14
        case("MatMul", a=normal([9, 40], dtype), b=normal([40, 11], dtype, 1), _atol=close)
    special = np.array([[np.inf, 1], [np.nan, 0]], np.float32)
    case("MatMul", a=special, b=np.array([[1, 0], [0, 1]], np.float32))
    case("MatMul", a=small([2, 3]), b=small([2, 3]))
    case("MatMul", a=small([2, 3]), b=small([3]), _says="In[1] ndims must be >= 2")
    case("MatMul", a=small([2]), b=small([2]), _says="In[0] ndims must be >= 2")
    case("MatMul", a=small([2, 2, 2]), b=small([2, 2, 2]), _says="")


def batch_mat_mul(case):
    for op in ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"]:

        def typed(x, **kw):
            case(op, x=x, **kw, **(dict(Tout=x.dtype.type) if op == "BatchMatMulV3" else {}))

        for dtype in FLOATS + [np.int32, np.int64] + COMPLEX:
            if op != "BatchMatMulV3" or dtype is not np.float16:
                typed(x=small([2, 3, 5], dtype), y=small([2, 5, 4], dtype, 1))
        for x_adjoint in (False, True):
            for y_adjoint in (False, True):
                for dtype in [np.float32, np.complex128]:
                    x, y = small([2, 3, 4], dtype), small([2, 4, 2], dtype, 1)
                    typed(
                        x=x.transpose(0, 2, 1).copy() if x_adjoint else x,
                        y=y.transpose(0, 2, 1).copy() if y_adjoint else y,
                        adj_x=x_adjoint,
                        adj_y=y_adjoint,
                    )
        typed(x=small([3, 5]), y=small([5, 4]))
        typed(x=small([2, 2, 3, 5]), y=small([2, 2, 5, 1]))
        typed(x=small([0, 3, 5]), y=small([0, 5, 4]))
        typed(x=small([2, 3, 0]), y=small([2, 0, 4]))
        incompatible = "Matrix size-incompatible: In[0]: [2,3,5], In[1]: [2,4,4]"
        typed(x=small([2, 3, 5]), y=small([2, 4, 4]), _says=incompatible)
        typed(x=small([3]), y=small([3]), _says="ndims must be >= 2")
    case("BatchMatMul", x=small([2, 3, 5]), y=small([5, 4]))
    case("BatchMatMul", x=small([2, 3, 5]), y=small([3, 5, 4]))
    for x, y in [([2, 1], [3]), ([1], [4]), ([], [2]), ([2], []), ([1, 2], [3, 1]), ([2, 0], [1])]:
        case("BatchMatMulV2", x=small(x + [3, 2]), y=small(y + [2, 4], seed=1))
    case("BatchMatMulV2", x=small([2, 3, 5]), y=small([3, 5, 4]))
    case("BatchMatMulV3", x=small([2, 3, 5], np.int8), y=small([5, 4], np.int8), Tout=np.int32)
    case("BatchMatMulV3", x=np.abs(small([2, 3, 5])).astype(np.uint8), y=small([5, 4], np.int8), Tout=np.int32)


EQUATIONS = [
    ("ij,jk->ik", [3, 4], [4, 5]),
    ("ij,jk->ki", [3, 4], [4, 5]),
    ("ij,kj->ik", [3, 4], [5, 4]),
    ("bij,bjk->bik", [2, 3, 4], [2, 4, 5]),
    ("abc,cd->abd", [2, 3, 4], [4, 5]),
    ("bhqd,bhkd->bhqk", [2, 2, 3, 4], [2, 2, 5, 4]),
    ("i,i->", [4], [4]),
    ("i,j->ij", [4], [3]),
    ("i,j->ji", [4], [3]),
    ("ij,ij->ij", [3, 4], [3, 4]),
    ("ij,ij->", [3, 4], [3, 4]),
    ("ij,k->i", [3, 4], [2]),
    ("ij,jk->", [3, 4], [4, 5]),
    ("...ij,...jk->...ik", [2, 3, 4], [4, 5]),
    ("...ij,...jk->...ik", [2, 1, 3, 4], [5, 4, 5]),
    ("...ij,...jk->...ik", [3, 4], [4, 5]),
    ("...ij,jk->ik...", [2, 3, 4], [4, 5]),
    ("ij...,jk...->ik...", [3, 4, 2], [4, 5, 1]),
    ("i...,i->...", [3, 4], [3]),
    ("ii,ij->j", [3, 3], [3, 2]),
    ("ij,j->iij", [2, 3], [3]),
    ("", [], []),
]


def einsum(case):
    for dtype in FLOATS + [np.int32, np.int64] + COMPLEX:
        case("Einsum", equation="bij,jk->bki", inputs=[small([2, 3, 4], dtype), small([4, 5], dtype, 1)])
        case("Einsum", equation="ijk->kj", inputs=[small([2, 3, 4], dtype)])
    for equation, x, y in EQUATIONS:
        if equation:
            case("Einsum", equation=equation, inputs=[small(x), small(y, seed=1)], _label=equation)
    for equation, x in [
        ("ij->ji", [3, 4]),
        ("ij->ij", [3, 4]),
        ("ij->i", [3, 4]),
        ("ij->", [3, 4]),
        ("->", []),
        ("ii->i", [3, 3]),
        ("ii->", [3, 3]),
        ("iij->ji", [3, 3, 2]),
        ("i->ii", [3]),
        ("ij->jij", [3, 2]),
        ("...i->i...", [2, 3, 4]),
        ("...i->...", [2, 3, 4]),
        ("...->...", [2, 3]),
        ("...ii->...i", [2, 3, 3]),
        ("ij->ji", [0, 4]),
        ("ij->i", [3, 0]),
    ]:
        case("Einsum", equation=equation, inputs=[small(x)], _label=equation)
    case("Einsum", equation="ij,jk->ik", inputs=[small([0, 3]), small([3, 2])])
    case("Einsum", equation="ij,jk->ik", inputs=[small([2, 0]), small([0, 2])])
    refused = [
        ("ij,jk->ik", [small([2, 3]), small([2, 3])], "Expected dimension 3 at axis 0"),
        ("ij->ji", [small([2])], ""),
        ("...ij->ji", [small([2, 3, 4])], ""),
        ("...ij->...ji", [small([2])], ""),
    ]
    for equation, inputs, says in refused:
        case("Einsum", equation=equation, inputs=inputs, _label=equation)


def softmax(case):
    for op in ["Softmax", "LogSoftmax"]:
        for dtype in FLOATS:
            # Stock accumulates 16-bit floats in their own dtype.
            ulps = 4 if dtype in (np.float32, np.float64) else 2
            case(op, logits=normal([3, 7], dtype), _ulps=ulps, _atol=2e-7 if ulps == 4 else 0)
            case(op, logits=np.array([[1000, -1000, 0], [-np.inf, 0, 1]]).astype(dtype), _ulps=ulps)
        case(op, logits=normal([5]), _ulps=4, _atol=2e-7)
        case(op, logits=normal([2, 3, 4]), _ulps=4, _atol=2e-7)
        if op == "LogSoftmax":  # of Softmax, stock makes 0 of some NaN
            case(op, logits=np.array([[np.nan, 1], [np.inf, 1]], np.float32))
        case(op, logits=normal([0, 3]))
        case(op, logits=normal([2, 1]))


def cross_entropy(case):
    op = "SparseSoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        for index in (np.int32, np.int64):
            labels = np.array([2, 0, 4], index)
            wide = dtype in (np.float32, np.float64)
            close = 2e-7 if wide else {np.float16: 2e-3, BFLOAT16: 2e-2}[dtype]
            case(op, features=normal([3, 5], dtype), labels=labels, _ulps=4, _atol=close)
    case(op, features=normal([0, 5]), labels=np.zeros([0], np.int32))
    case(op, features=normal([3, 5]), labels=[2, 5, 1])
    case(op, features=normal([3, 5]), labels=[2, -1, 1])
    case(op, features=normal([3, 5]), labels=[2, 1])
    case(op, features=normal([3, 0]), labels=[2, 1, 0])
    case(op, features=normal([3]), labels=[2, 1, 0])


def bias(case):
    for dtype in FLOATS + [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]:
        case("BiasAdd", value=grid([2, 3], dtype), bias=grid([3], dtype))
    for shape in [[2, 4, 3], [2, 2, 2, 3], [0, 3], [2, 0, 3]]:
        case("BiasAdd", value=grid(shape), bias=grid([3]))
        case("BiasAddV1", value=grid(shape), bias=grid([3]))
    for shape in [[2, 3], [2, 3, 4], [2, 3, 2, 2], [0, 3, 2]]:
        case("BiasAdd", value=grid(shape), bias=grid([3]), data_format="NCHW")
    case("BiasAdd", value=grid([3]), bias=grid([3]))
    case("BiasAdd", value=grid([2, 3]), bias=grid([1, 3]))
    case("BiasAdd", value=grid([2, 3]), bias=grid([2]))
    for dtype in FLOATS:
        case("L2Loss", t=small([3, 4], dtype))
    case("L2Loss", t=np.float32(3))
    case("L2Loss", t=grid([0]))
    case("L2Loss", t=normal([50]), _ulps=4)
    for dtype in FLOATS:
        values = np.array([1, -1, 0.5, -2.5, 100, -200.75, 0, np.nan, np.inf, -np.inf]).astype(dtype)
        case("LeakyRelu", features=values)
        case("LeakyRelu", features=values, alpha=0.5)
        case("LeakyRelu", features=values, alpha=3.0)
        case("Selu", features=values, _ulps=4)

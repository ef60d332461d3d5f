"""Triangular systems, LU decompositions and logarithms of determinants."""

import numpy as np

from families.signal import normal


def record(case):
    for dtype in [np.float32, np.float64]:
        close = dict(_ulps=64, _atol=1e-4 if dtype is np.float32 else 1e-12)
        for shape in [[3, 3], [1, 1], [0, 0], [2, 4, 4], [0, 2, 2], [2, 1, 5, 5]]:
            matrix = normal(shape, dtype) + 2 * np.eye(shape[-1], dtype=dtype)
            case("LogMatrixDeterminant", input=matrix, **close)
            case("Lu", input=matrix, output_idx_type=np.int32, **close)
            case("Lu", input=matrix, output_idx_type=np.int64, **close)
            for lower in [True, False]:
                for adjoint in [True, False]:
                    right = normal([*shape[:-1], 3], dtype, 1)
                    case("MatrixTriangularSolve", matrix=matrix, rhs=right, lower=lower, adjoint=adjoint, **close)
        case("LogMatrixDeterminant", input=np.zeros([2, 2], dtype), **close)
        case("LogMatrixDeterminant", input=-np.eye(3, dtype=dtype), **close)
        case("LogMatrixDeterminant", input=np.array([[1, 2], [2, 4]], dtype), **close)
        a = normal([3, 1, 4, 4], dtype) + 3 * np.eye(4, dtype=dtype)
        case("MatrixTriangularSolve", matrix=a, rhs=normal([2, 4, 2], dtype), **close)
        case("MatrixTriangularSolve", matrix=a[0, 0], rhs=normal([2, 4, 2], dtype), **close)
        for lower in [True, False]:
            for adjoint in [True, False]:
                for bands in [1, 2, 3, 5]:
                    m = normal([bands, 5], dtype)
                    m[0 if lower else -1] += 3
                    case("BandedTriangularSolve", matrix=m, rhs=normal([5, 2], dtype), lower=lower, adjoint=adjoint, **close)
                many = normal([2, 3, 2, 4], dtype)
                many[..., 0 if lower else -1, :] += 3
                case("BandedTriangularSolve", matrix=many, rhs=normal([3, 4, 2], dtype), lower=lower, adjoint=adjoint, **close)
    square = normal([3, 3])
    solve = lambda m, r, **o: case("MatrixTriangularSolve", matrix=m, rhs=r, **o)
    solve(np.zeros([2, 2], np.float32), normal([2, 1]))
    solve(square[:2], normal([2, 1]), _says="must be square")
    solve(square, normal([2, 1]), _says="In[0] mismatch In[1] shape: 3 vs. 2")
    solve(square[0], normal([3, 1]), _says="In[0] ndims must be >= 2")
    solve(square, normal([3]), _says="In[1] ndims must be >= 2")
    banded = lambda m, r, **o: case("BandedTriangularSolve", matrix=m, rhs=r, **o)
    banded(np.zeros([1, 2], np.float32), normal([2, 1]))
    banded(normal([4, 3]), normal([3, 1]))
    banded(normal([2, 3]), normal([2, 1]), _says="In[0] mismatch In[1] shape: 3 vs. 2")
    banded(normal([3]), normal([3, 1]), _says="")
    for op in ["Lu", "LogMatrixDeterminant"]:
        case(op, input=normal([2, 3]), _says="Input matrix must be square.")
        case(op, input=normal([2]), _says="Input tensor 0 must have rank >= 2, got 1" if op != "Lu" else "")
    case("Lu", input=np.zeros([2, 2], np.float32), _says="Input is not invertible.")

"""Matrix factorizations, determinants, inverses, solvers, eigenvalues and singular values.

OracleTest compares only the part of eigenvectors and singular vectors that the input determines.
"""

import numpy as np
from values import grid

NAN = float("nan")
INF = float("inf")


def normal(shape, dtype=np.float32, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


def definite(shape, dtype=np.float32, seed=0):
    """Well-conditioned symmetric positive definite matrices."""
    x = np.random.RandomState(seed).randn(*shape)
    return (x @ x.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def regular(shape, dtype=np.float32, seed=0):
    """Well-conditioned square matrices."""
    x = np.random.RandomState(seed).randn(*shape)
    return (x + 3 * np.eye(shape[-1])[::-1] * np.sqrt(shape[-1])).astype(dtype)


SIZES = [[1, 1], [2, 2], [3, 3], [7, 7], [30, 30], [2, 3, 3], [2, 0, 4, 4], [0, 0], [3, 0, 0], [2, 2, 5, 5]]


def record(case):
    for dtype, close in [(np.float32, 2e-5), (np.float64, 1e-13)]:
        cholesky(case, dtype, close)
        determinant(case, dtype, close)
        inverse(case, dtype, close)
        solve(case, dtype, close)
        eigen(case, dtype, close)
        qr(case, dtype, close)
        svd(case, dtype, close)
    refused(case)


def cholesky(case, dtype, close):
    for size in SIZES:
        case("Cholesky", input=definite(size, dtype), _atol=close)
    lower = definite([3, 3], dtype)
    lower[0, 2] = 1000  # is not read
    case("Cholesky", input=lower, _atol=close)
    for value in [0, -1, NAN]:
        case("Cholesky", input=np.array([[value]], dtype))
    case("Cholesky", input=np.array([[1, 0], [NAN, 1]], dtype))


def determinant(case, dtype, close):
    for size in SIZES:
        case("MatrixDeterminant", input=regular(size, dtype) / 3, _ulps=200, _atol=close)
    case("MatrixDeterminant", input=np.eye(5)[[1, 0, 3, 4, 2]].astype(dtype), _ulps=4)
    case("MatrixDeterminant", input=np.array([[1, 2], [2, 4]], dtype), _atol=close)
    case("MatrixDeterminant", input=np.array([[0, 2], [0, 4]], dtype), _atol=close)
    case("MatrixDeterminant", input=np.array([[NAN, 1], [1, 1]], dtype))
    large = np.finfo(dtype).max / 4
    case("MatrixDeterminant", input=np.diag(np.array([large, large, 1], dtype)))
    small = np.array([1 / large, large, 1 / large, large, 2], dtype)
    case("MatrixDeterminant", input=np.diag(small), _ulps=2000)


def inverse(case, dtype, close):
    for size in SIZES:
        for adjoint in [False, True]:
            case("MatrixInverse", input=regular(size, dtype), adjoint=adjoint, _atol=close)
    case("MatrixInverse", input=np.array([[0, 1], [1, 0]], dtype))
    case("MatrixInverse", input=np.array([[1, 2], [2, 4]], dtype), _says="Input is not invertible.")
    case("MatrixInverse", input=np.zeros([2, 2, 2], dtype), _says="Input is not invertible.")
    case("MatrixInverse", input=np.array([[1, 2], [3, NAN]], dtype))


def solve(case, dtype, close):
    for size in SIZES:
        for columns in [0, 1, 4]:
            rhs = normal(size[:-1] + [columns], dtype, 1)
            for adjoint in [False, True]:
                case("MatrixSolve", matrix=regular(size, dtype), rhs=rhs, adjoint=adjoint, _atol=close)
    singular = np.array([[1, 2], [2, 4]], dtype)
    case("MatrixSolve", matrix=singular, rhs=np.ones([2, 1], dtype), _says="is not invertible")
    case("MatrixSolve", matrix=singular, rhs=np.ones([2, 0], dtype))


def eigen(case, dtype, close):
    atol = close * 10
    for size in SIZES:
        x = normal(size, dtype)
        case("SelfAdjointEigV2", input=(x + x.swapaxes(-1, -2)) / 2, _atol=atol)
        case("SelfAdjointEigV2", input=x, compute_v=False, _atol=atol)
    for matrix in [np.eye(4), np.zeros([3, 3]), np.ones([5, 5]), np.diag([3, -1, 2, -1]), -grid([1, 1])]:
        case("SelfAdjointEigV2", input=np.array(matrix, dtype), _atol=atol)
    case("SelfAdjointEigV2", input=np.array([[2, 99], [1, 2]], dtype), _atol=atol)
    case("SelfAdjointEigV2", input=np.array([[0, 0], [1e-20, 0]], dtype), compute_v=False, _atol=1e-26)
    case("SelfAdjointEigV2", input=np.array([[1, 0], [NAN, 1]], dtype), _says="was not successful")


SHAPES = SIZES + [[5, 3], [3, 5], [40, 2], [2, 40], [2, 6, 3], [2, 3, 6], [4, 1], [1, 4], [3, 0], [0, 3]]


def qr(case, dtype, close):
    for shape in SHAPES:
        for full in [False, True]:
            case("Qr", input=normal(shape, dtype, 3), full_matrices=full, _atol=close)
    case("Qr", input=np.zeros([3, 2], dtype))
    case("Qr", input=np.eye(3, dtype=dtype))
    case("Qr", input=np.array([[0, 1], [2, 3]], dtype), _atol=close)
    case("Qr", input=np.array([[1, 2], [3, NAN]], dtype), _atol=close)


def svd(case, dtype, close):
    atol = close * 10
    for shape in SHAPES:
        for full in [False, True]:
            case("Svd", input=normal(shape, dtype, 5), full_matrices=full, _atol=atol)
        case("Svd", input=normal(shape, dtype, 5), compute_uv=False, _atol=atol)
    for matrix in [np.zeros([3, 2]), np.eye(4), np.ones([5, 3]), np.ones([2, 4]), np.diag([1, 1e-8, 0, 5])]:
        for full in [False, True]:
            case("Svd", input=np.array(matrix, dtype), full_matrices=full, _atol=atol)
    case("Svd", input=np.array([[1, 2], [3, NAN]], dtype))
    case("Svd", input=np.array([[1, 2, 0], [3, NAN, 0]], dtype), full_matrices=True)
    case("Svd", input=normal([4, 3], dtype) * dtype(1e-18), compute_uv=False, _atol=1e-23)


def refused(case):
    for op in ["Cholesky", "MatrixDeterminant", "MatrixInverse", "SelfAdjointEigV2", "Svd", "Qr"]:
        case(op, input=grid([3]))
        if op not in ("Svd", "Qr"):
            case(op, input=grid([2, 3]))
    case("MatrixSolve", matrix=grid([2, 3]), rhs=grid([2, 1]))
    case("MatrixSolve", matrix=regular([2, 2]), rhs=grid([3, 1]))
    case("MatrixSolve", matrix=regular([2, 2]), rhs=grid([2]))
    case("MatrixSolve", matrix=regular([2, 2]), rhs=grid([1, 2, 1]))
    case("MatrixSolve", matrix=regular([1, 2, 2]), rhs=grid([2, 2, 1]))
    case("MatrixSolve", matrix=grid([2]), rhs=grid([2]))

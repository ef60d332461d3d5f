"""Least squares, tridiagonal systems and products, square roots, and the gradient of Cholesky factors."""

import numpy as np
from values import grid

FAR = {np.float32: 2e-5, np.float64: 1e-13}


def record(case):
    least_squares(case)
    tridiagonal(case)
    products(case)
    gradient(case)
    square_roots(case)


def rand(*shape, seed=0):
    return np.random.RandomState(seed).rand(*shape) - 0.5


def well(*shape, seed=0):
    """Matrices far from rank deficient: larger on the diagonal."""
    matrix = rand(*shape, seed=seed)
    for i in range(min(shape[-2:])):
        matrix[..., i, i] += 2
    return matrix


def least_squares(case):
    def run(matrix, rhs, l2=0.0, **kw):
        case("MatrixSolveLs", matrix=matrix, rhs=rhs, l2_regularizer=np.float64(l2), **kw)

    for dtype in [np.float32, np.float64]:
        near = dict(_atol=FAR[dtype])
        for fast in [True, False]:
            for shape in [[3, 3], [5, 2], [2, 5], [2, 3, 4, 3], [1, 1]]:
                matrix = well(*shape).astype(dtype)
                rhs = rand(*shape[:-1], 2, seed=1).astype(dtype)
                run(matrix, rhs, fast=fast, _label=str(fast), **near)
                run(matrix, rhs, 0.5, fast=fast, _label=str(fast), **near)
            for m, n, k in [[3, 0, 2], [3, 2, 0], [0, 0, 0]]:  # of no equations stock's answer is what was in memory
                run(np.zeros([m, n], dtype), np.zeros([m, k], dtype), fast=fast, _label=str(fast))
            run(np.zeros([0, 3, 2], dtype), np.zeros([0, 3, 1], dtype), fast=fast, _label=str(fast))
        deficient = np.array([[1, 1], [1, 1], [1, 1]], dtype)
        run(deficient, np.array([[1], [2], [3]], dtype), fast=False, **near)
        run(np.zeros([2, 2], dtype), np.ones([2, 1], dtype), fast=False, **near)
        run(deficient, np.array([[1], [2], [3]], dtype), 0.5, **near)
        run(deficient, np.array([[1], [2], [3]], dtype), _says="Input matrix was rank deficient or ill-conditioned.")
        run(deficient.T.copy(), np.ones([2, 1], dtype), _says="Input matrix was rank deficient or ill-conditioned.")
    a, b = grid([3, 2]), grid([3, 1])
    run(a, b, -1.0, _says="l2_regularizer must be >= 0.")
    run(a, b, np.nan, _says="l2_regularizer must be >= 0.")
    run(a, b, [1.0], _says="l2_regularizer must be scalar, got shape [1]", _shapes=False)
    run(a, b[:2], _says="Input matrix and rhs are incompatible.", _shapes=False)
    run(a[0], b, _says="Input tensor 0 must have rank >= 2, got 1", _shapes=False)
    run(a, b[None], _says="All input tensors must have the same rank.", _shapes=False)
    run(a[None], np.stack([b, b]), _says="All input tensors must have the same outer dimensions.", _shapes=False)


def tridiagonal(case):
    ways = [dict(), dict(partial_pivoting=False), dict(perturb_singular=True)]
    for dtype in [np.float32, np.float64]:
        for way in ways:
            label = " ".join(way)
            for shape, k in [[[3, 6], 2], [[3, 2], 1], [[3, 1], 3], [[2, 2, 3, 5], 3], [[3, 0], 2], [[3, 4], 0], [[0, 3, 4], 1]]:
                if k == 0 and "perturb_singular" in way:
                    continue  # stock crashes
                diagonals = rand(*shape).astype(dtype)
                rhs = rand(*shape[:-2], shape[-1], k, seed=1).astype(dtype)
                case("TridiagonalSolve", diagonals=diagonals, rhs=rhs, _label=label, **way)
                if shape[-1]:
                    diagonals[..., 1, :] += 3
                    case("TridiagonalSolve", diagonals=diagonals, rhs=rhs, _label="dominant " + label, **way)
            rhs = np.ones([3, 1], dtype)
            for diagonals in [[[1, 1, 0], [0, 0, 0], [0, 1, 1]], [[1, 1, 0], [1, 1, 1], [0, 1, 0]], [[0, 0, 0], [1, 0, 1], [0, 0, 0]],
                              [[0, 0, 0], [0, 0, 0], [0, 0, 0]], [[2, 2, 0], [1, np.inf, 1], [0, 1, 1]], [[2, np.nan, 0], [1, 2, 1], [0, 1, 1]]]:
                case("TridiagonalSolve", diagonals=np.array(diagonals, dtype), rhs=rhs, _label=f"{diagonals} {label}", **way)
            case("TridiagonalSolve", diagonals=np.zeros([3, 1], dtype), rhs=rhs[:1], _label=label, **way)
            case("TridiagonalSolve", diagonals=np.full([3, 2], np.finfo(dtype).tiny * 8), rhs=rhs[:2], _label="tiny " + label, **way)
    a, b = grid([3, 4]), grid([4, 2])
    case("TridiagonalSolve", diagonals=a, rhs=b, partial_pivoting=False, perturb_singular=True, _shapes=False,
         _says="Setting perturb_singular requires also setting partial_pivoting.")
    case("TridiagonalSolve", diagonals=a[:2], rhs=b, _says="Expected diagonals to be provided as a matrix with 3 rows, got 2 rows.", _shapes=False)
    case("TridiagonalSolve", diagonals=a, rhs=b[:3], _says="Expected the same number of left-hand sides and right-hand sides, got 4 and 3.", _shapes=False)
    case("TridiagonalSolve", diagonals=a[0], rhs=b, _says="Input tensor 0 must have rank >= 2, got 1", _shapes=False)
    case("TridiagonalSolve", diagonals=a, rhs=b[None], _says="All input tensors must have the same rank.", _shapes=False)


def products(case):
    for dtype in [np.float32, np.float64]:
        for shape in [[4, 3], [1, 2], [2, 3, 5, 2], [4, 0], [0, 3], [0, 4, 2]]:
            if shape == [0, 3]:
                continue  # stock reads past the end
            rhs = rand(*shape).astype(dtype)
            upper, middle, lower = [rand(*shape[:-2], 1, shape[-2], seed=i).astype(dtype) for i in [1, 2, 3]]
            case("TridiagonalMatMul", superdiag=upper, maindiag=middle, subdiag=lower, rhs=rhs)
        special = np.array([[1, np.inf], [0, np.nan], [-1, 2]], dtype)
        ones = np.ones([1, 3], dtype)
        case("TridiagonalMatMul", superdiag=ones, maindiag=2 * ones, subdiag=0 * ones, rhs=special)
    d, r = grid([1, 4]), grid([4, 2])
    case("TridiagonalMatMul", superdiag=d[:, :3], maindiag=d, subdiag=d, rhs=r, _says="Invalid superdiagonal shape.", _shapes=False)
    case("TridiagonalMatMul", superdiag=d, maindiag=r.T.copy(), subdiag=d, rhs=r, _says="Invalid main diagonal shape.", _shapes=False)
    case("TridiagonalMatMul", superdiag=d, maindiag=d, subdiag=d[:, :2], rhs=r, _says="Invalid subdiagonal shape.", _shapes=False)
    case("TridiagonalMatMul", superdiag=d, maindiag=d, subdiag=d, rhs=r[None], _says="All input tensors must have the same rank.", _shapes=False)


def gradient(case):
    for dtype in [np.float32, np.float64]:
        for shape in [[1, 1], [4, 4], [2, 3, 5, 5], [40, 40], [0, 0], [0, 3, 3]]:
            l = (rand(*shape) / max(shape[-1], 1)).astype(dtype)
            for i in range(shape[-1]):
                l[..., i, i] = 1 + abs(l[..., i, i])
            case("CholeskyGrad", l=l, grad=rand(*shape, seed=1).astype(dtype), _ulps=32, _atol=5 * FAR[dtype])
        case("CholeskyGrad", l=np.array([[0, 0], [1, 1]], dtype), grad=np.ones([2, 2], dtype))
    a = grid([3, 3])
    case("CholeskyGrad", l=a, grad=a[:2, :2], _says="Inputs (L and grad) must have the same shape.", _shapes=False)
    case("CholeskyGrad", l=a[:2], grad=a[:2], _says="Inputs must be a square matrices.", _shapes=False)
    case("CholeskyGrad", l=a[0], grad=a[0], _says="Input tensor 0 must have rank >= 2, got 1", _shapes=False)


def square_roots(case):
    for dtype in [np.float32, np.float64]:
        for shape in [[1, 1], [2, 2], [5, 5], [2, 3, 4, 4], [20, 20], [0, 0], [0, 3, 3]]:
            case("MatrixSquareRoot", input=well(*shape).astype(dtype), _atol=5 * FAR[dtype])
        for matrix in [[[0, -1], [1, 0]], [[4, 1], [0, 9]], [[1, 0], [0, 0]], [[-1, 0], [0, 1]], [[1, 2], [3, 4]], [[0, 0], [0, 0]],
                       [[2, 1, 0], [0, 2, 1], [0, 0, 2]], [[1, np.nan], [0, 1]], [[np.inf, 0], [0, 1]]]:
            case("MatrixSquareRoot", input=np.array(matrix, dtype), _atol=5 * FAR[dtype], _label=str(matrix))
    a = grid([3, 3])
    case("MatrixSquareRoot", input=a[:2], _says="Input matrix must be square.", _shapes=False)
    case("MatrixSquareRoot", input=a[0], _says="Input tensor 0 must have rank >= 2, got 1", _shapes=False)

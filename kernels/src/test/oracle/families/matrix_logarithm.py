"""Logarithms of matrices."""

import numpy as np

from families.signal import normal


def record(case):
    for kind, far in [(np.complex64, 1e-4), (np.complex128, 1e-12)]:
        logarithm = lambda x, **kw: case("MatrixLogarithm", input=np.array(x).astype(kind), _atol=far, **kw)

        def regular(shape, seed):
            noise = normal(shape, np.float64, seed) + 1j * normal(shape, np.float64, seed + 1)
            return 2 * np.eye(shape[-1]) + 0.5 * noise / np.sqrt(shape[-1])

        for shape in [[1, 1], [2, 2], [3, 3], [5, 5], [2, 3, 4, 4], [0, 3, 3], [2, 0, 0], [0, 0], [16, 16]]:
            logarithm(regular(shape, 3))
            logarithm(regular(shape, 5).real)
            logarithm(regular(shape, 7) * np.exp(1j))
        logarithm(np.eye(4))
        logarithm(np.diag([1, 2, 3, 4]))
        logarithm(np.diag([1e-3, 1e3, 1j, -1j, 2 - 1e-3j]))
        logarithm([[2, 1], [0, 2]])
        logarithm([[2, 1, 0], [0, 2, 1], [0, 0, 2]])
        logarithm([[1, 2, 1], [0, -1, 3], [0, 0, 2]])
        logarithm([[-1, 0, 0], [0, -1, 0], [0, 0, 2]])
        logarithm([[0, -1], [1, 0]])
        logarithm([[3, 1], [1, 3]])
        if kind == np.complex128:
            logarithm([[0]])
        logarithm([[1j]])
        logarithm([[-2]])
        logarithm(np.zeros([2, 2]))
        logarithm([[1, 2], [0, 0]])
        logarithm([[np.nan, 0], [0, 2]])
        logarithm([[np.inf, 0], [0, 2]])
    case("MatrixLogarithm", input=np.ones([2, 3], np.complex64), _says="Input matrix must be square.", _shapes=False)
    case("MatrixLogarithm", input=np.ones([3], np.complex64), _says="Input tensor 0 must have rank >= 2, got 1", _shapes=False)

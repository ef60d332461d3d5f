"""Eigenvalues and eigenvectors of matrices that are not symmetric."""

import numpy as np
import tensorflow as tf

from families.signal import normal


def record(case):
    for kind in [np.float32, np.float64, np.complex64, np.complex128]:
        single = kind in (np.float32, np.complex64)
        out = tf.complex64 if single else tf.complex128

        def eig(x, far=2e-4 if single else 1e-12, **kw):
            case("Eig", input=np.array(x).astype(kind), Tout=out, _atol=far, **kw)

        def matrix(shape, seed):
            """A matrix whose vectors have determined phases: with real eigenvalues, or triangular if complex."""
            noise = normal(shape, np.float64, seed)
            if kind in (np.complex64, np.complex128):
                return np.triu(noise + 1j * normal(shape, np.float64, seed + 100))
            n = shape[-1]
            basis = np.eye(n) + 0.3 * noise / np.sqrt(max(n, 1))
            return basis @ np.diag(1.8 ** np.arange(n)) @ np.linalg.inv(basis)

        for shape in [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [2, 3, 4, 4], [0, 3, 3], [2, 0, 0], [0, 0]]:
            for seed in range(3):
                if (shape, seed) not in [([5, 5], 1), ([2, 3, 4, 4], 1)]:  # where rounding decides an order, a sign
                    eig(matrix(shape, seed))
        for triangle in [np.diag([1, 2, 3]), np.triu(np.arange(1, 17).reshape(4, 4)), [[3, 1], [0, 1]], np.zeros([3, 3])]:
            eig(triangle)
        eig([[2, 1], [0, 2]])
        if kind in (np.float32, np.float64):
            for n, seed in [(3, 0), (4, 0), (5, 1)]:
                eig(normal([n, n], np.float64, seed))
            eig([[0, 1], [-1, 0]])
            eig([[1, 2], [-3, 4]])
            eig([[1, 2, 3], [-3, 4, 5], [0, 0, 6]])
            eig([[6, 2, 3], [0, 1, 2], [0, -3, 4]])
            eig([[1, 2, 5, 6], [-3, 4, 7, 8], [0, 0, 3, 1], [0, 0, -2, 5]])
            eig([[1, 2, 5, 6], [-3, 1, 7, 8], [0, 0, 1, 2], [0, 0, -3, 1]], 1)
        for odd in [np.nan, np.inf]:
            eig([[1, odd], [2, 3]], _says="was not successful")
    case("Eig", input=np.ones([2, 3], np.float32), Tout=tf.complex64, _says="Input matrix must be square.", _shapes=False)
    case("Eig", input=np.ones([3]), Tout=tf.complex128, _says="Input tensor 0 must have rank >= 2, got 1", _shapes=False)
    case("Eig", input=np.eye(2), Tout=tf.complex64)
    case("Eig", input=np.eye(2, dtype=np.float32), Tout=tf.complex128)

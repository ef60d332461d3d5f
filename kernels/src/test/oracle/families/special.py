"""Bessel functions, incomplete gamma and beta functions, zeta, and other functions without a closed form."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, FLOATS, INTEGERS, KINDS, grid

ENDS = [0.0, -0.0, np.nan, np.inf, -np.inf]


def record(case):
    bessel(case)
    integrals(case)
    gamma(case)
    beta(case)
    zeta(case)
    neighbors(case)
    bits(case)
    scans(case)
    truth(case)


def tolerance(dtype):
    """Of functions whose float approximations are coarser in stock than here; half is computed as float."""
    if dtype is np.float64:
        return dict(_ulps=8, _atol=2e-15)
    return dict(_ulps=16 if dtype is np.float32 else 8, _atol=2e-6 if dtype is np.float32 else 0)


def bessel(case):
    small = np.linspace(0.01, 12, 150)
    for dtype in [np.float16, np.float32, np.float64]:
        for op in ["I0", "I0e", "I1", "I1e", "J0", "J1"]:
            x = np.concatenate([small, -small, [20, -20, 45, -45, 1e-3, -1e-6]])
            case("Bessel" + op, x=x.astype(dtype), _label="spread", **tolerance(dtype))
            case("Bessel" + op, x=np.array(ENDS + [90, -90, 800]).astype(dtype), _label="ends", **tolerance(dtype))
        for op in ["K0", "K0e", "K1", "K1e", "Y0", "Y1"]:
            x = np.concatenate([small, [20, 30, 45, 60]])
            case("Bessel" + op, x=x.astype(dtype), _label="spread", **tolerance(dtype))
            case("Bessel" + op, x=np.array(ENDS + [-1, -30, 2, 5, 8]).astype(dtype), _label="ends", **tolerance(dtype))
    case("BesselI0", x=np.zeros([0, 3], np.float32))
    case("BesselJ1", x=np.zeros([2, 0], np.float64))


def integrals(case):
    both = np.concatenate([np.linspace(0.01, 9, 150), [20, 50, 100, 1e3, 3e4, 4e4]])
    both = np.concatenate([both, -both, ENDS])
    for dtype in [np.float32, np.float64]:
        near = tolerance(dtype)
        far = np.array([1e9, 1e10, 1e12, -1e9, -1e12])
        case("Dawsn", x=np.concatenate([both, far]).astype(dtype), **near)
        for op in ["FresnelCos", "FresnelSin"]:
            case(op, x=both[np.abs(both) < 30].astype(dtype), _label="spread", **near)
            case(op, x=np.array(ENDS + [36974.5, -36974.5, 1e9, -1e9]).astype(dtype), _label="ends", **near)
        positive = np.concatenate([np.linspace(0.01, 80, 200), [0.372, 1, 2, 4, 8, 16, 32, 64, 85], ENDS, [-1]])
        case("Expint", x=positive.astype(dtype), **near)
        case("Spence", x=np.concatenate([np.linspace(0.01, 4, 150), [10, 1e3, 1e6, 1, 0.5, 1.5, 2, -1], ENDS]).astype(dtype), **near)
        inside = np.linspace(0.001, 0.999, 200)
        tails = [0, 1, 1e-3, 1e-6, 1e-10, 1e-20, 1e-30, 0.1353, 0.8646, 0.99999]
        case("Ndtri", x=np.concatenate([inside, tails, [-0.5, 1.5], ENDS]).astype(dtype), **near)
        case("Erfinv", x=np.concatenate([2 * inside - 1, [1, -1, 2, -2, 0.99999, 1e-6], ENDS]).astype(dtype), **near)
        case("Erfinv", x=np.zeros([0], dtype))


# Stock computes floats in float, with powers and logarithms of numbers that are rounded to float.
COARSE = {np.float32: dict(_ulps=64, _atol=3e-5), np.float64: dict(_ulps=2048, _atol=1e-13)}


def gamma(case):
    a = np.array([1e-3, 0.1, 0.5, 1, 1.5, 2, 5, 10, 30, 100])[:, None]
    x = np.array([1e-3, 0.1, 0.5, 0.9, 1, 1.1, 2, 5, 9, 11, 20, 29, 31, 50, 90, 101, 150, 400])
    ends = np.array(ENDS + [1, -1, 2])
    for dtype in [np.float32, np.float64]:
        for op in ["Igamma", "Igammac", "IgammaGradA"]:
            case(op, a=a.astype(dtype), x=x.astype(dtype), _label="spread", **COARSE[dtype])
            case(op, a=ends[:, None].astype(dtype), x=ends.astype(dtype), _label="ends", **COARSE[dtype])
    case("Igamma", a=np.ones([2, 1], np.float32), x=np.ones([0], np.float32))
    case("Igamma", a=np.ones([2], np.float32), x=np.ones([3], np.float32), _says="Incompatible shapes")


def beta(case):
    a = np.array([1e-3, 0.1, 0.5, 1, 1.5, 2, 5, 10, 30, 100])
    b, at = [g.ravel() for g in np.meshgrid(a, [0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.96, 0.999])]
    ends = [g.ravel() for g in np.meshgrid([0, -1, 1, 2, np.nan], [0, -1, 1, 2, np.nan], [0, 1, -0.5, 1.5, 0.5, np.nan])]
    for dtype in [np.float32, np.float64]:
        for first in a:
            each = np.full_like(b, first).astype(dtype)
            case("Betainc", a=each, b=b.astype(dtype), x=at.astype(dtype), _label=str(first), **COARSE[dtype])
        p, q, r = [e.astype(dtype) for e in ends]
        case("Betainc", a=p, b=q, x=r, _label="ends", **COARSE[dtype])
        case("Betainc", a=dtype(2), b=dtype(3), x=at.astype(dtype), **COARSE[dtype])
        case("Betainc", a=at.astype(dtype).reshape(8, -1), b=dtype(3), x=dtype(0.3), **COARSE[dtype])
        case("Betainc", a=dtype(2), b=dtype(3), x=dtype(0.25), **COARSE[dtype])
    three = np.ones([3], np.float32)
    case("Betainc", a=three, b=three[:2], x=three, _says="Shapes of a and b are inconsistent: [3] vs. [2]")
    case("Betainc", a=three, b=three, x=three[:2], _says="Shapes of a and x are inconsistent: [3] vs. [2]")
    case("Betainc", a=np.float32(1), b=three, x=three[:2], _says="Shapes of b and x are inconsistent: [3] vs. [2]")
    case("Betainc", a=three[:, None], b=three, x=three, _says="Shapes of a and b are inconsistent: [3,1] vs. [3]")
    case("Betainc", a=three[:0], b=three[:0], x=three[:0])


def zeta(case):
    x = np.array([1.0001, 1.5, 2, 2.5, 3, 5, 8.5, 20, 60, 1, 0.5, 0, -2, 4])[:, None]
    q = np.array([1e-3, 0.1, 0.5, 1, 1.5, 3, 8, 9, 10, 25, 100, 0, -1, -2, -0.5, -3.5])
    orders = np.array([0, 1, 2, 3, 4, 7, 15, 30, -1, 0.5])[:, None]
    ends = np.array(ENDS + [1, 2, 3, -1])
    for dtype in [np.float32, np.float64]:
        if dtype is np.float32:
            q = q[:-1]  # the terms of -3.5 cancel
        case("Zeta", x=x.astype(dtype), q=q.astype(dtype), _label="spread", **COARSE[dtype])
        case("Zeta", x=ends[:, None].astype(dtype), q=ends.astype(dtype), _label="ends", **COARSE[dtype])
        case("Polygamma", a=orders.astype(dtype), x=q.astype(dtype), _label="spread", **COARSE[dtype])
        case("Polygamma", a=ends[:, None].astype(dtype), x=ends.astype(dtype), _label="ends", **COARSE[dtype])


def neighbors(case):
    for dtype in [np.float32, np.float64]:
        largest = np.finfo(dtype).max
        x = np.array(ENDS + [1, -1, 0.1, 1e-20, largest, -largest], dtype)
        case("NextAfter", x1=x[:, None], x2=x)
        case("NextAfter", x1=x[:1], x2=x[:0])
    case("NextAfter", x1=np.ones([2], np.float32), x2=np.ones([3], np.float32), _says="Incompatible shapes")
    for dtype in [np.float32, np.float64]:
        x = np.array([1, 1, 1, 1, 0, -1, np.nan, np.inf, np.inf, -np.inf, np.nan], dtype)
        y = np.array([1, 1.000001, 1.00001, 1.1, -0.0, 1, 1, np.inf, 1, np.inf, np.nan], dtype)
        case("ApproximateEqual", x=x, y=y)
        case("ApproximateEqual", x=x, y=y, tolerance=0.1)
        case("ApproximateEqual", x=x, y=y, tolerance=0.0)
        case("ApproximateEqual", x=x, y=y, tolerance=-1.0)
    case("ApproximateEqual", x=np.zeros([0, 2], np.float32), y=np.zeros([0, 2], np.float32))


def bits(case):
    for dtype in INTEGERS:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        case("PopulationCount", x=np.array([0, 1, 2, 3, 7, 100, low, low + 1, high, high - 1, high // 3], dtype))
    case("PopulationCount", x=np.zeros([2, 0], np.int32))


def scans(case):
    values = np.array([[0.5, -1, 3, 2], [10, -20, 0, 1], [-3, -3, -3, 88]])
    for dtype in FLOATS:
        ulps = {np.float64: 4, np.float32: 4}.get(dtype, 2)
        atol = {np.float64: 1e-15, np.float32: 2e-6}.get(dtype, 4e-3)
        for axis in [0, 1, -1]:
            for exclusive in [False, True]:
                for reverse in [False, True]:
                    kw = dict(exclusive=exclusive, reverse=reverse, _label=f"{axis} {exclusive} {reverse}")
                    case("CumulativeLogsumexp", x=values.astype(dtype), axis=axis, _ulps=ulps, _atol=atol, **kw)
        special = np.array([-np.inf, -np.inf, 1, np.inf, -np.inf, 3]).astype(dtype)
        case("CumulativeLogsumexp", x=special, axis=0, _ulps=ulps, _atol=atol)
        case("CumulativeLogsumexp", x=special[:2], axis=0, exclusive=True)
    case("CumulativeLogsumexp", x=np.zeros([0, 3], np.float32), axis=1)
    case("CumulativeLogsumexp", x=np.zeros([3, 0], np.float32), axis=np.int64(0))
    case("CumulativeLogsumexp", x=grid([2, 2]), axis=2, _says="Expected scan axis in the range [-2, 2), but got 2")
    case("CumulativeLogsumexp", x=grid([2, 2]), axis=[0, 1], _says="ScanOp: axis must be a scalar", _shapes=False)


def truth(case):
    for dtype in [*KINDS, np.bool_, np.int8, np.float64]:
        if dtype is np.complex64:
            continue
        case("ToBool", input=grid([1], dtype)[0] if dtype is not np.str_ else np.array(b"x"))
        case("ToBool", input=np.zeros([], dtype) if dtype is not np.str_ else np.array(b""))
        case("ToBool", input=grid([2, 3], dtype))
        case("ToBool", input=grid([2, 0], dtype))
    case("ToBool", input=np.float32(np.nan))
    case("ToBool", input=np.float32(-0.0))
    for dtype in [np.float16, BFLOAT16, np.uint16, np.uint32, np.uint64, np.complex64, np.complex128]:
        case("ToBool", input=np.ones([], dtype), _says="")
        case("ToBool", input=np.ones([1], dtype))

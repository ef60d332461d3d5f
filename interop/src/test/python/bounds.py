"""The comparison of two answers, within the bounds of docs/ops.md."""

import numpy as np
import tensorflow as tf

import calls
from calls import ENUM, NUMPY, Call
from engine import BUG, Answer

# Sums of terms, with the bound eps * (k + 1) * (the sum of the absolute values).
SUMS = {
    "Sum", "Mean", "Prod", "EuclideanNorm", "Cumsum", "Cumprod", "SegmentSum", "SegmentMean", "SegmentProd",
    "SegmentSumV2", "SegmentProdV2", "UnsortedSegmentSum", "UnsortedSegmentProd", "SparseSegmentSum", "SparseSegmentMean",
    "SparseSegmentSqrtN", "SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad",
    "SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2", "MatMul", "BatchMatMul",
    "BatchMatMulV2", "BatchMatMulV3", "Einsum", "Conv", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D",
    "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
    "DepthwiseConv2dNativeBackpropInput", "AvgPool", "AvgPool3D", "AvgPoolGrad", "AvgPool3DGrad", "BiasAddGrad",
    "SparseTensorDenseMatMul", "SparseReduceSum", "SparseReduceSumSparse", "L2Loss", "LRN", "LRNGrad", "AddN",
    "_FusedConv2D", "_FusedMatMul", "_FusedDepthwiseConv2dNative", "SparseTensorDenseAdd", "ScatterNd",
    "TensorScatterAdd", "TensorScatterSub", "SparseAdd", "Bincount", "DenseBincount", "SparseBincount", "RaggedBincount",
    "CropAndResizeGradImage", "CropAndResizeGradBoxes", "TridiagonalMatMul",
}

# Of these, outputs of a matrix that is nearly singular have no exact digits.
DECOMPOSITIONS = {
    "Cholesky", "MatrixInverse", "MatrixSolve", "MatrixTriangularSolve", "BandedTriangularSolve", "MatrixDeterminant",
    "LogMatrixDeterminant", "Qr", "Lu", "Svd", "SelfAdjointEigV2", "MatrixExponential", "TridiagonalSolve",
    "MatrixSolveLs", "MatrixSquareRoot", "CholeskyGrad",
}

# Ops that stock computes in float at most, with differences of nearly equal numbers on the way.
NO_DOUBLE = {"LRN", "LRNGrad"}

# Ops in which one side multiplies an infinity by a weight or padding of zero, and the other leaves the term out.
ZERO_TIMES_INFINITY = SUMS | DECOMPOSITIONS | {
    "FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", "RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D",
    "ScaleAndTranslate", "ResizeBilinear", "ResizeBicubic", "ResizeArea", "CropAndResize", "ImageProjectiveTransformV2",
    "ImageProjectiveTransformV3", "ApplyFtrl", "ResourceApplyFtrl", "ResourceApplyFtrlV2", "ResourceSparseApplyFtrl",
    "ResourceSparseApplyFtrlV2", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx",
    "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "AudioSpectrogram",
}

# The outputs that the inputs determine (ComparableOutputs.java).
DETERMINED = {
    "Eig": 1, "SelfAdjointEigV2": 1, "Svd": 1, "Qr": 0, "FusedBatchNormV3": 5, "_FusedBatchNormEx": 5, "FusedBatchNormGrad": 3,
    "FusedBatchNormGradV2": 3, "FusedBatchNormGradV3": 3,
}

FINER = {np.dtype(np.float16): np.float32, NUMPY[tf.bfloat16.as_datatype_enum]: np.float32,
         np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}

EPSILONS = {np.dtype(np.float16): 2.0**-10, NUMPY[tf.bfloat16.as_datatype_enum]: 2.0**-7,
            np.dtype(np.float32): 2.0**-23, np.dtype(np.complex64): 2.0**-23}

TINY = {np.dtype(np.float16): 2.0**-14, np.dtype(np.float64): 2.0**-1022, np.dtype(np.complex128): 2.0**-1022}


class Bounds:
    """Compares answers; `tolerances` are those of the recorded cases, by op and dtype."""

    def __init__(self, tolerances: dict[tuple[str, int], tuple[float, float]]):
        self.tolerances = tolerances
        self.inexact = SUMS | {op for (op, _), (ulps, atol) in tolerances.items() if ulps or atol}

    def difference(self, call: Call, row: int, expected: Answer, actual: Answer) -> str | None:
        """How `actual` differs from stock's answer; None if it does not."""
        if actual.code == BUG:
            return f"bug: {actual.message}"
        if expected.code != actual.code:
            return (f"code {actual.code} instead of {expected.code}: ours {actual.message[:200]!r},"
                    f" stock's {expected.message[:200]!r}")
        if expected.code:
            return None
        if len(expected.outputs) != len(actual.outputs):
            return f"{len(actual.outputs)} outputs instead of {len(expected.outputs)}"
        determined = DETERMINED.get(call.op, len(expected.outputs))
        for index, (e, a) in enumerate(zip(expected.outputs[:determined], actual.outputs)):
            if e is None or a is None:
                continue
            if e.dtype != a.dtype:
                return f"dtype of output {index} is {a.dtype} instead of {e.dtype}"
            if e.shape != a.shape:
                return f"shape of output {index} is {a.shape} instead of {e.shape}"
            if not same(e, a):
                near = self.near(call, row, index, e, a)
                if not near.all():
                    return f"value of output {index}: {shown(e, a, near)}"
        return None

    def near(self, call: Call, row: int, index: int, expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
        """Whether each number is within its bound."""
        dtype = expected.dtype
        if dtype not in EPSILONS and dtype not in TINY:
            return np.asarray(expected == actual)
        near = equal(expected, actual) | flushed(expected, actual)
        is_half = dtype.itemsize == 2 and call.op in self.inexact
        if dtype.kind == "c" or is_half or call.op in ZERO_TIMES_INFINITY and has_infinity(call, row):
            near |= ~np.isfinite(expected) | ~np.isfinite(actual)
        if call.op not in self.inexact:
            return near
        dtypes = {dtype} | {a.dtype for a in call.arrays(row)}
        found = [self.tolerances.get((call.op, ENUM.get(d)), (0, 0)) for d in dtypes]
        ulps, atol = max(u for u, _ in found), max(a for _, a in found)
        # Of double there is no wider dtype that would tell which of the two is the less exact.
        near |= close(expected, actual, max(ulps, 4 if dtype in FINER else 16), atol)
        if call.op in NO_DOUBLE:
            largest = np.max(np.abs(wide(expected)), initial=0, where=np.isfinite(expected))
            near |= np.abs(wide(expected) - wide(actual)) <= 1e-4 * largest
        if not near.all() and call.op in SUMS:
            near |= self.is_within_sum(call, row, index, expected, actual)
        if not near.all() and dtype in FINER:
            fine = self.finer(call, row, index)
            if fine is not None and fine.shape == expected.shape:
                near |= close(fine, actual, max(ulps, 8), 0, dtype)
        return near | (call.op in DECOMPOSITIONS)

    def is_within_sum(self, call, row, index, expected, actual) -> np.ndarray:
        magnitudes = self.finer(call, row, index, magnitude)
        if magnitudes is None:
            magnitudes = self.finer(call, row, index, magnitude, widen=False)
        if magnitudes is None or magnitudes.shape != expected.shape:
            return np.zeros(expected.shape, bool)
        terms = max([a.size for a in call.arrays(row)] + [1]) + 1
        # TensorFlow's 16-bit sums are rounded more often than ours; both are bounded so.
        epsilon = EPSILONS.get(expected.dtype, 2.0**-52)
        with np.errstate(all="ignore"):
            distance = np.abs(wide(expected) - wide(actual))
            size = np.nan_to_num(np.abs(wide(magnitudes)), nan=np.inf, posinf=np.inf)
            return distance <= 2 * epsilon * terms * size

    def finer(self, call: Call, row: int, index: int, change=lambda v: v, widen=True) -> np.ndarray | None:
        """Stock's output in the next wider dtype, of the same inputs."""

        def widened(value):
            if isinstance(value, list):
                return [widened(v) for v in value]
            if value.dtype in FINER or value.dtype in TINY:
                return change(value.astype(FINER.get(value.dtype, value.dtype) if widen else value.dtype))
            return value

        attrs = {name: widened_type(value) if widen else value for name, value in call.attrs.items()}
        wide_row = {name: widened(value) for name, value in call.rows[row].items()}
        wide_call = Call(call.op, [wide_row], attrs, variables=call.variables)
        try:
            answer = calls.stock(wide_call, 0)
        except calls.Unfit:
            return None
        return answer.outputs[index] if answer.code == 0 else None


def magnitude(value: np.ndarray) -> np.ndarray:
    """The absolute values, in the same dtype."""
    return np.abs(value).astype(value.dtype)


def widened_type(value):
    if isinstance(value, tf.DType | type | np.dtype):
        dtype = np.dtype(tf.as_dtype(value).as_numpy_dtype)
        return tf.as_dtype(FINER[dtype]) if dtype in FINER else value
    return value


def same(expected: np.ndarray, actual: np.ndarray) -> bool:
    """Whether all bits are equal, apart from those of NaNs."""
    if expected.dtype == object:
        return bool((expected == actual).all())
    if expected.tobytes() == actual.tobytes():
        return True
    if expected.dtype.kind == "c":
        return same_parts(expected.real, actual.real) and same_parts(expected.imag, actual.imag)
    return same_parts(expected, actual)


def same_parts(expected: np.ndarray, actual: np.ndarray) -> bool:
    return bool(np.all(equal(expected, actual)))


def equal(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Whether each number has the same bits, or both are NaN."""
    if expected.dtype.kind == "c":
        return equal(expected.real, actual.real) & equal(expected.imag, actual.imag)
    result = (expected == actual) & (np.signbit(expected) == np.signbit(actual))
    return result if expected.dtype.kind in "iub" else result | np.isnan(expected) & np.isnan(actual)


def flushed(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Whether one number is subnormal and the other so, too, or a zero: TensorFlow flushes some to zero."""
    tiny = TINY.get(expected.dtype, 2.0**-126) * 2.0**10
    e, a = np.abs(wide(expected)), np.abs(wide(actual))
    return (e < tiny) & (a < tiny) & ((e != 0) | (a != 0))


def has_infinity(call: Call, row: int) -> bool:
    floats = [a for a in call.arrays(row) if a.dtype in EPSILONS or a.dtype in TINY]
    return not all(np.isfinite(a).all() for a in floats)


def wide(value: np.ndarray) -> np.ndarray:
    return value if value.dtype.kind == "c" else value.astype(np.float64)


def close(expected: np.ndarray, actual: np.ndarray, ulps: float, atol: float, dtype=None) -> np.ndarray:
    """Whether each number is within `ulps` units in the last place of `dtype`, or within `atol`."""
    dtype = dtype or expected.dtype
    epsilon = EPSILONS.get(dtype, 2.0**-52)
    tiny = TINY.get(dtype, 2.0**-126)
    with np.errstate(all="ignore"):
        e, a = wide(expected), wide(actual)
        magnitude = np.abs(e)
        exponent = np.floor(np.log2(np.maximum(magnitude, tiny)))
        distance = np.abs(e - a)
        near = (distance <= ulps * epsilon * np.exp2(exponent)) | (distance <= atol)
        near |= (e == a) | (np.isnan(e) & np.isnan(a))
        limit = {np.dtype(np.float16): 65504.0, np.dtype(np.float64): np.inf}.get(dtype, 3.4028e38)
        return near | ((magnitude >= limit) & np.isinf(a) & (np.sign(e) == np.sign(a)) & np.isfinite(e))


def shown(expected: np.ndarray, actual: np.ndarray, near: np.ndarray) -> str:
    """The first elements that differ."""
    e, a = expected.reshape(-1), actual.reshape(-1)
    at = np.flatnonzero(~np.asarray(near).reshape(-1))
    return f"{len(at)} of {e.size} differ: " + ", ".join(f"[{i}] {a[i]!r} instead of {e[i]!r}" for i in at[:3])

"""Differences from stock TensorFlow that docs/ops.md states, or where stock's answer depends on an element's place."""

import re

import numpy as np

from calls import Call
from engine import Answer


def known(call: Call, row: int, expected: Answer, actual: Answer, text: str) -> bool:
    if expected.code == UNIMPLEMENTED and actual.code == 0:
        return True  # more dtypes than stock's
    if actual.code == 0 and LACKING.search(expected.message):
        return True  # layouts, dilations and fusions that stock has on GPUs only
    if actual.code == RESOURCE_EXHAUSTED:
        return True  # more elements than a Java array has
    check = CHECKS.get(call.op)
    return check is not None and check(call, row, expected, actual, text)


INVALID_ARGUMENT = 3
RESOURCE_EXHAUSTED = 8
UNIMPLEMENTED = 12

LACKING = re.compile(
    r"only supports (the )?ND?HWC|not yet support dilation rates|not supported on CPU"
    r"|Do not have a compute function registered|filter_size does not have enough elements")


def only_signs_of_zeros(call, row, expected, actual, text) -> bool:
    """Ours orders -0 before +0, or yields +0; stock's depends on the place in the tensor."""
    return text.startswith("value") and all(
        bool(np.all((e == a) | (e != e) & (a != a))) for e, a in zip(expected.outputs, actual.outputs))


def is_cast_of_what_does_not_fit(call, row, expected, actual, text) -> bool:
    """Of a float outside the integer's range stock's result depends on the place in the tensor."""
    x = call.rows[row]["x"]
    if not text.startswith("value") or x.dtype == object:
        return False
    e, a = expected.outputs[0], actual.outputs[0]
    wide = np.real(x).astype(np.float64)
    info = np.iinfo(e.dtype) if e.dtype.kind in "iu" else None
    if info is None:
        return False
    fits = (wide > info.min - 1.0) & (wide < info.max + 1.0)
    return bool(np.all((e == a) | ~fits))


def refuses(call, row, expected, actual, text) -> bool:
    """Stock refuses what ours computes."""
    return expected.code != 0 and actual.code == 0


def of_what_is_not_finite(call, row, expected, actual, text) -> bool:
    """A comparison with NaN falls either way; stock's depends on the place in the tensor."""
    floats = [a for a in call.arrays(row) if a.dtype.kind not in "iubO"]
    return not all(bool(np.isfinite(a).all()) for a in floats)


def is_unsupported(call, row, expected, actual, text) -> bool:
    """Attrs that Headrace refuses by name (docs/ops.md)."""
    return actual.code == UNIMPLEMENTED


def has_another_code_by_cpu(call, row, expected, actual, text) -> bool:
    """Stock's kernels of oneDNN, and those without it, refuse strides and dilations with different codes."""
    strides, dilations = call.attrs["strides"], call.attrs.get("dilations") or []
    channels = 1 if call.attrs.get("data_format", "N").startswith("NC") else -1
    refusable = min(strides) < 1 or strides[0] != 1 or strides[channels] != 1 or any(rate != 1 for rate in dilations)
    return refusable and {expected.code, actual.code} == {INVALID_ARGUMENT, UNIMPLEMENTED}


def has_another_code(call, row, expected, actual, text) -> bool:
    """Both refuse; of two faults, each names the one that it comes to first."""
    return expected.code != 0 and actual.code != 0


def is_unsorted(call, row, expected, actual, text) -> bool:
    """The order of the largest is not defined."""
    return call.attrs.get("sorted", True) is False


def has_repeated_indices(call, row, expected, actual, text) -> bool:
    """Stock sorts more than 16 entries unstably, and so the values of an index that is there twice."""
    indices = [array for array in call.arrays(row) if array.ndim == 2 and array.dtype == np.int64]
    rows = [tuple(entry) for array in indices for entry in array]
    return text.startswith("value of output 1") and len(set(rows)) < len(rows)


def is_refused(call, row, expected, actual, text) -> bool:
    """Ours refuses what stock leaves undefined."""
    return expected.code == 0 and actual.code != 0


def are_other_bytes(call, row, expected, actual, text) -> bool:
    """The same pixels, compressed otherwise."""
    return text.startswith("value")


def broadcasts(call, row, expected, actual, text) -> bool:
    """Stock refuses operands of unequal shapes, or takes their elements one by one."""
    shapes = {array.shape for array in call.arrays(row)}
    return len(shapes) > 1


def computes_more(call, row, expected, actual, text) -> bool:
    """Stock has no CPU kernel for the attrs."""
    return expected.code != 0 and actual.code == 0


def has_a_short_counter(call, row, expected, actual, text) -> bool:
    """Stock reads on behind a counter of one element."""
    return call.rows[row]["counter"].size == 1 and actual.code == INVALID_ARGUMENT


def has_a_narrow_dimension(call, row, expected, actual, text) -> bool:
    """Stock reads 32 bits of an int16, and so the memory behind it."""
    return call.rows[row]["dimension"].dtype == np.int16


def has_scalar_splits(call, row, expected, actual, text) -> bool:
    """Stock takes the last of splits that have no dimension, and so the memory before them."""
    return any(np.ndim(splits) == 0 for splits in call.rows[row]["rt_nested_splits"])


def has_surplus_values(call, row, expected, actual, text) -> bool:
    """Ours refuses a tensor with more values than elements; stock drops them."""
    return expected.code == 0 and "values in its list" in actual.message


def has_noise(call, row, expected, actual, text) -> bool:
    """The surroundings of an image are random on both sides."""
    return text.startswith("value") and call.attrs.get("noise", "uniform") != "zero"


def has_equal_scores(call, row, expected, actual, text) -> bool:
    """Stock sorts unstably, and NaN by no order."""
    scores = call.rows[row]["scores"]
    return np.unique(scores).size < scores.size or not np.isfinite(scores).all()


def has_another_gradient(call, row, expected, actual, text) -> bool:
    """Stock takes a gradient of another shape than the pool's result, and reads on behind it."""
    return expected.code == 0 and "must be of the shape of the pool's result" in actual.message


def names_the_format_first(call, row, expected, actual, text) -> bool:
    """Both refuse; stock's CPU has no kernel for channels first, and says so before anything else."""
    return actual.code != 0 and "only supports N" in expected.message


def has_nan(call, row, expected, actual, text) -> bool:
    """The maximum beside NaN depends on the place in the tensor."""
    return text.startswith("value") and bool(np.isnan(call.arrays(row)[0]).any())


def has_a_slot_of_another_shape(call, row, expected, actual, text) -> bool:
    """Stock does not check the shape of this slot, and reads and writes on behind it."""
    inputs = call.rows[row]
    return any(slot in inputs and inputs[slot].shape != inputs["var"].shape for slot in ("vhat", "accum_update"))


def has_args_of_another_dtype(call, row, expected, actual, text) -> bool:
    """Stock takes the bytes of the args as numbers of the input's dtype."""
    inputs = call.rows[row]
    return any(arg.dtype != inputs["input"].dtype for arg in inputs["args"])


DRAWS = (
    "StatelessRandomGammaV3", "StatelessRandomNormalV2", "StatelessRandomUniformFullIntV2", "StatelessRandomUniformIntV2",
    "StatelessRandomUniformV2", "StatelessShuffle", "StatelessTruncatedNormalV2",
)

GRADIENTS = ("Elu", "Inv", "LeakyRelu", "Reciprocal", "Relu6", "Relu", "Rsqrt", "Selu", "Sigmoid", "Softplus", "Softsign", "Sqrt", "Tanh")

CHECKS = {
    "Conv2D": has_another_code_by_cpu,
    "Conv2DBackpropFilter": has_another_code_by_cpu,
    "Conv2DBackpropInput": has_another_code_by_cpu,
    "Conv3D": has_another_code_by_cpu,
    "Conv3DBackpropFilterV2": has_another_code_by_cpu,
    "Conv3DBackpropInputV2": has_another_code_by_cpu,
    "DepthwiseConv2dNative": has_another_code_by_cpu,
    "DepthwiseConv2dNativeBackpropInput": has_another_code_by_cpu,
    "Cast": lambda *outcome: is_cast_of_what_does_not_fit(*outcome) or is_unsupported(*outcome),
    "ArgMax": has_a_narrow_dimension,
    # Whether the least of a diagonal with a NaN is 0 depends on where a vector register begins.
    "BandedTriangularSolve": of_what_is_not_finite,
    "EncodePng": are_other_bytes,
    "ImageSummary": are_other_bytes,
    "ApproximateEqual": broadcasts,
    "CombinedNonMaxSuppression": lambda *outcome: has_equal_scores(*outcome) or of_what_is_not_finite(*outcome),
    "CropAndResizeGradBoxes": is_refused,
    "CropAndResizeGradImage": is_refused,
    "ExtractGlimpse": has_noise,
    "ExtractGlimpseV2": has_noise,
    "Max": only_signs_of_zeros,
    "Maximum": only_signs_of_zeros,
    "Min": only_signs_of_zeros,
    "Minimum": only_signs_of_zeros,
    "ParallelConcat": is_refused,
    "ParseTensor": has_surplus_values,
    "QuantizeAndDequantizeV2": refuses,
    "QuantizeAndDequantizeV4": refuses,
    "NonMaxSuppression": of_what_is_not_finite,
    "NonMaxSuppressionV2": of_what_is_not_finite,
    "NonMaxSuppressionV3": of_what_is_not_finite,
    "NonMaxSuppressionV4": of_what_is_not_finite,
    "NonMaxSuppressionV5": of_what_is_not_finite,
    "NonMaxSuppressionWithOverlaps": of_what_is_not_finite,
    "NearestNeighbors": of_what_is_not_finite,
    "AvgPool": names_the_format_first,
    "AvgPool3D": names_the_format_first,
    "AvgPool3DGrad": lambda *outcome: has_another_gradient(*outcome) or names_the_format_first(*outcome),
    "AvgPoolGrad": lambda *outcome: has_another_gradient(*outcome) or names_the_format_first(*outcome),
    "MaxPool": is_unsupported,
    "MaxPoolGrad": names_the_format_first,
    "MaxPoolGradV2": names_the_format_first,
    "MaxPoolGradWithArgmax": is_unsupported,
    "MaxPool3DGrad": names_the_format_first,
    "MaxPoolV2": is_unsupported,
    "MaxPoolWithArgmax": is_unsupported,
    "RaggedBincount": is_refused,
    "RaggedGather": is_refused,
    "RaggedTensorToSparse": has_scalar_splits,
    "RaggedTensorToTensor": is_refused,
    "SparseAdd": is_refused,
    "SparseConcat": lambda *outcome: has_another_code(*outcome) or has_repeated_indices(*outcome),
    "SparseCross": is_refused,
    "SparseCrossV2": is_refused,
    "SparseCrossHashed": is_refused,
    "SparseTensorDenseMatMul": is_unsupported,
    "Relu": only_signs_of_zeros,
    "Relu6": only_signs_of_zeros,
    "DepthwiseConv2dNativeBackpropFilter": has_another_code,
    "MaxPool3D": lambda *outcome: has_nan(*outcome) or names_the_format_first(*outcome),
    "ResourceApplyAdadelta": has_a_slot_of_another_shape,
    "ResourceApplyAdamWithAmsgrad": has_a_slot_of_another_shape,
    "RGBToHSV": of_what_is_not_finite,
    "SparseReorder": has_repeated_indices,
    "SparseToSparseSetOperation": lambda *outcome: is_refused(*outcome) or has_another_code(*outcome),
    "TopKV2": is_unsorted,
    "_FusedConv2D": lambda *outcome: has_args_of_another_dtype(*outcome) or has_another_code(*outcome),
    "_FusedMatMul": has_another_code,
    "TensorSummaryV2": is_refused,
    "TruncateDiv": has_another_code,
    "TruncateMod": has_another_code,
    **{name: has_a_short_counter for name in DRAWS},
    **{name + "Grad": broadcasts for name in GRADIENTS},
}

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
    r"only supports? (the )?ND?HWC|not yet support dilation rates|not supported on CPU"
    r"|Do not have a compute function registered")


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


def skips_validation(call, row, expected, actual, text) -> bool:
    """Ours refuses indices outside of the shape, or stock writes the sets of a row over those before."""
    return call.attrs.get("validate_indices") is False and (is_refused(call, row, expected, actual, text) or (
        has_another_code(call, row, expected, actual, text) or is_unordered(call.rows[row])))


def is_unordered(arrays) -> bool:
    groups = [[tuple(entry[:-1]) for entry in array] for name, array in arrays.items() if name.endswith("indices")]
    return any(rows != sorted(rows) for rows in groups)


def has_a_tag_that_is_no_utf8(call, row, expected, actual, text) -> bool:
    """Ours writes U+FFFD, as a string of a message must be UTF-8."""
    tags = call.rows[row].get("tags", call.rows[row].get("tag"))
    return any("\ufffd" in tag.decode(errors="replace") for tag in tags.ravel())


def exceeds_32_bits(call, row, expected, actual, text) -> bool:
    """Stock cuts numbers of 64 bits to 32."""
    return is_refused(call, row, expected, actual, text) and any(
        array.dtype == np.int64 and bool((array != array.astype(np.int32)).any()) for array in call.arrays(row))


def has_updates_of_another_shape(call, row, expected, actual, text) -> bool:
    """Stock reads updates that are too short beyond their end."""
    return expected.code == 0 and "Must have updates.shape" in actual.message


def has_one_dimension_of_indices(call, row, expected, actual, text) -> bool:
    """Stock takes the first of indices that are a vector, and none of the others."""
    return is_refused(call, row, expected, actual, text) and call.rows[row]["indices"].ndim == 1


def has_no_dimension(call, row, expected, actual, text) -> bool:
    """Stock takes the number of rows from behind a shape without sizes."""
    return call.rows[row]["dense_shape"].size == 0


def lacks_weights(call, row, expected, actual, text) -> bool:
    """Stock reads weights beyond their end."""
    return expected.code == 0 and "must have the same size" in actual.message


def counts_the_last(call, row, expected, actual, text) -> bool:
    """The size behind 2^63 - 1 is none; stock's is below 0."""
    return is_refused(call, row, expected, actual, text) and bool((call.rows[row]["values"] == 2**63 - 1).any())


def asks_twice(call, row, expected, actual, text) -> bool:
    """Stock finds nothing of a feature whose key is there twice."""
    return expected.code == 0 and "asked for twice" in actual.message


def is_a_mark(call, row, expected, actual, text) -> bool:
    """Stock reads U+FFFF from a string that is nothing but a byte order mark, once it knows the order."""
    marks = {b"\xfe\xff", b"\xff\xfe", b"\x00\x00\xfe\xff", b"\xff\xfe\x00\x00"}
    return call.attrs["input_encoding"] in ("UTF-16", "UTF-32") and not marks.isdisjoint(call.rows[row]["input"].ravel())


def lacks_a_dtype(call, row, expected, actual, text) -> bool:
    """Stock names another fault before a dtype that Headrace lacks."""
    return actual.code == UNIMPLEMENTED and expected.code == INVALID_ARGUMENT


def has_nan(call, row, expected, actual, text) -> bool:
    """A sort with NaN has no order."""
    return any(bool((array != array).any()) for array in call.arrays(row) if array.dtype.kind not in "iubO")


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


def alike_elsewhere(expected, actual, exempt) -> bool:
    """Whether the first outputs are alike in all elements but those exempted."""
    e, a = (np.asarray(answer.outputs[0]) for answer in (expected, actual))
    wide = np.complex128 if e.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        return bool(np.all(exempt | np.isclose(a.astype(wide), e.astype(wide), rtol=1e-5, atol=0, equal_nan=True)))


def leaves_moments_unset(call, row, expected, actual, text) -> bool:
    """Stock sets the saved moments only where it trains, with pixels; otherwise they are what the memory held."""
    trains = call.attrs.get("is_training", True) and call.rows[row]["x"].size > 0
    return text.startswith(("value of output 3", "value of output 4")) and not trains


def by_channel(call, value) -> np.ndarray:
    """Images as a matrix of doubles, with a column for each channel."""
    axis = 1 if call.attrs.get("data_format", "NHWC").startswith("NC") else value.ndim - 1
    return np.moveaxis(value.astype(np.float64), axis, -1).reshape(-1, value.shape[axis])


def are_within(call, expected, actual, images, bounds) -> bool:
    """Whether the first outputs are within their bounds, or alike; the first one is of the dtype of `images`."""
    digits = [2.0**-7 if images.dtype.itemsize == 2 else 2.0**-21] + [2.0**-21] * (len(bounds) - 1)
    pairs = [[by_channel(call, answer.outputs[0]), *answer.outputs[1:]] for answer in (expected, actual)]
    return all(
        bool(np.all((np.abs(e - a) <= bound + digit * np.abs(e)) | (e == a) | np.isnan(e) & np.isnan(a)))
        for e, a, bound, digit in zip(*pairs, bounds, digits))


def is_within_moments_of_floats(call, row, expected, actual, text) -> bool:
    """Stock adds up floats, ours doubles: the means differ, and so does what is nearly a mean."""
    if not text.startswith("value") or not call.attrs.get("is_training", True):
        return False
    inputs = call.rows[row]
    x = by_channel(call, inputs["x"])
    with np.errstate(all="ignore"):
        share = 2 * 2.0**-23 * (len(x) + 4)
        mean, variance = x.mean(0), x.var(0)
        of_mean = share * np.abs(x).mean(0)
        of_variance = share * variance + 2 * of_mean * np.sqrt(variance) + of_mean**2
        shifted = variance + call.attrs.get("epsilon", 1e-4)
        of_y = of_mean + np.abs(x - mean) * (share + of_variance / shifted)
        of_y = of_y * np.abs(inputs["scale"]) * shifted**-0.5 + 2.0**-21 * np.abs(inputs["offset"])
        bounds = [of_y, of_mean, 2 * of_variance, of_mean, of_variance]
        return are_within(call, expected, actual, inputs["x"], bounds)


def is_within_sums_of_floats(call, row, expected, actual, text) -> bool:
    """Stock adds up floats, in as many parts as it has threads; ours adds up doubles."""
    if not text.startswith("value"):
        return False
    inputs = call.rows[row]
    terms = np.abs(by_channel(call, inputs["y_backprop"]))
    with np.errstate(all="ignore"):
        deviation = (inputs["reserve_space_2"].astype(np.float64) + call.attrs.get("epsilon", 1e-4)) ** -0.5
        centered = np.abs(by_channel(call, inputs["x"]) - inputs["reserve_space_1"])
        dx = terms
        if call.attrs.get("is_training", True):
            dx = terms + terms.mean(0) + centered * (terms * centered).mean(0) * deviation**2
        sizes = [dx * np.abs(inputs["scale"]) * deviation, (terms * centered).sum(0) * deviation, terms.sum(0)]
        bounds = [2 * 2.0**-23 * (len(terms) + 4) * size for size in sizes]
        return are_within(call, expected, actual, inputs["x"], bounds)


def cancels(call, row, expected, actual, text) -> bool:
    """Stock subtracts 1 from the double e^x, whose last digits are lost near 0; ours takes expm1."""
    x = call.rows[row]["features"]
    if not text.startswith("value") or x.dtype != np.float64:
        return False
    e, a = expected.outputs[0], actual.outputs[0]
    return alike_elsewhere(expected, actual, (x < 0) & (np.abs(e - a) <= 2.0**-51))


def is_of_a_square_too_large(call, row, expected, actual, text) -> bool:
    """Stock's Erf of a double whose square is infinite is NaN."""
    x = call.rows[row]["x"]
    if not text.startswith("value") or x.dtype != np.float64:
        return False
    with np.errstate(all="ignore"):
        return alike_elsewhere(expected, actual, np.isinf(x * x) & (actual.outputs[0] == np.sign(x)))


def has_a_subnormal_reciprocal(call, row, expected, actual, text) -> bool:
    """Stock flushes 1 / x to zero, and takes its logarithm or multiplies it with an infinity."""
    return text.startswith("value") and alike_elsewhere(expected, actual, call.rows[row]["x"] > 2.0**1022)


def has_a_subnormal_half(call, row, expected, actual, text) -> bool:
    """Stock flushes x / 2 to zero, and takes its logarithm."""
    x = call.rows[row]["x"]
    tiny = {np.float64: 2.0**-1021, np.float32: 2.0**-125}.get(x.dtype.type, 0)
    return text.startswith("value") and alike_elsewhere(expected, actual, (x > 0) & (x < tiny))


def has_a_subnormal_quotient(call, row, expected, actual, text) -> bool:
    """Stock flushes a subnormal quotient, or what is divided, to zero; ours takes the floor of it."""
    x, y = call.rows[row]["x"], call.rows[row]["y"]
    if not text.startswith("value") or x.dtype.kind in "iu":
        return False
    tiny = 2.0**-1022 if x.dtype == np.float64 else 2.0**-126
    with np.errstate(all="ignore"):
        quotient = np.abs(x.astype(np.longdouble) / y.astype(np.longdouble))
    flushed = (quotient > 0) & (quotient < tiny) | (np.abs(x) < tiny)
    return alike_elsewhere(expected, actual, flushed & (expected.outputs[0] == 0))


def is_a_power_of_vectors(call, row, expected, actual, text) -> bool:
    """Stock's powers of doubles in vectors, and both sides' of complex numbers, lose digits of large exponents."""
    e, a = expected.outputs[0], actual.outputs[0]
    if not text.startswith("value") or e.dtype not in (np.float64, np.complex128):
        return False
    exponents = np.abs(call.rows[row]["y"])
    units = 32 + 4 * exponents if e.dtype == np.complex128 else 16 + exponents / 2
    with np.errstate(all="ignore"):
        near = np.abs(e - a) <= np.maximum(2.0**-52 * units * np.abs(e), 2.0**-1012)
    return bool(np.all(near | (e == a) | np.isnan(e) & np.isnan(a)))


def overflows_in_another_order(call, row, expected, actual, text) -> bool:
    """A product with a zero is NaN where another order multiplies an infinity with it."""
    x = call.rows[row]["input"]
    if not text.startswith("value") or x.dtype.kind in "iu":
        return False
    e, a = expected.outputs[0], actual.outputs[0]
    with np.errstate(all="ignore"):
        largest = np.prod(np.maximum(np.abs(x.astype(np.complex128)), 1))
    return bool((x == 0).any()) and largest > 1e38 and alike_elsewhere(expected, actual, np.isnan(e) | np.isnan(a))


def has_nan_extremes(call, row, expected, actual, text) -> bool:
    """Whether a NaN is the least or the largest depends on its place in the tensor."""
    return not call.attrs.get("range_given", True) and bool(np.isnan(call.rows[row]["input"]).any())


def has_nan_in_row(call, row, expected, actual, text) -> bool:
    """Stock's selection orders no NaN: the element found depends on the rest of the row."""
    x = call.rows[row]["input"]
    if not text.startswith("value") or x.dtype.kind in "iu":
        return False
    return alike_elsewhere(expected, actual, np.isnan(x).any(-1))


def casts_nan(call, row, expected, actual, text) -> bool:
    """Stock casts pixels at infinite places, interpolated to NaN, to integers, which C++ leaves undefined."""
    e, transforms = expected.outputs[0], call.rows[row]["transforms"]
    if not text.startswith("value") or e.dtype.kind not in "iu" or (np.abs(transforms) < 1e18).all():
        return False
    return alike_elsewhere(expected, actual, e == np.iinfo(e.dtype).min)


def has_a_hue_that_is_nan(call, row, expected, actual, text) -> bool:
    """Stock casts the hue to an integer, which C++ leaves undefined for NaN."""
    images = call.rows[row]["images"]
    return text.startswith("value") and alike_elsewhere(
        expected, actual, ~np.isfinite(images).all(-1, keepdims=True))


def squares_overflow(call, row, expected, actual, text) -> bool:
    """Stock adds up squares as floats, which overflow; ours as doubles."""
    x = call.rows[row]["input"].astype(np.float64)
    return text.startswith("value") and bool((x * x > 3.4e38).any())


def is_logarithm_of_16_bits(call, row, expected, actual, text) -> bool:
    """Stock rounds the sum of exponentials to 16 bits before it takes the logarithm; ours rounds once."""
    e, a = (answer.outputs[0].astype(np.float64) for answer in (expected, actual))
    digits = {np.dtype(np.float16): 2.0**-10, np.dtype(np.float32): 0.0, np.dtype(np.float64): 0.0}
    epsilon = digits.get(actual.outputs[0].dtype, 2.0**-7)
    return alike_elsewhere(expected, actual, np.abs(e - a) <= epsilon * (1 + np.abs(e)))


def has_an_infinite_logit(call, row, expected, actual, text) -> bool:
    """Stock's loss is NaN where a label of 0 has an infinite logit, which ours leaves out, or where terms overflow."""
    logits, labels = np.broadcast_arrays(call.rows[row]["features"], call.rows[row]["labels"])
    if not text.startswith("value of output 0"):
        return False
    left_out = ((labels == 0) & np.isinf(logits)).any(-1)
    large = {np.float16: 1e4, np.float64: 1e307}.get(labels.dtype.type, 1e38)
    overflows = (np.abs(labels.astype(np.float64)) > large).any(-1)
    return alike_elsewhere(expected, actual, (left_out | overflows) & np.isnan(expected.outputs[0]))


def is_near_a_pole(call, row, expected, actual, text) -> bool:
    """Near an odd multiple of pi * i the digits of 1 + e^-x cancel on both sides."""
    e, a = expected.outputs[0], actual.outputs[0]
    if not text.startswith("value") or e.dtype.kind != "c":
        return False
    epsilon = 2.0**-52 if e.dtype == np.complex128 else 2.0**-23
    with np.errstate(all="ignore"):
        near = np.abs(e - a) <= 8 * epsilon * np.abs(e) * (1 + np.abs(e))
    return bool(np.all(near | ~np.isfinite(e) | ~np.isfinite(a)))


def is_refused_of_what_is_not_finite(call, row, expected, actual, text) -> bool:
    """Whether a matrix that is not finite counts as singular depends on the order of its elimination."""
    return (0 in (expected.code, actual.code) and expected.code != actual.code
            and of_what_is_not_finite(call, row, expected, actual, text))


DRAWS = (
    "StatelessRandomGammaV3", "StatelessRandomNormalV2", "StatelessRandomUniformFullIntV2", "StatelessRandomUniformIntV2",
    "StatelessRandomUniformV2", "StatelessShuffle", "StatelessTruncatedNormalV2",
)

BATCH_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")

BATCH_NORM_GRADIENTS = ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")

GRADIENTS = ("Elu", "Inv", "LeakyRelu", "Reciprocal", "Relu6", "Relu", "Rsqrt", "Selu", "Sigmoid", "Softplus", "Softsign", "Sqrt", "Tanh")

SUMMARIES = ("AudioSummaryV2", "HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummaryV2")

SCATTERS = [f"ResourceScatter{name}" for name in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")]

SCATTERS_ND = ["ScatterNdNonAliasingAdd", *(f"ResourceScatterNd{name}" for name in ("Update", "Add", "Sub", "Min", "Max"))]

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
    "AdjustHue": has_a_hue_that_is_nan,
    "AdjustSaturation": has_a_hue_that_is_nan,
    "BesselK1": has_a_subnormal_half,
    "BesselK1e": has_a_subnormal_half,
    "Elu": cancels,
    "Selu": cancels,
    "Erf": is_of_a_square_too_large,
    "Expint": has_a_subnormal_reciprocal,
    "Spence": has_a_subnormal_reciprocal,
    "FloorDiv": has_a_subnormal_quotient,
    "ImageProjectiveTransformV2": casts_nan,
    "ImageProjectiveTransformV3": casts_nan,
    "LRN": squares_overflow,
    "LogSoftmax": is_logarithm_of_16_bits,
    "Lu": is_refused_of_what_is_not_finite,
    "MatrixSolveLs": is_refused_of_what_is_not_finite,
    "NthElement": has_nan_in_row,
    "Pow": is_a_power_of_vectors,
    "Prod": overflows_in_another_order,
    "QuantizeAndDequantizeV3": has_nan_extremes,
    "Sigmoid": is_near_a_pole,
    "SoftmaxCrossEntropyWithLogits": has_an_infinite_logit,
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
    "AvgPool": is_refused,
    "AvgPool3D": is_refused,
    "AvgPool3DGrad": is_refused,
    "AvgPoolGrad": is_refused,
    "MaxPool": is_unsupported,
    "MaxPoolGrad": has_another_code,
    "MaxPoolGradV2": has_another_code,
    "MaxPoolGradWithArgmax": has_another_code,
    "MaxPool3DGrad": has_another_code,
    "MaxPoolV2": lambda *outcome: is_unsupported(*outcome) or has_another_code(*outcome),
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
    "MaxPool3D": lambda *outcome: of_what_is_not_finite(*outcome) or has_another_code(*outcome),
    "RGBToHSV": of_what_is_not_finite,
    "SparseReorder": has_repeated_indices,
    "SparseBincount": lambda *outcome: has_no_dimension(*outcome) or lacks_weights(*outcome),
    "SparseSparseMaximum": only_signs_of_zeros,
    "SparseSparseMinimum": only_signs_of_zeros,
    "DenseToSparseSetOperation": skips_validation,
    "SparseToSparseSetOperation": lambda *outcome: skips_validation(*outcome) or is_refused(*outcome),
    "SetSize": skips_validation,
    "TopKV2": lambda *outcome: is_unsorted(*outcome) or has_nan(*outcome),
    "BroadcastArgs": exceeds_32_bits,
    "ConjugateTranspose": exceeds_32_bits,
    "Transpose": exceeds_32_bits,
    "DenseCountSparseOutput": counts_the_last,
    "RaggedCountSparseOutput": counts_the_last,
    "SparseCountSparseOutput": counts_the_last,
    "DeserializeManySparse": lacks_a_dtype,
    "DeserializeSparse": lacks_a_dtype,
    "ParseExample": asks_twice,
    "ParseExampleV2": asks_twice,
    "UnicodeTranscode": is_a_mark,
    "Where": lambda *outcome: outcome[2].code == UNIMPLEMENTED,
    "_FusedConv2D": has_another_code,
    "_FusedMatMul": has_another_code,
    "TruncateDiv": has_another_code,
    "TruncateMod": has_another_code,
    **{name: has_a_short_counter for name in DRAWS},
    **{name: has_updates_of_another_shape for name in SCATTERS},
    **{name: has_one_dimension_of_indices for name in SCATTERS_ND},
    **{name: has_a_tag_that_is_no_utf8 for name in SUMMARIES},
    "ImageSummary": lambda *outcome: are_other_bytes(*outcome) or has_a_tag_that_is_no_utf8(*outcome),
    "TensorSummaryV2": lambda *outcome: is_refused(*outcome) or has_a_tag_that_is_no_utf8(*outcome),
    **{name: lambda *outcome: leaves_moments_unset(*outcome) or is_within_moments_of_floats(*outcome)
       for name in BATCH_NORMS},
    **{name: is_within_sums_of_floats for name in BATCH_NORM_GRADIENTS},
    **{name + "Grad": broadcasts for name in GRADIENTS},
}

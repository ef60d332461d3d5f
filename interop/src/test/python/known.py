"""Differences from stock TensorFlow that docs/ops.md states, or where stock's answer depends on an element's place."""

import re

import numpy as np

from calls import Call
from engine import Answer
from known_numbers import (
    cancels, casts_nan, has_a_hue_that_is_nan, has_a_subnormal_half, has_a_subnormal_quotient,
    has_a_subnormal_reciprocal, has_an_infinite_logit, has_nan, has_nan_extremes, has_nan_in_row,
    is_a_power_of_vectors, is_cast_of_what_does_not_fit, is_logarithm_of_16_bits, is_near_a_pole,
    is_of_a_square_too_large, is_ordered_otherwise, is_refused_of_what_is_not_finite, is_within_moments_of_floats,
    is_within_sums_of_floats, leaves_moments_unset, of_what_is_not_finite, only_signs_of_zeros,
    overflows_in_another_order, sorts_nan, squares_overflow,
)


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
ABORTED = 10
RESOURCE_EXHAUSTED = 8
UNIMPLEMENTED = 12

LACKING = re.compile(
    r"only supports? (the )?ND?HWC|not yet support dilation rates|not supported on CPU"
    r"|Do not have a compute function registered|filter_size does not have enough elements")


def refuses(call, row, expected, actual, text) -> bool:
    """Stock refuses what ours computes."""
    return expected.code != 0 and actual.code == 0


def leaves_unset(call, row, expected, actual, text) -> bool:
    """Stock's elements are what the memory held."""
    return text.startswith("value") and not call.attrs.get("init", False)


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


def is_unchecked_by_onednn(call, row, expected, actual, text) -> bool:
    """Stock's kernels of oneDNN do not check ranks, nor, where an input or the filter is empty, anything else."""
    inputs = call.rows[row]
    sizes = inputs.get("filter_sizes", np.ones(1))
    is_empty = bool((sizes == 0).any()) or any(array.size == 0 for array in call.arrays(row))
    return expected.code in (0, ABORTED) and actual.code == INVALID_ARGUMENT and (
        is_empty or re.search(r"must be \d-dimensional", actual.message) is not None)


def quantizes_by_onednn(call, row, expected, actual, text) -> bool:
    """On some processors stock has other kernels for these, with other steps, ranges and dtypes (docs/ops.md)."""
    mode = call.attrs.get("mode", "MIN_COMBINED")
    if call.op == "Dequantize":
        return mode == "SCALED" and call.attrs.get("axis", -1) == -1
    return mode == "MIN_FIRST" or mode == "SCALED" and call.attrs.get("round_mode") == "HALF_TO_EVEN"


def averages_the_lowest(call, row, expected, actual, text) -> bool:
    """Stock leaves the lowest finite number out of a mean, but in its kernel of oneDNN."""
    value = call.rows[row]["input"]
    return text.startswith("value") and bool((value == np.finfo(value.dtype).min).any())


def has_a_box_that_overflows(call, row, expected, actual, text) -> bool:
    """Stock takes an infinite row or column as an index, and adds up what lies there."""
    boxes = call.rows[row]["boxes"]
    return text.startswith("value") and bool((np.abs(boxes.astype(np.float64)) > 2.0**96).any())


def has_no_memory(call, row, expected, actual, text) -> bool:
    """Stock takes memory for a result before it compares the shapes, and has not so much."""
    return expected.code == RESOURCE_EXHAUSTED and actual.code == INVALID_ARGUMENT


def has_a_bias_of_another_rank(call, row, expected, actual, text) -> bool:
    """Stock's kernels of oneDNN take a bias of any rank."""
    return is_refused(call, row, expected, actual, text) and any(arg.ndim != 1 for arg in call.rows[row]["args"])


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


def are_other_bytes(call, row, expected, actual, text) -> bool:
    """The same pixels, compressed otherwise."""
    return text.startswith("value")


def broadcasts(call, row, expected, actual, text) -> bool:
    """Stock refuses operands of unequal shapes, or takes their elements one by one."""
    shapes = {array.shape for array in call.arrays(row)}
    return len(shapes) > 1


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


def draws_regions(call, row, expected, actual, text) -> bool:
    """Without a seed, each call draws others."""
    return not call.attrs.get("deterministic", False)


def has_sizes_below_one(call, row, expected, actual, text) -> bool:
    """Stock pools over windows without elements."""
    inputs = call.rows[row]
    sizes = [*call.attrs.get("ksize", []), *call.attrs.get("strides", [])]
    sizes += [size for name in ("ksize", "strides") for size in np.asarray(inputs.get(name, [])).reshape(-1)]
    return actual.code == INVALID_ARGUMENT and min(sizes) < 1


def is_no_pool(call, row, expected, actual, text) -> bool:
    """Both refuse channels first, of which stock's CPU has no kernel, or sizes below 1, and name another fault first."""
    return expected.code != 0 and actual.code != 0 and (
        "only supports N" in expected.message or min(call.attrs.get("ksize", [1])) < 1)


def has_a_stride_of_depth(call, row, expected, actual, text) -> bool:
    """Stock's kernels pass over the stride of the depth; its shape function, in graphs, does not."""
    depth = 1 if call.attrs.get("data_format", "N").startswith("NC") else -1
    return expected.code == 0 and actual.code == UNIMPLEMENTED and call.attrs["strides"][depth] != 1


def has_no_elements(call, row, expected, actual, text) -> bool:
    """Stock's result is what the memory held."""
    return text.startswith("value") and call.rows[row]["input"].size == 0


def has_no_segments(call, row, expected, actual, text) -> bool:
    """Stock's gradient without segments is what the memory held."""
    return text.startswith("value") and call.rows[row]["indices"].size == 0


def has_few_rounds(call, row, expected, actual, text) -> bool:
    """Ours refuses rounds that are odd or fewer than 4, with which stock's shuffles may not end."""
    rounds = call.attrs.get("rounds", 4)
    return is_refused(call, row, expected, actual, text) and (rounds < 4 or rounds % 2 == 1)


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

CONVOLUTIONS = (
    "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2",
    "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput",
)

BATCH_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx")

BATCH_NORM_GRADIENTS = ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")

GRADIENTS = ("Elu", "Inv", "LeakyRelu", "Reciprocal", "Relu6", "Relu", "Rsqrt", "Selu", "Sigmoid", "Softplus", "Softsign", "Sqrt", "Tanh")

SUMMARIES = ("AudioSummaryV2", "HistogramSummary", "ImageSummary", "ScalarSummary", "TensorSummaryV2")

SCATTERS = [f"ResourceScatter{name}" for name in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")]

SCATTERS_ND = ["ScatterNdNonAliasingAdd", *(f"ResourceScatterNd{name}" for name in ("Update", "Add", "Sub", "Min", "Max"))]

CHECKS = {
    **{name: lambda *outcome: has_another_code_by_cpu(*outcome) or is_unchecked_by_onednn(*outcome)
       for name in CONVOLUTIONS},
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
    "Empty": leaves_unset,
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
    "Softmax": lambda *outcome: has_another_code(*outcome) and outcome[0].rows[outcome[1]]["logits"].ndim == 0,
    "SoftmaxCrossEntropyWithLogits": has_an_infinite_logit,
    "ApproximateEqual": broadcasts,
    "CombinedNonMaxSuppression": lambda *outcome: has_equal_scores(*outcome) or of_what_is_not_finite(*outcome),
    "BroadcastTo": has_no_memory,
    "CropAndResizeGradBoxes": lambda *outcome: is_refused(*outcome) or has_a_box_that_overflows(*outcome),
    "CropAndResizeGradImage": is_refused,
    "ExtractGlimpse": has_noise,
    "ExtractGlimpseV2": has_noise,
    "Max": only_signs_of_zeros,
    "Maximum": only_signs_of_zeros,
    "Min": only_signs_of_zeros,
    "Minimum": only_signs_of_zeros,
    "ParallelConcat": is_refused,
    "ParseTensor": has_surplus_values,
    "QuantizeV2": quantizes_by_onednn,
    "Dequantize": quantizes_by_onednn,
    "QuantizeAndDequantizeV2": refuses,
    "QuantizeAndDequantizeV4": refuses,
    "TensorStridedSliceUpdate": refuses,  # floats of 8 bits, unless nothing else holds the tensor
    "NonMaxSuppression": of_what_is_not_finite,
    "NonMaxSuppressionV2": of_what_is_not_finite,
    "NonMaxSuppressionV3": of_what_is_not_finite,
    "NonMaxSuppressionV4": of_what_is_not_finite,
    "NonMaxSuppressionV5": of_what_is_not_finite,
    "NonMaxSuppressionWithOverlaps": of_what_is_not_finite,
    "NearestNeighbors": of_what_is_not_finite,
    "AvgPool": lambda *outcome: is_no_pool(*outcome) or has_a_stride_of_depth(*outcome) or is_unchecked_by_onednn(*outcome),
    "AvgPool3D": lambda *outcome: (
        is_no_pool(*outcome) or is_unchecked_by_onednn(*outcome) or averages_the_lowest(*outcome)),
    "AvgPool3DGrad": lambda *outcome: (
        has_another_gradient(*outcome) or is_no_pool(*outcome) or is_unchecked_by_onednn(*outcome)),
    "AvgPoolGrad": lambda *outcome: (
        has_another_gradient(*outcome) or is_no_pool(*outcome) or has_a_stride_of_depth(*outcome)),
    "MaxPool": is_unsupported,
    "MaxPoolGrad": is_no_pool,
    "MaxPoolGradV2": is_no_pool,
    "MaxPoolGradWithArgmax": is_unsupported,
    "MaxPool3DGrad": is_no_pool,
    "Eig": is_ordered_otherwise,
    "FractionalAvgPool": draws_regions,
    "FractionalAvgPoolGrad": is_refused,
    "FractionalMaxPool": draws_regions,
    "FractionalMaxPoolGrad": is_refused,
    "MaxPoolGradGrad": lambda *outcome: is_no_pool(*outcome) or has_sizes_below_one(*outcome),
    "MaxPoolGradGradV2": has_sizes_below_one,
    "MaxPool3DGradGrad": lambda *outcome: is_no_pool(*outcome) or has_sizes_below_one(*outcome),
    "MaxPoolV2": is_unsupported,
    "MaxPoolWithArgmax": is_unsupported,
    **{inverse + "RFFT" + rank: has_no_elements for inverse in ("", "I") for rank in ("", "2D", "3D")},
    "RandomIndexShuffle": has_few_rounds,
    **{f"SparseSegment{name}Grad": has_no_segments for name in ("Sum", "Mean", "SqrtN")},
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
    "DepthwiseConv2dNativeBackpropFilter": lambda *outcome: has_another_code(*outcome) or is_unchecked_by_onednn(*outcome),
    "MaxPool3D": lambda *outcome: has_nan(*outcome) or is_no_pool(*outcome),
    "ResourceApplyAdadelta": has_a_slot_of_another_shape,
    "ResourceApplyAdamWithAmsgrad": has_a_slot_of_another_shape,
    "RGBToHSV": of_what_is_not_finite,
    "SparseReorder": has_repeated_indices,
    "SparseBincount": lambda *outcome: has_no_dimension(*outcome) or lacks_weights(*outcome),
    "SparseSparseMaximum": only_signs_of_zeros,
    "SparseSparseMinimum": only_signs_of_zeros,
    "DenseToSparseSetOperation": skips_validation,
    "SparseToSparseSetOperation": lambda *outcome: skips_validation(*outcome) or is_refused(*outcome),
    "SetSize": skips_validation,
    "TopKV2": lambda *outcome: is_unsorted(*outcome) or sorts_nan(*outcome),
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
    "ParseSingleSequenceExample": asks_twice,
    "UnicodeTranscode": is_a_mark,
    "Where": lambda *outcome: outcome[2].code == UNIMPLEMENTED,
    "_FusedConv2D": lambda *outcome: has_args_of_another_dtype(*outcome) or has_another_code(*outcome),
    "_FusedDepthwiseConv2dNative": has_a_bias_of_another_rank,
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

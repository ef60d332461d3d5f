"""Calls in which Headrace differed from stock TensorFlow, as DifferentialOpsTest and DifferentialFilesTest found
and shrank them."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, i32, i64

NAN = np.float64(np.nan)


def record(case):
    sparse(case)
    segments(case)
    variables(case)
    draws(case)
    powers(case)
    choices(case)
    shapes_and_bins(case)
    files(case)
    arguments(case)
    others(case)
    norms(case)
    pools(case)
    convolutions(case)
    optimizers(case)


def sparse(case):
    beyond = dict(input_indices=i64(1, 1).reshape(1, 2), input_values=np.array([1.0]), input_shape=i64(1, 1))
    for op in ["SparseReduceSum", "SparseReduceMax"]:
        case(op, **beyond, reduction_axes=i32(1), _shapes=False)
        case(op, **beyond, reduction_axes=i32(1).reshape(1, 1), _says="", _shapes=False)
    for op in ["SparseReduceSumSparse", "SparseReduceMaxSparse"]:
        case(op, **beyond, reduction_axes=i32(1), _shapes=False)
    case(
        "SparseSlice", indices=i64(0, 1, 0, 3, 2, 0, 2, 2, 4, 1).reshape(5, 2), values=np.arange(5), shape=i64(3, 4),
        start=i64(1, 0), size=i64(4, 3), _shapes=False,
    )
    many = np.array([5, 4] * 15)
    one = np.ones(30, np.int64)
    case(
        "SparseSlice", indices=one.reshape(1, 30), values=i32(1), shape=many, start=one, size=one,
        _says="Encountered overflow when multiplying", _shapes=False,
    )
    case(
        "SparseSliceGrad", backprop_val_grad=i64(1), input_indices=i64(1).reshape(1, 1), input_start=i64(1),
        output_indices=i64(1).reshape(1, 1),
    )
    for op in ["SparseSparseMinimum", "SparseSparseMaximum"]:
        inside, outside = i64(1, 1).reshape(1, 2), i64(4, -1).reshape(1, 2)
        for a, b in [(inside, outside), (outside, inside)]:
            case(
                op, a_indices=a, a_values=i64(1), a_shape=i64(5, 4), b_indices=b, b_values=i64(1), b_shape=i64(5, 4),
                _says="is out of bounds", _shapes=False,
            )
    case(
        "EditDistance", hypothesis_indices=i64(1, 1).reshape(1, 2), hypothesis_values=np.array([b"1"], object),
        hypothesis_shape=i64(-1, 1), truth_indices=i64(1, 1).reshape(1, 2), truth_values=np.array([b""], object),
        truth_shape=i64(3, 1), _says="must be >= 0", _shapes=False,
    )
    case(
        "RaggedTensorToSparse", rt_nested_splits=[i64(0)], rt_dense_values=np.float32(1),
        _says="Final value of ragged splits", _shapes=False,
    )


    case(
        "EditDistance", hypothesis_indices=i64(1, 1).reshape(1, 2), hypothesis_values=np.array([b"1"], object),
        hypothesis_shape=i64(1, 1), truth_indices=i64(1, 1).reshape(1, 2), truth_values=np.array([b""], object),
        truth_shape=i64(1, 1), _shapes=False,
    )
    negative = dict(input_indices=i64(0).reshape(1, 1), input_values=np.array([1.0]), input_shape=i64(-1))
    for op in ["SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"]:
        case(op, **negative, reduction_axes=i32(0), _says="", _shapes=False)
    case("SparseReorder", **negative, _shapes=False)
    case(
        "SparseSplit", split_dim=i64(0)[0], indices=i64(0, 0).reshape(1, 2), values=np.array([1.0]), shape=i64(2, -1),
        num_split=2, _says="", _shapes=False,
    )
    case(
        "SparseSlice", indices=i64(1).reshape(1, 1), values=np.array([1.0]), shape=i64(3), start=i64(0), size=i64(-1),
        _says="", _shapes=False,
    )
    for values in [[1.0, NAN, 2.0], [1.0, 2.0, NAN], [-0.0, 0.0]]:
        entries = np.arange(len(values)).reshape(-1, 1)
        case("SparseReduceMax", input_indices=entries, input_values=np.array(values), input_shape=i64(3), reduction_axes=i32(0))


def segments(case):
    data = np.array([[1, NAN], [NAN, 2], [0.0, 3], [-0.0, NAN], [5, 5]], np.float32)
    for op in ["Max", "Min"]:
        case("Segment" + op, data=data, segment_ids=i32(0, 0, 1, 1, 1))
        case("Segment" + op, data=data[::-1].copy(), segment_ids=i32(0, 0, 0, 2, 2))
        case("UnsortedSegment" + op, data=data, segment_ids=i32(1, 0, 1, 0, 1), num_segments=2)
    for op in ["Sum", "Mean", "SqrtN"]:
        gradient = dict(grad=np.ones([2, 3], np.float32), segment_ids=i32(0, 1), _shapes=False)
        case(f"SparseSegment{op}Grad", **gradient, indices=i64(5, 1), output_dim0=0)
        case(f"SparseSegment{op}Grad", **gradient, indices=i64(0, 1), output_dim0=-1, _says="")
        case(f"SparseSegment{op}Grad", **gradient, indices=i64(0, 1 << 32), output_dim0=3)
        case(f"SparseSegment{op}GradV2", **gradient, indices=i64(5, 1), dense_output_dim0=0)
        case(f"SparseSegment{op}GradV2", **gradient, indices=i64(0, 1), dense_output_dim0=-1, _says="")


def draws(case):
    nothing = dict(shape=i32(0, 3))
    key = np.array([1], np.uint64)
    for counter, alg in [([1], 2), ([1, 2], 7), ([1], 1), ([1], 3)]:
        state = dict(key=key, counter=np.array(counter, np.uint64), alg=np.int32(alg))
        for op in ["StatelessRandomUniformV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformFullIntV2"]:
            case(op, **nothing, **state, _shapes=False)
        case("StatelessRandomGammaV3", **nothing, **state, alpha=np.float32(1), _shapes=False)
        case("StatelessRandomUniformIntV2", **nothing, **state, minval=i32(1, 2), maxval=1, _shapes=False)
        refused = {} if alg in (1, 3) else dict(_says="")
        case("StatelessShuffle", value=np.array([1.0]), **state, **refused, _shapes=False)
    case("StatelessRandomUniformFullInt", **nothing, seed=np.array([1, 2], np.uint64), dtype=tf.int32, _shapes=False)
    case("StatelessRandomUniformInt", **nothing, seed=i32(1, 2), minval=i32(1, 2), maxval=1, _shapes=False)


def powers(case):
    """Of powers that are no integers, or that are odd, beyond 2^51."""
    bases = np.array([-0.0, 0.0, -np.inf, np.inf, -2.5, -1.0, 1.0, 2.0, NAN])
    exponents = np.array([1.5, 2.0**51 + 0.5, 3966981071036375.5, 2.0**52 - 0.5, 2.0**52 + 1, 2.0**53 - 1, 2.0**53])
    case("Pow", x=bases.reshape(-1, 1), y=np.concatenate([exponents, -exponents]))


def choices(case):
    """Elements selected by index."""
    case("ArgMax", input=np.array([[1, 3, 2]], np.float32), dimension=np.int64((1 << 32) + 1), _shapes=False)
    case("ArgMax", input=np.zeros([0, 0], np.float32), dimension=0, _says="is empty", _shapes=False)
    case("ArgMin", input=np.zeros([0, 3, 0], np.float32), dimension=2, _says="is empty", _shapes=False)
    for params in [np.arange(4, dtype=np.float32), np.array([b"a", b"b", b"c"], object)]:
        case("GatherV2", params=params, indices=np.array([2, 0, 2], np.int16), axis=0)
    case("GatherV2", params=np.float32([1, 2]), indices=np.array([1, -1], np.int16), axis=0)
    case("Roll", input=np.arange(3), shift=np.int64(-(1 << 63)), axis=0, _shapes=False)
    case("Roll", input=np.arange(3), shift=i64((1 << 33) + 1, 1), axis=i64(1 << 32, 0), _shapes=False)


def variables(case):
    for op in ["ResourceScatterAdd", "ResourceScatterUpdate"]:
        case(op, resource=tf.Variable([[1.0]]), indices=np.zeros([0], np.int32), updates=np.array([[1.0]], np.float32), _shapes=False)
    for op in ["Add", "Sub", "Mul", "Div", "Update"]:
        case(
            "ResourceScatter" + op, resource=tf.Variable([[1.0]]), indices=np.zeros([0], np.int32),
            updates=np.array([1.0], np.float32), _says="Must have updates.shape", _shapes=False,
        )
    for dtype in [np.float32, np.int32, np.complex64]:
        case(
            "ResourceScatterDiv", resource=tf.Variable(np.ones([2], dtype)), indices=i32(1, 0),
            updates=np.array([2, 0], dtype), _says="updates must not contain 0", _shapes=False,
        )
    for name, value in [("lr", 0.0), ("l1", -1.0), ("l2", -1.0), ("lr_power", 1.0)]:
        scalars = {**dict(lr=1.0, l1=1.0, l2=1.0, lr_power=-0.5), name: value}
        case(
            "ResourceSparseApplyFtrl", var=tf.Variable([[1.0]]), accum=tf.Variable([[1.0]]), linear=tf.Variable([[1.0]]),
            grad=np.zeros([0, 1], np.float32), indices=i32(), **{k: np.float32(v) for k, v in scalars.items()},
            _says="", _label=name,
        )


def shapes_and_bins(case):
    for op in ["SparseSparseMaximum", "SparseSparseMinimum"]:
        nothing = np.zeros([0, 0], np.int64)
        case(
            op, a_indices=nothing, a_values=np.zeros([0], np.float32), a_shape=i64(), b_indices=nothing,
            b_values=np.zeros([0], np.float32), b_shape=i64(), _says="must not be empty", _shapes=False,
        )
    case(
        "SparseSoftmax", sp_indices=i64(1, 1).reshape(1, 2), sp_values=np.array([1.0]), sp_shape=i64(-2, 1),
        _says="to be non-negative", _shapes=False,
    )
    matrix = dict(indices=i64(1, 1, 2, 1).reshape(2, 2), dense_shape=i64(9, 9), size=np.int32(3))
    case("SparseBincount", **matrix, values=i32(-1, 0), weights=np.zeros([0], np.float32))
    case("SparseBincount", **matrix, values=i32(1, 0), weights=np.float32([5]), binary_output=True)
    vector = dict(indices=i64(1, 2).reshape(2, 1), dense_shape=i64(9), size=np.int32(3))
    case("SparseBincount", **vector, values=i32(-1, 0), weights=np.zeros([0], np.float32), _says="must be non-negative")
    case("SparseBincount", **vector, values=i32(1, 1), weights=np.float32([5]), binary_output=True)
    case(
        "SparseBincount", indices=i64(1).reshape(1, 1), values=i32(1).reshape(1, 1), dense_shape=i64(9), size=np.int32(1),
        weights=np.float64([1]), _says="Sparse values", _shapes=False,
    )
    for start, size in [([0, 5], [1, -1]), ([0, 9], [1, -3]), ([0, -1], [1, 2])]:
        case(
            "SparseSlice", indices=i64(0, 3).reshape(1, 2), values=i64(7), shape=i64(4, 4), start=i64(*start),
            size=i64(*size), _shapes=False,
        )
    case(
        "SparseSlice", indices=i64(0, 3).reshape(1, 2), values=i64(7), shape=i64(4, 4), start=i64(0, 4), size=i64(1, -1),
        _says="Expected a non-negative size", _shapes=False,
    )
    for values in [i64(1, 2**31 - 1), i64(2**63 - 2, 1, 2**31, 1)]:
        case("DenseCountSparseOutput", values=values, weights=np.zeros([0], np.float32), binary_output=False)
    case(
        "DeserializeSparse", serialized_sparse=np.array([b"", b"", b""], object), dtype=tf.float32,
        _says="Could not construct tensor from proto",
    )
    divisor = dict(dense=np.uint32([[1, 1], [0, 4]]), sp_shape=i64(2, 2))
    case("SparseDenseCwiseDiv", **divisor, sp_indices=i64(1, 1).reshape(1, 2), sp_values=np.uint32([8]))
    case(
        "SparseDenseCwiseDiv", **divisor, sp_indices=i64(1, 0).reshape(1, 2), sp_values=np.uint32([8]),
        _says="cannot divide by zero",
    )
    for dtype in [np.float16, np.float32, np.complex64]:
        case(
            "EditDistance", hypothesis_indices=i64(0, 0, 0, 1).reshape(2, 2), hypothesis_values=np.array([0, NAN], dtype),
            hypothesis_shape=i64(1, 2), truth_indices=i64(0, 0, 0, 1).reshape(2, 2),
            truth_values=np.array([-0.0, NAN], dtype), truth_shape=i64(1, 2),
        )
    case(
        "EditDistance", hypothesis_indices=i64(0, 0).reshape(1, 2), hypothesis_values=i64(1), hypothesis_shape=i64(0, 1),
        truth_indices=i64(0, 0).reshape(1, 2), truth_values=i64(1), truth_shape=i64(0, 1), _says="which has 0 elements",
        _shapes=False,
    )
    for dtype in [np.float16, np.float32, BFLOAT16]:
        zeros = np.array([-0.0, 0.0, 0.0, -0.0], dtype)
        case("Unique", x=zeros, _shapes=False)
        case("ListDiff", x=zeros, y=np.array([0.0], dtype), _shapes=False)
    for a, b, total in [([1, 1, 1], [1, 0], [0, 1, 1]), ([1, 1, 1, 2, 0, 3, 1], [1] * 7, [1, 3, 1])]:
        case(
            "SparseAddGrad", backprop_val_grad=np.array([1.0, 2.0, 3.0]), a_indices=i64(*a).reshape(-1, 1),
            b_indices=i64(*b).reshape(-1, 1), sum_indices=i64(*total).reshape(-1, 1),
        )
    for a, b in [([-1], [1]), ([1], [-5]), ([-5], [-5]), ([2, -1], [1]), ([0], [1])]:
        case("BroadcastArgs", s0=i64(*a), s1=i64(*b))
    for a, b in [([-1], [4]), ([1, 0, 0], [1, 0, -1])]:
        case("BroadcastArgs", s0=i64(*a), s1=i64(*b), _says="Incompatible shapes")
    for shape, axis in [((0, 1), 1), ((1, 0), 0), ((2, 0, 3), 0)]:
        case("GatherV2", params=np.zeros(shape, np.float32), indices=i32(5), axis=i32(axis)[0])
    case("GatherV2", params=np.zeros([0, 1], np.float32), indices=i32(5), axis=i32(0)[0], _says="is not in [0, 0)")
    for count, says in [(0, None), (1, "Indices and updates specified for empty output")]:
        case(
            "ResourceScatterNdUpdate", ref=tf.Variable(np.zeros([2, 0], np.float32)), indices=np.ones([count, 1], np.int32),
            updates=np.zeros([count, 0], np.float32), _says=says, _shapes=False,
        )
    case(
        "ScatterNd", indices=np.zeros([1, 8], np.int32), updates=np.ones([1], np.float32), shape=np.ones([8], np.int32),
        _says="Requested rank: 8", _shapes=False,
    )


def files(case):
    contents = [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x07\x00\x00\x00\x06\x01\x00\x00\x00\x01Pr\x89M\x00\x00\x00\x19IDATx\xdacX\xc3P"
        b"\x05\x84+\x18\xf9\x19V0\xa82\xbef\xea\x81\x90\x00I\x13\x06\xcb\xf8~\xbb\x00\x00\x00\x00IEND\xaeB`\x82",
        b"GIF89a\x06\x00\x05\x00\xf3\x00\x00\x00%Jo\x94\xb9\xde\x03(Mr\x97\xbc\xe1\x06+Pu\x9a\xbf\xe4\t.Sx\x9d\xc2\xe7\x0c1V{\xa0\xc5\xea\x0f4Y~"
        b"\xa3\xc8\xed\x127\\\x81\xa6\xcb,\x00\x00\x00\x00\x06\x00\x05\x00\x80abcdef\x04\x16\x10\x04\x10@\x00\x01\x82\x00\x02\x08 @\x10@\x00\x01"
        b"\x04\x08\x02\x08 D\x00",
    ]  # fmt: skip
    for file in contents:
        case("DecodeImage", contents=file)
        case("DecodePng", contents=file)
    for file in [
        b"\xff\xd8\xff\x00\x10J(\xff\xc2\x00\x00\x18\x00\x00\x08\x00\x00\x00\x00\x00\x00\x05\x04\x00\x01\x02\xff\xda\x00\x0c",
        b"\xff\xd8\xff\xe0\x00\x01KF\x00\x01\n\n\xff\xc0\x00\x0b\x03\x00\x01\x02\x04\x11!BA\xff\xda\x00\x08",
        b"\xff\xd8\x80\xe0\xff\xc0\x00\x0b\x08\x00\x10\x00\x10\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00?\x00",
    ]:
        case("ExtractJpegShape", contents=file)
    case("ParseTensor", serialized=b"", out_type=tf.float32, _says="Cannot parse tensor from proto: ")
    case("ParseTensor", serialized=b'\x08\n\x12\x04\x12\x02\x08\x02"\x02\x01\x08', out_type=tf.bool, _says="")
    for file in [b"\x1f\x8b\x08\x9c\xcbH", b"\xcb", b"\xcb\x00"]:
        case("DecodeCompressed", bytes=np.array([file], object), compression_type="GZIP")
    case("DecodeWebP", contents=contents[1], _says="Bad op type DecodeWebP")
    single = dict(
        feature_list_dense_missing_assumed_empty=np.zeros([0], object), context_sparse_keys=[], feature_list_sparse_keys=[],
        feature_list_dense_keys=[], context_dense_keys=[np.array(b"f", object)], debug_name=np.array(b"", object),
        context_dense_defaults=[np.array([1.0, 1.0], np.float32)], context_dense_shapes=[[2]],
    )  # fmt: skip
    unknown = b"\n\x17\x1a\x15\n\x01f\x12\x10\x1a\x0e\n\x0c\xff\xff\xff\xff\xfe\xff\xff\xff\xff\x01\x9e\x01"
    case("ParseSingleSequenceExample", serialized=unknown, **single)
    case("ParseSingleSequenceExample", serialized=b"\n\x7f", **single, _says="Could not parse example input")
    # The length of an unknown field that goes beyond the message.
    case(
        "ParseSequenceExample", serialized=np.array(b"\xea1\xc1\x12", object), debug_name=np.zeros([0], object),
        context_dense_defaults=[np.array([1.0, 1.0], np.float32)], feature_list_dense_missing_assumed_empty=[],
        context_sparse_keys=[], context_dense_keys=["f"], feature_list_sparse_keys=[], feature_list_dense_keys=[],
        Ncontext_dense=1, context_dense_shapes=[[2]],
    )


def arguments(case):
    # Nothing is reversed of what is empty or a scalar, whatever the axes.
    case("ReverseV2", tensor=np.zeros([1, 0, 1], np.float32), axis=np.array(1, np.int32), _shapes=False)
    case("ReverseV2", tensor=np.float32(2), axis=i32(3, 3), _shapes=False)
    for truth in [True, False]:
        case("AsString", input=np.array([truth]), width=6)
        case("AsString", input=np.array([truth]), width=6, fill="-")
    for dtype in [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int64]:
        for fill in ["+", " ", "0", "-"]:
            case("AsString", input=np.array([0, 1, 117], dtype), fill=fill, width=5)
    for options in [{}, {"width": 0}, {"width": 1}, {"width": 6}, {"fill": "-"}, {"width": 6, "fill": "-"}]:
        case("AsString", input=np.array([b"2073", b"ab"], object), precision=3, **options)
    parts = [np.array([[1, 1]], np.int64)] * 2
    for size in [-1, -2]:
        case(
            "SparseConcat", indices=parts, values=[np.array([1.0])] * 2, shapes=[i64(3, 1), i64(size, 1)], concat_dim=0,
            _says="Encountered overflow from large input shape", _shapes=False,
        )
    case(
        "SparseSplit", split_dim=i64(0), indices=i64(1).reshape(1, 1), values=np.array([1.0]), shape=i64(5), num_split=3,
        _says="should be a scalar but received shape [1]", _shapes=False,
    )
    case(
        "UnicodeEncode", input_values=i32(), input_splits=i64(0)[0], output_encoding="UTF-8", _says="", _shapes=False,
    )
    case(
        "DecodeCSV", records=np.array([b"1,2"], object), record_defaults=[i32(1), i64(1).reshape(1, 1)],
        _says="Each record default should be at most rank 1", _shapes=False,
    )


def others(case):
    case("Roll", input=np.array([[1.0]]), shift=i64(1), axis=np.int64(1), _shapes=False)
    case("MatrixInverse", input=np.array([[NAN]]))
    case("MatrixSolve", matrix=np.array([[NAN]]), rhs=np.array([[1.0]]))
    case("StatelessRandomUniformFullInt", shape=i32(1), seed=np.array([1, 1], np.uint32), _says="Invalid seed type")
    case(
        "MaxPoolWithArgmax", input=np.zeros([1, 0, 0, 1], np.float32), ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME",
        _shapes=False,
    )
    case("SplitV", value=np.array([1.0, 2.0]), size_splits=i32(-1), split_dim=0, num_split=1, _shapes=False)
    case("DiagPart", input=np.float32(3), _shapes=False)
    image = np.ones([1, 1, 1, 3], np.float32)
    case("LRN", input=image, depth_radius=-1, _says="", _shapes=False)
    case("LRNGrad", input_grads=image, input_image=image, output_image=image, depth_radius=-1, _says="", _shapes=False)
    for dtype in [np.float32, np.float64, np.float16, np.complex64]:
        for low, high in [(NAN, 2), (0, NAN), (NAN, NAN), (3, 1)]:
            values = np.array([NAN, 1, 2.5, -3, np.inf], dtype)
            case("ClipByValue", t=values, clip_value_min=dtype(low), clip_value_max=dtype(high))
            bounds = dict(clip_value_min=np.full(5, low, dtype), clip_value_max=np.full(5, high, dtype))
            case("ClipByValue", t=values, **bounds)
    for dtype in [np.float32, np.float64]:
        for exclusive, reverse in [(False, False), (False, True), (True, False), (True, True)]:
            case(
                "CumulativeLogsumexp", x=np.array([NAN, 1, np.inf, np.inf, 1, NAN, -np.inf, NAN, 2], dtype), axis=0,
                exclusive=exclusive, reverse=reverse,
            )
    image, one = np.ones([1, 1, 1, 1], np.float32), np.ones([1], np.float32)
    for mean, variance in [(one.reshape(1, 1), one), (one, np.float32(1))]:
        case(
            "FusedBatchNormV3", x=image, scale=one, offset=one, mean=mean, variance=variance, _says="must be 1-dimensional",
            _shapes=False,
        )


def norms(case):
    """Batch norms, sums over mirrored paddings, banded matrices, clipped zeros and incomplete gammas."""
    for shape, around in [([3, 65536, 65536, 0], 1), ([3, 0, 2, 2], 0), ([3, 2, 2, 2], 1)]:
        case(
            "MirrorPadGrad", input=np.zeros(shape, np.float32), paddings=i32(0, 0, around, around, 0, 0, 0, 0).reshape(4, 2),
            mode="REFLECT", _says="Total paddings must be less than", _shapes=False,
        )
    draw = np.random.RandomState(41)
    volume = draw.uniform(-2, 2, [2, 3, 1, 2, 2]).astype(np.float32)
    two, one = np.array([1.5, -2], np.float32), np.ones(1, np.float32)
    # Kernels take volumes in a format of images.
    given = dict(mean=np.zeros(0, np.float32), variance=np.zeros(0, np.float32))
    case("FusedBatchNormV2", x=volume, scale=two, offset=two, **given, _ulps=8, _atol=2e-6, _shapes=False)
    case("FusedBatchNorm", x=volume[0, 0], scale=two, offset=two, **given, _says="4 or 5-dimensional", _shapes=False)
    moments = dict(reserve_space_1=two, reserve_space_2=np.abs(two))
    for training in [True, False]:
        case(
            "FusedBatchNormGradV2", y_backprop=volume[::-1], x=volume, scale=two, **moments, is_training=training, _ulps=8,
            _atol=2e-6, _shapes=False,
        )
    empty, moments = np.zeros([1, 1, 0, 1], np.float32), dict(reserve_space_1=one, reserve_space_2=-one)
    case("FusedBatchNormGradV2", y_backprop=empty, x=empty, scale=one, **moments)
    case("FusedBatchNormGradV2", y_backprop=empty, x=empty, scale=one, **moments, is_training=False)
    for dy in [-np.inf, 3e38]:
        gradient = np.array([1, dy, 2], np.float32).reshape(1, 3, 1, 1)
        image = np.array([0, -200, 3], np.float32).reshape(1, 3, 1, 1)
        for training in [True, False]:
            case(
                "FusedBatchNormGrad", y_backprop=gradient, x=image, scale=one, reserve_space_1=one, reserve_space_2=one,
                is_training=training, _ulps=8,
            )
    for dtype in [np.float16, np.float32]:
        for paddings, mode in [([[1, 0], [2, 0]], "SYMMETRIC"), ([[1, 2], [2, 1]], "REFLECT"), ([[0, 2], [2, 2]], "SYMMETRIC")]:
            case("MirrorPadGrad", input=draw.uniform(-500, 500, [6, 7]).astype(dtype), paddings=paddings, mode=mode)
    # Only the first matrix is checked, and a zero divides in the others.
    for lower in [True, False]:
        bands = np.ones([2, 2, 3])
        bands[1, 0 if lower else 1, 1] = 0
        case("BandedTriangularSolve", matrix=bands, rhs=np.ones([2, 3, 1]), lower=lower)
        case("BandedTriangularSolve", matrix=bands[::-1], rhs=np.ones([2, 3, 1]), lower=lower, _says="not invertible")
    for bands, right in [([1, 1], [1, 0]), ([0, 1], [1, 1])]:
        case(
            "BandedTriangularSolve", matrix=np.zeros(bands), rhs=np.zeros(right), _says="must not be an empty tensor",
            _shapes=False,
        )
    zeros = np.array([complex(a, b) for a in [0.0, -0.0] for b in [0.0, -0.0]], np.complex64)
    for zero in zeros:
        case("ClipByValue", t=zeros, clip_value_min=np.complex64(-1 - 1j), clip_value_max=zero)
        case("ClipByValue", t=zeros, clip_value_min=zero, clip_value_max=np.complex64(1 + 1j))
    # x^a e^-x / gamma(a) is flushed to zero where it is subnormal.
    for op in ["Igamma", "Igammac", "IgammaGradA"]:
        case(op, a=np.array([2.3e-308, 1e-306, 60.0]), x=np.array([1.0, 1.0, 1e-4]), _ulps=2048)
        case(op, a=np.array([1.2e-38, 1e-37, 15.0], np.float32), x=np.array([1.0, 1.0, 1e-2], np.float32), _ulps=64)


def pools(case):
    one = np.ones([1, 1, 1, 1, 1], np.float32)
    case(
        "MaxPool3DGrad", orig_input=one, orig_output=one, grad=one, ksize=[1, 2**31 - 1, 2**31 - 1, 1, 1],
        strides=[1] * 5, padding="SAME", _shapes=False,
    )
    line = np.array([NAN, 1, -np.inf, -np.inf, NAN, NAN, 3, NAN, 2, 2]).reshape(1, 1, 10, 1)
    pair = dict(ksize=[1, 1, 2, 1], strides=[1, 1, 2, 1], padding="VALID")
    for dtype in [np.float16, BFLOAT16, np.float32, np.float64]:
        images = np.repeat(line, 9, axis=3).astype(dtype)
        case("MaxPool", input=images, **pair)
        case("MaxPoolV2", input=images, **{**pair, "ksize": i32(1, 1, 2, 1), "strides": i32(1, 1, 2, 1)})
    volumes = np.array([1, 2, -np.finfo(np.float32).max, 4, 5, -np.finfo(np.float32).max], np.float32).reshape(1, 1, 1, 6, 1)
    for size in [1, 2, 3]:
        case("AvgPool3D", input=volumes, ksize=[1, 1, 1, size, 1], strides=[1, 1, 1, size, 1], padding="SAME")
    # The gradients of overlapping windows are added up by column, and of elements within 1e-5 of the maximum.
    for dtype in [np.float32, BFLOAT16]:
        ones, most = np.ones([1, 3, 4, 5, 2], dtype), np.ones([1, 2, 3, 3, 2], dtype)
        gradient = (np.arange(36).reshape(1, 2, 3, 3, 2) * 37 % 101 / 7 - 5).astype(dtype)
        case(
            "MaxPool3DGrad", orig_input=ones, orig_output=most, grad=gradient, ksize=[1, 2, 2, 3, 1],
            strides=[1, 1, 1, 1, 1], padding="VALID",
        )
    near = np.array([1, 1 - 9e-6, 1 - 2e-5, np.inf], np.float32).reshape(1, 1, 1, 4, 1)
    for top in [1, np.inf]:
        most = np.full([1, 1, 1, 1, 1], top, np.float32)
        case("MaxPool3DGrad", orig_input=near, orig_output=most, grad=np.ones_like(most), ksize=[1, 1, 1, 4, 1], strides=[1] * 5, padding="VALID")
    image = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)
    for shape in [[1, 4], [4, 1], [2, 2]]:
        sizes = i32(1, 2, 2, 1).reshape(shape)
        case("MaxPoolV2", input=image, ksize=sizes, strides=sizes, padding="SAME")
    for ksize, strides in [([1, 1, 3, 0], [1, 1, 1, 1]), ([-1, -1, 1, 1], [1, 0, 1, 1]), ([1, 2, 1, 1], [1, 1, 1, 2])]:
        case(
            "MaxPoolGradV2", orig_input=image, orig_output=image, grad=image, ksize=i32(*ksize), strides=i32(*strides),
            padding="SAME", _says="", _shapes=False,
        )
    case(
        "MaxPoolGradV2", orig_input=image, orig_output=image[0], grad=image, ksize=i32(1, 1, 1, 2), strides=i32(1, 1, 1, 1),
        padding="SAME", _says="tensor_out must be 4-dimensional", _shapes=False,
    )


def convolutions(case):
    flat, volumes = dict(strides=[1] * 4, padding="SAME"), dict(strides=[1] * 5, padding="SAME")
    image = np.ones([1, 2, 2, 1], np.float32)
    for shape in [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 0]]:
        gradient = np.ones([1, 2, 2, shape[3]], np.float32)
        case("Conv2DBackpropFilter", input=image, filter_sizes=i32(*shape), out_backprop=gradient, **flat)
        case("Conv2DBackpropInput", input_sizes=i32(1, 2, 2, 1), filter=np.ones(shape, np.float32), out_backprop=gradient, **flat)
        case(
            "Conv3DBackpropFilterV2", input=image.reshape(1, 2, 2, 1, 1), filter_sizes=i32(1, *shape),
            out_backprop=gradient.reshape(1, 2, 2, 1, shape[3]), **volumes,
        )
    case("Conv2D", input=image, filter=np.ones([1, 1, 1, 0], np.float32), **flat, _shapes=False)
    case("Conv2D", input=image[:0], filter=np.ones([0, 1, 1, 1], np.float32), **flat, _shapes=False)
    for op, last, more in [("Conv2D", [], flat), ("DepthwiseConv2dNative", [], flat), ("Conv3D", [2], volumes)]:
        first = dict(data_format="NCHW" if op != "Conv3D" else "NCDHW", **more)
        filter_ = np.ones([1] * (4 + len(last)), np.float16)
        case(op, input=np.ones([0, 1, 2, 2, *last], np.float16), filter=filter_, **first)
        case(op, input=np.ones([1, 1], np.float16), filter=filter_, **first, _says="must be", _shapes=False)
        case(op, input=np.ones([1, 1, 2, 2, *last], np.float16), filter=filter_, **first, _says="", _shapes=False)
    half = np.ones([1, 1, 1, 1], np.float16)
    first = dict(data_format="CHANNELS_FIRST", strides=[1] * 4)
    case("Conv", input=half, filter=half, padding="EXPLICIT", **first, _says="explicit_paddings attribute must", _shapes=False)
    case("Conv", input=half[0], filter=half, padding="SAME", **first, _says="must have 2 or 3 spatial dimensions", _shapes=False)


def optimizers(case):
    near = dict(_ulps=4, _atol=3e-7)

    def slots(names, *values):
        return {name: tf.Variable(np.array(value, np.float32)) for name, value in zip(names.split(), values)}

    def scalars(**given):
        return {name: np.float32(value) for name, value in given.items()}

    for scaled in [False, True]:
        for kw in [dict(lr=-0.2, lr_power=1), dict(l1=-1), dict(l1=NAN), dict(l1=np.inf), dict(l2=-5), dict(l1=0, l2=0)]:
            given = scalars(**{**dict(lr=1, l1=1, l2=1, lr_power=-0.5), **kw})
            state = ([1, 1, 1, 1, 1], [1, 1, 1, 0, 2], [1, NAN, -0.5, 0, -3])
            grad = np.array([1, 1, 0, 0, 0.5], np.float32)
            for op, more in [("ResourceApplyFtrl", {}), ("ResourceApplyFtrlV2", scalars(l2_shrinkage=0.5))]:
                case(op, **slots("var accum linear", *state), grad=grad, **given, **more, multiply_linear_by_lr=scaled, **near, _label=str(kw))
    adam = scalars(beta1_power=0.5, beta2_power=0.5, lr=1, beta1=0.5, beta2=0.5, epsilon=1)
    moments, gradients = [1, NAN, NAN, 1, 0.1], np.array([NAN, 1, NAN, 3, -1], np.float32)
    case("ResourceApplyAdamWithAmsgrad", **slots("var m v vhat", *[[1] * 5] * 3, moments), grad=gradients, **adam, **near)
    del adam["beta2_power"]
    case("ResourceApplyAdaMax", **slots("var m v", *[[1] * 5] * 2, moments), grad=gradients, **adam, **near)
    sign = dict(grad=np.float32([1, -1]), **scalars(lr=0.5, beta=0.5), sign_decay=np.float32([[0.5]]))
    case("ResourceApplyAddSign", **slots("var m", [1, 1], [1, 1]), alpha=np.float32(1), **sign)
    case("ResourceApplyPowerSign", **slots("var m", [1, 1], [1, 1]), logbase=np.float32(1), **sign, **near)
    decays = dict(**scalars(lr=1, rho=25.15, momentum=1, epsilon=-15.5), grad=np.float32([[0.81, 900]]), indices=i32(1))
    state = [[1, 1], [0.68, 0.56]]
    case("ResourceSparseApplyRMSProp", **slots("var ms mom", *[state] * 3), **decays, **near)
    case("ResourceSparseApplyCenteredRMSProp", **slots("var mg ms mom", *[state] * 4), **decays, **near)
    empty = dict(grad=np.zeros([1, 0], np.float32), indices=i32(0), _shapes=False)
    case(
        "ResourceSparseApplyProximalGradientDescent", **slots("var", np.zeros([2, 0])), **scalars(alpha=1, l1=1, l2=1), **empty,
        _says="Inner dimension should be greater than zero",
    )
    case("ResourceSparseApplyMomentum", **slots("var accum", *[np.zeros([2, 0])] * 2), **scalars(lr=1, momentum=1), **empty)

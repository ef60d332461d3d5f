"""Sparse tensors: sums, extrema, reductions over axes, parts, histograms, crosses, distances, gradients."""

import numpy as np
import tensorflow as tf

from values import FLOATS, INTEGERS, KINDS, grid, i32, i64

RANDOM = np.random.RandomState(15)
REALS = [*INTEGERS, *FLOATS]
SUMMED = [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64]
NONE2 = np.zeros([0, 2], np.int64)


def record(case):
    add(case)
    extremum(case)
    dense_cwise(case)
    dense_add(case)
    reduce(case)
    split(case)
    bincount(case)
    count(case)
    cross(case)
    distance(case)
    fill_gradient(case)
    ragged_fill(case)
    slice_gradient(case)


def sparse(shape, dtype=np.float32, density=0.5):
    """Random indices in row-major order, values and shape."""
    at = np.argwhere(RANDOM.rand(*shape) < density).astype(np.int64).reshape(-1, len(shape))
    return at, numbers([len(at)], dtype), np.array(shape, np.int64)


def numbers(shape, dtype):
    if np.issubdtype(dtype, np.unsignedinteger):
        return RANDOM.randint(0, 200, shape).astype(dtype)
    if np.issubdtype(dtype, np.complexfloating):
        return (RANDOM.randint(-9, 9, shape) + 1j * RANDOM.randint(-9, 9, shape)).astype(dtype)
    return RANDOM.randint(-100, 100, shape).astype(dtype)


def add(case):
    def total(a, b, thresh, **options):
        case(
            "SparseAdd", a_indices=a[0], a_values=a[1], a_shape=a[2], b_indices=b[0], b_values=b[1],
            b_shape=b[2], thresh=thresh, **options,
        )

    def gradient(backprop, a, b, total, **options):
        case("SparseAddGrad", backprop_val_grad=backprop, a_indices=a, b_indices=b, sum_indices=total, **options)

    for dtype in SUMMED:
        for thresh in [0, 30]:
            total(sparse([5, 4], dtype), sparse([5, 4], dtype), np.array(thresh, dtype))
        total(sparse([3], dtype, 0), sparse([3], dtype), np.array(0, dtype))
        total(sparse([2, 3, 4], dtype), sparse([2, 3, 4], dtype, 0), np.array(0, dtype))
        a, b = sparse([5, 4], dtype), sparse([5, 4], dtype)
        union = np.unique(np.concatenate([a[0], b[0]]), axis=0)
        gradient(numbers([len(union)], dtype), a[0], b[0], union)
        gradient(numbers([len(union) - 3], dtype), a[0], b[0], union[3:])
    for dtype, real in [(np.complex64, np.float32), (np.complex128, np.float64)]:
        total(sparse([5, 4], dtype), sparse([5, 4], dtype), np.array(8, real))
    one = sparse([3, 3], density=0.9)
    zero = np.float32(0)
    nan = (one[0], np.full(len(one[0]), np.nan, np.float32), one[2])
    total(one, nan, zero)
    total(one, (one[0], -one[1], one[2]), zero)
    total(one, (one[0], -one[1], one[2]), np.float32(1))
    total(one, (one[0], one[1], i64(3, 4)), zero)
    total(one, (one[0], one[1], i64(3)), zero)
    total(one, (one[0], one[1][1:], one[2]), zero)
    total(one, (one[0], one[1].reshape(-1, 1), one[2]), zero)
    total(one, (one[0].reshape(-1), one[1], one[2]), zero)
    total(one, (one[0], one[1], one[2].reshape(1, 2)), zero)
    total(one, one, np.zeros([1], np.float32))
    gradient(grid([3]), NONE2, NONE2, one[0], _says="")
    gradient(grid([len(one[0]), 1]), NONE2, NONE2, one[0], _says="")
    gradient(grid([len(one[0])]), NONE2, i64(1, 2), one[0], _says="")
    gradient(grid([len(one[0])]), NONE2, np.zeros([0, 3], np.int64), one[0], _says="")


def extremum(case):
    for op in ["SparseSparseMaximum", "SparseSparseMinimum"]:

        def of(a, b, **options):
            case(
                op, a_indices=a[0], a_values=a[1], a_shape=a[2], b_indices=b[0], b_values=b[1], b_shape=b[2],
                **options,
            )

        for dtype in REALS:
            of(sparse([5, 4], dtype), sparse([5, 4], dtype))
        of(sparse([2, 3, 2]), sparse([2, 3, 2], density=0))
        one = sparse([3, 3])
        of(one, (one[0], one[1], i64(3, 4)))
        of(one, (one[0], one[1], i64(3)))
        of(one, (one[0], one[1][1:], one[2]))
        of(one, (one[0].reshape(-1), one[1], one[2]), _says="")
        of(one, (one[0], one[1].reshape(-1, 1), one[2]), _says="")


def dense_cwise(case):
    for op in ["SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"]:

        def of(a, dense, **options):
            case(op, sp_indices=a[0], sp_values=a[1], sp_shape=a[2], dense=dense, **options)

        for dtype in REALS:
            nonzero = lambda shape: np.abs(numbers(shape, dtype)) // 2 + np.array(1, dtype)
            of(sparse([5, 4], dtype), nonzero([5, 4]).astype(dtype))
            of(sparse([5, 4], dtype), nonzero([4]).astype(dtype))
            of(sparse([5, 4], dtype), nonzero([5, 1]).astype(dtype))
            of(sparse([5, 4], dtype), nonzero([]).astype(dtype))
        of(sparse([2, 3, 2, 2, 2]), grid([3, 1, 2, 1]))
        of(sparse([2, 2, 2, 2, 2, 2]), grid([]))
        of(sparse([7]), grid([7]))
        of(sparse([7], density=0), grid([1]))
        one = sparse([3, 3])
        of(one, grid([4, 3]))
        of(one, grid([1, 3, 3]))
        of(one, grid([2]))
        of((one[0] + 5, one[1], one[2]), grid([3, 3]))
        of((one[0] - 5, one[1], one[2]), grid([3, 3]))
        of((one[0].reshape(-1), one[1], one[2]), grid([3, 3]))
        of((one[0], one[1].reshape(-1, 1), one[2]), grid([3, 3]))
        of((one[0], one[1][1:], one[2]), grid([3, 3]), _says="")
        of((one[0], one[1], one[2][:1]), grid([3]), _says="")
    case(
        "SparseDenseCwiseDiv", sp_indices=i64(0, 1).reshape(2, 1), sp_values=np.float32([1, -1]), sp_shape=i64(2),
        dense=np.float32(0),
    )


def dense_add(case):
    def of(a, dense, **options):
        case("SparseTensorDenseAdd", a_indices=a[0], a_values=a[1], a_shape=a[2], b=dense, **options)

    for dtype in [*REALS, np.complex64, np.complex128]:
        of(sparse([5, 4], dtype), numbers([5, 4], dtype))
    a = sparse([2, 3, 2])
    of((a[0].astype(np.int32), a[1], a[2].astype(np.int32)), grid([2, 3, 2]))
    of((np.repeat(a[0], 2, 0), np.repeat(a[1], 2), a[2]), grid([2, 3, 2]))
    of(sparse([4], density=0), grid([4]))
    of(a, grid([2, 3, 1]))
    of(a, grid([2, 3]))
    of((a[0] + 4, a[1], a[2]), grid([2, 3, 2]), _says="invalid index")
    of((a[0] - 4, a[1], a[2]), grid([2, 3, 2]), _says="invalid index")
    of((a[0], a[1][1:], a[2]), grid([2, 3, 2]), _says="")
    of((a[0].reshape(-1), a[1], a[2]), grid([2, 3, 2]), _says="")
    of((a[0], a[1].reshape(-1, 1), a[2]), grid([2, 3, 2]))


def reduce(case):
    for op in ["SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"]:

        def of(a, axes, keep_dims=False, **options):
            case(
                op, input_indices=a[0], input_values=a[1], input_shape=a[2], reduction_axes=axes,
                keep_dims=keep_dims, **options,
            )

        for dtype in [d for d in REALS if d not in (np.float16, FLOATS[1])]:
            of(sparse([5, 4], dtype), i32(1))
            of(sparse([5, 4], dtype), i32(0), True)
        for axes in [[], [0], [1], [2], [0, 1], [-1, 0], [0, 1, 2], [1, 1]]:
            for keep_dims in [False, True]:
                of(sparse([3, 2, 4]), i32(*axes), keep_dims)
        a = sparse([3, 2, 4])
        order = RANDOM.permutation(len(a[0]))
        of((a[0][order], a[1][order], a[2]), i32(1))
        of(a, np.int32(1))
        of(sparse([3, 2], density=0), i32(0))
        of(a, i32(3))
        of(a, i32(-4))
        of((a[0], a[1], a[2].reshape(1, 3)), i32(0), _says="")
        of((a[0], a[1][1:], a[2]), i32(0), _says="")
    for dtype in [np.complex64, np.complex128]:
        a = sparse([5, 4], dtype)
        case(
            "SparseReduceSumSparse", input_indices=a[0], input_values=a[1], input_shape=a[2], reduction_axes=i32(1),
        )


def split(case):
    def of(axis, parts, a, **options):
        case("SparseSplit", split_dim=axis, indices=a[0], values=a[1], shape=a[2], num_split=parts, **options)

    for dtype in KINDS:
        at, _, shape = sparse([5, 4])
        of(np.int64(0), 2, (at, grid([len(at)], dtype), shape))
    for axis, parts in [(0, 1), (0, 3), (0, 5), (1, 2), (1, 4), (2, 7)]:
        of(np.int64(axis), parts, sparse([5, 4, 7]))
    of(np.int64(0), 3, sparse([4], density=0))
    a = sparse([3, 2])
    of(np.int64(0), 4, a)
    of(np.int64(2), 1, a)
    of(np.int64(-1), 2, a)
    of(np.int64(0), 1, (a[0].reshape(-1), a[1], a[2]), _says="Input indices should be a matrix")
    of(np.int64(0), 1, (a[0], a[1].reshape(-1, 1), a[2]), _says="Input values should be a vector")
    of(np.int64(0), 1, (a[0], a[1], a[2].reshape(1, 2)), _says="Input shape should be a vector")


def bincount(case):
    def of(a, size, weights, binary_output=False, **options):
        case(
            "SparseBincount", indices=a[0], values=a[1], dense_shape=a[2], size=size, weights=weights,
            binary_output=binary_output, **options,
        )

    for key in [np.int32, np.int64]:
        for dtype in [np.int32, np.int64, np.float32, np.float64]:
            none = np.zeros([0], dtype)
            for binary in [False, True]:
                for shape in [[9], [4, 5]]:
                    at, _, sizes = sparse(shape)
                    values = RANDOM.randint(0, 6, len(at)).astype(key)
                    of((at, values, sizes), key(6), none, binary)
                    of((at, values, sizes), key(6), numbers([len(at)], dtype), binary)
    at, _, sizes = sparse([9], density=1)
    values = RANDOM.randint(0, 6, len(at)).astype(np.int32)
    none = np.zeros([0], np.float32)
    of((at, values, sizes), np.int32(3), none)
    of((at, values, sizes), np.int32(0), none)
    of((at, values, sizes), np.int32(-1), none, _says="must be non-negative")
    of((at, values - 9, sizes), np.int32(3), none, _says="must be non-negative")
    of((at, values, sizes), np.int32(3), grid([2]), _says="")


def count(case):
    values = lambda shape, key=np.int32: RANDOM.randint(0, 9, shape).astype(key)
    for key in [np.int32, np.int64]:
        for dtype in [np.int32, np.int64, np.float32, np.float64]:
            for binary in [False, True]:
                none = np.zeros([0], dtype)
                for shape in [[7], [3, 4]]:
                    for weights in [none, numbers(shape, dtype)]:
                        case(
                            "DenseCountSparseOutput", values=values(shape, key), weights=weights,
                            binary_output=binary,
                        )
                        at, _, sizes = sparse(shape, density=1)
                        case(
                            "SparseCountSparseOutput", indices=at, values=values(len(at), key), dense_shape=sizes,
                            weights=weights.reshape(-1), binary_output=binary,
                        )
                        case(
                            "RaggedCountSparseOutput", splits=i64(0, 2, 2, len(at)), values=values(len(at), key),
                            weights=weights.reshape(-1), binary_output=binary,
                        )
    none = np.zeros([0], np.float32)
    for lengths in [dict(minlength=20), dict(maxlength=5), dict(minlength=3, maxlength=4), dict(maxlength=0)]:
        case("DenseCountSparseOutput", values=values([3, 4]), weights=none, binary_output=False, **lengths)
    dense = lambda v, w, **o: case("DenseCountSparseOutput", values=v, weights=w, binary_output=False, **o)
    dense(values([]), none)
    dense(values([2, 2, 2]), none)
    dense(values([2, 3]), grid([3]))
    dense(i32(1, -1), grid([3]))
    dense(i32(1, -1).reshape(1, 2, 1), none)
    dense(values([0, 3]), none)
    dense(values([3, 0]), none)
    dense(values([0]), none)

    def of(indices, v, shape, weights=none, **o):
        case(
            "SparseCountSparseOutput", indices=indices, values=v, dense_shape=shape, weights=weights,
            binary_output=False, **o,
        )

    at, _, sizes = sparse([3, 4])
    v = values(len(at))
    of(at.reshape(-1), v, sizes)
    of(at, v.reshape(-1, 1), sizes)
    of(at, v, sizes.reshape(1, 2))
    of(at, v[1:], sizes)
    of(at, v, i64(3))
    of(at.reshape(-1), v - 9, sizes)
    of(at, v - 9, sizes, grid([1]))
    of(at, v, sizes, grid([1]))
    of(at + 3, v, sizes, _says="Invalid index value at 0: dimension 0")
    of(at - 3, v, sizes, _says="Invalid index value at 0: dimension 0")
    of(NONE2, v[:0], i64(0, 4))
    of(np.zeros([0, 0], np.int64), v[:0], np.zeros([0], np.int64))

    def ragged(splits, weights=none, **o):
        case(
            "RaggedCountSparseOutput", splits=splits, values=i32(1, 2, 1, 3), weights=weights, binary_output=False, **o
        )

    ragged(i64(0, 4))
    case("RaggedCountSparseOutput", splits=i64(1), values=i32(-1), weights=none, binary_output=False)
    ragged(i64(0, 0, 4, 4))
    ragged(i64(0))
    ragged(np.zeros([0], np.int64))
    ragged(i64(1, 4))
    ragged(i64(0, 3))
    ragged(i64(0, 4), grid([3]))


def words(n):
    return np.array([b"w%d" % RANDOM.randint(9) if i else b"a much longer word than the others" for i in range(n)], dtype=object)


def cross(case):
    def inputs(rows=3, kinds="is", dense=""):
        at, values, shapes, matrices = [], [], [], []
        for kind in kinds:
            a = sparse([rows, 3])
            at.append(a[0])
            values.append(words(len(a[0])) if kind == "s" else numbers([len(a[0])], np.int64))
            shapes.append(a[2])
        for kind in dense:
            matrices.append(words(rows * 2).reshape(rows, 2) if kind == "s" else numbers([rows, 2], np.int64))
        return dict(indices=at, values=values, shapes=shapes, dense_inputs=matrices)

    def hashed(given, buckets=100, strong=False, salt=(1, 2), **o):
        case(
            "SparseCrossHashed", **given, num_buckets=np.int64(buckets), strong_hash=np.bool_(strong),
            salt=i64(*salt), **o,
        )

    for kinds, dense in [("i", ""), ("s", ""), ("is", ""), ("iss", "s"), ("i", "is"), ("", "is"), ("s", "i")]:
        given = inputs(4, kinds, dense)
        for sep in [b"_X_", b"", b"-"]:
            case("SparseCrossV2", **given, sep=np.array(sep, dtype=object))
        # Stock crashes when it hashes integers of a dense input with a key.
        for strong in [False] if "i" in dense else [False, True]:
            for buckets in [0, 7, 2**40]:
                hashed(given, buckets, strong)
            hashed(given, 1000, strong, (-5, 2**60))
    wide = inputs(2, "i", "i")
    wide["values"] = [v * 2**33 for v in wide["values"]]
    hashed(wide, 10**12)
    given = inputs(3, "is", "s")
    sep = np.array(b"_", dtype=object)
    case("SparseCrossV2", **given, sep=np.array([b"_"], dtype=object), _says="Input separator should be a scalar.")
    case("SparseCrossV2", **{**given, "indices": [given["indices"][0].reshape(-1), given["indices"][1]]}, sep=sep)
    case("SparseCrossV2", **{**given, "values": [given["values"][0][1:], given["values"][1]]}, sep=sep)
    case("SparseCrossV2", **{**given, "shapes": [i64(3, 3), i64(4, 3)]}, sep=sep)
    case("SparseCrossV2", **{**given, "shapes": [i64(3, 3, 3), i64(3, 3)]}, sep=sep)
    case("SparseCrossV2", **{**given, "dense_inputs": [words(3)]}, sep=sep)
    case("SparseCrossV2", **{**given, "dense_inputs": [words(4).reshape(4, 1)]}, sep=sep)
    ragged_cross(case)


def ragged_cross(case):
    def of(order, rows=3, out=tf.string, splits=tf.int64, buckets=0, key=17, change=None, **o):
        given = {name: [] for name in [
            "ragged_values", "ragged_row_splits", "sparse_indices", "sparse_values", "sparse_shape", "dense_inputs"]}
        for i, kind in enumerate(order):
            if kind == "R":
                counts = np.concatenate([[0], np.cumsum(RANDOM.randint(0, 3, rows))])
                given["ragged_values"].append(words(counts[-1]) if i % 2 else numbers([counts[-1]], np.int64))
                given["ragged_row_splits"].append(counts.astype(np.int64 if i % 3 else splits.as_numpy_dtype))
            elif kind == "S":
                a = sparse([rows, 3])
                given["sparse_indices"].append(a[0])
                given["sparse_values"].append(words(len(a[0])) if i % 2 else numbers([len(a[0])], np.int64))
                given["sparse_shape"].append(a[2])
            else:
                given["dense_inputs"].append(numbers([rows, 2], np.int64) if i % 2 else words(rows * 2).reshape(rows, 2))
        if change:
            change(given)
        case(
            "RaggedCross", **given, input_order=order, hashed_output=out == tf.int64, num_buckets=buckets,
            hash_key=key, out_values_type=out, out_row_splits_type=splits, **o,
        )

    for order in ["R", "RR", "S", "D", "RSD", "DSR", "RRD", "DDRS"]:
        of(order)
        of(order, out=tf.int64)
        of(order, out=tf.int64, buckets=9, splits=tf.int64)
    of("RD", splits=tf.int32)

    def other_rows(given):
        given["dense_inputs"] = [numbers([5, 2], np.int64)]

    of("RD", change=other_rows)


def distance(case):
    def of(h, t, normalize=True, **o):
        case(
            "EditDistance", hypothesis_indices=h[0], hypothesis_values=h[1], hypothesis_shape=h[2],
            truth_indices=t[0], truth_values=t[1], truth_shape=t[2], normalize=normalize, **o,
        )

    def sequences(shape, dtype=np.int64):
        at, _, sizes = sparse(shape, density=0.7)
        if dtype is np.str_:
            return at, np.array([b"%d" % RANDOM.randint(3) for _ in at], dtype=object), sizes
        return at, RANDOM.randint(0, 3, len(at)).astype(dtype), sizes

    for dtype in [np.int64, np.int32, np.str_, np.float32, np.uint8]:
        for normalize in [False, True]:
            of(sequences([3, 5], dtype), sequences([3, 5], dtype), normalize)
            of(sequences([2, 3, 4], dtype), sequences([3, 2, 6], dtype), normalize)
    one = sequences([3, 4])
    none = (NONE2, np.zeros([0], np.int64), i64(3, 4))
    for normalize in [False, True]:
        of(one, none, normalize)
        of(none, one, normalize)
        of(none, none, normalize)
    of(one, sequences([2, 2, 2]))
    of((one[0][:, :1], one[1], i64(3)), (one[0][:, :1], one[1], i64(3)))
    of((one[0].reshape(-1), one[1], one[2]), one)
    of(one, (one[0].reshape(-1), one[1], one[2]))
    of((one[0], one[1].reshape(-1, 1), one[2]), one)
    of(one, (one[0], one[1].reshape(-1, 1), one[2]))
    of(one, (one[0], one[1], i64(3, 4, 5)))
    of((one[0], one[1], i64(3, 4, 5)), one)
    of(one, (one[0], one[1], one[2].reshape(1, 2)))


def fill_gradient(case):
    for op in ["SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"]:
        of = lambda m, g, **o: case(op, reverse_index_map=m, grad_values=g, **o)
        for dtype in [*INTEGERS, np.float32, np.float64, np.complex64, np.complex128]:
            of(i64(2, 0, 5), numbers([7], dtype))
        of(i64(), grid([3]))
        of(i64(2, 1, 0), grid([3]))
        of(i64(3), grid([3]))
        of(i64(-1), grid([3]))
        of(i64(0).reshape(1, 1), grid([3]))
        of(i64(0), grid([3, 1]))


def ragged_fill(case):
    def of(rowids, values, rows, default, **o):
        case(
            "RaggedFillEmptyRows", value_rowids=rowids, values=values, nrows=rows, default_value=default, **o
        )

    for kind in KINDS:
        of(i64(1, 1, 4), grid([3], kind), np.int64(6), grid([1], kind)[0])
    one = np.float32(7)
    of(i64(4, 1, 1, 0), grid([4]), np.int64(5), one)
    of(i64(0, 1), grid([2]), np.int64(2), one)
    of(i64(), grid([0]), np.int64(3), one)
    of(i64(), grid([0]), np.int64(0), one)
    of(i64(0), grid([1]), np.int64(0), one, _says="")
    of(i64(3), grid([1]), np.int64(3), one)
    of(i64(-1), grid([1]), np.int64(3), one, _says="")
    of(i64(0, 1), grid([1]), np.int64(3), one, _says="")
    of(i64(0), grid([1, 1]), np.int64(3), one, _says="")
    of(i64(0).reshape(1, 1), grid([1]), np.int64(3), one, _says="")
    of(i64(0), grid([1]), i64(3), one, _says="")
    of(i64(0), grid([1]), np.int64(3), grid([1]), _says="")


def slice_gradient(case):
    of = lambda g, i, s, out, **o: case(
        "SparseSliceGrad", backprop_val_grad=g, input_indices=i, input_start=s, output_indices=out, **o
    )
    at = sparse([5, 4], density=0.8)[0]
    part = at[(at[:, 0] >= 1) & (at[:, 0] < 4) & (at[:, 1] >= 1)] - i64(1, 1)
    for dtype in [*INTEGERS, np.float32, np.float64, np.complex64]:
        of(numbers([len(part)], dtype), at, i64(1, 1), part)
    of(grid([0]), at, i64(5, 4), NONE2)
    of(grid([2]), at, i64(1, 1), part, _says="")
    of(grid([len(part)]), at, i64(1), part, _says="")
    of(grid([len(part)]), at, i64(1, 1).reshape(1, 2), part, _says="")
    of(grid([len(part)]), at.reshape(-1), i64(1, 1), part, _says="")

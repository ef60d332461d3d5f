"""Ragged tensors: padding, variants, ranges, gathering, counting."""

import numpy as np
import tensorflow as tf

from values import KINDS, grid, i32, i64


def s(*values):
    return np.array(values, dtype=object)


def record(case):
    to_tensor(case)
    variants(case)
    ranges(case)
    gather(case)
    to_sparse(case)
    bincount(case)


def pad(case, shape, values, default, partitions, types, **options):
    case(
        "RaggedTensorToTensor",
        shape=shape,
        values=values,
        default_value=default,
        row_partition_tensors=partitions,
        row_partition_types=types,
        **options,
    )


def to_tensor(case):
    splits = ["ROW_SPLITS"]
    for kind in KINDS:
        default = np.array(b"-", dtype=object) if kind is np.str_ else kind(7)
        pad(case, np.int64(-1), grid([6], kind), default, [i64(0, 2, 2, 5, 6)], splits)
    six = grid([6])
    for shape in [i64(-1, -1), i64(4, 2), i64(2, -1), i64(7, 5), i64(-1, 0), i32(-1, 4), i64(0, 3)]:
        pad(case, shape, six, np.float32(-1), [i64(0, 2, 2, 5, 6)], splits)
        pad(case, shape, six, np.float32(-1), [i32(0, 2, 2, 5, 6)], splits)
    two = ["ROW_SPLITS", "ROW_SPLITS"]
    for shape in [np.int64(-1), i64(-1, -1, -1), i64(2, 2, 2), i64(5, 1, 4), i64(3, 3, 1)]:
        pad(case, shape, six, np.float32(0), [i64(0, 2, 3), i64(0, 1, 4, 6)], two)
    matrix = grid([5, 2, 3])
    for default in [np.float32(9), grid([3]), grid([2, 3]), grid([2, 1]), grid([1])]:
        pad(case, np.int64(-1), matrix, default, [i64(0, 3, 3, 5)], splits)
        pad(case, i64(4, 2, -1, -1), matrix, default, [i64(0, 3, 3, 5)], splits)
    rows = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
    for shape in [np.int64(-1), i64(-1, 2), i64(2, 9), i64(6, 1)]:
        pad(case, shape, six, np.float32(0), [np.int64(5), i64(0, 0, 1, 3, 3, 3)], rows)
    pad(
        case, np.int64(-1), six, np.float32(0),
        [np.int64(3), i64(0, 0, 2), i64(0, 0, 0, 1, 2, 2)], rows + ["VALUE_ROWIDS"],
    )
    pad(
        case, i64(-1, 1, 2), six, np.float32(0),
        [i64(0, 2, 3), i64(0, 0, 0, 1, 2, 2)], ["ROW_SPLITS", "VALUE_ROWIDS"],
    )
    none = np.zeros([0], np.float32)
    pad(case, np.int64(-1), none, np.float32(0), [i64(0)], splits)
    pad(case, np.int64(-1), none, np.float32(5), [i64(0, 0, 0)], splits)
    pad(case, i64(-1, 2), none, np.float32(5), [i64(0, 0, 0)], splits)
    pad(case, np.int64(-1), np.zeros([0, 2], np.float32), np.float32(5), [i64(0, 0, 0)], splits)
    pad(case, np.int64(-1), none, np.float32(0), [np.int64(2), np.zeros([0], np.int64)], rows)
    pad(case, np.int64(-1), grid([3, 0]), np.float32(0), [i64(0, 1, 3)], splits)
    # Inputs that do not match.
    pad(case, np.int64(-1), six, grid([1]), [i64(0, 2, 6)], splits)
    pad(case, np.int64(-1), matrix, grid([2]), [i64(0, 2, 5)], splits)
    pad(case, np.int64(-1), matrix, grid([3, 3]), [i64(0, 2, 5)], splits)
    pad(case, i64(-1, -1, -1), six, np.float32(0), [i64(0, 2, 6)], splits)
    pad(case, i64(-1, -1, 2, 4), matrix, np.float32(0), [i64(0, 2, 5)], splits)
    pad(case, np.int64(3), six, np.float32(0), [i64(0, 2, 6)], splits)
    pad(case, i64(-1, -2), six, np.float32(0), [i64(0, 2, 6)], splits, _says="")
    pad(case, np.int64(-1), six, np.float32(0), [np.zeros([0], np.int64)], splits)
    pad(case, np.int64(-1), six, np.float32(0), [np.int64(2), i64(0, 0, 1, 3, 3, 3)], rows)
    pad(case, np.int64(-1), six, np.float32(0), [i64(0, 2, 3), i64(0, 1, 4, 5, 6)], two)


def variants(case):
    def to(splits, values, batched, **options):
        op = "RaggedTensorToVariant"
        case(op, rt_nested_splits=splits, rt_dense_values=values, batched_input=batched, **options)

    for kind in KINDS:
        for batched in [False, True]:
            to([i64(0, 2, 2, 5, 6)], grid([6], kind), batched)
            to([i32(0, 2, 3), i32(0, 0, 4, 6)], grid([6, 2], kind), batched)
    for batched in [False, True]:
        to([i64(0, 2, 2, 5), i64(0, 1, 1, 3, 3, 4), i64(0, 2, 3, 5, 6)], grid([6]), batched)
        to([i64(0)], grid([0]), batched)
        to([i64(0, 0, 0)], grid([0, 3]), batched)
        to([i64(0, 1, 2)], grid([2, 0]), batched)
    to([], grid([3]), False)
    for batched in [False, True]:
        to([np.zeros([0], np.int64)], grid([3]), batched)
        to([i64(1, 3)], grid([3]), batched)
        to([i64(0, 2)], grid([3]), batched)
        to([i64(0, 2, 1, 3)], grid([3]), batched)
        to([i64(0, 2), i64(0, 3)], grid([3]), batched)
        to([i64(0, 1), i64(0, 1, 3)], grid([3]), batched)
        to([i64(0, 3).reshape(1, 2)], grid([3]), batched)
        to([i64(0, 3)], np.float32(1), batched)

    def ragged(splits, values):
        return tf.raw_ops.RaggedTensorToVariant(
            rt_nested_splits=splits, rt_dense_values=values, batched_input=False
        )

    def back(encoded, inner, outer, values=tf.float32, splits=tf.int64, **options):
        case(
            "RaggedTensorFromVariant",
            encoded_ragged=encoded,
            input_ragged_rank=inner,
            output_ragged_rank=outer,
            Tvalues=values,
            Tsplits=splits,
            **options,
        )

    dense = [ragged([], grid([n])) for n in [3, 0, 2, 1]]
    back(dense[0], 0, 0)
    back(dense[0], -1, 0)
    back(tf.stack(dense), 0, 1)
    back(tf.stack(dense), -1, 1, splits=tf.int32)
    back(tf.reshape(tf.stack(dense), [2, 2]), 0, 2)
    back(tf.reshape(tf.stack(dense), [1, 4, 1]), -1, 3)
    back(tf.stack(dense)[:0], 0, 1)
    back(tf.stack(dense)[:0], 1, 2)
    back(tf.reshape(tf.stack(dense)[:0], [2, 0]), 0, 2)
    matrices = tf.stack([ragged([], grid([2, 3]))] * 4)
    back(matrices, 0, 0)
    back(tf.reshape(matrices, [2, 2]), -1, 0)
    back(matrices[:0], 0, 0)
    back(tf.stack(dense), 0, 0)
    scalars = tf.stack([ragged([], np.float32(3))] * 2)
    back(scalars[0], 0, 0)
    back(scalars, 0, 0)
    back(scalars, 0, 1, _says="Ragged values must have rank >= 1; encoded scalar element at index 0")
    back(tf.stack([ragged([], grid([0, 3])), ragged([], grid([2, 4]))]), 0, 1)
    for kind in KINDS:
        dtype = tf.string if kind is np.str_ else tf.as_dtype(kind)
        rows = [ragged([i64(0, 2, 3)], grid([3, 2], kind)), ragged([i64(0)], grid([0, 2], kind))]
        back(rows[0], 1, 1, dtype)
        back(tf.stack(rows + rows), 1, 2, dtype)
        back(tf.reshape(tf.stack(rows + rows), [2, 2]), -1, 3, dtype)
    deep = [ragged([i32(0, 1, 3), i32(0, 2, 2, 3)], grid([3]))] * 2
    back(tf.stack(deep), 2, 3, splits=tf.int32)
    back(tf.stack(deep), 2, 3)
    back(tf.stack(deep), 1, 2, splits=tf.int32)
    back(tf.stack(deep), 1, 3, splits=tf.int32)
    back(tf.stack(deep), -1, 0, splits=tf.int32)
    back(tf.stack(deep), 2, 3, values=tf.int32, splits=tf.int32)
    back(tf.stack([ragged([], grid([3])), ragged([], grid([3, 2]))]), 0, 1)


def ranges(case):
    for values in [i32, i64, lambda *v: np.array(v, np.float32), lambda *v: np.array(v, np.float64)]:
        case("RaggedRange", starts=values(0, 5, 8), limits=values(3, 5, 12), deltas=values(1, 1, 3))
        case("RaggedRange", starts=values(9)[0], limits=values(3, 9, 12), deltas=values(-2)[0])
        case("RaggedRange", starts=values(1)[0], limits=values(4)[0], deltas=values(2)[0])
        case("RaggedRange", starts=values(), limits=values(), deltas=values(1)[0])
        case("RaggedRange", starts=values(1, 2), limits=values(0, 1), deltas=values(1, -1), Tsplits=tf.int32)
        case("RaggedRange", starts=values(1, 2), limits=values(5, 5), deltas=values(1, 0))
        case("RaggedRange", starts=values(1, 2), limits=values(5, 5, 5), deltas=values(1, 1))
        case("RaggedRange", starts=values(1, 2).reshape(1, 2), limits=values(5)[0], deltas=values(1)[0])
    case("RaggedRange", starts=np.float32(0), limits=np.float32(1), deltas=np.float32(0.1))
    case("RaggedRange", starts=np.float64(0), limits=np.float64(1), deltas=np.float64(0.1))


def gather(case):
    def pick(splits, values, indices, rank, **options):
        case(
            "RaggedGather",
            params_nested_splits=splits,
            params_dense_values=values,
            indices=indices,
            OUTPUT_RAGGED_RANK=rank,
            **options,
        )

    for kind in KINDS:
        pick([i64(0, 2, 2, 5, 6)], grid([6], kind), i32(3, 0, 1, 0), 1)
        pick([i32(0, 2, 2, 5, 6)], grid([6, 2], kind), i64(2), 1)
    deep = [i64(0, 2, 2, 3), i64(0, 1, 4, 6)]
    for indices in [i64(2, 0), i64(1, 1), np.zeros([0], np.int32)]:
        pick(deep, grid([6]), indices, 2)
    pick(deep, grid([6]), np.int32(0), 1)
    pick([i64(0, 2, 6)], grid([6, 2]), np.int32(1), 0)
    pick(deep, grid([6]), i32(0, 2, 1, 0, 2, 2).reshape(2, 3), 3)
    pick(deep, grid([6]), i32(0, 2, 1, 0).reshape(2, 1, 2), 4)
    pick(deep, grid([6]), np.zeros([2, 0], np.int32), 3)
    pick([i64(0, 2, 6)], grid([6, 0]), i32(1), 1)
    pick([i64(0, 2, 6)], grid([6]), i32(2), 1)
    pick([i64(0, 2, 6)], grid([6]), i32(0, 1, -1, 0).reshape(2, 2), 2)
    pick([i64(0, 2, 7)], grid([6]), i32(0), 1)
    pick([i64(-1, 2, 6)], grid([6]), i32(1), 1)
    pick([i64(0, 4, 2)], grid([6]), i32(1), 1)
    pick([np.zeros([0], np.int64)], grid([6]), np.zeros([0], np.int32), 1)
    pick([i64(1, 2, 4)], grid([6]), i32(1, 0), 1)


def to_sparse(case):
    def sparse(splits, values, **options):
        case("RaggedTensorToSparse", rt_nested_splits=splits, rt_dense_values=values, **options)

    for kind in KINDS:
        sparse([i64(0, 2, 2, 5, 6)], grid([6], kind))
        sparse([i32(0, 2, 3), i32(0, 0, 4, 6)], grid([6, 2], kind))
    sparse([i64(0, 2, 2, 5), i64(0, 1, 1, 3, 3, 4), i64(0, 2, 3, 5, 6)], grid([6, 2, 3]))
    sparse([i64(0)], grid([0]))
    sparse([i64(0, 0, 0)], grid([0, 2]))
    sparse([i64(0, 1, 3)], grid([3, 0, 2]))
    sparse([i64(0, 1, 4)], grid([3]))
    sparse([i64(1, 1, 3)], grid([3]))
    sparse([i64(0, 2, 1, 3)], grid([3]))
    sparse([i64(0, 2, 3), i64(0, 2, 3)], grid([3]))
    sparse([np.zeros([0], np.int64)], grid([3]))


def bincount(case):
    def count(splits, values, size, weights, binary=False, **options):
        case(
            "RaggedBincount", splits=splits, values=values, size=size, weights=weights,
            binary_output=binary, **options,
        )

    splits = i64(0, 3, 3, 4, 7)
    for numbers in [i32, i64]:
        values = numbers(1, 1, 5, 0, 2, 3, 2)
        size = values.dtype.type(4)
        for kind in [np.int32, np.int64, np.float32, np.float64]:
            for binary in [False, True]:
                count(splits, values, size, np.zeros([0], kind), binary)
                count(splits, values, size, grid([7], kind), binary)
    values = i32(1, 1, 5, 0, 2, 3, 2)
    none = np.zeros([0], np.float32)
    count(splits, values, np.int32(0), none)
    count(i64(0), values[:0], np.int32(3), none)
    count(i64(0, 0), values[:0], np.int32(3), none)
    count(splits, values, i32(4), none)
    count(splits, values, np.int32(-1), none)
    count(splits, -values, np.int32(4), none)
    count(i64(1, 7), values, np.int32(4), none)
    count(i64(0, 6), values, np.int32(4), none)
    count(np.zeros([0], np.int64), values, np.int32(4), none)

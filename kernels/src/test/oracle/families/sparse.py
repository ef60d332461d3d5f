"""Sparse tensors: packing, ordering, shapes, filling, sums, products."""

import numpy as np
import tensorflow as tf

from values import KINDS, grid, i32, i64


def ix(*rows):
    return np.array(rows, np.int64)


NONE2 = np.zeros([0, 2], np.int64)
I5 = ix([0, 1], [0, 3], [2, 0], [2, 2], [4, 1])
S5 = i64(5, 4)
MIXED = ix([2, 2], [0, 3], [4, 1], [0, 1], [2, 0])


def record(case):
    serialize(case)
    deserialize(case)
    reorder(case)
    reshape(case)
    cut(case)
    concat(case)
    fill(case)
    reduce_sum(case)
    product(case)
    cross(case)


def serialize(case):
    for op in ["SerializeSparse", "SerializeManySparse"]:
        for out in [tf.string, tf.variant]:

            def pack(indices, values, shape, **options):
                case(
                    op, sparse_indices=indices, sparse_values=values, sparse_shape=shape,
                    out_type=out, **options,
                )

            for kind in KINDS:
                pack(I5, grid([5], kind), S5)
            pack(NONE2, grid([0]), S5)
            pack(ix([0, 1, 1], [1, 0, 0]), grid([2]), i64(2, 2, 2))
            pack(NONE2, grid([0]), i64(0, 4))
            pack(ix([1], [3]), grid([2]), i64(5))
            says = "is out of order. Many sparse ops require sorted indices."
            pack(MIXED, grid([5]), S5, **({"_says": says} if "Many" in op else {}))
            pack(I5, grid([5]), i64(4, 4))
            pack(ix([0, 1], [0, 1]), grid([2]), S5)
            pack(I5, grid([4]), S5)
            pack(I5, grid([5]), i64(5))
            pack(i64(1, 2), grid([2]), S5)
            pack(I5, grid([5, 1]), S5)
            pack(I5, grid([5]), i64(5, 4).reshape(1, 2))


def packed(indices, values, shape, out, many=False):
    op = tf.raw_ops.SerializeManySparse if many else tf.raw_ops.SerializeSparse
    return op(sparse_indices=indices, sparse_values=values, sparse_shape=shape, out_type=out)


def deserialize(case):
    for out in [tf.string, tf.variant]:

        def unpack(serialized, dtype=tf.float32, **options):
            case("DeserializeSparse", serialized_sparse=serialized, dtype=dtype, **options)
            if out == tf.string and len(serialized.shape) == 2:
                case("DeserializeManySparse", serialized_sparse=serialized, dtype=dtype, **options)

        for kind in KINDS:
            dtype = tf.string if kind is np.str_ else tf.as_dtype(kind)
            rows = packed(I5, grid([5], kind), S5, out, many=True)
            unpack(rows, dtype)
            unpack(rows[0], dtype)
            unpack(rows[1], dtype)
        one = packed(ix([1, 2], [1, 3]), grid([2]), i64(2, 9), out)
        two = packed(ix([0, 0]), grid([1]), i64(7, 1), out)
        none = packed(NONE2, grid([0]), i64(1, 1), out)
        unpack(tf.stack([one, two, none]))
        unpack(tf.reshape(tf.stack([one, two, none, one, none, two]), [2, 3, 3]))
        unpack(tf.stack([none, none]))
        scalar = packed(np.zeros([1, 0], np.int64), grid([1]), np.zeros([0], np.int64), out)
        unpack(scalar)
        unpack(tf.stack([scalar, scalar]))
        unpack(tf.stack([one, packed(ix([1]), grid([1]), i64(3), out)]))
        unpack(one, tf.int32)
        unpack(tf.stack([one, two]), tf.int32)
        unpack(tf.stack([one, two])[:0])
        unpack(one[:2])
    unpack = lambda s, **options: case("DeserializeSparse", serialized_sparse=s, dtype=tf.float32, **options)
    unpack(np.array([b"x", b"y", b"z"], dtype=object), _says="")
    t = lambda v: tf.io.serialize_tensor(v)
    unpack(tf.stack([t(i64(1, 2)), t(grid([2])), t(S5)]))
    unpack(tf.stack([t(I5), t(grid([5, 1])), t(S5)]))
    unpack(tf.stack([t(I5), t(grid([4])), t(S5)]))
    unpack(tf.stack([t(I5), t(grid([5])), t(i64(5))]))
    unpack(tf.stack([t(I5), t(grid([5])), t(S5.reshape(1, 2))]))


def reorder(case):
    def order(indices, values, shape, **options):
        case("SparseReorder", input_indices=indices, input_values=values, input_shape=shape, **options)

    for kind in KINDS:
        order(MIXED, grid([5], kind), S5)
        order(I5, grid([5], kind), S5)
    order(NONE2, grid([0]), S5)
    order(ix([1, 1, 0], [0, 1, 1], [1, 0, 1]), grid([3]), i64(2, 2, 2))
    order(ix([3], [1], [2]), grid([3]), i64(4))
    # Indices whose bits do not fit into one number, and, of three values, just do and just don't.
    far = 2**62
    order(ix([far, 3], [5, far], [5, far - 1], [0, 7]), grid([4]), i64(far + 1, far + 1))
    for largest in [2**31 - 1, 2**31]:
        order(ix([1, largest], [largest, 0], [1, 0]), grid([3]), i64(2**32, 2**32))
        order(ix([1, largest], [2**30 - 1, 0], [1, 0]), grid([3]), i64(2**32, 2**32))
    many = np.stack([np.arange(100) * 37 % 11, np.arange(100) * 29 % 100], 1)
    order(many, grid([100]), i64(11, 100))
    order(MIXED, grid([4]), S5)
    order(MIXED, grid([5]), i64(5))
    order(MIXED, grid([5, 1]), S5)
    order(MIXED, grid([5]), S5.reshape(1, 2))
    order(i64(1, 2), grid([2]), S5)


def reshape(case):
    def to(indices, shape, new, **options):
        case("SparseReshape", input_indices=indices, input_shape=shape, new_shape=new, **options)

    for new in [i64(20), i64(2, 10), i64(-1), i64(2, -1, 5), i64(5, 4), i64(1, 20, 1), i64(5, -1)]:
        to(I5, S5, new)
    to(MIXED, S5, i64(10, 2))
    to(NONE2, S5, i64(4, 5))
    to(NONE2, i64(0, 4), i64(0, 7))
    to(NONE2, i64(0, 4), i64(3, 0, -1), _says="reshape cannot infer the missing input size")
    to(NONE2, i64(0, 4), i64(-1, 3))
    to(I5, S5, i64(-1, -1))
    to(I5, S5, i64(3, -1))
    to(I5, S5, i64(3, 7))
    to(I5, S5, i64(-2, 10))
    to(I5, S5, i64(20).reshape(1, 1))
    to(I5, S5.reshape(1, 2), i64(20))
    to(i64(1, 2), S5, i64(20))
    to(I5, i64(20), i64(5, 4), _says="")


def cut(case):
    def part(start, size, indices=I5, values=None, shape=S5, **options):
        case(
            "SparseSlice", indices=indices, values=grid([5]) if values is None else values,
            shape=shape, start=start, size=size, **options,
        )

    for start, size in [((0, 0), (5, 4)), ((0, 1), (3, 2)), ((2, 0), (9, 9)), ((1, 1), (1, 3)),
                        ((4, 1), (1, 1)), ((5, 0), (2, 2)), ((0, 0), (0, 4)), ((3, 3), (2, 1))]:
        part(i64(*start), i64(*size))
    for kind in KINDS:
        part(i64(0, 1), i64(3, 3), values=grid([5], kind))
    part(i64(0, 0), i64(2, 2), NONE2, grid([0]))
    part(i64(0), i64(2, 2))
    part(i64(0, 0), i64(2))
    part(i64(0, 0).reshape(1, 2), i64(2, 2))


def concat(case):
    def join(indices, values, shapes, dim, **options):
        case("SparseConcat", indices=indices, values=values, shapes=shapes, concat_dim=dim, **options)

    other = ix([0, 0], [1, 2], [4, 0])
    for kind in KINDS:
        for dim in [0, 1, -1, -2]:
            join([I5, other], [grid([5], kind), grid([3], kind)], [S5, S5], dim)
    join([I5, other, NONE2], [grid([5]), grid([3]), grid([0])], [S5, i64(5, 7), i64(5, 1)], 1)
    join([I5, other], [grid([5]), grid([3])], [S5, i64(6, 4)], 0)
    join([I5, other], [grid([5]), grid([3])], [S5, i64(6, 4)], 1)
    join([I5, other], [grid([5]), grid([3])], [S5, S5], 2, _shapes=False)
    join([I5, ix([1])], [grid([5]), grid([1])], [S5, i64(3)], 0)
    join([I5, other], [grid([5]), grid([2])], [S5, S5], 0, _says="")
    join([ix([2], [0]), ix([1])], [grid([2]), grid([1])], [i64(3), i64(2)], 0)


def fill(case):
    def rows(indices, values, shape, default, **options):
        case(
            "SparseFillEmptyRows", indices=indices, values=values, dense_shape=shape,
            default_value=default, **options,
        )

    for kind in KINDS:
        default = np.array(b"-", dtype=object) if kind is np.str_ else kind(7)
        rows(I5, grid([5], kind), S5, default)
        rows(MIXED, grid([5], kind), S5, default)
    zero = np.float32(-1)
    rows(ix([0, 1], [1, 0]), grid([2]), i64(2, 3), zero)
    rows(NONE2, grid([0]), i64(3, 2), zero)
    rows(NONE2, grid([0]), i64(0, 2), zero)
    rows(ix([1, 0, 1]), grid([1]), i64(3, 2, 2), zero)
    rows(ix([2]), grid([1]), i64(4), zero)
    rows(I5, grid([5]), i64(0, 4), zero)
    rows(I5, grid([5]), i64(4, 4), zero)
    rows(-I5, grid([5]), i64(5, 4), zero)
    rows(I5, grid([4]), S5, zero)
    rows(I5, grid([5]), i64(5), zero)
    rows(I5, grid([5]), S5, grid([1]))
    rows(i64(1, 2), grid([2]), S5, zero)
    rows(I5, grid([5, 1]), S5, zero)
    rows(I5, grid([5]), S5.reshape(1, 2), zero)


def reduce_sum(case):
    def total(indices, values, shape, axes, keep=False, **options):
        case(
            "SparseReduceSum", input_indices=indices, input_values=values, input_shape=shape,
            reduction_axes=axes, keep_dims=keep, **options,
        )

    for keep in [False, True]:
        for axes in [i32(0), i32(1), i32(-1), i32(0, 1), np.zeros([0], np.int32), np.int32(0)]:
            total(I5, grid([5]), S5, axes, keep)
            total(MIXED, grid([5]), S5, axes, keep)
    for kind in [np.int8, np.uint8, np.int32, np.int64, np.float16, np.float64, np.complex64]:
        total(I5, grid([5], kind), S5, i32(1))
    cube = ix([0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0])
    for axes in [i32(0), i32(1), i32(2), i32(0, 2), i32(-2, 2)]:
        total(cube, grid([4]), i64(2, 2, 2), axes)
    total(NONE2, grid([0]), S5, i32(1))
    total(I5, grid([5]), S5, i32(2), _shapes=False)
    total(I5, grid([5]), S5, i32(-3), _shapes=False)


def product(case):
    def times(indices, values, shape, b, **options):
        case("SparseTensorDenseMatMul", a_indices=indices, a_values=values, a_shape=shape, b=b, **options)

    for kind in [np.float32, np.float64, np.int32]:
        times(I5, grid([5], kind), S5, grid([4, 3], kind))
        times(I5, grid([5], kind), S5, grid([3, 4], kind), adjoint_b=True)
        times(I5, grid([5], kind), S5, grid([5, 3], kind), adjoint_a=True)
        times(I5, grid([5], kind), S5, grid([3, 5], kind), adjoint_a=True, adjoint_b=True)
        times(MIXED.astype(np.int32), grid([5], kind), S5, grid([4, 40], kind))
    times(NONE2, grid([0]), S5, grid([4, 2]))
    times(I5, grid([5]), S5, grid([4, 0]))
    times(I5, grid([5]), S5, grid([5, 2]), _says="Cannot multiply A and B because inner dimension does not match")
    times(I5, grid([5]), i64(4, 4), grid([4, 2]), _says="out of bounds")
    times(I5, grid([5]), i64(5, 3), grid([3, 2]), _says="out of bounds")
    times(I5, grid([5]), S5, grid([4]))
    times(I5, grid([5]), i64(5), grid([4, 1]), _says="")



def cross(case):
    def of(sparse, dense, out=tf.string, buckets=0, key=0xDECAFCAFFE, rows=3, internal=None, **options):
        values = [v for _, v in sparse]
        types = [tf.string if v.dtype == object else tf.int64 for v in values]
        dense_types = [tf.string if v.dtype == object else tf.int64 for v in dense]
        case(
            "SparseCross",
            indices=[i for i, _ in sparse],
            values=values,
            shapes=[i64(rows, 9)] * len(sparse),
            dense_inputs=dense,
            hashed_output=out == tf.int64,
            num_buckets=buckets,
            hash_key=key,
            out_type=out,
            internal_type=internal or (tf.int64 if tf.int64 in types + dense_types + [out] else tf.string),
            **options,
        )

    def s(*values):
        return np.array(values, dtype=object)

    words = (ix([0, 0], [0, 1], [2, 0]), s(b"a", b"bb", b"c"))
    more = (ix([0, 0], [1, 0], [2, 0], [2, 1]), s(b"x", b"y", b"", b"zzz" * 20))
    numbers = (ix([0, 0], [1, 0], [1, 1], [2, 3]), i64(1, -2, 3, 2**40))
    dense = s(b"d1", b"d2", b"d3", b"d4", b"d5", b"d6").reshape(3, 2)
    for out in [tf.string, tf.int64]:
        of([words, more], [], out)
        of([words, more, numbers], [], out)
        of([words], [dense], out)
        of([numbers, words], [dense, i64(7, 8, 9).reshape(3, 1)], out)
        of([words], [], out)
        if out == tf.string:
            of([words, numbers], [], out, internal=tf.string)
        of([(np.zeros([0, 2], np.int64), s(b"x")[:0]), more], [], out)
        of([words], [dense[:2]], out, _says="")
        of([words], [dense[0]], out, _says="")
        of([(words[0], words[1][:2]), more], [], out, _says="")
    for buckets in [1, 10, 1000]:
        of([words, more, numbers], [dense], tf.int64, buckets)
        of([numbers, numbers], [], tf.int64, buckets, key=7)
    of([numbers, numbers], [i64(7, 8, 9).reshape(3, 1)])

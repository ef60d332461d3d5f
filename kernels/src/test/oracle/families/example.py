"""Ops that parse serialized tf.Examples."""

import numpy as np
import tensorflow as tf

Features = tf.train.Features
Feature = tf.train.Feature


def floats(*v):
    return Feature(float_list=tf.train.FloatList(value=v))


def ints(*v):
    return Feature(int64_list=tf.train.Int64List(value=v))


def strings(*v):
    return Feature(bytes_list=tf.train.BytesList(value=v))


def example(**features):
    return tf.train.Example(features=Features(feature=features)).SerializeToString(deterministic=True)


def keys(names):
    return np.array([n.encode() for n in names], dtype=object) if names else np.array([], dtype="S")


EMPTY = {tf.float32: np.zeros([0], np.float32), tf.int64: np.zeros([0], np.int64), tf.string: np.array([], "S")}


def parse(case, serialized, dense=(), sparse=(), ragged=(), names=None, **options):
    """dense: (key, dtype, shape, default or None); sparse: (key, dtype); ragged: (key, dtype, splits)."""
    defaults = [EMPTY[t] if d is None else np.array(d, t.as_numpy_dtype) for _, t, _, d in dense]
    is_vector = not isinstance(serialized, bytes)
    case(
        "ParseExampleV2",
        serialized=np.array(serialized, dtype=object) if is_vector else serialized,
        names=np.array(names, dtype=object) if names else np.array([], "S"),
        sparse_keys=keys([k for k, _ in sparse]),
        dense_keys=keys([k for k, *_ in dense]),
        ragged_keys=keys([k for k, *_ in ragged]),
        dense_defaults=defaults or [],
        num_sparse=len(sparse),
        sparse_types=[t for _, t in sparse],
        ragged_value_types=[t for _, t, _ in ragged],
        ragged_split_types=[s for _, _, s in ragged],
        dense_shapes=[s for _, _, s, _ in dense],
        **options,
    )


ONE = example(f=floats(1, 2), i=ints(-1, 2**40), s=strings(b"a", b""), x=ints(5))
TWO = example(f=floats(3, 4), i=ints(7), s=strings(), e=Feature())
NONE = example()
F, I, S = tf.float32, tf.int64, tf.string


def record(case):
    dense(case)
    varlen(case)
    sparse(case)
    ragged(case)
    everything(case)
    wire(case)
    others(case)


def both(case, serialized, **kwargs):
    """The examples as a vector, and each as a scalar."""
    parse(case, serialized, **kwargs)
    for one in serialized:
        parse(case, one, **kwargs)


def dense(case):
    both(case, [ONE, ONE], dense=[("f", F, [2], None), ("i", I, [2, 1], None), ("s", S, [2], None)])
    both(case, [ONE, TWO, NONE], dense=[("f", F, [2], [8, 9]), ("x", I, [], 3)])
    both(case, [ONE, TWO], dense=[("i", I, [2], [0, 0])])
    both(case, [ONE, NONE], dense=[("f", F, [2], None)])
    both(case, [ONE], dense=[("f", F, [3], None)])
    both(case, [ONE], dense=[("f", F, [1], None)])
    both(case, [ONE], dense=[("s", S, [3], None)])
    both(case, [ONE], dense=[("s", S, [1], None)])
    both(case, [ONE], dense=[("i", I, [1], None)])
    both(case, [ONE], dense=[("f", I, [2], None)])
    both(case, [TWO], dense=[("s", F, [2], None)])
    both(case, [TWO], dense=[("e", F, [2], [1, 2])])
    both(case, [ONE], dense=[("f", F, [2], [[1, 2]])])
    parse(case, [ONE, NONE], dense=[("f", F, [2], None)], names=[b"first", b"second"])
    parse(case, [ONE, NONE], dense=[("f", F, [2], None)], names=[b"first"])
    parse(case, np.array([], "S"), dense=[("f", F, [2], None)])
    parse(case, [[ONE]], dense=[("f", F, [2], None)])


def varlen(case):
    both(case, [ONE, TWO, NONE], dense=[("i", I, [None], -9)])
    both(case, [ONE, TWO], dense=[("f", F, [None, 2], 0.5), ("s", S, [None], b"pad")])
    both(case, [ONE, TWO], dense=[("i", I, [None, 2], 0)])
    both(case, [ONE], dense=[("i", F, [None], 0)])
    both(case, [ONE], dense=[("i", I, [None], [1, 2])])
    parse(case, np.array([], "S"), dense=[("i", I, [None], 0)])


def sparse(case):
    both(case, [ONE, TWO, NONE], sparse=[("f", F), ("i", I), ("s", S), ("e", I)])
    both(case, [ONE], sparse=[("f", I)])
    both(case, [TWO], sparse=[("s", I)])
    parse(case, np.array([], "S"), sparse=[("f", F)])


def ragged(case):
    both(case, [ONE, TWO, NONE], ragged=[("f", F, tf.int32), ("i", I, I), ("s", S, I)])
    both(case, [TWO], ragged=[("i", S, I)])
    parse(case, np.array([], "S"), ragged=[("f", F, I)])


def everything(case):
    both(
        case,
        [ONE, TWO],
        dense=[("f", F, [2], None), ("e", I, [None], 0)],
        sparse=[("i", I)],
        ragged=[("s", S, tf.int32), ("x", I, I)],
    )


def field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload


def entry(name, value, reverse=False):
    parts = [field(1, name), field(2, value)]
    return field(1, b"".join(parts[::-1] if reverse else parts))


def wire(case):
    """Wire formats that protobuf writers do not produce."""
    one_int = field(3, field(1, b"\x05"))
    unpacked_ints = field(3, b"\x08\x05\x08\x06")
    unpacked_floats = field(2, b"\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40")
    d = dict(dense=[("k", I, [1], [0])], sparse=[("m", F)])
    v = dict(dense=[("k", I, [None], 0)], sparse=[("m", F)])
    both(case, [field(1, entry(b"k", one_int, reverse=True))], **d)
    both(case, [field(1, entry(b"k", unpacked_ints) + entry(b"m", unpacked_floats))], **v)
    both(case, [field(1, entry(b"k", one_int)) + field(1, entry(b"k", field(3, field(1, b"\x07"))))], **d)
    both(case, [field(1, entry(b"k", one_int)) + field(1, entry(b"k", b""))], **d)
    both(case, [field(2, b"unknown") + b"\x18\x01" + b"\x21" + b"12345678" + b"\x25abcd"], **d)
    both(case, [field(1, entry(b"k", field(3, field(1, b"\x05") + field(1, b"\x06"))))], **v)
    both(case, [field(1, entry(b"m", field(2, field(1, b"\x00\x00\x80\x3fxy"))))], **v)
    both(case, [field(1, entry(b"k", b"\x1a\x7f\x0a\x01\x05"))], **v)
    both(case, [field(1, entry(b"k", field(3, b"\x10\x05")))], **v)
    both(case, [field(1, entry(b"k", field(3, field(1, b"\xff"))))], **v)
    both(case, [field(1, entry(b"k", field(3, field(1, b"\xff" * 9 + b"\x01"))))], **v)
    both(case, [field(1, entry(b"m", field(2, b"\x0d\x00\x00")))], **v)
    both(case, [field(1, entry(b"m", field(2, field(1, b"\x00\x00"))))], **v)
    both(case, [field(1, entry(b"k", field(4, b"")))], **d)
    both(case, [field(1, entry(b"other", field(4, b"")))], **d)
    both(case, [b"\x0a"], **d)
    both(case, [b"\x0a\x05"], **d)
    both(case, [b"abc"], **d)
    both(case, [b"\x00\x00", b"\x00"], **d)
    both(case, [field(1, field(1, field(1, b"k")))], **d)
    for cut in range(1, len(ONE)):
        parse(case, ONE[:cut], sparse=[("f", F), ("i", I), ("s", S), ("x", I)], _says=None)


def others(case):
    def listed(names):
        return [np.array(n, dtype=object) for n in names]

    old = dict(
        names=np.array([], "S"),
        sparse_keys=listed([b"i"]),
        dense_keys=listed([b"f", b"x"]),
        dense_defaults=[EMPTY[F], np.array([4], np.int64)],
        sparse_types=[I],
        dense_shapes=[[2], [1]],
    )
    case("ParseExample", serialized=np.array([ONE, TWO], dtype=object), **old)
    case("ParseExample", serialized=np.array([NONE], dtype=object), **old)
    case("ParseExample", serialized=ONE, **old)
    single = dict(
        num_sparse=1,
        sparse_keys=["i"],
        dense_keys=["f", "x"],
        dense_defaults=[EMPTY[F], np.array([4], np.int64)],
        sparse_types=[I],
        dense_shapes=[[2], [1]],
    )
    case("ParseSingleExample", serialized=ONE, **single)
    case("ParseSingleExample", serialized=TWO, **single)
    case("ParseSingleExample", serialized=NONE, **single)
    case("ParseSingleExample", serialized=np.array([ONE], dtype=object), **single)

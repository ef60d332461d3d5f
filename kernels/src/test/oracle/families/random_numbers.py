"""Random ops: the same bits for the same seeds, in the first call and in later calls."""

import numpy as np
import tensorflow as tf

FLOATS = [tf.float16, tf.bfloat16, tf.float32, tf.float64]
KEY = np.array([0x1234567890ABCDEF], np.uint64)
COUNTER = np.array([7, 0xFEDCBA0987654321], np.uint64)
# A counter two blocks before its low half overflows.
FULL = np.array([2**64 - 2, 1], np.uint64)


def i64(*values):
    return np.array(values, np.int64)


def record(case):
    stateful(case)
    stateless(case)
    stateless_of_seeds(case)
    keys(case)
    shuffles(case)
    index_shuffles(case)
    refusals(case)


def stateful(case):
    for op in ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]:
        for dtype in FLOATS:
            case(op, shape=[3, 3], seed=7, seed2=11, dtype=dtype, _calls=3)
        case(op, shape=i64(1001), seed=7, seed2=0, dtype=tf.float32, _calls=2)
        case(op, shape=[0, 3], seed=0, seed2=5, dtype=tf.float32, _calls=2)
        case(op, shape=np.zeros([0], np.int32), seed=-1, seed2=5, dtype=tf.float32, _calls=2)
    for dtype in [np.int32, np.int64]:
        lowest, highest = np.iinfo(dtype).min, np.iinfo(dtype).max
        for low, high in [(0, 10), (-5, 7), (lowest, highest), (highest - 1, highest)]:
            case(
                "RandomUniformInt",
                shape=[7],
                minval=dtype(low),
                maxval=dtype(high),
                seed=1,
                seed2=2,
                _calls=3,
            )


def stateless(case):
    for op in [
        "StatelessRandomUniformV2",
        "StatelessRandomNormalV2",
        "StatelessTruncatedNormalV2",
    ]:
        for dtype in FLOATS:
            for counter in [COUNTER, FULL]:
                case(op, shape=[5, 3], key=KEY, counter=counter, alg=1, dtype=dtype)
        case(op, shape=i64(4001), key=KEY, counter=COUNTER, alg=3, dtype=tf.float32)
        case(op, shape=[0], key=KEY, counter=COUNTER, alg=1, dtype=tf.float32)
        case(op, shape=[-1], key=KEY, counter=COUNTER, alg=1, dtype=tf.float32)
        case(op, shape=3, key=KEY, counter=COUNTER, alg=1, dtype=tf.float32)
    for dtype in [np.int32, np.int64]:
        case(
            "StatelessRandomUniformIntV2",
            shape=[9],
            key=KEY,
            counter=COUNTER,
            alg=1,
            minval=dtype(-3),
            maxval=dtype(1000),
        )
    for dtype in [tf.int32, tf.int64, tf.uint32, tf.uint64]:
        case(
            "StatelessRandomUniformFullIntV2",
            shape=[9],
            key=KEY,
            counter=COUNTER,
            alg=1,
            dtype=dtype,
        )


def stateless_of_seeds(case):
    for op in ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"]:
        case(op, shape=[5, 3], seed=i64(1, 2), dtype=tf.float32)
        case(op, shape=[5], seed=[-1, 2], dtype=tf.float64)
    case("StatelessRandomUniformInt", shape=[5], seed=[1, 2], minval=-2, maxval=9)
    case("StatelessRandomUniformFullInt", shape=[5], seed=i64(3, 4), dtype=tf.uint64)


def keys(case):
    for seed in [[1, 2], [-1, -2], i64(2**40, -(2**62))]:
        case("StatelessRandomGetKeyCounter", seed=seed)
        case("StatelessRandomGetKeyCounterAlg", seed=seed)
    case("StatelessRandomGetAlg")
    case("StatelessRandomGetKeyCounter", seed=[1, 2, 3])


def shuffles(case):
    for value in [
        np.arange(10, dtype=np.int32),
        np.arange(20, dtype=np.float64).reshape(10, 2),
        np.array([b"a", b"b", b"c"], dtype=object),
        np.int32(3),
        np.arange(3, dtype=np.int64).reshape(1, 3),
    ]:
        case("RandomShuffle", value=value, seed=3, seed2=4, _calls=3)
        case("StatelessShuffle", value=value, key=KEY, counter=COUNTER, alg=1)


def refusals(case):
    uniform = dict(shape=[2], key=KEY, counter=COUNTER, alg=1, dtype=tf.float32)
    case("StatelessRandomUniformV2", **{**uniform, "alg": 2}, _says="")
    case("StatelessRandomUniformV2", **{**uniform, "alg": 9}, _says="")
    case("StatelessRandomUniformV2", **{**uniform, "alg": [1]}, _says="")
    case("StatelessRandomUniformV2", **{**uniform, "key": COUNTER}, _says="")
    ints = dict(shape=[2], key=KEY, counter=COUNTER, alg=1)
    case("StatelessRandomUniformIntV2", **ints, minval=3, maxval=3)
    case("StatelessRandomUniformIntV2", **ints, minval=[3], maxval=5)
    case("StatelessRandomUniformIntV2", **{**ints, "shape": [0]}, minval=3, maxval=3)


def index_shuffles(case):
    op = "RandomIndexShuffle"
    for dtype in [np.int32, np.uint32, np.int64, np.uint64]:
        for highest in [0, 1, 9, 255, 65535, 65536, 70000, 2**31 - 1]:
            index = np.unique(np.linspace(0, highest, 12).astype(dtype))
            case(op, index=index, seed=i64(5, -7, 2**33 + 1), max_index=dtype(highest))
            case(op, index=index[0], seed=np.uint32([1, 2, 3]), max_index=dtype(highest), rounds=8)
    huge = np.uint64([0, 1, 2**40, 2**63, 2**64 - 2])
    case(op, index=huge, seed=np.int32([-1, 5, 0]), max_index=np.uint64(2**64 - 2), rounds=6)
    case(op, index=huge[:3], seed=np.int32([-1, 5, 0]), max_index=np.uint64(2**62))
    case(op, index=i64(4), seed=np.arange(9).reshape(3, 3), max_index=np.int64(8))
    case(op, index=i64(4, 5, 6), seed=np.arange(9).reshape(3, 3), max_index=i64(8, 9, 10))
    case(op, index=np.int64(4), seed=i64(1, 2, 3), max_index=i64(8, 9, 10))
    case(op, index=i64(4, 5), seed=i64(1, 2), max_index=np.int64(8))
    case(op, index=i64(4, 5), seed=i64(1, 2, 3), max_index=i64(8, 9, 10))
    case(op, index=np.int64([[4, 5]]), seed=i64(1, 2, 3), max_index=np.int64(8))

"""ParseSequenceExampleV2: features and feature lists of serialized tf.SequenceExamples."""

import numpy as np
import tensorflow as tf

from families.example import EMPTY, F, I, S, floats, ints, keys, strings
from values import i64

FeatureList = tf.train.FeatureList


def sequence(context=None, **lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context or {}),
        feature_lists=tf.train.FeatureLists(
            feature_list={k: FeatureList(feature=v) for k, v in lists.items()}
        ),
    ).SerializeToString(deterministic=True)


def parse(
    case, serialized, context_dense=(), context_sparse=(), context_ragged=(), dense=(), sparse=(),
    ragged=(), names=None, **options,
):
    """context_dense: (key, dtype, shape, default or None); dense: (key, dtype, shape, may be missing)."""
    is_vector = not isinstance(serialized, bytes)
    case(
        "ParseSequenceExampleV2",
        serialized=np.array(serialized, dtype=object) if is_vector else serialized,
        debug_name=np.array(names, dtype=object) if names else np.array([], "S"),
        context_sparse_keys=keys([k for k, _ in context_sparse]),
        context_dense_keys=keys([k for k, *_ in context_dense]),
        context_ragged_keys=keys([k for k, *_ in context_ragged]),
        feature_list_sparse_keys=keys([k for k, _ in sparse]),
        feature_list_dense_keys=keys([k for k, *_ in dense]),
        feature_list_ragged_keys=keys([k for k, *_ in ragged]),
        feature_list_dense_missing_assumed_empty=np.array([m for *_, m in dense], np.bool_),
        context_dense_defaults=[
            EMPTY[t] if d is None else np.array(d, t.as_numpy_dtype) for _, t, _, d in context_dense
        ],
        Ncontext_sparse=len(context_sparse),
        context_sparse_types=[t for _, t in context_sparse],
        context_ragged_value_types=[t for _, t, _ in context_ragged],
        context_ragged_split_types=[s for *_, s in context_ragged],
        context_dense_shapes=[s for _, _, s, _ in context_dense],
        Nfeature_list_sparse=len(sparse),
        Nfeature_list_dense=len(dense),
        feature_list_dense_types=[t for _, t, *_ in dense],
        feature_list_sparse_types=[t for _, t in sparse],
        feature_list_ragged_value_types=[t for _, t, _ in ragged],
        feature_list_ragged_split_types=[s for *_, s in ragged],
        feature_list_dense_shapes=[s for _, _, s, _ in dense],
        **options,
    )


ONE = sequence(
    {"f": floats(1, 2), "i": ints(-1, 2**40), "s": strings(b"a", b""), "x": ints(5)},
    fl=[floats(1, 2), floats(3, 4), floats(5, 6)],
    il=[ints(1), ints(2, 3), ints()],
    sl=[strings(b"x"), strings(), strings(b"y", b"zz")],
    il1=[ints(7), ints(8)],
    el=[tf.train.Feature(), ints(4)],
)
TWO = sequence({"f": floats(3, 4), "i": ints(7), "s": strings(b"b")}, fl=[floats(7, 8)], il=[], sl=[strings(b"q")], il1=[ints(9)])
NONE = sequence()


def record(case):
    for serialized in [ONE, TWO, NONE, [ONE, TWO], [TWO, ONE, NONE], [NONE], []]:
        if serialized == []:
            serialized = np.array([], "S")
        for splits in [tf.int32, tf.int64]:
            # For a single example, stock leaves the splits uninitialized.
            many = not isinstance(serialized, bytes)
            parse(
                case, serialized,
                context_sparse=[("i", I), ("s", S)],
                context_ragged=[("f", F, splits), ("s2", S, splits)] if many else [],
                sparse=[("il", I), ("el", I)],
                ragged=[("sl", S, splits), ("none", F, splits)] if many else [],
                dense=[("fl", F, [2], True), ("none2", S, [], True)],
            )
    for serialized in [ONE, [ONE], [ONE, TWO], [ONE, TWO, NONE]]:
        parse(case, serialized, context_dense=[("f", F, [2], None)])
        parse(case, serialized, context_dense=[("f", F, [2], [9, 8]), ("n", S, [], b"d")])
        parse(case, serialized, dense=[("fl", F, [2], False)])
        parse(case, serialized, dense=[("fl", F, [1, 2], True), ("il1", I, [], True)])
        if serialized != ONE:
            parse(case, serialized, ragged=[("il", I, tf.int64), ("sl", S, tf.int32), ("fl", F, tf.int64)])
        parse(case, serialized, sparse=[("il", I), ("sl", S), ("fl", F)])
        parse(case, serialized, dense=[("el", I, [1], True)])
        parse(case, serialized, dense=[("fl", F, [3], True)])
        parse(case, serialized, dense=[("fl", I, [2], True)])
        parse(case, serialized, sparse=[("fl", I)])
        parse(case, serialized, ragged=[("fl", I, tf.int64)])
        parse(case, serialized, context_dense=[("f", I, [2], None)])
        parse(case, serialized, context_sparse=[("f", I)])
        parse(case, serialized, context_ragged=[("f", S, tf.int64)])
        parse(case, serialized, context_dense=[("f", F, [3], None)])
        parse(case, serialized, context_dense=[("i", I, [1], [4])], _says="")
        parse(case, serialized)
    for bad in [b"\x0a\x05abc", b"garbage", ONE[:-3], b"\x08\x01" + TWO, b"\x1a\x02hi" + TWO, TWO + ONE]:
        parse(case, bad, sparse=[("il", I)], context_sparse=[("i", I)])
        parse(case, [TWO, bad], sparse=[("il", I)], names=["first", "second"])
    parse(case, [ONE, TWO], dense=[("fl", F, [3], True)], names=["first", "second"])
    parse(case, [ONE, NONE], dense=[("fl", F, [2], False)], names=["first", "second"])
    parse(case, np.array([[ONE]], dtype=object), sparse=[("il", I)], _shapes=False)

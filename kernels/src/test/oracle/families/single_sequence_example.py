"""ParseSingleSequenceExample and ParseSequenceExample: the versions without ragged features."""

import numpy as np
import tensorflow as tf

from families.example import EMPTY, F, I, S, floats, ints
from families.sequence_example import NONE, ONE, TWO, sequence

FULL = dict(
    context_sparse=[("i", I), ("s", S), ("missing", F)],
    context_dense=[("f", F, [2], None), ("x", I, [], 7)],
    sparse=[("il", I), ("sl", S), ("none", F)],
    dense=[("fl", F, [2], False), ("il1", I, [], False), ("gone", S, [1], True)],
)


def schema(context_dense, context_sparse, dense, sparse):
    return dict(
        context_dense_defaults=[
            EMPTY[t] if d is None else np.array(d, t.as_numpy_dtype) for _, t, _, d in context_dense
        ],
        Ncontext_sparse=len(context_sparse),
        Ncontext_dense=len(context_dense),
        Nfeature_list_sparse=len(sparse),
        Nfeature_list_dense=len(dense),
        context_sparse_types=[t for _, t in context_sparse],
        context_dense_shapes=[s for _, _, s, _ in context_dense],
        feature_list_dense_types=[t for _, t, *_ in dense],
        feature_list_sparse_types=[t for _, t in sparse],
        feature_list_dense_shapes=[s for _, _, s, _ in dense],
    )


def text(values):
    return [np.array(v.encode(), dtype=object) for v in values]


def single(case, serialized, context_dense=(), context_sparse=(), dense=(), sparse=(), name=b"", **options):
    given = schema(context_dense, context_sparse, dense, sparse)
    for attr in ["Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse", "Nfeature_list_dense"]:
        given.pop(attr)
    case(
        "ParseSingleSequenceExample",
        serialized=np.array(serialized, dtype=object),
        feature_list_dense_missing_assumed_empty=np.array([k.encode() for k, *_, m in dense if m], dtype=object)
        if any(m for *_, m in dense) else np.array([], "S"),
        context_sparse_keys=text(k for k, _ in context_sparse),
        context_dense_keys=text(k for k, *_ in context_dense),
        feature_list_sparse_keys=text(k for k, _ in sparse),
        feature_list_dense_keys=text(k for k, *_ in dense),
        debug_name=np.array(name, dtype=object),
        **given,
        **options,
    )


def batch(case, serialized, context_dense=(), context_sparse=(), dense=(), sparse=(), names=None, **options):
    is_vector = not isinstance(serialized, bytes)
    case(
        "ParseSequenceExample",
        serialized=np.array(serialized, dtype=object) if is_vector else serialized,
        debug_name=np.array(names, dtype=object) if names else np.array([], "S"),
        feature_list_dense_missing_assumed_empty=[k for k, *_, m in dense if m],
        context_sparse_keys=[k for k, _ in context_sparse],
        context_dense_keys=[k for k, *_ in context_dense],
        feature_list_sparse_keys=[k for k, _ in sparse],
        feature_list_dense_keys=[k for k, *_ in dense],
        **schema(context_dense, context_sparse, dense, sparse),
        **options,
    )


def record(case):
    for serialized in [ONE, TWO, sequence({"f": floats(1, 2)}, fl=[], il1=[])]:
        single(case, serialized, **FULL)
        batch(case, serialized, **FULL)
    batch(case, [ONE, TWO], **FULL)
    batch(case, [TWO, ONE, TWO], **FULL, names=[b"a", b"b", b"c"])
    batch(case, np.array([], "S"), **{**FULL, "context_dense": [("x", I, [], 7)]})
    single(case, ONE)
    batch(case, [ONE])
    for parse in [single, batch]:
        parse(case, NONE, context_dense=[("f", F, [2], [5, 6])])
        parse(case, NONE, context_sparse=[("f", F)], sparse=[("fl", F)], dense=[("il1", I, [], True)])
        parse(
            case, NONE, context_dense=[("f", F, [2], None)],
            _says="" if parse is batch else "is required but could not be found.",
        )
        parse(case, NONE, dense=[("fl", F, [2], False)], _says="is required but could not be found.")
        parse(case, ONE, dense=[("il", I, [1], False)], _says="Number of ")
        parse(case, ONE, context_dense=[("f", I, [2], None)], _says="Data types don't match. Expected type: ")
        parse(case, ONE, dense=[("fl", I, [2], False)], _says="Data types don't match. Expected type: ")
        parse(case, ONE, sparse=[("fl", I)], _says="Data types don't match. Expected type: ")
        parse(case, ONE, context_sparse=[("f", I)], _says="Data types don't match. Expected type: ")
        parse(case, b"\x0a\x7fabc", context_sparse=[("f", I)], _says="")
    single(case, ONE, context_dense=[("f", F, [3], None)], _says="")
    batch(case, ONE, context_dense=[("f", F, [3], None)], _says="")
    single(case, [ONE], context_sparse=[("i", I)], _says="")
    batch(case, ONE[:-3], sparse=[("fl", F)], _says="")
    batch(case, [[ONE]], context_sparse=[("i", I)], _says="Expected serialized to be a scalar or vector, got shape: [1,1]")

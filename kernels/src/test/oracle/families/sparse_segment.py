"""SparseSegment sums and means, and their gradients."""

import numpy as np
import tensorflow as tf
from values import BFLOAT16, FLOATS, grid, i32, i64

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64]


def record(case):
    for name in ["Sum", "Mean", "SqrtN"]:
        op = "SparseSegment" + name
        for dtype in FLOATS + (INTEGERS if name == "Sum" else []):
            ids, label = i32(0, 0, 2, 2, 2), tf.as_dtype(dtype).name
            kw = dict(data=grid([4, 3], dtype), indices=i32(3, 0, 1, 1, 2), _label=label, _ulps=2)
            case(op, segment_ids=ids, **kw)
            case(op + "WithNumSegments", segment_ids=ids, num_segments=np.int32(5), **kw)
        case(op, data=grid([4, 2, 2]), indices=i64(1, 3), segment_ids=i64(0, 0), _ulps=1)
        case(op, data=grid([4, 3]), indices=np.zeros([0], np.int32), segment_ids=np.zeros([0], np.int32))
        case(op, data=grid([4]), indices=i32(4), segment_ids=i32(0), _says="== 4 out of range [0, 4)", _shapes=False)
        case(op, data=grid([4]), indices=i32(1, 1), segment_ids=i32(1, 0), _says="segment ids are not increasing")
        case(op, data=grid([4]), indices=i32(1, 1), segment_ids=i32(1), _says="segment_ids and indices should have same size.")
        kw = dict(data=grid([4]), indices=i32(1, 1), segment_ids=i32(0, 3))
        case(op + "WithNumSegments", **kw, num_segments=np.int64(3), _says="segment ids must be < num_segments")
        for dtype in FLOATS:
            kw = dict(indices=i32(3, 0, 1, 1), segment_ids=i32(0, 0, 2, 1), output_dim0=np.int32(5))
            case(op + "Grad", grad=grid([3, 2], dtype), **kw, _label=tf.as_dtype(dtype).name, _ulps=3)
            case(op + "GradV2", grad=grid([3, 2], dtype), **sparse(kw), _label=tf.as_dtype(dtype).name, _ulps=3)
        bad = dict(grad=grid([3, 2]), output_dim0=np.int32(5))
        case(op + "Grad", **bad, indices=i32(5), segment_ids=i32(0), _says="Index 5 out of range [0, 5).")
        case(op + "Grad", **bad, indices=i32(1), segment_ids=i32(3), _says="Invalid number of segments")
        case(op + "GradV2", grad=grid([3, 2]), **sparse(dict(indices=i64(3, 0), segment_ids=i64(0, 2), output_dim0=np.int32(5))), _ulps=1)
        case(op + "GradV2", grad=grid([3, 2]), **sparse(dict(indices=i32(), segment_ids=i32(), output_dim0=np.int32(5))))
        bad = dict(grad=grid([3, 2]), dense_output_dim0=np.int32(5))
        case(op + "GradV2", **bad, indices=i32(5), segment_ids=i32(0), _says="Index 5 out of range [0, 5).")
        case(op + "GradV2", **bad, indices=i32(-1), segment_ids=i32(0), _says="Index -1 out of range [0, 5).")
        case(op + "GradV2", **bad, indices=i32(1), segment_ids=i32(3), _says="Invalid number of segments")
        case(op + "GradV2", **bad, indices=i32(1, 1), segment_ids=i32(0), _says="segment_ids and indices should have same size.")
        bad["dense_output_dim0"] = i32(5)
        case(op + "GradV2", **bad, indices=i32(1), segment_ids=i32(0), _says="dense_output_dim0 should be a scalar.")


def sparse(kw):
    return dict(indices=kw["indices"], segment_ids=kw["segment_ids"], dense_output_dim0=kw["output_dim0"])

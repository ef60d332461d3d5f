"""Records the results of stock TensorFlow's tf.gradients, for GradientsTest to compare with ours.

    python kernels/src/test/oracle/gradients.py

It needs tensorflow-cpu 2.21 and writes src/test/resources/io/headrace/runtime/gradient/gradients.cases.gz,
the same bytes each time. A case is a graph with its inputs as constants, the tensors to differentiate by, and
the values of the derivatives, absent where there is none, as for an unused input. The script also writes
registry.txt beside it: the ops with a gradient in stock's registry, with "none" after the ops registered as
not differentiable.
"""

import gzip
import io
import os
import pathlib
import struct

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
from tensorflow.python.framework import ops

tf.compat.v1.disable_eager_execution()
tf.compat.v1.disable_control_flow_v2()
HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE.parent / "resources/io/headrace/runtime/gradient/gradients.cases.gz"
REGISTRY = TARGET.parent / "registry.txt"
CASES = []


def case(name, build, *inputs, dtypes=(np.float32, np.float64)):
    """Adds a case for each of `dtypes`, to which floating-point inputs are cast, and complex inputs to its pairs.

    build(x, ...) returns a tensor or several, which are differentiated by the floating-point inputs; if it
    returns a pair (results, by), by the tensors of `by`.
    """
    for dtype in dtypes:
        with tf.Graph().as_default() as graph:
            arrays = [np.asarray(i) for i in inputs]
            arrays = [a.astype(dtype) if a.dtype.kind == "f" else a for a in arrays]
            arrays = [a.astype(complex_of(dtype)) if a.dtype.kind == "c" else a for a in arrays]
            xs = [tf.constant(a) for a in arrays]
            ys = build(*xs)
            ys, by = ys if isinstance(ys, tuple) else (ys, [x for x in xs if x.dtype.is_floating or x.dtype.is_complex])
            ys = ys if isinstance(ys, list) else [ys]
            definition = graph.as_graph_def()
            gradients = tf.gradients(ys, by)
            gradients = [None if g is None else tf.convert_to_tensor(g) for g in gradients]
            off = rewriter_config_pb2.RewriterConfig(disable_meta_optimizer=True)
            config = config_pb2.ConfigProto(
                graph_options=config_pb2.GraphOptions(rewrite_options=off)
            )
            with tf.compat.v1.Session(config=config) as session:
                values = [None if g is None else session.run(g) for g in gradients]
        CASES.append((f"{name}, {np.dtype(dtype).name}", definition, ys, by, values))


def complex_of(dtype):
    return np.complex128 if dtype is np.float64 else np.complex64


def rand(*shape, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape)


RNG = np.random.default_rng(7)
math, nn = tf.math, tf.nn
RAW = tf.raw_ops


def elementwise():
    anywhere = {
        "Neg": tf.negative, "Abs": tf.abs, "Sign": tf.sign, "Square": tf.square, "Exp": tf.exp,
        "Expm1": math.expm1, "Sin": tf.sin, "Cos": tf.cos, "Tan": tf.tan, "Sinh": tf.sinh, "Cosh": tf.cosh,
        "Atan": tf.atan, "Erf": math.erf, "Erfc": math.erfc, "Tanh": tf.tanh,
        "Sigmoid": tf.sigmoid, "Relu": nn.relu, "Relu6": nn.relu6, "Elu": nn.elu, "Selu": nn.selu,
        "Softplus": nn.softplus, "Softsign": nn.softsign, "Identity": tf.identity,
        "LeakyRelu": lambda x: nn.leaky_relu(x, 0.3),
    }
    for name, f in anywhere.items():
        case(name, f, rand(3, 4))
    positive = {"Sqrt": tf.sqrt, "Rsqrt": math.rsqrt, "Log": math.log, "Log1p": math.log1p,
                "Reciprocal": math.reciprocal}
    for name, f in positive.items():
        case(name, f, rand(3, 4, low=0.1))
    for name, f in {"Asinh": tf.asinh, "Lgamma": math.lgamma, "Acosh": lambda x: tf.acosh(x + 1.0)}.items():
        case(name, f, rand(3, 4, low=0.1))
    for name, f in {"Asin": tf.asin, "Acos": tf.acos, "Atanh": tf.atanh}.items():
        case(name, f, rand(3, 4, low=-0.9, high=0.9))
    two = {
        "AddV2": tf.add, "Add": lambda x, y: RAW.Add(x=x, y=y), "Sub": tf.subtract, "Mul": tf.multiply,
        "RealDiv": tf.divide, "DivNoNan": math.divide_no_nan, "Maximum": tf.maximum, "Minimum": tf.minimum,
        "SquaredDifference": math.squared_difference, "Atan2": math.atan2, "FloorMod": math.floormod,
        "Xlogy": lambda x, y: math.xlogy(x, tf.abs(y) + 0.5), "Xdivy": math.xdivy,
        "Pow": lambda x, y: tf.pow(tf.abs(x) + 0.1, y),
    }
    for name, f in two.items():
        case(name, f, rand(2, 3), rand(2, 3))
        case(name + " broadcast", f, rand(2, 3, 1), rand(3, 4))
        case(name + " by a scalar", f, rand(2, 3), rand())
    case("Pow of a negative", tf.pow, -rand(3, low=0.5), np.array([1.0, 2.0, 3.0]))
    case("Maximum of equals", tf.maximum, np.ones(3), np.ones(3))
    case("Select", lambda x, y: tf.compat.v1.where([True, False, True], x, y), rand(3), rand(3))
    case("SelectV2", lambda x, y: tf.where([[True], [False]], x, y), rand(2, 3), rand(3))
    case("ClipByValue", lambda x, a, b: tf.clip_by_value(x, a, b), rand(5), np.float64(-0.5), np.float64(0.5))
    case("AddN", lambda x, y: tf.add_n([x, y, x]), rand(2, 2), rand(2, 2))
    case("BiasAdd", nn.bias_add, rand(2, 3, 4), rand(4))
    case("BiasAdd NCHW", lambda x, b: nn.bias_add(x, b, "NCHW"), rand(2, 3, 2, 2), rand(3))
    case("Cast", lambda x: tf.cast(tf.cast(x, tf.float64) * 2.0, tf.float32) * 3.0, rand(3))
    case("Cast to integers and back", lambda x: tf.cast(tf.cast(x, tf.int32), x.dtype) + x, rand(3))
    case("IdentityN", lambda x, y: tf.identity_n([x, y * 2.0])[1], rand(2), rand(2))
    case("StopGradient", lambda x: x * tf.stop_gradient(x), rand(3))
    case("CheckNumerics", lambda x: tf.debugging.check_numerics(x, "bad") * x, rand(3))
    case("Floor", lambda x: tf.floor(x) * x, rand(4))
    case("nothing in between", lambda x, y: x * 2.0, rand(2), rand(2))
    case("several results", lambda x: [x * 2.0, tf.reduce_sum(x * x)], rand(3))
    case("a result is what it is derived by", lambda x: x, rand(3))


def reductions():
    for name, f in {"Sum": tf.reduce_sum, "Mean": tf.reduce_mean, "Max": tf.reduce_max,
                    "Min": tf.reduce_min, "Prod": tf.reduce_prod}.items():
        case(name, lambda x: f(x * 1.5), rand(2, 3))
        case(name + " over 1", lambda x: tf.square(f(x, 1)), rand(2, 3, 2))
        case(name + " over 0 and -1", lambda x: tf.square(f(x, [0, -1], keepdims=True)), rand(2, 3, 2))
    case("Sum of unknown rank", lambda x: tf.square(tf.reduce_sum(unknown(x), [0])), rand(3, 2))
    case("Mean of unknown size", lambda x: tf.square(tf.reduce_mean(unknown(x), [-1])), rand(3, 2))
    case("Max with ties", tf.reduce_max, np.array([1.0, 2.0, 2.0]))
    case("Prod with a zero", tf.reduce_prod, np.array([[1.0, 0.0, 2.0], [3.0, 4.0, 5.0]]))
    case("Prod with zeros", tf.reduce_prod, np.array([0.0, 0.0, 2.0]))
    case("Cumsum", lambda x: tf.square(tf.cumsum(x, 1)), rand(2, 3))
    case("Cumsum reverse exclusive", lambda x: tf.square(tf.cumsum(x, 0, True, True)), rand(3, 2))
    case("Cumprod", lambda x: tf.square(math.cumprod(x, 1)), rand(2, 3, low=0.5))
    case("L2Loss", nn.l2_loss, rand(2, 3))
    case("SegmentSum", lambda x: tf.square(math.segment_sum(x, [0, 0, 2])), rand(3, 2))
    case("UnsortedSegmentSum", lambda x: tf.square(math.unsorted_segment_sum(x, [1, -1, 1], 3)), rand(3, 2))
    case("logsumexp", lambda x: tf.reduce_logsumexp(x, 1), rand(2, 3))
    case("moments", lambda x: nn.moments(x, [0])[1], rand(4, 3))


def unknown(x):
    """x, with unknown rank during graph construction."""
    return tf.compat.v1.placeholder_with_default(x, None)


def arrays():
    case("Reshape", lambda x: tf.square(tf.reshape(x, [3, 2])), rand(2, 3))
    case("ExpandDims", lambda x: tf.square(tf.expand_dims(x, 1)), rand(2, 3))
    case("Squeeze", lambda x: tf.square(tf.squeeze(x)), rand(2, 1, 3))
    case("Transpose", lambda x: tf.transpose(x, [2, 0, 1]) * np.arange(24).reshape(4, 2, 3), rand(2, 3, 4))
    case("Reverse", lambda x: tf.square(tf.raw_ops.Reverse(tensor=x, dims=[False, True])) * np.arange(6).reshape(2, 3), rand(2, 3))
    case("ReverseV2", lambda x: tf.reverse(x, [1]) * np.arange(6).reshape(2, 3), rand(2, 3))
    case("BroadcastTo", lambda x: tf.broadcast_to(x, [4, 2, 3]) * np.arange(24).reshape(4, 2, 3), rand(2, 1))
    case("Fill", lambda x: tf.fill([2, 3], x) * 2.0, rand())
    case("Tile", lambda x: tf.tile(x, [2, 3]) * np.arange(36).reshape(4, 9), rand(2, 3))
    case("ConcatV2", lambda x, y: tf.square(tf.concat([x, y], -1)), rand(2, 3), rand(2, 2))
    case("Concat", lambda x, y: tf.square(RAW.Concat(concat_dim=0, values=[x, y])), rand(1, 3), rand(2, 3))
    case("ConcatV2 of one", lambda x: tf.square(tf.concat([x], 0)), rand(2))
    case("Pack", lambda x, y: tf.square(tf.stack([x, y], 1)), rand(2, 3), rand(2, 3))
    case("Unpack", lambda x: tf.unstack(x, axis=1)[1] * 2.0, rand(2, 3))
    case("Split", lambda x: tf.square(tf.split(x, 3, 1)[2]), rand(2, 6))
    case("SplitV", lambda x: tf.square(tf.split(x, [1, 2], 0)[1]), rand(3, 2))
    case("Slice", lambda x: tf.square(tf.slice(x, [0, 1], [2, 2])), rand(3, 4))
    case("StridedSlice", lambda x: tf.square(x[1:, ::-2, tf.newaxis]), rand(3, 4))
    case("StridedSlice shrink", lambda x: tf.square(x[-1, ..., 1]), rand(3, 4, 2))
    case("TensorStridedSliceUpdate",
         lambda x, v: tf.square(RAW.TensorStridedSliceUpdate(
             input=x, begin=[1, -1], end=[2, -9], strides=[1, -2], value=v, begin_mask=2, end_mask=3)),
         rand(3, 4), rand(2, 2))
    case("TensorStridedSliceUpdate by broadcasting",
         lambda x, v: tf.square(RAW.TensorStridedSliceUpdate(
             input=x, begin=[0, 0, 1], end=[0, 2, 4], strides=[1, 1, 1], value=v, new_axis_mask=1)),
         rand(3, 4), rand(2, 1))
    case("Pad", lambda x: tf.square(tf.pad(x, [[1, 0], [0, 2]])), rand(2, 3))
    case("PadV2", lambda x: tf.square(tf.pad(x, [[1, 0], [0, 2]], constant_values=3)), rand(2, 3))
    case("GatherV2", lambda x: tf.square(tf.gather(x, [[2, 0], [2, 2]])), rand(3, 2))
    case("GatherV2 of axis 1", lambda x: tf.square(tf.gather(x, [[2, 0], [2, 2]], axis=1)), rand(2, 3, 2))
    case("Gather", lambda x: tf.square(RAW.Gather(params=x, indices=[1, 1, 0])), rand(3, 2))
    case("GatherNd", lambda x: tf.square(tf.gather_nd(x, [[0, 1], [0, 1], [2, 0]])), rand(3, 2))
    case("ScatterNd", lambda x: tf.square(tf.scatter_nd([[1], [1], [3]], x, [5])), rand(3))
    case("DynamicPartition", lambda x: tf.square(tf.dynamic_partition(x, [1, 0, 1], 3)[1]), rand(3, 2))
    case("DynamicStitch", lambda x, y: tf.square(tf.dynamic_stitch([[0, 2], [2, 1]], [x, y])), rand(2, 2), rand(2, 2))
    case("MatrixBandPart", lambda x: tf.square(tf.linalg.band_part(x, 1, 0)), rand(3, 3))


def nets():
    for a in (False, True):
        for b in (False, True):
            left, right = ((4, 2) if a else (2, 4)), ((3, 4) if b else (4, 3))
            case(f"MatMul {a} {b}", lambda x, y: tf.square(tf.matmul(x, y, a, b)), rand(*left), rand(*right))
            case(f"BatchMatMulV2 {a} {b}",
                 lambda x, y: tf.square(RAW.BatchMatMulV2(x=x, y=y, adj_x=a, adj_y=b)),
                 rand(2, 1, *left), rand(3, *right))
            case(f"BatchMatMulV3 {a} {b}",
                 lambda x, y: tf.square(RAW.BatchMatMulV3(x=x, y=y, Tout=x.dtype, adj_x=a, adj_y=b)),
                 rand(2, *left), rand(1, *right))
    case("Softmax", lambda x: tf.square(nn.softmax(x)), rand(2, 3))
    case("LogSoftmax", lambda x: tf.square(nn.log_softmax(x)), rand(2, 3))
    case("SoftmaxCrossEntropyWithLogits",
         lambda x, y: nn.softmax_cross_entropy_with_logits(labels=nn.softmax(y), logits=x), rand(2, 3), rand(2, 3))
    case("SparseSoftmaxCrossEntropyWithLogits",
         lambda x: nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=x), rand(2, 3))
    case("CTCLoss",
         lambda x: tf.raw_ops.CTCLoss(
             inputs=x, labels_indices=tf.constant([[0, 0], [0, 1], [1, 0]], tf.int64), labels_values=[0, 1, 2],
             sequence_length=[5, 4])[0] * tf.constant([1.0, 3.0], x.dtype), rand(5, 2, 4), dtypes=(np.float64,))
    case("RandomGamma", lambda a: tf.raw_ops.RandomGamma(shape=[4, 2], alpha=a, seed=3, seed2=5), np.array([0.3, 2.0, 9.0]))
    case("StatelessRandomGammaV2",
         lambda a: tf.raw_ops.StatelessRandomGammaV2(shape=[4, 2, 3], seed=[3, 5], alpha=a), np.array([0.3, 2.0, 9.0]))
    case("StatelessRandomGammaV3",
         lambda a: tf.raw_ops.StatelessRandomGammaV3(
             shape=[4, 3], key=tf.constant([3], tf.uint64), counter=tf.constant([5, 7], tf.uint64), alg=1, alpha=a),
         np.array([0.3, 2.0, 9.0]))
    case("sigmoid cross entropy",
         lambda x, y: nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x), rand(2, 3), rand(2, 3))
    case("TopKV2", lambda x: tf.square(nn.top_k(x, 2)[0]), rand(2, 2, 4))
    case("a classifier", classifier, rand(5, 4), rand(4, 6), rand(6), rand(6, 3), rand(3))


def images():
    ones, twos = [1, 1, 1, 1], [1, 2, 2, 1]
    for strides, padding in [(ones, "SAME"), (twos, "VALID"), (ones, [[0, 0], [1, 0], [0, 2], [0, 0]])]:
        kw = dict(strides=strides, padding=padding)
        case(f"Conv2D {kw}", lambda x, w: tf.square(nn.conv2d(x, w, **kw)), rand(2, 4, 5, 2), rand(2, 3, 2, 3))
    for rate in [1, 2]:
        case(f"Conv2D dilated {rate}", lambda x, w: tf.square(nn.conv2d(x, w, 1, "SAME", dilations=rate)),
             rand(1, 5, 6, 2), rand(2, 2, 2, 2), dtypes=[np.float32])
        case(f"depthwise {rate}",
             lambda x, w: tf.square(nn.depthwise_conv2d(x, w, ones, "SAME", dilations=[rate, rate])),
             rand(1, 4, 6, 2), rand(2, 3, 2, 2), dtypes=[np.float32])
    case("conv2d_transpose",
         lambda x, w: tf.square(nn.conv2d_transpose(x, w, [1, 4, 6, 2], 2, "SAME")), rand(1, 2, 3, 3), rand(2, 2, 2, 3))
    case("Conv2DBackpropFilter",
         lambda x, dy: tf.square(RAW.Conv2DBackpropFilter(
             input=x, filter_sizes=[2, 2, 2, 3], out_backprop=dy, strides=ones, padding="SAME")),
         rand(1, 3, 4, 2), rand(1, 3, 4, 3))
    case("Conv3D", lambda x, w: tf.square(nn.conv3d(x, w, [1] * 5, "SAME")), rand(1, 3, 4, 3, 2), rand(2, 2, 2, 2, 2))
    kw = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    case("MaxPool", lambda x: tf.square(nn.max_pool2d(x, **kw)), rand(2, 4, 5, 2))
    case("MaxPoolV2", lambda x: tf.square(RAW.MaxPoolV2(input=x, **kw)), rand(2, 4, 5, 2))
    case("AvgPool", lambda x: tf.square(nn.avg_pool2d(x, **kw)), rand(2, 4, 5, 2))
    kw = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 1, 2, 1, 1], padding="SAME")
    case("MaxPool3D", lambda x: tf.square(nn.max_pool3d(x, **kw)), rand(1, 3, 4, 3, 2), dtypes=[np.float32])
    case("AvgPool3D", lambda x: tf.square(nn.avg_pool3d(x, **kw)), rand(1, 3, 4, 3, 2), dtypes=[np.float32])
    for op in ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"]:
        norm = getattr(RAW, op)
        case(op, lambda x, a, b: tf.pow(norm(x=x, scale=a, offset=b, mean=[], variance=[])[0], 3),
             rand(2, 3, 2, 4), rand(4), rand(4), dtypes=[np.float32])
        case(op + " inference",
             lambda x, a, b: tf.square(norm(x=x, scale=a, offset=b, mean=a * 0.0 + 0.5, variance=b * 0.0 + 2.0, is_training=False)[0]),
             rand(2, 3, 2, 4), rand(4), rand(4), dtypes=[np.float32])
    case("LRN", lambda x: tf.square(nn.lrn(x, 2, 1.5, 0.5, 0.75)), rand(2, 2, 2, 6), dtypes=[np.float32])
    for mode in ["REFLECT", "SYMMETRIC"]:
        case("MirrorPad " + mode, lambda x: tf.square(tf.pad(x, [[1, 2], [0, 1]], mode)), rand(3, 2))
    case("SpaceToDepth", lambda x: tf.square(nn.space_to_depth(x, 2)) * 0.5, rand(1, 4, 2, 3))
    case("DepthToSpace", lambda x: tf.square(nn.depth_to_space(x, 2)) * 0.5, rand(1, 2, 1, 4))
    case("SpaceToBatch", lambda x: tf.square(tf.raw_ops.SpaceToBatch(input=x, paddings=[[1, 0], [0, 1]], block_size=2)), rand(1, 3, 1, 2))
    case("BatchToSpace", lambda x: tf.square(tf.raw_ops.BatchToSpace(input=x, crops=[[1, 0], [0, 0]], block_size=2)), rand(4, 2, 1, 2))
    case("SpaceToBatchND", lambda x: tf.square(tf.space_to_batch(x, [2], [[1, 0]])), rand(2, 3, 2))
    case("BatchToSpaceND", lambda x: tf.square(tf.batch_to_space(x, [2], [[1, 0]])), rand(4, 2, 2))


def later():
    """After all other cases, so that their random values do not change."""
    case("EuclideanNorm", lambda x: tf.square(tf.math.reduce_euclidean_norm(x, 1)), rand(2, 3))
    case("EuclideanNorm keep", lambda x: tf.math.reduce_euclidean_norm(x, [0, 2], True), rand(2, 3, 2))
    case("Xlog1py", lambda x, y: math.xlog1py(x, y), rand(2, 3), rand(3, low=0.5))
    for name in ["sum", "mean", "sqrt_n"]:
        segments = getattr(tf.sparse, "segment_" + name)
        case("SparseSegment " + name, lambda x: tf.square(segments(x, [3, 0, 3], [0, 0, 2])), rand(4, 2))
        case("SparseSegment " + name + " of 4",
             lambda x: tf.square(segments(x, [3, 0, 3], [0, 0, 2], num_segments=4)), rand(4, 2))
    for batch in [False, True]:
        case(f"MaxPoolWithArgmax {batch}",
             lambda x: tf.square(nn.max_pool_with_argmax(x, 2, [2, 1], "SAME", include_batch_in_index=batch)[0]),
             rand(2, 4, 5, 2), dtypes=[np.float32])
    first = dict(padding="SAME", data_format="NCHW")
    case("Conv2D NCHW", lambda x, w: tf.square(nn.conv2d(x, w, [1, 1, 2, 1], **first)),
         rand(2, 2, 4, 5), rand(2, 3, 2, 3), dtypes=[np.float32])
    case("Conv2D of groups", lambda x, w: tf.square(nn.conv2d(x, w, 1, "SAME")),
         rand(2, 4, 5, 4), rand(2, 3, 2, 6), dtypes=[np.float32])
    case("MaxPool NCHW", lambda x: tf.square(nn.max_pool2d(x, 2, [1, 1, 2, 1], **first)), rand(2, 2, 4, 5), dtypes=[np.float32])
    case("AvgPool NCHW", lambda x: tf.square(nn.avg_pool2d(x, 2, [1, 1, 2, 1], **first)), rand(2, 2, 4, 5), dtypes=[np.float32])
    case("QuantizeAndDequantizeV4",
         lambda x: tf.square(RAW.QuantizeAndDequantizeV4(input=x, input_min=-1.0, input_max=1.5, range_given=True)),
         rand(2, 3), dtypes=[np.float32])
    case("QuantizeAndDequantizeV2",
         lambda x: tf.square(RAW.QuantizeAndDequantizeV2(input=x, input_min=-1.0, input_max=1.5)), rand(2, 3), dtypes=[np.float32])
    case("QuantizeAndDequantizeV3",
         lambda x: tf.square(RAW.QuantizeAndDequantizeV3(input=x, input_min=-1.0, input_max=1.5, num_bits=8)), rand(2, 3), dtypes=[np.float32])


def einsums():
    for equation, *shapes in [
        ("ab->ba", (2, 3)), ("ab->a", (2, 3)), ("abc->b", (2, 3, 4)), ("abc->", (2, 3, 2)), ("aab->b", (2, 2, 3)),
        ("aa->a", (3, 3)), ("aba->ba", (2, 3, 2)), ("a...b->b...a", (2, 3, 4)), ("a...b->a...", (2, 3, 4)),
        ("...a->...", (2, 3)), ("ab,bc->ac", (2, 3), (3, 4)), ("abc,acd->abd", (2, 3, 4), (2, 4, 2)),
        ("a,b->ab", (2,), (3,)), ("ab,ab->", (2, 3), (2, 3)), ("abc,cd->ad", (2, 3, 2), (2, 3)),
        ("abd,bc->ca", (2, 3, 2), (3, 4)), ("aab,bc->ac", (2, 2, 3), (3, 2)), ("a,->a", (3,), ()),
        ("...ab,...bc->...ac", (2, 1, 2, 3), (4, 3, 2)), ("...ab,bc->...ac", (2, 2, 3), (3, 2)),
        ("ab,...bc->...ac", (2, 3), (2, 3, 2)), ("a...,...b->...ab", (2, 3, 1), (4, 2)),
        ("...ab,...b->...a", (2, 3, 4), (2, 4)), ("b...a,c...->bc...", (2, 3, 4), (2, 1)),
        ("...,...->...", (2, 3), (1, 3)),
    ]:
        arguments = [rand(*shape) for shape in shapes]
        case("Einsum " + equation, lambda *xs: tf.square(RAW.Einsum(inputs=xs, equation=equation)), *arguments)
    case("Einsum of unknown shapes",
         lambda x, y: tf.square(RAW.Einsum(inputs=[unknown(x), unknown(y)], equation="...ab,...cb->...a")),
         rand(3, 2, 4), rand(1, 2, 4), dtypes=[np.float32])


def variable(x):
    """A handle of a variable that is assigned x before every use."""
    handle = RAW.VarHandleOp(dtype=x.dtype, shape=x.shape)
    with tf.control_dependencies([RAW.AssignVariableOp(resource=handle, value=x)]):
        return tf.identity(handle)


def variables():
    def case_of(name, read):
        def build(x):
            handle = variable(x)
            return tf.square(read(handle, x.dtype)), [handle]

        case(name, build, rand(4, 2, 3))

    case_of("ReadVariableOp", lambda v, dtype: RAW.ReadVariableOp(resource=v, dtype=dtype))
    for indices in [[2, 0, 2], [[1, 3], [3, 3]], 1]:
        case_of(f"ResourceGather {indices}",
                lambda v, dtype: RAW.ResourceGather(resource=v, indices=indices, dtype=dtype))
    case_of("ResourceGatherNd",
            lambda v, dtype: RAW.ResourceGatherNd(resource=v, indices=[[2, 0], [2, 0], [1, 1]], dtype=dtype))
    case_of("ResourceGather twice and read",
            lambda v, dtype: RAW.ResourceGather(resource=v, indices=[0, 1], dtype=dtype) * RAW.ReadVariableOp(
                resource=v, dtype=dtype)[1:3] + RAW.ResourceGather(resource=v, indices=[3, 1], dtype=dtype))


def seconds():
    """Gradients of gradient ops."""
    for name in ["SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "TanhGrad", "SigmoidGrad"]:
        grad = getattr(RAW, name)
        case(name, lambda y, dy: tf.square(grad(y=y, dy=dy)), rand(2, 3, low=0.1), rand(2, 3))
    for name in ["ReluGrad", "Relu6Grad", "LeakyReluGrad", "SoftplusGrad"]:
        grad = getattr(RAW, name)
        case(name, lambda dy, x: tf.square(grad(gradients=dy, features=x)), rand(2, 3), rand(2, 3))
    case("LeakyReluGrad alpha",
         lambda dy, x: tf.square(RAW.LeakyReluGrad(gradients=dy, features=x, alpha=0.5)), rand(2, 3), rand(2, 3))
    for name in ["EluGrad", "SeluGrad"]:
        grad = getattr(RAW, name)
        case(name, lambda dy, y: tf.square(grad(gradients=dy, outputs=y)), rand(2, 3), rand(2, 3, low=-0.9))
    case("BiasAddGrad", lambda dy: tf.square(RAW.BiasAddGrad(out_backprop=dy)), rand(2, 3, 4))
    case("BiasAddGrad NCHW",
         lambda dy: tf.square(RAW.BiasAddGrad(out_backprop=dy, data_format="NCHW")), rand(2, 3, 2, 2))
    case("StridedSliceGrad",
         lambda dy: tf.square(RAW.StridedSliceGrad(
             shape=[3, 4], begin=[1, 3], end=[3, 0], strides=[1, -2], dy=dy)), rand(2, 2))
    case("StridedSliceGrad shrink",
         lambda dy: tf.square(RAW.StridedSliceGrad(
             shape=[3, 4, 2], begin=[-1, 0, 1], end=[0, 0, 2], strides=[1, 1, 1], dy=dy, shrink_axis_mask=5,
             end_mask=2)), rand(4))
    case("a derivative of a derivative",
         lambda x: tf.gradients(tf.tanh(x) * tf.sigmoid(x) * tf.sqrt(tf.abs(x) + 1.0), x)[0], rand(2, 3))
    case("a derivative of a classifier's derivative",
         lambda x, w, b: tf.gradients(tf.square(nn.bias_add(nn.elu(tf.matmul(x, w)), b)), b)[0],
         rand(4, 2), rand(2, 3), rand(3))
    for mode in ["REFLECT", "SYMMETRIC"]:
        case("MirrorPadGrad " + mode,
             lambda dy: tf.square(RAW.MirrorPadGrad(input=dy, paddings=[[1, 2], [0, 1]], mode=mode)), rand(6, 3))
    kw = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    case("AvgPoolGrad", lambda dy: tf.square(RAW.AvgPoolGrad(orig_input_shape=[2, 4, 5, 2], grad=dy, **kw)),
         rand(2, 2, 5, 2))
    kw = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 1, 2, 1, 1], padding="SAME")
    case("AvgPool3DGrad",
         lambda dy: tf.square(RAW.AvgPool3DGrad(orig_input_shape=[1, 3, 4, 3, 2], grad=dy, **kw)),
         rand(1, 3, 2, 3, 2), dtypes=[np.float32])


def others():
    case("Print", lambda x, y: tf.square(RAW.Print(input=x, data=[y], first_n=0)), rand(2), rand(3))
    case("BiasAddV1", lambda x, b: tf.square(RAW.BiasAddV1(value=x, bias=b)), rand(2, 3), rand(3))
    case("TruncateDiv", lambda x: x * tf.cast(
        RAW.TruncateDiv(x=tf.cast(x, tf.int32), y=[1, 2]), x.dtype), rand(2))
    case("MulNoNan", lambda x, y: tf.square(RAW.MulNoNan(x=x, y=y)), rand(2, 3), np.array([0.0, 1.5, -2.0]))
    case("Roll", lambda x: tf.square(RAW.Roll(input=x, shift=[1, -2], axis=[0, 1])) * np.arange(6).reshape(2, 3), rand(2, 3))
    case("Diag", lambda x: tf.square(RAW.Diag(diagonal=x)) * np.arange(9).reshape(3, 3), rand(3))
    case("DiagPart", lambda x: tf.square(RAW.DiagPart(input=x)), rand(2, 2))
    case("Cross", lambda x, y: tf.square(RAW.Cross(a=x, b=y)), rand(2, 3), rand(2, 3))
    case("ReverseSequence",
         lambda x: tf.square(RAW.ReverseSequence(input=x, seq_lengths=[2, 3], seq_dim=1, batch_dim=0))
         * np.arange(6).reshape(2, 3), rand(2, 3))
    indices = [[2], [0], [2]]
    for name in ["Add", "Sub", "Update"]:
        scatter = getattr(RAW, "TensorScatter" + name)
        picked = indices[:2] if name == "Update" else indices
        case("TensorScatter" + name,
             lambda x, y: tf.square(scatter(tensor=x, indices=picked, updates=y)), rand(4, 2), rand(len(picked), 2))
    case("ScatterNdNonAliasingAdd",
         lambda x, y: tf.square(RAW.ScatterNdNonAliasingAdd(input=x, indices=indices, updates=y)), rand(4, 2), rand(3, 2))
    case("SegmentMean", lambda x: tf.square(math.segment_mean(x, [0, 0, 2])), rand(3, 2))
    case("ParallelDynamicStitch", lambda x, y: tf.square(RAW.ParallelDynamicStitch(
        indices=[[0, 2], [3, 1]], data=[x, y])), rand(2, 2), rand(2, 2))


def ended():
    """Ops that stop backpropagation."""
    case("a draw of a shape made of x", lambda x: x * 2.0 + tf.reduce_sum(RAW.RandomUniform(
        shape=tf.cast(x * 0.0 + 2.0, tf.int32), dtype=x.dtype, seed=1, seed2=2)), rand(3))
    case("LinSpace", lambda x: x[0] * RAW.LinSpace(start=x[0], stop=x[1], num=3), rand(2))
    case("Range", lambda x: x[0] * RAW.Range(start=x[0], limit=x[0] + 3.0, delta=x[1] * 0.0 + 1.0), rand(2))
    case("OneHot",
         lambda x: x * RAW.OneHot(indices=[1], depth=3, on_value=x[0], off_value=x[1], axis=-1), rand(3))
    case("ArgMax", lambda x: x * tf.cast(tf.argmax(x), x.dtype), rand(3))
    case("HSVToRGB", lambda x: x * tf.image.hsv_to_rgb(x), rand(2, 3, low=0.0, high=1.0))


def classifier(x, w1, b1, w2, b2):
    hidden = nn.relu(tf.matmul(x, w1) + b1)
    logits = nn.bias_add(tf.matmul(hidden, w2), b2)
    losses = nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2, 1, 0], logits=logits)
    return tf.reduce_mean(losses) + 0.01 * (nn.l2_loss(w1) + nn.l2_loss(w2))


def write():
    out = io.BytesIO()

    def integer(value):
        out.write(struct.pack(">i", value))

    def data(value):
        integer(len(value))
        out.write(value)

    integer(len(CASES))
    for name, definition, ys, by, values in CASES:
        data(name.encode())
        data(definition.SerializeToString(deterministic=True))
        for tensors in (ys, by):
            integer(len(tensors))
            for tensor in tensors:
                data(tensor.name.encode())
        for value in values:
            integer(0 if value is None else 1)
            if value is not None:
                data(tf.make_tensor_proto(value).SerializeToString(deterministic=True))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with open(TARGET, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
        packed.write(out.getvalue())
    print(len(CASES), "cases", TARGET.stat().st_size, "bytes")


def write_registry():
    """The ops in stock's registry of gradients, including those registered as not differentiable."""
    lines = []
    for name in sorted(ops.gradient_registry.list()):
        if hasattr(RAW, name):
            lines.append(name if ops.gradient_registry.lookup(name) else name + " none")
    REGISTRY.write_text("\n".join(lines) + "\n")
    print(len(lines), "ops in the gradients' registry")


def complex_numbers():
    """Real functions of complex ones, which weight each part of each result otherwise."""
    random = np.random.default_rng(11)

    def numbers(*shape):
        return random.uniform(0.3, 1.5, shape) + 1j * random.uniform(0.3, 1.5, shape)

    def weighted(z):
        size = tf.size(z)
        weights = tf.reshape(tf.range(1, size + 1), tf.shape(z))
        part = tf.math.real(z).dtype
        return tf.math.real(z) * tf.cast(weights, part) + tf.math.imag(z) * tf.cast(weights + 3, part)

    one = {
        "Neg": tf.negative, "Square": tf.square, "Exp": tf.exp, "Expm1": math.expm1, "Log": math.log,
        "Log1p": math.log1p, "Sin": tf.sin, "Cos": tf.cos, "Tan": tf.tan, "Sinh": tf.sinh, "Cosh": tf.cosh,
        "Tanh": tf.tanh, "Asin": tf.asin, "Acos": tf.acos, "Atan": tf.atan, "Asinh": tf.asinh,
        "Acosh": tf.acosh, "Atanh": tf.atanh, "Sigmoid": tf.sigmoid, "Sqrt": tf.sqrt, "Rsqrt": math.rsqrt,
        "Reciprocal": math.reciprocal, "Conj": math.conj, "Sum": lambda z: tf.reduce_sum(z * z, 0),
        "Mean": lambda z: tf.reduce_mean(z * z, 1), "Prod": lambda z: tf.reduce_prod(z, 1),
        "Cumsum": lambda z: tf.cumsum(z * z, 1), "FFT": lambda z: tf.signal.fft(z * z),
        "IFFT": lambda z: tf.signal.ifft(z * z), "Cast": lambda z: tf.cast(tf.cast(z, tf.complex128), z.dtype) * z,
        "ConjugateTranspose": lambda z: tf.transpose(z * z, conjugate=True),
        "AddN": lambda z: tf.add_n([z, z * z, z]), "SegmentSum": lambda z: math.segment_sum(z * z, [0, 2]),
    }
    for name, f in one.items():
        case("complex " + name, lambda z: weighted(f(z)), numbers(2, 3))
    two = {
        "AddV2": tf.add, "Sub": tf.subtract, "Mul": tf.multiply, "RealDiv": tf.divide,
        "DivNoNan": math.divide_no_nan, "MulNoNan": math.multiply_no_nan, "Pow": tf.pow,
    }
    for name, f in two.items():
        case("complex " + name, lambda x, y: weighted(f(x, y)), numbers(2, 3), numbers(3))
    case("complex BiasAdd", lambda x, y: weighted(nn.bias_add(x * x, y)), numbers(2, 3), numbers(3))
    case("complex SelectV2", lambda x, y: weighted(tf.where([True, False, True], x * x, y)), numbers(2, 3), numbers(3))
    for a, b in [(False, False), (True, False), (False, True), (True, True)]:
        case(f"complex MatMul {a} {b}", lambda x, y: weighted(tf.matmul(x, y, transpose_a=a, transpose_b=b)),
             numbers(3, 3), numbers(3, 3))
        case(f"complex BatchMatMulV2 {a} {b}", lambda x, y: weighted(tf.matmul(x, y, adjoint_a=a, adjoint_b=b)),
             numbers(2, 3, 3), numbers(3, 3))
    case("Complex", lambda x, y: weighted(tf.square(tf.complex(x, y))), rand(2, 3), rand(3))
    for name, f in {"ComplexAbs": tf.abs, "Angle": math.angle, "Real": math.real, "Imag": math.imag}.items():
        case(name, lambda z: tf.square(f(z * z)), numbers(2, 3))
    case("ComplexAbs of zero", lambda z: tf.abs(z), np.array([0j, 1j]))


def quantized_and_pooled():
    """Simulated quantization, resizing by cubic and sampling kernels, second derivatives and regions of pools."""
    floats = {"dtypes": [np.float32]}
    quantize = tf.quantization
    case("FakeQuantWithMinMaxArgs",
         lambda x: tf.square(quantize.fake_quant_with_min_max_args(x, -1, 1.5, 4, True)), rand(3, 4), **floats)
    case("FakeQuantWithMinMaxVars",
         lambda x, low, high: tf.square(quantize.fake_quant_with_min_max_vars(x, low, high, 5)),
         rand(3, 4), np.array(-1.0), np.array(1.5), **floats)
    case("FakeQuantWithMinMaxVarsPerChannel",
         lambda x, low, high: tf.square(quantize.fake_quant_with_min_max_vars_per_channel(x, low, high, narrow_range=True)),
         rand(3, 4), rand(4, low=-1, high=0), rand(4, low=0, high=1), **floats)
    for kw in [{"half_pixel_centers": True}, {"align_corners": True}]:
        case(f"ResizeBicubic {kw}", lambda x: tf.square(RAW.ResizeBicubic(images=x, size=[5, 3], **kw)), rand(1, 3, 4, 2))
    case("ResizeBicubic of integers", lambda x: RAW.ResizeBicubic(images=tf.cast(x, tf.int32), size=[5, 3]), rand(1, 3, 4, 2), **floats)
    for kw in [{}, {"kernel_type": "triangle", "antialias": False}]:
        case(f"ScaleAndTranslate {kw}",
             lambda x: tf.square(RAW.ScaleAndTranslate(images=x, size=[5, 3], scale=[1.5, 0.75], translation=[0.5, 0.25], **kw)),
             rand(1, 3, 4, 2), **floats)
    flat = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    deep = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 2, 1, 2, 1], padding="VALID")
    flat_inputs = [rand(2, 4, 5, 2), rand(2, 2, 5, 2), rand(2, 2, 5, 2)]
    deep_inputs = [rand(1, 4, 3, 4, 2), rand(1, 2, 2, 2, 2), rand(1, 2, 2, 2, 2)]
    for op, kw, inputs in [
        ("MaxPoolGrad", flat, flat_inputs), ("MaxPoolGradV2", flat, flat_inputs), ("MaxPool3DGrad", deep, deep_inputs),
    ]:
        case(op, lambda x, y, dy: tf.square(getattr(RAW, op)(orig_input=x, orig_output=y, grad=dy, **kw)), *inputs, **floats)
    for op, kw, inputs in [("MaxPoolGradGrad", flat, flat_inputs), ("MaxPool3DGradGrad", deep, deep_inputs)]:
        pool = nn.max_pool2d if kw is flat else nn.max_pool3d
        case(op,
             lambda x, dy: tf.square(getattr(RAW, op)(
                 orig_input=x, orig_output=pool(x, kw["ksize"], kw["strides"], kw["padding"]), grad=dy, **kw)),
             inputs[0], inputs[0] * 2, **floats)
    for op in ["FractionalMaxPool", "FractionalAvgPool"]:
        for overlapping in [False, True]:
            case(f"{op} {overlapping}",
                 lambda x: tf.square(getattr(RAW, op)(
                     value=x, pooling_ratio=[1.0, 1.5, 1.4, 1.0], overlapping=overlapping, deterministic=True, seed=4)[0]),
                 rand(1, 6, 7, 2))


elementwise()
complex_numbers()
reductions()
arrays()
nets()
images()
later()
einsums()
variables()
seconds()
others()
ended()
quantized_and_pooled()
write()
write_registry()

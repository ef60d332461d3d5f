"""Ops that create summaries for TensorBoard."""

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import summary_pb2


def scalar(tags, values):
    return tf.raw_ops.ScalarSummary(tags=tags, values=values)


def record(case):
    real = ["half", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    for dtype in map(tf.as_dtype, real):
        low, high = (dtype.min, dtype.max) if dtype.is_integer else (-2.5, 1000.25)
        values = tf.constant([low, 3, high], dtype)
        case("ScalarSummary", tags=["a", "b/c", ""], values=values)
        case("HistogramSummary", tag="h", values=values)
    case("ScalarSummary", tags="a", values=tf.constant((1 << 60) + (1 << 36) + 1, tf.int64))
    case("ScalarSummary", tags="a", values=np.float64(1e300))
    case("ScalarSummary", tags=[["a"], ["b"]], values=np.ones([2, 1], "f"))
    case("ScalarSummary", tags=["a"], values=1.0)
    case("ScalarSummary", tags=["a", "b"], values=[1.0])
    case("ScalarSummary", tags=tf.constant([], tf.string), values=np.zeros([0], "f"))

    random = np.random.RandomState(1)
    case("HistogramSummary", tag="h", values=random.randn(20, 50).astype("f"))
    case("HistogramSummary", tag="h", values=np.exp(random.randn(1000) * 20))
    case("HistogramSummary", tag="h", values=np.array([0, 1, -1, 1e-13, -1e-13, 1e-12, 1e30, -1e30, 1.7e308, -1.7976931348623157e308]))
    case("HistogramSummary", tag="h", values=np.zeros([0], "f"))
    case("HistogramSummary", tag="h", values=2.0)
    case("HistogramSummary", tag=["h"], values=[2.0])
    case("HistogramSummary", tag="h", values=[1.0, np.nan], _says="Nan in summary histogram for: ")
    case("HistogramSummary", tag="h", values=[1.0, -np.inf], _says="Infinity in Histogram for: ")

    one, two = scalar("a", 1.0), scalar(["b", "c"], [2.0, 3.0])
    case("MergeSummary", inputs=[one, two])
    case("MergeSummary", inputs=[tf.stack([one, two]), tf.constant([], tf.string)])
    case("MergeSummary", inputs=[one])
    case("MergeSummary", inputs=[scalar("", 1.0), scalar("", 2.0)])
    case("MergeSummary", inputs=[one, one])
    case("MergeSummary", inputs=[tf.constant("no summary")])

    sound = (random.rand(4, 5, 2) * 2.2 - 1.1).astype("f")
    case("AudioSummaryV2", tag="a", tensor=sound, sample_rate=8000.5)
    case("AudioSummaryV2", tag="a", tensor=sound, sample_rate=44100.0, max_outputs=1)
    case("AudioSummaryV2", tag="a", tensor=sound, sample_rate=44100.0, max_outputs=9)
    case("AudioSummaryV2", tag="a", tensor=sound[..., 0], sample_rate=0.25)
    case("AudioSummaryV2", tag="a", tensor=sound[:0], sample_rate=8000.0)
    case("AudioSummaryV2", tag="a", tensor=sound, sample_rate=0.0)
    case("AudioSummaryV2", tag="a", tensor=sound[0, 0], sample_rate=8000.0)

    metadata = summary_pb2.SummaryMetadata(display_name="shown", summary_description="what it is")
    metadata.plugin_data.plugin_name = "scalars"
    metadata.plugin_data.content = b"\x00\xff"
    for tensor in np.float32(1.5), np.arange(6).reshape(2, 3), tf.constant(["a", ""]), tf.constant([True]):
        case("TensorSummaryV2", tag="t", tensor=tensor, serialized_summary_metadata=metadata.SerializeToString())
    case("TensorSummaryV2", tag="t", tensor=1, serialized_summary_metadata="")

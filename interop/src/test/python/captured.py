"""Pipelines whose registered graphs are known op by op, from observed stock clients.

Every graph registered with compression ends in a ParallelMapDatasetV2 over a CompressElement.
"""

import numpy as np
import tensorflow as tf

from pipeline import pipeline

AUTOTUNE = tf.data.AUTOTUNE
COMPRESSED = ("_Retval", "CompressElement", "Const", "Identity", "ParallelMapDatasetV2")


@pipeline(ops=COMPRESSED + ("RangeDataset",))
def range(_):
    return tf.data.Dataset.range(10)


@pipeline(compression=None, ops=("_Retval", "Const", "RangeDataset"))
def range_uncompressed(_):
    return tf.data.Dataset.range(10)


@pipeline(
    "shared",
    processing_mode="distributed_epoch",
    ops=COMPRESSED + ("RangeDataset",),
)
def dynamic(_):
    return tf.data.Dataset.range(30)


@pipeline(
    ops=COMPRESSED
    + ("AddV2", "BatchDatasetV2", "Cast", "Mul", "PrefetchDataset", "RangeDataset")
    + ("ShuffleDatasetV3",)
)
def map_batch(_):
    return (
        tf.data.Dataset.range(20)
        .map(lambda x: tf.cast(x, tf.float32) * 2.0 + 1.0, num_parallel_calls=AUTOTUNE)
        .shuffle(5, seed=1)
        .batch(4, drop_remainder=True)
        .prefetch(2)
    )


@pipeline(
    ops=COMPRESSED
    + ("AddV2", "Cast", "MapDataset", "Mul", "RandomUniform", "RangeDataset")
    + ("StatelessRandomGetKeyCounter", "StatelessRandomUniformV2", "Sub")
)
def random_augment(_):
    return (
        tf.data.Dataset.range(4)
        .map(lambda x: tf.random.stateless_uniform([2], seed=[1, 2]) + tf.cast(x, tf.float32))
        .map(lambda x: x + tf.random.uniform([2], seed=3))
    )


@pipeline(
    ops=COMPRESSED
    + ("RangeDataset", "RepeatDataset", "TakeDataset", "TensorSliceDataset", "ZipDataset")
)
def repeat_take_zip(_):
    slices = tf.data.Dataset.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(6, 2))
    return tf.data.Dataset.zip((tf.data.Dataset.range(5).repeat(), slices)).take(6)


@pipeline(
    ops=COMPRESSED
    + ("FilterDataset", "FlatMapDataset", "MapDataset", "NoOp", "StaticRegexFullMatch")
    + ("StringLength", "TensorSliceDataset", "TextLineDataset")
)
def text_filter(files):
    return (
        tf.data.TextLineDataset([files("a.txt")])
        .filter(lambda line: tf.strings.regex_full_match(line, ".*1.*"))
        .map(tf.strings.length)
    )


def images(files, dct_method):
    features = {
        "img": tf.io.FixedLenFeature([], tf.string),
        "x": tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(record):
        row = tf.io.parse_single_example(record, features)
        image = tf.io.decode_jpeg(row["img"], channels=3, dct_method=dct_method)
        return tf.image.resize(image, [4, 4]) / 255.0, row["x"]

    return (
        tf.data.Dataset.list_files(files("jpeg-*.tfrecord"), shuffle=False)
        .interleave(tf.data.TFRecordDataset, cycle_length=2, num_parallel_calls=AUTOTUNE)
        .map(parse)
        .batch(4)
        .prefetch(AUTOTUNE)
    )


IMAGES = (
    COMPRESSED
    + ("BatchDatasetV2", "DecodeJpeg", "ExpandDims", "FlatMapDataset", "MapDataset", "NoOp")
    + ("ParallelInterleaveDatasetV4", "ParseExampleV2", "PrefetchDataset", "RealDiv", "Reshape")
    + ("ResizeBilinear", "Squeeze", "TFRecordDataset", "TensorSliceDataset")
)


@pipeline(ops=IMAGES)
def tfrecord_images(files):
    return images(files, "")


@pipeline(ops=IMAGES)
def tfrecord_images_accurate(files):
    return images(files, "INTEGER_ACCURATE")


@pipeline(
    ops=COMPRESSED
    + ("AsString", "Cast", "MapDataset", "PaddedBatchDatasetV2", "Range", "RangeDataset")
)
def dict_padded(_):
    return (
        tf.data.Dataset.range(1, 6)
        .map(lambda x: {"a": tf.range(x), "b": tf.strings.as_string(x)})
        .padded_batch(2)
    )


@pipeline(
    ops=COMPRESSED
    + ("FlatMapDataset", "Greater", "MapDataset", "Mul", "Neg", "NoOp", "RangeDataset")
    + ("StatelessIf",)
)
def flat_map_cond(_):
    return (
        tf.data.Dataset.range(4)
        .flat_map(lambda x: tf.data.Dataset.range(x))
        .map(lambda x: tf.cond(x > 1, lambda: x * 10, lambda: -x))
    )


@pipeline(
    ops=COMPRESSED + ("BatchDatasetV2", "FloorMod", "GroupByWindowDataset", "RangeDataset")
)
def group_by_window(_):
    return tf.data.Dataset.range(12).group_by_window(
        key_func=lambda x: x % 2, reduce_func=lambda _, window: window.batch(3), window_size=3
    )


@pipeline(ops=COMPRESSED + ("AddV2", "Less", "MapDataset", "RangeDataset", "StatelessWhile"))
def while_loop(_):
    def sum_below(x):
        start = [tf.constant(0, tf.int64), tf.constant(0, tf.int64)]
        return tf.while_loop(lambda i, _: i < x, lambda i, s: (i + 1, s + i), start)[1]

    return tf.data.Dataset.range(4).map(sum_below)

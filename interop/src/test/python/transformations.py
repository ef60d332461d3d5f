"""Pipelines about transformations: order, ends, remainders, and combinations."""

import numpy as np
import tensorflow as tf
from tensorflow.python.data.experimental.ops import global_shuffle_op, random_access, shuffle_ops

from pipeline import pipeline

AUTOTUNE = tf.data.AUTOTUNE
Dataset = tf.data.Dataset


@pipeline()
def map_twice_parallel(_):
    dataset = Dataset.range(1000).map(lambda x: x * 3, num_parallel_calls=2)
    return dataset.map(lambda x: (x, x + 1), num_parallel_calls=AUTOTUNE, deterministic=True)


@pipeline("unordered")
def map_nondeterministic(_):
    return Dataset.range(200).map(lambda x: -x, num_parallel_calls=2, deterministic=False)


@pipeline()
def map_with_captured_tensor(_):
    table = tf.constant(np.arange(10) ** 2)
    return Dataset.range(10).map(lambda x: tf.gather(table, 9 - x))


@pipeline()
def map_calls_function(_):
    @tf.function
    def twice(x):
        return x + x

    return Dataset.range(5).map(lambda x: twice(twice(x)))


@pipeline()
def map_to_constant(_):
    return Dataset.range(3).map(lambda _: (tf.constant(7), tf.constant("text")))


@pipeline()
def filter_even(_):
    return Dataset.range(50).filter(lambda x: x % 2 == 0)


@pipeline()
def filter_nothing_left(_):
    return Dataset.range(50).filter(lambda x: x > 100)


@pipeline()
def flat_map_slices(_):
    return Dataset.range(5).flat_map(lambda x: Dataset.from_tensor_slices(tf.fill([x], x)))


@pipeline()
def flat_map_nested(_):
    return Dataset.range(4).flat_map(
        lambda x: Dataset.range(x).flat_map(lambda y: Dataset.from_tensors((x, y)).repeat(2))
    )


@pipeline()
def interleave_blocks(_):
    return Dataset.range(1, 6).interleave(
        lambda x: Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=3
    )


@pipeline()
def interleave_parallel(_):
    return Dataset.range(1, 8).interleave(
        lambda x: Dataset.range(x * 10, x * 10 + x),
        cycle_length=3,
        block_length=2,
        num_parallel_calls=2,
        deterministic=True,
    )


@pipeline("unordered")
def interleave_nondeterministic(_):
    return Dataset.range(1, 8).interleave(
        lambda x: Dataset.range(x * 10, x * 10 + x),
        cycle_length=3,
        num_parallel_calls=AUTOTUNE,
        deterministic=False,
    )


@pipeline()
def interleave_files(files):
    names = [files(f"examples-{i}.tfrecord") for i in range(3)]
    return Dataset.from_tensor_slices(names).interleave(tf.data.TFRecordDataset, cycle_length=2)


@pipeline()
def batch_remainder(_):
    return Dataset.range(10).batch(4)


@pipeline()
def batch_drop_remainder(_):
    return Dataset.range(10).batch(4, drop_remainder=True)


@pipeline()
def batch_of_batches(_):
    return Dataset.range(20).map(lambda x: (x, tf.strings.as_string(x))).batch(3).batch(2)


@pipeline()
def batch_parallel(_):
    return Dataset.range(100).batch(8, num_parallel_calls=2, deterministic=True)


@pipeline("fails INVALID_ARGUMENT")
def batch_of_unequal_shapes(_):
    return Dataset.range(1, 9).map(lambda x: tf.range(x // 3)).batch(2)


@pipeline()
def padded_batch_values(_):
    return (
        Dataset.range(1, 8)
        .map(lambda x: (tf.fill([x], x), tf.fill([2, x], tf.strings.as_string(x))))
        .padded_batch(
            3, padded_shapes=([9], [3, None]), padding_values=(tf.constant(-1, tf.int64), "pad")
        )
    )


@pipeline()
def padded_batch_drop_remainder(_):
    dataset = Dataset.range(1, 8).map(lambda x: tf.cast(tf.fill([x], x), tf.float32))
    return dataset.padded_batch(3, drop_remainder=True)


@pipeline()
def shuffle_seeded(_):
    return Dataset.range(100).shuffle(13, seed=42)


@pipeline()
def shuffle_whole(_):
    return Dataset.range(50).shuffle(1000, seed=7)


@pipeline()
def shuffle_then_repeat(_):
    return Dataset.range(10).shuffle(4, seed=3).repeat(4)


@pipeline()
def shuffle_the_same_each_time(_):
    return Dataset.range(10).shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(3)


@pipeline()
def repeat_then_shuffle(_):
    return Dataset.range(10).repeat(3).shuffle(7, seed=11)


@pipeline()
def shuffle_large(_):
    return Dataset.range(20_000).shuffle(10_000, seed=1).batch(256)


@pipeline("unordered")
def shuffle_unseeded(_):
    return Dataset.range(100).shuffle(20)


@pipeline()
def global_shuffle(_):
    # TensorFlow fuses a map before a batch, and can't read the result at random.
    numbers = Dataset.range(30).concatenate(Dataset.range(100, 120)).batch(3, drop_remainder=True)
    return global_shuffle_op._global_shuffle(numbers.map(lambda x: (x, x * x)), seed=5).repeat(2)


@pipeline()
def index_shuffle(_):
    files = [{"path": "", "num_elements": 20}, {"path": "", "num_elements": 10, "skip": 2, "take": 5}]
    return shuffle_ops.index_shuffle(files, lambda _: Dataset.range(30), seed=11)


@pipeline("fails INVALID_ARGUMENT")
def element_at_an_index_out_of_range(_):
    return Dataset.range(7, 12).map(lambda i: random_access.at(Dataset.range(10), i))


@pipeline()
def shuffle_strings(files):
    return tf.data.TextLineDataset(files("a.txt")).shuffle(8, seed=2).shuffle(3, seed=5)


@pipeline()
def repeat_finite(_):
    return Dataset.range(4).repeat(3)


@pipeline()
def repeat_never(_):
    return Dataset.range(4).repeat(0)


@pipeline()
def repeat_without_end(_):
    return Dataset.range(3).repeat().repeat(2).skip(5).take(11)


@pipeline()
def repeat_of_nothing(_):
    return Dataset.range(5).filter(lambda x: x > 9).repeat(3)


@pipeline()
def take_and_skip(_):
    return Dataset.range(100).skip(10).take(20).skip(5)


@pipeline()
def take_more_than_there_are(_):
    return Dataset.range(5).take(100).take(-1)


@pipeline()
def skip_everything(_):
    return Dataset.range(5).skip(-1)


@pipeline()
def shard(_):
    return Dataset.range(23).shard(4, 2)


@pipeline()
def concatenate(_):
    tail = Dataset.from_tensor_slices(np.array([7, 8], np.int64))
    return Dataset.range(3).concatenate(tail).concatenate(Dataset.range(0)).repeat(2)


@pipeline()
def zip_nested(_):
    strings = Dataset.from_tensor_slices([b"a", b"b", b"c", b"d"])
    return Dataset.zip({"y": (Dataset.range(10), strings), "x": Dataset.range(5, 8)})


@pipeline()
def enumerate_from_five(files):
    return tf.data.TextLineDataset(files("b.txt")).enumerate(start=5)


@pipeline()
def prefetch(_):
    return Dataset.range(30).prefetch(3).map(lambda x: x + 1).prefetch(AUTOTUNE)


@pipeline()
def cache_in_memory(_):
    return Dataset.range(6).map(lambda x: x * x).cache().repeat(3)


@pipeline()
def cache_of_random_numbers(_):
    dataset = Dataset.range(4).map(lambda _: tf.random.uniform([3], seed=9))
    return dataset.cache().repeat(2)


@pipeline()
def group_by_window_uneven(_):
    return Dataset.range(40).group_by_window(
        key_func=lambda x: x * x % 7,
        reduce_func=lambda key, window: window.map(lambda x: (key, x)).batch(4),
        window_size_func=lambda key: key + 2,
    )


@pipeline()
def bucket_by_length(_):
    return (
        Dataset.range(1, 25)
        .map(lambda x: tf.range(x * 5 % 11))
        .bucket_by_sequence_length(tf.size, bucket_boundaries=[3, 7], bucket_batch_sizes=[2, 3, 4])
    )


@pipeline()
def group_by_reducer(_):
    sums = tf.data.experimental.Reducer(
        lambda key: (key, tf.constant(0, tf.int64)), lambda s, x: (s[0], s[1] + x), lambda *s: s
    )
    return Dataset.range(-9, 30).apply(
        tf.data.experimental.group_by_reducer(lambda x: x * x % 7, sums)
    )


@pipeline()
def windows_of_nested_elements(_):
    dataset = Dataset.range(9).map(lambda x: {"a": x, "b": (Dataset.range(x), tf.fill([2], x))})

    def joined(window):
        ranges, vectors = window["b"]
        counts = ranges.map(lambda d: d.cardinality())
        return Dataset.zip((window["a"], counts, vectors.batch(2).repeat()))

    return dataset.window(4, shift=3).flat_map(joined)


@pipeline()
def windows_of_windows(_):
    return Dataset.range(20).window(3).window(2).flat_map(
        lambda windows: windows.flat_map(lambda window: window.batch(3))
    )


@pipeline()
def optionals_between_transformations(_):
    def value_or_minus_one(optional):
        return tf.cond(
            tf.raw_ops.OptionalHasValue(optional=optional),
            lambda: tf.raw_ops.OptionalGetValue(
                optional=optional, output_types=[tf.int64], output_shapes=[[]]
            )[0],
            lambda: tf.constant(-1, tf.int64),
        )

    def evens(x):
        return tf.cond(
            x % 2 == 0,
            lambda: tf.raw_ops.OptionalFromValue(components=[x]),
            lambda: tf.raw_ops.OptionalNone(),
        )

    return Dataset.range(20).map(evens).shuffle(5, seed=3).map(value_or_minus_one)


@pipeline()
def table_from_dataset(_):
    words = Dataset.zip((Dataset.range(2, 6), Dataset.from_tensor_slices(["a", "b", "c", "d"])))
    table = tf.data.experimental.table_from_dataset(words, default_value="-", key_dtype=tf.int64)
    return Dataset.range(8).map(table.lookup)


@pipeline()
def nested_elements(_):
    return Dataset.range(6).map(
        lambda x: {"b": (x, {"d": x + 1, "c": tf.cast(x, tf.float32)}), "a": [x * 2, x * 3]}
    )


@pipeline()
def options_attached(_):
    options = tf.data.Options()
    options.deterministic = True
    options.threading.private_threadpool_size = 2
    options.experimental_optimization.map_parallelization = False
    return Dataset.range(20).map(lambda x: x + 5).batch(6).with_options(options)


@pipeline()
def scalars_many(_):
    return Dataset.range(5_000).map(lambda x: x * x % 1009)


@pipeline()
def elements_of_8_mib(_):
    return Dataset.range(3).map(lambda x: tf.fill([8 << 20], tf.cast(x, tf.uint8)))


@pipeline()
def elements_of_1_mib(_):
    return Dataset.range(12).map(lambda x: tf.range(1 << 17, dtype=tf.int64) * x)


@pipeline("fails INVALID_ARGUMENT")
def error_after_some(_):
    return Dataset.range(10).map(lambda x: 100 // (7 - x))


@pipeline("fails INVALID_ARGUMENT")
def error_in_making_an_inner_dataset(_):
    return Dataset.range(3, -1, -1).flat_map(lambda x: Dataset.range(4).batch(x))


@pipeline("fails INVALID_ARGUMENT")
def error_in_making_an_interleaved_dataset(_):
    return Dataset.range(3, -1, -1).interleave(lambda x: Dataset.range(0, 4, x), cycle_length=2)

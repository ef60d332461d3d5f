"""Pipelines divided among workers: each element comes once, from any worker."""

import tensorflow as tf

from pipeline import pipeline

Dataset = tf.data.Dataset


def shared(build):
    return pipeline("shared", processing_mode="distributed_epoch")(build)


@shared
def dynamic_map_shuffle(_):
    return Dataset.range(200).map(lambda x: x * 3).shuffle(20).prefetch(2)


@shared
def dynamic_slices_repeated(_):
    return Dataset.from_tensor_slices(([5, 6, 7], ["five", "six", "seven"])).repeat(4)


@shared
def dynamic_files(files):
    names = Dataset.list_files(files("examples-*.tfrecord"))
    return names.interleave(tf.data.TFRecordDataset, cycle_length=2, num_parallel_calls=2)


@shared
def dynamic_lines(files):
    names = Dataset.from_tensor_slices([files("a.txt"), files("empty.txt"), files("b.txt")])
    return names.flat_map(tf.data.TextLineDataset).filter(lambda line: tf.strings.length(line) > 3)


@shared
def dynamic_single_batches(_):
    return Dataset.range(0, -60, -3).batch(1).map(lambda x: tf.cast(x, tf.float32))


@shared
def dynamic_concatenated(_):
    return Dataset.range(5).concatenate(Dataset.from_tensors(tf.constant(40, tf.int64)).repeat(3))


@shared
def dynamic_sampled(_):
    parts = [Dataset.range(start, start + 10) for start in (0, 100, 200)]
    return Dataset.sample_from_datasets(parts, weights=[0.2, 0.3, 0.5])


@shared
def dynamic_nested(_):
    return Dataset.range(8).flat_map(lambda x: Dataset.range(x).repeat(2))

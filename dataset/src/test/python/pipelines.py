"""The pipelines that record.py records. All are deterministic."""

import gzip
import pathlib
import sqlite3
import tempfile
import time
import zlib

import numpy as np
import tensorflow as tf

from tensorflow.python.data.experimental.ops import global_shuffle_op
from tensorflow.python.data.experimental.ops import random_access
from tensorflow.python.data.experimental.ops import shuffle_ops
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.data.ops import save_op
from tensorflow.python.data.ops import structured_function
from tensorflow.python.ops import gen_experimental_dataset_ops as experimental_ops

RECORDED = pathlib.Path("src/test/resources/io/headrace/dataset/execute/recorded")
FILES = RECORDED / "files"
AUTOTUNE = tf.data.AUTOTUNE
D = tf.data.Dataset
ALL = {}


def pipeline(make):
    ALL[make.__name__] = make
    return make


def write_files():
    """Writes the input files, beside the records; paths are relative to the module."""
    files = FILES
    files.mkdir(parents=True, exist_ok=True)
    lines = [b"alpha", b"", b"be\rta\r", b"gamma" * 30, "d\u00e9".encode()]
    (files / "a.txt").write_bytes(b"\n".join(lines) + b"\n")
    (files / "b.txt").write_bytes(b"one\r\ntwo\r\nlast without end")
    (files / "empty.txt").write_bytes(b"")
    (files / "c.txt.gz").write_bytes(gzip.compress(b"x\ny\nz\n", mtime=0))
    (files / "c.txt.zlib").write_bytes(zlib.compress(b"x\ny\nz\n"))
    body = b"".join(bytes([i] * 5) for i in range(7))
    (files / "fixed.bin").write_bytes(b"HEAD" + body + b"TAIL!")
    (files / "fixed.bin.gz").write_bytes(gzip.compress(b"HEAD" + body + b"TAIL!", mtime=0))
    records = [b"r%d" % i * (i * 7) for i in range(9)]
    for name, kind in [("a", ""), ("a", "GZIP"), ("a", "ZLIB")]:
        path = str(files / ("%s.tfrecord%s" % (name, kind)))
        with tf.io.TFRecordWriter(path, options=kind) as writer:
            for record in records:
                writer.write(record)
    good = (files / "a.tfrecord").read_bytes()
    (files / "truncated.tfrecord").write_bytes(good[:-7])
    bad = bytearray(good)
    bad[60] ^= 1
    (files / "corrupt.tfrecord").write_bytes(bytes(bad))
    (files / "vocabulary.txt").write_bytes(b"b\r\nc\n d\na")
    (files / "columns.txt").write_bytes(b"x,1,1.5\ny, 3 ,-2e3,more\nz,4,0x1p-2\n")
    write_csv_files()
    write_sqlite_file()
    write_images()
    write_saved()


@pipeline
def range_steps():
    return D.zip((D.range(3, 20, 3), D.range(10, -5, -2), D.range(0, 6, output_type=tf.float32)))


@pipeline
def range_empty():
    return D.range(5, 5)


@pipeline
def batch_remainder():
    return D.range(10).batch(4)


@pipeline
def batch_drop():
    return D.range(10).batch(4, drop_remainder=True).batch(2)


@pipeline
def batch_one():
    return D.range(3).batch(1).batch(5)


@pipeline
def slices_take_skip():
    return D.from_tensor_slices((tf.reshape(tf.range(24), [8, 3]), list("abcdefgh"))).skip(2).take(5)


@pipeline
def tensors_repeat():
    return D.from_tensors((tf.constant([1, 2]), "x")).repeat(3)


@pipeline
def repeat_forever_take():
    return D.range(3).repeat().take(8)


@pipeline
def repeat_forever_of_nothing():
    return D.range(0).repeat()


@pipeline
def concatenate():
    return D.range(3).concatenate(D.range(10, 12)).concatenate(D.range(0)).concatenate(D.range(1))


@pipeline
def zip_uneven():
    return D.zip((D.range(5), D.range(10, 13), D.range(7).batch(2)))


@pipeline
def shard():
    return D.range(11).shard(3, 1)


@pipeline
def shard_batches():
    return D.range(11).batch(2).shard(4, 3).repeat(2)


@pipeline
def shuffle_seeded():
    return D.range(20).shuffle(7, seed=5)


@pipeline
def shuffle_all():
    return D.range(20).shuffle(100, seed=123456789012)


@pipeline
def shuffle_one():
    return D.range(6).shuffle(1, seed=3)


@pipeline
def shuffle_repeat():
    return D.range(9).shuffle(4, seed=11).repeat(3)


@pipeline
def shuffle_fixed_repeat():
    return D.range(9).shuffle(4, seed=11, reshuffle_each_iteration=False).repeat(2)


@pipeline
def shuffle_of_shuffle():
    return D.range(9).shuffle(3, seed=1).shuffle(4, seed=2).repeat(3)


@pipeline
def shuffle_batches_of_strings():
    words = [("w%d" % i) * i for i in range(13)]
    return D.from_tensor_slices(words).batch(2).shuffle(3, seed=4).unbatch()


@pipeline
def shuffle_pairs():
    return D.from_tensor_slices((tf.range(12), tf.reshape(tf.range(36), [12, 3]))).shuffle(5, seed=9)


@pipeline
def shuffle_unknown_size():
    return D.range(10).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=7)


@pipeline
def shuffle_and_repeat():
    return D.range(7).apply(tf.data.experimental.shuffle_and_repeat(5, count=4, seed=6))


@pipeline
def shuffle_and_repeat_small():
    return D.range(2).apply(tf.data.experimental.shuffle_and_repeat(20, count=9, seed=6))


@pipeline
def shuffle_and_repeat_forever():
    return D.range(4).apply(tf.data.experimental.shuffle_and_repeat(9, seed=2))


@pipeline
def random_seeded():
    return D.random(seed=42).take(9)


@pipeline
def random_reseeded():
    return D.random(seed=42, rerandomize_each_iteration=True).take(3).repeat(2)


@pipeline
def cache_memory():
    return D.range(5).shuffle(5, seed=1).cache().repeat(2)


def fail_at(x, *bad):
    """x, or an error where x is one of bad."""
    return x + 0 // tf.reduce_min(tf.abs(x - tf.constant(bad, x.dtype)))


@pipeline
def map_plain():
    return D.range(20).map(lambda x: x * 3 + 1).map(lambda x: (x, x % 5, tf.cast(x, tf.int32)))


@pipeline
def map_errors():
    return D.range(12).map(lambda x: fail_at(x, 3, 4, 11))


@pipeline
def map_captured():
    y = tf.constant([1, 2, 3], tf.int64)
    return D.range(4).map(lambda x: x * y)


@pipeline
def map_parallel():
    return D.range(40).map(lambda x: x * x, num_parallel_calls=3)


@pipeline
def map_parallel_autotune_errors():
    return D.range(12).map(lambda x: fail_at(x, 0, 5, 6), num_parallel_calls=AUTOTUNE)


@pipeline
def filter_even():
    return D.range(20).map(lambda x: x * 3).filter(lambda x: x % 2 == 0)


@pipeline
def filter_none():
    return D.range(9).filter(lambda x: x > 100)


@pipeline
def filter_errors():
    return D.range(12).filter(lambda x: fail_at(x, 2, 7, 8) % 2 == 0)


@pipeline
def batch_errors():
    return D.range(12).map(lambda x: fail_at(x, 2, 7, 8)).batch(3)


@pipeline
def batch_parallel():
    return D.range(11).map(lambda x: x * 2).batch(3, num_parallel_calls=2)


@pipeline
def batch_different_shapes():
    return D.range(9).map(lambda x: tf.range(x // 3)).batch(2)


@pipeline
def map_and_batch():
    return D.range(11).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 4))


@pipeline
def map_and_batch_errors():
    return D.range(14).apply(
        tf.data.experimental.map_and_batch(lambda x: fail_at(x, 5), 4, drop_remainder=True)
    )


@pipeline
def padded_batch():
    return D.range(7).map(lambda x: (tf.range(x), x)).padded_batch(3)


@pipeline
def padded_batch_shapes():
    d = D.range(5).map(lambda x: (tf.fill([x % 3, 2], x), tf.range(x)))
    return d.padded_batch(
        2,
        padded_shapes=([3, 4], [None]),
        padding_values=(tf.constant(-7, tf.int64), tf.constant(-1, tf.int64)),
        drop_remainder=True,
    )


@pipeline
def padded_batch_too_long():
    return D.range(8).map(lambda x: tf.range(x)).padded_batch(2, padded_shapes=[4])


@pipeline
def padded_batch_strings():
    d = D.from_tensor_slices(["a b", "c", "d e f"]).map(lambda s: tf.strings.split(s))
    return d.padded_batch(3, padding_values="-")


@pipeline
def unbatch_pairs():
    return D.range(7).batch(3).map(lambda x: (x, x * x)).unbatch()


@pipeline
def unbatch_unequal():
    return D.range(4).map(lambda x: (tf.range(x), tf.range(x % 3))).unbatch()


@pipeline
def flat_map_ranges():
    return D.range(5).flat_map(lambda x: D.range(x).map(lambda y: x * 10 + y))


@pipeline
def flat_map_errors():
    return D.range(6).flat_map(
        lambda x: D.range(fail_at(x, 3)).map(lambda y: fail_at(x * 10 + y, 41))
    )


@pipeline
def flat_map_shuffle():
    return D.range(3).flat_map(lambda x: D.range(6).shuffle(4, seed=3).repeat(2))


@pipeline
def interleave_blocks():
    return D.range(7).interleave(
        lambda x: D.range(x).map(lambda y: x * 10 + y), cycle_length=3, block_length=2
    )


@pipeline
def interleave_cycle_longer_than_input():
    return D.range(3).interleave(lambda x: D.range(x, x + 4), cycle_length=8)


@pipeline
def interleave_errors():
    return D.range(7).interleave(
        lambda x: D.range(fail_at(x, 2)).map(lambda y: fail_at(x * 10 + y, 31, 40)),
        cycle_length=2,
        block_length=2,
    )


@pipeline
def interleave_parallel():
    return D.range(9).interleave(
        lambda x: D.range(x).map(lambda y: x * 10 + y),
        cycle_length=4,
        block_length=2,
        num_parallel_calls=3,
    )


@pipeline
def interleave_parallel_autotune():
    return D.range(9).interleave(
        lambda x: D.range(x % 4).map(lambda y: x * 10 + y),
        cycle_length=3,
        num_parallel_calls=AUTOTUNE,
    )


@pipeline
def interleave_legacy():
    return D.range(6).apply(
        tf.data.experimental.parallel_interleave(
            lambda x: D.range(3).map(lambda y: x * 10 + y), cycle_length=2, block_length=2
        )
    )


@pipeline
def prefetch_some():
    return D.range(25).map(lambda x: fail_at(x, 9, 10)).prefetch(3)


@pipeline
def prefetch_autotune():
    return D.range(25).batch(2).prefetch(AUTOTUNE).prefetch(0)


@pipeline
def group_by_window():
    return D.range(23).group_by_window(
        key_func=lambda x: x % 3, reduce_func=lambda k, d: d.batch(10), window_size=4
    )


@pipeline
def group_by_window_sizes():
    return D.range(23).group_by_window(
        key_func=lambda x: -(x % 3),
        reduce_func=lambda k, d: d.map(lambda x: (k, x)).take(3),
        window_size_func=lambda k: 2 - k,
    )


@pipeline
def group_by_window_errors():
    return D.range(14).group_by_window(
        key_func=lambda x: fail_at(x, 4) % 2, reduce_func=lambda k, d: d.batch(10), window_size=3
    )


@pipeline
def bucket_by_length():
    return (
        D.range(1, 15)
        .map(lambda x: tf.range(x * 7 % 10))
        .bucket_by_sequence_length(tf.size, [3, 6], [2, 3, 2])
    )


@pipeline
def bucket_to_boundary():
    d = D.range(1, 12).map(lambda x: tf.range(x * 7 % 6))
    return d.bucket_by_sequence_length(tf.size, [3, 6], [2, 3, 2], pad_to_bucket_boundary=True)


@pipeline
def bucket_of_pairs_drop():
    d = D.range(1, 15).map(lambda x: (tf.range(x * 7 % 10), tf.strings.as_string(x)))
    return d.bucket_by_sequence_length(
        lambda x, _: tf.size(x),
        [3, 6],
        [2, 3, 2],
        padded_shapes=([9], []),
        padding_values=(tf.constant(-1, tf.int64), ""),
        drop_remainder=True,
    )


@pipeline
def bucket_without_padding():
    d = D.range(1, 15).map(lambda x: tf.range(x % 3))
    return d.bucket_by_sequence_length(tf.size, [1, 2], [2, 3, 2], no_padding=True)


def resampled(target, initial=None):
    return D.range(60).rejection_resample(
        lambda x: tf.cast(x % 10 > 7, tf.int32), target, initial_dist=initial, seed=11
    )


@pipeline
def rejection_resampled():
    return resampled([0.5, 0.5], [0.8, 0.2])


@pipeline
def rejection_resampled_by_estimates():
    return resampled([0.4, 0.6])


@pipeline
def rejection_resampled_unchanged():
    return resampled([0.75, 0.25], [0.75, 0.25])


@pipeline
def rejection_resampled_to_one_class():
    return resampled([0.0, 1.0], [0.8, 0.2])


@pipeline
def windows():
    return D.range(10).window(4, shift=3).flat_map(lambda w: w.batch(10))


@pipeline
def windows_strided():
    return D.range(14).window(3, shift=4, stride=2, drop_remainder=True).flat_map(
        lambda w: w.batch(10)
    )


@pipeline
def windows_apart():
    return D.range(14).window(2, shift=5).flat_map(lambda w: w.batch(10))


@pipeline
def windows_errors():
    return D.range(14).map(lambda x: fail_at(x, 4, 11)).window(3, shift=2).flat_map(
        lambda w: w.batch(10)
    )


@pipeline
def windows_of_pairs():
    d = D.zip((D.range(7), D.range(7).map(lambda x: x * x))).window(3, drop_remainder=True)
    return d.flat_map(lambda a, b: D.zip((a.batch(3), b.batch(3))))


@pipeline
def scan_sum():
    return D.range(9).scan(tf.constant(100, tf.int64), lambda s, x: (s + x, (s, x)))


@pipeline
def scan_errors():
    return D.range(9).scan(tf.constant(0, tf.int64), lambda s, x: (s + fail_at(x, 3), s))


@pipeline
def take_while():
    return D.range(20).take_while(lambda x: x * x < 50)


@pipeline
def assert_cardinality_right():
    return D.range(4).apply(tf.data.experimental.assert_cardinality(4))


@pipeline
def ignore_errors():
    return D.range(12).map(lambda x: fail_at(x, 0, 4, 5, 11)).ignore_errors()


@pipeline
def choose():
    inputs = [D.range(3), D.range(10, 20), D.range(0)]
    numbers = D.from_tensor_slices(tf.constant([0, 1, 1, 0, 2, 0, 0, 1], tf.int64)).repeat(2)
    return D.choose_from_datasets(inputs, numbers, stop_on_empty_dataset=False)


@pipeline
def choose_until_empty():
    inputs = [D.range(3), D.range(10, 20)]
    return D.choose_from_datasets(inputs, D.range(2).repeat())


@pipeline
def unique():
    return D.from_tensor_slices([b"a", b"b", b"a", b"", b"c", b"", b"b"]).unique()


@pipeline
def rebatch():
    return D.range(17).batch(5).rebatch([2, 3, 1])


@pipeline
def rebatch_unequal():
    """Slices of two shapes, of which a batch of two would have both."""
    return D.range(4).map(lambda x: tf.fill([3, 1 + x // 2], x)).rebatch([4, 5])


@pipeline
def rebatch_drop():
    return D.range(11).batch(3).rebatch(4, drop_remainder=True)


def over(op, dataset, *arguments, shapes=None, **named):
    """A dataset made by the op `op`, which the Python library does not call."""
    types = tf.data.experimental.get_structure(dataset)
    shapes = shapes or [None]
    variant = op(
        dataset._variant_tensor, *arguments, output_types=[types.dtype], output_shapes=shapes, **named
    )
    spec = tf.TensorSpec(shapes[0], types.dtype)
    return dataset_ops._VariantDataset(variant, spec)


@pipeline
def rebatch_for_replicas():
    batches = D.range(17).batch(5)
    return over(experimental_ops.rebatch_dataset, batches, num_replicas=np.int64(3), shapes=[[None]])


@pipeline
def rebatch_for_more_replicas_than_rows():
    batches = D.range(5).batch(2)
    return over(experimental_ops.rebatch_dataset, batches, num_replicas=np.int64(4), shapes=[[None]])


@pipeline
def rebatch_for_replicas_of_scalars():
    return over(experimental_ops.rebatch_dataset, D.range(5), num_replicas=np.int64(2), shapes=[[None]])


@pipeline
def sampling():
    return over(
        experimental_ops.sampling_dataset, D.range(200), np.float32(0.3), np.int64(5), np.int64(7), shapes=[[]]
    )


@pipeline
def sampling_all_and_none():
    some = [
        over(experimental_ops.sampling_dataset, D.range(20), np.float32(rate), np.int64(1), np.int64(2), shapes=[[]])
        for rate in [1.0, 0.0]
    ]
    return some[0].concatenate(some[1])


@pipeline
def skip_behind_map():
    return D.range(12).map(lambda x: fail_at(x, 2, 9)).skip(5)


@pipeline
def enumerate_from():
    return D.from_tensor_slices([5, 6, 7]).enumerate(start=3)


@pipeline
def zip_errors():
    return D.zip((D.range(8), D.range(6).map(lambda x: fail_at(x, 2, 3)), D.range(9)))


@pipeline
def cache_errors():
    return D.range(6).map(lambda x: fail_at(x, 2)).cache()


@pipeline
def repeat_errors():
    return D.range(4).map(lambda x: fail_at(x, 2)).repeat(2)


@pipeline
def reduce_in_map():
    return D.range(6).map(lambda x: D.range(x).reduce(tf.constant(0, tf.int64), lambda s, y: s + y))


@pipeline
def single_element_in_map():
    return D.range(5).map(lambda x: D.range(x).batch(10).take(1).get_single_element())


@pipeline
def cardinality_in_map():
    return D.range(5).map(lambda x: D.range(x).batch(2).cardinality())


@pipeline
def from_list():
    return tf.data.experimental.from_list([(1, b"a"), (2, b"b"), (3, b"c")])


@pipeline
def options_kept():
    options = tf.data.Options()
    options.deterministic = True
    return D.range(6).map(lambda x: x + 1, num_parallel_calls=2).with_options(options)


def file(name):
    return str(FILES / name)


@pipeline
def text_lines():
    return tf.data.TextLineDataset([file("a.txt"), file("empty.txt"), file("b.txt")])


@pipeline
def text_lines_gzip():
    return tf.data.TextLineDataset(file("c.txt.gz"), compression_type="GZIP")


@pipeline
def text_lines_zlib():
    return tf.data.TextLineDataset(file("c.txt.zlib"), compression_type="ZLIB")


@pipeline
def tfrecords():
    return tf.data.TFRecordDataset([file("a.tfrecord")] * 2)


@pipeline
def tfrecords_gzip():
    return tf.data.TFRecordDataset(file("a.tfrecordGZIP"), compression_type="GZIP")


@pipeline
def tfrecords_zlib():
    return tf.data.TFRecordDataset(file("a.tfrecordZLIB"), compression_type="ZLIB")


@pipeline
def tfrecords_broken():
    names = ["truncated.tfrecord", "a.tfrecord", "corrupt.tfrecord", "a.tfrecord"]
    return tf.data.TFRecordDataset([file(name) for name in names])


@pipeline
def tfrecords_interleaved():
    names = [file("a.tfrecord"), file("corrupt.tfrecord"), file("a.tfrecord")]
    return D.from_tensor_slices(names).interleave(
        tf.data.TFRecordDataset, cycle_length=2, block_length=3, num_parallel_calls=2
    )


@pipeline
def fixed_length():
    return tf.data.FixedLengthRecordDataset(
        file("fixed.bin"), record_bytes=5, header_bytes=4, footer_bytes=5
    )


@pipeline
def fixed_length_gzip():
    return tf.data.FixedLengthRecordDataset(
        file("fixed.bin.gz"), 5, header_bytes=4, footer_bytes=5, compression_type="GZIP"
    )


def sql(query, *types):
    return tf.data.experimental.SqlDataset("sqlite", file("people.sqlite"), query, types)


@pipeline
def sql_strings():
    return sql("SELECT id, name, height, photo, any FROM people ORDER BY id", *[tf.string] * 5)


@pipeline
def sql_numbers():
    types = [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool, tf.float64]
    return sql("SELECT any, any, any, any, any, any, any, any FROM people ORDER BY id", *types)


@pipeline
def sql_large_integers():
    types = [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool]
    return sql("SELECT id * 1000003 * 257, id << 14, id << 40, -id, -id, -id, id - 1 FROM people", *types)


@pipeline
def sql_aggregates():
    return sql("SELECT count(*), max(height), group_concat(name) FROM people", tf.int32, tf.float64, tf.string)


@pipeline
def sql_without_rows():
    return sql("SELECT id FROM people WHERE id > 100", tf.int64)


@pipeline
def sql_batched():
    return sql("SELECT id, name FROM people ORDER BY id DESC", tf.int64, tf.string).repeat(2).batch(4)


@pipeline
def sqlite_rows():
    rows = sql(
        "SELECT name, height, id, id % 2, id + 1 FROM people ORDER BY id",
        tf.string, tf.float64, tf.int32, tf.bool, tf.int64,
    )  # fmt: skip
    names = ["name", "height", "id", "odd", "after"]
    return rows.map(lambda *row: dict(zip(names, row)))


@pipeline
def sql_of_the_old_name():
    return dataset_ops._VariantDataset(
        experimental_ops.experimental_sql_dataset(
            "sqlite", file("people.sqlite"), "SELECT id FROM people", output_types=[tf.int64], output_shapes=[[]]
        ),
        tf.TensorSpec([], tf.int64),
    )


@pipeline
def matching_files():
    from tensorflow.python.data.experimental.ops import matching_files as matching

    return matching.MatchingFilesDataset([file("?.txt"), file("a.tf*")])


@pipeline
def random_in_map_repeated():
    return D.range(3).map(lambda x: tf.random.uniform([], seed=5)).repeat(2)


@pipeline
def sample_from():
    return D.sample_from_datasets(
        [D.range(8), D.range(100, 108)], weights=[0.3, 0.7], seed=4, stop_on_empty_dataset=True
    )


@pipeline
def random_in_flat_map():
    return D.range(3).flat_map(
        lambda x: D.range(2).map(lambda y: tf.random.uniform([], maxval=100, seed=5, dtype=tf.int32))
    )


@pipeline
def random_in_parallel_map():
    return D.range(5).map(
        lambda x: tf.random.uniform([], maxval=100, seed=5, dtype=tf.int64) + x,
        num_parallel_calls=1,
    )


@pipeline
def interleave_parallel_errors():
    return D.range(7).map(lambda x: fail_at(x, 5)).interleave(
        lambda x: D.range(fail_at(x, 2)).map(lambda y: fail_at(x * 10 + y, 31, 40)),
        cycle_length=2,
        block_length=2,
        num_parallel_calls=2,
    )


@pipeline
def interleave_outer_errors():
    return D.range(7).map(lambda x: fail_at(x, 1, 5)).interleave(
        lambda x: D.range(x), cycle_length=3, block_length=2
    )


@pipeline
def interleave_of_one():
    return D.range(4).interleave(lambda x: D.range(x, x + 3), cycle_length=1, block_length=2)


def ragged_parts(x):
    """A ragged tensor as dense tensors, which a line can hold."""
    return (x.flat_values, *x.nested_row_splits)


def sparse_parts(x):
    return x.indices, x.values, x.dense_shape


WORDS = tf.ragged.constant([["a", "bb"], [], ["c"], ["d", "e", "f"], ["g"], [], ["h"]])
DEEP = tf.ragged.constant([[[1, 2], [3]], [], [[], [4, 5, 6]], [[7]], [[8], [], [9]]])


@pipeline
def ragged_slices():
    return D.from_tensor_slices(WORDS).map(lambda x: (x, tf.size(x)))


@pipeline
def ragged_deep_slices():
    return D.from_tensor_slices((DEEP, tf.range(5))).map(lambda x, i: (*ragged_parts(x), i))


@pipeline
def ragged_slices_batched():
    return D.from_tensor_slices(WORDS).ragged_batch(3).map(ragged_parts)


@pipeline
def ragged_batch_drop():
    d = D.range(8).map(lambda x: tf.range(x % 4)).ragged_batch(3, drop_remainder=True)
    return d.map(lambda x: (*ragged_parts(x), x.to_tensor(-1)))


@pipeline
def ragged_batch_of_batches():
    d = D.range(10).map(lambda x: tf.fill([x % 3, 2], x)).ragged_batch(2).ragged_batch(2)
    return d.map(ragged_parts)


@pipeline
def ragged_dense_to_ragged_batch():
    d = D.range(7).map(lambda x: (tf.range(x % 3), x))
    d = d.apply(tf.data.experimental.dense_to_ragged_batch(4))
    return d.map(lambda x, y: (x.to_tensor(9), x.row_lengths(), y))


@pipeline
def ragged_unbatched():
    d = D.from_tensors((DEEP, tf.range(5))).repeat(2).unbatch()
    return d.map(lambda x, i: (*ragged_parts(x), i))


@pipeline
def ragged_shuffled_and_mapped():
    d = D.from_tensor_slices(DEEP).shuffle(3, seed=7).map(lambda x: x * 10, num_parallel_calls=2)
    return d.batch(2).prefetch(1).cache().repeat(2).map(ragged_parts)


@pipeline
def ragged_filtered():
    d = D.from_tensor_slices(DEEP).filter(lambda x: x.nrows() > 0)
    return d.map(lambda x: (tf.reduce_sum(x), *ragged_parts(tf.concat([x, x], axis=0))))


@pipeline
def ragged_errors():
    d = D.range(6).map(lambda x: tf.ragged.range([fail_at(x, 2), 1])).batch(2)
    return d.map(ragged_parts)


@pipeline
def ragged_buckets():
    d = D.from_tensor_slices(WORDS).map(lambda x: (x, tf.strings.length(x)))
    d = d.bucket_by_sequence_length(lambda x, y: tf.size(y), [1, 2], [2, 2, 2])
    return d


@pipeline
def ragged_windows():
    d = D.from_tensor_slices(DEEP).window(2, shift=1).flat_map(lambda w: w.batch(2))
    return d.map(ragged_parts)


@pipeline
def ragged_split_words():
    d = D.from_tensor_slices(["a bc", "", "d e f", "g"]).batch(3)
    d = d.map(lambda s: tf.strings.split(s)).unbatch().map(lambda s: tf.strings.upper(s))
    return d.padded_batch(2, padding_values="_")


def some_sparse():
    indices = [[0, 1], [0, 3], [2, 0], [3, 2], [3, 3]]
    return tf.sparse.SparseTensor(indices, [1.0, 2.0, 3.0, 4.0, 5.0], [5, 4])


@pipeline
def sparse_slices():
    return D.from_tensor_slices(some_sparse()).map(sparse_parts)


@pipeline
def sparse_batched():
    d = D.from_tensor_slices((some_sparse(), tf.range(5))).batch(2)
    return d.map(lambda x, i: (tf.sparse.to_dense(x), *sparse_parts(x), i))


@pipeline
def sparse_unbatched():
    d = D.from_tensors(some_sparse()).repeat(2).unbatch()
    return d.map(lambda x: (tf.sparse.to_dense(x, -1.0), tf.sparse.reduce_sum(x)))


@pipeline
def sparse_mapped():
    d = D.range(6).map(
        lambda x: tf.sparse.SparseTensor([[x % 2, 0], [x % 2, x + 1]], [x, -x], [2, 7])
    )
    d = d.shuffle(3, seed=1).batch(2).prefetch(1)
    return d.map(lambda x: (tf.sparse.to_dense(x), x.dense_shape))


@pipeline
def sparse_of_examples():
    def example(x):
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=range(x)))
        return tf.train.Example(features=tf.train.Features(feature={"v": feature})).SerializeToString()

    d = D.from_tensor_slices([example(x) for x in [2, 0, 3, 1, 4]])
    d = d.map(lambda s: tf.io.parse_single_example(s, {"v": tf.io.VarLenFeature(tf.int64)})["v"])
    return d.batch(2).map(lambda x: (tf.sparse.to_dense(x), *sparse_parts(x)))


@pipeline
def dense_to_sparse_batches():
    d = D.range(8).map(lambda x: tf.range(x % 4))
    d = d.apply(tf.data.experimental.dense_to_sparse_batch(3, [5]))
    return d.map(sparse_parts)


@pipeline
def dense_to_sparse_batches_of_any_width():
    d = D.range(1, 7).map(lambda x: tf.fill([x % 3, 2], tf.strings.as_string(x)))
    d = d.apply(tf.data.experimental.dense_to_sparse_batch(4, [None, 3]))
    return d.map(sparse_parts)


@pipeline
def dense_to_sparse_batches_errors():
    d = D.range(8).map(lambda x: tf.range(fail_at(x, 6)))
    d = d.apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))
    return d.map(sparse_parts)


@pipeline
def assert_in_map():
    def check(x):
        tf.debugging.assert_less(x, tf.constant(13, x.dtype), message="too large")
        return x * x

    return D.range(20).map(check).map(lambda x: x + 1)


@pipeline
def assert_without_output():
    def check(x):
        tf.debugging.Assert(tf.not_equal(x % 7, 3), [x, "is bad"])
        return tf.range(x % 3)

    return D.range(20).map(check)


@pipeline
def check_numerics_in_map():
    d = D.range(-6, 9).map(lambda x: 1 / x)
    return d.map(lambda x: tf.debugging.check_numerics(x, "one over x"))


def words():
    return D.from_tensor_slices([["a", "b"], ["", "c"], ["zz", "a"], ["b", "q"]]).repeat(3)


@pipeline
def table_of_tensors():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b", "c", ""], tf.constant([5, 6, 7, 8], tf.int64)),
        default_value=-1,
    )
    return words().map(lambda w: (table.lookup(w), table.size()))


@pipeline
def table_of_text_file():
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(
            file("vocabulary.txt"),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        num_oov_buckets=3,
    )
    return words().map(table.lookup)


@pipeline
def table_of_columns():
    table = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            file("columns.txt"), tf.int64, 1, tf.float32, 2, delimiter=","
        ),
        default_value=0.5,
    )
    return D.range(8).batch(3).map(lambda x: table.lookup(x))


@pipeline
def table_used_twice():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.range(4), ["p", "q", "r", "s"]), default_value="none"
    )
    back = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["p", "q", "none"], [0.5, 1.5, -1.0]), default_value=9.0
    )
    d = D.range(9).map(lambda x: table.lookup(tf.cast(x, tf.int32)))
    return d.filter(lambda s: back.lookup(s) < 2).map(lambda s: (s, back.lookup(s)))


@pipeline
def table_in_parallel_map():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1
    )
    return words().map(table.lookup, num_parallel_calls=2).batch(2).prefetch(1)


@pipeline
def table_that_changes():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a"], [tf.constant(40, tf.int64)])

    def count(word):
        seen = table.lookup(word)
        table.insert(word, seen + 1)
        return seen, table.size()

    return words().map(count).map(lambda seen, size: (seen, size, table.lookup("a")))


@pipeline
def table_that_shrinks():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    table.insert(tf.range(12, dtype=tf.int64), tf.range(12.0))

    def take(x):
        table.remove(tf.stack([x, x + 5]))
        return table.lookup(tf.range(12, dtype=tf.int64)), table.size()

    return D.range(9).map(take)


@pipeline
def variable_read():
    v = tf.Variable([1.5, 2.5, -3.0])
    w = tf.Variable(7, dtype=tf.int64)
    return D.range(10).map(lambda x: (tf.gather(v, x % 3), w + x, v.read_value()))


@pipeline
def variable_updated():
    v = tf.Variable([10.0, 20.0])
    w = tf.Variable(5, dtype=tf.int64)

    def update(x):
        v.assign_add([0.5, -1.0])
        w.assign_sub(x)
        return v.read_value(), w.read_value()

    return D.range(7).map(update)


@pipeline
def variable_shared_by_maps():
    v = tf.Variable(0, dtype=tf.int64)
    d = D.range(8).map(lambda x: v.assign_add(x))
    return d.batch(2).map(lambda x: (x, v.read_value())).repeat(2)


@pipeline
def variable_read_before_update():
    v = tf.Variable(0, dtype=tf.int64)
    return D.range(8).map(lambda x: x + v).map(lambda x: (x, v.assign(x)))


@pipeline
def variable_in_filter():
    v = tf.Variable(0, dtype=tf.int64)
    return D.range(20).filter(lambda x: v.assign_add(1) % 3 != 0)


@pipeline
def generator_in_map():
    g = tf.random.Generator.from_seed(1234)

    def draw(x):
        return (
            g.uniform([2]),
            g.normal([3], dtype=tf.float64),
            g.truncated_normal([2, 2]),
            g.uniform([], 5, 90, tf.int64),
            g.uniform_full_int([3], tf.uint32),
            g.make_seeds(2),
        )

    return D.range(5).map(draw).repeat(2)


@pipeline
def generator_split():
    g = tf.random.Generator.from_key_counter(99, [3, 4], "philox")
    d = D.range(4).map(lambda x: g.uniform([], 0, 10, tf.int32))
    return d.flat_map(lambda n: D.range(2).map(lambda y: (n, g.normal([]))))


@pipeline
def generator_ops():
    v = tf.Variable(tf.constant([1, 2, 3], tf.int64))
    algorithm = tf.constant(1, tf.int64)
    r = tf.raw_ops

    def draw(x):
        n = {"resource": v.handle, "algorithm": algorithm, "shape": [2]}
        first = r.StatefulUniform(**n)
        second = r.StatefulStandardNormalV2(**n, dtype=tf.float64)
        third = r.StatefulTruncatedNormal(**n, dtype=tf.float16)
        r.RngSkip(resource=v.handle, algorithm=algorithm, delta=x)
        fourth = r.StatefulUniformFullInt(**n, dtype=tf.uint64)
        fifth = r.StatefulUniformInt(**n, minval=tf.constant(-3), maxval=tf.constant(9))
        return first, second, third, fourth, fifth, v.read_value()

    return D.range(5).map(draw)


@pipeline
def arrays_in_loops():
    def loop(x):
        n = tf.cast(x, tf.int32) + 1
        squares = tf.TensorArray(tf.int64, size=n, element_shape=[2])

        def body(i, squares):
            j = tf.cast(i, tf.int64)
            return i + 1, squares.write(i, tf.stack([j, j * x]))

        _, squares = tf.while_loop(lambda i, _: i < n, body, [0, squares])
        return squares.stack(), squares.gather([0, n - 1]), squares.size()

    return D.range(40).map(loop)


@pipeline
def arrays_that_grow():
    def collatz(x):
        steps = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        i = 0
        while x > 1:
            steps = steps.write(i, x)
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            i += 1
        return steps.stack()

    return D.range(1, 12).map(collatz)


@pipeline
def arrays_of_ragged_items():
    def parts(x):
        items = tf.TensorArray(tf.string, size=3, infer_shape=False)
        for i in tf.range(3):
            items = items.write(i, tf.fill([i + tf.cast(x % 2, tf.int32)], tf.strings.as_string(x)))
        return items.concat(), items.read(1)

    return D.range(5).map(parts)


@pipeline
def map_fn_in_map():
    def each(x):
        return tf.map_fn(lambda y: (y * 2, tf.cast(y, tf.float32) / 3), tf.range(x), (tf.int64, tf.float32))

    return D.range(6).map(each)


@pipeline
def scan_in_map():
    return D.range(1, 7).map(lambda x: tf.scan(lambda a, y: a * 10 + y, tf.range(1, x + 1)))


@pipeline
def arrays_with_errors():
    def loop(x):
        array = tf.TensorArray(tf.int64, size=4)
        for i in tf.range(x):
            array = array.write(tf.cast(i, tf.int32), i)
        return array.stack()

    return D.range(8).map(loop)


@pipeline
def read_files():
    names = [file("b.txt"), file("empty.txt"), file("missing.txt"), file("a.txt")]
    return D.from_tensor_slices(names).map(tf.io.read_file)


@pipeline
def match_files_in_map():
    patterns = [file("?.txt"), file("a.tf*"), file("nothing*")]
    return D.from_tensor_slices(patterns).map(tf.io.matching_files)


def write_sqlite_file():
    """Writes a table with values of all of SQLite's types; only once, for each version of SQLite writes others."""
    path = FILES / "people.sqlite"
    if path.exists():
        return
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, height REAL, photo BLOB, any)")
        rows = [
            ("Ada", 1.65, b"\x00\xff", 7),
            ("Gr\u00fcn", -0.0, b"", "12abc"),
            (None, None, None, None),
            ("", 1e300, bytes(70_000), -(2**63)),
            ("no number", 2, b"text", 3.99),
            ("300", 0.1, b"-5", "1e3"),
        ]
        database.executemany("INSERT INTO people (name, height, photo, any) VALUES (?, ?, ?, ?)", rows)
    database.close()


def write_csv_files():
    files = {
        "plain.csv": "a,b,c\n1,2.5,x\n3,,y\r\n,4.5,\n5,6,\"q\"\"uo,t\ned\"\r7,8,last",
        "na.csv": "1;NA;x\n\nNA;2;\"NA\"\n3;4;NA\n",
        "wide.csv": "0,1,2,3,4\n10,11,12,13,14\n20,21,22,23,\n",
        "bad.csv": (
            "1,2\nx,3\n4\n5,6,7\n8,9\n10,\"a\"b\"\n11,a\"b\n12,13\n1e3,14\n15,99999999999\n"
            "16,\"17\"\n18,\"19"
        ),
        "empty.csv": "",
        "header_only.csv": "a,b\n",
    }
    for name, text in files.items():
        (FILES / name).write_bytes(text.encode())
    (FILES / "plain.csv.gz").write_bytes(gzip.compress(files["plain.csv"].encode(), mtime=0))
    (FILES / "plain.csv.zlib").write_bytes(zlib.compress(files["plain.csv"].encode()))


def write_images():
    images = np.arange(3 * 6 * 7 * 3).reshape(3, 6, 7, 3).astype(np.uint8)
    for name in ["rose", "tulip"]:
        (FILES / "flowers" / name).mkdir(parents=True, exist_ok=True)
    contents = {
        "rose/b.PNG": tf.io.encode_png(images[0]),
        "rose/a.jpg": tf.io.encode_jpeg(images[1], quality=90),
        "tulip/c.png": tf.io.encode_png(images[2, :4, :, :1]),
    }
    for name, encoded in contents.items():
        (FILES / "flowers" / name).write_bytes(encoded.numpy())
    (FILES / "flowers" / "tulip" / "notes.txt").write_text("no image")


@pipeline
def images_in_folders():
    names = D.from_tensor_slices(
        [file("flowers/" + name) for name in ["rose/a.jpg", "rose/b.PNG", "tulip/c.png"]]
    )

    def load(path):
        image = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
        folder = tf.strings.split(path, "/")[-2]
        label = tf.argmax(tf.cast(tf.equal(folder, ["rose", "tulip"]), tf.int32))
        return {"image": tf.image.resize(image, (4, 5)), "label": label, "path": path}

    return names.map(load)


@pipeline
def files_of_lines():
    return D.list_files(file("[ab].txt"), shuffle=False).interleave(
        tf.data.TextLineDataset, cycle_length=4, block_length=16, num_parallel_calls=AUTOTUNE
    )


@pipeline
def files_of_fixed_length():
    return D.list_files(file("fixed.bin.*"), shuffle=False).interleave(
        lambda name: tf.data.FixedLengthRecordDataset(name, 5, 4, 5, compression_type="GZIP"),
        cycle_length=4,
        block_length=16,
        num_parallel_calls=AUTOTUNE,
    )


def csv(names, defaults, **options):
    return tf.data.experimental.CsvDataset([file(name) for name in names], defaults, **options)


@pipeline
def csv_with_header():
    return csv(["plain.csv", "plain.csv"], [tf.int32, 0.5, "none"], header=True)


@pipeline
def csv_missing_is_an_error():
    return csv(["plain.csv"], [tf.int32, tf.float32, tf.string], header=True)


@pipeline
def csv_compressed():
    kinds = [("plain.csv.gz", "GZIP"), ("plain.csv.zlib", "ZLIB")]
    datasets = [
        csv([name], [[-1], [0.5], ["none"]], header=True, compression_type=kind)
        for name, kind in kinds
    ]
    return datasets[0].concatenate(datasets[1])


@pipeline
def csv_defaults_and_na():
    defaults = [tf.constant([-1], tf.int64), tf.constant([0.25], tf.float64), "none"]
    return csv(["na.csv"], defaults, field_delim=";", na_value="NA")


@pipeline
def csv_selected():
    return csv(["wide.csv"], [0, "-"], select_cols=[1, 4])


@pipeline
def csv_excluded():
    return csv(["wide.csv"], [0, 0, "-"], exclude_cols=[0, 2])


@pipeline
def csv_without_quotes():
    return csv(["bad.csv"], ["-", "-"], use_quote_delim=False)


@pipeline
def csv_errors():
    return csv(["bad.csv", "wide.csv", "empty.csv", "na.csv"], [tf.int32, tf.int32])


@pipeline
def csv_errors_in_batches():
    return csv(["bad.csv"], [tf.int32, tf.int32]).batch(2).ignore_errors()


@pipeline
def csv_empty_files():
    return csv(["empty.csv", "header_only.csv", "plain.csv"], [0, 0.0, ""], header=True)


@pipeline
def csv_dataset():
    return tf.data.experimental.make_csv_dataset(
        file("wide.csv"), 2, column_names=list("abcde"), label_name="c", num_epochs=1,
        shuffle=False, header=False,
    )


def sequence_example(n):
    def ints(*v):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=v))

    lists = {"x": tf.train.FeatureList(feature=[ints(*range(i)) for i in range(n)])}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={"n": ints(n)}),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()


def parse_sequence(serialized, parser):
    return parser(
        serialized,
        {"n": tf.io.FixedLenFeature([], tf.int64)},
        {"x": tf.io.RaggedFeature(tf.int64)},
    )[:2]


@pipeline
def sequence_examples():
    d = D.from_tensor_slices([sequence_example(n) for n in [2, 0, 3, 1]])
    d = d.map(lambda s: parse_sequence(s, tf.io.parse_single_sequence_example))
    return d.map(lambda c, s: (c["n"], *ragged_parts(s["x"])))


@pipeline
def sequence_examples_batched():
    d = D.from_tensor_slices([sequence_example(n) for n in [2, 0, 3, 1]]).batch(3)
    d = d.map(lambda s: parse_sequence(s, tf.io.parse_sequence_example))
    return d.map(lambda c, s: (c["n"], *ragged_parts(s["x"]), s["x"].to_tensor(-1)))


def example_of_some(n):
    def ints(*v):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=v))

    features = {
        "v": ints(*range(n)),
        "n": tf.train.Feature(float_list=tf.train.FloatList(value=[n])),
        "a": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x%d" % n] * n)),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def parsed_examples(dataset, **options):
    features = {
        "v": tf.io.VarLenFeature(tf.int64),
        "n": tf.io.FixedLenFeature([], tf.float32),
        "missing": tf.io.FixedLenFeature([2], tf.int64, [7, 8]),
        "a": tf.io.RaggedFeature(tf.string),
    }
    d = dataset.apply(tf.data.experimental.parse_example_dataset(features, **options))
    return d.map(lambda x: (x["n"], x["missing"], *sparse_parts(x["v"]), *ragged_parts(x["a"])))


@pipeline
def parse_example_dataset():
    d = D.from_tensor_slices([example_of_some(n) for n in [2, 0, 3, 1]]).batch(3)
    return parsed_examples(d)


@pipeline
def parse_example_dataset_parallel_errors():
    examples = [example_of_some(n) for n in [2, 0, 3]] + [b"nonsense"] + [example_of_some(1)]
    return parsed_examples(D.from_tensor_slices(examples).batch(1), num_parallel_calls=2)


def reducer(init, reduce, finalize):
    return tf.data.experimental.Reducer(init, reduce, finalize)


@pipeline
def group_by_reducer():
    sums = reducer(lambda key: (key, np.int64(0)), lambda s, x: (s[0], s[1] + x), lambda *s: s)
    return D.range(-20, 20, 3).apply(
        tf.data.experimental.group_by_reducer(lambda x: tf.abs(x) % 4, sums)
    )


@pipeline
def group_by_reducer_with_errors():
    sums = reducer(lambda key: np.int64(0), lambda s, x: s + 12 // (x - 7), lambda s: 60 // s)
    return D.range(20).apply(tf.data.experimental.group_by_reducer(lambda x: 8 // (13 - x), sums))


@pipeline
def sparse_tensor_slices():
    sparse = tf.SparseTensor([[1, 0, 2], [1, 1, 0], [4, 0, 0], [7, 1, 1]], list("abcd"), [6, 2, 3])
    return tf.compat.v1.data.Dataset.from_sparse_tensor_slices(sparse).skip(1)


@pipeline
def sparse_tensor_slices_unordered():
    def slices(x):
        sparse = tf.SparseTensor([[x, 0], [1, 1]], [1.0, 2.0], [3, 2])
        return tf.compat.v1.data.Dataset.from_sparse_tensor_slices(sparse)

    return D.range(4).flat_map(slices)


def typed(op, dataset, spec=None, **inputs):
    """The dataset that the raw op makes of `dataset`."""
    spec = spec or dataset.element_spec
    flat = tf.nest.flatten(spec)
    variant = op(
        input_dataset=dataset._variant_tensor,
        output_types=[s.dtype for s in flat],
        output_shapes=[s.shape for s in flat],
        **inputs,
    )
    return dataset_ops._VariantDataset(variant, spec)


@pipeline
def experimental_names():
    raw = tf.raw_ops
    dataset = typed(raw.ExperimentalIgnoreErrorsDataset, D.range(12).map(lambda x: 60 // (x - 3)))
    dataset = typed(raw.ExperimentalUniqueDataset, dataset)
    dataset = typed(raw.ExperimentalLatencyStatsDataset, dataset, tag="latency")
    dataset = typed(raw.ExperimentalSleepDataset, dataset, sleep_microseconds=1)
    return typed(raw.ExperimentalUnbatchDataset, dataset.batch(4), tf.TensorSpec([], tf.int64))


@pipeline
def experimental_directed_interleave():
    inputs = [D.range(3), D.range(10, 15)]
    variant = tf.raw_ops.ExperimentalDirectedInterleaveDataset(
        selector_input_dataset=D.range(2).repeat(4)._variant_tensor,
        data_input_datasets=[d._variant_tensor for d in inputs],
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    return dataset_ops._VariantDataset(variant, tf.TensorSpec([], tf.int64))


@pipeline
def wrapped_variant():
    wrapped = tf.raw_ops.WrapDatasetVariant(input_handle=D.range(3)._variant_tensor)
    variant = tf.raw_ops.UnwrapDatasetVariant(input_handle=wrapped)
    return dataset_ops._VariantDataset(variant, tf.TensorSpec([], tf.int64))


@pipeline
def fastest_of_two():
    variant = tf.raw_ops.ChooseFastestDataset(
        input_datasets=[D.range(5)._variant_tensor] * 2,
        num_experiments=2,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    return dataset_ops._VariantDataset(variant, tf.TensorSpec([], tf.int64))


@pipeline
def table_from_dataset():
    words = D.zip((D.range(2, 6), D.from_tensor_slices(list("abcd"))))
    table = tf.data.experimental.table_from_dataset(words, default_value="-", key_dtype=tf.int64)
    return D.range(8).map(table.lookup)


@pipeline
def optionals():
    def optional(x):
        value = tf.cond(
            x % 2 == 0,
            lambda: tf.raw_ops.OptionalFromValue(components=[x]),
            lambda: tf.raw_ops.OptionalNone(),
        )
        return value, x

    def value_of(optional, x):
        return tf.cond(
            tf.raw_ops.OptionalHasValue(optional=optional),
            lambda: tf.raw_ops.OptionalGetValue(
                optional=optional, output_types=[tf.int64], output_shapes=[[]]
            )[0],
            lambda: -x,
        )

    return D.range(9).map(optional).shuffle(3, seed=4).window(2).flat_map(
        lambda o, x: D.zip((o, x)).map(value_of)
    )


@pipeline
def windows_of_dicts_and_datasets():
    dataset = D.range(9).map(lambda x: {"a": x, "b": (D.range(x), tf.strings.as_string(x))})

    def joined(window):
        ranges, texts = window["b"]
        sums = ranges.map(lambda d: d.reduce(np.int64(0), lambda s, y: s + y))
        return D.zip((window["a"], sums, texts.batch(2).repeat()))

    return dataset.window(4, shift=3).flat_map(joined)


def shuffled(dataset, seed, **options):
    return global_shuffle_op._global_shuffle(dataset, seed=seed, **options)


@pipeline
def global_shuffle():
    return D.zip((shuffled(D.range(50), 5), shuffled(D.range(3, 300, 4, output_type=tf.int32), 6)))


@pipeline
def global_shuffle_of_many():
    return shuffled(D.range(70000), 7).skip(69970)


@pipeline
def global_shuffle_of_transformations():
    numbers = D.range(5, 60).skip(3).take(40).shard(3, 1).map(lambda x: x * 2)
    words = D.from_tensor_slices(list("abcde")).concatenate(D.from_tensor_slices(["f", "g"]))
    batches = D.range(50).repeat(2).batch(9, drop_remainder=True).prefetch(2)
    return shuffled(D.zip((numbers, words, batches)), 8, reshuffle_each_iteration=False)


@pipeline
def global_shuffle_of_concatenated_errors():
    quotients = D.range(20).map(lambda x: 100 // (x % 7))
    both = shuffled(quotients.concatenate(D.range(100, 130)).concatenate(quotients), 9)
    return both.batch(4).unbatch()


@pipeline
def global_shuffle_repeated():
    return shuffled(shuffled(D.range(7), 3), 4).repeat(3)


@pipeline
def index_shuffle():
    files = [
        {"path": "a", "num_elements": 20},
        {"path": "b", "num_elements": 10, "skip": 2, "take": 5},
    ]
    return shuffle_ops.index_shuffle(
        files,
        lambda _: D.range(30).map(lambda x: x * 10),
        seed=11,
        reshuffle_each_iteration=True,
    ).repeat(2)


@pipeline
def element_at_index():
    numbers = D.range(2).concatenate(D.range(50, 55)).skip(1).take(5)
    return D.range(5).map(lambda i: random_access.at(numbers, i))


@pipeline
def element_at_index_out_of_range():
    return D.range(8, 12).map(lambda i: random_access.at(D.range(10), i))


@pipeline
def element_at_index_refused():
    return D.range(2).map(lambda i: random_access.at(D.range(9).filter(lambda x: x > 2), i))


SAVED = FILES / "saved"
BYTES = [b"", b"a", b"bc" * 40]


def saved(name):
    return str(SAVED / name)


def saved_elements():
    """Elements of several components, nested, of shapes that differ."""
    return D.range(12).map(
        lambda x: {
            "scalar": x,
            "pair": (tf.fill([x % 3], tf.cast(x, tf.float32)), tf.gather(BYTES, x % 3)),
            "flag": x % 2 == 0,
        }
    )


def variant_elements():
    ragged = tf.RaggedTensor.from_row_lengths(tf.range(10), [0, 3, 1, 6])
    sparse = tf.sparse.from_dense([[0, 1], [2, 0], [0, 0], [3, 4]])
    return D.from_tensor_slices((ragged, sparse)).batch(2)


def write_saved():
    """Lets stock TensorFlow save datasets, once: the names of runs are random.

    It can't read all of it again, so SavedDatasetsTest reads `large` and `chunks`."""
    if SAVED.exists():
        return
    for compression in ["NONE", "GZIP", "SNAPPY"]:
        saved_elements().save(saved(compression), compression=compression)
    D.range(30).save(saved("shards"), shard_func=lambda x: x % 4)
    D.range(3).map(lambda x: tf.fill([200_000], x)).save(saved("large"), compression="SNAPPY")
    D.range(0).save(saved("empty"))
    keep_empty_folders(SAVED / "empty")
    variant_elements().save(saved("variants"))
    list(random_snapshot())
    list(saved_elements().cache(saved("cache")))
    list(variant_elements().cache(saved("cache_of_variants")))
    write_in_parts(D.range(12).cache(saved("cache_in_parts")))
    write_in_parts(save_op._SaveDataset(D.range(12), saved("chunks"), None, "GZIP"))
    write_distributed_snapshot()


def keep_empty_folders(root):
    """Git keeps no empty folder, and the run of an empty dataset is one."""
    for folder in root.iterdir():
        if folder.is_dir():
            (folder / ".gitkeep").touch()


def write_in_parts(dataset):
    """Reads `dataset` and saves its iterator in the middle: what it writes is then in several files."""
    iterator = iter(dataset)
    with tempfile.TemporaryDirectory() as checkpoints:
        for _ in range(5):
            next(iterator)
        tf.train.Checkpoint(iterator=iterator).write(checkpoints + "/checkpoint")
    list(iterator)


def random_snapshot():
    return D.random(seed=7).take(10).snapshot(saved("snapshot"))


def write_distributed_snapshot():
    service = tf.data.experimental.service
    with tempfile.TemporaryDirectory() as work:
        dispatcher = service.DispatchServer(
            service.DispatcherConfig(work_dir=work, fault_tolerant_mode=True)
        )
        address = dispatcher.target.split("://")[1]
        worker = service.WorkerServer(
            service.WorkerConfig(dispatcher_address=address, heartbeat_interval_ms=100)
        )
        path = saved("distributed")
        tf.data.experimental.distributed_save(saved_elements(), path, address)
        while not (SAVED / "distributed" / "DONE").exists():
            time.sleep(0.1)
        (SAVED / "distributed" / "dataset_def.proto").unlink()  # binary, and not read again
        worker._stop()
        dispatcher._stop()


@pipeline
def load_uncompressed():
    return D.load(saved("NONE"), compression="NONE")


@pipeline
def load_gzip():
    return D.load(saved("GZIP"), compression="GZIP")


@pipeline
def load_snappy():
    return D.load(saved("SNAPPY"), compression="SNAPPY").repeat(2)


@pipeline
def load_shards():
    return D.load(saved("shards"))


@pipeline
def load_shards_in_order():
    return D.load(saved("shards"), reader_func=lambda shards: shards.flat_map(lambda x: x))


@pipeline
def load_nothing():
    return D.load(saved("empty"))


@pipeline
def load_variants():
    return D.load(saved("variants")).map(
        lambda ragged, sparse: (ragged.to_tensor(), tf.sparse.to_dense(sparse))
    )


@pipeline
def load_distributed():
    return D.load(saved("distributed"))


@pipeline
def snapshot_that_is_there():
    return random_snapshot()


@pipeline
def cache_file_that_is_there():
    return saved_elements().filter(lambda _: False).cache(saved("cache"))


@pipeline
def cache_file_of_variants():
    return (
        variant_elements()
        .cache(saved("cache_of_variants"))
        .map(lambda ragged, sparse: (ragged.to_tensor(), tf.sparse.to_dense(sparse)))
    )


@pipeline
def cache_file_in_parts():
    return D.range(3).cache(saved("cache_in_parts"))


def sliding(dataset, size, shift, stride, drop_remainder):
    variant = experimental_ops.sliding_window_dataset(
        dataset._variant_tensor, size, shift, stride, drop_remainder=drop_remainder, **dataset.batch(2)._flat_structure
    )
    return dataset_ops._VariantDataset(variant, dataset.batch(2).element_spec)


@pipeline
def sliding_window():
    windows = sliding(D.range(11), 3, 2, 2, True).map(lambda w: (w, tf.size(w)))
    rest = sliding(D.from_tensor_slices(list("abcde")), 3, 4, 1, False).map(lambda w: (tf.cast(tf.strings.length(w), tf.int64), tf.size(w)))
    return windows.concatenate(rest)


@pipeline
def sliding_window_of_failures():
    return sliding(D.range(9).map(lambda x: 12 // (x - 4)), 2, 3, 1, False)


@pipeline
def sliding_window_of_shapes():
    return sliding(D.range(5).map(lambda x: tf.fill([x // 2], x)), 2, 1, 1, True)


def weighted(inputs, weights):
    variant = experimental_ops.weighted_flat_map_dataset(
        [d._variant_tensor for d in inputs],
        [tf.constant(w, tf.float64) for w in weights],
        **inputs[0]._flat_structure,
    )
    return dataset_ops._VariantDataset(variant, inputs[0].element_spec)


@pipeline
def weighted_flat_map():
    return weighted([D.range(100), D.range(100, 200), D.range(200, 210)], [0.2, 0.3, 0.5])


def index_flat_map(dataset, function, index_function, like, cardinality):
    mapped = structured_function.StructuredFunctionWrapper(function, "index_flat_map", dataset=dataset)
    index = structured_function.StructuredFunctionWrapper(
        index_function, "index_flat_map", input_structure=tf.TensorSpec([], tf.int64)
    )
    variant = experimental_ops.index_flat_map_dataset(
        dataset._variant_tensor,
        mapped.function.captured_inputs,
        index.function.captured_inputs,
        tf.constant(cardinality, tf.int64),
        map_func=mapped.function,
        index_map_func=index.function,
        **like._flat_structure,
    )
    return dataset_ops._VariantDataset(variant, like.element_spec)


def split_words(cardinality):
    places = tf.constant([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0], [2, 1], [3, 0], [3, 0]])
    return index_flat_map(
        D.from_tensor_slices(["a b c", "d", "e f"]),
        tf.strings.split,
        lambda i: (places[i, 0], places[i, 1]),
        D.from_tensor_slices(["a"]),
        cardinality,
    )


@pipeline
def index_flat_mapped():
    return split_words(6)


@pipeline
def index_flat_mapped_shuffled():
    return shuffled(split_words(6), 13)

@pipeline
def shuffle_of_empty_rows_and_others():
    return D.range(4).map(lambda x: tf.range(x)).shuffle(3, seed=5)


@pipeline
def map_and_batch_drop_unequal():
    """The rows of the batch that is dropped are of unequal shapes: an error, as they are added to it one by one."""
    return D.range(2).apply(tf.data.experimental.map_and_batch(lambda x: tf.range(x), 3, drop_remainder=True))

"""The pipelines that record.py records. All are deterministic."""

import gzip
import pathlib
import zlib

import tensorflow as tf

D = tf.data.Dataset
ALL = {}


def pipeline(make):
    ALL[make.__name__] = make
    return make


def write_files():
    """The input files: they lie beside the records, and paths are relative to them."""
    files = pathlib.Path("files")
    files.mkdir(exist_ok=True)
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

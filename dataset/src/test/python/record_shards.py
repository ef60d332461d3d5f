"""Records stock TensorFlow's shards of datasets, for RecordedShardsTest.

    python record_shards.py [NAME...]      # with TensorFlow 2.21; writes ../resources/.../sharded

Writes for each dataset NAME.graph, the GraphDef that a client would register, and NAME.shares, the elements of the
rewritten dataset for each policy, number of workers and index: a line for each element or error.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tensorflow.python.data.experimental.ops import distribute

import pipelines
import record

D = tf.data.Dataset
OUT = pipelines.RECORDED.parent / "sharded"
HINT = tf.data.experimental.SHARD_HINT
POLICIES = [tf.data.experimental.AutoShardPolicy[name] for name in ["FILE", "DATA", "AUTO", "HINT"]]
WORKERS = [1, 2, 3, 5]
MOST = 40
ALL = {}


def case(make):
    ALL[make.__name__] = make
    return make


def names(*files):
    return D.from_tensor_slices([str(pipelines.FILES / f) for f in files])


def texts():
    return names("a.txt", "b.txt", "empty.txt", "vocabulary.txt", "columns.txt")


@case
def lines():
    return tf.data.TextLineDataset(list(texts().as_numpy_iterator()))


@case
def lines_of_names():
    return tf.data.TextLineDataset(texts()).batch(2).prefetch(1)


@case
def records():
    return tf.data.TFRecordDataset(names("a.tfrecord", "a.tfrecord", "a.tfrecord")).map(tf.strings.length)


@case
def fixed_length():
    return tf.data.FixedLengthRecordDataset(names("fixed.bin", "fixed.bin"), 5, 4, 5)


@case
def interleaved():
    d = texts().interleave(tf.data.TextLineDataset, cycle_length=2, num_parallel_calls=2)
    return d.filter(lambda line: tf.strings.length(line) > 1).repeat(2)


@case
def flat_mapped_of_flat_mapped():
    def read(name):
        return D.from_tensors(name).flat_map(lambda n: D.from_tensors(n).flat_map(tf.data.TextLineDataset))

    return texts().flat_map(read)


@case
def shuffled_names():
    return texts().shuffle(10, seed=7).interleave(tf.data.TextLineDataset, cycle_length=1)


@case
def shuffled_once():
    d = texts().shuffle(10, seed=7, reshuffle_each_iteration=False)
    return d.interleave(tf.data.TextLineDataset, cycle_length=1).repeat(2)


@case
def shuffled_names_joined():
    d = texts().shuffle(10, seed=3).map(lambda n: tf.strings.join([n, ""]))
    return d.flat_map(tf.data.TextLineDataset).shuffle(3, seed=2)


@case
def asserted():
    d = texts().flat_map(tf.data.TextLineDataset)
    return d.apply(tf.data.experimental.assert_cardinality(99)).take(8)


@case
def concatenated():
    return tf.data.TextLineDataset(texts()).concatenate(tf.data.TextLineDataset(texts().skip(1)).cache())


@case
def zipped():
    return D.zip((tf.data.TextLineDataset(texts()), texts().flat_map(tf.data.TextLineDataset)))


@case
def numbered():
    return D.range(13).map(lambda x: x * x).batch(2).prefetch(2)


@case
def numbers_flat():
    return D.range(4).flat_map(lambda x: D.range(x)).shuffle(5, seed=1)


@case
def few():
    return D.range(3)


@case
def none():
    return D.range(0)


@case
def enumerated():
    return texts().flat_map(tf.data.TextLineDataset).enumerate()


@case
def scanned():
    return texts().flat_map(tf.data.TextLineDataset).scan(0, lambda s, x: (s + 1, x))


@case
def rebatched():
    return D.range(12).batch(3).rebatch(2)


@case
def rebatched_before_map():
    return D.range(12).batch(3).rebatch(2).map(lambda x: x + 1)


@case
def hinted():
    return D.range(11).shard(HINT, HINT).map(lambda x: x + 1).batch(2)


@case
def hinted_twice():
    return D.range(20).shard(HINT, HINT).shard(HINT, HINT)


@case
def hinted_files():
    return texts().shard(HINT, HINT).flat_map(tf.data.TextLineDataset)


@case
def sharded_already():
    return D.range(11).shard(2, 1)


@case
def failing_rows():
    return D.range(7).map(lambda x: tf.debugging.check_numerics(6.0 / tf.cast(x - 3, tf.float32), ""))


def elements(make, policy, workers, index):
    """Builds a new dataset each time, since passes over one share caches and the state of shuffles."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    options.experimental_distribute.auto_shard_policy = policy
    try:
        shard = distribute._AutoShardDataset(make().with_options(options), workers, index, 1)
        iterator = iter(shard)
    except tf.errors.OpError as e:
        yield "error " + record.CODES[e.error_code]
        return
    for _ in range(MOST):
        try:
            yield record.line(next(iterator))
        except StopIteration:
            yield "end"
            return
        except tf.errors.OpError as e:
            yield "error " + record.CODES[e.error_code]


def shares(make):
    for policy in POLICIES:
        for workers in WORKERS:
            for index in range(workers):
                yield "%s %d %d" % (policy.name, workers, index)
                yield from elements(make, policy, workers, index)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    os.chdir(record.MODULE)
    for name, make in ALL.items():
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            graph = make()._as_serialized_graph(
                external_state_policy=tf.data.experimental.ExternalStatePolicy.IGNORE
            )
            (OUT / (name + ".graph")).write_bytes(graph.numpy())
            (OUT / (name + ".shares")).write_text("\n".join(shares(make)) + "\n")
            print(name)


if __name__ == "__main__":
    main()

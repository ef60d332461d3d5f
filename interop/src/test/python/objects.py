"""A stock client whose servers read and write objects in Google Cloud Storage, which it does not reach itself:

    objects.py DISPATCHER FOLDER

FOLDER is gs://..., where part-0.tfrecord and part-1.tfrecord have the records 0 to 19 and 20 to 39, and numbers.bin has
the same as texts of three bytes. Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import sys
import unittest.mock

from cases import case, fails, run

import tensorflow as tf
from tensorflow.python.data.ops import save_op
from tensorflow.python.data.experimental.ops import matching_files

service = tf.data.experimental.service
Dataset = tf.data.Dataset
TARGET, FOLDER = sys.argv[1:]
PARTS = [f"{FOLDER}/part-{i}.tfrecord" for i in range(2)]
ALL = list(range(40))
MODES = ["parallel_epochs", "distributed_epoch"]


def read(dataset, mode="parallel_epochs"):
    return [int(x) for x in dataset.apply(service.distribute(mode, TARGET)).as_numpy_iterator()]


@case
def records_are_read():
    for mode in MODES:
        found = read(Dataset.from_tensor_slices(PARTS).flat_map(tf.data.TFRecordDataset), mode)
        assert sorted(found) == ALL, found


@case
def files_are_listed():
    names = matching_files.MatchingFilesDataset(f"{FOLDER}/part-*.tfrecord")
    found = read(names.interleave(tf.data.TFRecordDataset, cycle_length=2))
    assert sorted(found) == ALL, found


@case
def records_of_a_fixed_length_are_read():
    found = read(tf.data.FixedLengthRecordDataset(f"{FOLDER}/numbers.bin", 3))
    assert found == ALL, found


@case
def a_worker_saves():
    with unittest.mock.patch.object(save_op, "gfile"):  # it reaches for the bucket itself
        saving = save_op._SaveDataset(Dataset.range(40), f"{FOLDER}/saved_by_a_worker", None, "GZIP")
    assert read(saving) == ALL


@case
def caches_and_snapshots_are_read_again():
    nothing = Dataset.range(40).filter(lambda _: False)
    assert read(Dataset.range(40).cache(f"{FOLDER}/cached")) == ALL
    assert read(nothing.cache(f"{FOLDER}/cached")) == ALL
    drawn = Dataset.random(rerandomize_each_iteration=True).take(20).snapshot(f"{FOLDER}/snapshots")
    first = read(drawn)
    assert len(first) == 20 and sorted(read(drawn)) == sorted(first)


@case
def a_file_that_is_not_there_is_named():
    missing = f"{FOLDER}/nothing.tfrecord"
    fails(tf.errors.NotFoundError, missing, lambda: read(tf.data.TFRecordDataset(missing)))


@case
def other_schemes_are_named():
    other = tf.data.TFRecordDataset("s3://bucket/records")
    fails(tf.errors.UnimplementedError, "s3://bucket/records", lambda: read(other))


if __name__ == "__main__":
    sys.exit(run())

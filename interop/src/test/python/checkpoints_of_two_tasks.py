"""A sharded Saver over two tasks: python checkpoints_of_two_tasks.py LAUNCHER FOLDER, with Headrace's launcher.

Starts two clusters of two parameter servers, Headrace's and stock. Each saves, and both restore. FOLDER is on this
host. Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import glob
import os
import sys

from cases import case, run

import numpy as np
import tensorflow as tf

import clusters

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
LAUNCHER, FOLDER = sys.argv[1:]
TASKS = "ps:0", "ps:1"
SHARDS = ".data-00000-of-00002", ".data-00001-of-00002"


def variables(seed):
    """Variables on both tasks, and one partitioned over them."""
    random = np.random.RandomState(seed)
    place = tf1.train.replica_device_setter(cluster={"ps": list(TASKS)}, worker_device="/job:ps/task:0")
    values = {"number": np.int64(seed), "row": random.rand(4).astype("f"), "text": np.array([b"a", b"%d" % seed])}
    with tf1.device(place):
        made = [tf1.get_variable(name, initializer=tf1.constant(value)) for name, value in values.items()]
        with tf1.variable_scope("", partitioner=tf1.fixed_size_partitioner(2)):
            parts = tf1.get_variable("matrix", initializer=tf1.constant(random.rand(5, 3)))
    return [*made, tf1.convert_to_tensor(parts)]


def plain(values):
    return [np.asarray(v).tolist() for v in values]


def in_a_session(cluster, seed, function):
    """The result of `function` for a session, a saver and the variables of `seed`."""
    tf1.Session.reset(cluster.target)
    with tf1.Graph().as_default():
        made = variables(seed)
        with tf1.Session(cluster.target) as session:
            return function(session, tf1.train.Saver(sharded=True), made)


def save(cluster, prefix, seed):
    def function(session, saver, made):
        session.run(tf1.global_variables_initializer())
        assert saver.save(session, prefix, write_meta_graph=False).startswith(prefix)
        return plain(session.run(made))

    return in_a_session(cluster, seed, function)


def restore(cluster, prefix):
    def function(session, saver, made):
        saver.restore(session, prefix)
        return plain(session.run(made))

    return in_a_session(cluster, 0, function)


def content(path):
    with open(path, "rb") as f:
        return f.read()


@case
def variables_are_on_both_tasks(both):
    with tf1.Graph().as_default() as graph:
        variables(1)
        placed = {o.device for o in graph.get_operations() if o.type == "VariableV2"}
    assert {d[:len("/job:ps/task:0")] for d in placed} == {"/job:ps/task:0", "/job:ps/task:1"}, placed


@case
def shards_of_either_are_restored_by_both(both):
    prefixes = {name: os.path.join(FOLDER, name) for name in both}
    values = {name: save(cluster, prefixes[name], 7) for name, cluster in both.items()}
    assert values["headrace"] == values["stock"]
    for name, prefix in prefixes.items():
        left = sorted(os.path.basename(f)[len(name):] for f in glob.glob(prefix + "*"))
        assert left == sorted([".index", *SHARDS]), left
        for reader in both.values():
            assert restore(reader, prefix) == values[name]
    for suffix in ".index", *SHARDS:
        assert content(prefixes["headrace"] + suffix) == content(prefixes["stock"] + suffix), suffix


@case
def shard_that_is_missing(both):
    outcomes = {}
    for name, cluster in both.items():
        prefix = os.path.join(FOLDER, "torn-" + name)
        save(cluster, prefix, 3)
        os.remove(prefix + SHARDS[1])
        try:
            restore(cluster, prefix)
        except tf.errors.NotFoundError as e:
            assert "torn-" + name in e.message and "00001-of-00002" in e.message, e.message
            continue
        raise AssertionError("did not fail at " + name)


def main():
    both = {
        "headrace": clusters.Cluster(clusters.headrace(LAUNCHER), TASKS), "stock": clusters.Cluster(clusters.stock, TASKS)}
    try:
        for cluster in both.values():
            cluster.await_ready()
        return run(lambda function: function(both))
    finally:
        for cluster in both.values():
            cluster.close()


sys.exit(main())

"""A stock client that saves, loads, caches and snapshots datasets on Headrace's workers:

    saved.py all DISPATCHER FOLDER       every case: what each side wrote, the other reads
    saved.py write DISPATCHER FOLDER     writes slowly and prints "reading", until its worker is killed
    saved.py killed DISPATCHER FOLDER    what the killed worker left, read by stock and by another worker
    saved.py chunks DISPATCHER FOLDER    a snapshot that a stock service wrote, divided among the workers
    saved.py unnamed DISPATCHER FOLDER   prints what a worker reads of the unnamed snapshot of the case about it
    saved.py check FOLDER                what a Java program saved in FOLDER/java; and saves FOLDER/stock for it

FOLDER is on this host, which the worker shares. Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import os
import pathlib
import subprocess
import sys
import time

from cases import CASES, case, fails, run

import numpy as np
import tensorflow as tf
from tensorflow.python.data.experimental.ops import snapshot as legacy_snapshot
from tensorflow.python.data.experimental.ops import testing
from tensorflow.python.data.ops import save_op

service = tf.data.experimental.service
Dataset = tf.data.Dataset
WAY = sys.argv[1]
TARGET = sys.argv[2] if WAY != "check" else ""
FOLDER = pathlib.Path(sys.argv[-1])
KINDS = ["NONE", "GZIP", "SNAPPY"]
LOCKED = "cache lockfile already exists"
TEXTS = [b"", b"one", b"two " * 30]


def path(name):
    return str(FOLDER / name)


def distribute(dataset, mode="parallel_epochs", **more):
    return dataset.apply(service.distribute(mode, TARGET, **more))


def elements(n=40):
    return Dataset.range(n).map(
        lambda x: {
            "scalar": x,
            "pair": (tf.fill([x % 3, 2], tf.cast(x, tf.float32)), tf.gather(TEXTS, x % 3)),
            "half": tf.cast(x, tf.bfloat16),
        }
    )


def composites():
    ragged = tf.RaggedTensor.from_row_lengths(tf.range(10), [0, 3, 1, 6])
    sparse = tf.sparse.from_dense([[0, 1], [2, 0], [0, 0], [3, 4]])
    return Dataset.from_tensor_slices((ragged, sparse)).batch(2)


def plain(dataset):
    return sorted(
        repr([(t.dtype.name, t.shape.as_list(), np.asarray(t.numpy()).tolist()) for t in flat(element)])
        for element in dataset
    )


def flat(element):
    return tf.nest.flatten(element, expand_composites=True)


def equal(found, expected):
    found, expected = plain(found), plain(expected)
    assert found == expected, (found[:3], expected[:3], len(found), len(expected))


def find(folder, ending):
    return sorted(p for p in pathlib.Path(folder).rglob("*") if p.name.endswith(ending))


def save_by_a_worker(dataset, name, compression=None, shard_func=None):
    """Saves in a pass of a worker, as checkpointed saves do in the client."""
    saving = save_op._SaveDataset(dataset, path(name), shard_func, compression)
    equal(distribute(saving), dataset)


def loads(dataset, name, compression=None, **more):
    return Dataset.load(path(name), compression=compression, **more)


@case
def stock_saves_and_a_worker_loads():
    for kind in KINDS:
        elements().save(path("stock" + kind), compression=kind)
        equal(distribute(loads(elements(), "stock" + kind, kind)), elements())


@case
def a_worker_saves_and_stock_loads():
    for kind in KINDS:
        save_by_a_worker(elements(), "ours" + kind, kind)
        equal(loads(elements(), "ours" + kind, kind), elements())


@case
def files_are_those_of_stock():
    def files(name):
        """The contents of all files of a saved dataset, with RUN for the random name of its run."""
        root = pathlib.Path(path(name))
        (run,) = [p.name for p in root.iterdir() if p.is_dir()]
        return {
            str(p.relative_to(root)).replace(run, "RUN"): p.read_bytes()
            for p in root.rglob("*")
            if p.is_file() and p.name != "snapshot.metadata"
        }

    thirds = lambda x: x % 3
    Dataset.range(9).save(path("files_stock"), shard_func=thirds)
    save_by_a_worker(Dataset.range(9), "files_ours", shard_func=thirds)
    stock, ours = files("files_stock"), files("files_ours")
    assert len(stock) == 4 and stock == ours, (stock, ours)


@case
def composites_go_both_ways():
    composites().save(path("composites_stock"), compression="SNAPPY")
    equal(distribute(loads(composites(), "composites_stock", "SNAPPY")), composites())
    save_by_a_worker(composites(), "composites_ours", "GZIP")
    equal(loads(composites(), "composites_ours", "GZIP"), composites())


@case
def large_rows_go_both_ways():
    large = Dataset.range(3).map(lambda x: tf.fill([500_000], x))
    for kind in KINDS:
        save_by_a_worker(large, "large_ours" + kind, kind)
        equal(loads(large, "large_ours" + kind, kind), large)
        large.save(path("large_stock" + kind), compression=kind)
        equal(distribute(loads(large, "large_stock" + kind, kind)), large)


@case
def empty_and_repeated_sources_go_both_ways():
    for name, dataset in [("empty", elements(0)), ("repeated", elements(7).repeat(3))]:
        save_by_a_worker(dataset, name + "_ours")
        equal(loads(dataset, name + "_ours"), dataset)
        dataset.save(path(name + "_stock"))
        equal(distribute(loads(dataset, name + "_stock")), dataset)


@case
def a_reader_function_reads_on_a_worker():
    Dataset.range(20).save(path("reader"), shard_func=lambda x: x % 2)
    in_order = lambda shards: shards.flat_map(lambda shard: shard.map(lambda x: x * 10))
    loaded = Dataset.load(path("reader"), reader_func=in_order)
    found = [int(x) for x in distribute(loaded)]
    assert found == [x * 10 for x in list(range(0, 20, 2)) + list(range(1, 20, 2))], found


@case
def a_saved_dataset_is_not_split():
    Dataset.range(20).save(path("split"))
    fails(
        tf.errors.UnimplementedError,
        "split providers",
        lambda: plain(distribute(loads(None, "split"), "distributed_epoch")),
    )


@case
def snapshots_go_both_ways():
    for kind in ["AUTO", "NONE", "GZIP", "SNAPPY"]:
        first = Dataset.random(seed=3).take(30).snapshot(path("snap_ours" + kind), compression=kind)
        written = plain(distribute(first))
        assert len(find(path("snap_ours" + kind), "snapshot.metadata")) == 1
        assert plain(first) == written and plain(distribute(first)) == written
        assert len(find(path("snap_ours" + kind), "snapshot.metadata")) == 1, "another hash"
        runs = find(path("snap_ours" + kind), ".shard")
        second = Dataset.random(seed=4).take(30).snapshot(path("snap_stock" + kind), compression=kind)
        written = plain(second)
        assert plain(distribute(second)) == written
        assert find(path("snap_ours" + kind), ".shard") == runs, "it was written again"


@case
def a_snapshot_with_functions_of_its_own_goes_both_ways():
    def make(name):
        return elements().snapshot(
            path(name),
            shard_func=lambda e: e["scalar"] % 3,
            reader_func=lambda shards: shards.flat_map(lambda x: x),
        )

    equal(distribute(make("own_ours")), elements())
    assert len(find(path("own_ours"), ".shard")) == 3
    equal(make("own_ours"), elements())
    equal(make("own_stock"), elements())
    equal(distribute(make("own_stock")), elements())


def filled(n=40):
    """Elements without empty tensors, at which stock crashes where it writes with SNAPPY."""
    return Dataset.range(n).map(
        lambda x: (x, (tf.fill([x % 3 + 1], tf.cast(x, tf.bfloat16)), tf.gather(TEXTS, x % 3)))
    )


def legacy(name, dataset, **more):
    return dataset.apply(legacy_snapshot.legacy_snapshot(path(name), snapshot_name="named", **more))


@case
def named_snapshots_of_tensorflow_1_go_both_ways():
    for kind, threads in [("", 1), ("GZIP", 3), ("SNAPPY", 2)]:
        how = {"compression": kind, "num_writer_threads": threads}
        stock, ours = "legacy_stock" + kind, "legacy_ours" + kind
        equal(legacy(stock, filled(), **how), filled())
        equal(distribute(legacy(stock, filled(0), **how)), filled())
        equal(distribute(legacy(ours, filled(), **how)), filled())
        equal(legacy(ours, filled(0), **how), filled())
        files = [len(find(path(name), ".snapshot")) for name in [stock, ours]]
        assert files == [threads, threads], files


@case
def snapshots_of_tensorflow_1_have_stocks_modes():
    def few(name, n, way, **more):
        return plain(way(legacy(name, Dataset.range(n), **more)))

    numbers = lambda n: plain(Dataset.range(n))
    stock = lambda dataset: dataset
    for writer, reader in [(stock, distribute), (distribute, stock)]:
        name = f"modes{writer is stock}"
        fails(tf.errors.NotFoundError, "Metadata file does not exist.", lambda: few(name, 3, reader, mode="read"))
        assert few(name, 3, reader, mode="passthrough") == numbers(3)
        assert not find(path(name), "snapshot.metadata")
        # The writer stops early: others pass their inputs through until its snapshot expires.
        for _ in writer(legacy(name, Dataset.range(1_000_000))).take(2):
            pass
        assert few(name, 4, reader) == numbers(4)
        assert few(name, 5, reader) == numbers(5)
        time.sleep(1.1)
        assert few(name, 6, distribute, pending_snapshot_expiry_seconds=1) == numbers(6)
        assert few(name, 7, reader) == few(name, 7, writer) == numbers(6)
        assert few(name, 8, reader, mode="passthrough") == numbers(8)


def unnamed(factor):
    drawn = Dataset.random(rerandomize_each_iteration=True).take(30)
    return drawn.map(lambda x: x * factor).apply(legacy_snapshot.legacy_snapshot(path("unnamed")))


@case
def snapshots_of_tensorflow_1_without_a_name_are_the_workers_own():
    folders = lambda: [p.name for p in pathlib.Path(path("unnamed")).iterdir() if p.is_dir()]
    written = plain(distribute(unnamed(2)))
    assert len(written) == 30 and plain(distribute(unnamed(2))) == written, "it was not found"
    assert plain(distribute(unnamed(2).prefetch(3))) == written, "it was not found in another dataset"
    command = [sys.executable, "-B", __file__, "unnamed", TARGET, str(FOLDER)]
    assert repr(written) in subprocess.check_output(command, text=True), "another process did not find it"
    assert len(folders()) == 1, folders()
    assert plain(distribute(unnamed(3))) != written
    assert len(folders()) == 2, folders()
    assert plain(unnamed(2)) != written, "stock, in this process, found it"
    assert len(folders()) == 3, folders()


@case
def a_snapshot_that_is_repeated_is_written_once():
    dataset = Dataset.random(seed=9).take(5).snapshot(path("repeated")).repeat(3)
    found = plain(distribute(dataset))
    assert len(found) == 15 and len(set(found)) == 5, found
    assert len(find(path("repeated"), ".shard")) > 0


@case
def caches_go_both_ways():
    nothing = lambda dataset: dataset.filter(lambda *_: False)
    for name, dataset in [("mixed", elements()), ("composite", composites())]:
        equal(distribute(dataset.cache(path(name + "_ours"))), dataset)
        equal(nothing(dataset).cache(path(name + "_ours")), dataset)
        equal(distribute(nothing(dataset).cache(path(name + "_ours")).repeat(2)), dataset.repeat(2))
        equal(dataset.cache(path(name + "_stock")), dataset)
        equal(distribute(nothing(dataset).cache(path(name + "_stock"))), dataset)
        for ending in [".index", ".data-00000-of-00001"]:
            ours, stock = path(name + "_ours") + ending, path(name + "_stock") + ending
            assert pathlib.Path(ours).read_bytes() == pathlib.Path(stock).read_bytes(), ending
    equal(distribute(Dataset.range(0).cache(path("none_ours"))), Dataset.range(0))
    equal(Dataset.range(3).cache(path("none_ours")), Dataset.range(0))
    assert not find(FOLDER, ".lockfile")


@case
def a_second_writer_of_a_cache_is_refused():
    slow = Dataset.range(200).map(lambda x: x).cache(path("second"))
    first = iter(slow)  # stock's, in this process
    assert next(first) == 0
    fails(tf.errors.AlreadyExistsError, LOCKED, lambda: plain(distribute(slow)))
    assert find(FOLDER, "second_0.lockfile"), "the lock of the first is gone"
    assert [int(x) for x in first] == list(range(1, 200))
    equal(distribute(slow), Dataset.range(200))


@case
def a_worker_that_writes_a_cache_keeps_stock_out():
    ours = iter(distribute(Dataset.range(10_000_000).cache(path("kept")), max_outstanding_requests=1))
    assert next(ours) == 0
    assert find(FOLDER, "kept_0.lockfile")
    fails(tf.errors.AlreadyExistsError, LOCKED, lambda: plain(Dataset.range(3).cache(path("kept"))))


@case
def a_damaged_chunk_is_data_loss_that_names_it():
    for kind in KINDS:
        name = "damaged" + kind
        Dataset.range(3000).save(path(name), compression=kind)
        chunk = find(path(name), ".snapshot")[0]
        content = bytearray(chunk.read_bytes())
        content[len(content) // 2] ^= 0x55
        chunk.write_bytes(content)
        fails(
            tf.errors.DataLossError,
            str(chunk),
            lambda: plain(distribute(loads(None, name, kind))),
        )


@case
def elements_of_another_dataset_are_refused():
    Dataset.range(9).save(path("other"))
    wrong = Dataset.load(path("other"), element_spec=tf.TensorSpec([], tf.string))
    fails(tf.errors.InvalidArgumentError, path("other"), lambda: plain(distribute(wrong)))
    equal(Dataset.range(9).cache(path("another_cache")), Dataset.range(9))
    wrong = elements().cache(path("another_cache"))
    fails(tf.errors.InvalidArgumentError, "of another dataset", lambda: plain(distribute(wrong)))


@case
def a_full_disk_leaves_what_was_there():
    full = FOLDER / "full"
    full.mkdir()
    if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(full)]) != 0:
        print("skipped: a tmpfs can't be mounted here")
        return
    try:
        save_by_a_worker(Dataset.range(3), "full/saved")
        before = find(full, "")
        large = Dataset.range(1_000_000).batch(10_000)
        saving = save_op._SaveDataset(large, path("full/saved"), None, None)
        for dataset in [saving, large.cache(path("full/cache")), large.snapshot(path("full/snap"), "NONE")]:
            fails(
                tf.errors.ResourceExhaustedError,
                "No space left on device",
                lambda: plain(distribute(dataset)),
            )
        assert [p for p in find(full, "") if p.is_file()] == [p for p in before if p.is_file()]
        loaded = Dataset.load(path("full/saved"), element_spec=tf.TensorSpec([], tf.int64))
        equal(loaded, Dataset.range(3))
    finally:
        subprocess.check_call(["umount", str(full)])


def with_a_snapshot_of_stock(read):
    """Calls `read` with a dataset that a stock service begins to save."""
    dispatcher = service.DispatchServer(
        service.DispatcherConfig(work_dir=path("work_dir"), fault_tolerant_mode=True)
    )
    address = dispatcher.target.split("://")[1]
    worker = service.WorkerServer(
        service.WorkerConfig(dispatcher_address=address, heartbeat_interval_ms=100)
    )
    tf.data.experimental.distributed_save(elements(), path("distributed"), address, compression="GZIP")
    read(Dataset.load(path("distributed"), wait=True))
    worker._stop()
    dispatcher._stop()


def await_done():
    while not os.path.exists(path("distributed/DONE")):
        time.sleep(0.05)


@case
def a_snapshot_of_a_service_is_loaded_on_a_worker():
    def read(loaded):
        equal(distribute(loaded), elements())  # it may still be written
        await_done()
        equal(distribute(loaded, "distributed_epoch"), elements())

    with_a_snapshot_of_stock(read)


def slowly(dataset):
    """A hundred elements a second at most, by a worker."""
    return dataset.apply(testing.sleep(10_000))


def write():
    saving = save_op._SaveDataset(slowly(Dataset.range(1000)), path("save"), None, "GZIP")
    readers = [
        iter(distribute(dataset))
        for dataset in [
            saving,
            slowly(Dataset.range(1000)).cache(path("cache")),
            slowly(Dataset.range(1000)).snapshot(path("snapshot")),
        ]
    ]
    for reader in readers:
        for _ in range(3):
            next(reader)
    print("reading", flush=True)
    time.sleep(600)


def killed():
    @case
    def a_dataset_that_was_not_saved_to_its_end_is_not_there():
        fails(tf.errors.NotFoundError, "metadata", lambda: plain(Dataset.load(path("save"))))
        fails(tf.errors.NotFoundError, "metadata", lambda: plain(distribute(loads(None, "save"))))

    @case
    def a_snapshot_that_was_not_written_to_its_end_is_not_there():
        assert not find(path("snapshot"), "snapshot.metadata")
        assert find(path("snapshot"), ".shard"), "nothing was written"
        assert not find(path("snapshot"), ".snapshot")

    @case
    def a_cache_that_was_not_written_to_its_end_is_locked():
        dataset = Dataset.range(5).cache(path("cache"))
        fails(tf.errors.AlreadyExistsError, LOCKED, lambda: plain(distribute(dataset)))
        lock = find(FOLDER, "cache_0.lockfile")
        assert lock
        lock[0].unlink()
        equal(distribute(dataset), Dataset.range(5))
        equal(dataset, Dataset.range(5))


def chunks():
    @case
    def chunks_are_divided_among_workers():
        def read(loaded):
            await_done()
            equal(distribute(loaded, "distributed_epoch"), elements())

        with_a_snapshot_of_stock(read)


def print_unnamed():
    print(plain(distribute(unnamed(2))))


def check():
    @case
    def what_java_saved_is_loaded():
        expected = Dataset.range(50).map(lambda x: {"a": x, "b": (x * 2, tf.as_string(x))}).batch(8)
        for kind in KINDS:
            equal(Dataset.load(path("java" + kind), compression=kind), expected)
            expected.save(path("stock" + kind), compression=kind)

    @case
    def what_java_cached_is_read():
        nothing = Dataset.range(3).filter(lambda _: False)
        equal(nothing.cache(path("java_cache")), Dataset.range(20))
        equal(Dataset.range(30).cache(path("stock_cache")), Dataset.range(30))


if __name__ == "__main__":
    if WAY != "all":
        CASES.clear()
        {"write": write, "killed": killed, "check": check, "chunks": chunks, "unnamed": print_unnamed}[WAY]()
    sys.exit(run())

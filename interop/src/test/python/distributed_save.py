"""A stock client that has the service at DISPATCHER save datasets in FOLDER, which client and servers share:

    distributed_save.py saves DISPATCHER FOLDER     datasets of many kinds, one worker
    distributed_save.py shared DISPATCHER FOLDER    one dataset, two workers
    distributed_save.py goes_on DISPATCHER FOLDER   one that servers are killed during, once it has printed "reading"
    distributed_save.py full_disk DISPATCHER FOLDER one on a full disk

Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from cases import CASES, case, fails, run
from saved import FOLDER, TARGET, WAY, Dataset, composites, distribute, elements, equal, find, path, plain, slowly

import tensorflow as tf

CASES.clear()
ADDRESS = TARGET.split("://")[1]


def save(name, dataset, compression="AUTO"):
    tf.data.experimental.distributed_save(dataset, path(name), ADDRESS, compression=compression)


def everything(name):
    return sorted(str(p.relative_to(path(name))) for p in pathlib.Path(path(name)).rglob("*"))


def await_done(name):
    """Waits until the snapshot is done; fails if it is given up."""
    end = time.time() + 240
    while not os.path.exists(path(name) + "/DONE"):
        assert not os.path.exists(path(name) + "/ERROR"), pathlib.Path(path(name), "ERROR").read_text()
        assert time.time() < end, everything(name)[-40:]
        time.sleep(0.1)


def await_error(name):
    error = pathlib.Path(path(name), "ERROR")
    end = time.time() + 240
    while not error.exists():
        assert time.time() < end, everything(name)[-40:]
        time.sleep(0.1)
    return error.read_text()


LAYOUT = [
    r"DONE",
    r"chunks(/chunk_0_\d+_\d+)?",
    r"dataset_def\.proto",
    r"dataset_spec\.pb",
    r"snapshot\.metadata",
    r"streams(/stream_0(/DONE|/owner_worker|/uncommitted_chunks)?)?",
    r"streams/stream_0/splits(/source_\d(/repetition_\d(/split_\d+_\d+)?)?)?",
    r"prefetched_splits(/source_\d(/.*)?)?",  # stock's
]


def saves():
    datasets = {
        "plain": elements(),
        "composites": composites(),
        "zipped": Dataset.zip((Dataset.range(10), Dataset.range(20, 30))),
        "joined": Dataset.range(10).concatenate(Dataset.range(20, 30)),
        "repeated": elements(7).repeat(3),
        "nothing": Dataset.range(0),
        "nothing_repeated": Dataset.range(5).filter(lambda _: False).repeat(2),
        "flat": Dataset.range(9).flat_map(lambda x: Dataset.range(x)),
        "batched": Dataset.range(37).batch(5),
        "taken": Dataset.range(50).take(20),
    }
    kinds = ["AUTO", "GZIP", None]

    @case
    def what_the_service_saves_is_loaded():
        for kind in kinds:
            for name, dataset in datasets.items():
                if kind == "AUTO" or name in ["plain", "composites", "nothing"]:
                    save(f"{name}_{kind}", dataset, kind)
        for kind in kinds:
            for name, dataset in datasets.items():
                if kind == "AUTO" or name in ["plain", "composites", "nothing"]:
                    await_done(f"{name}_{kind}")
                    equal(Dataset.load(path(f"{name}_{kind}")), dataset)

    @case
    def the_folder_is_as_stock_lays_it_out():
        for name in ["plain_AUTO", "zipped_AUTO", "repeated_AUTO"]:
            odd = [file for file in everything(name) if not any(re.fullmatch(p, file) for p in LAYOUT)]
            assert not odd, odd
        splits = {p.name for p in pathlib.Path(path("repeated_AUTO")).rglob("split_*") if "prefetched" not in str(p)}
        assert splits == {f"split_{i}_{i}" for i in range(21)}, splits

    @case
    def what_the_service_saved_is_read_by_its_worker():
        equal(distribute(Dataset.load(path("plain_AUTO"))), elements())
        equal(distribute(Dataset.load(path("plain_GZIP")), "distributed_epoch"), elements())

    @case
    def what_can_not_be_saved_is_refused():
        again = lambda: save("plain_AUTO", elements())
        fails(tf.errors.AlreadyExistsError, "already started or completed", again)
        os.mkdir(path("something"))
        something = lambda: save("something", elements())
        fails(tf.errors.AlreadyExistsError, "already exists", something)
        endless = lambda: save("endless", Dataset.range(3).repeat())
        fails(tf.errors.InvalidArgumentError, "infinite", endless)
        assert not os.path.exists(path("endless"))

    @case
    def an_error_of_an_element_ends_the_snapshot():
        save("failing", Dataset.range(10).map(lambda x: 10 // (x - 4)))
        assert "INVALID_ARGUMENT" in await_error("failing")
        fails(ValueError, "The save job failed to write it", lambda: Dataset.load(path("failing")))
        assert not os.path.exists(path("failing/DONE"))

    @case
    def a_damaged_chunk_is_data_loss():
        chunk = find(path("plain_None/chunks"), "")[0]
        content = bytearray(chunk.read_bytes())
        content[len(content) // 2] ^= 0x55
        chunk.write_bytes(content)
        fails(tf.errors.DataLossError, "", lambda: plain(distribute(Dataset.load(path("plain_None")))))


def shared():
    @case
    def two_workers_save_each_element_once():
        save("shared", slowly(Dataset.range(600)))
        await_done("shared")
        found = sorted(int(x) for x in Dataset.load(path("shared")))
        assert found == list(range(600)), (len(found), found[:50])
        assert len(find(path("shared/streams"), "owner_worker")) == 2
        streams = {chunk.name.split("_")[1] for chunk in find(path("shared/chunks"), "") if chunk.is_file()}
        assert streams == {"0", "1"}, streams


def goes_on():
    save("interrupted", slowly(Dataset.range(500)))
    while len(list(pathlib.Path(path("interrupted"), "streams").rglob("split_*"))) < 60:
        time.sleep(0.05)
    early = []
    reader = threading.Thread(
        target=lambda: early.extend(int(x) for x in Dataset.load(path("interrupted"))), daemon=True
    )
    reader.start()
    print("reading", flush=True)

    @case
    def an_interrupted_snapshot_has_each_element_once():
        await_done("interrupted")
        found = sorted(int(x) for x in Dataset.load(path("interrupted")))
        assert found == list(range(500)), (len(found), found[:50])

    @case
    def a_reader_that_came_early_has_each_element_once():
        reader.join(120)
        assert not reader.is_alive()
        assert sorted(early) == list(range(500)), (len(early), sorted(early)[:50])


def full_disk():
    full = FOLDER / "full"
    full.mkdir()
    if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(full)]) != 0:
        print("skipped: a tmpfs can't be mounted here")
        return

    @case
    def a_snapshot_on_a_full_disk_is_given_up():
        try:
            save("full/saved", Dataset.range(40).map(lambda x: tf.fill([32_000], x)), None)
            assert "No space left on device" in await_error("full/saved")
            assert not os.path.exists(path("full/saved/DONE"))
            fails(ValueError, "The save job failed to write it", lambda: Dataset.load(path("full/saved")))
        finally:
            subprocess.check_call(["umount", "--lazy", str(full)])


if __name__ == "__main__":
    {way.__name__: way for way in [saves, shared, goes_on, full_disk]}[WAY]()
    sys.exit(run())

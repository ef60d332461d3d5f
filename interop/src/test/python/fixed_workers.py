"""Reads datasets that two listed workers divide by static sharding: fixed_workers.py grpc://DISPATCHER FILES

Prints "NAME: ok" or the error for each dataset, and at the end "done WRONG", the number of errors.
"""

import concurrent.futures
import sys

import tensorflow as tf

from files import Files

service = tf.data.experimental.service
Dataset = tf.data.Dataset
HINT = tf.data.experimental.SHARD_HINT


def records(files: Files) -> Dataset:
    names = [files(f"examples-{shard}.tfrecord") for shard in range(3)]
    return Dataset.from_tensor_slices(names).interleave(tf.data.TFRecordDataset, cycle_length=2)


def lines(files: Files) -> Dataset:
    return Dataset.list_files(files("[ab].txt"), seed=3).flat_map(tf.data.TextLineDataset)


def doubled(_: Files) -> Dataset:
    return Dataset.range(101).map(lambda x: x * 2).prefetch(3)


def hinted(_: Files) -> Dataset:
    return Dataset.range(31).shard(HINT, HINT).map(lambda x: x + 1)


# The policy, the dataset, and the dataset without the hint, which no local read could apply.
DATASETS = {
    "records by FILE": ("FILE", records, records),
    "lines by FILE": ("FILE", lines, lines),
    "lines by FILE_OR_DATA": ("FILE_OR_DATA", lines, lines),
    "a range by FILE_OR_DATA": ("FILE_OR_DATA", doubled, doubled),
    "a range by DATA": ("DATA", doubled, doubled),
    "records by DATA": ("DATA", records, records),
    "a range by HINT": ("HINT", hinted, lambda _: Dataset.range(31).map(lambda x: x + 1)),
}


def read(target: str, policy: str, dataset: Dataset) -> list:
    mode = service.ShardingPolicy[policy]
    return sorted(dataset.apply(service.distribute(mode, target)).as_numpy_iterator())


def verdict(target: str, policy: str, dataset: Dataset, expected: list) -> str:
    try:
        actual = read(target, policy, dataset)
    except tf.errors.OpError as error:
        return str(error)
    return "ok" if actual == expected else f"expected {expected}, got {actual}"


def unshardable(target: str) -> str:
    """A range reads no files."""
    try:
        return f"got {read(target, 'FILE', Dataset.range(10))}"
    except tf.errors.NotFoundError as error:
        return "ok" if "unshardable source" in str(error) else str(error)


def main() -> None:
    target, files = sys.argv[1], Files(sys.argv[2])
    files.write()
    with concurrent.futures.ThreadPoolExecutor(len(DATASETS)) as pool:
        reads = {"a range by FILE": pool.submit(unshardable, target)}
        for name, (policy, build, whole) in DATASETS.items():
            expected = sorted(whole(files).as_numpy_iterator())
            reads[name] = pool.submit(verdict, target, policy, build(files), expected)
        verdicts = {name: read.result() for name, read in reads.items()}
    for name, what in verdicts.items():
        print(f"{name}: {' '.join(what.split())}", flush=True)
    print("done", sum(what != "ok" for what in verdicts.values()), flush=True)


if __name__ == "__main__":
    main()

"""Reads lines of files once, with dynamic sharding, by a stock client: stock_records.py grpc://HOST:PORT SECONDS
FILE...

Each line is a number from 0. Workers pad it to 16 KiB, so that they are not done before a fault occurs; without
faults the read takes SECONDS. Prints "ready", "middle" after 40 % of the expected lines, and at the end, or when no
line has arrived for 20 seconds, "records LOST TWICE".
"""

import collections
import os
import pathlib
import sys
import threading
import time

import tensorflow as tf

service = tf.data.experimental.service
Dataset = tf.data.Dataset

MIDDLE = 0.4
PATIENCE_SECONDS = 20


class Reader:
    def __init__(self, expected: int, seconds: float):
        self.expected = expected
        self.interval = seconds / expected
        self.counts: collections.Counter[int] = collections.Counter()
        self.last = time.monotonic()

    def read(self, dataset: Dataset) -> None:
        started = time.monotonic()
        for taken, element in enumerate(dataset.as_numpy_iterator(), start=1):
            self.last = time.monotonic()
            self.counts[int(element.split(b" ", 1)[0])] += 1
            if taken == int(MIDDLE * self.expected):
                print("middle", flush=True)
            ahead = started + taken * self.interval - self.last
            if ahead > 0.005:
                time.sleep(ahead)
        self.end()

    def end(self) -> None:
        """Also ends a hanging read."""
        twice = self.counts.total() - len(self.counts)
        print("records", self.expected - len(self.counts), twice, flush=True)
        os._exit(0)

    def watch(self) -> None:
        while time.monotonic() - self.last < PATIENCE_SECONDS:
            time.sleep(0.5)
        self.end()


def main() -> None:
    target, seconds, *files = sys.argv[1:]
    expected = sum(len(pathlib.Path(file).read_text().splitlines()) for file in files)
    letters = tf.constant(" " + "x" * (16 << 10))
    dataset = (
        Dataset.from_tensor_slices(files)
        .flat_map(tf.data.TextLineDataset)
        .map(lambda line: tf.strings.join([line, letters]))
        .apply(service.distribute("distributed_epoch", target))
    )
    reader = Reader(expected, float(seconds))
    print("ready", flush=True)
    threading.Thread(target=reader.watch, daemon=True).start()
    reader.read(dataset)


if __name__ == "__main__":
    main()

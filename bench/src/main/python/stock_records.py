"""Reads lines of files once, with dynamic sharding, by a stock client:
stock_records.py grpc://HOST:PORT INTERVAL MIDDLE OUTPUT PIPELINE JOB FILE...

Each line is a number from 0. Workers pad it to 16 KiB, so that they are not done before a fault occurs. The reader
takes INTERVAL seconds for a number, and writes each to the file OUTPUT at once. It prints "ready", "middle" after
MIDDLE numbers, and at the end "end", or "end hung" if nothing has arrived for 60 seconds. Readers that name the same JOB
share its elements.
"""

import os
import sys
import threading
import time

import tensorflow as tf

service = tf.data.experimental.service
Dataset = tf.data.Dataset

PATIENCE_SECONDS = 60


class Reader:
    def __init__(self, interval: float, middle: int, output: str):
        self.interval = interval
        self.middle = middle
        self.output = open(output, "w", buffering=1)
        self.taken = 0
        self.last = time.monotonic()

    def read(self, dataset: Dataset) -> None:
        for element in dataset.as_numpy_iterator():
            for line in element.flat:
                self.take(line)
        self.end("end")

    def take(self, line: bytes) -> None:
        self.last = time.monotonic()
        self.output.write(f"{int(line.split(b' ', 1)[0])}\n")
        self.taken += 1
        if self.taken == self.middle:
            print("middle", flush=True)
        time.sleep(self.interval)

    def end(self, how: str) -> None:
        """Also ends a hanging read."""
        print(how, flush=True)
        os._exit(0)

    def watch(self) -> None:
        while time.monotonic() - self.last < PATIENCE_SECONDS:
            time.sleep(0.5)
        self.end("end hung")


def pipeline(name: str, files: list[str]) -> Dataset:
    """The lines of the files, in elements of one or more."""
    letters = tf.constant(" " + "x" * (16 << 10))
    lines = Dataset.from_tensor_slices(files).flat_map(tf.data.TextLineDataset)
    if name == "filter":
        lines = lines.filter(lambda line: tf.strings.to_number(line, tf.int64) % 2 == 0)
    if name == "shuffle":
        lines = lines.shuffle(1000)
    return lines.map(lambda line: tf.strings.join([line, letters])).batch(32 if name == "batches" else 1)


def main() -> None:
    target, interval, middle, output, name, job, *files = sys.argv[1:]
    distributed = service.distribute("distributed_epoch", target, job_name=job or None)
    reader = Reader(float(interval), int(middle), output)
    print("ready", flush=True)
    threading.Thread(target=reader.watch, daemon=True).start()
    reader.read(pipeline(name, files).apply(distributed))


if __name__ == "__main__":
    main()

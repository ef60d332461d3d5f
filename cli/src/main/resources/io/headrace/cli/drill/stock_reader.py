"""Reads records as any program of TensorFlow's: stock_reader.py grpc://HOST:PORT JOB BYTES RECORDS

RECORDS is a folder of text files, each line of which is a number from 0, or the size of a range of numbers. Workers pad
each to BYTES. Readers of one JOB share its records. Prints "ready grpc://HOST:PORT", and then answers each line of its
standard input: the number of the next element, -1 if the element has none, or "end".
"""

import pathlib
import sys

import tensorflow as tf

service = tf.data.experimental.service


def lines(records: str) -> tf.data.Dataset:
    if records.isdigit():
        return tf.data.Dataset.range(int(records)).map(tf.strings.as_string)
    files = sorted(str(path) for path in pathlib.Path(records).iterdir())
    return tf.data.Dataset.from_tensor_slices(files).flat_map(tf.data.TextLineDataset)


def number(element: bytes) -> int:
    text, blank, _ = element.partition(b" ")
    return int(text) if blank and text.isdigit() else -1


def main() -> None:
    target, job, size, records = sys.argv[1:]
    letters = tf.constant(" " + "x" * int(size))
    padded = lines(records).map(lambda line: tf.strings.join([line, letters]))
    elements = padded.apply(service.distribute("distributed_epoch", target, job_name=job)).as_numpy_iterator()
    print("ready", target, flush=True)
    for _ in sys.stdin:
        element = next(elements, None)
        print("end" if element is None else number(element), flush=True)


if __name__ == "__main__":
    main()

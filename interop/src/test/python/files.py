"""The input files of the pipelines: written once per run, read by all its processes."""

import gzip
import pathlib
import sqlite3
import struct

import numpy as np
import tensorflow as tf

RECORDS = 12
WORDS = "the quick brown fox jumps over 13 lazy dogs and 1 more".split()


class Files:
    """The paths of input files below a folder; write() writes them, always with the same contents."""

    def __init__(self, folder: str):
        self.folder = pathlib.Path(folder)

    def __call__(self, name: str) -> str:
        return str(self.folder / name)

    def write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_text()
        self._write_examples()
        self._write_images()
        self._write_fixed()
        self._write_database()
        self._write_broken()

    def _write_text(self) -> None:
        lines = [f"{i} {WORDS[i % len(WORDS)]} {i * i}" for i in range(30)]
        text = "\n".join(lines) + "\n"
        self._path("a.txt").write_text(text)
        # Without a final newline, with empty lines and DOS line ends.
        self._path("b.txt").write_bytes(b"first\r\n\r\nthird\n\nfifth 1")
        self._path("empty.txt").write_text("")
        self._path("a.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        self._path("rows.csv").write_text("".join(f"{i},{i / 4},name{i}\n" for i in range(10)))

    def _write_examples(self) -> None:
        for compression in ("", "GZIP", "ZLIB"):
            suffix = "." + compression.lower() if compression else ""
            for shard in range(3):
                records = [example(shard * RECORDS + i) for i in range(RECORDS)]
                self._write_records(f"examples-{shard}.tfrecord{suffix}", records, compression)
        self._write_records("empty.tfrecord", [], "")
        big = [bytes([i]) * size for i, size in enumerate((0, 1, 100_000, 3_000_000))]
        self._write_records("big.tfrecord", big, "")

    def _write_images(self) -> None:
        for kind in ("jpeg", "png"):
            for shard in range(2):
                records = [image_example(shard * 5 + i, kind) for i in range(5)]
                self._write_records(f"{kind}-{shard}.tfrecord", records, "")

    def _write_fixed(self) -> None:
        body = b"".join(struct.pack("<iBBBB", i, i % 7, i % 5, 255 - i, 128) for i in range(20))
        self._path("fixed.bin").write_bytes(b"HEAD" + body + b"TAILTAIL")
        self._path("fixed.bin.gz").write_bytes(gzip.compress(b"HEAD" + body + b"TAILTAIL", mtime=0))

    def _write_database(self) -> None:
        # Under its name only when it is whole: another process may read the last one.
        unfinished = self._path("rows.sqlite.new")
        unfinished.unlink(missing_ok=True)
        with sqlite3.connect(unfinished) as database:
            database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT, weight REAL, data BLOB)")
            rows = [
                (WORDS[i % len(WORDS)] * (i % 3), i / 8 if i % 4 else None, bytes([i % 251, 0])) for i in range(3000)
            ]
            database.executemany("INSERT INTO rows (name, weight, data) VALUES (?, ?, ?)", rows)
        database.close()
        unfinished.replace(self._path("rows.sqlite"))

    def _write_broken(self) -> None:
        whole = self._path("examples-0.tfrecord").read_bytes()
        self._path("truncated.tfrecord").write_bytes(whole[: len(whole) * 2 // 3])
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0x40
        self._path("corrupt.tfrecord").write_bytes(bytes(flipped))

    def _write_records(self, name: str, records: list[bytes], compression: str) -> None:
        options = tf.io.TFRecordOptions(compression_type=compression)
        with tf.io.TFRecordWriter(self(name), options) as writer:
            for record in records:
                writer.write(record)

    def _path(self, name: str) -> pathlib.Path:
        return self.folder / name


def example(i: int) -> bytes:
    """A tf.train.Example with fixed, missing, variable-length and string features."""
    features = {
        "id": int64s(i),
        "vector": floats(i, i / 2, -i),
        "words": strings(*(word.encode() for word in WORDS[: i % 5])),
        "counts": int64s(*range(i % 4)),
    }
    if i % 3 == 0:
        features["optional"] = floats(i / 8)
    return serialized(features)


def image_example(i: int, kind: str) -> bytes:
    image = picture(i)
    encoded = tf.io.encode_jpeg(image, quality=90) if kind == "jpeg" else tf.io.encode_png(image)
    return serialized({"img": strings(encoded.numpy()), "x": int64s(i)})


def picture(i: int) -> np.ndarray:
    """A smooth picture with a little noise; sizes differ."""
    height, width = 24 + 3 * i, 40 - 2 * i
    y, x = np.mgrid[0:height, 0:width]
    smooth = np.stack([y * 5 + i, x * 4, (x + y) * 3], axis=-1)
    return ((smooth + np.random.RandomState(i).randint(0, 12, smooth.shape)) % 256).astype(np.uint8)


def int64s(*values: int) -> tf.train.Feature:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values: float) -> tf.train.Feature:
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def strings(*values: bytes) -> tf.train.Feature:
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def serialized(features: dict[str, tf.train.Feature]) -> bytes:
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString(deterministic=True)

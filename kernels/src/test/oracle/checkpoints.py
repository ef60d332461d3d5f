"""Records checkpoints of stock TensorFlow, which CheckpointTest reads and writes byte for byte.

    python kernels/src/test/oracle/checkpoints.py

It needs tensorflow-cpu 2.21 and writes src/test/resources/io/headrace/kernels/checkpoint/, the same
bytes each time. `digests.txt` lists files that are too large for the repository: SHA-256 and name.
"""

import hashlib
import os
import pathlib
import shutil
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).resolve().parent
RESOURCES = HERE.parent / "resources/io/headrace/kernels/checkpoint"
MANY = 6000


def save(prefix, tensors, slices=None):
    tf.raw_ops.SaveV2(
        prefix=str(prefix),
        tensor_names=[name for name, _ in tensors],
        shape_and_slices=slices or [""] * len(tensors),
        tensors=[tensor for _, tensor in tensors],
    )


def every_dtype():
    tensors = [
        ("float", tf.constant([[-1.0, -0.5, 0.0], [0.5, 1.0, 1.5]], tf.float32)),
        ("double", tf.constant(-2.5, tf.float64)),
        ("half", tf.constant([1, -2, 0.5], tf.float16)),
        ("bfloat16", tf.constant([1, -2], tf.bfloat16)),
        ("bool", tf.constant([True, False, True])),
        ("complex64", tf.constant([1 + 2j, -3j], tf.complex64)),
        ("complex128", tf.constant([1 + 2j, -3j], tf.complex128)),
        ("string", tf.constant([[b"", b"a"], [b"\x00\xff\xfe", b"x" * 300]])),
        ("empty", tf.zeros([0, 3], tf.float32)),
        ("no strings", tf.constant([], tf.string)),
    ]
    for dtype in tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.uint32, tf.int64, tf.uint64:
        tensors.append((dtype.name, tf.constant([dtype.min, 7, dtype.max], dtype)))
    listed = tf.raw_ops.TensorListFromTensor(tensor=[[1, 2], [3, 4]], element_shape=[2])
    tensors.append(("variant", listed))
    save(RESOURCES / "every_dtype", tensors)


def sliced():
    """A matrix in three slices and another tensor, in two shards that are then merged."""
    matrix = np.arange(20, dtype=np.float32).reshape(4, 5)
    parts = RESOURCES / "parts"
    shards = [parts / "part-0", parts / "part-1"]
    parts.mkdir()
    save(shards[0], [("m/a\xff", matrix[:2]), ("steps", tf.constant(7, tf.int64))], ["4 5 0,2:-", ""])
    slices = ["4 5 2,2:0,1", "4 5 2,2:1,4", "3 0,3"]
    save(shards[1], [("m/a\xff", matrix[2:, :1]), ("m/a\xff", matrix[2:, 1:]), ("whole", tf.range(3))], slices)
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=[str(s) for s in shards], destination_prefix=str(RESOURCES / "sliced"))
    assert not parts.exists()


def slice_files():
    """The V1 format: tensors within the table."""
    matrix = np.arange(12, dtype=np.float32).reshape(4, 3)
    tensors = [
        ("v", matrix[:2]), ("v", matrix[2:]), ("int32", tf.range(-2, 3)), ("s", tf.constant([b"a", b"", b"bc"])),
        ("complex64", tf.constant([1 + 2j, 3j], tf.complex64)), ("half", tf.constant([1, 2], tf.float16)),
        ("bool", tf.constant([True, False])), ("int64", tf.constant(1 << 40, tf.int64)),
        ("double", tf.constant([[0.5]], tf.float64)), ("uint8", tf.constant([255], tf.uint8)),
        ("int8", tf.constant([-128], tf.int8)), ("int16", tf.constant([-300], tf.int16)),
        ("uint16", tf.constant([65535], tf.uint16)), ("complex128", tf.constant(2j, tf.complex128)),
    ]
    slices = ["4 3 0,2:-", "4 3 2,2:-"] + [""] * (len(tensors) - 2)
    tf.raw_ops.SaveSlices(
        filename=str(RESOURCES / "slices.ckpt"),
        tensor_names=[name for name, _ in tensors],
        shapes_and_slices=slices,
        data=[tensor for _, tensor in tensors],
    )


def many(folder):
    """Enough tensors for several index blocks, some with a single large entry."""
    tensors = [("layer_%05d/" % (i * 7) + "n" * (i % 90), tf.constant(i, tf.int32)) for i in range(MANY)]
    tensors.append(("x" * 700_000, tf.constant(-1, tf.int32)))
    save(folder / "many", tensors)


def main():
    shutil.rmtree(RESOURCES, ignore_errors=True)
    RESOURCES.mkdir(parents=True)
    every_dtype()
    sliced()
    slice_files()
    with tempfile.TemporaryDirectory() as folder:
        many(pathlib.Path(folder))
        lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()} {p.name}" for p in sorted(pathlib.Path(folder).iterdir())]
    (RESOURCES / "digests.txt").write_text("\n".join(lines) + "\n")
    for path in sorted(RESOURCES.iterdir()):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()

"""Fashion-MNIST from stock TensorFlow 2.21, read, decoded and augmented by a Headrace cluster's workers.

    python examples/src/main/python/fashion_mnist.py grpc://localhost:5050
"""

import pathlib
import sys

import tensorflow as tf

DISPATCHER = sys.argv[1]
# The workers open the files, so the paths must exist there.
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "resources/io/headrace/examples/fashion-mnist"


def records(name: str, header_bytes: int, record_bytes: int) -> tf.data.Dataset:
    file = str(FOLDER / f"t10k-{name}-ubyte.gz")
    return tf.data.FixedLengthRecordDataset(file, record_bytes, header_bytes, compression_type="GZIP")


def decode(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    pixels = tf.reshape(tf.io.decode_raw(image, tf.uint8), [28, 28, 1])
    augmented = tf.image.random_flip_left_right(tf.cast(pixels, tf.float32) / 255)
    return augmented, tf.io.decode_raw(label, tf.uint8)[0]


dataset = (
    tf.data.Dataset.zip((records("images-idx3", 16, 28 * 28), records("labels-idx1", 8, 1)))
    .shuffle(10_000)
    .map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    .batch(128)
    .apply(tf.data.experimental.service.distribute("parallel_epochs", DISPATCHER))
)

images = 0
for pixels, labels in dataset:
    images += len(labels)
print(f"{images} images, the last {len(labels)} of them {pixels.shape[1:]} {pixels.dtype.name}")

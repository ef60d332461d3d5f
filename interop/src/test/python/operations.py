"""Pipelines with operations in map functions, by family.

Sums and products are of small integers: exact in any order.
"""

import numpy as np
import tensorflow as tf

from pipeline import pipeline

Dataset = tf.data.Dataset


def floats(count: int = 6):
    values = (np.arange(count * 8).reshape(count, 8) - 13) / 4
    return Dataset.from_tensor_slices(values.astype(np.float32))


def grid(x):
    """An integer matrix [3, 4] that depends on x."""
    return tf.reshape(tf.range(x, x + 12), [3, 4])


@pipeline()
def arithmetic_float(_):
    return floats().map(
        lambda x: (x + 1.5, x - 2.0, x * x, x / 3.0, -x, tf.maximum(x, 0.0), tf.minimum(x, 1.0))
    )


@pipeline()
def arithmetic_int(_):
    return Dataset.range(-6, 7).map(lambda x: (x // 4, x % 4, x // -4, x % -4, x * x - x, -x))


@pipeline()
def arithmetic_of_every_type(_):
    types = [tf.int8, tf.int16, tf.int32, tf.uint8, tf.float16, tf.bfloat16, tf.float64]

    def compute(x):
        casts = [tf.cast(x, dtype) for dtype in types]
        return tuple(c * c + c for c in casts)

    return Dataset.range(20).map(compute)


@pipeline()
def casts(_):
    def compute(x):
        y = tf.cast(x, tf.float32) * 1.75 - 9.5
        types = [tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float64, tf.bool, tf.complex64]
        return tuple(tf.cast(y, dtype) for dtype in types)

    return Dataset.range(12).map(compute)


@pipeline()
def square_root_and_square(_):
    return floats().map(lambda x: (tf.sqrt(tf.square(x)), tf.square(x)))


def spectra(count: int = 6, size: int = 16):
    """Vectors of complex numbers whose parts are multiples of 1/4."""
    parts = (np.arange(count * size * 2).reshape(count, size, 2) % 37 - 18) / 4
    return Dataset.from_tensor_slices((parts[..., 0] + 1j * parts[..., 1]).astype(np.complex64))


@pipeline()
def complex_arithmetic(_):
    return spectra().map(
        lambda z: (
            (z + 1.5, z - 2j, z * z, z / 4.0, -z, tf.math.conj(z), tf.square(z)),
            (tf.where(tf.math.real(z) > 0.0, z, 1j), tf.equal(z, -z), tf.cast(z, tf.float64)),
            (tf.reduce_sum(z), tf.cumsum(z), tf.reduce_mean(z), tf.math.segment_sum(z, [0] * 9 + [2] * 7)),
        )
    )


def offset(x):
    """The parts of x, moved away from 0, where a relative bound would be too strict."""
    parts = [tf.math.real(x), tf.math.imag(x)] if x.dtype.is_complex else [x]
    return tf.stack(parts) + tf.constant(256.0, parts[0].dtype)


@pipeline("close 1e-6")
def complex_functions(_):
    return spectra().map(
        lambda z: tuple(
            offset(y)
            for y in (tf.exp(z / 8.0), tf.sqrt(z), tf.tanh(z), tf.sin(z / 4.0), tf.pow(z, 2.0), tf.sigmoid(z / 2.0))
        )
    )


@pipeline("close 1e-6")
def cosine_transforms(_):
    signal = tf.signal

    def compute(x):
        transforms = [f(x, kind) for f in (signal.dct, signal.idct) for kind in (2, 3)]
        return tuple(offset(y) for y in (*transforms, signal.inverse_mdct(signal.mdct(x, 4))))

    return floats().map(compute)


@pipeline("close 1e-5")
def cepstral_coefficients(_):
    def compute(x):
        wave = tf.sin(tf.range(1024, dtype=tf.float32) * (0.05 + tf.reduce_sum(x) / 400.0)) + x[0]
        spectrum = tf.abs(tf.signal.stft(wave, 256, 128))
        mel = tf.tensordot(spectrum, tf.signal.linear_to_mel_weight_matrix(20, 129, 8000, 80.0, 3600.0), 1)
        return offset(tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(mel + 1.0)))

    return floats().map(compute).batch(2)


@pipeline("close 1e-6")
def inverse_spectrograms(_):
    def compute(x):
        wave = tf.tile(x, [8])
        window = tf.signal.inverse_stft_window_fn(8)
        return offset(tf.signal.inverse_stft(tf.signal.stft(wave, 16, 8), 16, 8, window_fn=window))

    return floats().map(compute)


@pipeline("close 1e-6")
def transcendentals(_):
    return floats().map(lambda x: (tf.cos(x), tf.math.log(x * x + 1.0)))


@pipeline()
def comparisons(_):
    return floats().map(
        lambda x: (x > 1.0, x >= 1.0, x < 1.0, x <= 1.0, tf.equal(x, 1.0), tf.not_equal(x, 1.0))
    )


@pipeline()
def logic_and_select(_):
    def compute(x):
        low, high = x < 0.0, x > 2.0
        return tf.logical_and(~low, ~high), tf.where(low | high, x, tf.zeros_like(x)), tf.where(low)

    return floats().map(compute)


@pipeline()
def broadcasting(_):
    return Dataset.range(5).map(
        lambda x: (
            grid(x) + tf.range(4, dtype=tf.int64),
            grid(x) * tf.reshape(tf.range(3, dtype=tf.int64), [3, 1]),
            tf.broadcast_to(tf.stack([x, x + 1]), [2, 2]),
        )
    )


@pipeline()
def shapes(_):
    return Dataset.range(1, 5).map(
        lambda x: (
            tf.shape(tf.fill([x, 2], x)),
            tf.size(tf.range(x)),
            tf.expand_dims(grid(x), 1),
            tf.squeeze(tf.reshape(grid(x), [1, 12, 1])),
            tf.reshape(grid(x), [-1, 2]),
        )
    )


@pipeline()
def slices(_):
    return Dataset.range(4).map(
        lambda x: (
            grid(x)[1:, ::2],
            grid(x)[::-1, -2],
            grid(x)[..., tf.newaxis, 1],
            grid(x)[x % 3],
            tf.slice(grid(x), [0, 1], [2, -1]),
        )
    )


@pipeline()
def movements(_):
    return Dataset.range(4).map(
        lambda x: (
            tf.transpose(grid(x)),
            tf.stack([grid(x)[0], grid(x)[1]], axis=1),
            tf.concat([grid(x), grid(x) + 100], axis=-1),
            tf.unstack(grid(x), axis=0),
            tf.reverse(grid(x), [1]),
            tf.tile(grid(x)[:1], [2, 2]),
            tf.pad(grid(x), [[1, 0], [0, 2]], constant_values=-1),
            tf.gather(grid(x), [2, 0], axis=1),
        )
    )


@pipeline()
def movements_of_strings(_):
    def compute(x):
        words = tf.strings.as_string(grid(x))
        return tf.transpose(words), words[1:, ::2], tf.concat([words, words], 0), tf.gather(words, 1)

    return Dataset.range(3).map(compute)


@pipeline()
def reductions(_):
    return Dataset.range(4).map(
        lambda x: (
            tf.reduce_sum(grid(x)),
            tf.reduce_sum(grid(x), axis=0),
            tf.reduce_max(grid(x), axis=1, keepdims=True),
            tf.reduce_prod(grid(x)[:1] % 5 + 1),
            tf.reduce_mean(tf.cast(grid(x), tf.float32), axis=-1),
            tf.reduce_all(grid(x) > 2, axis=0),
        )
    )


@pipeline()
def accumulations(_):
    return Dataset.range(4).map(
        lambda x: (
            tf.cumsum(grid(x), axis=1),
            tf.cumsum(tf.range(x + 3), exclusive=True, reverse=True),
            tf.math.bincount(tf.cast(grid(x)[0] % 3, tf.int32), minlength=5),
            tf.one_hot(grid(x)[1] % 4, 5),
        )
    )


@pipeline()
def matrix_product(_):
    def compute(x):
        a = tf.cast(grid(x), tf.float32)
        return tf.matmul(a, a, transpose_b=True), tf.matmul(a, tf.eye(4))

    return Dataset.range(4).map(compute)


@pipeline()
def strings(files):
    return tf.data.TextLineDataset(files("a.txt")).map(
        lambda line: (
            tf.strings.lower(tf.strings.regex_replace(line, "[aeiou]", "<V>")),
            tf.strings.split(line),
            tf.strings.length(line, unit="UTF8_CHAR"),
            tf.strings.regex_full_match(line, "[0-9]+ .*"),
            tf.strings.to_hash_bucket_fast(line, 1000),
        )
    )


@pipeline()
def numbers_as_strings(_):
    def compute(x):
        y = tf.cast(x, tf.float32) / 3
        return tf.strings.as_string(x), tf.strings.as_string(y, precision=3), tf.strings.as_string(x > 2)

    return Dataset.range(-2, 8).map(compute)


@pipeline()
def table_lookup(files):
    words = tf.constant(["the", "fox", "dogs"])
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(words, tf.constant([10, 20, 30], tf.int64)), -1
    )
    return tf.data.TextLineDataset(files("a.txt")).map(
        lambda line: table.lookup(tf.strings.split(line))
    )


@pipeline()
def captured_variable(_):
    bias = tf.Variable(5, dtype=tf.int64)
    return Dataset.range(4).map(lambda x: x + bias)


@pipeline()
def random_stateless(_):
    return Dataset.range(6).map(
        lambda x: (
            tf.random.stateless_uniform([3], seed=tf.stack([x, x + 1])),
            tf.random.stateless_uniform([2, 2], [5, 6], minval=-3, maxval=9, dtype=tf.int32),
            tf.random.stateless_uniform([], tf.stack([x, 4]), maxval=1000, dtype=tf.int64),
            tf.random.stateless_uniform([2], [x, 8], dtype=tf.float64),
        )
    )


@pipeline()
def random_stateful_seeded(_):
    return Dataset.range(6).map(
        lambda x: (
            tf.random.uniform([5], seed=12),
            tf.random.uniform([], maxval=100, dtype=tf.int32, seed=13),
            tf.random.uniform([3], minval=-2.0, maxval=2.0, dtype=tf.float64, seed=14),
        )
    )


@pipeline("uniform 0 1")
def random_stateful_unseeded(_):
    return Dataset.range(50).map(lambda _: tf.random.uniform([4]))


@pipeline()
def images_resized(files):
    features = {"img": tf.io.FixedLenFeature([], tf.string)}

    def parse(record):
        image = tf.io.decode_png(tf.io.parse_single_example(record, features)["img"], channels=3)
        return tf.image.resize(image, [17, 23]), tf.image.resize(tf.cast(image, tf.float32), [50, 60])

    return tf.data.TFRecordDataset(files("png-1.tfrecord")).map(parse)


@pipeline()
def conditions_nested(_):
    def compute(x):
        def odd():
            return tf.cond(x > 5, lambda: x * 100, lambda: x * 10)

        return tf.cond(x % 2 == 1, odd, lambda: -x)

    return Dataset.range(10).map(compute)


@pipeline()
def loop_over_tensors(_):
    def powers(x):
        return tf.while_loop(
            lambda i, _: i < 5, lambda i, acc: (i + 1, acc * x + tf.ones([2], tf.int64)),
            [0, tf.zeros([2], tf.int64)],
        )  # fmt: skip

    return Dataset.range(6).map(powers)


@pipeline("fails INVALID_ARGUMENT")
def assertion_that_fails(_):
    def check(x):
        with tf.control_dependencies([tf.debugging.assert_less(x, tf.constant(6, tf.int64))]):
            return tf.identity(x)

    return Dataset.range(10).map(check)


@pipeline("fails INVALID_ARGUMENT")
def raw_bytes_of_odd_length(_):
    return Dataset.range(95, 105).map(lambda x: tf.io.decode_raw(tf.strings.as_string(x), tf.int16))


@pipeline(unsupported="SparseMatMul")
def operation_seldom_used(_):
    return floats().map(lambda x: tf.raw_ops.SparseMatMul(a=x[tf.newaxis], b=x[:, tf.newaxis]))

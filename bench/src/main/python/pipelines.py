"""Input pipelines after those that people train with, by kind: images, detection, text, audio, tables, recommenders.

Each is endless and reads the files of corpus.py. Importing this needs TensorFlow.
"""

import pathlib
from collections.abc import Callable

import tensorflow as tf

Dataset = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE

# By name, what builds the pipeline from the folder of the files.
PIPELINES: dict[str, Callable[[pathlib.Path], Dataset]] = {}

SIZE = 224
MEAN = [0.485, 0.456, 0.406]
DEVIATION = [0.229, 0.224, 0.225]


def pipeline(build):
    PIPELINES[build.__name__.replace("_", " ")] = build
    return build


def files(folder: pathlib.Path, kind: str) -> list[str]:
    return sorted(str(file) for file in (folder / kind).iterdir())


def records(folder: pathlib.Path, kind: str) -> Dataset:
    return tf.data.TFRecordDataset(files(folder, kind)).repeat()


def text_lines(folder: pathlib.Path) -> Dataset:
    return tf.data.TextLineDataset(files(folder, "text")).repeat()


def scalar(dtype) -> tf.io.FixedLenFeature:
    return tf.io.FixedLenFeature([], dtype)


def parsed(folder: pathlib.Path, kind: str, features: dict) -> Dataset:
    return records(folder, kind).map(lambda record: tf.io.parse_single_example(record, features))


def images(folder: pathlib.Path) -> Dataset:
    return parsed(folder, "images", {"image": scalar(tf.string), "label": scalar(tf.int64)})


def decoded(folder: pathlib.Path) -> Dataset:
    """Small photos of 160 x 160 pixels, kept in memory."""
    photos = images(folder).take(64).map(lambda example: tf.io.decode_jpeg(example["image"], 3))
    return photos.map(lambda image: tf.cast(tf.image.resize(image, [160, 160]), tf.uint8)).cache().repeat()


def seeds() -> Dataset:
    return Dataset.counter().map(lambda number: tf.stack([number, number + 1]))


def normalized(image):
    return (tf.cast(image, tf.float32) / 255.0 - MEAN) / DEVIATION


# Images


@pipeline
def imagenet_training(folder):
    def augment(example, seed):
        begin, size, _ = tf.image.stateless_sample_distorted_bounding_box(
            tf.image.extract_jpeg_shape(example["image"]),
            tf.constant([[[0.0, 0.0, 1.0, 1.0]]]),
            seed,
            area_range=(0.08, 1.0),
        )
        y, x, _ = tf.unstack(begin)
        height, width, _ = tf.unstack(size)
        image = tf.io.decode_and_crop_jpeg(example["image"], tf.stack([y, x, height, width]), 3)
        image = tf.image.resize(image, [SIZE, SIZE])
        return normalized(tf.image.stateless_random_flip_left_right(image, seed)), example["label"]

    return Dataset.zip(images(folder), seeds()).map(augment, AUTOTUNE).batch(32)


@pipeline
def imagenet_evaluation(folder):
    def prepare(example):
        image = tf.image.central_crop(tf.io.decode_jpeg(example["image"], 3), 0.875)
        return normalized(tf.image.resize(image, [SIZE, SIZE])), example["label"]

    return images(folder).map(prepare, AUTOTUNE).batch(32)


@pipeline
def cifar(folder):
    def augment(image, seed):
        padded = tf.image.resize_with_crop_or_pad(image, 40, 40)
        crop = tf.image.stateless_random_crop(padded, [32, 32, 3], seed)
        return tf.image.per_image_standardization(tf.image.stateless_random_flip_left_right(crop, seed))

    pixels = tf.random.stateless_uniform([512, 32, 32, 3], [1, 2], 0, 256, tf.int32)
    small = Dataset.from_tensor_slices(tf.cast(pixels, tf.uint8)).repeat()
    return Dataset.zip(small, seeds()).map(augment, AUTOTUNE).batch(128)


@pipeline
def mnist(folder):
    pixels = tf.cast(tf.random.stateless_uniform([2048, 28, 28], [1, 2], 0, 256, tf.int32), tf.uint8)
    labels = tf.range(2048) % 10
    digits = Dataset.from_tensor_slices((pixels, labels)).repeat().shuffle(1000, seed=1)
    return digits.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, tf.one_hot(y, 10))).batch(128)


def flipped_and_normalized(calls) -> Dataset:
    pixels = tf.cast(tf.random.stateless_uniform([32, SIZE, SIZE, 3], [1, 2], 0, 256, tf.int32), tf.uint8)
    photos = Dataset.from_tensor_slices(pixels).repeat()

    def augment(image, seed):
        return tf.image.stateless_random_flip_left_right(normalized(image), seed)

    return Dataset.zip(photos, seeds()).map(augment, calls)


@pipeline
def flip_and_normalize(folder):
    return flipped_and_normalized(AUTOTUNE).batch(16)


@pipeline
def normalized_photos(folder):
    """Images of 224 x 224 pixels, on one thread; a corner of each is sent."""
    return flipped_and_normalized(None).map(lambda image: image[:8, :8]).batch(16)


@pipeline
def color_jitter(folder):
    def jitter(image, seed):
        image = tf.image.convert_image_dtype(image, tf.float32)
        image = tf.image.stateless_random_brightness(image, 0.4, seed)
        image = tf.image.stateless_random_contrast(image, 0.6, 1.4, seed)
        image = tf.image.stateless_random_saturation(image, 0.6, 1.4, seed)
        return tf.clip_by_value(tf.image.stateless_random_hue(image, 0.1, seed), 0.0, 1.0)

    return Dataset.zip(decoded(folder), seeds()).map(jitter, AUTOTUNE).batch(32)


@pipeline
def two_views(folder):
    def view(image, seed):
        crop = tf.image.stateless_random_crop(image, [128, 128, 3], seed)
        resized = tf.image.resize(crop, [96, 96]) / 255.0
        gray = tf.image.grayscale_to_rgb(tf.image.rgb_to_grayscale(resized))
        return tf.where(tf.random.stateless_uniform([], seed) < 0.2, gray, resized)

    def views(image, seed):
        return view(image, seed), view(image, seed + 1)

    return Dataset.zip(decoded(folder), seeds()).map(views, AUTOTUNE).batch(32)


@pipeline
def mixup(folder):
    def mix(photos, seed):
        photos = tf.cast(photos, tf.float32) / 255.0
        share = tf.random.stateless_uniform([tf.shape(photos)[0], 1, 1, 1], seed)
        return share * photos + (1.0 - share) * tf.reverse(photos, [0])

    return Dataset.zip(decoded(folder).batch(32), seeds()).map(mix, AUTOTUNE)


@pipeline
def random_erasing(folder):
    def erase(image, seed):
        top, left = tf.unstack(tf.random.stateless_uniform([2], seed, 0, 128, tf.int32))
        y, x = tf.range(160)[:, None], tf.range(160)[None, :]
        inside = (y >= top) & (y < top + 32) & (x >= left) & (x < left + 32)
        return tf.where(inside[:, :, None], tf.zeros([], tf.uint8), image)

    return Dataset.zip(decoded(folder), seeds()).map(erase, AUTOTUNE).batch(32)


@pipeline
def random_affine(folder):
    def transform(image, seed):
        angle, x, y = tf.unstack(tf.random.stateless_uniform([3], seed, -0.5, 0.5))
        cos, sin = tf.cos(angle), tf.sin(angle)
        matrix = tf.stack([cos, -sin, 20.0 * x, sin, cos, 20.0 * y, 0.0, 0.0])
        rotated = tf.raw_ops.ImageProjectiveTransformV3(
            images=image[None],
            transforms=matrix[None],
            output_shape=[160, 160],
            fill_value=0.0,
            interpolation="BILINEAR",
        )[0]
        return tf.where(rotated < 128, rotated, 255 - rotated)

    return Dataset.zip(decoded(folder), seeds()).map(transform, AUTOTUNE).batch(32)


@pipeline
def mosaic(folder):
    def tile(photos):
        top = tf.concat([photos[0], photos[1]], 1)
        bottom = tf.concat([photos[2], photos[3]], 1)
        return tf.image.resize(tf.concat([top, bottom], 0), [160, 160])

    return decoded(folder).batch(4, drop_remainder=True).map(tile, AUTOTUNE).batch(16)


@pipeline
def segmentation(folder):
    features = {"image": scalar(tf.string), "mask": scalar(tf.string)}

    def prepare(example):
        image = tf.image.resize(tf.io.decode_png(example["image"], 3), [256, 256])
        mask = tf.image.resize(tf.io.decode_png(example["mask"], 1), [256, 256], "nearest")
        return image / 255.0, tf.one_hot(mask[:, :, 0], 21)

    return parsed(folder, "masks", features).map(prepare, AUTOTUNE).batch(8)


@pipeline
def video_clips(folder):
    def clip(frames, seed):
        begin = tf.random.stateless_uniform([], seed, 0, 16, tf.int32)
        frames = tf.image.resize(frames[begin : begin + 16], [112, 112])
        return tf.image.stateless_random_flip_left_right(frames / 255.0, seed)

    videos = decoded(folder).batch(32, drop_remainder=True)
    return Dataset.zip(videos, seeds()).map(clip, AUTOTUNE).batch(2)


@pipeline
def thumbnails(folder):
    def prepare(example):
        image = tf.io.decode_jpeg(example["image"], 3, ratio=2, dct_method="INTEGER_FAST")
        return tf.cast(tf.image.resize(image, [96, 96], "area"), tf.uint8)

    return images(folder).map(prepare, AUTOTUNE).batch(64)


@pipeline
def decoded_photos(folder):
    """A photo of 500 x 375 pixels at a time, on one thread."""

    def prepare(example):
        image = tf.image.resize(tf.io.decode_jpeg(example["image"], 3), [SIZE, SIZE])
        return tf.cast(image, tf.uint8)

    return images(folder).map(prepare)


@pipeline
def encoded_photos(folder):
    """A photo of 500 x 375 pixels at a time, on one thread."""
    photos = images(folder).take(32).map(lambda example: tf.io.decode_jpeg(example["image"], 3))
    return photos.cache().repeat().map(tf.io.encode_jpeg)


# Detection

BOX = {
    **{name: tf.io.VarLenFeature(tf.float32) for name in ("ymin", "xmin", "ymax", "xmax")},
    "label": tf.io.VarLenFeature(tf.int64),
}


def boxes(folder: pathlib.Path) -> Dataset:
    def stack(example):
        sides = [tf.sparse.to_dense(example[side]) for side in ("ymin", "xmin", "ymax", "xmax")]
        return tf.stack(sides, 1), tf.sparse.to_dense(example["label"])

    return parsed(folder, "boxes", BOX).map(stack, AUTOTUNE)


@pipeline
def boxes_of_a_fixed_number(folder):
    def pad(box, label):
        missing = 40 - tf.shape(box)[0]
        return tf.pad(box, [[0, missing], [0, 0]]), tf.pad(label, [[0, missing]], constant_values=-1)

    return boxes(folder).map(pad, AUTOTUNE).batch(64)


@pipeline
def padded_boxes(folder):
    return boxes(folder).padded_batch(64, ([40, 4], [40]))


@pipeline
def anchors(folder):
    y, x = tf.meshgrid(tf.linspace(0.0, 0.9, 16), tf.linspace(0.0, 0.9, 16), indexing="ij")
    grid = tf.reshape(tf.stack([y, x, y + 0.2, x + 0.2], -1), [-1, 4])

    def match(box, label):
        low = tf.maximum(grid[:, None, :2], box[None, :, :2])
        high = tf.minimum(grid[:, None, 2:], box[None, :, 2:])
        common = tf.reduce_prod(tf.maximum(high - low, 0.0), -1)
        areas = tf.reduce_prod(box[:, 2:] - box[:, :2], -1)
        overlap = common / (0.04 + areas[None, :] - common)
        best = tf.argmax(overlap, 1)
        return tf.where(tf.reduce_max(overlap, 1) > 0.3, tf.gather(label, best), 0), tf.gather(box, best)

    return boxes(folder).map(match, AUTOTUNE).batch(32)


@pipeline
def suppressed_boxes(folder):
    def keep(box, label):
        scores = tf.cast(label, tf.float32) / 91.0
        kept = tf.image.non_max_suppression_padded(box, scores, 20, pad_to_max_output_size=True)[0]
        return tf.gather(box, kept), tf.gather(label, kept)

    return boxes(folder).map(keep, AUTOTUNE).batch(32)


# Text


@pipeline
def hashed_words(folder):
    def tokens(line):
        clean = tf.strings.regex_replace(tf.strings.lower(line), r"<br\s*/?>|[^a-zäöüß ]", " ")
        return tf.strings.to_hash_bucket_fast(tf.strings.split(clean), 20_000)[:32]

    return text_lines(folder).map(tokens, AUTOTUNE).padded_batch(64, [32])


@pipeline
def vocabulary(folder):
    words = tf.constant(["the", "of", "and", "to", "data", "tensor", "batch", "worker"])
    ids = tf.lookup.KeyValueTensorInitializer(words, tf.range(2, 10, dtype=tf.int64))
    table = tf.lookup.StaticVocabularyTable(ids, 4)

    def tokens(line):
        return table.lookup(tf.strings.split(line))[:32]

    return text_lines(folder).map(tokens, AUTOTUNE).padded_batch(64, [32])


@pipeline
def byte_windows(folder):
    content = text_lines(folder).map(lambda line: tf.cast(tf.io.decode_raw(line, tf.uint8), tf.int32))
    windows = content.unbatch().batch(129, drop_remainder=True)
    return windows.map(lambda window: (window[:-1], window[1:])).batch(64)


@pipeline
def masked_tokens(folder):
    def mask(line, seed):
        ids = tf.strings.to_hash_bucket_fast(tf.strings.split(line), 30_000)[:64]
        ids = tf.pad(ids, [[0, 64 - tf.size(ids)]])
        masked = (tf.random.stateless_uniform([64], seed) < 0.15) & (ids > 0)
        return tf.where(masked, tf.constant(30_001, tf.int64), ids), tf.where(masked, ids, -1)

    return Dataset.zip(text_lines(folder), seeds()).map(mask, AUTOTUNE).batch(64)


@pipeline
def ngrams(folder):
    def features(line):
        words = tf.strings.split(tf.strings.strip(line))
        both = tf.concat([words, tf.strings.ngrams(words, 2)], 0)
        return tf.math.bincount(tf.cast(tf.strings.to_hash_bucket_fast(both, 512), tf.int32), minlength=512)

    return text_lines(folder).map(features, AUTOTUNE).batch(64)


@pipeline
def buckets_by_length(folder):
    tokens = text_lines(folder).map(lambda line: tf.strings.to_hash_bucket_fast(tf.strings.split(line), 1000))
    return tokens.bucket_by_sequence_length(tf.size, [8, 16, 24], [64, 48, 32, 16])


@pipeline
def translation_pairs(folder):
    def tokens(line):
        return tf.strings.to_hash_bucket_fast(tf.strings.split(line), 8000)

    pairs = Dataset.zip(text_lines(folder), text_lines(folder).skip(1))
    pairs = pairs.map(lambda first, second: (tokens(first), tokens(second)), AUTOTUNE)
    return pairs.filter(lambda first, second: tf.size(first) < 2 * tf.size(second)).padded_batch(64)


@pipeline
def characters(folder):
    lines = text_lines(folder).batch(64)
    return lines.map(lambda batch: tf.strings.unicode_decode(batch, "UTF-8").to_tensor(shape=[None, 100]), AUTOTUNE)


@pipeline
def packed_sequences(folder):
    tokens = text_lines(folder).map(lambda line: tf.strings.to_hash_bucket_fast(tf.strings.split(line), 8000))
    return tokens.unbatch().batch(256, drop_remainder=True).shuffle(64, seed=1).batch(16)


# Audio


def waves(folder: pathlib.Path) -> Dataset:
    examples = parsed(folder, "audio", {"wav": scalar(tf.string), "label": scalar(tf.int64)})
    return examples.map(lambda example: tf.audio.decode_wav(example["wav"], 1).audio[:, 0])


def mel_spectrogram(wave):
    power = tf.abs(tf.signal.stft(wave, 400, 160, 512))
    weights = tf.signal.linear_to_mel_weight_matrix(80, 257, 16_000, 80.0, 7600.0)
    return tf.math.log(tf.matmul(power, weights) + 1e-6)


@pipeline
def spectrograms(folder):
    return waves(folder).map(mel_spectrogram, AUTOTUNE).batch(16)


@pipeline
def cepstra(folder):
    def features(wave):
        return tf.signal.mfccs_from_log_mel_spectrograms(mel_spectrogram(wave))[..., :13]

    return waves(folder).map(features, AUTOTUNE).batch(16)


@pipeline
def noisy_speech(folder):
    def augment(wave, seed):
        noise = tf.random.stateless_normal([16_000], seed, stddev=0.01)
        gain = tf.random.stateless_uniform([], seed, 0.5, 1.5)
        return tf.clip_by_value(tf.roll(wave, seed[0] % 1600, 0) * gain + noise, -1.0, 1.0)

    seconds = waves(folder).map(lambda wave: tf.ensure_shape(wave, [16_000]))
    return Dataset.zip(seconds, seeds()).map(augment, AUTOTUNE).batch(16)


@pipeline
def frame_energies(folder):
    def energies(wave):
        return tf.math.log(tf.reduce_mean(tf.square(tf.signal.frame(wave, 400, 160)), -1) + 1e-9)

    return waves(folder).map(energies, AUTOTUNE).batch(16)


# Tables

CSV_DEFAULTS = [0, *[0.0] * 8, 0, ""]


@pipeline
def csv_lines(folder):
    def features(line):
        key, *columns, label, words = tf.io.decode_csv(line, CSV_DEFAULTS)
        return tf.stack(columns), tf.one_hot(label, 100), tf.strings.to_hash_bucket_fast(words, 100)

    rows = tf.data.TextLineDataset(files(folder, "tables")).repeat()
    return rows.map(features, AUTOTUNE).batch(256)


@pipeline
def csv_batches(folder):
    rows = tf.data.TextLineDataset(files(folder, "tables")).repeat().batch(256)
    return rows.map(lambda lines: tf.io.decode_csv(lines, CSV_DEFAULTS), AUTOTUNE)


def twenty_features() -> dict:
    return {
        **{f"float{i}": scalar(tf.float32) for i in range(10)},
        **{f"int{i}": scalar(tf.int64) for i in range(5)},
        **{f"string{i}": scalar(tf.string) for i in range(5)},
    }


@pipeline
def examples_of_twenty_features(folder):
    batches = records(folder, "features").batch(256)
    return batches.map(lambda batch: tf.io.parse_example(batch, twenty_features()), AUTOTUNE)


@pipeline
def crossed_features(folder):
    def cross(example):
        strings = [example[f"string{i}"] for i in range(5)]
        pairs = [tf.strings.join([a, b], "_x_") for a, b in zip(strings, strings[1:])]
        floats = tf.stack([example[f"float{i}"] for i in range(10)])
        return tf.strings.to_hash_bucket_fast(tf.stack(pairs), 10_000), tf.math.log1p(tf.abs(floats))

    return parsed(folder, "features", twenty_features()).map(cross, AUTOTUNE).batch(256)


@pipeline
def time_series(folder):
    series = Dataset.counter().map(lambda step: tf.sin(tf.cast(step, tf.float32) / 24.0))
    windows = series.window(48, shift=8, drop_remainder=True).flat_map(lambda window: window.batch(48))
    return windows.map(lambda window: (window[:36], window[36:])).shuffle(256, seed=1).batch(64)


@pipeline
def shuffled_rows(folder):
    rows = tf.random.stateless_normal([20_000, 8], [1, 2])
    table = Dataset.from_tensor_slices({"row": rows, "label": tf.range(20_000)}).repeat()
    return table.shuffle(100_000, seed=1).batch(256)


# Recommenders

CLICK = {
    "user": scalar(tf.string),
    "item": scalar(tf.string),
    "history": tf.io.RaggedFeature(tf.int64),
    "rating": scalar(tf.float32),
    "time": scalar(tf.int64),
}


@pipeline
def ratings(folder):
    def features(example):
        user = tf.strings.to_hash_bucket_fast(example["user"], 5000)
        item = tf.strings.to_hash_bucket_fast(example["item"], 2000)
        return user, item, (example["rating"] - 1.0) / 4.0

    return parsed(folder, "clicks", CLICK).map(features, AUTOTUNE).batch(1024)


@pipeline
def negative_samples(folder):
    def sample(example, seed):
        item = tf.strings.to_hash_bucket_fast(example["item"], 2000)
        others = tf.random.stateless_uniform([8], seed, 0, 2000, tf.int64)
        return tf.concat([item[None], others], 0), tf.one_hot(0, 9)

    return Dataset.zip(parsed(folder, "clicks", CLICK), seeds()).map(sample, AUTOTUNE).batch(512)


@pipeline
def histories(folder):
    def features(example):
        return example["history"][-20:], example["rating"]

    return parsed(folder, "clicks", CLICK).map(features, AUTOTUNE).padded_batch(256, ([20], []))


@pipeline
def multi_hot(folder):
    def features(batch):
        parsed_batch = tf.io.parse_example(batch, {"history": tf.io.VarLenFeature(tf.int64)})
        return tf.sparse.to_indicator(parsed_batch["history"], 2000)

    return records(folder, "clicks").batch(64).map(features, AUTOTUNE)


@pipeline
def interleaved_files(folder):
    by_file = Dataset.from_tensor_slices(files(folder, "clicks")).repeat()
    examples = by_file.interleave(tf.data.TFRecordDataset, 4, 2, AUTOTUNE)
    ratings_only = {"rating": scalar(tf.float32)}
    return examples.batch(256).map(lambda batch: tf.io.parse_example(batch, ratings_only), AUTOTUNE)


@pipeline
def prefetched_rows(folder):
    """A prefetch of one row, where one of a batch was meant."""
    return records(folder, "clicks").map(tf.strings.length, 2).prefetch(1).batch(256).prefetch(1)


@pipeline
def sessions_by_user(folder):
    def user(example):
        return tf.strings.to_hash_bucket_fast(example["user"], 16)

    def batch(_, window):
        return window.map(lambda example: example["time"]).batch(32)

    return parsed(folder, "clicks", CLICK).group_by_window(user, batch, 32)


@pipeline
def weighted_sources(folder):
    sources = [records(folder, kind).map(tf.strings.length) for kind in ("clicks", "features", "boxes")]
    return Dataset.sample_from_datasets(sources, [0.5, 0.3, 0.2], seed=1).batch(256)

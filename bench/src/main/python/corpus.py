"""Generates the files that the benchmark's pipelines read, the same ones at every run: corpus.py FOLDER"""

import pathlib
import sys

import numpy as np
import tensorflow as tf

SEED = 7
FILES, RECORDS_PER_FILE = 8, 64
LINES_PER_FILE = 2_000
AUDIO_RATE = 16_000
WORDS = [
    *"the of and to in a is that for it as was with be by on not he his but at are this have from or had an they".split(),
    *"which one you were her all she there would their we him been has when who will more no if out so said what".split(),
    *"Straße café naïve Zürich data pipeline tensor elements shuffle batch worker dispatcher".split(),
]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    random = np.random.RandomState(SEED)
    write(folder / "images", lambda file: write_records(file, image_examples(random)))
    write(folder / "masks", lambda file: write_records(file, mask_examples(random)))
    write(folder / "boxes", lambda file: write_records(file, box_examples(random)))
    write(folder / "audio", lambda file: write_records(file, audio_examples(random)))
    write(folder / "clicks", lambda file: write_records(file, click_examples(random)))
    write(folder / "features", lambda file: write_records(file, feature_examples(random)))
    write(folder / "text", lambda file: file.write_text("".join(lines(random)), encoding="utf-8"))
    write(folder / "tables", lambda file: file.write_text("".join(table_rows(random))))
    (folder / "complete").touch()


def write(folder: pathlib.Path, write_file) -> None:
    folder.mkdir(parents=True)
    for number in range(FILES):
        write_file(folder / f"part-{number:05}")


def write_records(file: pathlib.Path, examples) -> None:
    with tf.io.TFRecordWriter(str(file)) as writer:
        for features in examples:
            feature = {name: as_feature(values) for name, values in features.items()}
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def as_feature(values) -> tf.train.Feature:
    if values and isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def photo(random, height: int, width: int) -> np.ndarray:
    """Smooth gradients, edges and some noise: it compresses about as photos do."""
    y, x = np.mgrid[0:height, 0:width]
    waves = [np.sin(x / random.uniform(9, 60) + y / random.uniform(9, 60) + random.uniform(6)) for _ in range(3)]
    image = 128 + 80 * np.stack(waves, -1) + random.normal(0, 6, (height, width, 3))
    image[: height // 3, : width // 4] = random.uniform(0, 255, 3)
    return np.clip(image, 0, 255).astype(np.uint8)


def image_examples(random):
    for _ in range(RECORDS_PER_FILE):
        jpeg = tf.io.encode_jpeg(photo(random, 375, 500), quality=90).numpy()
        yield {"image": [jpeg], "label": [int(random.randint(1000))]}


def mask_examples(random):
    for _ in range(RECORDS_PER_FILE):
        image = tf.io.encode_png(photo(random, 128, 128)).numpy()
        mask = tf.io.encode_png(np.repeat(random.randint(0, 21, (128, 16, 1)), 8, 1).astype(np.uint8)).numpy()
        yield {"image": [image], "mask": [mask]}


def box_examples(random):
    for _ in range(4 * RECORDS_PER_FILE):
        count = random.randint(1, 40)
        low, high = random.uniform(0, 0.6, (2, count)), random.uniform(0.1, 0.4, (2, count))
        features = {"ymin": low[0], "xmin": low[1], "ymax": low[0] + high[0], "xmax": low[1] + high[1]}
        yield {
            **{name: [float(value) for value in values] for name, values in features.items()},
            "label": [int(label) for label in random.randint(1, 91, count)],
        }


def audio_examples(random):
    for _ in range(RECORDS_PER_FILE):
        time = np.arange(AUDIO_RATE) / AUDIO_RATE
        wave = sum(np.sin(2 * np.pi * random.uniform(80, 4000) * time) / 8 for _ in range(5))
        wave = (wave + random.normal(0, 0.02, AUDIO_RATE)).astype(np.float32)[:, None]
        yield {"wav": [tf.audio.encode_wav(wave, AUDIO_RATE).numpy()], "label": [int(random.randint(35))]}


def click_examples(random):
    for _ in range(20 * RECORDS_PER_FILE):
        yield {
            "user": [f"user-{random.randint(5000)}".encode()],
            "item": [f"item-{random.randint(2000)}".encode()],
            "history": [int(item) for item in random.randint(1, 2000, random.randint(1, 50))],
            "rating": [float(random.randint(1, 6))],
            "time": [int(random.randint(1 << 30))],
        }


def feature_examples(random):
    """Twenty features: ten floats, five ints and five strings."""
    for _ in range(10 * RECORDS_PER_FILE):
        floats = {f"float{i}": [float(random.normal())] for i in range(10)}
        ints = {f"int{i}": [int(random.randint(1 << 40))] for i in range(5)}
        strings = {f"string{i}": [f"category-{random.randint(100)}".encode()] for i in range(5)}
        yield {**floats, **ints, **strings}


def lines(random):
    for _ in range(LINES_PER_FILE):
        words = random.choice(WORDS, random.randint(3, 30))
        yield " ".join(words).capitalize() + random.choice([".", "!", "?", " ... <br/>"]) + "\n"


def table_rows(random):
    for row in range(LINES_PER_FILE):
        numbers = ",".join(f"{value:.4f}" for value in random.normal(size=8))
        yield f'{row},{numbers},{random.randint(100)},"{random.choice(WORDS)}, {random.choice(WORDS)}"\n'


if __name__ == "__main__":
    main()

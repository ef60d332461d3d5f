"""One of four trainers that read batches of text of similar lengths in step: bucketed_text.py DISPATCHER INDEX

Prints a line for each step: the padded length, the worker's mark, the numbers of the lines, and their padded words.
"""

import sys

import tensorflow as tf

DISPATCHER, INDEX = sys.argv[1:]
TRAINERS, STEPS, BATCH = 4, 24, 2
TEXT = "LICENSE"

words = sorted(set(open(TEXT).read().split()))[::2]
table = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(words, tf.range(1, len(words) + 1, dtype=tf.int64)), num_oov_buckets=3
)


def lines(mark):
    """The text, time and again. A line's number is never used twice."""
    text = tf.data.TextLineDataset(TEXT).filter(lambda line: tf.strings.length(tf.strings.strip(line)) > 0)
    return text.shuffle(1000, seed=2).repeat().enumerate().map(
        lambda number, line: (mark, number, table.lookup(tf.strings.split(line)))
    )


dataset = (
    # Each worker draws a mark of its own.
    tf.data.Dataset.range(1)
    .map(lambda _: tf.random.uniform([], maxval=tf.int64.max, dtype=tf.int64))
    .flat_map(lines)
    .bucket_by_sequence_length(
        lambda mark, number, words: tf.size(words),
        bucket_boundaries=[4, 8, 12],
        bucket_batch_sizes=[BATCH] * 4,
        drop_remainder=True,
    )
    # Rounds of four batches whose lengths are equal.
    .group_by_window(
        key_func=lambda marks, numbers, words: tf.shape(words, out_type=tf.int64)[1],
        reduce_func=lambda _, batches: tf.data.Dataset.from_tensors(batches),
        window_size=TRAINERS,
    )
    .flat_map(lambda batches: batches)
    .repeat()
    .apply(
        tf.data.experimental.service.distribute(
            "parallel_epochs", DISPATCHER, job_name="text", consumer_index=int(INDEX), num_consumers=TRAINERS
        )
    )
)
for marks, numbers, words in dataset.take(STEPS):
    (mark,) = set(marks.numpy().tolist())
    print(words.shape[1], mark, *numbers.numpy(), *words.numpy().flatten())

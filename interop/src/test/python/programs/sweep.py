"""A trainer of a sweep that shares augmented images with the others': sweep.py DISPATCHER TRAINER PAUSE

It pauses for PAUSE seconds after each image, until it has read a hundred of each of two workers. Prints a line for each
image: the worker's mark, the image's number, and its augmented pixel.
"""

import collections
import sys
import time

import tensorflow as tf

DISPATCHER, TRAINER, PAUSE = sys.argv[1:]
WORKERS, ENOUGH = 2, 100
service = tf.data.experimental.service


def images(mark):
    return tf.data.Dataset.range(1000).repeat().enumerate().map(lambda number, _: (mark, number, tf.random.uniform([])))


dataset = (
    # Each worker draws a mark of its own.
    tf.data.Dataset.range(1)
    .map(lambda _: tf.random.uniform([], maxval=tf.int64.max, dtype=tf.int64))
    .flat_map(images)
    .repeat()
    .apply(
        service.distribute(
            "parallel_epochs",
            DISPATCHER,
            job_name="sweep",
            cross_trainer_cache=service.CrossTrainerCache(trainer_id=TRAINER),
        )
    )
)
read = collections.Counter()
for mark, number, pixel in dataset.as_numpy_iterator():
    print(mark, number, pixel)
    read[mark] += 1
    if len(read) == WORKERS and min(read.values()) >= ENOUGH:
        break
    time.sleep(float(PAUSE))

"""An evaluation that reads its dataset to the end time and again: evaluate.py DISPATCHER

Prints a line for each time: the elements, sorted.
"""

import sys
import time

import tensorflow as tf

(DISPATCHER,) = sys.argv[1:]

dataset = (
    tf.data.Dataset.range(100)
    .filter(lambda x: x % 3 != 0)
    .map(lambda x: (x, tf.sqrt(tf.cast(x, tf.float32))))
    .apply(tf.data.experimental.service.distribute("distributed_epoch", DISPATCHER))
)
for _ in range(5):
    print(*(f"{number} {value!r}" for number, value in sorted(dataset.as_numpy_iterator())))
    time.sleep(0.1)

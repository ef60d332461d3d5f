"""Reads a dataset that was saved in FOLDER through the service: load.py DISPATCHER FOLDER

Prints its structure, and then its elements, sorted.
"""

import sys

import tensorflow as tf

DISPATCHER, FOLDER = sys.argv[1:]

dataset = tf.data.Dataset.load(FOLDER).apply(
    tf.data.experimental.service.distribute("distributed_epoch", DISPATCHER)
)
print(sorted(dataset.element_spec.items()))
for line in sorted(f"{e['caption'].decode()} {e['image'].tolist()} {e['boxes'].tolist()}" for e in dataset.as_numpy_iterator()):
    print(line)

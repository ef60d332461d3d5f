"""A trainer that shares the epochs of an experiment with the experiment's others: experiment.py DISPATCHER NAME SIZE

Prints a line for each epoch: the elements that this trainer got.
"""

import sys
import time

import tensorflow as tf

DISPATCHER, NAME, SIZE = sys.argv[1:]

dataset = (
    tf.data.Dataset.range(int(SIZE))
    .map(lambda x: x * x)
    .apply(tf.data.experimental.service.distribute("distributed_epoch", DISPATCHER, job_name=NAME))
)
for epoch in range(3):
    elements = []
    for element in dataset.as_numpy_iterator():
        elements.append(element)
        time.sleep(0.002)
    print(*elements)

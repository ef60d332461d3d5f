"""Has the service save a prepared dataset in FOLDER, and reads it back: save.py DISPATCHER FOLDER

Prints its structure, and then its elements, sorted.
"""

import sys

import tensorflow as tf

DISPATCHER, FOLDER = sys.argv[1:]


def prepare(number):
    return {
        "image": tf.cast(tf.fill([4, 4, 1], number % 256), tf.uint8),
        "caption": tf.strings.join(["image ", tf.strings.as_string(number)]),
        "boxes": tf.fill([number % 3, 4], tf.cast(number, tf.float32) / 7),
    }


dataset = tf.data.Dataset.range(300).map(prepare, num_parallel_calls=tf.data.AUTOTUNE)
tf.data.experimental.distributed_save(dataset, FOLDER, DISPATCHER)
saved = tf.data.Dataset.load(FOLDER, wait=True)
print(sorted(saved.element_spec.items()))
for line in sorted(f"{e['caption'].decode()} {e['image'].tolist()} {e['boxes'].tolist()}" for e in saved.as_numpy_iterator()):
    print(line)

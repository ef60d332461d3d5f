"""Writes the table of UnicodeScripts.java from stock TensorFlow's UnicodeScript of every code point.

    python kernels/src/test/oracle/unicode_scripts.py

A line for each run of code points of one script: its first code point and ICU's script number.
"""

import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

TABLE = "main/resources/io/headrace/kernels/text/unicode-scripts.txt"

scripts = tf.raw_ops.UnicodeScript(input=np.arange(0x110000, dtype=np.int32)).numpy()
starts = [0, *(np.flatnonzero(np.diff(scripts)) + 1)]
path = pathlib.Path(__file__).resolve().parents[2] / TABLE
path.write_text("".join("%x %d\n" % (start, scripts[start]) for start in starts))
print(path, len(starts))

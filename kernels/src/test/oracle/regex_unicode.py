"""Writes the table of UnicodeGroups.java from stock TensorFlow's matches of every code point.

    python kernels/src/test/oracle/regex_unicode.py

The names of the scripts to look for are the arguments. A line for each group of code points that RE2 knows: its name, then its ranges as first and last
code point in hexadecimal, each relative to the number before it. The lines that begin with "=" are
sets of code points that match one another regardless of case.
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np
import tensorflow as tf

TABLE = "main/resources/io/headrace/kernels/regex/unicode-groups.txt"
POINTS = np.array([chr(c).encode("utf-8", "surrogatepass") for c in range(0x110000)], dtype=object)
CATEGORIES = [
    "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No",
    "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
]  # fmt: skip


def matches(pattern, texts):
    return tf.strings.regex_full_match(texts, pattern).numpy()


def is_known(name):
    try:
        return matches("\\p{%s}" % name, [b""]) is not None
    except tf.errors.InvalidArgumentError:
        return False


def ranges(name, points):
    edges = np.flatnonzero(np.diff(np.concatenate([[False], matches("\\p{%s}" % name, points), [False]])))
    deltas = np.diff(np.concatenate([[0], edges]))
    return " ".join("%x" % delta for delta in deltas)


def fold_sets():
    cased = [
        c
        for c in range(0x110000)
        if not 0xD800 <= c < 0xE000 and {chr(c).lower(), chr(c).upper(), chr(c).title(), chr(c).casefold()} != {chr(c)}
    ]
    texts = tf.constant(POINTS[cased])
    sets = set()
    for c in cased:
        same = np.flatnonzero(matches("(?i)\\x{%x}" % c, texts))
        if len(same) > 1:
            sets.add(tuple(cased[i] for i in same))
    return sorted(sets)


def main(scripts):
    points = tf.constant(POINTS)
    lines = []
    for name in CATEGORIES + sorted(set(scripts)):
        if is_known(name):
            lines.append(name + " " + ranges(name, points))
    lines += ["= " + " ".join("%x" % c for c in fold) for fold in fold_sets()]
    path = pathlib.Path(__file__).resolve().parents[2] / TABLE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines))
    print(path, len(lines))


main(sys.argv[1:])

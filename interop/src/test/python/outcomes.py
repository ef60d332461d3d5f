"""Results or errors of steps, for comparison between servers."""

import re

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1


def plain(value):
    """Nested lists of numbers and bytes."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, tf1.SparseTensorValue):
        return plain(list(value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    value = np.asarray(value)
    return [str(value.dtype), value.shape, value.ravel().tolist()]


def outcome(function):
    """The result of a call, or its error: the type and the kernel's message, without the graph's context."""
    try:
        return plain(function())
    except tf.errors.OpError as e:
        lines = e.message.split("\n\t [[")[0].split(" [[")[0].split("\n")
        while any(line.startswith("Node: ") for line in lines):
            lines.pop(0)
        message = "\n".join(line for line in lines if not line.startswith("From /job:"))
        return [type(e).__name__, re.sub(r"'_\d+_", "'_N_", re.sub(r"_\d+(?=[:@\]]| has al)", "_N", message))]


def same(a, b):
    """Whether two outcomes are equal, with a tolerance for floating-point numbers."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True))
    if isinstance(a, str) and isinstance(b, str):
        return shared(a) == shared(b)
    return a == b


def shared(message):
    """A message without the numbers in the names of anonymous resources."""
    return re.sub(r"\b_\d+_", "_", message)


def differences(stock, here):
    """The differences of two lists of outcomes."""
    if len(stock) != len(here):
        return ["stock: %s" % stock, "here:  %s" % here]
    wrong = [i for i in range(len(stock)) if not same(stock[i], here[i])]
    return ["%d: stock: %s\n   here:  %s" % (i, stock[i], here[i]) for i in wrong]


def ordered(value):
    """Converts results of steps to plain values; outcomes are plain already."""
    if isinstance(value, (list, tuple)):
        return [ordered(v) for v in value]
    if isinstance(value, dict):
        return [[str(k), ordered(v)] for k, v in sorted(value.items(), key=str)]
    return value if isinstance(value, (str, int, float, bool, bytes)) else plain(value)

"""Headrace's engine in the JVM that started this script, behind standard input and output (ScriptEngine.java).

Integers are 4 bytes, big endian; bytes and texts follow their length. Importing this module makes standard error
what `print` writes to.
"""

import os
import signal
import struct
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

_out = os.fdopen(os.dup(1), "wb", 1 << 16)
_in = os.fdopen(os.dup(0), "rb", 1 << 16)
os.dup2(2, 1)
sys.stdout = sys.stderr

BUG = -1


class Answer:
    """A status code, and outputs where it is 0: numpy arrays, None for a variant or a resource."""

    def __init__(self, code, message, outputs):
        self.code = code
        self.message = message
        self.outputs = outputs


def begin(number: int, label: str) -> None:
    """Says which case begins, in case that it ends this process; it has a minute, then it does."""
    signal.alarm(60)
    _out.write(b"b" + struct.pack(">i", number))
    _text(label)
    _out.flush()


def outcome(text: str) -> None:
    """Counts a case."""
    _out.write(b"r")
    _text(text)


def name(kind: str, text: str) -> None:
    """Counts a name, once."""
    _out.write(b"n")
    _text(kind)
    _text(text)


def suspect(text: str) -> None:
    """Says how a case fails before it is shrunk, in case that this ends the process."""
    _out.write(b"s")
    _text(text)
    _out.flush()


def failure(text: str) -> None:
    _out.write(b"x")
    _text(text)
    _out.flush()


def end() -> None:
    _out.write(b"e")
    _out.flush()


def ops() -> dict[str, tuple[bool, dict[str, list[int]]]]:
    """The ops that Headrace declares: whether each is free of effects, and the dtypes of its attrs."""
    _out.write(b"o")
    _out.flush()
    found = {}
    for _ in range(_int()):
        op = _read_text()
        free = _int() == 1
        found[op] = (free, {_read_text(): [_int() for _ in range(_int())] for _ in range(_int())})
    return found


def call(function, rows: list[list[np.ndarray]], captured: list[np.ndarray]) -> tuple[list[Answer], list[Answer]]:
    """The answers for each row alone, and those for all rows at once, up to the first that fails."""
    _out.write(b"f")
    _bytes(function.SerializeToString())
    _tensors(captured)
    _out.write(struct.pack(">i", len(rows)))
    for row in rows:
        _tensors(row)
    _out.flush()
    alone = [_answer() for _ in rows]
    together = [Answer(0, "", _read_tensors()) for _ in range(_int())]
    code, message = _int(), _read_text()
    if code != 0:
        together.append(Answer(code, message, []))
    return alone, together


def read(graph: bytes, most: int, chunk_rows: int) -> tuple[Answer, list[list[np.ndarray]]]:
    """How a dataset ends, and its elements before that."""
    _out.write(b"d")
    _bytes(graph)
    _out.write(struct.pack(">ii", most, chunk_rows))
    _out.flush()
    code, message = _int(), _read_text()
    return Answer(code, message, []), [_read_tensors() for _ in range(_int())]


def _answer() -> Answer:
    code, message = _int(), _read_text()
    return Answer(code, message, _read_tensors() if code == 0 else [])


def _bytes(value: bytes) -> None:
    _out.write(struct.pack(">i", len(value)))
    _out.write(value)


def _text(value: str) -> None:
    _bytes(value.encode(errors="replace"))


def _tensors(arrays: list[np.ndarray]) -> None:
    _out.write(struct.pack(">i", len(arrays)))
    for array in arrays:
        _bytes(_message(array))


def _message(array: np.ndarray) -> bytes:
    dtype = tf.string if array.dtype == object else tf.as_dtype(array.dtype)
    message = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum)
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    if dtype == tf.string:
        message.string_val.extend(array.flatten().tolist())
    else:
        message.tensor_content = array.tobytes()
    return message.SerializeToString()


def _int() -> int:
    return struct.unpack(">i", _exactly(4))[0]


def _read_text() -> str:
    return _exactly(_int()).decode(errors="replace")


def _exactly(count: int) -> bytes:
    data = _in.read(count)
    if len(data) != count:
        os._exit(3)  # the JVM has gone
    return data


def _read_tensors() -> list[np.ndarray]:
    return [_array(_exactly(_int())) for _ in range(_int())]


def _array(data: bytes):
    message = tensor_pb2.TensorProto.FromString(data)
    dtype = tf.as_dtype(message.dtype)
    if dtype in (tf.variant, tf.resource):
        return None
    shape = [dim.size for dim in message.tensor_shape.dim]
    if dtype == tf.string:
        flat = np.empty(len(message.string_val), object)
        flat[:] = list(message.string_val)
        return flat.reshape(shape)
    numbers = np.dtype(dtype.as_numpy_dtype)
    if numbers.fields:
        numbers = numbers[0]  # quantized, which stock answers as plain integers
    return np.frombuffer(message.tensor_content, numbers).reshape(shape)

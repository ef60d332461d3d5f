"""Elements as comparable bytes: a file of length-prefixed UncompressedElement messages."""

import pathlib

import tensorflow as tf
from google.protobuf import proto
from tensorflow.core.framework import dataset_pb2
from tensorflow.core.framework import tensor_pb2

CODES = {
    code: name for name, code in vars(tf.errors).items() if name.isupper() and type(code) is int
}


def dump(dataset: tf.data.Dataset, path: pathlib.Path) -> tuple[int, str]:
    """Writes every element; returns their number, and "" or "CODE: message" of the error that ended it."""
    count = 0
    with path.open("wb") as file:
        try:
            for element in dataset:
                proto.serialize_length_prefixed(as_message(element), file)
                count += 1
        except Exception as error:
            return count, description(error)
    return count, ""


def description(error: Exception) -> str:
    """"CODE: message"; for errors other than TensorFlow's, the type's name instead of the code."""
    if isinstance(error, tf.errors.OpError):
        return f"{CODES[error.error_code]}: {error.message}"
    return f"{type(error).__name__}: {error}"


def as_message(element) -> dataset_pb2.UncompressedElement:
    """Flattens as the service does: composites (ragged, sparse) become their tensors."""
    tensors = tf.nest.flatten(element, expand_composites=True)
    return dataset_pb2.UncompressedElement(components=[tensor_message(t) for t in tensors])


def tensor_message(tensor: tf.Tensor) -> tensor_pb2.TensorProto:
    message = tensor_pb2.TensorProto(
        dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.shape.as_proto()
    )
    values = tensor.numpy()
    if tensor.dtype == tf.string:
        message.string_val.extend([values] if tensor.shape.rank == 0 else values.flatten().tolist())
    else:
        message.tensor_content = values.tobytes()
    return message


def write_properties(path: pathlib.Path, properties: dict[str, str]) -> None:
    """Writes the format of java.util.Properties."""
    lines = [f"{key}={escaped(value)}\n" for key, value in properties.items()]
    path.write_text("".join(lines))


def escaped(value: str) -> str:
    return value.encode("unicode_escape").decode().replace("\\x", "\\u00")

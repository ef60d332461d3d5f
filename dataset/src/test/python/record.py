"""Records stock TensorFlow's results of small pipelines, for RecordedPipelinesTest.

    python record.py [NAME...]      # with TensorFlow 2.21; writes ../resources/.../recorded

Writes for each pipeline NAME.graph, the GraphDef that a client would register, and NAME.elements, the results of
two passes over the dataset of that graph: a line for each element or error.
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

from tensorflow.python.data.ops import dataset_ops

import pipelines

MODULE = pathlib.Path(__file__).resolve().parents[3]
OUT = pipelines.RECORDED
CODES = {
    value: name
    for name, value in vars(tf.errors).items()
    if name.isupper() and isinstance(value, int)
}
PASSES = 2
MOST = 60


def text(value):
    """dtype[shape] and the values: strings in hexadecimal, others as the bytes of each value."""
    array = value.numpy()
    shape = ",".join(str(size) for size in value.shape)
    if value.dtype == tf.string:
        flat = [v.hex() for v in np.asarray(array, dtype=object).reshape(-1)]
        flat = ["'" + v for v in flat]
    elif value.dtype.is_integer:
        flat = [str(int(v)) for v in np.asarray(array).reshape(-1)]
    elif value.dtype == tf.bool:
        flat = [str(int(v)) for v in np.asarray(array).reshape(-1)]
    else:
        flat = [np.asarray(v).tobytes()[::-1].hex() for v in np.asarray(array).reshape(-1)]
    return " ".join(["%s[%s]" % (value.dtype.name, shape)] + flat)


def line(element):
    return " | ".join(text(c) for c in tf.nest.flatten(element)) or "()"


def passes(dataset):
    for number in range(PASSES):
        yield "pass %d" % (number + 1)
        iterator = iter(dataset)
        for _ in range(MOST):
            try:
                yield line(next(iterator))
            except StopIteration:
                yield "end"
                break
            except tf.errors.OpError as e:
                yield "error " + CODES[e.error_code]
        del iterator


def record(name, make):
    dataset = make()
    graph = dataset._as_serialized_graph(
        external_state_policy=tf.data.experimental.ExternalStatePolicy.IGNORE
    )
    (OUT / (name + ".graph")).write_bytes(graph.numpy())
    variant = tf.raw_ops.DatasetFromGraph(graph_def=graph)
    loaded = dataset_ops._VariantDataset(variant, dataset.element_spec)
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    loaded = loaded.with_options(options)
    (OUT / (name + ".elements")).write_text("\n".join(passes(loaded)) + "\n")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    os.chdir(MODULE)
    pipelines.write_files()
    for name, make in pipelines.ALL.items():
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            record(name, make)
            print(name)


if __name__ == "__main__":
    main()

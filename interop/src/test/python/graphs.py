"""Runs datasets that were built elsewhere in stock TensorFlow alone: graphs.py FOLDER

Reads every FOLDER/NAME.pb, a GraphDef as the service transmits it, and writes FOLDER/NAME.elements and
FOLDER/NAME.properties.
"""

import pathlib
import sys

import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.python.data.ops import dataset_ops

import elements


def load(graph: graph_pb2.GraphDef) -> tf.data.Dataset:
    """The dataset in the variant of the last _Retval, with the types declared by its node."""
    result = [node for node in graph.node if node.op == "_Retval"][-1].input[0]
    rest = graph_pb2.GraphDef()
    rest.CopyFrom(graph)
    del rest.node[:]
    rest.node.extend(node for node in graph.node if node.op != "_Retval")
    output = result if ":" in result else result + ":0"

    def build():
        return tf.graph_util.import_graph_def(rest, return_elements=[output], name="")[0]

    function = tf.compat.v1.wrap_function(build, [])
    root = next(node for node in rest.node if node.name == result.partition(":")[0])
    dataset = dataset_ops._VariantDataset(function(), element_spec(root))
    # Keeps its resources (a cache, a seed generator) alive as long as the dataset.
    dataset._function = function
    return dataset


def element_spec(root) -> tuple:
    types = root.attr["output_types"].list.type or root.attr["Toutput_types"].list.type
    if not types:
        return (tf.TensorSpec([], tf.string),)
    shapes = root.attr["output_shapes"].list.shape
    return tuple(tf.TensorSpec(tf.TensorShape(s), tf.as_dtype(t)) for t, s in zip(types, shapes))


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    for path in sorted(folder.glob("*.pb")):
        try:
            dataset = load(graph_pb2.GraphDef.FromString(path.read_bytes()))
            _, error = elements.dump(dataset, path.with_suffix(".elements"))
        except Exception as raised:
            error = elements.description(raised)
        elements.write_properties(path.with_suffix(".properties"), {"error": error})
        print(f"{path.stem}: {error or 'ok'}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""Writes a graph and its feeds: python feeds.py FOLDER. The graph: y = matmul(x, w) + b, t = join of s; and a graph
of an op that Headrace lacks."""
import os, sys
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np
import tensorflow as tf
tf1 = tf.compat.v1
tf1.disable_eager_execution()
folder = sys.argv[1]
with tf1.Graph().as_default() as graph:
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    b = tf1.placeholder(tf.float64, [], name="b")
    s = tf1.placeholder(tf.string, [None], name="s")
    w = tf1.get_variable("w", initializer=tf1.constant([[1.0], [10.0]]), use_resource=True)
    tf1.add(tf1.matmul(x, w), tf1.cast(b, tf.float32), name="y")
    tf1.identity(tf1.strings.reduce_join(s, separator="+"), name="t")
    tf1.global_variables_initializer()
with open(os.path.join(folder, "graph.pb"), "wb") as out:
    out.write(graph.as_graph_def().SerializeToString())
with open(os.path.join(folder, "graph.pbtxt"), "w") as out:
    out.write(str(graph.as_graph_def()))
with tf1.Graph().as_default() as other:
    tf1.raw_ops.SparseMatMul(a=tf1.eye(2), b=tf1.eye(2), name="unknown")
with open(os.path.join(folder, "unknown.pb"), "wb") as out:
    out.write(other.as_graph_def().SerializeToString())
np.save(os.path.join(folder, "x.npy"), np.asfortranarray(np.array([[1, 2], [3, 4], [5, 6]], "f")))
np.save(os.path.join(folder, "s.npy"), np.array(["a", "\u00fcb"]))

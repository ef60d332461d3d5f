"""Sessions by calls of the MasterService, and a graph for them."""

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2

from rows import in_body

tf1 = tf.compat.v1
FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'
GRAPH = f"""
node {{ name: "p" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
node {{ name: "q" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "shape" value {{ shape {{ dim {{ size: 2 }} }} }} }} }}
node {{ name: "two" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{}} float_val: 2 }} }} }} }}
node {{ name: "yes" op: "Const" attr {{ key: "dtype" value {{ type: DT_BOOL }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_BOOL tensor_shape {{}} bool_val: true }} }} }} }}
node {{ name: "y" op: "Mul" input: "p" input: "two" {FLOAT} }}
node {{ name: "z" op: "AddV2" input: "y" input: "q" {FLOAT} }}
node {{ name: "branch" op: "Switch" input: "two" input: "yes" {FLOAT} }}
node {{ name: "nothing" op: "NoOp" }}
"""


def graph(text):
    return text_format.Parse(text, graph_pb2.GraphDef())


def opened(c, text=GRAPH, **config):
    return c.master.CreateSession(graph_def=graph(text), config=tf1.ConfigProto(**config)).session_handle


def fed(name, value, dtype=tf.float32):
    return dict(name=name, tensor=tf.make_tensor_proto(value, dtype))


def step(c, session=None, **request):
    handle = opened(c) if session is None else session
    return in_body(c.master.RunStep(session_handle=handle, store_errors_in_response_body=True, **request))

"""Records what stock TensorFlow's ops answer, for OracleTest to replay through our kernels.

    python kernels/src/test/oracle/record.py              # every family
    python kernels/src/test/oracle/record.py movement ... # these

It needs tensorflow-cpu 2.21 (pip install tensorflow-cpu==2.21.0) and writes
src/test/resources/io/headrace/kernels/oracle/FAMILY.cases.gz, the same bytes each time.

A family is a module of families/ with a function `record(case)`. It calls

    case("OpName", input=value, attr=value, ...)

with the inputs and attrs of the op's declaration. As inputs, Python ints become int32 and floats float32;
numpy arrays and eager tensors keep their dtype; a list of arrays is the value of an input `N * T`. A
tf.Variable is passed as a handle or a reference, as the op requires; the values of the variables after the
call are recorded after the outputs that are not references. Ours must give the same answer: the same outputs,
bit for bit (all NaNs are equal), or the same error code with a message that contains stock's. Options, all
keyword arguments with a leading underscore:

    _ulps=n     tolerance of floats, in units in the last place
    _atol=x     absolute tolerance of floats, sufficient instead of _ulps
    _says=text  the fragment of stock's error message that ours must contain ("" for any message)
    _any_message=True  if stock refuses, ours may say anything
    _calls=n    the number of runs of the same node (stateful ops)
    _shapes=False  does not compare shape inference
    _label=text names the case where op and shapes do not distinguish it

OracleTest replays each case with its inputs at the start of their arrays and within larger arrays, and
compares many rows at once with row by row. It also infers the output shapes from constant inputs, from inputs
of known rank, and from inputs of unknown rank, and compares them with stock's.

The family `ops` holds TensorFlow's declarations of all ops, which ours must equal. The family `kernels` holds
the dtypes of its CPU kernels.
"""

import gzip
import importlib
import inspect
import io
import os
import pathlib
import re
import struct
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # the same answers on each processor

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.core.protobuf import rewriter_config_pb2
from tensorflow.python.framework import kernels
from tensorflow.python.framework import op_def_library
from tensorflow.python.framework import op_def_registry

HERE = pathlib.Path(__file__).resolve().parent
RESOURCES = HERE.parent / "resources/io/headrace/kernels/oracle"


class Recorder:
    """Runs cases on stock TensorFlow and collects them in the format of OracleCase.java."""

    def __init__(self):
        self.count = 0
        self.out = io.BytesIO()

    def __call__(self, op_name, _ulps=0, _atol=0.0, _says=None, _any_message=False, _calls=1, _shapes=True, _label="", **kw):
        op_def = op_def_registry.get(op_name)
        names = [arg.name for arg in op_def.input_arg]
        inputs = {
            arg.name: as_input(kw[arg.name], bool(arg.number_attr or arg.type_list_attr))
            for arg in op_def.input_arg
        }
        attrs = {k: v for k, v in kw.items() if k not in names}
        node = node_def(op_name, inputs, attrs)
        protos = [serialized(t) for t in flatten(inputs[name] for name in names)]
        if any(isinstance(value, tf.Variable) for value in inputs.values()):
            over = run_over_references if op_def.input_arg[0].is_ref else run_over_variables
            answers = over(op_name, inputs, attrs, _calls)
        elif _calls == 1:
            answers = [run_eagerly(op_name, inputs, attrs)]
        else:
            answers = run_in_session(op_name, inputs, attrs, _calls)
        self.count += 1
        self.text(_label)
        self.bytes(node.SerializeToString(deterministic=True))
        self.double(_ulps)
        self.double(_atol)
        self.protos(protos)
        self.int(len(answers))
        for code, message, outputs in answers:
            if "Could not find device for node" in message or "No OpKernel was registered" in message:
                raise AssertionError(f"{op_name}: stock has no kernel for these dtypes")
            if _says is not None:
                if code == 0 or _says not in message:
                    raise AssertionError(f"{op_name}: stock says {code} {message!r}, not {_says!r}")
                message = _says
            elif _any_message:
                message = ""
            self.int(code)
            self.text(message)
            self.tensors(outputs)

        for known in ("constants", "ranks", "nothing"):
            # The shape behind a reference is always known, from the variable's declaration.
            infers = _shapes and not any(arg.is_ref for arg in op_def.input_arg)
            shapes = inferred(op_name, inputs, attrs, known) if infers else None
            self.int(-1 if shapes is None else len(shapes))
            for shape in shapes or []:
                self.bytes(shape.as_proto().SerializeToString(deterministic=True))

    def tensors(self, tensors):
        self.protos([serialized(t) for t in tensors])

    def protos(self, protos):
        self.int(len(protos))
        for proto in protos:
            self.bytes(proto)

    def int(self, value):
        self.out.write(struct.pack(">i", value))

    def double(self, value):
        self.out.write(struct.pack(">d", value))

    def bytes(self, value):
        self.int(len(value))
        self.out.write(value)

    def text(self, value):
        self.bytes(value.encode())


def as_input(value, is_list=False):
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return value
    if isinstance(value, (list, tuple)) and (
        is_list or any(isinstance(v, (np.ndarray, np.generic, tf.Tensor)) for v in value)
    ):
        return [as_input(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return tf.constant(value)
    array = np.asarray(value)
    if array.dtype == np.int64:
        return tf.constant(value, tf.int32)
    if array.dtype == np.float64:
        return tf.constant(value, tf.float32)
    return tf.constant(value)


def flatten(values):
    result = []
    for value in values:
        result.extend(value if isinstance(value, list) else [value])
    return result


def raw_op(op_name, arguments):
    """Calls a function of tf.raw_ops, which renames some of the arguments in the op's declaration."""
    if op_name in INTERNAL_OPS:
        return internal_op(op_name, arguments)
    function = getattr(tf.raw_ops, op_name)
    op_def = op_def_registry.get(op_name)
    declared = [a.name for a in [*op_def.input_arg, *op_def.attr]]
    accepted = [n for n in inspect.signature(function).parameters if n != "name"]
    renamed = dict(
        zip([n for n in declared if n not in accepted and n in arguments],
            [n for n in accepted if n not in declared])
    )
    return function(**{renamed.get(name, name): value for name, value in arguments.items()})


def internal_op(op_name, arguments):
    """Calls an op that exists only in graphs; outside of a graph, within a tf.function."""
    op_def = op_def_registry.get(op_name)
    if not tf.executing_eagerly():
        defaults = {a.name: default_of(a) for a in op_def.attr if a.HasField("default_value")}
        inferred = [name for arg in op_def.input_arg for name in (arg.number_attr, arg.type_attr, arg.type_list_attr)]
        given = {k: v for k, v in {"name": "node", **defaults, **arguments}.items() if k not in inferred}
        return op_def_library.apply_op(op_name, **given)
    names = [arg.name for arg in op_def.input_arg]
    attrs = {k: v for k, v in arguments.items() if k not in names}
    inputs = {k: v for k, v in arguments.items() if k in names}
    return tf.function(lambda inputs: internal_op(op_name, {**inputs, **attrs}))(inputs)


def default_of(attr):
    value = attr.default_value
    if not attr.type.startswith("list("):
        return getattr(value, value.WhichOneof("value"))
    return [*value.list.i, *value.list.s, *value.list.f]


def call_op(op_name, inputs, attrs):
    outputs = raw_op(op_name, {**inputs, **attrs})
    if outputs is None or isinstance(outputs, tf.Operation):
        return []
    if isinstance(outputs, tf.Tensor):
        return [outputs]
    return flatten(list(o) if isinstance(o, (list, tuple)) else o for o in outputs)


def node_def(op_name, inputs, attrs, shaped=False):
    """The op's NodeDef, made with inputs of unknown shape, so that shape inference checks nothing.

    Some ops refuse inputs of unknown shape; `shaped` makes them with the shapes of the inputs.
    """

    def placeholder(value):
        if isinstance(value, list):
            return [placeholder(v) for v in value]
        if isinstance(value, tf.Variable):
            return variable_in_graph(op_name, value)
        return tf.compat.v1.placeholder(value.dtype, value.shape if shaped else None)

    with tf.Graph().as_default() as graph:
        try:
            raw_op(op_name, {**{k: placeholder(v) for k, v in inputs.items()}, **attrs, "name": "node"})
        except ValueError:
            if shaped:
                raise
            return node_def(op_name, inputs, attrs, True)
        node = graph.as_graph_def().node[-1]
    assert node.op == op_name, node
    del node.input[:]
    return node


def variable_in_graph(op_name, value):
    """A handle or reference, as `op_name` requires, of a variable like the eager variable `value`."""
    if op_def_registry.get(op_name).input_arg[0].is_ref:
        initial = np.zeros(value.shape, value.dtype.as_numpy_dtype)
        return tf.compat.v1.Variable(initial, use_resource=False)._ref()
    return tf.compat.v1.placeholder(tf.resource, [])


def inferred(op_name, inputs, attrs, known):
    """The output shapes that stock infers from the `known` facts of the inputs; None if it refuses them."""

    def stand_in(value):
        if isinstance(value, list):
            return [stand_in(v) for v in value]
        if isinstance(value, tf.Variable):
            return variable_in_graph(op_name, value)
        if known == "constants":
            if value.dtype == tf.variant:
                return tf.compat.v1.placeholder(value.dtype, value.shape)
            return tf.constant(value.numpy(), value.dtype, value.shape)
        shape = None if known == "nothing" else [None] * value.shape.rank
        return tf.compat.v1.placeholder(value.dtype, shape)

    with tf.Graph().as_default():
        try:
            outputs = call_op(op_name, {k: stand_in(v) for k, v in inputs.items()}, attrs)
        except (ValueError, tf.errors.OpError):
            return None
        return [output.shape for output in outputs]


def run_eagerly(op_name, inputs, attrs):
    try:
        return 0, "", call_op(op_name, inputs, attrs)
    except tf.errors.OpError as e:
        return e.error_code, cleaned(e.message), []


def run_in_session(op_name, inputs, attrs, calls):
    off = rewriter_config_pb2.RewriterConfig.OFF
    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.rewrite_options.constant_folding = off
    answers = []
    with tf.Graph().as_default():

        def constant(value):
            if isinstance(value, list):
                return [constant(v) for v in value]
            return tf.constant(value.numpy(), value.dtype)

        outputs = call_op(op_name, {k: constant(v) for k, v in inputs.items()}, attrs)
        with tf.compat.v1.Session(config=config) as session:
            for _ in range(calls):
                answers.append((0, "", session.run(outputs)))
    return answers


def run_over_variables(op_name, inputs, attrs, calls):
    variables = [value for value in inputs.values() if isinstance(value, tf.Variable)]
    handles = {k: v.handle if isinstance(v, tf.Variable) else v for k, v in inputs.items()}
    answers = []
    for _ in range(calls):
        code, message, outputs = run_eagerly(op_name, handles, attrs)
        held = [v.read_value() for v in variables] if code == 0 else []
        answers.append((code, message, outputs + held))
    return answers


def run_over_references(op_name, inputs, attrs, calls):
    answers = []
    values = {k: v.numpy() for k, v in inputs.items()}
    with tf.Graph().as_default():

        def variable(initial):
            # Unknown shape, so that shape inference refuses nothing.
            shapeless = tf.compat.v1.placeholder_with_default(initial, None)
            return tf.compat.v1.Variable(shapeless, use_resource=False, validate_shape=False)

        variables = {k: variable(values[k]) for k, v in inputs.items() if isinstance(v, tf.Variable)}
        references = {k: v._ref() for k, v in variables.items()}
        constants = {k: tf.constant(values[k], v.dtype) for k, v in inputs.items() if k not in variables}
        try:
            op = raw_op(op_name, {**references, **constants, **attrs}).op
        except ValueError as e:
            raise AssertionError(f"{op_name} over references: refused before it ran") from e
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            for _ in range(calls):
                try:
                    session.run(op)
                    answers.append((0, "", session.run(list(variables.values()))))
                except tf.errors.OpError as e:
                    answers.append((e.error_code, re.sub(r"\n\t \[\[.*", "", e.message, flags=re.DOTALL), []))
    return answers


def cleaned(message):
    message = re.sub(r"\{\{function_node [^}]*\}\} ?", "", message)
    return re.sub(r" \[Op:\w+\].*$", "", message, flags=re.DOTALL)


def serialized(tensor):
    """The TensorProto of an eager tensor or a numpy value."""
    if isinstance(tensor, tf.Variable):
        tensor = tensor.read_value()
    if not isinstance(tensor, tf.Tensor):
        tensor = tf.constant(tensor)
    # Stock serializes no float8, no int4 and no quantized integers.
    if tensor.dtype.as_datatype_enum > tf.uint64.as_datatype_enum or tensor.dtype.is_quantized:
        proto = tensor_pb2.TensorProto(
            dtype=tensor.dtype.as_datatype_enum,
            tensor_shape=tensor.shape.as_proto(),
            tensor_content=tensor.numpy().tobytes(),
        )
    else:
        proto = tensor_pb2.TensorProto.FromString(tf.raw_ops.SerializeTensor(tensor=tensor).numpy())
    return proto.SerializeToString(deterministic=True)


def write(family, content):
    RESOURCES.mkdir(parents=True, exist_ok=True)
    path = RESOURCES / {"ops": "ops.pb.gz", "kernels": "kernels.txt.gz"}.get(family, f"{family}.cases.gz")
    path.write_bytes(gzip.compress(content, 9, mtime=0))
    return path


# Ops that the master adds to graphs; users do not.
INTERNAL_OPS = [
    "_FusedBatchNormEx", "_FusedConv2D", "_FusedDepthwiseConv2dNative", "_FusedMatMul", "_UnaryOpsComposition",
    "_HostRecv", "_HostSend", "_Recv", "_Send", "_SwitchN",
]


def op_defs():
    """The declarations of all ops that may appear in graphs."""
    found = [op_def_registry.get(name) for name in sorted([*dir(tf.raw_ops), *INTERNAL_OPS])]
    return [op for op in found if op is not None]


def record_ops():
    """The declarations of op_defs(), serialized without documentation."""
    ops = op_def_pb2.OpList()
    for op in op_defs():
        copy = ops.op.add()
        copy.CopyFrom(op)
        copy.summary = copy.description = ""
        for part in [*copy.input_arg, *copy.output_arg]:
            part.description = ""
            part.ClearField("experimental_full_type")
        for attr in copy.attr:
            attr.description = ""
    return ops.SerializeToString(deterministic=True)


def record_kernels():
    """The dtypes of TensorFlow's CPU kernels, as a line for each op with such kernels.

    After the op's name, ATTR=1,2,... for each dtype attr, with the numbers of the dtypes that some kernel
    admits; an attr that some kernel leaves unconstrained is absent.
    """
    lines = []
    for op in op_defs():
        found = [k for k in kernels.get_registered_kernels_for_op(op.name).kernel if k.device_type in ("CPU", "DEFAULT")]
        if not found:
            continue
        words = [op.name]
        for attr in op.attr:
            constraints = [[c for c in kernel.constraint if c.name == attr.name] for kernel in found]
            if attr.type in ("type", "list(type)") and all(constraints):
                types = {t for each in constraints for c in each for t in c.allowed_values.list.type}
                words.append(attr.name + "=" + ",".join(str(t) for t in sorted(types)))
        lines.append(" ".join(words))
    return ("\n".join(lines) + "\n").encode()


def main(families):
    sys.path.insert(0, str(HERE))
    every = ["ops", "kernels"] + sorted(p.stem for p in (HERE / "families").glob("*.py"))
    for family in families or every:
        if family == "ops":
            print(write(family, record_ops()))
            continue
        if family == "kernels":
            print(write(family, record_kernels()))
            continue
        recorder = Recorder()
        importlib.import_module(f"families.{family}").record(recorder)
        path = write(family, struct.pack(">i", recorder.count) + recorder.out.getvalue())
        print(f"{path}: {recorder.count} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Calls of ops: those recorded in kernels/src/test/oracle, and how stock TensorFlow answers one."""

import dataclasses
import functools
import hashlib
import importlib
import pathlib
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import function_pb2
from tensorflow.python.framework import op_def_registry

ORACLE = pathlib.Path(__file__).resolve().parents[4] / "kernels/src/test/oracle"
sys.path.insert(0, str(ORACLE))

import record  # noqa: E402
from engine import Answer  # noqa: E402
from values import DTYPES, SMALL  # noqa: E402

NUMPY = {
    tf.as_dtype(dtype).as_datatype_enum: np.dtype(object) if dtype is np.str_ else np.dtype(dtype)
    for dtype in DTYPES + SMALL
}
ENUM = {dtype: enum for enum, dtype in NUMPY.items()}


class Unfit(Exception):
    """A call that can't be made: stock's graph builder refuses it, or it has no kernel."""


@dataclasses.dataclass
class Call:
    """A call of an op for several rows.

    A row holds a numpy array for each input, or a list of them for an input of several tensors. The inputs named
    in `captured` are those of row 0 in all rows. Those named in `variables` are handles of variables with these values,
    which the op changes; the values after the call are outputs, behind the op's own.
    """

    op: str
    rows: list[dict]
    attrs: dict
    captured: frozenset = frozenset()
    variables: frozenset = frozenset()

    def __post_init__(self):
        for row in self.rows[1:]:
            row.update({name: self.rows[0][name] for name in self.captured})

    @property
    def op_def(self):
        return op_def_registry.get(self.op)

    @functools.cached_property
    def key(self) -> str:
        """A digest of op, attrs and the first row, the same in each process."""
        digest = hashlib.blake2b(digest_size=8)
        for name, value in sorted(self.attrs.items()):
            digest.update(f"{name} {written_attr(value)};".encode())
        for arg in self.op_def.input_arg:
            for one in flat([self.rows[0][arg.name]]):
                digest.update(f"{arg.name} {one.dtype} {one.shape};".encode())
                digest.update(repr(one.tolist()).encode() if one.dtype == object else one.tobytes())
        return f"{self.op} {digest.hexdigest()}"

    def arrays(self, row: int = 0) -> list[np.ndarray]:
        return flat([self.rows[row][arg.name] for arg in self.op_def.input_arg])

    def inputs(self, row: int) -> dict:
        """The inputs as eager tensors and variables."""
        return {name: tf.Variable(tensors(value), trainable=False) if name in self.variables else tensors(value)
                for name, value in self.rows[row].items()}

    def node(self):
        try:
            return record.node_def(self.op, self.inputs(0), self.attrs)
        except (ValueError, TypeError, KeyError, AssertionError, AttributeError, OverflowError) as error:
            raise Unfit(str(error)) from error

    def dtype_of(self, attr: str) -> int:
        """The dtype that an attr has by the inputs, or by its value; 0 if there is none."""
        for arg in self.op_def.input_arg:
            if arg.type_attr == attr:
                value = flat([self.rows[0][arg.name]])
                return ENUM.get(value[0].dtype, 0) if value else 0
        value = self.attrs.get(attr)
        return tf.as_dtype(value).as_datatype_enum if value is not None and not isinstance(value, list) else 0

    def source(self, row: int = 0) -> str:
        """The Python that records it as an oracle case."""
        parts = [f'"{self.op}"']
        parts += [f"{name}=tf.Variable({written(value)})" if name in self.variables else f"{name}={written(value)}"
                  for name, value in self.rows[row].items()]
        parts += [f"{name}={written_attr(value)}" for name, value in self.attrs.items()]
        return f"case({', '.join(parts)})"


def flat(values) -> list[np.ndarray]:
    result = []
    for value in values:
        result.extend(value if isinstance(value, list) else [value])
    return result


def arrays_of_strings(row: dict, end: str) -> list[np.ndarray]:
    """The strings of the inputs whose names end so."""
    found = flat([value for name, value in row.items() if name.endswith(end)])
    return [value.reshape(-1) for value in found if value.dtype == object]


def tensors(value):
    if isinstance(value, list):
        return [tensors(v) for v in value]
    return tf.constant(value, tf.string if value.dtype == object else None, value.shape)


def written(value) -> str:
    if isinstance(value, list):
        return f"[{', '.join(written(v) for v in value)}]"
    if value.dtype == object:
        return f"np.array({listed(value)}, object)" if value.size else f"np.zeros({list(value.shape)}, object)"
    name = "BFLOAT16" if value.dtype.name == "bfloat16" else f"np.{value.dtype.name.replace('bool', 'bool_')}"
    if value.dtype.type in SMALL:
        name = f"tf.dtypes.experimental.{value.dtype.name}.as_numpy_dtype"
    if value.size == 0:
        return f"np.zeros({list(value.shape)}, {name})"
    return f"np.array({listed(value)}, {name})"


def listed(value: np.ndarray) -> str:
    if value.ndim:
        return f"[{', '.join(listed(v) if isinstance(v, np.ndarray) else scalar(v) for v in value)}]"
    return scalar(value[()])


def scalar(value) -> str:
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, complex | np.complexfloating):
        return f"complex({scalar(value.real)}, {scalar(value.imag)})"
    text = repr(value.item() if isinstance(value, np.generic) and value.dtype.name != "bfloat16" else float(value))
    return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}.get(text, text)


def written_attr(value) -> str:
    if isinstance(value, list):
        return f"[{', '.join(written_attr(v) for v in value)}]"
    if isinstance(value, tf.DType | type | np.dtype):
        dtype = tf.as_dtype(value)
        is_small = dtype.as_datatype_enum in NUMPY and NUMPY[dtype.as_datatype_enum].type in SMALL
        return f"tf.{'dtypes.experimental.' if is_small else ''}{dtype.name}"
    if isinstance(value, tf.TensorShape):
        return repr(value.as_list()) if value.rank is not None else "None"
    return repr(value)


# The family of the calls that differential_ops.py found. Recording one more changes no other call.
FOUND = "differential"


class Recorded:
    """The recorded calls by op, of these families or of all but FOUND, with the tolerances that families state."""

    def __init__(self, families: tuple[str, ...] = ()):
        self.calls: dict[str, list[Call]] = {}
        self.tolerances: dict[tuple[str, int], tuple[float, float]] = {}
        for path in sorted((ORACLE / "families").glob("*.py")):
            if path.stem == FOUND or families and path.stem not in families:
                continue
            importlib.import_module(f"families.{path.stem}").record(self)

    def __call__(self, op, _ulps=0, _atol=0.0, _says=None, _calls=1, _shapes=True, _label="", **kw):
        op_def = op_def_registry.get(op)
        row = {}
        variables = set()
        if _calls != 1 or any(arg.is_ref for arg in op_def.input_arg):
            return
        for arg in op_def.input_arg:
            value = record.as_input(kw[arg.name], bool(arg.number_attr or arg.type_list_attr))
            if isinstance(value, tf.Variable):
                variables.add(arg.name)
                value = value.read_value()
            try:
                row[arg.name] = [array(v) for v in value] if isinstance(value, list) else array(value)
            except Unfit:
                return
        attrs = {name: value for name, value in kw.items() if name not in row}
        self.calls.setdefault(op, []).append(Call(op, [row], attrs, variables=frozenset(variables)))
        for dtype in {ENUM[a.dtype] for a in flat(row.values())}:
            ulps, atol = self.tolerances.get((op, dtype), (0, 0))
            self.tolerances[op, dtype] = max(ulps, _ulps), max(atol, _atol)


def array(value: tf.Tensor) -> np.ndarray:
    if value.dtype in (tf.variant, tf.resource) or value.dtype.as_datatype_enum not in NUMPY:
        raise Unfit("not of numbers, bools or strings")
    return np.asarray(value.numpy(), object if value.dtype == tf.string else None)


def function_of(call: Call, node) -> tuple:
    """A function of the call's node, whose arguments are the inputs that have rows, and then the captured ones."""
    op_def = call.op_def
    function = function_pb2.FunctionDef()
    function.signature.name = "f"
    inner = function.node_def.add()
    inner.CopyFrom(node)
    inner.name = "node"
    del inner.input[:]
    arguments = {False: [], True: []}
    assigned, read = [], []
    for arg in op_def.input_arg:
        for one in flat([call.rows[0][arg.name]]):
            number = len(arguments[False]) + len(arguments[True])
            arguments[arg.name in call.captured].append((f"a{number}", ENUM[one.dtype]))
            if arg.name in call.variables:
                inner.input.append(variable(function, number, ENUM[one.dtype]))
                assigned.append(f"^assign{number}")
                read.append((f"read{number}:value:0", ENUM[one.dtype]))
            else:
                inner.input.append(f"a{number}")
    function.node_def[0].input.extend(assigned)
    for name, dtype in arguments[False] + arguments[True]:
        function.signature.input_arg.add(name=name, type=dtype)
    results = [(f"node:{arg.name}:{at}", dtype)
               for arg in op_def.output_arg for at, dtype in enumerate(output_types(arg, node))]
    for index, (result, dtype) in enumerate(results + read):
        function.signature.output_arg.add(name=f"r{index}", type=dtype)
        function.ret[f"r{index}"] = result
    if read:
        function.signature.is_stateful = True
        function.signature.control_output.append("node")
        function.control_ret["node"] = "node"
    rows = [flat([row[a.name] for a in op_def.input_arg if a.name not in call.captured]) for row in call.rows]
    captured = flat([call.rows[0][a.name] for a in op_def.input_arg if a.name in call.captured])
    return function, rows, captured


def variable(function, number: int, dtype: int) -> str:
    """A variable that is assigned argument `number` before the node runs, and read behind it; its handle."""
    handle = f"handle{number}:resource:0"
    made = function.node_def.add(name=f"handle{number}", op="VarHandleOp")
    made.attr["shape"].shape.unknown_rank = True
    made.attr["shared_name"].s = f"v{number}".encode()
    assign = function.node_def.add(name=f"assign{number}", op="AssignVariableOp", input=[handle, f"a{number}"])
    read = function.node_def.add(name=f"read{number}", op="ReadVariableOp", input=[handle, "^node"])
    for one in (made, assign, read):
        one.attr["dtype"].type = dtype
    return handle


def output_types(arg, node) -> list[int]:
    if arg.type_list_attr:
        return list(node.attr[arg.type_list_attr].list.type)
    dtype = arg.type or node.attr[arg.type_attr].type
    return [dtype] * (node.attr[arg.number_attr].i if arg.number_attr else 1)


def stock(call: Call, row: int) -> Answer:
    """Stock's answer for one row."""
    try:
        run = record.run_eagerly if not call.variables else run_over_variables
        code, message, outputs = run(call.op, call.inputs(row), call.attrs)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise Unfit(str(error)) from error
    if "Could not find device for node" in message or "No OpKernel was registered" in message:
        raise Unfit("stock has no kernel")
    if "could not create a primitive descriptor" in message:
        # Half's, for instance, on a processor with AVX512-FP16; elsewhere stock takes another kernel.
        raise Unfit("stock's oneDNN has no kernel on this processor")
    if "Missing 0-th output" in message:
        raise Unfit("stock's kernel gives no answer")
    try:
        return Answer(code, message, [plain(output) for output in outputs])
    except (MemoryError, ValueError, tf.errors.OpError) as error:
        raise Unfit(f"stock's answer cannot be read: {error}") from error


def run_over_variables(op: str, inputs: dict, attrs: dict) -> tuple:
    return record.run_over_variables(op, inputs, attrs, 1)[0]


def plain(tensor):
    if tensor.dtype in (tf.variant, tf.resource):
        return None
    return np.asarray(tensor.numpy(), object if tensor.dtype == tf.string else None)

"""Random calls, made from recorded ones: other dtypes, values, shapes and attrs, likely and unlikely ones."""

import random

import ml_dtypes
import numpy as np
import tensorflow as tf

from calls import ENUM, NUMPY, Call
from values import SMALL

INDEX_TYPES = {ENUM[np.dtype(np.int32)], ENUM[np.dtype(np.int64)]}

# Inputs that set the size of a result. Large values of them only fill the memory.
SIZES = ("shape", "size", "dims", "num", "length", "multiples", "paddings", "depth", "crop", "repeats", "count", "limit")
SIZED_INPUTS = {"k", "n", "stop", "start", "delta", "starts", "limits", "deltas", "output_dim0", "splits"}

# Ops whose numbers set the size of a result.
SIZED_OPS = {"Range", "RaggedRange", "LinSpace", "SequenceMask"}

DIMENSIONS = [0, 1, 1, 2, 3, 4, 5, 7]
LONG = [8, 9, 16, 17, 33]

# Inputs of optimizers that have a sign; with another one, roots and powers of negative numbers are compared.
SIGNED = {"l1", "l2", "l2_shrinkage", "lr_power", "accum", "ms", "mg", "v", "vhat", "gradient_squared_accumulator"}

# Inputs for some values of which stock's process ends or never answers (docs/ops.md).
LEFT_ALONE = {
    "MaxPoolGradWithArgmax": {"argmax", "grad", "input"},
    "RandomIndexShuffle": {"index", "max_index"},
    "StatelessRandomBinomial": {"counts", "probs"},
    "StatelessRandomPoisson": {"lam"},
}


def is_float(dtype) -> bool:
    return "float" in dtype.name


def is_integer(dtype) -> bool:
    return "int" in dtype.name


def is_signed(dtype) -> bool:
    return dtype.name.startswith("int")


class Mutation:
    """Makes a random call with `dtype` in the op's main attr, from a recorded call of the op."""

    def __init__(self, base: Call, main: str, dtype: int, types: dict[str, list[int]], seed: str):
        self.base = base
        self.main = main
        self.dtype = dtype
        self.types = types
        self.random = random.Random(seed)
        self.numbers = np.random.RandomState(self.random.getrandbits(32))
        self.edges = self.random.random() < 0.3

    def call(self) -> Call:
        row = {name: [v.copy() for v in value] if isinstance(value, list) else value.copy()
               for name, value in self.base.rows[0].items()}
        attrs = dict(self.base.attrs)
        self.convert(row, attrs)
        while self.random.random() < 0.4:
            self.random.choice([self.resize, self.resize, self.reshape_one, self.change_attr])(row, attrs)
        if self.random.random() < 0.7:
            self.revalue(row, self.random.random() < 0.5)
        count = self.random.choice([1, 2, 3, 3, 5])
        captured = frozenset(name for name in row if self.random.random() < 0.4)
        rows = [row] + [self.another(row) for _ in range(count - 1)]
        return Call(self.base.op, rows, attrs, captured if len(captured) < len(row) else frozenset(), self.base.variables)

    def convert(self, row: dict, attrs: dict) -> None:
        for attr in self.base.op_def.attr:
            allowed = [t for t in self.types.get(attr.name, []) if t in NUMPY]
            if attr.type != "type" or not allowed:
                continue
            args = [arg.name for arg in self.base.op_def.input_arg if arg.type_attr == attr.name]
            if attr.name == self.main:
                args += self.base.variables
            if attr.name == self.main:
                wanted = self.dtype
            elif self.random.random() < 0.3:
                wanted = self.random.choice(allowed)
            else:
                continue
            for name in args:
                value = row[name]
                row[name] = ([cast(v, NUMPY[wanted]) for v in value] if isinstance(value, list)
                             else cast(value, NUMPY[wanted]))
            if not args:
                attrs[attr.name] = tf.as_dtype(wanted)

    def is_index(self, arg) -> bool:
        if arg.name in self.base.variables:
            return False
        if arg.type_attr == self.main and self.main:
            return self.base.op in SIZED_OPS
        return not arg.type_attr or set(self.types.get(arg.type_attr, [])) <= INDEX_TYPES

    def resize(self, row: dict, attrs: dict) -> None:
        """Gives each dimension of one size another, in all inputs, and often where it is an index's value."""
        sizes = sorted({size for _, v in arrays(row) for size in v.shape})
        if not sizes:
            return
        old = self.random.choice(sizes)
        new = self.random.choice(DIMENSIONS if self.random.random() < 0.8 else LONG)
        values = self.random.random() < 0.5
        for arg in self.base.op_def.input_arg:
            each(row, arg.name, lambda v, a=arg: self.resized(v, old, new, values and self.is_index(a)))

    def resized(self, value: np.ndarray, old: int, new: int, values: bool) -> np.ndarray:
        shape = [new if size == old else size for size in value.shape]
        if values and value.size < 9 and is_integer(value.dtype):
            value = np.where(value == old, np.array(new, value.dtype), value)
        return filled(value, shape) if int(np.prod(shape)) < 20_000 else value

    def reshape_one(self, row: dict, attrs: dict) -> None:
        """Changes the shape of a single input: it broadcasts, or is refused."""
        name, value = self.random.choice(list(arrays(row)) or [(None, None)])
        if name is None:
            return
        shape = list(value.shape)
        how = self.random.randrange(4)
        if how == 0 and shape:
            shape[self.random.randrange(len(shape))] = self.random.choice(DIMENSIONS)
        elif how == 1:
            shape.insert(self.random.randrange(len(shape) + 1), 1)
        elif how == 2 and shape:
            del shape[self.random.randrange(len(shape))]
        elif how == 3:
            shape = []
        replace(row, value, filled(value, shape))

    def change_attr(self, row: dict, attrs: dict) -> None:
        inferred = {n for arg in self.base.op_def.input_arg for n in (arg.number_attr, arg.type_attr, arg.type_list_attr)}
        found = [a for a in self.base.op_def.attr if a.name not in inferred and a.type != "type"]
        if not found:
            return
        attr = self.random.choice(found)
        value = self.other_value(attr, attrs.get(attr.name))
        if value is not None:
            attrs[attr.name] = value

    def other_value(self, attr, value):
        if attr.type == "bool":
            return self.random.random() < 0.5
        if attr.type == "string" and attr.HasField("allowed_values"):
            return self.random.choice(list(attr.allowed_values.list.s)).decode()
        if attr.type == "int":
            return self.number(value if isinstance(value, int) else attr.default_value.i)
        if attr.type == "float":
            return self.random.choice([0.0, 1.0, -1.0, 0.5, 2.0, 1e-3, self.random.uniform(-3, 3)])
        if attr.type == "list(int)" and isinstance(value, list | tuple) and value:
            value = list(value)
            at = self.random.randrange(len(value))
            if isinstance(value[at], int):
                value[at] = self.number(value[at])
                return value
        return None

    def number(self, value: int) -> int:
        return self.random.choice([value + 1, value - 1, 0, 1, 2, 3, -1, -value])

    def changeable(self) -> list:
        alone = LEFT_ALONE.get(self.base.op, SIGNED if self.base.variables else ())
        return [arg for arg in self.base.op_def.input_arg if arg.name not in alone]

    def revalue(self, row: dict, fresh: bool) -> None:
        for arg in self.changeable():
            change = self.index_values if self.is_index(arg) else (self.fresh if fresh else self.near)
            each(row, arg.name, lambda v, a=arg, c=change: c(v, a))

    def another(self, row: dict) -> dict:
        """A row of the same shapes."""
        other = dict(row)
        for arg in self.changeable():
            if self.is_index(arg):
                if self.random.random() < 0.3:
                    each(other, arg.name, lambda v, a=arg: self.index_values(v, a))
            else:
                each(other, arg.name, lambda v, a=arg: self.random.choice([self.fresh, self.near, self.near])(v, a))
        return other

    def near(self, value: np.ndarray, arg) -> np.ndarray:
        """Values like those recorded: permuted, scaled, some replaced by edges."""
        value = self.numbers.permutation(value.reshape(-1)).reshape(value.shape)
        if value.dtype == object:
            return self.each_string(value)
        if is_float(value.dtype) and self.random.random() < 0.5:
            with np.errstate(all="ignore"):
                value = np.asarray(value * np.asarray(self.numbers.uniform(0.5, 1.5, value.shape)).astype(value.dtype)).astype(value.dtype)
                value = np.where(np.abs(value.astype(np.float64)) < 1e-30, np.zeros([], value.dtype), value)
        return self.with_edges(value) if self.edges else value

    def fresh(self, value: np.ndarray, arg) -> np.ndarray:
        dtype, shape = value.dtype, value.shape
        if dtype == object:
            return self.each_string(value)
        if dtype == bool:
            return self.numbers.rand(*shape) < 0.5 if shape else np.array(self.random.random() < 0.5)
        if dtype.kind == "c":
            parts = self.numbers.standard_normal((2, *shape)) * self.random.choice([1, 1, 10])
            return self.with_edges((parts[0] + 1j * parts[1]).astype(dtype))
        if is_float(dtype):
            how = self.random.randrange(3)
            some = self.numbers.standard_normal(shape) if how else self.numbers.randint(-4, 9, shape)
            some = np.asarray(some * self.random.choice([1, 1, 10, 0.01, 300])).astype(dtype)
            return self.with_edges(some) if self.edges else some
        info = ml_dtypes.iinfo(dtype)
        if self.random.random() < 0.5:
            low, high = max(info.min, -8), 9
        else:
            low, high = info.min, info.max
        some = np.array([self.random.randint(low, high) for _ in range(value.size)], dtype).reshape(shape)
        return self.with_edges(some) if self.edges else some

    def with_edges(self, value: np.ndarray) -> np.ndarray:
        flat = value.reshape(-1).copy()
        specials = edges_of(value.dtype)
        for at in range(flat.size):
            if specials and self.random.random() < 0.15:
                flat[at] = self.random.choice(specials)
        return flat.reshape(value.shape)

    def each_string(self, value: np.ndarray) -> np.ndarray:
        flat = np.empty(value.size, object)
        flat[:] = [self.string(s) if self.random.random() < 0.4 else s for s in value.reshape(-1)]
        return flat.reshape(value.shape)

    def string(self, value: bytes) -> bytes:
        """Some bytes changed, cut, repeated or inserted."""
        data = bytearray(value)
        for _ in range(self.random.choice([1, 1, 2, 4])):
            at = self.random.randrange(len(data) + 1)
            how = self.random.randrange(5)
            if how == 0 and at < len(data):
                data[at] ^= 1 << self.random.randrange(8)
            elif how == 1:
                del data[at:at + self.random.choice([1, 1, 3])]
            elif how == 2:
                data[at:at] = self.random.choice([b" ", b"0", b"-", b",", b"\xff", b"\0", "é".encode(), b"a", b'"', b"\n"])
            elif how == 3:
                data[at:at] = data[at:at + 3]
            else:
                del data[at:]
        return bytes(data)

    def index_values(self, value: np.ndarray, arg) -> np.ndarray:
        """Mostly the same indices, sizes or names, some of them one off or outside."""
        if value.dtype == object:
            return self.each_string(value) if self.random.random() < 0.3 else value
        if not is_integer(value.dtype) or not value.size:
            return self.near(value, arg) if value.dtype == bool or is_float(value.dtype) else value
        flat = value.reshape(-1).copy()
        how = self.random.randrange(6)
        at = self.random.randrange(flat.size)
        sized = arg.name in SIZED_INPUTS or any(word in arg.name for word in SIZES) or self.base.op in SIZED_OPS
        if how == 0:
            flat = self.numbers.permutation(flat)
        elif how in (1, 2):
            with np.errstate(over="ignore"):
                flat[at] += np.array(self.random.choice([1, -1]) if is_signed(value.dtype) else 1, value.dtype)
        elif how == 3 and not sized and self.random.random() < 0.3:
            flat[at] = self.random.choice(edges_of(value.dtype))
        elif how == 4:
            flat[at] = self.random.choice([0, 1, 2, 3, 5] + ([-1, -2] if is_signed(value.dtype) else []))
        return flat.reshape(value.shape)


def edges_of(dtype) -> list:
    """NaN, infinities, zeros of both signs, the largest numbers, ties; no subnormal numbers, which stock may flush."""
    if dtype == bool or dtype == object:
        return []
    if is_integer(dtype):
        info = ml_dtypes.iinfo(dtype)
        return [info.min, info.max, info.max - 1, 0, 1] + ([-1, info.min + 1] if info.min else [])
    if dtype.kind == "c":
        return [complex(np.nan, 0), complex(np.inf, 1), complex(0, -np.inf), 0j, complex(-0.0, -0.0), 1j, -1]
    large, tiny = (3.38e38, 2.0**-126) if dtype.name == "bfloat16" else (ml_dtypes.finfo(dtype).max, ml_dtypes.finfo(dtype).tiny)
    some = [np.nan, np.inf, -np.inf, 0.0, -0.0, large, -large, tiny, 0.5, 1.5, 2.5, -0.5, 1.0, -1.0, 255.5]
    return list(np.array(some, np.float64).astype(dtype))


def cast(value: np.ndarray, dtype) -> np.ndarray:
    if value.dtype == dtype:
        return value
    if dtype == object:
        result = np.empty(value.size, object)
        result[:] = [b"%d" % int(abs(v)) if np.isfinite(v) and abs(v) < 1e18 else b"x" for v in value.reshape(-1)]
        return result.reshape(value.shape)
    if value.dtype == object:
        return np.array([len(v) for v in value.reshape(-1)], np.int64).astype(dtype).reshape(value.shape)
    with np.errstate(all="ignore"):
        if value.dtype.kind == "c" and dtype.kind != "c":
            value = value.real
        if is_float(value.dtype) and is_integer(dtype):
            value = np.nan_to_num(value.astype(np.float64), nan=0, posinf=9, neginf=-9)
            value = np.clip(value, *((-100, 100) if is_signed(dtype) else (0, 100)))
        if value.dtype.type in SMALL:
            value = value.astype(np.float64)  # numpy knows no way between some of them
        return value.astype(dtype)


def filled(value: np.ndarray, shape) -> np.ndarray:
    """`value` repeated or cut to a shape; zeros or empty strings where it has no element."""
    count = int(np.prod(shape))
    if value.size == 0:
        flat = np.zeros(count, value.dtype)
        if value.dtype == object:
            flat[:] = [b""] * count
        return flat.reshape(shape)
    source = value.reshape(-1)
    return source[np.arange(count) % source.size].reshape(shape).copy()


def arrays(row: dict):
    for name, value in row.items():
        for one in value if isinstance(value, list) else [value]:
            yield name, one


def each(row: dict, name: str, change) -> None:
    value = row[name]
    row[name] = [arrayed(change(v)) for v in value] if isinstance(value, list) else arrayed(change(value))


def arrayed(value) -> np.ndarray:
    """NumPy makes scalars of arrays without dimensions."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def replace(row: dict, old: np.ndarray, new: np.ndarray) -> None:
    for name, value in row.items():
        if isinstance(value, list):
            row[name] = [new if v is old else v for v in value]
        elif value is old:
            row[name] = new

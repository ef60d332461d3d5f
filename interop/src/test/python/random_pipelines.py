"""Random pipelines, as the lines of Python that build them: `ds = ...`, each from the dataset of the line before.

Functions compute what TensorFlow and Headrace compute bit for bit, so that elements can be compared exactly.
"""

import random

import numpy as np
import tensorflow as tf

tf.autograph.set_verbosity(0)

NAMES = {"tf": tf, "np": np}
INTEGERS = (tf.int64, tf.int32, tf.uint8, tf.int8, tf.int16, tf.uint16)
FLOATS = (tf.float32, tf.float64)

# Lines that build nothing bigger than this go on to the next line.
MOST_ELEMENTS = 60
MOST_LINES = 7


class Builder:
    """A random pipeline from a seed: its lines, the dataset that they build, and the transformations in it."""

    def __init__(self, seed: str):
        self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.transformations: list[str] = []
        self.dataset = None
        self.add("source", self.source())
        count = self.draw.randint(1, MOST_LINES)
        tries = 0
        # An assertion is the last line: of its failure, which comes with the end of its input, several of TensorFlow's
        # transformations make an endless loop.
        while len(self.lines) <= count and tries < 40 and self.transformations[-1] != "assert_cardinality":
            tries += 1
            name = self.draw.choice(list(STEPS))
            line = STEPS[name](self)
            if line:
                self.add(name, line)

    def add(self, name: str, line: str) -> None:
        try:
            dataset = built([*self.lines, line], self.dataset)
        except Exception:
            return  # TensorFlow refuses it
        if not is_plain(dataset.element_spec):
            return
        self.dataset = dataset
        self.lines.append(line)
        self.transformations.append(name)

    @property
    def specs(self) -> list[tf.TensorSpec]:
        spec = self.dataset.element_spec
        return list(spec) if isinstance(spec, tuple) else [spec]

    @property
    def names(self) -> list[str]:
        return [f"x{i}" for i in range(len(self.specs))] if isinstance(self.dataset.element_spec, tuple) else ["x"]

    def function(self, result: str) -> str:
        return f"lambda {', '.join(self.names)}: {result}"

    def structure(self, parts: list[str]) -> str:
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def small(self, low: int = 0, high: int = 5) -> int:
        return self.draw.randint(low, high)

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def component(self, dtypes=None, rank=None, known_rank=False):
        """The name and spec of a component that fits; (None, None) if none does."""
        found = [
            (name, spec) for name, spec in zip(self.names, self.specs)
            if (dtypes is None or spec.dtype in dtypes) and (rank is None or spec.shape.rank == rank)
            and (not known_rank or spec.shape.rank is not None)
        ]
        return self.draw.choice(found) if found else (None, None)

    def source(self) -> str:
        how = self.small(0, 6)
        n = self.draw.choice([0, 1, 2, 3, 5, 7, 10, 13])
        if how <= 1:
            return f"ds = tf.data.Dataset.range({self.small(-3, 2)}, {n + 2}, {self.draw.choice([1, 1, 2, 3])})"
        if how == 2:
            dtype = self.draw.choice(["int32", "uint8", "int16", "float32", "float64", "int64"])
            return f"ds = tf.data.Dataset.from_tensor_slices(np.arange({n}, dtype=np.{dtype}))"
        if how == 3:
            return (f"ds = tf.data.Dataset.from_tensor_slices((np.arange({2 * n}).reshape({n}, 2) - {n},"
                    f" np.arange({n}, dtype=np.float32) / 4))")
        if how == 4:
            words = [self.draw.choice(["a", "bb", "", "17", "-3", "4.5", "x y z", "Straße"]) for _ in range(n or 1)]
            return f"ds = tf.data.Dataset.from_tensor_slices({words!r})"
        if how == 5:
            return f"ds = tf.data.Dataset.from_tensors(np.arange({n}) % 3)"
        return f"ds = tf.data.Dataset.random(seed={self.small(1, 99)}).take({n}).map(lambda x: x % 1000)"


def built(lines: list[str], before=None):
    """The dataset of the last line, given that of the lines before; or of all lines."""
    names = dict(NAMES)
    if before is not None:
        names["ds"] = before
        lines = lines[-1:]
    for line in lines:
        exec(line, names)
    return names["ds"]


def is_plain(spec) -> bool:
    parts = spec if isinstance(spec, tuple) else (spec,)
    return len(parts) > 0 and all(isinstance(part, tf.TensorSpec) for part in parts)


def elementwise(b: Builder, x: str, spec: tf.TensorSpec) -> str:
    """An expression of a component, of any rank."""
    k = b.small(1, 5)
    if spec.dtype in INTEGERS:
        signed = spec.dtype not in (tf.uint8, tf.uint16)
        some = [
            f"{x} * 3 + 1", f"{x} // {k}", f"{x} % {k}", f"tf.cast({x}, tf.float32) / 4", f"tf.cast({x}, tf.int32)",
            f"tf.bitwise.bitwise_xor({x}, {k})", f"tf.strings.as_string({x})", f"{x} > {k}", f"tf.maximum({x}, {k})",
            f"tf.where({x} > {k}, {x}, {x} * 2)", f"tf.clip_by_value({x}, 1, {k + 1})", f"tf.cast({x}, tf.uint8)",
            f"tf.cond(tf.reduce_all({x} > {k}), lambda: {x} + 1, lambda: {x} * 2)", f"{x} * {x} - {x}",
            f"tf.one_hot({x}, {k})" if spec.dtype in (tf.int64, tf.int32, tf.uint8) else f"{x} + 2",
        ]
        some += [f"-{x}", f"abs({x} - {k})", f"tf.sign({x})"] if signed else []
        return b.draw.choice(some)
    if spec.dtype in FLOATS:
        return b.draw.choice([
            f"{x} * 1.5", f"tf.floor({x})", f"tf.cast({x}, tf.int64)", f"tf.maximum({x}, 1.0)", f"{x} - 0.25", f"tf.round({x})",
            f"{x} >= 1", f"tf.cast({x}, tf.float64)", f"tf.sqrt(tf.abs({x}))", f"tf.cast({x}, tf.float16)", f"1 / ({x} + 7)",
            f"tf.where({x} > 1, {x}, tf.zeros_like({x}))", f"tf.nn.relu({x} - 1)", f"tf.strings.as_string({x}, precision=2)",
        ])
    if spec.dtype == tf.string:
        return b.draw.choice([
            f"tf.strings.length({x})", f"tf.strings.join([{x}, 'q'])", f"tf.strings.upper({x})", f"tf.strings.substr({x}, 0, 2)",
            f"tf.strings.regex_replace({x}, '[a-f1]', '_')", f"tf.strings.to_hash_bucket_fast({x}, 9)", f"{x} + {x}",
            f"tf.strings.strip({x})", f"tf.strings.length({x}, unit='UTF8_CHAR')", f"tf.io.encode_base64({x})",
            f"tf.strings.regex_full_match({x}, '[a-z]+')", f"tf.strings.reduce_join(tf.strings.bytes_split({x}), separator='-')"
            if spec.shape.rank == 0 else f"tf.strings.lower({x})",
        ])
    if spec.dtype == tf.bool:
        return b.draw.choice([f"tf.logical_not({x})", f"tf.cast({x}, tf.int64)", f"tf.cast({x}, tf.float32)"])
    return b.draw.choice([f"tf.cast({x}, tf.float32)", f"tf.identity({x})"])


def reshaping(b: Builder, x: str, spec: tf.TensorSpec) -> str:
    """An expression that changes the shape of a component."""
    some = [f"tf.reshape({x}, [-1])", f"tf.stack([{x}, {x}])", f"tf.expand_dims({x}, 0)", f"tf.expand_dims({x}, -1)", f"tf.shape({x})",
            f"tf.size({x})"]
    if spec.shape.rank:
        some += [f"{x}[::-1]", f"{x}[:2]", f"tf.concat([{x}, {x}], 0)", f"tf.gather({x}, tf.range(tf.shape({x})[0] // 2))", f"{x}[-1:]",
                 f"tf.roll({x}, 1, 0)", f"tf.squeeze({x}[:1], 0)"]
        if spec.dtype in (*INTEGERS, *FLOATS):
            some += [f"tf.reduce_max({x}, axis=0)", f"tf.reduce_min({x}, axis=-1)", f"tf.argmax({x}, axis=0)", f"tf.sort({x}, axis=-1)",
                     f"tf.pad({x}, [[1, 0]] + [[0, 0]] * {spec.shape.rank - 1})"]
        if spec.dtype in INTEGERS[:2]:
            some += [f"tf.reduce_sum({x}, axis=0)", f"tf.cumsum({x})", f"tf.reduce_prod({x})"]
    if spec.shape.rank == 1 and spec.dtype == tf.string:
        some += [f"tf.strings.reduce_join({x}, separator=' ')"]
    if spec.shape.rank == 0 and spec.dtype in INTEGERS[:2]:
        some += [f"tf.range({x} % 4)", f"tf.fill([{x} % 3], {x})", f"tf.reduce_sum(tf.range({x} % 5))",
                 f"tf.while_loop(lambda i, s: i < {x} % 5, lambda i, s: (i + 1, s + i * i), ({x} * 0, {x}))[1]"]
    if spec.shape.rank == 0 and spec.dtype == tf.int64:
        some += [f"tf.data.Dataset.range({x} % 5).reduce(np.int64(1), lambda s, y: s + y * y)",
                 f"tf.map_fn(lambda v: v * 2 + 1, tf.range({x} % 4))"]
    if spec.shape.rank == 0 and spec.dtype == tf.string:
        some += [f"tf.strings.split({x})", f"tf.strings.unicode_decode({x}, 'UTF-8')", f"tf.strings.bytes_split({x})"]
    return b.draw.choice(some)


def failing(b: Builder, x: str, spec: tf.TensorSpec) -> str:
    """An expression that fails for some values."""
    if spec.dtype in INTEGERS:
        return b.draw.choice([f"12 // ({x} - 2)", f"tf.gather(tf.range(4), {x} + 0)",
                              f"tf.ensure_shape(tf.fill([tf.reduce_sum(tf.cast({x}, tf.int32)) % 3], 1), [1])"])
    if spec.dtype in FLOATS:
        return f"tf.debugging.check_numerics(1 / ({x} - 1), 'one')"
    if spec.dtype == tf.string:
        return b.draw.choice([f"tf.strings.to_number({x}, tf.int32)", f"tf.io.decode_raw({x}, tf.int16)", f"tf.io.decode_base64({x})",
                              f"tf.strings.substr({x}, 1, 1)", f"tf.io.decode_csv({x}, [[0]])"])
    return f"tf.cast({x}, tf.int64)"


def expression(b: Builder, x: str, spec: tf.TensorSpec) -> str:
    how = b.draw.random()
    if how < 0.06:
        return failing(b, x, spec)
    return reshaping(b, x, spec) if how < 0.35 and spec.shape.rank is not None else elementwise(b, x, spec)


def mapped(b: Builder) -> str:
    """The function of a map: some components computed, added, dropped or swapped."""
    parts = list(b.names)
    for i, (name, spec) in enumerate(zip(b.names, b.specs)):
        if b.chance(0.7):
            parts[i] = expression(b, name, spec)
    how = b.draw.random()
    name, spec = b.component()
    if how < 0.2 and len(parts) < 4:
        parts.append(expression(b, name, spec))
    elif how < 0.35 and len(parts) > 1:
        parts = [b.draw.choice(parts)]
    elif how < 0.4:
        b.draw.shuffle(parts)
    return b.function(b.structure(parts))


def parallel(b: Builder) -> str:
    return b.draw.choice(["num_parallel_calls=2", "num_parallel_calls=tf.data.AUTOTUNE", "num_parallel_calls=3, deterministic=True"])


def step_map(b):
    return f"ds = ds.map({mapped(b)})"


def step_parallel_map(b):
    return f"ds = ds.map({mapped(b)}, {parallel(b)})"


def condition(b: Builder) -> str | None:
    x, spec = b.component()
    k = b.small(0, 4)
    if spec.dtype in INTEGERS:
        return b.draw.choice([f"tf.reduce_all({x} % 2 == 0)", f"tf.reduce_any({x} > {k})", f"tf.reduce_min({x}) < {k + 2}"])
    if spec.dtype in FLOATS:
        return f"tf.reduce_all({x} < {k})"
    if spec.dtype == tf.string:
        return f"tf.reduce_all(tf.strings.length({x}) < {k})"
    return f"tf.reduce_all({x})" if spec.dtype == tf.bool else None


def step_filter(b):
    test = condition(b)
    return test and f"ds = ds.filter({b.function(test)})"


def step_take_while(b):
    test = condition(b)
    return test and f"ds = ds.take_while({b.function(test)})"


def step_take(b):
    return f"ds = ds.take({b.small(-1, 9)})"


def step_skip(b):
    return f"ds = ds.skip({b.small(-1, 5) if b.chance(0.2) else b.small(0, 4)})"


def step_repeat(b):
    return f"ds = ds.repeat({b.small(0, 3)})" if b.chance(0.8) else "ds = ds.repeat().take(20)"


def step_shard(b):
    n = b.small(1, 4)
    return f"ds = ds.shard({n}, {b.small(0, n - 1)})"


def step_batch(b):
    return f"ds = ds.batch({b.small(1, 4)}, drop_remainder={b.chance(0.4)})"


def step_parallel_batch(b):
    return f"ds = ds.batch({b.small(1, 4)}, drop_remainder={b.chance(0.4)}, {parallel(b)})"


def step_map_and_batch(b):
    return f"ds = ds.apply(tf.data.experimental.map_and_batch({mapped(b)}, {b.small(1, 4)}, drop_remainder={b.chance(0.4)}))"


def step_padded_batch(b):
    return f"ds = ds.padded_batch({b.small(1, 4)}, drop_remainder={b.chance(0.3)})"


def step_unbatch(b):
    return "ds = ds.unbatch()"


def step_rebatch(b):
    sizes = b.draw.choice([b.small(1, 5), [b.small(1, 3), b.small(1, 3)]])
    return f"ds = ds.rebatch({sizes}, drop_remainder={b.chance(0.4)})"


def step_ragged_batch(b):
    if len(b.specs) != 1:
        return None
    return f"ds = ds.ragged_batch({b.small(1, 4)}).map(lambda x: x.to_tensor() if isinstance(x, tf.RaggedTensor) else x)"


def step_dense_to_sparse_batch(b):
    if len(b.specs) != 1 or b.specs[0].shape.rank is None:
        return None
    shape = [b.draw.choice([3, 8, 12]) for _ in range(b.specs[0].shape.rank)]
    return (f"ds = ds.apply(tf.data.experimental.dense_to_sparse_batch({b.small(1, 4)}, {shape}))"
            ".map(lambda x: (x.indices, x.values, x.dense_shape))")


def step_window(b):
    arguments = f"{b.small(1, 4)}, shift={b.draw.choice(['None', b.small(1, 3)])}, stride={b.small(1, 2)}, drop_remainder={b.chance(0.4)}"
    inner = [f"{n}.batch(3)" for n in b.names] if b.chance(0.7) else b.names
    result = inner[0] if len(inner) == 1 else f"tf.data.Dataset.zip(({', '.join(inner)}))"
    return f"ds = ds.window({arguments}).flat_map({b.function(result)})"


def inner_dataset(b: Builder) -> str:
    x, spec = b.component((tf.int64,), 0)
    if x and b.chance(0.6):
        return b.function(f"tf.data.Dataset.range({x} % 4).map(lambda y: y * 10 + {x})")
    if all(s.shape.rank for s in b.specs) and b.chance(0.7):
        return b.function(f"tf.data.Dataset.from_tensor_slices({b.structure(b.names)})")
    return b.function(f"tf.data.Dataset.from_tensors({b.structure(b.names)}).repeat({b.small(0, 3)})")


def step_flat_map(b):
    return f"ds = ds.flat_map({inner_dataset(b)})"


def step_interleave(b):
    arguments = f"cycle_length={b.small(1, 4)}, block_length={b.small(1, 3)}"
    return f"ds = ds.interleave({inner_dataset(b)}, {arguments}{b.draw.choice(['', ', num_parallel_calls=2', ', num_parallel_calls=tf.data.AUTOTUNE'])})"


def step_shuffle(b):
    return f"ds = ds.shuffle({b.small(1, 8)}, seed={b.small(1, 99)}, reshuffle_each_iteration={b.chance(0.5)})"


def step_prefetch(b):
    return f"ds = ds.prefetch({b.draw.choice(['tf.data.AUTOTUNE', 0, 1, 2])})"


def step_cache(b):
    return "ds = ds.cache()"


def step_enumerate(b):
    names = [f"e{i}" for i in range(len(b.names))]
    rest = f"({', '.join(names)},)" if isinstance(b.dataset.element_spec, tuple) else names[0]
    parts = ", ".join(names)
    target = f"lambda i, e: (i, {', '.join(f'e[{k}]' for k in range(len(names)))})" if rest.startswith("(") else "lambda i, e: (i, e)"
    return f"ds = ds.enumerate({b.small(0, 9)}).map({target})" if parts and len(names) < 4 else None


def step_scan(b):
    x, spec = b.component((tf.int64, tf.int32))
    if x is None:
        return None
    total = f"s + tf.cast(tf.reduce_sum({x}), tf.int64)"
    return f"ds = ds.scan(np.int64({b.small(0, 5)}), lambda s, {b.names[0] if len(b.names) == 1 else 'e'}: ({scanned(b, x, total)}))"


def scanned(b, x, total):
    if len(b.names) > 1:
        total = total.replace(x, f"e[{b.names.index(x)}]")
    return f"{total}, s"


def step_group_by_window(b):
    x, spec = b.component((tf.int64,), 0)
    if x is None or len(b.specs) > 1:
        return None
    reduce = b.draw.choice(["w.batch(2)", "w.map(lambda v: v + k)", "w.take(2)"])
    return (f"ds = ds.group_by_window(lambda x: x % {b.small(1, 3)}, lambda k, w: {reduce}, window_size={b.small(1, 4)})")


def step_bucket_by_sequence_length(b):
    if len(b.specs) != 1 or b.specs[0].shape.rank != 1:
        return None
    return (f"ds = ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 4], [{b.small(1, 3)}, {b.small(1, 3)}, 2],"
            f" drop_remainder={b.chance(0.3)})")


def step_group_by_reducer(b):
    x, spec = b.component((tf.int64,), 0)
    if x is None or len(b.specs) > 1:
        return None
    return (f"ds = ds.apply(tf.data.experimental.group_by_reducer(lambda x: x % {b.small(1, 3)}, tf.data.experimental.Reducer("
            "lambda k: k * 0, lambda s, x: s * 3 + x, lambda s: s - 1)))")


def step_unique(b):
    if len(b.specs) != 1 or b.specs[0].dtype not in (tf.int64, tf.int32, tf.string):
        return None
    return "ds = ds.unique()"


def step_zip(b):
    other = b.draw.choice(["ds", "ds.skip(1)", "ds.take(3)", "tf.data.Dataset.range(6)", "ds.repeat(2)"])
    if len(b.specs) > 1:
        return f"ds = tf.data.Dataset.zip((ds, tf.data.Dataset.range(7))).map(lambda e, i: (*e[:2], i))"
    return f"ds = tf.data.Dataset.zip((ds, {other}))"


def step_concatenate(b):
    return f"ds = ds.concatenate({b.draw.choice(['ds', 'ds.take(2)', 'ds.skip(1)'])})"


def step_sample(b):
    weights = b.draw.choice(["[0.5, 0.5]", "[0.9, 0.1]", "None", "[0.3, 0.7]"])
    return (f"ds = tf.data.Dataset.sample_from_datasets([ds, ds.skip(1)], weights={weights}, seed={b.small(1, 99)},"
            f" stop_on_empty_dataset={b.chance(0.5)})")


def step_choose(b):
    return ("ds = tf.data.Dataset.choose_from_datasets([ds, ds.skip(1), ds.take(2)], tf.data.Dataset.range(9).map("
            f"lambda i: i * {b.small(1, 4)} % 3), stop_on_empty_dataset={b.chance(0.5)})")


def step_ignore_errors(b):
    return "ds = ds.ignore_errors()"


def step_assert_cardinality(b):
    n = int(b.dataset.cardinality())
    return f"ds = ds.apply(tf.data.experimental.assert_cardinality({n if n >= 0 and b.chance(0.7) else b.small(0, 6)}))"


def step_options(b):
    option = b.draw.choice(["deterministic = True", "threading.private_threadpool_size = 2", "autotune.enabled = False",
                            "experimental_optimization.map_and_batch_fusion = True", "experimental_optimization.apply_default_optimizations = False",
                            "threading.max_intra_op_parallelism = 1"])
    return f"options = tf.data.Options(); options.{option}; ds = ds.with_options(options)"


def step_parse_example(b):
    x, spec = b.component((tf.int64,), 0)
    if x is None or len(b.specs) > 1:
        return None
    # A tf.train.Example with the feature i: [x], as bytes.
    written = "tf.strings.join([b'\\n\\x0c\\n\\n\\n\\x01i\\x12\\x05\\x1a\\x03\\n\\x01', tf.gather(tf.constant([b'\\x00', b'\\x05', b'\\x11']), x % 3)])"
    return (f"ds = ds.map(lambda x: {written}).batch({b.small(1, 3)}).apply(tf.data.experimental.parse_example_dataset("
            "{'i': tf.io.FixedLenFeature([], tf.int64)})).map(lambda d: d['i'])")


STEPS = {name[len("step_"):]: step for name, step in list(globals().items()) if name.startswith("step_")}

"""The rows of the benchmark: the pipeline, the measurement, and Headrace's target.

Importing this needs no TensorFlow: only building a dataset does.
"""

import dataclasses
import os
import pathlib
import shutil

# The sides compared with the stock client on stock servers.
STOCK, STOCK_CLIENT, HEADRACE, COLUMNS = "stock", "stock client", "headrace", "columns"
# Two sides with Headrace's client, by guarantee.
AT_MOST_ONCE, EXACTLY_ONCE = "at_most_once", "exactly_once"
# The stock client on a Headrace server that multiplies matrices without a native library.
LOOPS = "stock client, loops"


# The elements of a snapshot: 128 MiB in all.
SAVED_ELEMENTS = 2048


# Names that stand for several rows.
GROUPS = {"killed", "pipelines"}


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    # The bytes of an element.
    size: int
    # The number of elements of a whole iteration; 0 for a dataset read without end.
    iteration: int = 0
    compression: str | None = None
    # The number of concurrent callers of GetSplit, in a row without workers.
    callers: int = 0
    # Measures the reader's wait while the dispatcher is killed and restarted.
    restart: bool = False
    # Compares Headrace's client under both guarantees, without stock.
    guarantees: bool = False
    # Measures the steps of a session on the graph of this name, on a cluster of one task or of two.
    graph: str = ""
    # The training example, on a parameter server and two workers with a trainer each: an element is an image.
    training: bool = False
    # Counts records lost while this fault befalls processes and files are read.
    fault: str = ""
    # The pipeline that is read then, and the number of readers that share it.
    pipeline: str = "lines"
    readers: int = 1
    # Reads the pipeline of this name of pipelines.py, with a fresh worker a side.
    preprocessing: str = ""
    # Measures the journal while a hundred workers announce what they deliver.
    announced: bool = False
    # Compares servers that are observed with others, as this side reads them.
    observed: str = ""
    # Whether the journal of that row is in a bucket.
    bucket: bool = False
    # Whether the row is measured only if it is named.
    named_only: bool = False
    # Measures the additional start-up time of a dispatcher that was killed after this number of splits.
    recovered_splits: int = 0
    # Whether each client reads a worker in its own process.
    in_process: bool = False
    # The number of consumers that read in step; an element is a round of them all.
    consumers: int = 0
    # Whether two trainers share a cache of the worker. Measured is the second one, while the first one reads, too.
    cached: bool = False
    # Measures a snapshot that the service writes, an element a row, or one that its worker reads: "written" or "read".
    snapshot: str = ""
    # The processing mode.
    mode: str = "parallel_epochs"
    # Whether the row belongs to --quick.
    quick: bool = False
    # Targets by side: a minimal multiple of stock's rate, or a minimal ratio of stock's time to this side's. For
    # lost and repeated records, and for additional seconds of start-up: a maximum.
    targets: dict[str, float] = dataclasses.field(default_factory=dict)

    def is_chosen(self, names: list[str], quick: bool) -> bool:
        if names:
            group = "killed" if self.fault else "pipelines" if self.preprocessing else None
            return self.name in names or group in names
        return self.quick if quick else not self.named_only

    @property
    def id(self) -> str:
        return self.name.replace(" ", "-").replace(",", "")

    @property
    def timed(self) -> bool:
        """Whether the measurement is a time."""
        return self.iteration > 0 or self.restart

    def is_read_by(self, side: str) -> bool:
        """Whether Headrace's client reads it so, by elements or by columns."""
        if self.consumers or self.snapshot == "written":
            return False
        return side == HEADRACE or not self.timed

    @property
    def two_tasks(self) -> bool:
        """Whether the graph spans two tasks."""
        return self.graph in ("pair", "transfer")

    @property
    def journaled(self) -> bool:
        """Whether dispatchers have a work_dir."""
        return (
            self.callers > 0
            or self.restart
            or bool(self.fault)
            or self.recovered_splits > 0
            or self.announced
            or self.snapshot == "written"
        )


# The records that a stock client of Headrace may lose in each fault.
FAULTS = {
    "worker killed": 50,
    "worker killed for good": 50,
    "worker stopped": 50,
    "dispatcher killed": 0,
    "all servers killed": 100,
    "rolling restart": 0,
    "reader killed": 10,
}


def losses() -> list[Row]:
    """Each fault, amid each of several pipelines and with two readers. All of them take hours."""
    variants = {
        "": {"pipeline": "lines"},
        ", two readers": {"readers": 2},
        ", batches": {"pipeline": "batches"},
        ", filter": {"pipeline": "filter"},
        ", shuffle": {"pipeline": "shuffle"},
    }
    return [
        Row(
            fault + suffix,
            16 << 10,
            fault=fault,
            named_only=fault + suffix not in ("worker killed", "dispatcher killed"),
            mode="distributed_epoch",
            targets={STOCK_CLIENT: limit, HEADRACE: 0},
            **variant,
        )
        for fault, limit in FAULTS.items()
        for suffix, variant in variants.items()
    ]


# The pipelines of pipelines.py, by kind.
PIPELINES = {
    "images": [
        "imagenet training",
        "imagenet evaluation",
        "cifar",
        "mnist",
        "flip and normalize",
        "normalized photos",
        "color jitter",
        "two views",
        "mixup",
        "random erasing",
        "random affine",
        "mosaic",
        "segmentation",
        "video clips",
        "thumbnails",
        "decoded photos",
        "encoded photos",
    ],
    "detection": [
        "boxes of a fixed number",
        "padded boxes",
        "anchors",
        "suppressed boxes",
    ],
    "text": [
        "hashed words",
        "vocabulary",
        "byte windows",
        "masked tokens",
        "ngrams",
        "buckets by length",
        "translation pairs",
        "characters",
        "packed sequences",
    ],
    "audio": [
        "spectrograms",
        "cepstra",
        "noisy speech",
        "frame energies",
    ],
    "tables": [
        "csv lines",
        "csv batches",
        "examples of twenty features",
        "crossed features",
        "time series",
        "shuffled rows",
    ],
    "recommenders": [
        "ratings",
        "negative samples",
        "histories",
        "multi hot",
        "interleaved files",
        "prefetched rows",
        "sessions by user",
        "weighted sources",
    ],
}


def preprocessing() -> list[Row]:
    """Each pipeline that people train with. All of them take an hour."""
    names = (name for kind in PIPELINES.values() for name in kind)
    return [Row(name, 1, preprocessing=name, named_only=True) for name in names]


ROWS = [
    Row("scalar", 8, quick=True, targets={STOCK_CLIENT: 1.5, HEADRACE: 1_000, COLUMNS: 10_000}),
    Row("range.batch(256)", 2048, targets={HEADRACE: 60}),
    Row("scalar, dynamic", 8, mode="distributed_epoch", targets={HEADRACE: 200}),
    Row("4 KiB", 4 << 10),
    Row("64 KiB", 64 << 10),
    Row("64 KiB, AUTO", 64 << 10, compression="AUTO"),
    Row("1 MiB", 1 << 20, quick=True, targets={STOCK_CLIENT: 0.95, HEADRACE: 1.3}),
    Row("8 MiB", 8 << 20, targets={STOCK_CLIENT: 1}),
    Row("1 MiB, in process", 1 << 20, in_process=True, targets={HEADRACE: 0.5}),
    Row("four consumers", 4 * 8, consumers=4, targets={STOCK_CLIENT: 1}),
    Row("second trainer of a cache", 8, cached=True, targets={STOCK_CLIENT: 1, HEADRACE: 20}),
    Row("snapshot written, 64 KiB", 64 << 10, snapshot="written", targets={STOCK_CLIENT: 1}),
    Row("snapshot read, 64 KiB", 64 << 10, snapshot="read", targets={HEADRACE: 1.5}),
    Row("GetSplit, 16 callers", 8, callers=16, targets={HEADRACE: 1}),
    Row("GetSplit, 256 callers", 8, callers=256, targets={HEADRACE: 1}),
    Row("dispatcher restart", 8, restart=True, mode="distributed_epoch", targets={HEADRACE: 2}),
    *losses(),
    Row("recovery", 8, recovered_splits=1_000_000, targets={HEADRACE: 1}),
    Row("100 workers at 10 kHz", 8, announced=True, targets={HEADRACE: 64}),
    Row("100 workers at 10 kHz, in a bucket", 8, announced=True, bucket=True, named_only=True, targets={HEADRACE: 64}),
    Row("scalar by columns, observed", 8, observed=COLUMNS, named_only=True, targets={HEADRACE: 0.98}),
    Row("scalar of a stock client, observed", 8, observed=STOCK_CLIENT, named_only=True, targets={HEADRACE: 0.98}),
    Row("1 MiB, observed", 1 << 20, observed=HEADRACE, named_only=True, targets={HEADRACE: 0.98}),
    Row("range.map.batch(256)", 2048, guarantees=True, targets={EXACTLY_ONCE: 0.8}),
    Row("step of ten nodes", 4, graph="chain", targets={STOCK_CLIENT: 1, HEADRACE: 1.5}),
    Row("step of two tasks", 4, graph="pair"),
    Row("64 MiB between tasks", 64 << 20, graph="transfer", targets={STOCK_CLIENT: 1}),
    Row("MatMul 1024 x 1024", 4 << 20, graph="product", targets={STOCK_CLIENT: 0.7}),
    Row("training example", 28 * 28 * 4 + 4, training=True, targets={HEADRACE: 0.7}),
    *preprocessing(),
    Row("iteration of 10", 8, iteration=10, quick=True, targets={HEADRACE: 20}),
]


def dataset(row: Row, corpus: str = ""):
    """The pipeline, the same for every reader; that of preprocessing reads files in the folder corpus."""
    import tensorflow as tf

    if row.preprocessing:
        import pipelines

        return pipelines.PIPELINES[row.preprocessing](pathlib.Path(corpus))
    if row.iteration:
        return tf.data.Dataset.range(row.iteration)
    if row.snapshot == "read":
        return tf.data.Dataset.load(saved(corpus)).repeat()
    if row.consumers or row.cached:
        return tf.data.Dataset.range(1 << 60).repeat()
    if row.size == 8:
        return tf.data.Dataset.range(1 << 60)
    if row.name.startswith("range.batch"):
        return tf.data.Dataset.range(1 << 60).batch(256)
    return equal_elements(row.size)


def equal_elements(size: int):
    """Elements of this number of bytes without end, of which every second value is constant: they are compressible."""
    import tensorflow as tf

    values = tf.random.stateless_uniform([size // 8, 2], seed=[1, 2]) * [1.0, 0.0]
    return tf.data.Dataset.from_tensors(tf.reshape(values, [-1])).repeat()


def saved(corpus: str) -> str:
    """The folder of a dataset that TensorFlow saves, 128 MiB in four shards; it is kept for later runs."""
    path = pathlib.Path(corpus) / "saved-64-KiB"
    if not path.exists():
        new = path.with_name(f"{path.name}-{os.getpid()}")
        new.parent.mkdir(parents=True, exist_ok=True)
        dataset = equal_elements(64 << 10).take(SAVED_ELEMENTS).enumerate()
        dataset.save(str(new), shard_func=lambda i, _: i % 4)
        try:
            new.rename(path)
        except OSError:
            # The client of another side was first.
            shutil.rmtree(new)
    return str(path)

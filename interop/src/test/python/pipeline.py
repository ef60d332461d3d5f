"""The definition of pipelines under test, and the registry that other modules fill."""

import dataclasses
from typing import Callable

import tensorflow as tf

from files import Files


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """An input pipeline, and the comparison of its elements with those of stock TensorFlow alone.

    comparison is one of
      equal          the same elements in the same order
      unordered      the same elements in any order
      shared         the same elements in any order, once from all workers together
      close R        as equal, floats within R of the larger magnitude
      uniform A B    as many elements of the same types and shapes, each number in [A, B)
      fails CODE     the elements before the error are a prefix of stock's, and CODE ends both
    """

    name: str
    build: Callable[[Files], tf.data.Dataset]
    comparison: str = "equal"
    compression: str | None = "AUTO"
    processing_mode: str = "parallel_epochs"
    # All op types of the registered graph and its functions, if the test checks them.
    ops: tuple[str, ...] = ()
    # The part that Headrace refuses with UNIMPLEMENTED and a message that names it: any server, or a worker.
    refused: str = ""
    unsupported: str = ""

    def properties(self) -> dict[str, str]:
        return {
            "comparison": self.comparison,
            "compression": self.compression or "none",
            "ops": ",".join(self.ops),
            "refused": self.refused,
            "unsupported": self.unsupported,
        }


PIPELINES: dict[str, Pipeline] = {}


def pipeline(comparison: str = "equal", **options):
    """Registers the decorated function as a pipeline with its name."""

    def register(build: Callable[[Files], tf.data.Dataset]):
        name = build.__name__
        if name in PIPELINES:
            raise ValueError(f"two pipelines are named {name}")
        PIPELINES[name] = Pipeline(name, build, comparison, **options)
        return build

    return register

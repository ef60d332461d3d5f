"""Compares random pipelines with stock TensorFlow: differential_pipelines.py FIRST END [STOCK OURS]

DifferentialPipelinesTest runs it. Pipeline number n is the same each time. Stock reads it locally, and Headrace's engine
from its graph; given the addresses of two dispatchers, stock's and Headrace's, a stock client reads it from both. A
difference is shrunk by leaving lines out, and printed as the Python that builds it; add it to pipelines.py of
dataset/src/test/python or to interop's pipelines.
"""

import os
import re
import sys

import engine  # before anything prints
import graphs
import numpy as np
import tensorflow as tf
from bounds import same
from engine import Answer
from random_pipelines import MOST_ELEMENTS, Builder, built, is_plain
from tensorflow.core.framework import graph_pb2
from tensorflow.python.data.ops import options as options_lib

SEED = 15


def main() -> None:
    first, end = int(sys.argv[1]), int(sys.argv[2])
    addresses = sys.argv[3:]
    reported = set()
    for number in range(first, end):
        engine.begin(number, f"pipeline {number}")
        pipeline = Builder(f"{SEED} {number}")
        engine.begin(number, f"pipeline {number}: {'; '.join(pipeline.lines)}")
        text = compare(pipeline.dataset, pipeline.lines, number, addresses)
        for name in pipeline.transformations:
            engine.name("transformations", name)
        engine.outcome("different" if text else "same")
        if text:
            report(pipeline.lines, number, addresses, text, reported)
    engine.end()
    os._exit(0)


def compare(dataset: tf.data.Dataset, lines: list[str], number: int, addresses: list[str]) -> str | None:
    """How the elements or the end differ; None if they do not."""
    if addresses:
        expected, actual = (read(distributed(dataset, address)) for address in addresses)
        text = difference(expected, actual, through_services=True)
        return None if is_stocks_mistake(lines, expected[0], actual[0]) else text
    if is_reshuffled_twice(lines):
        return None
    ignore = options_lib.ExternalStatePolicy.IGNORE
    graph = dataset._as_serialized_graph(strip_device_assignment=True, external_state_policy=ignore).numpy()
    actual = engine.read(graph, MOST_ELEMENTS, [1, 2, 7, 1000][number % 4])
    expected = read(dataset)
    if not difference(expected, actual, through_services=False) or is_stocks_mistake(lines, expected[0], actual[0]):
        return None
    # A dataset that is used twice is two in its graph, each with a generator of seeds of its own.
    return difference(read(graphs.load(graph_pb2.GraphDef.FromString(graph))), actual, through_services=False)


def is_reshuffled_twice(lines: list[str]) -> bool:
    """Whether a dataset that is shuffled anew in each pass is used twice.

    Stock itself answers anew each time: the graph holds such a dataset twice, both draw their seeds from one generator,
    and the order in which they come to it is the executor's."""
    reshuffled = False
    for line in lines:
        if reshuffled and len(re.findall(r"\bds\b", line)) > 2:
            return True
        reshuffled |= "reshuffle_each_iteration=True" in line
    return False


def is_stocks_mistake(lines: list[str], end: Answer, our_end: Answer) -> bool:
    """Whether stock does not do what the documents of its API promise, and Headrace does."""

    def has(*parts: str) -> bool:
        return any(all(part in line for part in parts) for line in lines)

    # A fused batch compares numbers of values only, and takes the shape of the row that is ready first: the values of
    # rows of other shapes, if as many, move to other places.
    if not end.code and "Cannot batch tensors with different shapes" in our_end.message:
        return has("map_and_batch(")
    if our_end.code:
        return False

    # The shapes that the kernel of these two computes are those of scalars, whatever their inputs have.
    if has("sample_from_datasets(") or has("choose_from_datasets("):
        if re.search(r"Incompatible shapes at component \d+: expected (\[\] but|.* but got \[\])", end.message):
            return has("concatenate(")
    # A parallel batch fails for a remainder of different shapes before it drops it; a batch that is not parallel does not.
    if "Cannot batch tensors with different shapes" in end.message:
        return has("batch(", "drop_remainder=True", "num_parallel_calls")
    # The optimizer makes one op of both, and that one refuses a count that repeat takes.
    return "ShuffleAndRepeatDataset" in end.message and has("shuffle(") and has("repeat(0)")


def distributed(dataset: tf.data.Dataset, address: str) -> tf.data.Dataset:
    return dataset.apply(tf.data.experimental.service.distribute("parallel_epochs", address))


def read(dataset: tf.data.Dataset) -> tuple[Answer, list[list[np.ndarray]]]:
    elements = []
    try:
        for element in dataset:
            elements.append([plain(t) for t in tf.nest.flatten(element)])
            if len(elements) == MOST_ELEMENTS:
                break
    except tf.errors.OpError as error:
        return Answer(error.error_code, error.message, []), elements
    return Answer(0, "", []), elements


def plain(tensor: tf.Tensor) -> np.ndarray:
    return np.asarray(tensor.numpy(), object if tensor.dtype == tf.string else None)


def difference(expected, actual, through_services: bool) -> str | None:
    (end, elements), (our_end, our_elements) = expected, actual
    if end.code != our_end.code:
        return (f"ends with code {our_end.code} after {len(our_elements)} elements instead of {end.code} after {len(elements)}:"
                f" ours {our_end.message[:300]!r}, stock's {end.message[:300]!r}")
    # Elements before an error may still be on their way through a service when the error arrives.
    if len(elements) != len(our_elements) and not (through_services and end.code):
        return f"{len(our_elements)} elements instead of {len(elements)}"
    for at, (element, ours) in enumerate(zip(elements, our_elements)):
        for component, (e, a) in enumerate(zip(element, ours, strict=True)):
            if e.dtype != a.dtype or e.shape != a.shape or not same(e, a):
                return f"element {at}, component {component}: {a!r} instead of {e!r}"
    return None


def report(lines: list[str], number: int, addresses: list[str], text: str, reported: set) -> None:
    def fails(candidate: list[str]) -> str | None:
        try:
            dataset = built(candidate)
            return compare(dataset, candidate, number, addresses) if is_plain(dataset.element_spec) else None
        except Exception:
            return None  # TensorFlow refuses to build it

    engine.suspect("\n  ".join([f"pipeline {number}: {text}", *lines]))
    smaller = True
    while smaller:
        smaller = False
        for at in range(1, len(lines)):
            candidate = lines[:at] + lines[at + 1:]
            found = fails(candidate)
            if found:
                lines, text, smaller = candidate, found, True
                break
    kind = tuple(line.partition("(")[0] for line in lines[1:])
    if kind in reported:
        engine.outcome("different again")
        return
    reported.add(kind)
    engine.failure("\n  ".join([f"pipeline {number}: {text}", *lines]))


if __name__ == "__main__":
    main()

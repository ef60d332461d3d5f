"""Runs many pipelines in one process, since starting TensorFlow takes seconds."""

import concurrent.futures
import os
import pathlib
import sys
import threading
import time
from typing import Callable

import tensorflow as tf

# Imported for the pipelines that they register.
import captured  # noqa: F401
import elements
import operations  # noqa: F401
import sharded  # noqa: F401
import sources  # noqa: F401
import transformations  # noqa: F401
from pipeline import PIPELINES, Pipeline


def select(names: list[str]) -> list[Pipeline]:
    unknown = [name for name in names if name not in PIPELINES]
    if unknown:
        raise SystemExit(f"no pipeline is named {', '.join(unknown)}")
    return [PIPELINES[name] for name in names] if names else list(PIPELINES.values())


def run(
    pipelines: list[Pipeline],
    prepare: Callable[[Pipeline], tf.data.Dataset],
    out: str,
    at_once: int,
    seconds_each: float,
) -> None:
    """Writes OUT/NAME.elements and OUT/NAME.properties for each pipeline; then ends the process.

    Calls prepare for the pipelines in order. A pipeline that does not end in time is abandoned with the error
    DEADLINE_EXCEEDED; the others continue.
    """
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        jobs = []
        for pipeline in pipelines:
            dataset = attempt(lambda: prepare(pipeline))  # noqa: B023
            jobs.append(pool.submit(read_one, pipeline, dataset, folder, seconds_each))
        for job in jobs:
            job.result()
    print(f"done: {len(pipelines)} pipelines", flush=True)
    # Threads blocked in a read must not keep the process alive.
    os._exit(0)


def attempt(prepare: Callable[[], tf.data.Dataset]) -> tf.data.Dataset | Exception:
    try:
        return prepare()
    except Exception as error:
        return error


def read_one(pipeline: Pipeline, dataset, folder: pathlib.Path, seconds: float) -> None:
    started = time.monotonic()
    if isinstance(dataset, Exception):
        (folder / f"{pipeline.name}.elements").write_bytes(b"")
        outcome = [(0, elements.description(dataset))]
    else:
        outcome = dump_within(dataset, folder / f"{pipeline.name}.elements", seconds)
    count, error = outcome[0] if outcome else (0, f"DEADLINE_EXCEEDED: no end in {seconds:g} s")
    properties = pipeline.properties() | {"error": error}
    elements.write_properties(folder / f"{pipeline.name}.properties", properties)
    took = time.monotonic() - started
    print(f"{pipeline.name}: {count} elements, {took:.2f} s {error[:300]}", file=sys.stderr)


def dump_within(dataset: tf.data.Dataset, path: pathlib.Path, seconds: float) -> list:
    """The result of dump in a list; an empty list if it took too long."""
    outcome = []
    reader = threading.Thread(target=lambda: outcome.append(elements.dump(dataset, path)), daemon=True)
    reader.start()
    reader.join(seconds)
    return list(outcome)

"""A stock client that measures on command: stock_client.py grpc://HOST:PORT ROW CORPUS

Registers the row's dataset under the row's id, prints "ready", and then answers lines:

  read SECONDS     "read ELEMENTS SECONDS": the elements taken (those of the second of two trainers, the rounds of
                   consumers, the elements of snapshots written), and the time
  wait SECONDS     "wait LONGEST": the longest wait for an element in that time
  iterate          "iterate FIRST WHOLE": seconds from a new iterator to its first element, and to its end
"""

import atexit
import concurrent.futures
import os
import pathlib
import shutil
import signal
import sys
import threading
import time

import tensorflow as tf

import rows

service = tf.data.experimental.service


def main() -> None:
    target, name, corpus = sys.argv[1:]
    row = next(row for row in rows.ROWS if row.name == name)
    service.register_dataset(target, rows.dataset(row, corpus), row.compression, dataset_id=row.id)
    worker = own_worker(target) if row.in_process else None
    dataset = service.from_dataset_id(
        row.mode, target, row.id, target_workers="AUTO" if worker is None else "LOCAL"
    )
    if row.consumers:
        reader = Consumers(target, row)
    elif row.cached:
        reader = Trainers(target, row)
    elif row.snapshot == "written":
        reader = Snapshots(target, row, pathlib.Path(corpus))
    else:
        reader = None
    print("ready", flush=True)
    iterator = None
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "read" and reader is not None:
            print("read", *reader.read(float(arguments[0])), flush=True)
        elif command == "read":
            iterator = iterator or iter(dataset)
            print("read", *read(iterator, float(arguments[0])), flush=True)
        elif command == "wait":
            iterator = iterator or iter(dataset)
            print("wait", longest_wait(iterator, float(arguments[0])), flush=True)
        elif command == "iterate":
            print("iterate", *iterate(dataset), flush=True)


def own_worker(target: str):
    return service.WorkerServer(service.WorkerConfig(dispatcher_address=target.partition("://")[2]))


class Consumers:
    """Consumers that read in step, a thread each."""

    # The rounds between two looks at the clock.
    ROUNDS = 64

    def __init__(self, target: str, row: rows.Row):
        self.iterators = [
            iter(
                service.from_dataset_id(
                    row.mode, target, row.id, job_name="rounds", consumer_index=i, num_consumers=row.consumers
                )
            )
            for i in range(row.consumers)
        ]
        self.threads = concurrent.futures.ThreadPoolExecutor(row.consumers)

    def read(self, seconds: float) -> tuple[int, float]:
        started = time.perf_counter()
        rounds = 0
        while (took := time.perf_counter() - started) < seconds:
            for _ in self.threads.map(self.read_rounds, self.iterators):
                pass
            rounds += self.ROUNDS
        return rounds, took

    def read_rounds(self, iterator) -> None:
        for _ in range(self.ROUNDS):
            next(iterator)


class Trainers:
    """Two trainers of one cached job, a thread each, of which the second one is measured."""

    def __init__(self, target: str, row: rows.Row):
        self.first, self.second = (
            iter(
                service.from_dataset_id(
                    row.mode,
                    target,
                    row.id,
                    job_name="trainers",
                    cross_trainer_cache=service.CrossTrainerCache(trainer_id=trainer),
                )
            )
            for trainer in ("first", "second")
        )

    def read(self, seconds: float) -> tuple[int, float]:
        over = threading.Event()
        other = threading.Thread(target=self.read_first, args=[over])
        other.start()
        try:
            return read(self.second, seconds)
        finally:
            over.set()
            other.join()

    def read_first(self, over: threading.Event) -> None:
        while not over.is_set():
            next(self.first)


class Snapshots:
    """Writes snapshots, one after the other."""

    def __init__(self, target: str, row: rows.Row, corpus: pathlib.Path):
        self.target = target.partition("://")[2]
        self.dataset = rows.equal_elements(row.size).take(rows.SAVED_ELEMENTS)
        self.folder = corpus / f"snapshots-{os.getpid()}"
        self.folder.mkdir(parents=True)
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        # Without it, the benchmark's signal would end this process at once, and leave the folder.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        self.written = 0

    def read(self, seconds: float) -> tuple[int, float]:
        elements, took = 0, 0.0
        while took < seconds:
            took += self.write()
            elements += rows.SAVED_ELEMENTS
        return elements, took

    def write(self) -> float:
        """The seconds that a snapshot takes from its request to its end."""
        path = self.folder / str(self.written)
        self.written += 1
        started = time.perf_counter()
        tf.data.experimental.distributed_save(self.dataset, str(path), self.target, compression=None)
        while not (path / "DONE").exists():
            if (path / "ERROR").exists():
                raise RuntimeError((path / "ERROR").read_text())
            time.sleep(0.001)
        took = time.perf_counter() - started
        shutil.rmtree(path)
        return took


def read(iterator, seconds: float) -> tuple[int, float]:
    started = time.perf_counter()
    count = 0
    while (took := time.perf_counter() - started) < seconds:
        next(iterator)
        count += 1
    return count, took


def longest_wait(iterator, seconds: float) -> float:
    started = last = time.perf_counter()
    longest = 0.0
    while last - started < seconds:
        next(iterator)
        now = time.perf_counter()
        longest = max(longest, now - last)
        last = now
    return longest


def iterate(dataset) -> tuple[float, float]:
    started = time.perf_counter()
    iterator = iter(dataset)
    next(iterator)
    first = time.perf_counter() - started
    for _ in iterator:
        pass
    return first, time.perf_counter() - started


if __name__ == "__main__":
    main()

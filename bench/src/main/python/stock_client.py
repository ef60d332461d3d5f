"""A stock client that measures on command: stock_client.py grpc://HOST:PORT ROW CORPUS

Registers the row's dataset under the row's id, prints "ready", and then answers lines:

  read SECONDS     "read ELEMENTS SECONDS": the elements taken, and the time
  wait SECONDS     "wait LONGEST": the longest wait for an element in that time
  iterate          "iterate FIRST WHOLE": seconds from a new iterator to its first element, and to its end
"""

import sys
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
    print("ready", flush=True)
    iterator = None
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "read":
            iterator = iterator or iter(dataset)
            print("read", *read(iterator, float(arguments[0])), flush=True)
        elif command == "wait":
            iterator = iterator or iter(dataset)
            print("wait", longest_wait(iterator, float(arguments[0])), flush=True)
        elif command == "iterate":
            print("iterate", *iterate(dataset), flush=True)


def own_worker(target: str):
    return service.WorkerServer(service.WorkerConfig(dispatcher_address=target.partition("://")[2]))


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

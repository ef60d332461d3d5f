"""Two stock trainers of one cached job, each a thread with an iterator of its own: trainers.py DISPATCHER MODE

The only worker's elements are 0, 1, 2, ... In the mode "together" one trainer reads faster than the other, and each must
get all elements, until the worker starts anew. Prints

    reading     when the slow trainer has read a hundred elements
    anew        when both have read a hundred elements of a worker that started anew; then both close and the script ends

In the mode "late" the second trainer begins when the first has read LATE elements, and must get later ones than the
first did at its begin, in their order. Prints "late FIRST", its first element, when it has read as many.

Prints "wrong" with the reason otherwise.
"""

import os
import sys
import threading
import time

import tensorflow as tf

service = tf.data.experimental.service
ENOUGH = 100
LATE = 5_000


class Trainer:
    def __init__(self, target: str, job: str, name: str, pause: float):
        self.name, self.pause = name, pause
        self.read, self.anew = 0, 0
        cache = service.CrossTrainerCache(trainer_id=name)
        dataset = tf.data.Dataset.range(1 << 40).repeat()
        dataset = dataset.apply(
            service.distribute("parallel_epochs", target, job_name=job, cross_trainer_cache=cache)
        )
        self.elements = iter(dataset)
        self.last = -1

    def next(self) -> int:
        try:
            return int(next(self.elements))
        except tf.errors.OpError as e:
            wrong(f"{self.name}: {e}")

    def run_until(self, over: threading.Event) -> None:
        while not over.is_set():
            element = self.next()
            if element != self.last + 1 and not (element == 0 and self.last > 0):
                wrong(f"{self.name} has {element} behind {self.last}")
            self.read += 1
            if self.anew > 0 or (element == 0 and self.last > 0):
                self.anew += 1
            self.last = element
            time.sleep(self.pause)


def together(target: str, job: str) -> None:
    trainers = [Trainer(target, job, "fast", 0.0005), Trainer(target, job, "slow", 0.002)]
    over = threading.Event()
    threads = [threading.Thread(target=trainer.run_until, args=[over]) for trainer in trainers]
    for thread in threads:
        thread.start()
    await_all(lambda: trainers[1].read >= ENOUGH)
    print("reading", flush=True)
    await_all(lambda: all(trainer.anew >= ENOUGH for trainer in trainers))
    print("anew", flush=True)
    over.set()
    for thread in threads:
        thread.join()


def await_all(condition) -> None:
    deadline = time.monotonic() + 250
    while not condition():
        if time.monotonic() > deadline:
            wrong("a trainer has waited for long")
        time.sleep(0.05)


def late(target: str, job: str) -> None:
    first = Trainer(target, job, "first", 0)
    for expected in range(LATE):
        element = first.next()
        if element != expected:
            wrong(f"the first trainer has {element} instead of {expected}")
    second = Trainer(target, job, "second", 0)
    elements = [second.next() for _ in range(LATE)]
    if elements != sorted(set(elements)):
        wrong("the second trainer's elements are out of order")
    print("late", elements[0], flush=True)


def wrong(reason: str) -> None:
    print("wrong", reason, flush=True)
    print("wrong", reason, file=sys.stderr, flush=True)
    os._exit(1)


if __name__ == "__main__":
    modes = {"together": together, "late": late}
    modes[sys.argv[2]](sys.argv[1], f"cached_{os.getpid()}")

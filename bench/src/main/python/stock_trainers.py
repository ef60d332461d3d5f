"""Stock trainers that measure on command: stock_trainers.py DISPATCHER WORKER...

Uses the trainers of the example fashion_mnist_ps.py. Prints "ready", and answers "read SECONDS" with "read IMAGES
SECONDS": the images that all trainers have learnt from, and the time.
"""

import concurrent.futures
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "examples/src/main/python"))

import fashion_mnist_ps as example

dispatcher, *workers = sys.argv[1:]


def learn(trainer, session, batches, until: float) -> int:
    learnt = 0
    while time.perf_counter() < until:
        images, labels = next(batches)
        trainer.learn(session, images, labels)
        learnt += len(labels)
    return learnt


def main() -> None:
    count = len(workers)
    trainers = [example.Trainer(task) for task in range(count)]
    batches = [example.batches(dispatcher) for _ in trainers]
    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        sessions = [trainer.session(target) for trainer, target in zip(trainers, workers)]
        print("ready", flush=True)
        for line in sys.stdin:
            started = time.perf_counter()
            until = started + float(line.split()[1])
            learnt = sum(threads.map(learn, trainers, sessions, batches, [until] * count))
            print("read", learnt, time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    main()

"""Stock consumers that read in step: consumers.py DISPATCHER CONSUMERS EVENT

Each consumer is a thread with an iterator of its own. A worker's elements are 0, 1, 2, ..., so the elements of one
step, in the order of the consumers, must be consecutive, and follow those that the same worker gave before. Prints

    reading     after the first hundred steps; with the event "left", or "paused EVENT", all consumers pause then, with
                what they asked for answered, until a line comes in, so that a worker can be killed that has no round
                half done
    joined N    when the Nth worker has given its first elements
    left        when one of several workers has given none for 300 steps
    end STEPS   when the consumers have read on for fifty steps after EVENT, and have closed their iterators

or "wrong" with the reason. A worker that starts anew counts as another one.
"""

import os
import queue
import sys
import threading
import time

import tensorflow as tf

service = tf.data.experimental.service
AFTERWARDS = 50
GONE = 300


class Consumers:
    def __init__(self, target: str, number: int, event: str):
        self.target, self.number, self.event = target, number, event.removeprefix("paused ")
        self.pauses = event == "left" or event.startswith("paused ")
        self.elements = [queue.Queue() for _ in range(number)]
        self.taken = [0] * number
        self.stop_at = sys.maxsize
        self.lock = threading.Lock()
        self.going = threading.Event()
        self.going.set()

    def consume(self, index: int) -> None:
        dataset = tf.data.Dataset.range(1 << 40).repeat()
        dataset = dataset.apply(
            service.distribute(
                "parallel_epochs",
                self.target,
                job_name=f"in_step_{os.getpid()}",
                consumer_index=index,
                num_consumers=self.number,
            )
        )
        try:
            for element in dataset:
                with self.lock:
                    self.taken[index] += 1
                    ends = self.taken[index] >= self.stop_at
                self.elements[index].put(int(element))
                if ends:
                    break
                time.sleep(0.001)
                self.going.wait()
        except tf.errors.OpError as e:
            wrong(f"consumer {index}: {e}")

    def check(self) -> int:
        """Compares the elements step by step; returns the number of steps."""
        last: list[int] = []  # by worker, the number of its last step
        at: list[int] = []  # by worker, the step at which that was
        step = 0
        left = False
        while step < self.stop_at:
            elements = [consumer.get(timeout=120) for consumer in self.elements]
            first = elements[0]
            if elements != list(range(first, first + self.number)) or first % self.number:
                wrong(f"in step {step}, the consumers have {elements}")
            number = first // self.number
            step += 1
            if number == 0:
                last.append(0)
                at.append(step)
                self.happened(f"joined {len(last)}")
            elif number - 1 in last:
                worker = last.index(number - 1)
                last[worker], at[worker] = number, step
            else:
                wrong(f"in step {step}, {elements} follow none of {last}")
            if step == 100 and self.pauses:
                self.pause()
            elif step == 100:
                self.happened("reading")
            if not left and len(at) > 1 and min(at) < step - GONE:
                left = True
                self.happened("left")
        return step

    def pause(self) -> None:
        self.going.clear()
        time.sleep(2)
        self.happened("reading")
        sys.stdin.readline()
        self.going.set()

    def happened(self, event: str) -> None:
        print(event, flush=True)
        if event == self.event:
            with self.lock:
                self.stop_at = max(self.taken) + AFTERWARDS


def wrong(reason: str) -> None:
    print("wrong", reason, flush=True)
    print("wrong", reason, file=sys.stderr, flush=True)
    os._exit(1)


def main() -> None:
    consumers = Consumers(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    threads = [threading.Thread(target=consumers.consume, args=[i]) for i in range(consumers.number)]
    for thread in threads:
        thread.start()
    try:
        steps = consumers.check()
    except queue.Empty:
        wrong("a consumer has waited for two minutes")
    for thread in threads:
        thread.join()
    print("end", steps, flush=True)


if __name__ == "__main__":
    main()

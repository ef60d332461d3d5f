"""A slow stock client: count.py DISPATCHER N MODE

Reads range(N) in a processing mode, about a thousand elements a second; prints "reading" at its hundredth element,
and "end ELEMENTS DISTINCT" at the end.
"""

import sys
import time

import tensorflow as tf

service = tf.data.experimental.service


def main() -> None:
    target, n, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    dataset = tf.data.Dataset.range(n).apply(service.distribute(mode, target))
    seen = []
    for element in dataset:
        seen.append(element.numpy())
        if len(seen) == 100:
            print("reading", flush=True)
        time.sleep(0.001)
    print("end", len(seen), len(set(seen)), flush=True)


if __name__ == "__main__":
    main()

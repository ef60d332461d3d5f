"""A stock session that measures on command: stock_session.py grpc://HOST:PORT GRAPH

Prints "ready", and then answers "read SECONDS" with "read STEPS SECONDS".
"""

import sys
import time

import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()


def chain():
    """Ten nodes, one of them fed."""
    x = y = tf1.placeholder(tf.float32, [])
    for i in range(9):
        y = y - x if i % 2 else y * x
    return {x: 1.0}, y


def pair():
    """One node at each of two tasks."""
    with tf1.device("/job:ps/task:0"):
        y = tf1.get_variable("y", initializer=tf1.constant(1.0))
    with tf1.device("/job:worker/task:0"):
        return {}, tf1.abs(y)


def transfer():
    """A variable of 64 MiB at one task; the other task takes one element of it."""
    with tf1.device("/job:ps/task:0"):
        y = tf1.get_variable("y", initializer=tf1.ones([16 << 20]))
    with tf1.device("/job:worker/task:0"):
        return {}, tf1.slice(y, [0], [1])


def product():
    """A product of two 1024 x 1024 matrices; one element is fetched."""
    x = tf1.get_variable("x", initializer=tf1.random_uniform([1024, 1024], seed=1))
    return {}, tf1.slice(tf1.matmul(x, x), [0, 0], [1, 1])


GRAPHS = {"chain": chain, "pair": pair, "transfer": transfer, "product": product}


def main() -> None:
    target, graph = sys.argv[1:]
    feeds, fetch = GRAPHS[graph]()
    with tf1.Session(target) as session:
        session.run(tf1.global_variables_initializer())
        session.run(fetch, feeds)
        print("ready", flush=True)
        for line in sys.stdin:
            seconds = float(line.split()[1])
            started = time.perf_counter()
            count = 0
            while (took := time.perf_counter() - started) < seconds:
                session.run(fetch, feeds)
                count += 1
            print("read", count, took, flush=True)


if __name__ == "__main__":
    main()

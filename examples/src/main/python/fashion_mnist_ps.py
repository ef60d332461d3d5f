"""Between-graph replicated training by stock TensorFlow 2.21, on stock or Headrace servers.

    python examples/src/main/python/fashion_mnist_ps.py grpc://localhost:5050 grpc://localhost:2222 grpc://localhost:2223

The first target is the dispatcher that feeds the trainers; the others are the tasks of job worker, in order. The
cluster has one task of job ps. This script runs a trainer for each worker, with its own graph and session.
"""

import argparse
import concurrent.futures
import contextlib
import pathlib
import time

import tensorflow as tf

tf1 = tf.compat.v1
# The dispatcher's workers open the files, so the paths must exist there.
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "resources/io/headrace/examples/fashion-mnist"
TRAIN, BATCH, HIDDEN, CLASSES = 8_000, 128, 128, 10
LEARNING_RATE = 0.05


def records(name: str, header_bytes: int, record_bytes: int) -> tf.data.Dataset:
    file = str(FOLDER / f"t10k-{name}-ubyte.gz")
    return tf.data.FixedLengthRecordDataset(file, record_bytes, header_bytes, compression_type="GZIP")


def decode(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    pixels = tf.reshape(tf.io.decode_raw(image, tf.uint8), [28, 28])
    return tf.cast(pixels, tf.float32) / 255, tf.cast(tf.io.decode_raw(label, tf.uint8)[0], tf.int32)


def augment(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    mirrored = tf.where(tf.random.uniform([]) < 0.5, tf.reverse(image, [1]), image)
    return mirrored * tf.random.uniform([], 0.9, 1.1), label


IMAGES = tf.data.Dataset.zip((records("images-idx3", 16, 28 * 28), records("labels-idx1", 8, 1))).map(decode)
SEEN = IMAGES.take(TRAIN).shuffle(TRAIN).map(augment).batch(BATCH, drop_remainder=True).repeat()
UNSEEN = IMAGES.skip(TRAIN).batch(BATCH)


class Trainer:
    """A graph with its variables on the parameter server and everything else on one worker."""

    def __init__(self, task: int):
        with tf.Graph().as_default() as self.graph, tf1.device(
            tf1.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")
        ):
            global_step = tf1.train.get_or_create_global_step()
            self.images = tf1.placeholder(tf.float32, [None, 28, 28])
            self.labels = tf1.placeholder(tf.int32, [None])
            hidden = tf.nn.relu(self.layer("hidden", tf.reshape(self.images, [-1, 28 * 28]), HIDDEN))
            scores = self.layer("output", hidden, CLASSES)
            self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(self.labels, scores))
            self.right = tf.reduce_sum(tf.cast(tf.equal(tf.argmax(scores, 1, tf.int32), self.labels), tf.int32))
            learn = tf1.train.GradientDescentOptimizer(LEARNING_RATE).minimize(self.loss, global_step)
            with tf.control_dependencies([learn]):
                self.step = global_step.read_value()
            self.init = tf1.global_variables_initializer()
            ready = tf1.report_uninitialized_variables()
        self.task = task
        self.manager = tf1.train.SessionManager(ready_op=ready, graph=self.graph, recovery_wait_secs=1)

    @staticmethod
    def layer(name: str, inputs: tf.Tensor, outputs: int) -> tf.Tensor:
        shape = [inputs.shape[1], outputs]
        small = tf1.initializers.truncated_normal(stddev=(2 / shape[0]) ** 0.5)
        weights = tf1.get_variable(f"{name}/weights", shape, initializer=small)
        biases = tf1.get_variable(f"{name}/biases", [outputs], initializer=tf1.initializers.zeros())
        return tf.nn.bias_add(tf.matmul(inputs, weights), biases)

    def session(self, target: str) -> tf1.Session:
        """The chief, trainer 0, initializes the variables; the others wait until it has."""
        if self.task == 0:
            return self.manager.prepare_session(target, init_op=self.init)
        return self.manager.wait_for_session(target, max_wait_secs=60)

    def train(self, session: tf1.Session, batches, steps: int) -> int:
        """Learns until all trainers together have learnt from steps batches; returns the images this one has seen."""
        seen = 0
        for images, labels in batches:
            loss, step = self.learn(session, images, labels)
            seen += len(labels)
            if seen // BATCH % 100 == 1:
                print(f"trainer {self.task}: step {step}, loss {loss:.3f}", flush=True)
            if step >= steps:
                return seen

    def learn(self, session: tf1.Session, images, labels) -> tuple[float, int]:
        """Learns from a batch; returns its loss, and the batches that all trainers have learnt from."""
        return session.run([self.loss, self.step], {self.images: images, self.labels: labels})

    def accuracy(self, session: tf1.Session) -> float:
        counts = [
            (session.run(self.right, {self.images: images, self.labels: labels}), len(labels))
            for images, labels in UNSEEN.as_numpy_iterator()
        ]
        right, all_images = map(sum, zip(*counts))
        return right / all_images


def batches(dispatcher: str):
    """The batches of one trainer: its own pass over the images, produced by the dispatcher's workers."""
    return SEEN.apply(tf.data.experimental.service.distribute("parallel_epochs", dispatcher)).as_numpy_iterator()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dispatcher", help="grpc://HOST:PORT")
    parser.add_argument("workers", nargs="+", help="grpc://HOST:PORT of each task of job worker")
    parser.add_argument("--steps", type=int, default=1_000, help="how many batches of 128 images (%(default)s)")
    flags = parser.parse_args()

    trainers = [Trainer(task) for task in range(len(flags.workers))]
    with contextlib.ExitStack() as stack:
        # In order: the chief initializes first, so that no trainer takes variables of an earlier training for
        # initialized.
        sessions = [
            stack.enter_context(contextlib.closing(trainer.session(target)))
            for trainer, target in zip(trainers, flags.workers)
        ]
        threads = stack.enter_context(concurrent.futures.ThreadPoolExecutor(len(trainers)))
        started = time.monotonic()
        running = [
            threads.submit(trainer.train, session, batches(flags.dispatcher), flags.steps)
            for trainer, session in zip(trainers, sessions)
        ]
        seen = sum(one.result() for one in running)
        print(f"{seen / (time.monotonic() - started):.0f} images/s")
        print(f"accuracy on images that training never saw: {100 * trainers[0].accuracy(sessions[0]):.1f} %")


if __name__ == "__main__":
    main()

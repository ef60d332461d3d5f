"""A stock trainer with a worker of its own, whose elements it reads without a connection: own_worker.py DISPATCHER TAG

Another worker, of another process, is registered already, with the tag TAG, if that is not empty. Prints "right" when
all reads were as they must be, and "wrong" with the reason otherwise. With the TAG "shards" there is no other worker:
the dispatcher lists this one, in the deployment mode COLOCATED.
"""

import sys

import tensorflow as tf

service = tf.data.experimental.service
N = 500


def read(target: str, mode, dataset=tf.data.Dataset.range(N), **options) -> list[int]:
    return [int(element) for element in dataset.apply(service.distribute(mode, target, **options))]


def by_python():
    """Calls a function of this process, by its number."""
    return tf.data.Dataset.range(N).map(lambda x: tf.numpy_function(lambda y: 2 * y, [x], tf.int64))


def eagerly():
    return tf.data.Dataset.range(N).map(lambda x: tf.py_function(lambda y: 2 * y, [x], tf.int64))


def generated():
    return tf.data.Dataset.from_generator(lambda: range(0, 2 * N, 2), output_signature=tf.TensorSpec([], tf.int64))


def expect(what: str, got, wanted) -> None:
    if got != wanted:
        print(f"wrong {what}: {got}, and not {wanted}", flush=True)
        sys.exit(f"{what}: {got}, and not {wanted}")


def refusal(*arguments, **options) -> str:
    try:
        return f"read {read(*arguments, **options)}"
    except tf.errors.OpError as e:
        return e.message


def start_worker(dispatcher: str) -> service.WorkerServer:
    return service.WorkerServer(service.WorkerConfig(dispatcher_address=dispatcher, heartbeat_interval_ms=100))


def read_shards(dispatcher: str) -> None:
    target, by_data = f"grpc://{dispatcher}", service.ShardingPolicy.DATA
    told = refusal(target, by_data)
    lacking = "Static sharding policy <DATA> requires local tf.data workers, but no local worker is found."
    expect(f"no worker beside it: {told}", lacking in told, True)
    worker = start_worker(dispatcher)
    expect("its shard", read(target, by_data), list(range(N)))
    del worker


def read_own(dispatcher: str, tag: str) -> None:
    target = f"grpc://{dispatcher}"
    expect(
        "without a worker of its own",
        "Local reads require local tf.data workers" in refusal(target, "parallel_epochs", target_workers="LOCAL"),
        True,
    )
    by_name = {"PyFunc": by_python(), "EagerPyFunc": eagerly(), "GeneratorDataset": generated()}
    # A colocated worker of another process is not asked: the read would wait for one that may be.
    for name, dataset in ({} if tag == "COLOCATED" else by_name).items():
        told = refusal(target, "parallel_epochs", dataset)
        reason = "calls a Python function (py_function, numpy_function, from_generator), which is in the process that"
        expect(f"{name} on another's worker: {told}", f"{name} (node " in told and reason in told, True)
    worker = start_worker(dispatcher)
    expect("local copy", read(target, "parallel_epochs", target_workers="LOCAL"), list(range(N)))
    for name, dataset in by_name.items():
        expect(name, read(target, "parallel_epochs", dataset, target_workers="LOCAL"), [2 * i for i in range(N)])
    expect("both copies", sorted(read(target, "parallel_epochs", target_workers="ANY")), sorted(2 * list(range(N))))
    copies = 1 if tag == "COLOCATED" else 2  # a colocated worker is left to the trainer beside it
    expect("copies", sorted(read(target, "parallel_epochs")), sorted(copies * list(range(N))))
    shared = read(target, "distributed_epoch", target_workers="LOCAL")
    expect("dynamic sharding", len(shared), len(set(shared)))

    first = tf.data.Dataset.range(N).repeat()
    first = first.apply(service.distribute("parallel_epochs", target, job_name="own", target_workers="LOCAL"))
    elements = iter(first)
    next(elements)
    told = refusal(target, "parallel_epochs", job_name="own", target_workers="ANY")
    expect("another target of a job", "Existing target workers: <LOCAL>; got <ANY>" in told, True)
    del elements, worker


def main(dispatcher: str, tag: str) -> None:
    if tag == "shards":
        read_shards(dispatcher)
    else:
        read_own(dispatcher, tag)
    print("right", flush=True)


main(*sys.argv[1:])

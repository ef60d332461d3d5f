"""A stock trainer with a worker of its own, whose elements it reads without a connection: own_worker.py DISPATCHER

Another worker, of another process, is registered already. Prints "right" when all reads were as they must be, and
"wrong" with the reason otherwise.
"""

import sys

import tensorflow as tf

service = tf.data.experimental.service
N = 500


def read(target: str, mode, **options) -> list[int]:
    dataset = tf.data.Dataset.range(N).apply(service.distribute(mode, target, **options))
    return [int(element) for element in dataset]


def expect(what: str, got, wanted) -> None:
    if got != wanted:
        print(f"wrong {what}: {got}, and not {wanted}", flush=True)
        sys.exit(1)


def refusal(*arguments, **options) -> str:
    try:
        return f"read {read(*arguments, **options)}"
    except tf.errors.OpError as e:
        return e.message


def main(dispatcher: str) -> None:
    target = f"grpc://{dispatcher}"
    expect(
        "without a worker of its own",
        "Local reads require local tf.data workers" in refusal(target, "parallel_epochs", target_workers="LOCAL"),
        True,
    )
    config = service.WorkerConfig(dispatcher_address=dispatcher, heartbeat_interval_ms=100)
    worker = service.WorkerServer(config)
    expect("local copy", read(target, "parallel_epochs", target_workers="LOCAL"), list(range(N)))
    expect("both copies", sorted(read(target, "parallel_epochs", target_workers="ANY")), sorted(2 * list(range(N))))
    shared = read(target, "distributed_epoch", target_workers="LOCAL")
    expect("dynamic sharding", len(shared), len(set(shared)))

    first = tf.data.Dataset.range(N).repeat()
    first = first.apply(service.distribute("parallel_epochs", target, job_name="own", target_workers="LOCAL"))
    elements = iter(first)
    next(elements)
    told = refusal(target, "parallel_epochs", job_name="own", target_workers="ANY")
    expect("another target of a job", "Existing target workers: <LOCAL>; got <ANY>" in told, True)
    del elements, worker
    print("right", flush=True)


main(sys.argv[1])

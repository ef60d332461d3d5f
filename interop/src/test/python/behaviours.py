"""Requests of a stock client beyond one read of one pipeline, with the required results.

    behaviours.py DISPATCHER FILES OUT [NAME...]

DISPATCHER is grpc://HOST:PORT, with one worker. Each behaviour is a function that raises if the service misbehaves;
OUT/NAME.properties then contains the error. All but the refusals hold for stock servers, too. A refusal runs only
if it is named; it checks that Headrace refuses a request, with a message that says why.
"""

import argparse
import concurrent.futures
import functools
import os
import pathlib
import sys
from typing import Callable

import tensorflow as tf

import elements

service = tf.data.experimental.service
Dataset = tf.data.Dataset
BEHAVIOURS: dict[str, Callable] = {}
REFUSALS: dict[str, Callable] = {}
SCALAR = tf.TensorSpec([], tf.int64)


def behaviour(function: Callable) -> Callable:
    BEHAVIOURS[function.__name__] = function
    return function


def refusal(function: Callable) -> Callable:
    REFUSALS[function.__name__] = function
    return function


class Service:
    """The service under test."""

    def __init__(self, target: str, files: pathlib.Path):
        self.target = target
        self.files = files

    def distribute(self, dataset: Dataset, mode="parallel_epochs", **options) -> Dataset:
        return dataset.apply(service.distribute(mode, self.target, **options))

    def register(self, dataset: Dataset, **options) -> tf.Tensor:
        return service.register_dataset(self.target, dataset, **options)

    def read(self, dataset_id, **options) -> Dataset:
        return service.from_dataset_id("parallel_epochs", self.target, dataset_id, **options)


def numbers(dataset: Dataset) -> list:
    return list(dataset.as_numpy_iterator())


def expect(actual, expected) -> None:
    if actual != expected:
        raise AssertionError(f"expected {expected}, but it was {actual}")


def expect_error(error: type, text: str, action: Callable) -> None:
    try:
        result = action()
    except error as raised:
        if text not in str(raised):
            raise AssertionError(f"does not name {text}: {raised}") from raised
        return
    raise AssertionError(f"expected {error.__name__}, but it returned {result}")


@behaviour
def every_iterator_is_an_epoch(service):
    dataset = service.distribute(Dataset.range(10))
    for _ in range(3):
        expect(numbers(dataset), list(range(10)))


@behaviour
def repeat_of_a_distributed_dataset_is_several_epochs(service):
    dataset = service.distribute(Dataset.range(4)).repeat(3)
    expect(numbers(dataset), [0, 1, 2, 3] * 3)


@behaviour
def transformations_go_on_at_the_client(service):
    dataset = service.distribute(Dataset.range(10)).map(lambda x: x * 2).batch(5)
    expect([batch.tolist() for batch in numbers(dataset)], [[0, 2, 4, 6, 8], [10, 12, 14, 16, 18]])


@behaviour
def anonymous_jobs_are_apart(service):
    dataset_id = service.register(Dataset.range(200))
    first, second = service.read(dataset_id), service.read(dataset_id)
    pairs = numbers(Dataset.zip((first, second)))
    expect(pairs, [(x, x) for x in range(200)])


@behaviour
def a_named_job_is_shared(service):
    dataset_id = service.register(Dataset.range(2000))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = [
            pool.submit(lambda: numbers(service.read(dataset_id, job_name="shared"))) for _ in range(2)
        ]
        received = sorted(x for part in parts for x in part.result())
    expect(received, list(range(2000)))


@behaviour
def a_finished_named_job_is_empty(service):
    dataset_id = service.register(Dataset.range(10))
    expect(numbers(service.read(dataset_id, job_name="once")), list(range(10)))
    expect(numbers(service.read(dataset_id, job_name="once")), [])


@behaviour
def a_named_job_goes_on_with_its_next_repetition(service):
    dataset = service.read(service.register(Dataset.range(10)), job_name="twice")
    expect(numbers(dataset), list(range(10)))
    expect(numbers(dataset), list(range(10)))


@behaviour
def a_named_job_keeps_its_parameters(service):
    dataset_id = service.register(Dataset.range(10))
    numbers(service.read(dataset_id, job_name="parameters", target_workers="auto"))
    expect_error(
        tf.errors.InvalidArgumentError,
        "parameters",
        lambda: numbers(service.read(dataset_id, job_name="parameters", target_workers="any")),
    )


@behaviour
def equal_job_names_of_two_datasets_are_two_jobs(service):
    first, second = (service.register(Dataset.range(n)) for n in (3, 5))
    expect(numbers(service.read(first, job_name="same")), [0, 1, 2])
    expect(numbers(service.read(second, job_name="same")), [0, 1, 2, 3, 4])


@behaviour
def a_dataset_id_is_given_or_made(service):
    given = service.register(Dataset.range(3), dataset_id="given-id")
    expect(given.numpy(), b"given-id")
    made = [service.register(Dataset.range(3)).numpy() for _ in range(2)]
    expect(len(set(made)), 2)
    expect(numbers(service.read(made[0])), [0, 1, 2])


@behaviour
def a_dataset_id_may_be_registered_again(service):
    for _ in range(2):
        service.register(Dataset.range(3), dataset_id="again")
    expect(numbers(service.read("again")), [0, 1, 2])


@behaviour
def a_dataset_id_keeps_its_structure(service):
    service.register(Dataset.range(3), dataset_id="structure")
    other = Dataset.from_tensors({"a": 1.0})
    expect_error(
        tf.errors.InvalidArgumentError,
        "structure",
        lambda: service.register(other, dataset_id="structure"),
    )


@behaviour
def an_unknown_dataset_id_is_not_found(service):
    expect_error(
        tf.errors.NotFoundError,
        "no-such-id",
        lambda: numbers(service.read("no-such-id", element_spec=SCALAR)),
    )


@behaviour
def the_structure_comes_with_the_id(service):
    elements = {"b": (1, b"x"), "a": (2.0, {"c": True})}
    dataset_id = service.register(Dataset.from_tensors(elements))
    dataset = service.read(dataset_id)
    expect(dataset.element_spec, Dataset.from_tensors(elements).element_spec)
    expect(numbers(dataset), numbers(Dataset.from_tensors(elements)))


@behaviour
def optionals_are_elements(service):
    def optional(x):
        content = (tf.strings.as_string(x), tf.experimental.Optional.from_value(tf.fill([x], x)))
        return tf.experimental.Optional.from_value(content), x

    def content(optional, x):
        text, inner = optional.get_value()
        return text, inner.get_value(), x

    for compression in ("AUTO", None):
        through = service.distribute(Dataset.range(4).map(optional), compression=compression)
        expect(
            [(text, inner.tolist(), x) for text, inner, x in numbers(through.map(content))],
            [(b"%d" % x, [x] * x, x) for x in range(4)],
        )


@behaviour
def an_optional_without_a_value_is_an_element(service):
    spec = tf.TensorSpec([], tf.int64)
    dataset = Dataset.range(3).map(lambda x: (tf.experimental.Optional.empty(spec), x))
    through = service.distribute(dataset).map(lambda optional, x: (optional.has_value(), x))
    expect(numbers(through), [(False, x) for x in range(3)])


@behaviour
def a_pipeline_may_read_the_service(service):
    for compression in ("AUTO", None):
        inner = Dataset.range(10).map(lambda x: (x, tf.strings.as_string(x)))
        inner = service.distribute(inner, compression=compression)
        through = service.distribute(inner.map(lambda x, text: (x + 1, text)))
        expect(numbers(through), [(x + 1, b"%d" % x) for x in range(10)])


@behaviour
def every_compression_is_understood(service):
    for compression in ("AUTO", "SNAPPY", None):
        dataset = Dataset.range(5).map(lambda x: (x, tf.strings.as_string(x), tf.fill([100], x)))
        through = numbers(service.distribute(dataset, compression=compression))
        expect([str(x) for x in through], [str(x) for x in numbers(dataset)])


@behaviour
def a_transfer_protocol_may_be_asked_for(service):
    dataset = service.distribute(Dataset.range(5), data_transfer_protocol="grpc")
    expect(numbers(dataset), list(range(5)))
    expect_error(
        tf.errors.NotFoundError,
        "no-such-protocol",
        lambda: numbers(
            service.distribute(Dataset.range(5), data_transfer_protocol="no-such-protocol")
        ),
    )


@behaviour
def one_outstanding_request_is_enough(service):
    dataset = service.distribute(Dataset.range(300), max_outstanding_requests=1)
    expect(numbers(dataset), list(range(300)))


@behaviour
def an_iterator_may_be_left_early(service):
    dataset = service.distribute(Dataset.range(1 << 40))
    for _ in range(5):
        iterator = iter(dataset)
        expect([next(iterator).numpy() for _ in range(20)], list(range(20)))
        del iterator


@behaviour
def an_error_is_of_its_iteration_only(service):
    path = service.files / "written-later.txt"
    path.unlink(missing_ok=True)
    dataset = service.distribute(tf.data.TextLineDataset(str(path)))
    expect_error(tf.errors.NotFoundError, "written-later.txt", lambda: numbers(dataset))
    path.write_text("now\n")
    expect(numbers(dataset), [b"now"])


@behaviour
def a_failed_function_is_told_with_its_iterator(service):
    def fail(x):
        return tf.debugging.check_numerics(tf.cast(x, tf.float32) / 0.0, "broken")

    def made(x):
        return Dataset.from_tensors(fail(x))

    numbers_from_0 = Dataset.range(3)
    for dataset, iterator in (
        (numbers_from_0.map(fail, name="step"), "Map"),
        (numbers_from_0.map(fail, num_parallel_calls=2, name="step"), "ParallelMapV2"),
        (numbers_from_0.filter(lambda x: fail(x) > 0, name="step"), "Filter"),
        (numbers_from_0.flat_map(made, name="step"), "FlatMap"),
        (numbers_from_0.interleave(made, cycle_length=2, name="step"), "Interleave"),
        (
            numbers_from_0.interleave(made, cycle_length=2, num_parallel_calls=2, name="step"),
            "ParallelInterleaveV4",
        ),
        (Dataset.zip((numbers_from_0, numbers_from_0.map(fail, name="step"))), "Zip[1]::Map"),
        (numbers_from_0.map(fail, name="step").take(2), "FiniteTake::Map"),
    ):
        for text in (
            "Error in user-defined function passed to step transformation with iterator: Iterator::Root::",
            f"::{iterator}: broken : Tensor had NaN values",
        ):
            expect_error(
                tf.errors.InvalidArgumentError, text, lambda: numbers(service.distribute(dataset))
            )


@behaviour
def a_failed_scan_is_told_as_it_failed(service):
    def fail(state, x):
        return state, tf.debugging.check_numerics(tf.cast(x, tf.float32) / 0.0, "broken")

    dataset = Dataset.range(3).scan(tf.constant(0), fail)
    expect_error(
        tf.errors.InvalidArgumentError,
        "Failed to get element: broken : Tensor had NaN values",
        lambda: numbers(service.distribute(dataset)),
    )


@behaviour
def a_failed_reduction_of_a_window_is_an_internal_error(service):
    def fail(key, window):
        return Dataset.from_tensors(tf.debugging.check_numerics(tf.cast(key, tf.float32) / 0.0, "broken"))

    dataset = Dataset.range(3).group_by_window(lambda x: tf.constant(0, tf.int64), fail, 2)
    expect_error(
        tf.errors.InternalError,
        "Got error code INVALID_ARGUMENT and message: {",
        lambda: numbers(service.distribute(dataset)),
    )


@behaviour
def a_window_without_elements_is_refused(service):
    def window(size):
        return Dataset.range(5).group_by_window(
            lambda x: x % 2,
            lambda _, elements: elements.batch(3),
            window_size_func=lambda key: tf.constant(size, tf.int64),
        )

    for size in (0, -3):
        expect_error(
            tf.errors.InvalidArgumentError,
            f"Window size must be greater than zero, but got {size}.",
            lambda: numbers(service.distribute(window(size))),
        )


@behaviour
def a_file_of_the_wrong_length_fails_before_its_first_record(service):
    path = service.files / "of-another-length.bin"
    path.write_bytes(b"head" + b"x" * 11)
    records = tf.data.FixedLengthRecordDataset(str(path), 5, header_bytes=4)
    reader = iter(service.distribute(records))
    expect_error(
        tf.errors.InvalidArgumentError,
        "Excluding the header (4 bytes) and footer (0 bytes), input file",
        lambda: next(reader),
    )


@behaviour
def a_dataset_that_is_not_split_says_why(under_test):
    path = under_test.files / "not-split.csv"
    path.write_text("1\n2\n")
    lines = tf.data.experimental.CsvDataset(str(path), [tf.int64])
    for dataset, reason in (
        (lines, "Cannot create split providers for dataset of type CSV"),
        (Dataset.range(3).snapshot(str(under_test.files / "not-split")), "Splitting is not implemented for snapshot"),
    ):
        expect_error(
            tf.errors.UnimplementedError,
            reason,
            lambda: numbers(under_test.distribute(dataset, service.ShardingPolicy.DYNAMIC)),
        )


@behaviour
def a_tf_function_reads(service):
    @tf.function
    def total():
        dataset = service.distribute(Dataset.range(10))
        return dataset.reduce(tf.constant(0, tf.int64), lambda sum, x: sum + x)

    expect(total().numpy(), 45)


@behaviour
def clients_read_at_once(service):
    def read(n):
        return numbers(service.distribute(Dataset.range(n, n + 300)))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for n, received in enumerate(pool.map(read, range(16))):
            expect(received, list(range(n, n + 300)))


@behaviour
def fast_and_slow_datasets_share_a_worker(service):
    slow = iter(service.distribute(Dataset.range(1 << 40).filter(lambda x: x % 100_000 == 99_999)))
    expect(numbers(service.distribute(Dataset.range(50))), list(range(50)))
    expect(next(slow).numpy(), 99_999)


@behaviour
def dynamic_sharding_reads_every_epoch_once(under_test):
    dataset = under_test.distribute(Dataset.range(300), service.ShardingPolicy.DYNAMIC)
    for _ in range(3):
        expect(sorted(numbers(dataset)), list(range(300)))


@behaviour
def dynamic_sharding_of_zipped_sources(under_test):
    pairs = Dataset.zip((Dataset.range(9), Dataset.range(100, 103))).repeat(2)
    dataset = under_test.distribute(pairs, service.ShardingPolicy.DYNAMIC)
    expect(numbers(dataset), [(0, 100), (1, 101), (2, 102)] * 2)


@behaviour
def dynamic_sharding_of_enumerated_elements(under_test):
    dataset = under_test.distribute(Dataset.range(5, 9).enumerate(), service.ShardingPolicy.DYNAMIC)
    expect(numbers(dataset), [(0, 5), (1, 6), (2, 7), (3, 8)])


@behaviour
def dynamic_sharding_by_two_readers_of_a_job(under_test):
    dataset_id = under_test.register(Dataset.range(2000))

    def part(_):
        dynamic = service.ShardingPolicy.DYNAMIC
        target = under_test.target
        return numbers(service.from_dataset_id(dynamic, target, dataset_id, job_name="dynamic"))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        received = sorted(int(x) for values in pool.map(part, range(2)) for x in values)
    expect(received, list(range(2000)))


@behaviour
def consumer_reads_in_step(service):
    options = {"job_name": "in_step", "consumer_index": 0, "num_consumers": 1}
    dataset = service.distribute(Dataset.range(10).repeat(), **options)
    expect(numbers(dataset.take(25)), [i % 10 for i in range(25)])


@behaviour
def consumers_in_step_share_splits(under_test):
    options = {"job_name": "in_step_dynamic", "num_consumers": 2, "mode": service.ShardingPolicy.DYNAMIC}
    endless = Dataset.range(100).repeat()

    def read(index):
        return numbers(under_test.distribute(endless, consumer_index=index, **options).take(25))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first, second = pool.map(read, range(2))
    expect((first, second), (list(range(0, 50, 2)), list(range(1, 50, 2))))


@behaviour
def a_consumer_in_step_that_begins_anew_is_refused(service):
    endless = Dataset.range(100).repeat()
    readers = [
        iter(service.distribute(endless, job_name="in_step_anew", consumer_index=i, num_consumers=2)) for i in range(2)
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        expect(list(pool.map(lambda reader: len([next(reader) for _ in range(50)]), readers)), [50, 50])
    readers[0] = None
    anew = service.distribute(endless, job_name="in_step_anew", consumer_index=0, num_consumers=2)
    expect_error(
        tf.errors.FailedPreconditionError,
        "This may indicate that the consumer was restarted with the same iteration name.",
        lambda: next(iter(anew)),
    )


@behaviour
def consumers_in_step_of_a_dataset_with_an_end_fail(service):
    options = {"consumer_index": 0, "num_consumers": 1}
    known = service.distribute(Dataset.range(10), job_name="in_step_to_an_end", **options)
    expect_error(
        tf.errors.FailedPreconditionError,
        "but the dataset has cardinality 10.",
        lambda: next(iter(known)),
    )
    unknown = Dataset.range(10).filter(lambda x: x > 3)
    unknown = service.distribute(unknown, job_name="in_step_to_an_unknown_end", **options)
    expect_error(
        tf.errors.FailedPreconditionError,
        "Encountered end of sequence on a round-robin read iterator.",
        lambda: numbers(unknown),
    )


def cached(under_test, dataset, trainer, job, **options):
    cache = service.CrossTrainerCache(trainer)
    return under_test.distribute(dataset, job_name=job, cross_trainer_cache=cache, **options)


@behaviour
def trainers_of_a_cached_job_read_the_same(under_test):
    endless = Dataset.range(1 << 40).repeat()
    for compression in ("AUTO", None):
        job = f"cached_{compression}"
        for trainer in ("a", "b"):
            dataset = cached(under_test, endless, trainer, job, compression=compression)
            expect(numbers(dataset.take(100)), list(range(100)))
        again = numbers(cached(under_test, endless, "a", job, compression=compression).take(10))
        expect(again[0] >= 100 and again == list(range(again[0], again[0] + 10)), True)


@behaviour
def trainers_of_a_cached_job_share_a_shuffle(under_test):
    shuffled = Dataset.range(1 << 40).repeat().shuffle(100)
    first = numbers(cached(under_test, shuffled, "a", "cached_shuffle").take(50))
    expect(numbers(cached(under_test, shuffled, "b", "cached_shuffle").take(50)), first)


@behaviour
def trainers_of_a_cached_job_share_its_splits(under_test):
    dynamic = service.ShardingPolicy.DYNAMIC
    endless = Dataset.range(1000).repeat()
    first = numbers(cached(under_test, endless, "a", "cached_splits", mode=dynamic).take(100))
    second = numbers(cached(under_test, endless, "b", "cached_splits", mode=dynamic).take(100))
    expect(second, first)


@behaviour
def what_cannot_be_cached_is_refused(under_test):
    invalid = tf.errors.InvalidArgumentError
    endless = Dataset.range(10).repeat()
    expect_error(
        invalid,
        "Cross-trainer caching requires the input dataset to be infinite.",
        lambda: next(iter(cached(under_test, Dataset.range(10), "a", "cached_with_an_end"))),
    )
    expect_error(
        invalid,
        "Cross-trainer caching requires named jobs. Got empty `job_name`.",
        lambda: next(iter(cached(under_test, endless, "a", None))),
    )
    expect_error(
        invalid,
        "Cross-trainer caching does not support coordinated reads.",
        lambda: next(
            iter(cached(under_test, endless, "a", "cached", num_consumers=1, consumer_index=0))
        ),
    )
    expect(len(numbers(cached(under_test, endless, "a", "cached_once").take(5))), 5)
    expect_error(
        invalid,
        "Existing cross-trainer cache: <enabled>; got <disabled>",
        lambda: next(iter(under_test.distribute(endless, job_name="cached_once"))),
    )
    twice = cached(under_test, endless, "b", "cached_once")
    expect(len(numbers(twice.take(5))), 5)
    expect_error(
        invalid,
        "disallows multiple repetitions of the same dataset",
        lambda: numbers(twice.take(5)),
    )
    lied = Dataset.range(10).filter(lambda x: x >= 0)
    lied = lied.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    expect_error(
        tf.errors.OpError,
        "infinite",
        lambda: numbers(cached(under_test, lied, "a", "cached_to_an_unknown_end")),
    )


@refusal
def static_sharding_without_a_list_of_workers(under_test):
    for policy in ("FILE", "DATA", "FILE_OR_DATA", "HINT"):
        dataset = under_test.distribute(Dataset.range(10), service.ShardingPolicy[policy])
        action = functools.partial(numbers, dataset)
        expect_error(tf.errors.NotFoundError, "Failed to shard dataset", action)


@refusal
def snapshot_without_fault_tolerance(under_test):
    path = str(under_test.files / "snapshot")
    address = under_test.target.partition("://")[2]
    expect_error(
        tf.errors.InvalidArgumentError,
        "requires running tf.data service in the fault tolerant mode",
        lambda: tf.data.experimental.distributed_save(Dataset.range(10), path, address),
    )


def outcome(function: Callable, under_test: Service) -> str:
    try:
        function(under_test)
        return ""
    except Exception as error:
        return elements.description(error)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dispatcher")
    parser.add_argument("files")
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    flags = parser.parse_args()
    under_test = Service(flags.dispatcher, pathlib.Path(flags.files))
    functions = {name: (BEHAVIOURS | REFUSALS)[name] for name in (*BEHAVIOURS, *flags.names)}
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        jobs = {name: pool.submit(outcome, f, under_test) for name, f in functions.items()}
        for name, job in jobs.items():
            try:
                error = job.result(90)
            except TimeoutError:
                error = "DEADLINE_EXCEEDED: no end in 90 s"
            elements.write_properties(pathlib.Path(flags.out) / f"{name}.properties", {"error": error})
            print(f"{name}: {error or 'ok'}", file=sys.stderr, flush=True)
        # Threads blocked in a read must not keep the process alive.
        os._exit(0)


if __name__ == "__main__":
    main()

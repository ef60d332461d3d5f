"""A stock client: registers every pipeline with a dispatcher under its name, and reads it back.

    read.py DISPATCHER FILES OUT [--uncompressed] [--distribute] [NAME...]

DISPATCHER is grpc://HOST:PORT. --uncompressed registers without compression; --distribute uses one distribute()
instead of register_dataset() and from_dataset_id().
"""

import argparse

import tensorflow as tf

from files import Files
from pipeline import Pipeline
from run import run, select

service = tf.data.experimental.service


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dispatcher")
    parser.add_argument("files")
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--uncompressed", action="store_true")
    parser.add_argument("--distribute", action="store_true")
    parser.add_argument("--at-once", type=int, default=24)
    parser.add_argument("--seconds-each", type=float, default=60)
    flags = parser.parse_args()
    files = Files(flags.files)

    def prepare(pipeline: Pipeline) -> tf.data.Dataset:
        compression = None if flags.uncompressed else pipeline.compression
        dataset = pipeline.build(files)
        if flags.distribute:
            return dataset.apply(
                service.distribute(
                    pipeline.processing_mode, flags.dispatcher, compression=compression
                )
            )
        service.register_dataset(flags.dispatcher, dataset, compression, dataset_id=pipeline.name)
        return service.from_dataset_id(pipeline.processing_mode, flags.dispatcher, pipeline.name)

    run(select(flags.names), prepare, flags.out, flags.at_once, flags.seconds_each)


if __name__ == "__main__":
    main()

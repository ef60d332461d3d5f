"""A stock dispatcher: stock_dispatcher.py [PORT [WORKER_ADDRESS,... [WORK_DIR [DEPLOYMENT]]]]. By default on a free
port, for any workers, without a journal; an empty list of addresses means any workers."""

import sys

import tensorflow as tf
from tensorflow.core.protobuf import data_service_pb2, service_config_pb2

from serve import serve

service = tf.data.experimental.service


def main(port: str = "0", workers: str = "", work_dir: str = "", deployment: str = "UNSPECIFIED") -> None:
    config = service_config_pb2.DispatcherConfig(
        port=int(port),
        protocol="grpc",
        worker_addresses=workers.split(",") if workers else [],
        work_dir=work_dir,
        fault_tolerant_mode=bool(work_dir),
        deployment_mode=data_service_pb2.DeploymentMode.Value(f"DEPLOYMENT_MODE_{deployment}"),
    )
    dispatcher = service.DispatchServer(config)
    serve(dispatcher, dispatcher.target.partition("://")[2])


if __name__ == "__main__":
    main(*sys.argv[1:])

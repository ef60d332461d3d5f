"""A stock worker, by default on a free port and with TensorFlow's cross-trainer cache, registered when it prints the
ready line: stock_worker.py DISPATCHER [PORT [CACHE_BYTES]]"""

import sys

import tensorflow as tf
from tensorflow.core.protobuf import service_config_pb2

from serve import serve

service = tf.data.experimental.service

if __name__ == "__main__":
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    config = service_config_pb2.WorkerConfig(
        dispatcher_address=sys.argv[1],
        worker_address="localhost:%port%",
        port=port,
        protocol="grpc",
        heartbeat_interval_ms=1000,
        cross_trainer_cache_size_bytes=int(sys.argv[3]) if len(sys.argv) > 3 else 0,
    )
    worker = service.WorkerServer(config)
    serve(worker, worker._address)

"""A stock worker on a free port, registered when it says ready: stock_worker.py HOST:PORT"""

import sys

import tensorflow as tf

from serve import serve

service = tf.data.experimental.service

if __name__ == "__main__":
    config = service.WorkerConfig(dispatcher_address=sys.argv[1], heartbeat_interval_ms=1000)
    worker = service.WorkerServer(config)
    serve(worker, worker._address)

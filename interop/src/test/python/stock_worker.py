"""A stock worker, by default on a free port, registered when it prints the ready line: stock_worker.py DISPATCHER
[PORT]"""

import sys

import tensorflow as tf

from serve import serve

service = tf.data.experimental.service

if __name__ == "__main__":
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    config = service.WorkerConfig(dispatcher_address=sys.argv[1], port=port, heartbeat_interval_ms=1000)
    worker = service.WorkerServer(config)
    serve(worker, worker._address)

"""A stock dispatcher: stock_dispatcher.py [PORT [WORKER_ADDRESS,... [WORK_DIR]]]. By default on a free port, for
any workers, without a journal; an empty list of addresses means any workers."""

import sys

import tensorflow as tf

from serve import serve

service = tf.data.experimental.service

if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    workers = sys.argv[2].split(",") if len(sys.argv) > 2 and sys.argv[2] else None
    work_dir = sys.argv[3] if len(sys.argv) > 3 else None
    config = service.DispatcherConfig(
        port=port, worker_addresses=workers, work_dir=work_dir, fault_tolerant_mode=work_dir is not None
    )
    dispatcher = service.DispatchServer(config)
    serve(dispatcher, dispatcher.target.partition("://")[2])

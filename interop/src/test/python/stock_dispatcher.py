"""A stock dispatcher on a free port: stock_dispatcher.py [PORT]"""

import sys

import tensorflow as tf

from serve import serve

service = tf.data.experimental.service

if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    dispatcher = service.DispatchServer(service.DispatcherConfig(port=port))
    serve(dispatcher, dispatcher.target.partition("://")[2])

"""A stock task: python stock_task.py CLUSTER_JSON JOB INDEX [CPUS]. Prints "ready grpc://HOST:PORT" and serves
until the end of standard input."""
import json, os, sys
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
# TensorFlow's default depends on the processor, and with it which ops a stock master fuses.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
import tensorflow as tf
cluster = json.loads(sys.argv[1])
config = tf.compat.v1.ConfigProto(device_count={"CPU": int((sys.argv[4:] or ["1"])[0])})
server = tf.distribute.Server(cluster, job_name=sys.argv[2], task_index=int(sys.argv[3]), config=config)
print("ready", server.target, flush=True)
sys.stdin.read()
os._exit(0)

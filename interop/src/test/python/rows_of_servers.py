"""How a server starts, or says why not. Stock's are made in this process, Headrace's by its command."""

import contextlib
import json
import re
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf

from rows import ASKED_FOR_TROUBLE, Refused, row

tf1 = tf.compat.v1


@contextlib.contextmanager
def server(c, cluster, job, task, protocol="grpc", config=None, flags=()):
    """Gives the target of a server that starts; raises the error of one that does not."""
    if c.name == "stock":
        yield tf.distribute.Server(cluster, job_name=job, task_index=task, protocol=protocol, config=config).target
        return
    with tempfile.NamedTemporaryFile("w") as defaults:
        defaults.write(str(config or ""))
        defaults.flush()
        command = [
            c.launcher, "server", "--cluster=" + json.dumps(cluster), "--job-name=" + job, "--task-index=%d" % task,
            "--protocol=" + protocol, "--config=@" + defaults.name, *flags]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                line = process.stdout.readline()
                if not line:
                    error = process.communicate()[1]
                    assert process.returncode == 2 and error.count("\n") == 1, error
                    raise Refused("REFUSED", error)
                yield line.split()[1]
            finally:
                process.terminate()


def started(c, *task, **more):
    with server(c, *task, **more) as target:
        return target


@row("OK")
def server_of_its_only_task(c):
    assert re.fullmatch(r"grpc://localhost:\d+", started(c, {"alone": [":0"]}, "alone", 0))


@row("OK")
def server_of_a_sparse_job(c):
    definition = {"sparse": {37: "localhost:0"}}, "sparse", 37
    with server(c, *definition) as target, tf1.Graph().as_default(), tf1.device("/job:sparse/task:37"):
        one = tf1.constant(1) + 0
        with tf1.Session(target) as session:
            assert session.run(one) == 1
            names = [d.name for d in session.list_devices()]
            assert names == ["/job:sparse/replica:0/task:37/device:CPU:0"], names


@row("REFUSED", "grpc+verbs", stock=("NOT_FOUND", "No server factory registered for the given ServerDef"))
def server_of_another_protocol(c):
    started(c, {"a": ["localhost:0"]}, "a", 0, protocol="grpc+verbs")


@row("REFUSED", 'Job "b" was not defined in cluster', stock=("INTERNAL", 'Job "b" was not defined in cluster'))
def server_of_no_job(c):
    started(c, {"a": ["localhost:0"]}, "b", 0)


@row("REFUSED", 'Task 3 was not defined in job "a"', stock=("INTERNAL", 'Task 3 was not defined in job "a"'))
def server_of_no_task(c):
    started(c, {"a": ["localhost:0"]}, "a", 3)


@row("REFUSED", 'Could not parse port for local server from "localhost:x".',
     stock=("INVALID_ARGUMENT", 'Could not parse port for local server from "localhost:x".'))
def server_of_no_port(c):
    started(c, {"a": ["localhost:x"]}, "a", 0)


@row("REFUSED", 'Could not interpret "nowhere" as a host-port pair.',
     stock=("INVALID_ARGUMENT", 'Could not interpret "nowhere" as a host-port pair.'))
def server_whose_peer_has_no_port(c):
    started(c, {"a": ["localhost:0"], "b": ["nowhere"]}, "a", 0)


@row("REFUSED", "Could not start gRPC server", stock=("UNKNOWN", "Could not start gRPC server"))
def server_at_a_port_that_is_taken(c):
    address = c.addresses["ps:0"]
    try:
        started(c, {"a": [address]}, "a", 0)
    except Refused as e:  # Headrace's
        assert "at %s: " % address in e.message, e
        raise


@row("REFUSED", '"param-server"', stock=ASKED_FOR_TROUBLE)
def server_of_a_job_that_no_device_can_be_of(c):
    started(c, {"param-server": ["localhost:0"]}, "param-server", 0)


@row("OK")
def server_of_two_devices(c):
    config = tf1.ConfigProto(device_count={"CPU": 2})
    with server(c, {"a": ["localhost:0"]}, "a", 0, config=config) as target, tf1.Graph().as_default():
        with tf1.device("/cpu:0"):
            x = tf1.constant(17.0)
        with tf1.device("/device:CPU:1"):
            y = x + 3
        with tf1.device("/job:a/task:0/cpu:0"):
            z = y * 2
        with tf1.Session(target) as session:
            assert session.run(z) == 40


# Stock leaves clients of other processes waiting.
@row("DEADLINE_EXCEEDED", stock=ASKED_FOR_TROUBLE)
def step_that_takes_longer_than_its_server_allows(c):
    config = tf1.ConfigProto(operation_timeout_in_ms=1000)
    with server(c, {"a": ["localhost:0"]}, "a", 0, config=config) as target, tf1.Graph().as_default():
        value = tf1.FIFOQueue(1, [tf.float32]).dequeue()
        with tf1.Session(target) as session:
            session.run(value)


# Stock's process ends at once.
@row("ABORTED", "stops, and the step did not end within 300 ms", stock=ASKED_FOR_TROUBLE)
def step_that_outlasts_its_server(c):
    with tf1.Graph().as_default(), ThreadPoolExecutor() as pool:
        begun = tf1.FIFOQueue(1, [tf.float32])
        with tf1.control_dependencies([begun.enqueue(1.0)]):
            value = tf1.FIFOQueue(1, [tf.float32]).dequeue()
        size = begun.size()
        with server(c, {"a": ["localhost:0"]}, "a", 0, flags=["--shutdown-grace-period-ms=300"]) as target:
            session = tf1.Session(target)
            step = pool.submit(session.run, value)
            while session.run(size) == 0:
                time.sleep(0.01)
        step.result()

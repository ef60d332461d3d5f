"""The start of servers, and its errors. Stock servers run in this process, Headrace's by the command."""

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


class Target(str):
    """The target of a server, and its process if it has its own."""

    def __new__(cls, target, process=None):
        made = super().__new__(cls, target)
        made.process = process
        return made


@contextlib.contextmanager
def server(c, cluster, job, task, protocol="grpc", config=None, flags=()):
    """Yields the target of a server that starts; raises the error of one that does not."""
    if c.name == "stock":
        target = tf.distribute.Server(cluster, job_name=job, task_index=task, protocol=protocol, config=config).target
        yield Target(target)
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
                yield Target(line.split()[1], process)
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


@row("REFUSED", 'Job "a" was not defined in cluster', stock=("INTERNAL", 'Job "a" was not defined in cluster'))
def server_of_an_empty_cluster(c):
    started(c, {}, "a", 0)


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
    except Refused as e:  # only Headrace's message
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


# Stock does not apply it to clients of other processes.
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
        # The server is gone: a close, even by the garbage collector, would wait for it forever.
        session._closed = True
        step.result()


# Stock writes these lines to standard output.
@row("OK", stock=ASKED_FOR_TROUBLE)
def server_that_logs_placements(c):
    config = tf1.ConfigProto(log_device_placement=True)
    with server(c, {"a": ["localhost:0"]}, "a", 0, config=config) as target, tf1.Graph().as_default():
        one = tf1.constant(1, name="one")
        with tf1.Session(target) as session:
            assert session.run(tf1.add(one, one, name="two")) == 2
        lines = (target.process.stderr.readline() for _ in range(1000))
        wanted = [node + "/job:a/replica:0/task:0/device:CPU:0" for node in ("one: (Const): ", "two: (AddV2): ")]
        while wanted:
            line = next(lines)
            wanted = [text for text in wanted if text not in line]


@row("OK")
def three_servers_of_a_cluster_that_is_sent_along(c):
    """The master is the last task; each has two devices."""
    config = tf1.ConfigProto(device_count={"CPU": 2})
    with contextlib.ExitStack() as stack, tf1.Graph().as_default():
        targets = [stack.enter_context(server(c, {"local": ["localhost:0"]}, "local", 0, config=config)) for _ in range(3)]
        addresses = [target.removeprefix("grpc://") for target in targets]
        cluster = tf.train.ClusterSpec({"worker": addresses}).as_cluster_def()
        fed, values = [tf1.placeholder(tf.float32, []) for _ in range(3)], []
        for task, x in enumerate(fed):
            with tf1.device(f"/job:worker/task:{task}/cpu:1"):
                tripled = x * 3
            with tf1.device(f"/job:worker/task:{task}/cpu:0"):
                values.append(tripled + 1)
        with tf1.device("/job:worker/task:1/cpu:1"):
            total = tf1.add_n(values)
        options = tf1.ConfigProto(cluster_def=cluster, device_count={"CPU": 2})
        with tf1.Session(targets[2], config=options) as session:
            names = {f"/job:worker/replica:0/task:{i}/device:CPU:{j}" for i in range(3) for j in range(2)}
            assert {d.name for d in session.list_devices()} == names, session.list_devices()
            assert session.run([*values, total], dict(zip(fed, [1, 2, 3]))) == [4, 7, 10, 21]
            for _ in range(2):
                handle = session.partial_run_setup([values[0], total], fed)
                assert session.partial_run(handle, values[0], {fed[0]: 1}) == 4
                assert session.partial_run(handle, total, {fed[1]: 2, fed[2]: 3}) == 21

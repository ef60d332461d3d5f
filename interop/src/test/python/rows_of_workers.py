"""What masters are answered by the workers of other tasks."""

import itertools
import time

import grpc
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import tensorflow_server_pb2

from rows import ASKED_FOR_TROUBLE, in_body, row

DEVICE = "/job:ps/replica:0/task:0/device:CPU:0"
GONE = 'is not found: nobody. Possibly this worker ("/job:ps/replica:0/task:0") just restarted.'
numbers = itertools.count(1 << 40)


def graph(text):
    return text_format.Parse(text, graph_pb2.GraphDef())


def created(c, handle=None):
    handle = handle or "session %d" % next(numbers)
    server = tensorflow_server_pb2.ServerDef(job_name="ps", task_index=0, protocol="grpc")
    c.ps.CreateWorkerSession(session_handle=handle, server_def=server)
    return dict(session_handle=handle, create_worker_session_called=True)


def registered(c, text, session=None):
    session = session or created(c)
    return dict(session, graph_handle=c.ps.RegisterGraph(graph_def=graph(text), **session).graph_handle)


def run(c, part, **request):
    return in_body(c.ps.RunGraph(store_errors_in_response_body=True, request_id=next(numbers), **part, **request))


def incarnation(c):
    return c.ps.GetStatus().device_attributes[0].incarnation


def key(c, name="edge", source=DEVICE, number=None, end=";0:0"):
    return "%s;%016x;%s;%s%s" % (source, number or incarnation(c), DEVICE, name, end)


@row("INVALID_ARGUMENT", "Session must be non-empty.")
def session_without_a_handle(c):
    c.ps.CreateWorkerSession()


@row("OK")
def session_that_is_deleted_twice(c):
    session = created(c)
    created(c, session["session_handle"])
    for _ in range(2):
        c.ps.DeleteWorkerSession(session_handle=session["session_handle"])


@row("ABORTED", "Session handle", GONE)
def graph_of_nobody(c):
    c.ps.RegisterGraph(session_handle="nobody", create_worker_session_called=True)


@row("ABORTED", "Session handle", GONE)
def step_of_nobody_at_a_worker(c):
    run(c, dict(session_handle="nobody", create_worker_session_called=True, graph_handle="x"), step_id=1)


@row("ABORTED", "Graph handle is not found: x")
def step_of_no_graph(c):
    run(c, dict(created(c), graph_handle="x"), step_id=next(numbers))


@row("INVALID_ARGUMENT", "/job:ps/replica:0/task:7/device:CPU:0 unknown device.")
def node_of_another_task(c):
    registered(c, 'node { name: "a" op: "NoOp" device: "/job:ps/replica:0/task:7/device:CPU:0" }')


@row("INVALID_ARGUMENT", "'a' is missing a device specification")
def node_of_no_device(c):
    registered(c, 'node { name: "a" op: "NoOp" }')


@row("NOT_FOUND", "Op type not registered 'Frobnicate'")
def op_that_a_worker_has_not(c):
    registered(c, 'node { name: "a" op: "Frobnicate" device: "%s" }' % DEVICE)


@row("ABORTED", "The same RunGraph (Worker) request was received twice.")
def graph_that_runs_twice(c):
    part = registered(c, 'node { name: "a" op: "NoOp" device: "%s" }' % DEVICE)
    number = next(numbers)
    for step in 1, 2:
        in_body(c.ps.RunGraph(request_id=number, step_id=number + step, store_errors_in_response_body=True, **part))


@row("INVALID_ARGUMENT", "You must feed a value for placeholder tensor 'a'", "[[{{node a}}]]")
def graph_that_fails(c):
    text = 'node { name: "a" op: "Placeholder" device: "%s" attr { key: "dtype" value { type: DT_FLOAT } } }'
    run(c, registered(c, text % DEVICE), step_id=next(numbers))


@row("INVALID_ARGUMENT", "rendezvous key: not a key")
def tensor_of_no_key(c):
    c.ps.RecvTensor(step_id=next(numbers), rendezvous_key="not a key", request_id=next(numbers))


@row("INVALID_ARGUMENT", "rendezvous key")
def tensor_of_a_key_without_an_iteration(c):
    c.ps.RecvTensor(step_id=next(numbers), rendezvous_key=key(c, end=""), request_id=next(numbers))


@row("ABORTED", "RecvTensor expects a different device incarnation: 7 vs. ", "was probably restarted")
def tensor_of_a_device_of_before(c):
    c.ps.RecvTensor(step_id=next(numbers), rendezvous_key=key(c, number=7), request_id=next(numbers))


# Stock leaves whoever asks before the step has begun waiting.
@row("ABORTED", "Cleanup ", stock=ASKED_FOR_TROUBLE)
def tensor_of_a_step_that_ends(c):
    for seconds in 0.1, 1, 10:
        step = next(numbers)
        call = c.ps.RecvTensor.future(step_id=step, rendezvous_key=key(c), request_id=next(numbers), timeout=30)
        time.sleep(seconds)  # if it comes after the end of the step, it waits for its beginning
        c.ps.CleanupGraph(step_id=step)
        try:
            call.result()
        except grpc.RpcError as e:
            if e.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                raise


@row("OK")
def tensor_that_is_asked_for_before_its_step(c):
    step = next(numbers)
    call = c.ps.RecvTensor.future(step_id=step, rendezvous_key=key(c), request_id=next(numbers))
    text = f"""
      node {{ name: "a" op: "Const" device: "{DEVICE}" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
        attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{}} float_val: 2 }} }} }} }}
      node {{ name: "s" op: "_Send" input: "a" device: "{DEVICE}" attr {{ key: "T" value {{ type: DT_FLOAT }} }}
        attr {{ key: "tensor_name" value {{ s: "edge" }} }}
        attr {{ key: "send_device" value {{ s: "{DEVICE}" }} }} attr {{ key: "recv_device" value {{ s: "{DEVICE}" }} }}
        attr {{ key: "send_device_incarnation" value {{ i: {incarnation(c) - (1 << 64) if incarnation(c) >> 63 else incarnation(c)} }} }} }}
    """
    run(c, registered(c, text), step_id=step)
    received = call.result()
    assert not received.is_dead and tf.make_ndarray(received.tensor) == 2, received
    c.ps.CleanupGraph(step_id=step)


@row("ABORTED", "Session handle", "is not found: ")
def session_of_a_master_that_started_anew(c):
    server = tensorflow_server_pb2.ServerDef(job_name="ps", task_index=0, protocol="grpc")
    handles = ["session %d" % next(numbers) for _ in range(2)]
    for incarnation, handle in enumerate(handles, 5):
        c.ps.CreateWorkerSession(
            session_handle=handle, server_def=server, master_task="/job:trainer/replica:0/task:3", master_incarnation=incarnation)
    registered(c, "", dict(session_handle=handles[1], create_worker_session_called=True))
    registered(c, "", dict(session_handle=handles[0], create_worker_session_called=True))


# As masters did once: the worker is not told of the session.


def undeclared():
    return dict(session_handle="session %d" % next(numbers), create_worker_session_called=False)


@row("OK")
def graph_of_a_session_that_was_not_begun(c):
    parts = [registered(c, 'node { name: "a" op: "NoOp" device: "%s" }' % DEVICE, undeclared()) for _ in range(2)]
    for part in parts:
        run(c, part, step_id=next(numbers))
        c.ps.DeregisterGraph(**part)


@row("ABORTED", "Graph handle is not found: ")
def graph_that_was_deregistered(c):
    part = registered(c, 'node { name: "a" op: "NoOp" device: "%s" }' % DEVICE, undeclared())
    c.ps.DeregisterGraph(**part)
    run(c, part, step_id=next(numbers))


@row("ABORTED", "Graph handle is not found: ")
def graph_that_was_deregistered_of_its_session(c):
    part = registered(c, 'node { name: "a" op: "NoOp" device: "%s" }' % DEVICE)
    c.ps.DeregisterGraph(**part)
    run(c, part, step_id=next(numbers))


@row("ABORTED", "Session handle", GONE)
def deregistered_graph_of_nobody(c):
    c.ps.DeregisterGraph(session_handle="nobody", create_worker_session_called=True, graph_handle="x")


@row("OK")
def receipt_of_a_tensor(c):
    c.ps.MarkRecvFinished(request_id=next(numbers))


@row("OK")
def cleanup_of_no_step(c):
    c.ps.CleanupGraph(step_id=next(numbers))


@row("UNIMPLEMENTED", "")
def tracing(c):
    c.ps.Tracing()


@row("OK")
def logging(c):
    c.ps.Logging(fetch_step_id=[1])

"""The statuses of the WorkerService, as other tasks' masters call it."""

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


NOTHING = f'node {{ name: "nothing" op: "NoOp" device: "{DEVICE}" }}'
UNFED = f"""
  node {{ name: "unfed" op: "Placeholder" device: "{DEVICE}" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
"""


def incarnation(c):
    return c.ps.GetStatus().device_attributes[0].incarnation


def key(c, name="edge", source=DEVICE, number=None, end=";0:0"):
    return "%s;%016x;%s;%s%s" % (source, number or incarnation(c), DEVICE, name, end)


def sending(c):
    """A graph that sends the value 2 under the name "edge"."""
    number = incarnation(c)
    return f"""
      node {{ name: "a" op: "Const" device: "{DEVICE}" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
        attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{}} float_val: 2 }} }} }} }}
      node {{ name: "s" op: "_Send" input: "a" device: "{DEVICE}" attr {{ key: "T" value {{ type: DT_FLOAT }} }}
        attr {{ key: "tensor_name" value {{ s: "edge" }} }}
        attr {{ key: "send_device" value {{ s: "{DEVICE}" }} }} attr {{ key: "recv_device" value {{ s: "{DEVICE}" }} }}
        attr {{ key: "send_device_incarnation" value {{ i: {number - (1 << 64) if number >> 63 else number} }} }} }}
    """


def waiting(c):
    """The same, with a node that waits forever for an element of its queue."""
    return sending(c) + f"""
      node {{ name: "queue" op: "FIFOQueueV2" device: "{DEVICE}"
        attr {{ key: "component_types" value {{ list {{ type: DT_FLOAT }} }} }} }}
      node {{ name: "wait" op: "QueueDequeueV2" input: "queue" device: "{DEVICE}"
        attr {{ key: "component_types" value {{ list {{ type: DT_FLOAT }} }} }} }}
    """


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


@row("INVALID_ARGUMENT", "You must feed a value for placeholder tensor 'unfed'", "[[{{node unfed}}]]")
def graph_that_fails(c):
    run(c, registered(c, UNFED), step_id=next(numbers))


@row("INVALID_ARGUMENT", "rendezvous key: not a key")
def tensor_of_no_key(c):
    c.ps.RecvTensor(step_id=next(numbers), rendezvous_key="not a key", request_id=next(numbers))


@row("INVALID_ARGUMENT", "rendezvous key")
def tensor_of_a_key_without_an_iteration(c):
    c.ps.RecvTensor(step_id=next(numbers), rendezvous_key=key(c, end=""), request_id=next(numbers))


@row("ABORTED", "The same RecvTensor (GrpcWorker) request was received twice.")
def tensor_that_is_asked_for_twice(c):
    number = next(numbers)
    for _ in range(2):
        try:
            c.ps.RecvTensor(step_id=number, rendezvous_key=key(c, number=7), request_id=number)
        except grpc.RpcError as e:
            if "incarnation" not in e.details():
                raise


def of_another_task(c, step):
    """A RecvTensor call for a tensor that only another task can send."""
    source = DEVICE.replace("ps", "worker")
    return c.ps.RecvTensor.future(step_id=step, rendezvous_key=key(c, source=source), request_id=next(numbers))


@row("INVALID_ARGUMENT", "Invalid rendezvous key (src): /job:worker/replica:0/task:0/device:CPU:0;")
def tensor_of_another_task(c):
    step, part = next(numbers), registered(c, waiting(c))
    running = c.ps.RunGraph.future(step_id=step, request_id=next(numbers), **part)
    c.ps.RecvTensor(step_id=step, rendezvous_key=key(c), request_id=next(numbers))
    try:
        of_another_task(c, step).result()
    finally:
        running.cancel()
        c.ps.CleanupGraph(step_id=step)


@row("INVALID_ARGUMENT", "Invalid rendezvous key (src): /job:worker/replica:0/task:0/device:CPU:0;")
def tensor_of_another_task_before_its_step(c):
    step = next(numbers)
    call = of_another_task(c, step)
    time.sleep(0.1)  # a call after the step's begin is refused at once
    run(c, registered(c, NOTHING), step_id=step)
    call.result()


# Details beside the status.


def payload(name):
    """The details that mark a failure as derived."""
    name = b"type.googleapis.com/tensorflow." + name
    return b"\n%c\n%c%s\x12\x00" % (len(name) + 4, len(name), name)


def details(call):
    """The code of the status, and its details."""
    try:
        call()
    except grpc.RpcError as e:
        return e.code(), dict(e.trailing_metadata()).get("grpc-status-details-bin")
    raise AssertionError("did not fail")


@row("OK")
def failures_of_a_worker_that_was_restarted(c):
    restarted = grpc.StatusCode.ABORTED, payload(b"distributed_runtime.WorkerPossiblyRestarted")
    session = dict(session_handle="nobody", create_worker_session_called=True)
    assert details(lambda: c.ps.RegisterGraph(**session)) == restarted
    assert details(lambda: c.ps.RunGraph(step_id=1, graph_handle="x", request_id=next(numbers), **session)) == restarted
    other = dict(step_id=1, rendezvous_key=key(c, number=7), request_id=next(numbers))
    assert details(lambda: c.ps.RecvTensor(**other)) == restarted


@row("OK")
def failures_of_themselves(c):
    """A bad request and a failing kernel are root causes: no details."""
    step, part = next(numbers), registered(c, UNFED)
    failed = details(lambda: c.ps.RunGraph(step_id=step, request_id=next(numbers), **part))
    assert failed == (grpc.StatusCode.INVALID_ARGUMENT, None), failed
    unknown = details(lambda: c.ps.RecvTensor(step_id=step, rendezvous_key="not a key"))
    assert unknown == (grpc.StatusCode.INVALID_ARGUMENT, None), unknown


@row("OK")
def failures_that_follow_from_another(c):
    """A receiver of a tensor of an ended step fails with a derived status."""
    part = registered(c, waiting(c))
    for seconds in 0.1, 1, 10:
        step = next(numbers)
        running = c.ps.RunGraph.future(step_id=step, request_id=next(numbers), **part)
        assert not c.ps.RecvTensor(step_id=step, rendezvous_key=key(c), request_id=next(numbers)).is_dead
        call = c.ps.RecvTensor.future(
            step_id=step, rendezvous_key=key(c, name="never"), request_id=next(numbers), timeout=30)
        time.sleep(seconds)  # a call after the step's end waits for a new begin
        c.ps.CleanupGraph(step_id=step)
        ended = details(call.result)
        running.cancel()
        if ended[0] != grpc.StatusCode.DEADLINE_EXCEEDED:
            assert ended == (grpc.StatusCode.ABORTED, payload(b"DerivedStatus")), ended
            return
    raise AssertionError("the call always came too late")


@row("ABORTED", "RecvTensor expects a different device incarnation: 7 vs. ", "was probably restarted")
def tensor_of_a_device_of_before(c):
    c.ps.RecvTensor(step_id=next(numbers), rendezvous_key=key(c, number=7), request_id=next(numbers))


# Stock lets a call that precedes the step wait forever.
@row("ABORTED", "Cleanup ", stock=ASKED_FOR_TROUBLE)
def tensor_of_a_step_that_ends(c):
    for seconds in 0.1, 1, 10:
        step = next(numbers)
        call = c.ps.RecvTensor.future(step_id=step, rendezvous_key=key(c), request_id=next(numbers), timeout=30)
        time.sleep(seconds)  # a call after the step's end waits for a new begin
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
    run(c, registered(c, sending(c)), step_id=step)
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


# As old masters do: without CreateWorkerSession.


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

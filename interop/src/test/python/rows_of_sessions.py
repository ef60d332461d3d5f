"""The statuses of sessions and steps."""

import tensorflow as tf

from raw_sessions import GRAPH, fed, graph, opened, step
from rows import ASKED_FOR_TROUBLE, outcome, row

tf1 = tf.compat.v1


# Unknown sessions.


@row("ABORTED", "Session nobody is not found.")
def step_of_nobody(c):
    step(c, "nobody", fetch=["two:0"])


@row("ABORTED", "Session nobody is not found.")
def extension_of_nobody(c):
    c.master.ExtendSession(session_handle="nobody")


@row("ABORTED", "Session nobody is not found.")
def partial_run_of_nobody(c):
    c.master.PartialRunSetup(session_handle="nobody", fetch=["two:0"])


@row("ABORTED", "Session nobody is not found.")
def callable_made_of_nobody(c):
    c.master.MakeCallable(session_handle="nobody", options=dict(fetch=["two:0"]))


@row("ABORTED", "Session nobody is not found.")
def callable_run_of_nobody(c):
    c.master.RunCallable(session_handle="nobody", handle=0)


@row("ABORTED", "Session nobody is not found.")
def callable_released_of_nobody(c):
    c.master.ReleaseCallable(session_handle="nobody", handle=0)


@row("ABORTED", "Session nobody is not found. Possibly, this master has restarted.")
def close_of_nobody(c):
    c.master.CloseSession(session_handle="nobody")


@row("INVALID_ARGUMENT", "Session nobody is not found. Possibly, this master has restarted.")
def devices_of_nobody(c):
    c.master.ListDevices(session_handle="nobody")


@row("ABORTED", "is not found")
def step_after_the_close(c):
    session = opened(c)
    c.master.CloseSession(session_handle=session)
    step(c, session, fetch=["two:0"])


# Devices.


@row("OK")
def devices_of_no_session(c):
    devices = c.master.ListDevices()
    local, remote = devices.local_device, devices.remote_device
    assert [d.name for d in local] == ["/job:worker/replica:0/task:0/device:CPU:0"], devices
    assert [d.name for d in remote] == ["/job:ps/replica:0/task:0/device:CPU:0"], devices
    for device in list(local) + list(remote):
        assert device.device_type == "CPU" and device.memory_limit == 268435456, device
        assert device.incarnation and device.xla_global_id == -1, device


@row("OK")
def devices_of_a_session(c):
    session = c.master.ListDevices(session_handle=opened(c))
    plain = c.master.ListDevices()
    together = lambda devices: sorted((d.name, d.incarnation) for d in [*devices.local_device, *devices.remote_device])
    assert together(session) == together(plain)


# Extensions.


@row("ABORTED", "Current version is 0 but caller expected 7.")
def extension_of_another_version(c):
    c.master.ExtendSession(session_handle=opened(c), current_graph_version=7, graph_def=graph('node { name: "n" op: "NoOp" }'))


@row("INVALID_ARGUMENT", "GraphDef argument to Extend includes node 'nothing'")
def extension_with_a_node_that_is_there(c):
    c.master.ExtendSession(session_handle=opened(c), graph_def=graph('node { name: "nothing" op: "NoOp" }'))


@row("OK")
def versions_of_extensions(c):
    session = opened(c)
    for version in range(3):
        more = graph('node { name: "n%d" op: "NoOp" }' % version)
        extended = c.master.ExtendSession(session_handle=session, graph_def=more, current_graph_version=version)
        assert extended.new_graph_version == version + 1
        step(c, session, target=["n%d" % version])


FUNCTION = """library { function {
  signature { name: "F" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
  node_def { name: "n" op: "%s" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "y" value: "n:y:0" } } }"""
CALL = 'node { name: "%s" op: "F" input: "two" }'


def extended_by_functions(c, *ops):
    session = opened(c, GRAPH + FUNCTION % "Neg" + CALL % "call")
    for version, op in enumerate(ops):
        more = graph(FUNCTION % op + CALL % f"call{version}")
        c.master.ExtendSession(session_handle=session, graph_def=more, current_graph_version=version)
    return tf.make_ndarray(step(c, session, fetch=[f"call{len(ops) - 1}:0"]).tensor[0].tensor)


@row("OK")
def extension_with_a_function_that_is_there(c):
    assert extended_by_functions(c, "Neg", "Neg") == -2


@row("INVALID_ARGUMENT", "F", "because a different function with the same name already exists")
def extension_with_another_function_of_that_name(c):
    extended_by_functions(c, "Neg", "Square")


# Duplicate requests.


@row("ABORTED", "The same RunStep (Master) request was received twice.")
def step_received_twice(c):
    session = opened(c)
    step(c, session, fetch=["two:0"], request_id=-5)
    step(c, session, fetch=["two:0"], request_id=-5)


@row("OK")
def step_of_no_number_received_twice(c):
    session = opened(c)
    step(c, session, fetch=["two:0"], request_id=0)
    step(c, session, fetch=["two:0"], request_id=0)


@row("ABORTED", "The same PartialRunSetup (Master) request was received twice.")
def partial_run_received_twice(c):
    session = opened(c)
    for _ in range(2):
        c.master.PartialRunSetup(session_handle=session, fetch=["two:0"], request_id=6)


@row("ABORTED", "The same MakeCallable (Master) request was received twice.")
def callable_received_twice(c):
    session = opened(c)
    for _ in range(2):
        c.master.MakeCallable(session_handle=session, options=dict(fetch=["two:0"]), request_id=7)


@row("ABORTED", "The same RunCallable (Master) request was received twice.")
def run_of_callable_received_twice(c):
    session = opened(c)
    handle = c.master.MakeCallable(session_handle=session, options=dict(fetch=["two:0"])).handle
    for _ in range(2):
        c.master.RunCallable(session_handle=session, handle=handle, request_id=8)


# Sessions that are refused.


@row("INVALID_ARGUMENT", "Distributed session does not support session thread pool options.")
def session_with_threads_of_its_own(c):
    opened(c, use_per_session_threads=True)


@row("INVALID_ARGUMENT", "Distributed session does not support session thread pool options.")
def session_with_thread_pools(c):
    opened(c, session_inter_op_thread_pool=[tf1.ConfigProto().session_inter_op_thread_pool.add()])


@row("INVALID_ARGUMENT", "no filter", stock=ASKED_FOR_TROUBLE)
def session_with_a_filter_that_is_none(c):
    opened(c, device_filters=["no filter"])


@row("OK")
def session_that_places_the_pruned_graph(c):
    session = opened(c, graph_options=tf1.GraphOptions(place_pruned_graph=True))
    step(c, session, fetch=["two:0"])


@row("OK")
def steps_of_a_session_that_is_closing(c):
    """Steps that came before the close fail with its status, later ones find no session."""
    allowed = {"OK": "", "CANCELLED": "Session::Close", "ABORTED": "is not found", "FAILED_PRECONDITION": "Session is closed."}
    for _ in range(20):
        session = opened(c)
        request = dict(session_handle=session, feed=[fed("p:0", 3)], fetch=["y:0"])
        calls = [c.master.RunStep.future(**request) for _ in range(8)]
        c.master.CloseSession(session_handle=session)
        for call in calls:
            code, message = outcome(call.result)
            assert allowed[code] in str(message), (code, message)


# The arguments of steps.


@row("INVALID_ARGUMENT", "Must specify at least one target to fetch or execute.")
def step_for_nothing(c):
    step(c)


@row("INVALID_ARGUMENT", "p:0 is both fed and fetched.")
def step_that_fetches_what_is_fed(c):
    step(c, feed=[fed("p:0", 1)], fetch=["p:0"])


@row("INVALID_ARGUMENT", 'Endpoint "p:0" fed more than once.')
def step_that_is_fed_twice(c):
    step(c, feed=[fed("p:0", 1), fed("p:0", 1)], fetch=["y:0"])


@row("NOT_FOUND", "FetchOutputs node w:0: not found")
def fetch_of_no_node(c):
    step(c, fetch=["w:0"])


@row("NOT_FOUND", "FeedInputs: unable to find feed output w:0")
def feed_of_no_node(c):
    step(c, feed=[fed("w:0", 1)], fetch=["y:0"])


@row("INVALID_ARGUMENT", "FeedInputs: p:1 should have output index < 1")
def feed_of_no_output(c):
    step(c, feed=[fed("p:1", 1)], fetch=["y:0"])


@row("INVALID_ARGUMENT", "FetchOutputs y:1: output index too large, must be < 1")
def fetch_of_no_output(c):
    step(c, fetch=["y:1"])


@row("INVALID_ARGUMENT", "Tried to fetch data for 'nothing:0', which produces no output")
def fetch_of_a_node_without_outputs(c):
    step(c, fetch=["nothing:0"])


@row("NOT_FOUND", "PruneForTargets: Some target nodes not found: w")
def target_that_is_no_node(c):
    step(c, target=["w"])


@row("INVALID_ARGUMENT", "Invalid TensorProto for feed value 0")
def feed_that_is_no_tensor(c):
    torn = dict(dtype=1, tensor_shape=dict(dim=[dict(size=2)]), tensor_content=b"abc")
    step(c, feed=[dict(name="p:0", tensor=torn)], fetch=["y:0"])


@row("INTERNAL", "of type int32 does not match declared output type float", "From /job:worker/replica:0/task:0:")
def feed_of_another_dtype(c):
    step(c, feed=[fed("p:0", 1, tf.int32)], fetch=["y:0"])


@row("INVALID_ARGUMENT", "You must feed a value for placeholder tensor 'p' with dtype float", "[[{{node p}}]]")
def placeholder_that_is_not_fed(c):
    step(c, fetch=["y:0"])


@row("INVALID_ARGUMENT", "placeholder tensor 'q' with dtype float and shape [2]", "[[{{node q}}]]")
def placeholder_of_a_shape_that_is_not_fed(c):
    step(c, feed=[fed("y:0", 1)], fetch=["z:0"])


@row("INTERNAL", "Failed to fetch outputs for step", "was not valid")
def fetch_of_a_branch_that_is_not_taken(c):
    step(c, fetch=["branch:0"])


@row("OK", stock=ASKED_FOR_TROUBLE)
def one_tensor_by_two_names(c):
    session = opened(c)
    for names in ["y"], ["y:0"], ["y", "y:0"]:
        response = step(c, session, feed=[fed("p", 3)], fetch=names)
        assert [t.name for t in response.tensor] == names
        response = step(c, session, feed=[fed("p:0", 3)], fetch=names)
        assert [tf.make_ndarray(t.tensor) for t in response.tensor] == [6] * len(names)


@row("UNIMPLEMENTED", "")
def method_that_there_is_not(c):
    c.channel.unary_unary("/tensorflow.MasterService/NoSuchMethod")(b"", timeout=60)


@row("OK")
def errors_of_5000_characters(c):
    """A response contains the whole message, a status its beginning."""
    session, target = opened(c), ["a" * 5000]
    code, message = outcome(lambda: step(c, session, target=target))
    assert code == "NOT_FOUND" and target[0] in message, message
    code, message = outcome(lambda: c.master.RunStep(session_handle=session, target=target))
    assert code == "NOT_FOUND" and message.endswith(" ... [truncated]"), message
    assert 3000 < message.count("a") < 3200, message


@row("NOT_FOUND", "FetchOutputs node w:0: not found")
def error_in_the_status(c):
    c.master.RunStep(session_handle=opened(c), fetch=["w:0"])


# ClusterDefs from clients.


def propagated(c, jobs):
    cluster = tf.train.ClusterSpec(jobs).as_cluster_def()
    config = tf1.ConfigProto(cluster_def=cluster)
    return c.master.CreateSession(graph_def=graph(GRAPH), config=config, target=c.target).session_handle


@row("OK")
def cluster_of_other_names(c):
    session = propagated(c, {"trainer": [c.addresses["worker:0"], c.addresses["ps:0"]]})
    devices = c.master.ListDevices(session_handle=session)
    names = {d.name for d in [*devices.local_device, *devices.remote_device]}
    assert names == {f"/job:trainer/replica:0/task:{i}/device:CPU:0" for i in (0, 1)}, names
    step(c, session, fetch=["two:0"])


@row("INVALID_ARGUMENT", "The master (current machine) is not included in the provided cluster_def")
def cluster_without_the_master(c):
    propagated(c, {"trainer": [c.addresses["ps:0"]]})


@row("INVALID_ARGUMENT", "Found multiple matching tasks")
def cluster_with_the_master_twice(c):
    propagated(c, {"trainer": [c.addresses["worker:0"], c.addresses["worker:0"]]})


@row("INVALID_ARGUMENT", "The ClusterSpec names the job and task index to be the same")
def cluster_where_the_master_is_called_as_before(c):
    propagated(c, {"worker": [c.addresses["worker:0"]]})

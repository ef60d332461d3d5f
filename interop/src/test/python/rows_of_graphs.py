"""The statuses of invalid graphs and of graphs that can't be placed."""

from raw_sessions import FLOAT, GRAPH, opened, step
from rows import row


@row("NOT_FOUND", "Op type not registered 'Frobnicate' in binary running on")
def op_that_there_is_not(c):
    opened(c, 'node { name: "a" op: "Frobnicate" }')


@row("INVALID_ARGUMENT", "Node 'a': Unknown input node 'b'")
def input_that_there_is_not(c):
    opened(c, f'node {{ name: "a" op: "Identity" input: "b" {FLOAT} }}')


@row("INVALID_ARGUMENT", "Node 'a': Unknown input node '^b'")
def control_input_that_there_is_not(c):
    opened(c, 'node { name: "a" op: "NoOp" input: "^b" }')


@row("INVALID_ARGUMENT", "Connecting to invalid output 1 of source node p which has 1 outputs.")
def input_from_no_output(c):
    opened(c, GRAPH + f'node {{ name: "a" op: "Identity" input: "p:1" {FLOAT} }}')


@row("INVALID_ARGUMENT", "GraphDef min consumer version 3000 above current version 2474 for TensorFlow")
def graph_for_a_later_version(c):
    opened(c, "versions { min_consumer: 3000 }")


@row("OK")
def graph_by_a_later_version(c):
    step(c, opened(c, GRAPH + "versions { producer: 3000 }"), fetch=["two:0"])


@row("INVALID_ARGUMENT", "'two'")
def two_nodes_of_a_name(c):
    opened(c, GRAPH + 'node { name: "two" op: "NoOp" }')


@row("INVALID_ARGUMENT", "a b")
def node_whose_name_is_none(c):
    opened(c, 'node { name: "a b" op: "NoOp" }')


@row("NOT_FOUND", "No attr named 'T'", "a")
def node_without_an_attr(c):
    opened(c, GRAPH + 'node { name: "a" op: "Identity" input: "two" }')


@row("INVALID_ARGUMENT", "Input 0 of node a was passed bool from yes:0 incompatible with expected float.")
def input_of_another_dtype(c):
    opened(c, GRAPH + f'node {{ name: "a" op: "Neg" input: "yes" {FLOAT} }}')


@row("INVALID_ARGUMENT", "2 nodes in a cycle")
def nodes_in_a_circle(c):
    nodes = f'node {{ name: "a" op: "Identity" input: "b" {FLOAT} }} node {{ name: "b" op: "Identity" input: "a" {FLOAT} }}'
    step(c, opened(c, GRAPH + nodes), fetch=["a:0"])


@row("INVALID_ARGUMENT", "1 nodes in a cycle")
def node_that_waits_for_itself(c):
    step(c, opened(c, GRAPH + 'node { name: "a" op: "NoOp" input: "^a" }'), target=["a"], options=dict(timeout_in_ms=3000))


# Placement.


def placed(c, device, op="NoOp", **config):
    return opened(c, f'node {{ name: "a" op: "{op}" device: "{device}" }}', **config)


@row("INVALID_ARGUMENT", "Malformed device specification 'cpu:0' in node: ", "{{node a}}")
def device_that_is_none(c):
    placed(c, "cpu:0")


@row("INVALID_ARGUMENT", "Cannot assign a device for operation a: {{node a}} was explicitly assigned to /job:ps/task:1",
     "/job:ps/replica:0/task:0/device:CPU:0, /job:worker/replica:0/task:0/device:CPU:0")
def device_that_there_is_not(c):
    placed(c, "/job:ps/task:1")


@row("INVALID_ARGUMENT", "Cannot assign a device for operation a", "/job:ps/task:1")
def task_that_there_is_not_with_soft_placement(c):
    placed(c, "/job:ps/task:1", allow_soft_placement=True)


@row("INVALID_ARGUMENT", "Cannot assign a device for operation a", "GPU")
def gpu_that_there_is_not(c):
    placed(c, "/job:ps/device:GPU:0")


@row("OK")
def gpu_that_there_is_not_with_soft_placement(c):
    step(c, placed(c, "/job:ps/device:GPU:0", allow_soft_placement=True), target=["a"])


@row("INVALID_ARGUMENT", "Cannot assign a device for operation a", "/job:worker")
def device_that_is_filtered_out(c):
    placed(c, "/job:ps", device_filters=["/job:worker"])


@row("INVALID_ARGUMENT", "Cannot colocate nodes", "a", "two")
def nodes_that_must_be_together_on_different_tasks(c):
    text = f"""
      node {{ name: "two" op: "VariableV2" device: "/job:ps" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
        attr {{ key: "shape" value {{ shape {{}} }} }} }}
      node {{ name: "a" op: "NoOp" device: "/job:worker" attr {{ key: "_class" value {{ list {{ s: "loc:@two" }} }} }} }}
    """
    opened(c, text)

"""Cases of coordination.py: TensorFlow 2's control flow and its gradients, and ops on references and handles."""

import contextlib

from cases import case

import numpy as np
import tensorflow as tf

from outcomes import outcome

tf1 = tf.compat.v1
raw = tf.raw_ops


@contextlib.contextmanager
def control_flow_of_2():
    """Loops and branches become function calls, and loops keep intermediates for their gradients in lists."""
    tf1.enable_control_flow_v2()
    try:
        yield
    finally:
        tf1.disable_control_flow_v2()


def ops_of(graph):
    """The op types of a graph and of its functions."""
    definition = graph.as_graph_def()
    nodes = [definition.node, *(f.node_def for f in definition.library.function)]
    return {node.op for part in nodes for node in part}


def has_ops(*ops):
    """Asserts that the graph has each of these ops; A|B stands for either."""
    there = ops_of(tf1.get_default_graph())
    missing = [op for op in ops if not there.intersection(op.split("|"))]
    assert not missing, f"the graph has no {missing}"


def code(call):
    """The result of a call, or the type of its error."""
    result = outcome(call)
    return result[0] if str(result[0]).endswith("Error") else result


def resource(name, value):
    return tf1.get_variable(name, initializer=tf1.constant(value, tf.float32), use_resource=True)


@case
def gradients_of_while(open_session):
    x, n = tf1.placeholder_with_default([0.3, -0.6], [2]), tf1.placeholder_with_default(4, [])
    with control_flow_of_2():
        w = resource("w", [[0.5, 0.2], [-0.1, 0.9]])
        _, last = tf1.while_loop(
            lambda i, _: i < n, lambda i, v: (i + 1, tf1.tanh(tf1.linalg.matvec(w, v)) + x), [0, x])
        loss = tf1.reduce_sum(last * last)
        first = tf1.gradients(loss, [x, w])
        second = tf1.gradients(tf1.reduce_sum(first[0] ** 2), [x, w])
    has_ops("While", "TensorListPushBack", "TensorListPopBack")
    with open_session() as s:
        s.run(w.initializer)
        return [s.run([loss, first, second], {n: k}) for k in (0, 1, 2, 7)]


@case
def gradients_of_while_within_while(open_session):
    x = tf1.placeholder_with_default([0.5, 1.5], [2])
    with control_flow_of_2():
        def inner(i, v):
            return tf1.while_loop(lambda j, _: j < i + 1, lambda j, u: (j + 1, u * x + tf1.sin(u)), [0, v])[1]

        y = tf1.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, inner(i, v) - x), [0, x], maximum_iterations=5)[1]
        gradients = tf1.gradients(y, x)
    with open_session() as s:
        return [s.run([y, gradients], {x: value}) for value in ([0.5, 1.5], [-0.1, 0.2])]


@case
def gradients_of_cond(open_session):
    x, p, q = tf1.placeholder_with_default(1.5, []), tf1.placeholder(tf.bool, []), tf1.placeholder(tf.bool, [])
    with control_flow_of_2():
        w = resource("w", 0.7)
        inner = lambda: tf1.cond(q, lambda: tf1.exp(x) * w, lambda: w / x)
        y = tf1.cond(p, inner, lambda: x ** 3)
        gradients = tf1.gradients(y, [x, w])
        branches = tf1.while_loop(
            lambda i, _: i < 5,
            lambda i, v: (i + 1, tf1.cond(tf1.equal(i % 2, 0), lambda: v * w, lambda: tf1.cos(v) + x)), [0, x])[1]
        of_branches = tf1.gradients(branches, [x, w])
    has_ops("If")
    with open_session() as s:
        s.run(w.initializer)
        return [s.run([y, gradients, branches, of_branches], {p: a, q: b}) for a in (True, False) for b in (True, False)]


@case
def arrays_that_are_lists(open_session):
    """A hand-written recurrent network, which reads and writes a row in each iteration."""
    x = tf1.placeholder_with_default(np.linspace(-1, 1, 24).reshape(4, 3, 2).astype("f"), [None, 3, 2])
    with control_flow_of_2():
        w, u = resource("w", [[0.5, -0.2], [0.1, 0.3]]), resource("u", [[0.1, 0.4], [-0.6, 0.2]])
        steps = tf1.shape(x)[0]
        inputs = tf1.TensorArray(tf.float32, steps).unstack(x)

        def body(t, state, outputs):
            state = tf1.tanh(tf1.matmul(state, w) + tf1.matmul(inputs.read(t), u))
            return t + 1, state, outputs.write(t, state)

        start = [0, tf1.zeros([3, 2]), tf1.TensorArray(tf.float32, steps)]
        _, last, outputs = tf1.while_loop(lambda t, *_: t < steps, body, start)
        outputs = outputs.stack()
        loss = tf1.reduce_sum(outputs ** 2) + tf1.reduce_sum(last)
        gradients = tf1.gradients(loss, [w, u, x])
        train = tf1.train.AdamOptimizer(0.1).minimize(loss)
    has_ops("TensorListFromTensor", "TensorListGetItem", "TensorListSetItem", "TensorListStack", "TensorListReserve")
    with open_session() as s:
        s.run(tf1.global_variables_initializer())
        results = [s.run([outputs, gradients]), s.run([loss, gradients], {x: np.ones([2, 3, 2], "f")})]
        return results + [s.run([loss, train])[0] for _ in range(5)]


@case
def dynamic_rnn_in_functions(open_session):
    x = tf1.constant(np.linspace(-1, 1, 2 * 5 * 2).reshape(2, 5, 2).astype("f"))

    class Cell:
        output_size = state_size = 3

        def zero_state(self, batch_size, dtype):
            return tf1.zeros([batch_size, 3], dtype)

        def __call__(self, inputs, state, scope=None):
            w = tf1.get_variable("w", [5, 3], initializer=tf1.constant_initializer(np.linspace(-1, 1, 15)), use_resource=True)
            output = tf1.tanh(tf1.matmul(tf1.concat([inputs, state], 1), w))
            return output, output

    with control_flow_of_2():
        outputs, state = tf1.nn.dynamic_rnn(Cell(), x, sequence_length=[5, 2], dtype=tf.float32)
        loss = tf1.reduce_sum(outputs ** 2)
        variables = tf1.trainable_variables()
        gradients = tf1.gradients(loss, variables)
        train = tf1.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    has_ops("While|StatelessWhile")
    with open_session() as s:
        s.run(tf1.global_variables_initializer())
        results = [s.run([outputs, state, gradients])]
        return results + [s.run([loss, train])[0] for _ in range(5)]


@case
def maps_and_scans_in_functions(open_session):
    x = tf1.placeholder_with_default(np.linspace(0.1, 1, 6).reshape(3, 2).astype("f"), [None, 2])
    with control_flow_of_2():
        w = resource("w", [0.5, -0.3])
        mapped = tf1.map_fn(lambda row: tf1.reduce_sum(row * w) ** 2, x)
        scanned = tf1.scan(lambda a, row: a * row + w, x)
        folded = tf1.foldl(lambda a, row: tf1.sin(a) + row * w, x)
        values = [mapped, scanned, folded]
        gradients = [tf1.gradients(v, [x, w]) for v in values]
    with open_session() as s:
        s.run(w.initializer)
        return [s.run([values, gradients], {x: np.full([n, 2], 0.4, "f")}) for n in (1, 4)]


@case
def loops_within_functions(open_session):
    @tf.function
    def power(x, n):
        y = tf.ones_like(x)
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = y + tf.cos(x)
        return y

    x, n = tf1.placeholder_with_default([0.5, 2.0], [2]), tf1.placeholder(tf.int32, [])
    y = power(x, n)
    gradients = tf1.gradients(y, x)
    with open_session() as s:
        return [s.run([y, gradients], {n: k}) for k in (0, 1, 5)]


@case
def branches_by_number(open_session):
    i, x = tf1.placeholder(tf.int32, []), tf1.placeholder_with_default(2.0, [])
    with control_flow_of_2():
        v = resource("v", 1.0)
        chosen = tf1.switch_case(i, [lambda: x * 3, lambda: tf1.exp(x), lambda: -x / 2])
        gradient = tf1.gradients(chosen, x)
        changed = tf1.switch_case(i, [lambda: v.assign_add(x), lambda: v.assign(5.0), lambda: v.assign_sub(1.0)])
        by_name = tf1.case([(x > 5.0, lambda: x), (x > 1.0, lambda: x * x)], default=lambda: x - 1)
    has_ops("StatelessCase", "Case")
    with open_session() as s:
        s.run(v.initializer)
        results = [s.run([chosen, gradient], {i: k}) for k in (0, 1, 2, 3, -1)]  # -1: the last branch
        results += [[s.run(changed, {i: k}), s.run(v)] for k in (0, 1, 2, 0, 7)]
        return results + [s.run(by_name, {x: value}) for value in (6.0, 2.0, 0.5)]


@case
def shapes_of_variables(open_session):
    v = raw.VarHandleOp(dtype=tf.float32, shape=tf1.TensorShape(None), shared_name="v")
    shapes = [raw.VariableShape(input=v, out_type=t) for t in (tf.int32, tf.int64)]
    value = tf1.placeholder(tf.float32, None)
    assign = raw.AssignVariableOp(resource=v, value=value)
    with open_session() as s:
        results = [code(lambda: s.run(shapes[0]))]
        for shape in [2, 0, 3], [5], []:
            s.run(assign, {value: np.zeros(shape)})
            results.append(s.run(shapes))
        return results


@case
def destroyed_resources(open_session):
    v = resource("v", [1.0, 2.0])
    read, there = v.read_value(), raw.VarIsInitializedOp(resource=v.handle)
    destroy, ignoring = (raw.DestroyResourceOp(resource=v.handle, ignore_lookup_error=b) for b in (False, True))
    with open_session() as s:
        s.run(v.initializer)
        results = [s.run([read, there])]
        s.run(destroy)
        results += [s.run(there), code(lambda: s.run(read)), str(s.run(ignoring)), code(lambda: s.run(destroy))]
        s.run(v.initializer)
        return results + [s.run([read, there])]


@case
def accumulators_by_handle(open_session):
    a = raw.ResourceConditionalAccumulator(
        dtype=tf.float32, shape=tf1.TensorShape([None, 2]), container="", shared_name="a", reduction_type="MEAN")
    g, step, n = tf1.placeholder(tf.float32, None), tf1.placeholder(tf.int64, []), tf1.placeholder(tf.int32, [])
    apply = raw.ResourceAccumulatorApplyGradient(handle=a, local_step=step, gradient=g)
    count = raw.ResourceAccumulatorNumAccumulated(handle=a)
    forward = raw.ResourceAccumulatorSetGlobalStep(handle=a, new_global_step=step)
    take = raw.ResourceAccumulatorTakeGradient(handle=a, num_required=n, dtype=tf.float32)
    with open_session() as s:
        results = []
        for value in ([[1.0, 2.0]], [[3.0, 5.0]], [[5.0, 5.0]]):
            s.run(apply, {g: value, step: 0})
        results += [s.run(count), s.run(take, {n: 2}), s.run(count)]
        s.run(apply, {g: [[1.0, 2.0]], step: 0})  # of an earlier step
        results.append(s.run(count))
        s.run(forward, {step: 7})
        s.run(apply, {g: [[1.0, 2.0]], step: 6})
        s.run(apply, {g: [[1.0, 2.0]], step: 7})
        results += [s.run(count), outcome(lambda: s.run(forward, {step: 3})), s.run(take, {n: 1})]
        results += [outcome(lambda: s.run(apply, {g: [[1.0]], step: 9})), outcome(lambda: s.run(take, {n: 0}))]
    with open_session() as s:  # shared by name
        s.run(apply, {g: [[4.0, 2.0]], step: 20})
        return results + [s.run(take, {n: 1})]


def reference(name, value):
    return tf1.get_variable(name, initializer=tf1.constant(value, tf.float32), use_resource=False)


@case
def references_through_branches(open_session):
    v, p = reference("v", [1.0, 2.0]), tf1.placeholder(tf.bool, [])
    no, yes = raw.RefSwitch(data=v._ref(), pred=p)
    tripled = raw.Assign(ref=yes, value=[30.0, 60.0], validate_shape=True, use_locking=True)
    added = raw.AssignAdd(ref=no, value=[0.5, 0.5], use_locking=False)
    merged, which = raw.RefMerge(inputs=[added, tripled])
    after = raw.AssignSub(ref=merged, value=[1.0, 1.0], use_locking=False)
    value = tf1.identity(after)
    has_ops("RefSwitch", "RefMerge")
    with open_session() as s:
        s.run(v.initializer)
        return [s.run([value, which], {p: b}) + [s.run(v)] for b in (True, False, False, True)]


@case
def references_into_loops(open_session):
    """A loop of one iteration updates the variable through an entered reference."""
    from tensorflow.python.ops import gen_control_flow_ops as flow

    v = reference("v", [1.0, 2.0])
    with tf1.control_dependencies(None):
        inside = flow.ref_enter(v._ref(), "frame", is_constant=False, parallel_iterations=10)
        added = raw.AssignAdd(ref=inside, value=flow.enter([1.0, 1.0], "frame"), use_locking=False)
        out = flow.ref_exit(added)
        value = tf1.identity(out)
    has_ops("RefEnter", "RefExit")
    with open_session() as s:
        s.run(v.initializer)
        return [s.run(value) for _ in range(3)] + [s.run(v)]


@case
def keys_are_removed_from_tables(open_session):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.float32, default_value=-1.0, empty_key=0, deleted_key=-7, initial_num_buckets=4)
    keys, numbers = tf1.constant(["a", "b", "c"]), tf1.constant([1, 2, 3, 4, 5], tf.int64)
    fill, remove = table.insert(keys, [1, 2, 3]), table.remove(tf1.constant(["b", "nothing"]))
    fill_dense, erase = dense.insert(numbers, [1.0, 2.0, 3.0, 4.0, 5.0]), dense.erase(tf1.constant([4, 9], tf.int64))
    wrong = raw.LookupTableRemoveV2(table_handle=table.resource_handle, keys=tf1.constant([1], tf.int64))
    empty = dense.erase(tf1.constant([0], tf.int64))
    has_ops("LookupTableRemoveV2")
    with open_session() as s:
        s.run([fill, fill_dense])
        s.run([remove, erase])
        found = [table.size(), table.lookup(keys), dense.size(), dense.lookup(numbers)]
        results = [s.run(found), code(lambda: s.run(wrong)), code(lambda: s.run(empty))]
        s.run([remove, erase])
        return results + [s.run(found)]

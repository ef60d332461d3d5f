"""A stock client of sessions: python sessions.py grpc://HOST:PORT KIND, where KIND is ref or resource.

Prints "ok NAME" for each case, and ends with status 1 if one failed.
"""

import sys
import threading
import time

from cases import case, fails, run

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TARGET, KIND = sys.argv[1], sys.argv[2]
if KIND == "ref":
    tf1.disable_v2_behavior()
else:
    tf1.disable_eager_execution()
    tf1.enable_resource_variables()


@case
def matmul():
    with tf1.Graph().as_default():
        product = tf1.matmul(tf1.constant([[2]]), tf1.constant([[2]]))
        with tf1.Session(TARGET) as first, tf1.Session(TARGET) as second:
            assert first.run(product).tolist() == [[4]]
            assert second.run(product).tolist() == [[4]]


@case
def tier_a():
    """The arithmetic of typical scripts, on the server and in this process."""
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf.float32, [None, 3], name="x")
        w = tf1.constant(np.linspace(-1, 1, 6).reshape(3, 2).astype("f"))
        h = tf1.nn.bias_add(tf1.matmul(x, w), [0.5, -0.5])
        results = [
            h, x + 1, x - 1, x * x, x / 3.0, -x, tf1.add_n([x, x, x]),
            tf1.reduce_sum(x), tf1.reduce_mean(h, 0), tf1.reduce_max(x, 1), tf1.reduce_min(x, 1, keepdims=True),
            tf1.cast(x, tf.int32), tf1.reshape(x, [-1]), tf1.shape(x), tf1.fill([2, 2], 7),
            tf1.concat([x, x], 1), tf1.stack([x, x]), tf1.expand_dims(x, 0), tf1.squeeze(tf1.expand_dims(x, 0)),
            tf1.transpose(x), x[1:, ::2], tf1.range(1, 10, 3), tf1.rank(x), tf1.size(x), tf1.zeros_like(x),
            tf1.ones_like(x), tf1.square(x), tf1.squared_difference(x, 1.0), tf1.sqrt(tf1.abs(x)), tf1.exp(x),
            tf1.log(tf1.abs(x) + 1), tf1.pow(tf1.abs(x), 1.5), tf1.maximum(x, 0.0), tf1.minimum(x, 0.0),
            tf1.placeholder_with_default([1, 2], [2]), tf1.identity_n([x, h])[1], tf1.constant(["a", "bc"]),
        ]
        feed = {x: np.array([[1, -2, 3], [4, 5, -6]], "f")}
        with tf1.Session() as local:
            expected = local.run(results, feed)
        with tf1.Session(TARGET) as session:
            actual = session.run(results, feed)
        for tensor, e, a in zip(results, expected, actual):
            assert np.asarray(e).dtype == np.asarray(a).dtype, tensor
            if np.asarray(e).dtype == object:
                assert e.tolist() == a.tolist(), tensor
            else:
                np.testing.assert_allclose(a, e, rtol=1e-6, err_msg=tensor.name)


@case
def random_ops_of_one_seed():
    with tf1.Graph().as_default():
        tf1.set_random_seed(5)
        draws = [tf1.random_uniform([3], seed=7), tf1.random_uniform([3], 0, 10, tf.int32, seed=8)]
        normal = [tf1.random_normal([4], seed=9), tf1.truncated_normal([4], seed=10)]
        with tf1.Session() as local:
            expected = [local.run([draws, normal]) for _ in range(3)]
        with tf1.Session(TARGET) as session:
            actual = [session.run([draws, normal]) for _ in range(3)]
        for e, a in zip(expected, actual):
            assert [t.tolist() for t in e[0]] == [t.tolist() for t in a[0]]
            np.testing.assert_allclose(a[1], e[1], rtol=1e-6)


def variable(name, value, dtype=tf.float32):
    return tf1.get_variable(name, initializer=tf1.constant(value, dtype), dtype=dtype)


@case
def variables_outlive_sessions():
    with tf1.Graph().as_default():
        v = variable("outlives", [1.0, 2.0])
        add, sub = tf1.assign_add(v, [10.0, 20.0]), tf1.assign_sub(v, [1.0, 1.0])
        initialized = tf1.is_variable_initialized(v)
        missing = tf1.report_uninitialized_variables()
        with tf1.Session(TARGET) as session:
            assert not session.run(initialized)
            assert session.run(missing).tolist() == [b"outlives"]
            fails(tf.errors.FailedPreconditionError, "outlives", lambda: session.run(v))
            session.run(tf1.global_variables_initializer())
            assert session.run(add).tolist() == [11.0, 22.0]
        with tf1.Session(TARGET) as session:
            assert session.run(initialized)
            assert session.run(missing).tolist() == []
            assert session.run(sub).tolist() == [10.0, 21.0]
            assert session.run(v).tolist() == [10.0, 21.0]


@case
def isolated_sessions_share_nothing():
    isolated = tf1.ConfigProto(isolate_session_state=True)
    with tf1.Graph().as_default():
        v = variable("isolated", 5.0)
        with tf1.Session(TARGET) as session:
            session.run(v.initializer)
            assert session.run(v) == 5.0
        with tf1.Session(TARGET, config=isolated) as session:
            fails(tf.errors.FailedPreconditionError, "isolated", lambda: session.run(v))


@case
def control_flow():
    with tf1.Graph().as_default():
        p = tf1.placeholder(tf.bool, [])
        x = tf1.placeholder(tf.float32, [])
        chosen = tf1.cond(p, lambda: x * 2, lambda: tf1.cond(x > 5, lambda: x, lambda: -x))
        total = tf1.while_loop(lambda i, s: i < 20, lambda i, s: (i + 1, s + tf1.cast(i, tf.float32) * x), [0, 0.0])
        nested = tf1.while_loop(
            lambda i, s: i < 4,
            lambda i, s: (i + 1, s + tf1.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + 1), [0, 0])[1]),
            [0, 0])
        with tf1.Session(TARGET) as session:
            assert session.run(chosen, {p: True, x: 3}) == 6
            assert session.run(chosen, {p: False, x: 7}) == 7
            assert session.run(chosen, {p: False, x: 3}) == -3
            assert session.run(total, {x: 2})[1] == 380
            assert session.run(nested)[1] == 6


@case
def errors_name_their_node():
    with tf1.Graph().as_default():
        p = tf1.placeholder(tf.float32, [None], name="given")
        shaped = tf1.reshape(p, [3, 5], name="shaped")
        with tf1.Session(TARGET) as session:
            fails(tf.errors.InvalidArgumentError, "{{node given}}", lambda: session.run(shaped))
            try:
                session.run(shaped, {p: [1, 2]})
                raise AssertionError("a bad shape did not fail")
            except tf.errors.InvalidArgumentError as e:
                assert e.op is not None and e.op.name == "shaped", e
        with tf1.device("/job:nowhere"):
            tf1.constant(1, name="unplaced")
        with tf1.Session(TARGET) as session:
            fails(tf.errors.InvalidArgumentError, "Cannot assign a device for operation unplaced",
                  lambda: session.run(shaped, {p: range(15)}))


@case
def graph_is_extended():
    with tf1.Graph().as_default():
        a = tf1.constant(3)
        with tf1.Session(TARGET) as session:
            assert session.run(a) == 3
            b = a * 2
            assert session.run(b) == 6
            c = b + a
            assert session.run([c, a]) == [9, 3]


@case
def functions_are_called():
    @tf.function
    def squared_sum(x):
        return tf.reduce_sum(x * x)

    with tf1.Graph().as_default():
        result = squared_sum(tf1.constant([1.0, 2.0, 3.0]))
        with tf1.Session(TARGET) as session:
            assert session.run(result) == 14.0


@case
def partial_runs():
    with tf1.Graph().as_default():
        a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
        twice = a * 2
        both = twice + b
        with tf1.Session(TARGET) as session:
            for _ in range(3):
                handle = session.partial_run_setup([twice, both], [a, b])
                assert session.partial_run(handle, twice, {a: 3}) == 6
                assert session.partial_run(handle, both, {b: 1}) == 7


@case
def tensors_stay_in_the_session():
    """A stock server refuses this; Headrace supports it, as in-process sessions do."""
    with tf1.Graph().as_default():
        product = tf1.constant([1.0, 2.0]) * 3.0
        handle = tf1.get_session_handle(product)
        with tf1.Session(TARGET) as session, tf1.Session(TARGET) as other:
            kept, again = session.run(handle), session.run(handle)
            assert kept.handle != again.handle
            assert kept.handle.endswith("/device:CPU:0"), kept.handle
            holder, value = tf1.get_session_tensor(kept.handle, tf.float32)
            assert session.run(value * 2, {holder: kept.handle}).tolist() == [6.0, 12.0]
            assert kept.eval().tolist() == [3.0, 6.0]
            gone = "is not in the session store"
            fails(tf.errors.InvalidArgumentError, gone, lambda: other.run(value, {holder: kept.handle}))
            holder2, whole = tf1.get_session_tensor(kept.handle, tf.int32)
            fails(tf.errors.InternalError, "does not match declared output type", lambda: session.run(
                whole, {holder2: kept.handle}))
            name = kept.handle
            kept.delete()
            fails(tf.errors.InvalidArgumentError, gone, lambda: session.run(value, {holder: name}))
            deleted, delete = tf1.delete_session_tensor(name)
            fails(tf.errors.InvalidArgumentError, "Failed to delete", lambda: session.run(delete, {deleted: name}))
            assert again.eval().tolist() == [3.0, 6.0]


@case
def arrays_by_name_are_not_found():
    with tf1.Graph().as_default():
        joined = tf.raw_ops.TensorArrayConcatV2(handle=["a", "b"], flow_in=0.1, dtype=tf.int32)
        with tf1.Session(TARGET) as session:
            fails(tf.errors.NotFoundError, "TensorArrayConcatV2", lambda: session.run(joined))


@case
def concurrent_steps():
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf.float32, [])
        y = x * 2 + 1
        with tf1.Session(TARGET) as session:
            session.run(y, {x: 0})
            wrong = []

            def steps(k):
                for i in range(25):
                    if session.run(y, {x: k * 100 + i}) != (k * 100 + i) * 2 + 1:
                        wrong.append((k, i))

            threads = [threading.Thread(target=steps, args=(k,)) for k in range(4)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            assert not wrong, wrong


def endless():
    """A step that runs until it is cancelled."""
    return tf1.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [tf1.constant(0)], name="endless")


@case
def close_ends_steps():
    with tf1.Graph().as_default():
        loop, ready = endless(), tf1.constant(1)
        session = tf1.Session(TARGET)
        session.run(ready)
        seen = []

        def run():
            try:
                session.run(loop)
            except Exception as e:
                seen.append(e)

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(1)
        session.close()
        thread.join(60)
        assert isinstance(seen[0], tf.errors.CancelledError) and "Session::Close" in str(seen[0]), seen


@case
def steps_take_no_longer_than_allowed():
    with tf1.Graph().as_default():
        loop, ready = endless(), tf1.constant(1)
        options = tf1.RunOptions(timeout_in_ms=500)
        with tf1.Session(TARGET) as session:
            session.run(ready)
            fails(tf.errors.DeadlineExceededError, "", lambda: session.run(loop, options=options))
            assert session.run(ready) == 1


@case
def large_values():
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf.float32)
        constant = tf1.constant(np.full((2500, 10000), 0.5, "f"))
        with tf1.Session(TARGET) as session:
            assert session.run([tf1.reduce_min(x), tf1.reduce_max(x)], {x: np.full((2500, 10000), 0.5, "f")}) == [0.5, 0.5]
            assert session.run(tf1.fill([2500, 10000], 0.5)).sum() == 12500000
            assert session.run(tf1.shape(constant)).tolist() == [2500, 10000]


@case
def devices_and_metadata():
    with tf1.Graph().as_default():
        a = tf1.constant(2)
        with tf1.Session(TARGET) as session:
            names = [d.name for d in session.list_devices()]
            assert names[0].endswith("/device:CPU:0"), names
            metadata = tf1.RunMetadata()
            assert session.run(a, options=tf1.RunOptions(output_partition_graphs=True), run_metadata=metadata) == 2
            assert len(metadata.partition_graphs) > 0
            assert len(metadata.step_stats.dev_stats) == 0, "nobody asked for times"


@case
def steps_are_timed():
    from tensorflow.python.client import timeline

    with tf1.Graph().as_default():
        x = tf1.placeholder(tf.float32, [None], name="x")
        y = tf1.reduce_sum(tf1.square(x, name="squared"), name="total")
        with tf1.Session(TARGET) as session:
            metadata = tf1.RunMetadata()
            before = time.time() * 1e6
            options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
            assert session.run(y, {x: [1.0, 2.0]}, options=options, run_metadata=metadata) == 5
            after = time.time() * 1e6
            devices = {d.device: {n.node_name: n for n in d.node_stats} for d in metadata.step_stats.dev_stats}
            (name, nodes), = devices.items()
            assert name.endswith("/replica:0/task:0/device:CPU:0"), name
            squared, total = nodes["squared"], nodes["total"]
            assert squared.timeline_label.startswith("squared = Square("), squared
            assert squared.output[0].tensor_description.shape.dim[0].size == 2, squared
            # Within a millisecond: both clocks are this machine's, read in different ways.
            assert before - 1000 <= squared.all_start_micros <= total.all_start_micros <= after + 1000
            assert total.all_end_rel_micros >= total.op_end_rel_micros >= 0
            trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
            assert '"name": "Square"' in trace and '"name": "Sum"' in trace, trace


@case
def reset_ends_sessions_and_forgets_variables():
    with tf1.Graph().as_default():
        v = variable("forgotten", 3.0)
        with tf1.container("kept"):
            k = variable("kept", 4.0)
        session = tf1.Session(TARGET)
        session.run([v.initializer, k.initializer])
        tf1.Session.reset(TARGET)
        fails(tf.errors.AbortedError, "is not found", lambda: session.run(v))
        with tf1.Session(TARGET) as session:
            fails(tf.errors.FailedPreconditionError, "forgotten", lambda: session.run(v))
            assert session.run(k) == 4.0
        tf1.Session.reset(TARGET, ["kept"])
        with tf1.Session(TARGET) as session:
            fails(tf.errors.FailedPreconditionError, "kept", lambda: session.run(k))


sys.exit(run())

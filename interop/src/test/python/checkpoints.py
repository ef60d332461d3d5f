"""A stock client that saves and restores, and writes summaries: python checkpoints.py grpc://HOST:PORT KIND FOLDER.

KIND is ref or resource. FOLDER is on this host, which the server shares. Prints "ok NAME" for each case, and ends
with status 1 if one failed.

    python checkpoints.py grpc://HOST:PORT KIND FOLDER restarted

continues after a restart of the server with the files of the first call.
"""

import glob
import os
import sys
import time

from cases import CASES, case, fails, run

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import summary_pb2

tf1 = tf.compat.v1
TARGET, KIND, FOLDER = sys.argv[1:4]
RESTARTED = sys.argv[4:] == ["restarted"]
if KIND == "ref":
    tf1.disable_v2_behavior()
else:
    tf1.disable_eager_execution()
    tf1.enable_resource_variables()


def folder(name):
    path = os.path.join(FOLDER, KIND, name)
    os.makedirs(path)
    return path


def content(path):
    with open(path, "rb") as f:
        return f.read()


def variables(seed):
    """Variables of many dtypes, with values determined by `seed`."""
    random = np.random.RandomState(seed)
    values = {
        "float": random.rand(3, 4).astype("f"), "double": random.rand(2), "scalar": np.float32(seed),
        "int32": random.randint(0, 99, [5]).astype(np.int32), "int64": np.int64(seed << 40),
        "bool": np.array([True, False]), "complex": np.array([1 + 2j, seed], np.complex64),
        "empty": np.zeros([0, 2], "f"), "layer/half": random.rand(3).astype(np.float16),
    }
    result = [tf1.get_variable(name, initializer=tf1.constant(v), dtype=v.dtype) for name, v in values.items()]
    text = tf1.constant([b"", b"text %d" % seed, b"\x00\xff" * 200])
    result.append(tf1.get_variable("string", initializer=text, dtype=tf.string))
    brain = tf1.cast(tf1.constant([1.5, float(seed)]), tf.bfloat16)
    result.append(tf1.get_variable("bfloat16", initializer=brain, dtype=tf.bfloat16))
    return result


def plain(values):
    return [np.asarray(v).tolist() for v in values]


def save_by(target, prefix, seed, **kw):
    """Saves the variables of `seed` in a session of `target`; returns their values."""
    with tf1.Graph().as_default():
        all_variables = variables(seed)
        saver = tf1.train.Saver(**kw)
        with tf1.Session(target) as session:
            session.run(tf1.global_variables_initializer())
            assert saver.save(session, prefix, write_meta_graph=False) == prefix
            return plain(session.run(all_variables))


def restore_by(target, prefix, **kw):
    with tf1.Graph().as_default():
        all_variables = variables(0)
        saver = tf1.train.Saver(**kw)
        with tf1.Session(target) as session:
            saver.restore(session, prefix)
            return plain(session.run(all_variables))


@case
def checkpoints_of_either_are_the_same():
    there, here = os.path.join(folder("there"), "model"), os.path.join(folder("here"), "model")
    values = save_by(TARGET, there, 3)
    assert save_by("", here, 3) == values
    for suffix in ".index", ".data-00000-of-00001":
        assert content(there + suffix) == content(here + suffix), suffix
    assert tf1.train.checkpoint_exists(there)
    assert restore_by("", there) == values
    save_by("", here, 4)
    assert restore_by(TARGET, here) == save_by("", there, 4)
    left = [f for f in os.listdir(os.path.dirname(there)) if "temp" in f]
    assert not left, left


@case
def sharded_checkpoints():
    prefix = os.path.join(folder("sharded"), "model")
    values = save_by(TARGET, prefix, 5, sharded=True)
    assert restore_by("", prefix, sharded=True) == values
    assert restore_by(TARGET, prefix, sharded=True) == values
    assert restore_by(TARGET, prefix) == values
    assert not glob.glob(prefix + "_temp*")


def partitioned(parts, value):
    with tf1.variable_scope("", partitioner=tf1.fixed_size_partitioner(parts)):
        return tf1.get_variable("matrix", initializer=tf1.constant(value))


@case
def partitioned_variables():
    prefix = os.path.join(folder("partitioned"), "model")
    matrix = np.arange(35, dtype="f").reshape(7, 5)
    with tf1.Graph().as_default():
        variable = partitioned(3, matrix)
        with tf1.Session(TARGET) as session:
            session.run(tf1.global_variables_initializer())
            tf1.train.Saver().save(session, prefix, write_meta_graph=False)
    assert (tf1.train.load_checkpoint(prefix).get_tensor("matrix") == matrix).all()
    for target in TARGET, "":
        for parts in 2, 3, 7:
            with tf1.Graph().as_default(), tf1.container(f"parts{parts}"):
                variable = partitioned(parts, np.zeros([7, 5], "f"))
                with tf1.Session(target) as session:
                    tf1.train.Saver().restore(session, prefix)
                    assert (session.run(tf1.convert_to_tensor(variable)) == matrix).all()
    with tf1.Graph().as_default():
        part = tf1.raw_ops.RestoreV2(prefix=prefix, tensor_names=["matrix"], shape_and_slices=["7 5 2,4:1,3"], dtypes=[tf.float32])
        with tf1.Session(TARGET) as session:
            assert (session.run(part[0]) == matrix[2:6, 1:4]).all()


@case
def checkpoints_of_the_older_format():
    prefix = os.path.join(folder("older"), "model")
    with tf1.Graph().as_default():
        v = tf1.get_variable("v", initializer=tf1.constant([1.0, 2.0]))
        saver = tf1.train.Saver(write_version=tf1.train.SaverDef.V1)
        with tf1.Session(TARGET) as session:
            session.run(v.initializer)
            saver.save(session, prefix, write_meta_graph=False)
            session.run(v.assign([0.0, 0.0]))
            saver.restore(session, prefix)
            assert session.run(v).tolist() == [1, 2]
        with tf1.Session() as local:
            saver.restore(local, prefix)
            assert local.run(v).tolist() == [1, 2]


@case
def what_cannot_be_restored():
    prefix = os.path.join(folder("damaged"), "model")
    save_by("", prefix, 6)

    def restore(session, name, dtype, of=prefix, slices=""):
        op = tf1.raw_ops.RestoreV2(prefix=of, tensor_names=[name], shape_and_slices=[slices], dtypes=[dtype])
        return session.run(op[0])

    with tf1.Graph().as_default(), tf1.Session(TARGET) as session:
        fails(tf.errors.NotFoundError, "Key nothing not found in checkpoint", lambda: restore(session, "nothing", tf.float32))
        fails(tf.errors.NotFoundError, "Failed to find any matching files for", lambda: restore(session, "x", tf.float32, "/none"))
        fails(tf.errors.InvalidArgumentError, "expected dtype int32 does not equal original dtype float", lambda: restore(session, "float", tf.int32))
        fails(tf.errors.InvalidArgumentError, "does not match the shape stored in checkpoint: [3,4]",
              lambda: restore(session, "float", tf.float32, slices="4 3 -:-"))
        data = prefix + ".data-00000-of-00001"
        whole = content(data)
        with open(data, "wb") as f:
            f.write(bytes(b ^ 1 for b in whole))
        fails(tf.errors.DataLossError, "", lambda: restore(session, "float", tf.float32))
        os.remove(data)
        fails(tf.errors.NotFoundError, "data-00000-of-00001", lambda: restore(session, "float", tf.float32))


def pixels(summary):
    """The summary with images decoded to pixels, since their encoding depends on zlib."""
    parsed = summary_pb2.Summary.FromString(summary)
    shown = []
    for value in parsed.value:
        if value.HasField("image"):
            png = tf1.image.decode_png(tf1.constant(value.image.encoded_image_string))
            with tf1.Session() as session:
                shown.append(session.run(png).tolist())
            value.image.encoded_image_string = b""
    return parsed, shown


@case
def summaries_are_those_of_stock():
    random = np.random.RandomState(7)
    image = random.rand(4, 5, 6, 3)
    image[1] -= 0.5
    image[2, 1, 1] = np.nan, np.inf, 0
    with tf1.Graph().as_default():
        tf1.summary.scalar("loss", tf1.constant(0.25, tf.float64))
        tf1.summary.histogram("weights", random.randn(100).astype("f"))
        tf1.summary.text("words", tf1.constant(["a", "b"]))
        tf1.summary.audio("sound", (random.rand(2, 50, 2) - 0.5).astype("f"), 8000.0)
        tf1.summary.tensor_summary("tensor", tf1.constant([[1, 2]]))
        for dtype in np.float32, np.float64, np.float16:
            for channels in 1, 3:
                tf1.summary.image(np.dtype(dtype).name, image[..., :channels].astype(dtype), max_outputs=4)
        tf1.summary.image("bytes", (random.rand(2, 5, 6, 4) * 255).astype(np.uint8), max_outputs=1)
        merged = tf1.summary.merge_all()
        with tf1.Session() as local, tf1.Session(TARGET) as session:
            expected, actual = pixels(local.run(merged)), pixels(session.run(merged))
        assert actual[0] == expected[0]
        assert len(expected[1]) == 25 and actual[1] == expected[1]


@case
def summary_writers_where_the_session_is():
    path = folder("writer")
    with tf1.Graph().as_default() as graph:
        step = tf1.placeholder(tf.int64, [])
        writer = tf.summary.create_file_writer(path, max_queue=2, flush_millis=1_000_000, filename_suffix=".suffix")
        with writer.as_default(step=step):
            written = tf.summary.write("tensor", tf1.constant([1.0, 2.0]), step=step)
            handle = writer._resource
        raw = tf1.raw_ops
        scalar = raw.WriteScalarSummary(writer=handle, step=step, tag="loss", value=1.5)
        histogram = raw.WriteHistogramSummary(writer=handle, step=step, tag="histogram", values=[1.0, 2.0])
        image = raw.WriteImageSummary(writer=handle, step=step, tag="image", tensor=np.zeros([1, 2, 2, 1], "f"),
                                      bad_color=tf1.constant([255, 0, 0, 255], tf.uint8))
        shown = raw.WriteGraphSummary(writer=handle, step=step, tensor=tf1.constant(graph.as_graph_def().SerializeToString()))
        with tf1.Session(TARGET) as session:
            fails(tf.errors.NotFoundError, "does not exist", lambda: session.run(scalar, {step: 0}))
            session.run(writer.init())
            for i in range(3):
                session.run([scalar, written], {step: i})
            session.run([histogram, image, shown], {step: 3})
            session.run(writer.flush())
            session.run(writer.close())
            fails(tf.errors.NotFoundError, "does not exist", lambda: session.run(scalar, {step: 0}))
    files = os.listdir(path)
    assert len(files) == 1 and files[0].startswith("events.out.tfevents.") and files[0].endswith(".suffix"), files
    events = list(tf1.train.summary_iterator(os.path.join(path, files[0])))
    assert events[0].file_version == "brain.Event:2", events[0]
    assert abs(events[1].wall_time - time.time()) < 3600
    assert sorted(e.step for e in events[1:]) == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    tags = sorted(v.tag for e in events for v in e.summary.value)
    assert tags == ["histogram", "image/image/0"] + ["loss"] * 3 + ["tensor"] * 3, tags
    assert sum(len(e.graph_def) > 0 for e in events) == 1


def train(path, steps):
    """Counts `steps` steps in a monitored session; returns the global step and a variable before and after."""
    with tf1.Graph().as_default():
        global_step = tf1.train.get_or_create_global_step()
        total = tf1.get_variable("sum", initializer=0.0)
        tf1.get_variable("local", initializer=1.0, collections=[tf1.GraphKeys.LOCAL_VARIABLES])
        with tf1.control_dependencies([total.assign_add(0.5)]):
            advance = tf1.assign_add(global_step, 1)
        tf1.summary.scalar("total", total)
        with tf1.train.MonitoredTrainingSession(
                master=TARGET, checkpoint_dir=path, save_checkpoint_steps=4, save_checkpoint_secs=None,
                save_summaries_steps=2, save_summaries_secs=None, log_step_count_steps=5,
                hooks=[tf1.train.StopAtStepHook(num_steps=steps)]) as session:
            first = session.run([global_step, total])
            while not session.should_stop():
                last = session.run([advance, total])[0]
        return first, last


@case
def monitored_training_goes_on_where_it_stopped():
    path = folder("monitored")
    assert train(path, 10) == ([0, 0.0], 10)
    tf1.Session.reset(TARGET)  # a restart loses the variables
    assert train(path, 5) == ([10, 5.0], 15)
    tf1.Session.reset(TARGET)
    assert tf1.train.latest_checkpoint(path).endswith("model.ckpt-15")
    reader = tf1.train.load_checkpoint(path)
    assert reader.get_tensor("sum") == 7.5 and reader.get_tensor("global_step") == 15
    tf1.summary.FileWriterCache.clear()  # closes the hooks' files
    events = [e for f in glob.glob(os.path.join(path, "events*")) for e in tf1.train.summary_iterator(f)]
    points = {e.step for e in events for v in e.summary.value if v.tag == "total"}
    assert len(points) >= 5, points
    saved = {e.step for e in events if e.session_log.status == tf1.SessionLog.CHECKPOINT}
    assert saved >= {0, 4, 8, 10, 14, 15}, saved


@case
def files():
    path = folder("files")
    with tf1.Graph().as_default():
        name = tf1.strings.join([path, "/new/a.txt"])
        write = tf1.write_file(name, tf1.strings.join(["con", "tent"]))
        read, found = tf1.read_file(name), tf1.matching_files([path + "/*/*.txt", path + "/none*"])
        with tf1.Session(TARGET) as session:
            fails(tf.errors.NotFoundError, "a.txt", lambda: session.run(read))
            session.run(write)
            assert session.run(read) == b"content"
            assert session.run(found).tolist() == [os.path.join(path, "new/a.txt").encode()]


@case
def assertions_and_prints():
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf.float32, [None])
        positive = tf1.Assert(tf1.reduce_all(x > 0), ["must be positive:", x], summarize=2)
        with tf1.control_dependencies([positive, tf.print("printed", x)]):
            y = tf1.Print(x * 2, [x], "shown: ")
        with tf1.Session(TARGET) as session:
            assert session.run(y, {x: [1, 2, 3]}).tolist() == [2, 4, 6]
            fails(tf.errors.InvalidArgumentError, "assertion failed: [must be positive:] [1 -2...]",
                  lambda: session.run(y, {x: [1, -2, 3]}))


def monitored_training_goes_on_after_a_restart():
    assert train(os.path.join(FOLDER, KIND, "monitored"), 3) == ([15, 7.5], 18)


# Variables outlive sessions, including those of an earlier client.
tf1.Session.reset(TARGET)
sys.exit(run(cases=[monitored_training_goes_on_after_a_restart] if RESTARTED else CASES))

"""Sessions whose tasks or clients fail."""

import contextlib
import threading
import time

import tensorflow as tf

from rows import in_body, row

tf1 = tf.compat.v1
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


@contextlib.contextmanager
def session_of(c, make, **config):
    """A session of a new graph, and the result of `make` in it."""
    settings = tf1.ConfigProto(**config)
    settings.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf1.Graph().as_default():
        made = make()
        session = tf1.Session(c.target, config=settings)
        try:
            yield session, made
        finally:
            with contextlib.suppress(tf.errors.OpError):
                session.close()


def sum_of_two_tasks():
    with tf1.device(PS):
        x = tf1.constant(1.0)
    with tf1.device(WORKER):
        return x + 1


def counter(device):
    with tf1.device(device):
        return tf1.get_variable("counter", initializer=0.0, use_resource=False)


def kernel_that_fails():
    with tf1.device(PS):
        bad = tf1.reshape(tf1.constant([1.0, 2.0]), tf1.placeholder_with_default([3], [1]), name="bad")
    with tf1.device(WORKER):
        return bad * 2


def dequeue():
    """A queue on the ps, and a step that waits for its elements."""
    with tf1.device(PS):
        queue = tf1.FIFOQueue(10, [tf.float32], [[]], shared_name="queue")
        began = tf1.get_variable("began", initializer=0.0, use_resource=False)
        with tf1.control_dependencies([tf1.assign_add(began, 1.0).op]):
            value = queue.dequeue()
    with tf1.device(WORKER):
        return queue, began, value + 1


def waiting(session, began, step, **options):
    """Starts a waiting step on a thread; returns a function that returns its outcome."""
    session.run(tf1.global_variables_initializer())
    results = []

    def run():
        try:
            results.append(session.run(step, **options))
        except tf.errors.OpError as e:
            results.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while session.run(began) == 0:
        time.sleep(0.05)

    def end():
        thread.join(120)
        if isinstance(results[0], Exception):
            raise results[0]
        return results[0]

    return end


# Stock at times names the task that waited for the result instead.
@row("INVALID_ARGUMENT", "From /job:ps/replica:0/task:0:", "{{node bad}}", stock=("INVALID_ARGUMENT", "{{node bad}}"))
def kernel_of_another_task_that_fails(c):
    with session_of(c, kernel_that_fails) as (session, bad):
        session.run(bad)


@row("DEADLINE_EXCEEDED")
def step_that_takes_longer_than_it_may(c):
    with session_of(c, dequeue) as (session, (queue, began, step)):
        waiting(session, began, step, options=tf1.RunOptions(timeout_in_ms=1500))()


@row("DEADLINE_EXCEEDED")
def step_that_takes_longer_than_its_session_allows(c):
    with session_of(c, dequeue, operation_timeout_in_ms=1500) as (session, (queue, began, step)):
        waiting(session, began, step)()


@row("OK")
def session_after_a_step_that_took_too_long(c):
    with session_of(c, dequeue) as (session, (queue, began, step)):
        try:
            waiting(session, began, step, options=tf1.RunOptions(timeout_in_ms=1500))()
        except tf.errors.DeadlineExceededError:
            pass
        session.run(queue.enqueue(5.0))
        assert session.run(step) == 6


@row("CANCELLED", "Session::Close")
def step_of_a_session_that_is_closed(c):
    with session_of(c, dequeue) as (session, (queue, began, step)):
        end = waiting(session, began, step)
        session.close()
        end()


@row("OK")
def step_whose_client_is_gone(c):
    """A cancelled step does not take the element it waited for."""
    with session_of(c, dequeue) as (session, (queue, began, step)):
        session.run(tf1.global_variables_initializer())
        graph = tf1.get_default_graph().as_graph_def()
        other = c.master.CreateSession(graph_def=graph).session_handle
        gone = c.master.RunStep.future(session_handle=other, fetch=[step.name])
        while session.run(began) == 0:
            time.sleep(0.05)
        gone.cancel()
        # The worker learns of it a moment later, so it may take one value, but no more.
        put, size = queue.enqueue(5.0), queue.size()
        for _ in range(3):
            session.run(put)
            time.sleep(1)
        assert session.run(size) >= 2
        c.master.CloseSession(session_handle=other)


@row("UNAVAILABLE", "/job:ps/replica:0/task:0")
def step_whose_task_is_down(c):
    with session_of(c, sum_of_two_tasks) as (session, step):
        assert session.run(step) == 2
        with c.without("ps:0"):
            session.run(step)


@row("UNAVAILABLE", "/job:ps/replica:0/task:0")
def step_whose_task_dies(c):
    with session_of(c, dequeue) as (session, (queue, began, step)):
        end = waiting(session, began, step)
        with c.without("ps:0"):
            end()


@row("OK")
def close_while_a_task_is_down(c):
    with session_of(c, sum_of_two_tasks) as (session, step):
        assert session.run(step) == 2
        with c.without("ps:0"):
            session.close()


# Headrace's master names the missing task a moment before the client times out.
@row("DEADLINE_EXCEEDED", "")
def session_while_a_task_is_down(c):
    with session_of(c, sum_of_two_tasks, operation_timeout_in_ms=3000) as (session, step), c.without("ps:0"):
        session.run(step)


@row("OK")
def session_without_the_task_that_is_down(c):
    filters = ["/job:worker"]
    with session_of(c, lambda: tf1.constant(3.0), device_filters=filters) as (session, step), c.without("ps:0"):
        assert session.run(step) == 3


@row("ABORTED", "/job:ps/replica:0/task:0", "restarted")
def step_whose_task_was_restarted(c):
    with session_of(c, sum_of_two_tasks) as (session, step):
        assert session.run(step) == 2
        c.restart("ps:0")
        for _ in range(2):
            # A connection may first have to discover that the server was replaced.
            try:
                session.run(step)
            except tf.errors.UnavailableError:
                pass
        session.run(step)


@row("FAILED_PRECONDITION", "Attempting to use uninitialized value counter")
def variable_of_a_task_that_was_restarted(c):
    with session_of(c, lambda: counter(PS)) as (session, v):
        session.run(v.initializer)
        assert session.run(v) == 0
    c.restart("ps:0")
    with session_of(c, lambda: counter(PS)) as (session, v):
        session.run(v)


@row("ABORTED", "Session ", " is not found.")
def step_whose_master_was_restarted(c):
    with session_of(c, lambda: counter(PS)) as (session, v):
        session.run(v.initializer)
        session.run(v.assign_add(3.0))
        c.restart("worker:0")
        with session_of(c, lambda: counter(PS)) as (later, kept):
            assert later.run(kept) == 3
        session.run(v)

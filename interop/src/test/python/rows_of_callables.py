"""The statuses of partial runs and of callables."""

import tensorflow as tf

from raw_sessions import fed, opened, step
from rows import ASKED_FOR_TROUBLE, row


# Partial runs.


def parts(c, **setup):
    session = opened(c)
    handle = c.master.PartialRunSetup(session_handle=session, **setup).partial_run_handle
    return lambda **request: step(c, session, partial_run_handle=handle, **request)


@row("INVALID_ARGUMENT", "Must run PartialRunSetup before performing partial runs")
def part_of_no_run(c):
    step(c, partial_run_handle="nobody", fetch=["y:0"])


@row("INVALID_ARGUMENT", "Must specify at least one target to fetch or execute.")
def parts_for_nothing(c):
    parts(c, feed=["p:0"])


@row("INVALID_ARGUMENT", "The feed q:0 was not specified in partial_run_setup.")
def part_with_another_feed(c):
    parts(c, feed=["p:0"], fetch=["y:0"])(feed=[fed("q:0", [1, 2])])


@row("INVALID_ARGUMENT", "The feed p:0 has already been fed.")
def part_with_a_feed_of_before(c):
    part = parts(c, feed=["p:0", "q:0"], fetch=["y:0", "z:0"])
    part(feed=[fed("p:0", 1)], fetch=["y:0"])
    part(feed=[fed("p:0", 1)])


@row("INVALID_ARGUMENT", "The fetch two:0 was not specified in partial_run_setup.")
def part_with_another_fetch(c):
    parts(c, feed=["p:0"], fetch=["y:0"])(feed=[fed("p:0", 1)], fetch=["two:0"])


@row("INVALID_ARGUMENT", "The fetch y:0 has already been fetched.")
def part_with_a_fetch_of_before(c):
    part = parts(c, feed=["p:0", "q:0"], fetch=["y:0", "z:0"])
    part(feed=[fed("p:0", 1)], fetch=["y:0"])
    part(fetch=["y:0"])


@row("INVALID_ARGUMENT", "can't be computed from the feeds that have been fed so far.")
def part_that_comes_too_early(c):
    parts(c, feed=["p:0", "q:0"], fetch=["y:0", "z:0"])(feed=[fed("q:0", [1, 2])], fetch=["y:0"])


@row("INVALID_ARGUMENT", "Must run PartialRunSetup before performing partial runs")
def part_after_the_last(c):
    part = parts(c, feed=["p:0"], fetch=["y:0"])
    part(feed=[fed("p:0", 1)], fetch=["y:0"])
    part(fetch=["y:0"])


# Callables.


def made(c, **options):
    session = opened(c)
    handle = c.master.MakeCallable(session_handle=session, options=options).handle
    return session, handle


@row("OK")
def callable_in_order(c):
    connection = dict(from_tensor="two:0", to_tensor="q:0")
    session, handle = made(c, feed=["p:0"], fetch=["z:0", "y:0"], tensor_connection=[connection])
    assert handle == 0
    result = c.master.RunCallable(session_handle=session, handle=0, feed=[tf.make_tensor_proto(3.0)])
    assert [tf.make_ndarray(t) for t in result.fetch] == [8, 6]
    for _ in range(2):
        c.master.ReleaseCallable(session_handle=session, handle=0)
    c.master.ReleaseCallable(session_handle=session, handle=99)


@row("INVALID_ARGUMENT", "No such callable handle: 99")
def callable_that_there_is_not(c):
    session, _ = made(c, fetch=["two:0"])
    c.master.RunCallable(session_handle=session, handle=99)


@row("INVALID_ARGUMENT", "Attempted to run callable after handle was released: 0")
def callable_that_was_released(c):
    session, handle = made(c, fetch=["two:0"])
    c.master.ReleaseCallable(session_handle=session, handle=handle)
    c.master.RunCallable(session_handle=session, handle=handle)


@row("INVALID_ARGUMENT", "Expected 1 feed tensors, but got 0", stock=ASKED_FOR_TROUBLE)
def callable_that_is_fed_too_little(c):
    session, handle = made(c, feed=["p:0"], fetch=["y:0"])
    c.master.RunCallable(session_handle=session, handle=handle)


# Stock drops the second feed; its in-process sessions do not.
@row("INVALID_ARGUMENT", "Expected 1 feed tensors, but got 2", stock=("OK",))
def callable_that_is_fed_too_much(c):
    session, handle = made(c, feed=["p:0"], fetch=["y:0"])
    c.master.RunCallable(session_handle=session, handle=handle, feed=[tf.make_tensor_proto(3.0)] * 2)


@row("UNIMPLEMENTED", "device")
def callable_with_devices(c):
    made(c, fetch=["two:0"], fetch_devices={"two:0": "/job:worker/replica:0/task:0/device:CPU:0"})


@row("INVALID_ARGUMENT", 'between nodes "p" and "y" would create a cycle')
def callable_of_a_circle(c):
    made(c, fetch=["y:0"], tensor_connection=[dict(from_tensor="y:0", to_tensor="p:0")])


@row("INVALID_ARGUMENT", "placeholder tensor 'p'")
def callable_that_fails(c):
    session, handle = made(c, fetch=["y:0"])
    c.master.RunCallable(session_handle=session, handle=handle)


@row("OK")
def callable_that_is_traced(c):
    traced = dict(trace_level="FULL_TRACE")
    session, handle = made(c, fetch=["two:0"], run_options=traced)
    stats = c.master.RunCallable(session_handle=session, handle=handle).metadata.step_stats
    assert [device.device for device in stats.dev_stats if device.node_stats], stats


WAITS = """
node { name: "queue" op: "FIFOQueueV2" attr { key: "component_types" value { list { type: DT_FLOAT } } } }
node { name: "never" op: "QueueDequeueV2" input: "queue"
  attr { key: "component_types" value { list { type: DT_FLOAT } } } }
"""


# Stock keeps waiting, since its own clients time out themselves.
@row("DEADLINE_EXCEEDED", "Operation timed out.", stock=ASKED_FOR_TROUBLE)
def callable_that_takes_too_long(c):
    session = opened(c, WAITS)
    options = dict(fetch=["never:0"], run_options=dict(timeout_in_ms=200))
    handle = c.master.MakeCallable(session_handle=session, options=options).handle
    c.master.RunCallable(session_handle=session, handle=handle)

package io.headrace.cluster.master;

import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.time.Ticker;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * The environment of a master in its process: ops, randomness, time and threads.
 *
 * @param ops the op registry for graphs
 * @param random generates unguessable numbers
 * @param ticker measures how long sessions are idle
 * @param timer schedules the timeouts of steps
 * @param threads runs tasks that block, each on a thread of its own
 */
public record MasterHost(
    OpRegistry ops,
    LongSupplier random,
    Ticker ticker,
    ScheduledExecutorService timer,
    Executor threads) {}

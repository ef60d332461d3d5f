package io.headrace.cluster.master;

import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.time.Ticker;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * What the process around a master gives it.
 *
 * @param ops the ops that graphs may have
 * @param random gives numbers that nobody guesses
 * @param ticker measures how long sessions are unused
 * @param timer ends steps that take too long
 * @param threads has a thread for each task that waits
 */
public record MasterHost(
    OpRegistry ops,
    LongSupplier random,
    Ticker ticker,
    ScheduledExecutorService timer,
    Executor threads) {}

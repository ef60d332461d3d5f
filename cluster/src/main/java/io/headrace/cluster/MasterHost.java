package io.headrace.cluster;

import io.headrace.runtime.op.OpRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * What the process around a master gives it.
 *
 * @param ops the ops that graphs may have
 * @param random gives numbers that nobody guesses
 * @param timer ends steps that take too long
 * @param threads has a thread for each task that waits
 */
record MasterHost(
    OpRegistry ops, LongSupplier random, ScheduledExecutorService timer, Executor threads) {}

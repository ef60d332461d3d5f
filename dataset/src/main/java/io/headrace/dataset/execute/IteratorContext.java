package io.headrace.dataset.execute;

import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.time.Ticker;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;

/**
 * What surrounds one pass over a dataset.
 *
 * @param step device, resources and cancellation of the functions that run in it
 * @param ticker measures how long rows take
 * @param random seeds what the pipeline leaves unseeded; used by one thread at a time
 * @param threads runs the work of parallel and prefetching transformations; its tasks may block
 * @param parallelism how many rows AUTOTUNE may have in the making at once, at least 1
 * @param bufferBytes bound on the bytes that AUTOTUNE buffers of this pass may hold together
 */
public record IteratorContext(
    StepContext step,
    Ticker ticker,
    RandomGenerator random,
    ExecutorService threads,
    int parallelism,
    long bufferBytes) {}

package io.headrace.worker;

import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * The services that a worker's streams of snapshots share.
 *
 * @param host the worker's environment in its process
 * @param dispatcher the worker's dispatcher
 * @param address the worker's address
 * @param threads run the parallel work of transformations, which may block
 * @param maxChunkBytes the size of a chunk beyond which another begins
 * @param onEnd called when a stream has ended
 */
record SnapshotEnvironment(
    WorkerHost host,
    DispatcherStub dispatcher,
    Supplier<String> address,
    ExecutorService threads,
    long maxChunkBytes,
    Runnable onEnd) {}

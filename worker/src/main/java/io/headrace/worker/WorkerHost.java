package io.headrace.worker;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.rpc.ReceiveBudget;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.security.SecureRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the process around a {@link WorkerServer} gives it.
 *
 * @param device where datasets and their functions run
 * @param ops the ops that a dataset may use
 * @param ticker measures time
 * @param random seeds what a dataset leaves unseeded; thread-safe
 * @param receiveBudget bounds the bytes being received; servers of a process may share it
 * @param bufferBytes what the AUTOTUNE buffers of one task may hold together
 * @param timeouts those of the server that the worker makes for itself
 * @param devices makes, for a task, the devices that parts of its functions can be pinned to
 */
public record WorkerHost(
    Device device,
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    long bufferBytes,
    Timeouts timeouts,
    Supplier<RemoteDevices> devices) {
  /**
   * A process of its own: its CPU, every op on its class path, an eighth of its heap to buffers.
   */
  public static WorkerHost ofProcess() {
    return new WorkerHost(
        Device.HOST,
        OpRegistry.standard(),
        SystemTicker.INSTANCE,
        new SecureRandom(),
        ReceiveBudget.ofQuarterHeap(),
        Runtime.getRuntime().maxMemory() / 8,
        Timeouts.DEFAULT,
        RemoteDevices::none);
  }

  /** What a server is given that shares the process with the worker. */
  public ServerHost server() {
    ServerHost process = ServerHost.ofProcess();
    return new ServerHost(ops, ticker, random, receiveBudget, process.kernelThreads(), timeouts);
  }

  /** The same on the first device of {@code server}, and with those of its cluster. */
  WorkerHost on(Server server) {
    return new WorkerHost(
        server.devices().getFirst(),
        ops,
        ticker,
        random,
        receiveBudget,
        bufferBytes,
        timeouts,
        server::remoteDevices);
  }

  /** The same with another bound on what the AUTOTUNE buffers of one task may hold together. */
  public WorkerHost withBufferBytes(long bytes) {
    return new WorkerHost(device, ops, ticker, random, receiveBudget, bytes, timeouts, devices);
  }

  /** The same with another bound on the bytes being received. */
  public WorkerHost withReceiveBudget(ReceiveBudget budget) {
    return new WorkerHost(device, ops, ticker, random, budget, bufferBytes, timeouts, devices);
  }

  /** The same with other timeouts of the server that the worker makes for itself. */
  public WorkerHost withTimeouts(Timeouts others) {
    return new WorkerHost(device, ops, ticker, random, receiveBudget, bufferBytes, others, devices);
  }
}

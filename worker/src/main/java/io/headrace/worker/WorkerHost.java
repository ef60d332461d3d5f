package io.headrace.worker;

import io.headrace.cluster.Server;
import io.headrace.cluster.ServerHost;
import io.headrace.cluster.ServerHost.Timeouts;
import io.headrace.rpc.ReceiveBudget;
import io.headrace.rpc.inspect.Inspection;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.execute.Accelerator;
import io.headrace.runtime.execute.AcceleratorDevices;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The environment of a {@link WorkerServer} in its process: device, ops, time, randomness and
 * limits.
 *
 * @param device the device on which datasets and their functions run
 * @param ops the op registry for datasets
 * @param ticker measures time
 * @param random seeds random ops without a seed; thread-safe
 * @param receiveBudget bounds the bytes of requests in receipt; servers of a process may share it
 * @param bufferBytes the bound on the total of a task's AUTOTUNE buffers
 * @param timeouts the timeouts of the worker's own server
 * @param devices makes, for a task, the devices to which nodes of its functions can be pinned
 * @param accelerators the GPUs of the process to which nodes of functions can be pinned; they stay
 *     the caller's
 * @param inspection gRPC's services for looking into the process
 */
public record WorkerHost(
    Device device,
    OpRegistry ops,
    Ticker ticker,
    RandomGenerator random,
    ReceiveBudget receiveBudget,
    long bufferBytes,
    Timeouts timeouts,
    Supplier<RemoteDevices> devices,
    List<Accelerator> accelerators,
    Inspection inspection) {
  /** Copies the list. */
  public WorkerHost {
    accelerators = List.copyOf(accelerators);
  }

  /**
   * The defaults for a process: its CPU, every op on its class path, an eighth of the heap for the
   * buffers of a task.
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
        RemoteDevices::none,
        List.of(),
        Inspection.NONE);
  }

  /** The environment of a server in the same process. */
  public ServerHost server() {
    ServerHost process = ServerHost.ofProcess();
    return new ServerHost(
        ops,
        ticker,
        random,
        receiveBudget,
        process.kernelThreads(),
        timeouts,
        process.accelerators());
  }

  /** A copy with the first device of {@code server}, and with the devices of its cluster. */
  WorkerHost on(Server server) {
    return with(fields -> {
      fields.device = server.devices().getFirst();
      fields.devices = server::remoteDevices;
    });
  }

  /** A copy with another bound on a task's AUTOTUNE buffers. */
  public WorkerHost withBufferBytes(long bytes) {
    return with(fields -> fields.bufferBytes = bytes);
  }

  /** A copy with another receive budget. */
  public WorkerHost withReceiveBudget(ReceiveBudget budget) {
    return with(fields -> fields.receiveBudget = budget);
  }

  /** A copy with other timeouts of the worker's own server. */
  public WorkerHost withTimeouts(Timeouts others) {
    return with(fields -> fields.timeouts = others);
  }

  /** A copy with other services for looking into the process. */
  public WorkerHost withInspection(Inspection others) {
    return with(fields -> fields.inspection = others);
  }

  /** A copy with GPUs, which stay the caller's. */
  public WorkerHost withAccelerators(List<Accelerator> others) {
    return with(fields -> fields.accelerators = others);
  }

  /**
   * All devices to which nodes of a task's functions can be pinned: the process's own, and those of
   * its cluster. The caller closes them.
   */
  RemoteDevices pinnable() {
    return accelerators.isEmpty()
        ? devices.get()
        : new AcceleratorDevices(device, accelerators, ops, devices.get());
  }

  private WorkerHost with(Consumer<Fields> change) {
    Fields fields = new Fields(this);
    change.accept(fields);
    return fields.build();
  }

  /** The components of a copy. */
  private static final class Fields {
    private Device device;
    private final OpRegistry ops;
    private final Ticker ticker;
    private final RandomGenerator random;
    private ReceiveBudget receiveBudget;
    private long bufferBytes;
    private Timeouts timeouts;
    private Supplier<RemoteDevices> devices;
    private List<Accelerator> accelerators;
    private Inspection inspection;

    Fields(WorkerHost from) {
      device = from.device;
      ops = from.ops;
      ticker = from.ticker;
      random = from.random;
      receiveBudget = from.receiveBudget;
      bufferBytes = from.bufferBytes;
      timeouts = from.timeouts;
      devices = from.devices;
      accelerators = from.accelerators;
      inspection = from.inspection;
    }

    WorkerHost build() {
      return new WorkerHost(
          device,
          ops,
          ticker,
          random,
          receiveBudget,
          bufferBytes,
          timeouts,
          devices,
          accelerators,
          inspection);
    }
  }
}

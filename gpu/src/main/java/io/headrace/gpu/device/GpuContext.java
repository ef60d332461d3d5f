package io.headrace.gpu.device;

import static java.util.Objects.requireNonNull;

import io.headrace.gpu.cuda.CudaDevice;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.runtime.device.Cleanup;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All that is on a device from its opening, or from the loss before, to its next loss: memory,
 * streams, kernels and copies. When the device is lost, all of it is, and its buffers, kernels and
 * futures fail with UNAVAILABLE; {@link GpuDevice#context} has the next context then.
 *
 * <p>Used from platform threads only. Thread-safe.
 */
public final class GpuContext {
  /** How long closing waits for work on the device. */
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(30);

  private final ContextState state;
  private final CudaDriver driver;
  private final GpuEvents events = new GpuEvents();
  private final CompletionPoller poller;
  private final Map<StreamRole, GpuStream> streams = new EnumMap<>(StreamRole.class);
  private final DeviceMemoryPool pool;
  private final ModuleCache modules;
  private final PinnedRing in;
  private final PinnedRing out;
  private final PinnedBlocks blocks;
  private final TensorCopies copies;
  private final ProductLibrary products;

  private GpuContext(
      ContextState state,
      CudaDriver driver,
      ContextSizes sizes,
      PinnedBudget budget,
      long limit,
      GpuOptions options,
      int capabilityMajor) {
    this.state = state;
    this.driver = driver;
    poller = new CompletionPoller(state);
    createStreams();
    pool = new DeviceMemoryPool(state, poller, limit, options.allowGrowth(), budget.collector());
    modules = new ModuleCache(state, poller, sizes.modules());
    in = new PinnedRing(state, sizes.slots(), sizes.slotBytes());
    out = new PinnedRing(state, sizes.slots(), sizes.slotBytes());
    blocks = new PinnedBlocks(state, budget);
    copies =
        new TensorCopies(
            state,
            stream(StreamRole.TO_DEVICE),
            stream(StreamRole.TO_HOST),
            in,
            out,
            blocks,
            sizes.leastBlockBytes(),
            pool);
    products =
        new ProductLibrary(
            state, options.cublas(), capabilityMajor, limit, stream(StreamRole.COMPUTE));
  }

  /**
   * A context with its streams and, unless it grows, all its memory.
   *
   * @param name names the device in errors
   * @param handle the driver's primary context, retained by the caller
   * @param budget the pinned memory for results, shared with the device's lost contexts
   * @throws StatusException if the driver refuses something, and then nothing is left of it
   */
  static GpuContext open(
      CudaDriver driver,
      CudaDevice device,
      String name,
      long handle,
      ContextSizes sizes,
      PinnedBudget budget,
      long limit,
      GpuOptions options) {
    ContextState state = new ContextState(driver, name, handle);
    GpuContext context =
        new GpuContext(state, driver, sizes, budget, limit, options, device.capabilityMajor());
    if (!options.allowGrowth()) {
      try {
        context.pool.reserveAll();
      } catch (StatusException e) {
        Cleanup.run(context.freeing());
        throw e;
      }
    }
    return context;
  }

  private void createStreams() {
    try {
      for (StreamRole role : StreamRole.values()) {
        GpuStream stream = new GpuStream(state, events, poller, role, state.enter().streamCreate());
        streams.put(role, stream);
        poller.addStream(stream);
      }
    } catch (CudaException e) {
      StatusException failure = state.failure(e);
      if (failure.code() != StatusCode.UNAVAILABLE) {
        streams.values().forEach(stream -> stream.destroy(driver));
      }
      throw failure;
    }
  }

  /** The stream for one kind of work. */
  public GpuStream stream(StreamRole role) {
    return requireNonNull(streams.get(role));
  }

  /**
   * Memory with undefined content, which the caller holds and closes.
   *
   * @param owner names the node or op that it is for, in the table of who holds what
   * @param user the stream that probably uses it first
   * @param wait bounds a wait for memory that is still in use by work on its way
   * @throws StatusException RESOURCE_EXHAUSTED, with that table, if there is not enough; the device
   *     goes on
   */
  public DeviceBuffer allocate(long bytes, String owner, StreamRole user, HostWait wait) {
    return pool.allocate(bytes, owner, stream(user), wait);
  }

  /** Copies to and from the host. */
  public TensorCopies copies() {
    return copies;
  }

  /** The kernels. */
  public ModuleCache modules() {
    return modules;
  }

  /** NVIDIA's products of matrices, where the machine has them. */
  public ProductLibrary products() {
    return products;
  }

  /** The figures of the memory. */
  public DeviceMemoryStatistics memory() {
    return pool.statistics();
  }

  /** Waits for all work that is on the streams now. */
  public void synchronize(HostWait wait) {
    List<CompletableFuture<Void>> work = new ArrayList<>();
    streams.values().forEach(stream -> work.add(stream.completion()));
    work.forEach(done -> wait.await(done, "the work on " + state.device()));
  }

  DeviceMemoryPool pool() {
    return pool;
  }

  ContextState state() {
    return state;
  }

  PinnedBlocks blocks() {
    return blocks;
  }

  PinnedRing ring(StreamRole direction) {
    return direction == StreamRole.TO_DEVICE ? in : out;
  }

  /** Why the context has ended; null while it works. */
  @Nullable StatusException end() {
    return state.end();
  }

  /** Waits for the work, a bounded time, and frees everything; the handle is the caller's. */
  void close() {
    List<Runnable> steps = new ArrayList<>();
    steps.add(() -> synchronize(new HostWait(CLOSE_WAIT, new Cancellation())));
    steps.add(() ->
        state.finish(
            new StatusException(StatusCode.FAILED_PRECONDITION, state.device() + " is closed")));
    steps.addAll(freeing());
    Cleanup.run(steps);
  }

  /** The steps that free everything. */
  private List<Runnable> freeing() {
    List<Runnable> steps = new ArrayList<>();
    steps.add(state::makeCurrent);
    steps.add(() -> locked(() -> modules.destroy(driver)));
    steps.add(() -> locked(() -> products.destroy(driver)));
    steps.add(() -> copies.freeSlots(() -> freeSlots(driver)));
    steps.add(() -> locked(() -> pool.destroy(driver)));
    steps.add(
        () -> locked(() -> Cleanup.forEach(streams.values(), stream -> stream.destroy(driver))));
    steps.add(() -> locked(() -> events.destroy(driver)));
    return steps;
  }

  /** Frees the pinned memory of a lost context, in a context that works: it may still exist. */
  void freeSlots(CudaDriver current) {
    Cleanup.run(
        List.of(
            () -> blocks.destroy(current), () -> in.destroy(current), () -> out.destroy(current)));
  }

  private void locked(Runnable step) {
    synchronized (state.lock) {
      step.run();
    }
  }
}

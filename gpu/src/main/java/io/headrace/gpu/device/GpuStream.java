package io.headrace.gpu.device;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.cuda.KernelArguments;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A stream of a context: work runs on the device in the order in which it is appended. Work names
 * the buffers that it reads and writes, and the stream lets the device wait for what other streams
 * still do with them; the host never waits here. Thread-safe.
 */
public final class GpuStream {
  /*
   * The stream numbers its work. An event is recorded where somebody may have to wait, behind the
   * work that is the last one then; `recorded` has those that are not known to be done, in order,
   * and `finished` is the number of the last work that is. To wait for work n of a stream, another
   * one waits for the first event at n or behind it.
   *
   * A buffer that is closed behind the stream's last work asks for an event there (`wanted`), which
   * is recorded when more work comes: whoever gets its memory waits for that event, and not for the
   * later work.
   */
  private static final int MANY_RECORDED = 8;

  private final ContextState state;
  private final GpuEvents events;
  private final CompletionPoller poller;
  private final StreamRole role;
  private final long handle;

  private final ArrayDeque<GpuEvent> recorded = new ArrayDeque<>();

  /** For each other stream, up to which of its work this one's later work waits. */
  private final StreamUses joined = new StreamUses();

  private long position;

  private long finished;

  private boolean wanted;

  GpuStream(
      ContextState state, GpuEvents events, CompletionPoller poller, StreamRole role, long handle) {
    this.state = state;
    this.events = events;
    this.poller = poller;
    this.role = role;
    this.handle = handle;
  }

  /** The driver's handle of it. */
  long handle() {
    return handle;
  }

  /** The kind of work that it is for. */
  public StreamRole role() {
    return role;
  }

  /**
   * Appends work.
   *
   * @param reads the buffers that the work reads
   * @param writes the buffers that it writes, or reads and writes
   * @throws io.headrace.runtime.status.StatusException if a buffer's device was lost, or the driver
   *     refuses the work
   */
  public void enqueue(List<DeviceBuffer> reads, List<DeviceBuffer> writes, EnqueuedWork work) {
    synchronized (state.lock) {
      CudaDriver driver = state.enter();
      reads.forEach(buffer -> buffer.checkUsable(state));
      writes.forEach(buffer -> buffer.checkUsable(state));
      try {
        prepare(driver, reads, writes);
        work.enqueue(driver, handle);
      } catch (CudaException e) {
        throw state.failure(e);
      }
    }
  }

  /** Appends a kernel; the arguments are copied. */
  public void launch(
      KernelFunction kernel,
      LaunchSize size,
      KernelArguments arguments,
      List<DeviceBuffer> reads,
      List<DeviceBuffer> writes) {
    synchronized (state.lock) {
      enqueue(
          reads,
          writes,
          (driver, stream) ->
              driver.launchKernel(
                  kernel.handle(),
                  size.gridX(),
                  size.gridY(),
                  size.gridZ(),
                  size.blockX(),
                  size.blockY(),
                  size.blockZ(),
                  size.sharedBytes(),
                  stream,
                  arguments));
      kernel.uses().add(role, position);
    }
  }

  /** Appends a copy of {@code bytes} bytes from the start of one buffer to that of another. */
  public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
    if (bytes == 0) {
      return;
    }
    enqueue(
        List.of(from),
        List.of(to),
        (driver, stream) -> {
          if (bytes < 0 || bytes > Math.min(from.bytes(), to.bytes())) {
            throw new IllegalArgumentException(
                "a copy of %d bytes from %s to %s".formatted(bytes, from, to));
          }
          driver.memcpyDtoDAsync(to.address(), from.address(), bytes, stream);
        });
  }

  /**
   * Completes when the work so far is done; fails if the device is lost before. Its dependents run
   * on the device's poller and must be short.
   */
  public CompletableFuture<Void> completion() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    long last;
    synchronized (state.lock) {
      CudaDriver driver = state.enter();
      try {
        recordTail(driver);
      } catch (CudaException e) {
        throw state.failure(e);
      }
      last = position;
    }
    poller.add(new CompletionPoller.Waiter(this, last, done));
    return done;
  }

  /** Waits on this thread for the work so far: for callers that can't ask for its completion. */
  void drain() {
    try {
      state.enter().streamSynchronize(handle);
    } catch (CudaException e) {
      throw state.failure(e);
    }
  }

  /** Numbers the work that comes, and lets it wait for the work of others on its buffers. */
  private void prepare(CudaDriver driver, List<DeviceBuffer> reads, List<DeviceBuffer> writes) {
    if (wanted) {
      recordTail(driver);
    }
    for (DeviceBuffer buffer : reads) {
      waitFor(driver, buffer.writes());
    }
    for (DeviceBuffer buffer : writes) {
      waitFor(driver, buffer.uses());
    }
    position++;
    // Before the work is there, so that the buffers stay safe where only half of it gets there.
    for (DeviceBuffer buffer : reads) {
      buffer.uses().add(role, position);
    }
    for (DeviceBuffer buffer : writes) {
      buffer.uses().replace(role, position);
      buffer.writes().replace(role, position);
    }
  }

  private void waitFor(CudaDriver driver, StreamUses uses) {
    for (GpuStream other : poller.streams()) {
      if (!isBehind(other, uses)) {
        GpuEvent event = other.eventAt(driver, uses.of(other.role));
        driver.streamWaitEvent(handle, event.handle());
        joined.add(other.role, event.position());
      }
    }
  }

  /** Whether later work of this stream comes behind {@code uses} without more waits. */
  boolean isBehind(StreamUses uses) {
    return poller.streams().stream().allMatch(other -> isBehind(other, uses));
  }

  private boolean isBehind(GpuStream other, StreamUses uses) {
    long use = uses.of(other.role);
    return other == this || use <= other.finished || use <= joined.of(other.role);
  }

  /** The first event behind work {@code use}, which is not finished; recorded now if none is. */
  private GpuEvent eventAt(CudaDriver driver, long use) {
    for (GpuEvent event : recorded) {
      if (event.position() >= use) {
        return event;
      }
    }
    return recordTail(driver);
  }

  private GpuEvent recordTail(CudaDriver driver) {
    wanted = false;
    GpuEvent last = recorded.peekLast();
    if (last != null && last.position() == position) {
      return last;
    }
    if (recorded.size() >= MANY_RECORDED) {
      reap(driver);
    }
    GpuEvent event = new GpuEvent(events.take(driver), position);
    try {
      driver.eventRecord(event.handle(), handle);
    } catch (CudaException e) {
      events.give(event.handle());
      throw e;
    }
    recorded.add(event);
    return event;
  }

  /** Asks the driver which work is finished. */
  void reap(CudaDriver driver) {
    GpuEvent first = recorded.peek();
    while (first != null && driver.eventQuery(first.handle())) {
      finished = Math.max(finished, first.position());
      events.give(first.handle());
      recorded.remove();
      first = recorded.peek();
    }
  }

  /** Whether work {@code use} is known to be finished. */
  boolean isFinished(long use) {
    return use <= finished;
  }

  /** Memory whose last use is {@code use} was freed: an event is due there. */
  void wantEventAt(long use) {
    if (use == position && use > finished) {
      wanted = true;
    }
  }

  /** Destroys the stream and its events; its work is over, or lost with the context. */
  void destroy(CudaDriver driver) {
    while (!recorded.isEmpty()) {
      events.give(recorded.pop().handle());
    }
    driver.streamDestroy(handle);
  }
}

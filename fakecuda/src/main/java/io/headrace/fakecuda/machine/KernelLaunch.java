package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.machine.GpuFault.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One launch of a kernel. Its threads run interleaved in an order that {@code seed} decides: some
 * blocks at a time, and a thread for some instructions at a time, down to one.
 *
 * @param dynamicSharedBytes shared memory of each block behind the kernel's own
 * @param arguments the values of the parameters, laid out as the kernel says
 * @param operation the number of this launch among the operations of the device, above 0
 * @param maxSteps the instructions that all threads may execute together
 */
@SuppressWarnings("ArrayRecordComponent") // a launch is run, and never compared
public record KernelLaunch(
    GpuKernel kernel,
    Dimensions grid,
    Dimensions block,
    int dynamicSharedBytes,
    byte[] arguments,
    int operation,
    long seed,
    long maxSteps) {
  /** The threads of a block, at most. */
  public static final int MAX_BLOCK = 1024;

  /** A bound of steps that ends an endless loop within a minute. */
  public static final long MANY_STEPS = 2_000_000_000L;

  private static final int MAX_RESIDENT_BLOCKS = 8;
  private static final int MAX_LOG_QUANTUM = 12;

  /** Checks the sizes against the device and the kernel. */
  public KernelLaunch {
    if (block.count() > MAX_BLOCK) {
      throw new IllegalArgumentException(
          "a block has at most %d threads, not %d".formatted(MAX_BLOCK, block.count()));
    }
    if (arguments.length != kernel.argumentBytes()) {
      throw new IllegalArgumentException(
          "the arguments of %s have %d bytes, not %d"
              .formatted(kernel.name(), kernel.argumentBytes(), arguments.length));
    }
    kernel.checkBlock(block);
  }

  /**
   * Runs the kernel.
   *
   * @return the instructions that all threads executed together
   * @throws GpuFault at the first error, with its place
   */
  public long run() {
    return run(null);
  }

  /**
   * Runs the kernel.
   *
   * @param traffic counts its use of global memory; null if nobody asks
   */
  public long run(@Nullable MemoryTraffic traffic) {
    Random random = new Random(seed);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < grid.count(); i++) {
      order.add(i);
    }
    Collections.shuffle(order, random);
    int maxResident = 1 + random.nextInt(MAX_RESIDENT_BLOCKS);
    int maxQuantum = 1 << random.nextInt(MAX_LOG_QUANTUM);
    List<GpuBlock> resident = new ArrayList<>();
    long steps = 0;
    int started = 0;
    while (started < order.size() || !resident.isEmpty()) {
      if (started < order.size() && resident.size() < maxResident) {
        resident.add(new GpuBlock(this, kernel.code(), order.get(started++), traffic));
        continue;
      }
      GpuBlock next = resident.get(random.nextInt(resident.size()));
      GpuThread thread = next.runnable().get(random.nextInt(next.runnable().size()));
      steps += run(thread, 1 + random.nextInt(maxQuantum));
      if (steps > maxSteps) {
        throw new GpuFault(
            Kind.TIMEOUT, "%s has executed %d instructions".formatted(kernel.name(), steps));
      }
      if (next.isDone()) {
        resident.remove(next);
      }
    }
    return steps;
  }

  /** Runs a thread until it stops, for {@code quantum} instructions at most. */
  private int run(GpuThread thread, int quantum) {
    List<KernelStep> steps = thread.code.steps();
    int at = thread.pc;
    try {
      for (int done = 1; done <= quantum; done++) {
        at = thread.pc;
        int next = steps.get(at).run(thread);
        if (next < 0) {
          thread.hasExited = next == KernelStep.EXIT;
          thread.block.onStop(thread);
          return done;
        }
        thread.pc = next;
      }
      return quantum;
    } catch (GpuFault fault) {
      throw fault.at(
          "%s, %s, block (%d,%d,%d) thread (%d,%d,%d)"
              .formatted(
                  kernel.name(),
                  thread.code.places().get(at),
                  thread.block.x,
                  thread.block.y,
                  thread.block.z,
                  thread.x,
                  thread.y,
                  thread.z));
    }
  }
}

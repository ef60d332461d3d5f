package io.headrace.gpu.check;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.kernels.KernelSoak;
import io.headrace.runtime.time.SystemTicker;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Random cases from several threads for a while; in the end no memory is in use. */
final class SoakPart {
  private static final int THREADS = 4;

  /** How often the collector is asked for tensors that nobody refers to, a pause each. */
  private static final int MAX_COLLECTIONS = 100;

  private static final long PAUSE_MILLIS = 50;

  private SoakPart() {}

  static void run(CheckedMachine machine, CheckPoints points) {
    try (GpuDevice device = machine.open()) {
      points.check("the results are the CPU's", () -> soak(device, machine.scale()));
      points.check("no memory is left in use", () -> drain(device));
    }
  }

  private static String soak(GpuDevice device, CheckScale scale) {
    long end = SystemTicker.INSTANCE.nanoTime() + scale.soak().toNanos();
    Queue<String> differences = new ConcurrentLinkedQueue<>();
    AtomicInteger done = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      KernelSoak cases = new KernelSoak(device, i, scale.every());
      threads.add(
          Thread.ofPlatform()
              .name("soak-" + i)
              .start(() -> {
                do {
                  try {
                    cases.next().ifPresent(differences::add);
                  } catch (RuntimeException | AssertionError e) {
                    differences.add(e.toString());
                  }
                  done.incrementAndGet();
                } while (differences.isEmpty() && SystemTicker.INSTANCE.nanoTime() - end < 0);
              }));
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    if (!differences.isEmpty()) {
      throw new IllegalStateException(differences.peek());
    }
    return "%d cases in %s".formatted(done.get(), scale.soak());
  }

  private static String drain(GpuDevice device) {
    for (int i = 0; i < MAX_COLLECTIONS && device.context().memory().inUse() > 0; i++) {
      System.gc();
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
    if (device.context().memory().inUse() > 0) {
      throw new IllegalStateException("in use: " + device.context().memory());
    }
    return device.context().memory().toString();
  }
}

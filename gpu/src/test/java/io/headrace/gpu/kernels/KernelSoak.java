package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.kernels.KernelChecks.Family;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Runs random cases, one after the other. Not thread-safe. */
public final class KernelSoak {
  private final WrittenCaseRunner runner;
  private final List<WrittenCase> cases;
  private final Random random;

  /**
   * Cases for a device.
   *
   * @param every of as many cases, one may be chosen
   */
  public KernelSoak(GpuDevice device, long seed, int every) {
    runner = new WrittenCaseRunner(device);
    cases = Arrays.stream(Family.values()).flatMap(family -> family.cases(every).stream()).toList();
    random = new Random(seed);
  }

  /** Runs a case; tells how it differs from the CPU's, if it does. */
  public Optional<String> next() {
    return runner.difference(cases.get(random.nextInt(cases.size())), random.nextBoolean());
  }
}

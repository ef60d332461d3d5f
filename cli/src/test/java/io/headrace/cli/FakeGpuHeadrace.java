package io.headrace.cli;

import io.headrace.fakecuda.driver.FakeCuda;
import io.headrace.fakecuda.driver.FakeCudaConfig;

/** The {@code headrace} command on a machine with two GPUs, which the fake driver stands for. */
final class FakeGpuHeadrace {
  private FakeGpuHeadrace() {}

  /** Runs the command in {@code args}, and exits with its status; 70 after a fault of a GPU. */
  public static void main(String[] args) {
    int status;
    try (FakeCuda fake =
        FakeCuda.start(FakeCudaConfig.DEFAULT.withDevices(2).withMemoryBytes(8 << 20))) {
      System.setProperty("headrace.cuda.library", FakeCuda.library().toString());
      status = Headrace.commandLine().execute(args);
      if (!fake.faults().isEmpty()) {
        status = 70;
      }
    }
    System.exit(status);
  }
}

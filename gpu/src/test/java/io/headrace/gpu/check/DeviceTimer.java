package io.headrace.gpu.check;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.GpuStream;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.StreamRole;
import java.util.Arrays;
import java.util.List;

/**
 * Times work on a device by its events, after a warm-up: the median. Work is appended several times
 * between two events, so that the device does not wait for the host.
 */
record DeviceTimer(CudaDriver driver, GpuContext context, int repeats) {
  private static final int WARM_UPS = 3;

  /** How often work is appended between two events; peers.py has the same. */
  private static final int AT_ONCE = 20;

  /** The milliseconds that the device needs for what {@code work} appends to a stream once. */
  double millis(StreamRole role, Runnable work) {
    GpuStream stream = context.stream(role);
    long start = driver.eventCreate(true);
    long end = driver.eventCreate(true);
    double[] times = new double[repeats];
    for (int i = -WARM_UPS; i < repeats; i++) {
      record(stream, start);
      for (int j = 0; j < AT_ONCE; j++) {
        work.run();
      }
      record(stream, end);
      context.synchronize(HostWait.uncancelled());
      if (i >= 0) {
        times[i] = driver.eventElapsedTime(start, end) / AT_ONCE;
      }
    }
    driver.eventDestroy(start);
    driver.eventDestroy(end);
    Arrays.sort(times);
    return times[repeats / 2];
  }

  private static void record(GpuStream stream, long event) {
    stream.enqueue(List.of(), List.of(), (cuda, handle) -> cuda.eventRecord(event, handle));
  }
}

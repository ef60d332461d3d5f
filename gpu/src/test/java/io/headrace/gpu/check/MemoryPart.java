package io.headrace.gpu.check;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuContext;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.HostWait;
import io.headrace.gpu.device.KernelFunction;
import io.headrace.gpu.device.LaunchSize;
import io.headrace.gpu.device.StreamRole;
import io.headrace.gpu.kernels.KernelChecks;
import io.headrace.gpu.kernels.KernelChecks.Family;
import io.headrace.gpu.ptx.CaseReport;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** Memory runs out, and a kernel fails: what is said, and what goes on. */
final class MemoryPart {
  /** A kernel that writes to an address that no memory has. */
  static final String WILD =
      """
      .version 7.0
      .target sm_70
      .address_size 64
      .visible .entry wild()
      {
        .reg .b64 %d1; .reg .b32 %r1;
        mov.u64 %d1, 16; mov.u32 %r1, 1;
        st.global.u32 [%d1], %r1;
        ret;
      }
      """;

  /** As many blocks fill the memory. */
  private static final int BLOCKS = 16;

  /** Of as many cases, one is run to see whether kernels still compute. */
  private static final int EVERY = 20;

  private static final HostWait WAIT = HostWait.uncancelled();

  private MemoryPart() {}

  static void run(CheckedMachine machine, CheckPoints points) {
    try (GpuDevice device = machine.open()) {
      points.check(
          "too much memory is refused, with who holds it", () -> exhaust(device.context()));
      points.check("what was freed is given out again", () -> reuse(device.context()));
      points.compare("kernels compute as before", () -> softmax(device));
      points.check("a kernel that fails is told", () -> lose(device));
      points.check("the process goes on", () -> after(device));
    }
  }

  /** Runs the kernel that fails, alone: a sanitizer must notice it. */
  static void wild(CheckedMachine machine, CheckPoints points) {
    try (GpuDevice device = machine.open()) {
      points.check("a kernel that fails is told", () -> lose(device));
    }
  }

  private static CaseReport softmax(GpuDevice device) {
    return KernelChecks.againstCpu(device, Family.SOFTMAX, EVERY);
  }

  private static DeviceBuffer allocate(GpuContext context, long bytes) {
    return context.allocate(bytes, "the check", StreamRole.COMPUTE, WAIT);
  }

  private static String exhaust(GpuContext context) {
    long bytes = context.memory().limit() / BLOCKS;
    List<DeviceBuffer> buffers = new ArrayList<>();
    try {
      for (int i = 0; i <= BLOCKS; i++) {
        buffers.add(allocate(context, bytes));
      }
      throw new IllegalStateException("all of it was given: " + context.memory());
    } catch (StatusException e) {
      require(e.code() == StatusCode.RESOURCE_EXHAUSTED, e.toString());
      require(e.message().contains("the check"), "no table of who holds what: " + e.message());
      return e.message().lines().findFirst().orElse("");
    } finally {
      buffers.forEach(DeviceBuffer::close);
    }
  }

  private static String reuse(GpuContext context) {
    long asked = context.memory().driverAllocations();
    allocate(context, context.memory().limit() / BLOCKS).close();
    require(context.memory().inUse() == 0, "in use: " + context.memory());
    require(context.memory().driverAllocations() == asked, "the driver was asked again");
    return context.memory().toString();
  }

  private static String lose(GpuDevice device) {
    GpuContext context = device.context();
    try (Arena arena = Arena.ofConfined();
        KernelFunction wild = context.modules().function(WILD, "wild")) {
      context.stream(StreamRole.COMPUTE)
          .launch(
              wild,
              LaunchSize.linear(1, 1),
              KernelArguments.allocate(arena, 0),
              List.of(),
              List.of());
      context.synchronize(WAIT);
    } catch (StatusException e) {
      require(e.code() == StatusCode.UNAVAILABLE, e.toString());
      return e.message();
    }
    throw new IllegalStateException("nothing failed");
  }

  /** Drivers refuse another context until the process ends; those that do not pass as well. */
  private static String after(GpuDevice device) {
    try {
      device.context();
      return "the device works again";
    } catch (StatusException e) {
      require(e.code() == StatusCode.UNAVAILABLE, e.toString());
      return e.message();
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}

package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.headrace.fakecuda.driver.FakeCuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A context that is current, and what a test needs to use it. */
record CudaSession(FakeCuda fake, CudaDriver driver, long context, Arena arena) {
  /** Native memory with these values. */
  MemorySegment ints(int... values) {
    return arena.allocateFrom(JAVA_INT, values);
  }

  /** The ints at a device address. */
  int[] ints(long address, int count) {
    MemorySegment memory = arena.allocate(JAVA_INT, count);
    driver.memcpyDtoH(memory, address);
    return memory.toArray(JAVA_INT);
  }

  /** A kernel of a module that is loaded for it. */
  long function(String ptx, String name) {
    return driver.moduleGetFunction(driver.moduleLoadData(ptx), name);
  }

  /** Launches affine with a = 2, b = 1. */
  void affine(long x, long y, int n, long stream) {
    KernelArguments arguments =
        KernelArguments.allocate(arena, 5).set(0, x).set(1, y).set(2, 2f).set(3, 1f).set(4, n);
    driver.launchKernel(
        function(CudaDriverContract.PTX, "affine"),
        (n + 63) / 64,
        1,
        1,
        64,
        1,
        1,
        0,
        stream,
        arguments);
  }
}

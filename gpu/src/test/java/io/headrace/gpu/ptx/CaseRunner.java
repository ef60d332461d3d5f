package io.headrace.gpu.ptx;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.runtime.expression.GeneratedLoops;
import io.headrace.runtime.expression.Loop;
import io.headrace.runtime.status.StatusException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Runs cases on a device whose context is current, and on the CPU. Each run allocates what it needs
 * and frees it. Not thread-safe.
 */
final class CaseRunner {
  private static final int BLOCK = 16;
  private static final int MAX_BLOCKS = 1024;

  private final CudaDriver driver;

  CaseRunner(CudaDriver driver) {
    this.driver = driver;
  }

  /**
   * The results of a case.
   *
   * @param values the array of results
   * @param failed the elements that have errors; empty where they are not known
   * @param error the error of the first element that has one, with its element
   */
  record Results(Object values, BitSet failed, Optional<String> error) {}

  /** Runs a case on the device. */
  Results onDevice(ElementwiseCase one) {
    PtxKernel kernel = one.kernel();
    long module = driver.moduleLoadData(kernel.text());
    try {
      return run(one, kernel, driver.moduleGetFunction(module, kernel.name()));
    } finally {
      driver.moduleUnload(module);
    }
  }

  private Results run(ElementwiseCase one, PtxKernel kernel, long function) {
    List<Long> operands = new ArrayList<>();
    Object values = CaseValues.array(one.program().result(), one.count());
    MemorySegment results = CaseValues.memory(values);
    try (Arena arena = Arena.ofConfined()) {
      for (Object operand : one.operands()) {
        operands.add(uploaded(CaseValues.memory(operand), arena));
      }
      // An element that a kernel leaves out must not look like a result.
      MemorySegment garbage = arena.allocate(results.byteSize(), 8).fill((byte) 0x5b);
      long output = driver.memAlloc(results.byteSize());
      operands.add(output);
      driver.memcpyHtoD(output, garbage);
      MemorySegment word = arena.allocateFrom(ValueLayout.JAVA_LONG, ElementError.NONE);
      long error = uploaded(word, arena);
      operands.add(error);
      KernelArguments arguments =
          ElementwiseArguments.of(kernel, one.plan(), operands, output, error, arena);
      launch(function, one, kernel.width(), arguments);
      driver.memcpyDtoH(garbage, output);
      driver.memcpyDtoH(word, error);
      results.copyFrom(garbage);
      return new Results(values, new BitSet(), describe(word.get(ValueLayout.JAVA_LONG, 0)));
    } finally {
      operands.forEach(driver::memFree);
    }
  }

  private long uploaded(MemorySegment values, Arena arena) {
    MemorySegment copy = arena.allocate(values.byteSize(), 8).copyFrom(values);
    long address = driver.memAlloc(values.byteSize());
    driver.memcpyHtoD(address, copy);
    return address;
  }

  /** Lets each thread take two steps or more, and some threads none. */
  private void launch(long function, ElementwiseCase one, int width, KernelArguments arguments) {
    int blocks = Math.clamp(one.count() / (2 * width * BLOCK), 1, MAX_BLOCKS);
    driver.launchKernel(function, blocks, 1, 1, BLOCK, 1, 1, 0, 0, arguments);
    driver.ctxSynchronize();
  }

  private static Optional<String> describe(long word) {
    return ElementError.of(word).map(error -> error + " at " + ElementError.element(word));
  }

  /** Runs a case on the CPU. */
  static Results onCpu(ElementwiseCase one) {
    List<Boolean> single = Collections.nCopies(one.operands().size(), false);
    Loop loop = GeneratedLoops.of(one.program(), single);
    Object[] operands = one.repeated().toArray();
    int[] at = new int[operands.length];
    Object values = CaseValues.array(one.program().result(), one.count());
    try {
      loop.run(operands, at, values, 0, one.count());
      return new Results(values, new BitSet(), Optional.empty());
    } catch (ArithmeticException | StatusException _) {
      return oneByOne(loop, operands, values, one.count());
    }
  }

  /** Runs elements one by one. */
  private static Results oneByOne(Loop loop, Object[] operands, Object values, int count) {
    BitSet failed = new BitSet();
    Optional<String> error = Optional.empty();
    for (int i = 0; i < count; i++) {
      try {
        loop.run(operands, new int[operands.length], values, i, i + 1);
      } catch (ArithmeticException | StatusException e) {
        ElementError kind =
            e instanceof ArithmeticException
                ? ElementError.DIVISION_BY_ZERO
                : ElementError.NEGATIVE_POWER;
        failed.set(i);
        error = error.isPresent() ? error : Optional.of(kind + " at " + i);
      }
    }
    return new Results(values, failed, error);
  }
}

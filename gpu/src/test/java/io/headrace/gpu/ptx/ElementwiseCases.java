package io.headrace.gpu.ptx;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.CudaException;
import io.headrace.gpu.ptx.CaseRunner.Results;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Compares the elements that a device and the CPU compute: in tests on the fake driver's device,
 * and in the check of a GPU on that.
 */
public final class ElementwiseCases {
  private ElementwiseCases() {}

  /**
   * The differences of a case.
   *
   * @param kind the case's name
   * @param count how many elements differ
   * @param text the first element that differs, its operands, and both results
   */
  record Difference(String kind, int count, String text) {}

  /**
   * The cases that differ.
   *
   * @param driver has a context that is current
   * @param count the number of results of each case
   */
  static List<Difference> differences(CudaDriver driver, int count, long seed) {
    CaseRunner runner = new CaseRunner(driver);
    List<Difference> differences = new ArrayList<>();
    new CaseBuilder(count, seed)
        .forEach(one -> difference(runner, one).ifPresent(differences::add));
    return differences;
  }

  /**
   * Compares all cases with the CPU.
   *
   * @param driver has a context that is current
   * @param count the number of results of each case
   * @param every of as many cases, one is run
   */
  public static CaseReport againstCpu(CudaDriver driver, int count, long seed, int every) {
    CaseRunner runner = new CaseRunner(driver);
    return compared(count, seed, every, one -> difference(runner, one).map(Difference::toString));
  }

  /**
   * Compares all cases with the interpreter of PTX, whose bits they must have; NaN is one with any.
   *
   * @param driver has a context that is current, as {@code interpreter} has
   */
  public static CaseReport againstInterpreter(
      CudaDriver driver, CudaDriver interpreter, int count, long seed, int every) {
    CaseRunner runner = new CaseRunner(driver);
    CaseRunner interpreted = new CaseRunner(interpreter);
    return compared(
        count,
        seed,
        every,
        one -> bitDifference(one, runner.onDevice(one), interpreted.onDevice(one)));
  }

  private static CaseReport compared(
      int count, long seed, int every, Function<ElementwiseCase, Optional<String>> difference) {
    List<String> differences = new ArrayList<>();
    AtomicInteger found = new AtomicInteger();
    AtomicInteger tried = new AtomicInteger();
    new CaseBuilder(count, seed)
        .forEach(one -> {
          if (found.getAndIncrement() % every == 0) {
            tried.incrementAndGet();
            difference.apply(one).ifPresent(differences::add);
          }
        });
    return new CaseReport(tried.get(), differences);
  }

  private static Optional<String> bitDifference(
      ElementwiseCase one, Results actual, Results expected) {
    if (!actual.error().equals(expected.error())) {
      return Optional.of(
          "%s: error %s, not %s".formatted(one.name(), actual.error(), expected.error()));
    }
    if (expected.error().isPresent()) {
      return Optional.empty(); // elements that have errors have no value
    }
    DataType dtype = one.program().result().partType();
    int parts = one.program().result().isComplex() ? 2 : 1;
    for (int i = 0; i < one.count() * parts; i++) {
      long a = CaseValues.bits(actual.values(), i);
      long b = CaseValues.bits(expected.values(), i);
      boolean areNan =
          dtype.isFloating()
              && Double.isNaN(CaseValues.number(dtype, a))
              && Double.isNaN(CaseValues.number(dtype, b));
      if (a != b && !areNan) {
        return Optional.of(
            "%s: number %d is %s, not %s".formatted(one.name(), i, text(dtype, a), text(dtype, b)));
      }
    }
    return Optional.empty();
  }

  /**
   * Measures the math functions against the CPU's.
   *
   * @param driver has a context that is current
   * @param count how many arguments each function is measured at
   */
  public static List<MathAccuracy> functions(CudaDriver driver, int count, long seed) {
    CaseRunner runner = new CaseRunner(driver);
    List<MathAccuracy> measured = new ArrayList<>();
    for (ScalarOperation operation : ScalarOperation.values()) {
      for (DataType dtype : List.of(DataType.FLOAT32, DataType.FLOAT64)) {
        if (Tolerance.isFunction(operation, dtype)) {
          measured.add(MathAccuracy.measured(runner, operation, dtype, count, seed));
        }
      }
    }
    return measured;
  }

  /** How a case differs, if it does. */
  static Optional<Difference> difference(CaseRunner runner, ElementwiseCase one) {
    Results device;
    try {
      device = runner.onDevice(one);
    } catch (CudaException e) {
      return Optional.of(new Difference(one.name(), one.count(), e.toString()));
    }
    Results cpu = CaseRunner.onCpu(one);
    if (!device.error().equals(cpu.error())) {
      return Optional.of(
          new Difference(
              one.name(), 1, "error " + device.error() + " where the CPU has " + cpu.error()));
    }
    List<Object> operands = one.repeated();
    int parts = one.program().result().isComplex() ? 2 : 1;
    int[] different =
        IntStream.range(0, one.count() * parts)
            .filter(i -> !cpu.failed().get(i / parts))
            .filter(i ->
                !isSame(
                    one,
                    operands,
                    i / parts,
                    CaseValues.bits(cpu.values(), i),
                    CaseValues.bits(device.values(), i)))
            .toArray();
    if (different.length == 0) {
      return Optional.empty();
    }
    int first = different[0];
    String text =
        "number %d, of %s, is %s where the CPU has %s"
            .formatted(
                first,
                arguments(one, operands, first / parts),
                text(one.program().result(), CaseValues.bits(device.values(), first)),
                text(one.program().result(), CaseValues.bits(cpu.values(), first)));
    return Optional.of(new Difference(one.name(), different.length, text));
  }

  private static boolean isSame(
      ElementwiseCase one, List<Object> operands, int element, long expected, long actual) {
    DataType dtype = one.program().result().partType();
    if (expected == actual) {
      return true;
    }
    if (!dtype.isFloating()) {
      return false;
    }
    double expectedNumber = CaseValues.number(dtype, expected);
    double actualNumber = CaseValues.number(dtype, actual);
    if (Double.isNaN(expectedNumber) && Double.isNaN(actualNumber)) {
      return true;
    }
    if (one.name().startsWith("COPY_SIGN")) {
      // A NaN that is converted may lose its sign.
      DataType sign = one.program().inputs().getLast();
      return Double.isNaN(CaseValues.number(sign, CaseValues.bits(operands.getLast(), element)))
          && Math.abs(expectedNumber) == Math.abs(actualNumber);
    }
    if (one.function().isEmpty()) {
      return false;
    }
    ScalarOperation function = one.function().get();
    double argument =
        CaseValues.number(
            one.program().inputs().getFirst(), CaseValues.bits(operands.getFirst(), element));
    return (expectedNumber != 0 || actualNumber != 0)
        && Tolerance.difference(function, dtype, argument, expectedNumber, actualNumber)
            <= Tolerance.units(function, dtype);
  }

  private static String arguments(ElementwiseCase one, List<Object> operands, int element) {
    return IntStream.range(0, operands.size())
        .mapToObj(i -> {
          DataType dtype = one.program().inputs().get(i);
          int parts = dtype.isComplex() ? 2 : 1;
          String first = text(dtype, CaseValues.bits(operands.get(i), element * parts));
          return parts == 1
              ? first
              : first + "+i" + text(dtype, CaseValues.bits(operands.get(i), element * 2 + 1));
        })
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private static String text(DataType dtype, long bits) {
    return CaseValues.number(dtype, bits) + " [" + Long.toHexString(bits) + "]";
  }
}

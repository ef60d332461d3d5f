package io.headrace.gpu.ptx;

import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.ptx.CaseRunner.Results;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compares the elements that a device and the CPU compute. */
final class ElementwiseCases {
  private static final int MAX_SHOWN = 3;

  private ElementwiseCases() {}

  /**
   * A difference.
   *
   * @param kind the case's name
   * @param text the element, its operands, and both results
   */
  record Difference(String kind, String text) {}

  /**
   * The differences of all cases, at most three of each.
   *
   * @param driver has a context that is current
   * @param count the number of results of each case
   */
  static List<Difference> differences(CudaDriver driver, int count, long seed) {
    CaseRunner runner = new CaseRunner(driver);
    List<Difference> differences = new ArrayList<>();
    new CaseBuilder(count, seed)
        .forEach(one -> differences.addAll(differences(runner, one)));
    return differences;
  }

  /** The differences of a case. */
  static List<Difference> differences(CaseRunner runner, ElementwiseCase one) {
    Results device;
    try {
      device = runner.onDevice(one);
    } catch (RuntimeException e) {
      return List.of(new Difference(one.name(), e.toString()));
    }
    Results cpu = CaseRunner.onCpu(one);
    List<Difference> differences = new ArrayList<>();
    if (!device.error().equals(cpu.error())) {
      differences.add(
          new Difference(
              one.name(), "error " + device.error() + " where the CPU has " + cpu.error()));
    }
    List<Object> operands = one.repeated();
    int parts = one.program().result().isComplex() ? 2 : 1;
    for (int i = 0; i < one.count() * parts && differences.size() < MAX_SHOWN; i++) {
      long expected = CaseValues.bits(cpu.values(), i);
      long actual = CaseValues.bits(device.values(), i);
      if (!cpu.failed()[i / parts] && !isSame(one, operands, i / parts, expected, actual)) {
        differences.add(
            new Difference(
                one.name(),
                "element %d of %s is %s where the CPU has %s"
                    .formatted(
                        i,
                        arguments(one, operands, i / parts),
                        text(one.program().result(), actual),
                        text(one.program().result(), expected))));
      }
    }
    return differences;
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
        .mapToObj(
            i -> {
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

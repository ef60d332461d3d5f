package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.kernels.RecordedCase.RecordedAnswer;
import io.headrace.gpu.ptx.CaseReport;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.execute.AcceleratedNodes;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Holds written kernels to the answers of stock TensorFlow, as the CPU's kernels are. */
final class RecordedCases {
  /** How far normal numbers may be off, whose bits depend on the C library. */
  private static final double NORMAL_ULPS = 4;

  private RecordedCases() {}

  /**
   * Runs the recorded cases that have written kernels.
   *
   * @param folder the files with the cases
   * @param every of as many cases, one is run
   */
  static CaseReport compared(GpuDevice device, Path folder, int every) throws IOException {
    List<String> differences = new ArrayList<>();
    int found = 0;
    int tried = 0;
    for (RecordedCase one : RecordedCase.all(folder)) {
      NodeSpec node = one.node();
      if (node != null && isWritten(node) && found++ % every == 0) {
        tried++;
        differences.addAll(differences(one, node, device));
      }
    }
    return new CaseReport(tried, differences);
  }

  private static boolean isWritten(NodeSpec node) {
    return node.op().gpuHostInputs().isPresent()
        && AcceleratedNodes.isComputed(
            node.op(), node.attrs(), node.inputTypes(), node.outputTypes());
  }

  private static List<String> differences(RecordedCase one, NodeSpec node, GpuDevice device) {
    List<String> differences = new ArrayList<>();
    List<Tensor> inputs =
        one.inputs().stream().map(input -> WrittenCaseRunner.onDevice(device, input)).toList();
    Kernel.@Nullable Sync kernel = null; // which makes all calls fail if it cannot be made
    for (RecordedAnswer answer : one.answers()) {
      TestCall call = TestCall.of(inputs);
      try {
        kernel = kernel == null ? kernel(node, device) : kernel;
        kernel.compute(call);
        difference(one, answer, call.outputs())
            .ifPresent(text -> differences.add(one + ": " + text));
      } catch (StatusException e) {
        if (e.code() != answer.code() || !e.message().contains(answer.message())) {
          differences.add(one + ": " + e.code() + " " + e.message() + " instead of " + answer);
        }
      }
    }
    return differences;
  }

  private static Kernel.Sync kernel(NodeSpec node, GpuDevice device) {
    Kernel.Sync cpu = (Kernel.Sync) CpuKernels.create(node);
    WrittenKernel written = WrittenKernels.of(node, cpu).orElseThrow();
    return new GpuWrittenKernel(device, "n", written, cpu);
  }

  private static Optional<String> difference(
      RecordedCase one, RecordedAnswer answer, List<Tensor> outputs) {
    if (answer.code() != StatusCode.OK || outputs.size() != answer.outputs().size()) {
      return Optional.of(outputs + " instead of " + answer);
    }
    for (int i = 0; i < outputs.size(); i++) {
      Tensor expected = answer.outputs().get(i);
      Tensor actual = outputs.get(i);
      if (!expected.typeAndShape().equals(actual.typeAndShape())
          || !areEqual(one, expected, actual)) {
        return Optional.of("output %d is %s instead of %s".formatted(i, actual, expected));
      }
    }
    return Optional.empty();
  }

  private static boolean areEqual(RecordedCase one, Tensor expected, Tensor actual) {
    return expected.dtype().isFloating()
        ? IntStream.range(0, expected.elements()).allMatch(i -> isClose(one, expected, actual, i))
        : WrittenCaseRunner.bits(expected).mismatch(WrittenCaseRunner.bits(actual)) < 0;
  }

  private static boolean isClose(RecordedCase one, Tensor expected, Tensor actual, int i) {
    double a = TestValues.number(expected, i);
    double b = TestValues.number(actual, i);
    boolean isNormal = one.def().getOp().contains("Normal");
    double ulps = isNormal ? NORMAL_ULPS : one.ulps();
    return Double.compare(a, b) == 0
        || Math.abs(a - b) <= Math.max(one.atol(), ulps * ulp(expected, a));
  }

  private static double ulp(Tensor tensor, double x) {
    return switch (tensor.dtype()) {
      case FLOAT64 -> Math.ulp(x);
      case FLOAT16 -> Math.max(0x1p-24, Math.ulp((float) x) * 0x1p13);
      case BFLOAT16 -> Math.ulp((float) x) * 0x1p16;
      default -> Math.ulp((float) x);
    };
  }
}

package io.headrace.gpu.kernels;

import io.headrace.gpu.device.DeviceBuffer;
import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.device.HostWait;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Runs cases on a device and on the CPU, and compares outputs and errors. */
final class WrittenCaseRunner {
  private static final int ROWS = 3;

  private final GpuDevice device;
  private final UnaryOperator<WrittenKernel> choice;

  WrittenCaseRunner(GpuDevice device) {
    this(device, kernel -> kernel);
  }

  /** Runs what {@code choice} makes of a node's kernel. */
  WrittenCaseRunner(GpuDevice device, UnaryOperator<WrittenKernel> choice) {
    this.device = device;
    this.choice = choice;
  }

  private WrittenKernel kernel(WrittenCase one, Kernel cpu) {
    return choice.apply(
        WrittenKernels.of(one.node(), cpu)
            .orElseThrow(() -> new AssertionError("no kernel for " + one)));
  }

  /** The CPU's kernel, which notes whether it is used. */
  private static final class Watched implements Kernel.Sync {
    private final Kernel.Sync kernel;
    private boolean isUsed;

    Watched(Kernel.Sync kernel) {
      this.kernel = kernel;
    }

    @Override
    public void compute(KernelCall call) {
      isUsed = true;
      kernel.compute(call);
    }

    @Override
    public boolean computeRows(RowsCall call) {
      isUsed = true;
      return kernel.computeRows(call);
    }
  }

  /**
   * How the device's answer to a case differs from the CPU's; empty if it does not.
   *
   * @param areOnDevice whether the inputs are in the device's memory
   */
  Optional<String> difference(WrittenCase one, boolean areOnDevice) {
    return difference(one, one.inputs(), Set.of(), areOnDevice);
  }

  /** The first output of a case on the device. */
  Tensor output(WrittenCase one) {
    Kernel.Sync cpu = (Kernel.Sync) CpuKernels.create(one.node());
    TestCall call = TestCall.of(one.inputs());
    new GpuWrittenKernel(device, "n", kernel(one, cpu), cpu).compute(call);
    return call.outputs().getFirst();
  }

  /** All outputs of a case on the device; none if it fails. */
  List<Tensor> outputs(WrittenCase one) {
    Kernel.Sync cpu = (Kernel.Sync) CpuKernels.create(one.node());
    return Answer.of(
            new GpuWrittenKernel(device, "n", kernel(one, cpu), cpu),
            one.inputs().stream().map(input -> onDevice(device, input)).toList(),
            Set.of())
        .outputs();
  }

  /**
   * How the answers to many rows differ, of which input {@code first} has one each, or all inputs
   * have.
   */
  Optional<String> rowsDifference(WrittenCase one, boolean areAll, int first) {
    Set<Integer> withRows = new HashSet<>();
    List<Tensor> inputs = new ArrayList<>(one.inputs());
    for (int i = 0; i < inputs.size(); i++) {
      if (areAll || i == first) {
        withRows.add(i);
        inputs.set(i, rows(inputs.get(i)));
      }
    }
    return difference(one, inputs, withRows, true);
  }

  /** Three rows with these elements, the second with them rotated where they are moved. */
  private static Tensor rows(Tensor tensor) {
    Object rotated = tensor.dtype().kind().newArray(tensor.elements());
    int n = tensor.elements();
    boolean isParameter = n < 4;
    for (int i = 0; i < n; i++) {
      tensor
          .dtype()
          .kind()
          .copy(
              TensorMemory.array(tensor),
              TensorMemory.offset(tensor) + i,
              rotated,
              isParameter ? i : (i + 1) % n,
              1);
    }
    Tensor second = Tensor.wrap(tensor.dtype(), tensor.shape(), rotated);
    return Column.stackRows(List.of(tensor, second, tensor));
  }

  private Optional<String> difference(
      WrittenCase one, List<Tensor> inputs, Set<Integer> withRows, boolean areOnDevice) {
    // Each is one of its own: some have state.
    Kernel.Sync cpu = (Kernel.Sync) CpuKernels.create(one.node());
    Kernel.Sync host = (Kernel.Sync) CpuKernels.create(one.node());
    Watched watched = new Watched(host);
    GpuWrittenKernel gpu = new GpuWrittenKernel(device, "n", kernel(one, host), watched);
    Answer expected = Answer.of(cpu, inputs, withRows);
    List<Tensor> placed =
        areOnDevice ? inputs.stream().map(input -> onDevice(device, input)).toList() : inputs;
    Answer actual = Answer.of(gpu, placed, withRows);
    if (expected.isDeclined && !actual.isDeclined) {
      expected = Answer.ofEach(cpu, inputs, withRows);
    }
    boolean hasWork = inputs.getFirst().elements() > 0 && expected.hasElements();
    if (watched.isUsed && !expected.hasFailed() && hasWork) {
      return Optional.of(one + " was left to the CPU");
    }
    return expected
        .difference(actual, one.tolerance())
        .map(text -> one + " with rows " + withRows + ": " + text);
  }

  /**
   * The answer of a kernel.
   *
   * @param outputs none if it failed, or declined the rows
   * @param failure the error; empty if there is none
   */
  private record Answer(List<Tensor> outputs, boolean isDeclined, String failure) {
    static Answer of(Kernel.Sync kernel, List<Tensor> inputs, Set<Integer> withRows) {
      TestCall call = new TestCall(inputs, withRows.isEmpty() ? 0 : ROWS, withRows);
      try {
        boolean isDone = true;
        if (withRows.isEmpty()) {
          kernel.compute(call);
        } else {
          isDone = kernel.computeRows(call);
        }
        return new Answer(call.outputs(), !isDone, "");
      } catch (StatusException e) {
        return new Answer(List.of(), false, e.code() + ": " + e.message());
      }
    }

    /** The answers for each row, joined. */
    static Answer ofEach(Kernel.Sync kernel, List<Tensor> inputs, Set<Integer> withRows) {
      List<List<Tensor>> outputs = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        List<Tensor> own = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
          own.add(withRows.contains(i) ? inputs.get(i).row(row) : inputs.get(i));
        }
        Answer answer = of(kernel, own, Set.of());
        if (answer.hasFailed()) {
          return answer;
        }
        for (int i = 0; i < answer.outputs.size(); i++) {
          if (row == 0) {
            outputs.add(new ArrayList<>());
          }
          outputs.get(i).add(answer.outputs.get(i));
        }
      }
      return new Answer(outputs.stream().map(Column::stackRows).toList(), false, "");
    }

    boolean hasFailed() {
      return !failure.isEmpty() || isDeclined;
    }

    boolean hasElements() {
      return outputs.stream().anyMatch(output -> output.elements() > 0);
    }

    Optional<String> difference(Answer actual, OptionalDouble tolerance) {
      if (!failure.equals(actual.failure) || isDeclined != actual.isDeclined) {
        return Optional.of("instead of %s: %s".formatted(this, actual));
      }
      if (outputs.size() != actual.outputs.size()) {
        return Optional.of("%d outputs".formatted(actual.outputs.size()));
      }
      for (int i = 0; i < outputs.size(); i++) {
        Tensor left = outputs.get(i);
        Tensor right = actual.outputs.get(i);
        if (left.dtype() != right.dtype()
            || !left.shape().equals(right.shape())
            || !areEqual(left, right, tolerance)) {
          return Optional.of("output %d is %s instead of %s".formatted(i, right, left));
        }
      }
      return Optional.empty();
    }
  }

  private static boolean areEqual(Tensor left, Tensor right, OptionalDouble tolerance) {
    if (tolerance.isEmpty() || !left.dtype().isFloating()) {
      return bits(left).mismatch(bits(right)) < 0;
    }
    for (int i = 0; i < left.elements(); i++) {
      double a = TestValues.number(left, i);
      double b = TestValues.number(right, i);
      boolean isClose = Double.compare(a, b) == 0 || Math.abs(a - b) <= tolerance.getAsDouble();
      if (!isClose) {
        return false;
      }
    }
    return true;
  }

  /** A copy of a tensor in a device's memory alone. */
  static Tensor onDevice(GpuDevice device, Tensor tensor) {
    DeviceBuffer buffer =
        device.context().copies().toDevice(tensor, "test", HostWait.uncancelled());
    return GpuTensorMemory.tensor(device.context(), buffer, tensor.dtype(), tensor.shape());
  }

  /** The elements of a tensor as they lie in memory. */
  static MemorySegment bits(Tensor tensor) {
    MemorySegment all =
        switch (TensorMemory.array(tensor)) {
          case byte[] a -> MemorySegment.ofArray(a);
          case short[] a -> MemorySegment.ofArray(a);
          case int[] a -> MemorySegment.ofArray(a);
          case long[] a -> MemorySegment.ofArray(a);
          case float[] a -> MemorySegment.ofArray(a);
          case double[] a -> MemorySegment.ofArray(a);
          default -> throw new AssertionError(tensor.dtype());
        };
    long offset = (long) TensorMemory.offset(tensor) * tensor.dtype().byteSize();
    return all.asSlice(offset, tensor.byteSize());
  }
}

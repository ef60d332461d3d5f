package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.ptx.CaseReport;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The cases of written kernels, as the check of a GPU runs them. */
public final class KernelChecks {
  private static final List<DataType> ALL =
      List.of(
          DataType.BOOL,
          DataType.UINT8,
          DataType.INT8,
          DataType.UINT16,
          DataType.INT16,
          DataType.UINT32,
          DataType.INT32,
          DataType.UINT64,
          DataType.INT64,
          DataType.BFLOAT16,
          DataType.FLOAT16,
          DataType.FLOAT32,
          DataType.FLOAT64);

  private static final List<DataType> FLOATS = ALL.stream().filter(DataType::isFloating).toList();

  private static final List<DataType> MOVED =
      List.of(
          DataType.BOOL,
          DataType.UINT8,
          DataType.BFLOAT16,
          DataType.FLOAT16,
          DataType.FLOAT32,
          DataType.INT32,
          DataType.FLOAT64,
          DataType.INT64);

  private KernelChecks() {}

  /** Kernels that are tried together. */
  @SuppressWarnings("ImmutableEnumChecker") // the lists are, and the functions have no state
  public enum Family {
    /** Those that move elements. */
    MOVES(MOVED, MoveCases::of),
    /** Reductions. */
    REDUCTIONS(ALL, ReductionCases::of),
    /** Softmax and cross-entropies. */
    SOFTMAX(FLOATS, SoftmaxCases::of),
    /** Biases of channels. */
    BIASES(ALL.stream().filter(dtype -> dtype != DataType.BOOL).toList(), BiasCases::of),
    /** Products of matrices. */
    PRODUCTS(
        Stream.concat(FLOATS.stream(), Stream.of(DataType.INT32, DataType.INT64)).toList(),
        MatMulCases::of),
    /** Resized images. */
    IMAGES(
        ALL.stream()
            .filter(dtype ->
                dtype != DataType.BOOL && dtype != DataType.UINT32 && dtype != DataType.UINT64)
            .toList(),
        ResizeCases::of),
    /** Random numbers. */
    RANDOM_NUMBERS(
        ALL.stream()
            .filter(dtype -> dtype.isFloating() || (dtype.isInteger() && dtype.byteSize() >= 4))
            .toList(),
        RandomCases::of);

    private final List<DataType> dtypes;
    private final Function<DataType, List<WrittenCase>> of;

    Family(List<DataType> dtypes, Function<DataType, List<WrittenCase>> of) {
      this.dtypes = dtypes;
      this.of = of;
    }

    /** One of every so many cases. */
    List<WrittenCase> cases(int every) {
      List<WrittenCase> all = dtypes.stream().flatMap(dtype -> of.apply(dtype).stream()).toList();
      List<WrittenCase> some = new ArrayList<>();
      for (int i = 0; i < all.size(); i += every) {
        some.add(all.get(i));
      }
      return some;
    }
  }

  /**
   * Compares with the CPU: its bits, or within the bounds of docs/ops.md; for inputs on the device,
   * on the host, and for many rows.
   *
   * @param every of as many cases, one is run
   */
  public static CaseReport againstCpu(GpuDevice device, Family family, int every) {
    WrittenCaseRunner runner = new WrittenCaseRunner(device);
    List<String> differences = new ArrayList<>();
    List<WrittenCase> cases = family.cases(every);
    boolean haveRows = family != Family.RANDOM_NUMBERS;
    for (WrittenCase one : cases) {
      runner.difference(one, true).ifPresent(differences::add);
      runner.difference(one, false).ifPresent(differences::add);
      if (haveRows) {
        runner.rowsDifference(one, true, 0).ifPresent(differences::add);
        runner.rowsDifference(one, false, 0).ifPresent(differences::add);
      }
    }
    return new CaseReport(cases.size(), differences);
  }

  /** Compares with the interpreter of PTX, whose bits results must have; NaN is one with any. */
  public static CaseReport againstInterpreter(
      GpuDevice device, GpuDevice interpreter, Family family, int every) {
    WrittenCaseRunner onDevice = new WrittenCaseRunner(device);
    WrittenCaseRunner interpreted = new WrittenCaseRunner(interpreter);
    List<String> differences = new ArrayList<>();
    List<WrittenCase> cases = family.cases(every);
    for (WrittenCase one : cases) {
      difference(onDevice.outputs(one), interpreted.outputs(one))
          .ifPresent(text -> differences.add(one + ": " + text));
    }
    return new CaseReport(cases.size(), differences);
  }

  /**
   * Compares with the answers of stock TensorFlow.
   *
   * @param folder the files with the recorded cases
   * @param every of as many cases, one is run
   */
  public static CaseReport recorded(GpuDevice device, Path folder, int every) throws IOException {
    return RecordedCases.compared(device, folder, every);
  }

  /**
   * Compares products by cuBLAS with the CPU's, within the bounds of docs/ops.md.
   *
   * @param every of as many cases, one is run; those of much work only if it is 1
   */
  public static CaseReport productsByCublas(GpuDevice device, int every) {
    WrittenCaseRunner runner = new WrittenCaseRunner(device, CublasProductsTest::ofAnyWork);
    List<String> differences = new ArrayList<>();
    List<WrittenCase> cases = new ArrayList<>();
    for (DataType dtype : FLOATS) {
      cases.addAll(MatMulCases.of(dtype));
      cases.addAll(MatMulCases.large(dtype));
      if (every == 1) {
        cases.addAll(MatMulCases.huge(dtype));
      }
    }
    int compared = 0;
    for (int i = 0; i < cases.size(); i += every) {
      runner.difference(cases.get(i), true).ifPresent(differences::add);
      compared++;
    }
    if (!device.context().products().isUsed()) {
      differences.add("cuBLAS made none of the products: the log says why");
    }
    return new CaseReport(compared, differences);
  }

  /** Makes the product of two square matrices of floats on a device, each time that it is run. */
  public static Runnable product(GpuDevice device, int edge) {
    WrittenCase product = MatMulCases.square(edge);
    List<Tensor> inputs =
        product.inputs().stream().map(input -> WrittenCaseRunner.onDevice(device, input)).toList();
    Kernel.Sync none =
        _ -> {
          throw new IllegalStateException("left to the CPU");
        };
    GpuWrittenKernel kernel =
        new GpuWrittenKernel(device, "product", MatMulKernel.of(product.node()), none);
    return () -> kernel.compute(TestCall.of(inputs));
  }

  /** Compares batches of images of different sizes with what the CPU makes op by op. */
  public static CaseReport imageBatches(GpuDevice device) {
    return ImageBatchCases.againstCpu(device);
  }

  /** Compares functions that move elements beside elementwise ops with what the CPU makes. */
  public static CaseReport movements(GpuDevice device) {
    return MovementCases.againstCpu(device);
  }

  /** A stage of a pipeline: a program for tensors of the host, whose results go back there. */
  public static final class Stage {
    private final Kernel.Sync kernel;

    private Stage(Kernel.Sync kernel) {
      this.kernel = kernel;
    }

    /** The result for {@code input}, floats, in the host's memory. */
    public MemorySegment toHost(Tensor input) {
      TestCall call = TestCall.of(List.of(input));
      kernel.compute(call);
      Tensor result = call.outputs().getFirst();
      MemorySegment segment = TensorMemory.segment(result);
      return segment == null
          ? MemorySegment.ofArray((float[]) TensorMemory.array(result))
          : segment;
    }
  }

  /** A stage on a device; its elements have no errors. */
  public static Stage stage(GpuDevice device, LoopProgram program) {
    Kernel.Sync none =
        _ -> {
          throw new IllegalStateException("left to the CPU");
        };
    return new Stage(new GpuKernels(device).fused("stage", program, none));
  }

  private static Optional<String> difference(List<Tensor> actual, List<Tensor> expected) {
    if (actual.size() != expected.size()) {
      return Optional.of("%d outputs, not %d".formatted(actual.size(), expected.size()));
    }
    for (int i = 0; i < actual.size(); i++) {
      if (!areSame(actual.get(i), expected.get(i))) {
        return Optional.of("output %d is %s, not %s".formatted(i, actual.get(i), expected.get(i)));
      }
    }
    return Optional.empty();
  }

  private static boolean areSame(Tensor a, Tensor b) {
    if (!a.typeAndShape().equals(b.typeAndShape())) {
      return false;
    }
    if (!a.dtype().isFloating()) {
      return WrittenCaseRunner.bits(a).mismatch(WrittenCaseRunner.bits(b)) < 0;
    }
    for (int i = 0; i < a.elements(); i++) {
      if (Double.compare(TestValues.number(a, i), TestValues.number(b, i)) != 0) {
        return false;
      }
    }
    return true;
  }
}

package io.headrace.gpu.kernels;

import io.headrace.gpu.device.GpuDevice;
import io.headrace.gpu.ptx.CaseReport;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.FunctionDefLibrary;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.PinnedFunction;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.execute.AcceleratorDevices;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.op.FunctionRef;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/** Functions that move elements before, between and behind elementwise ops. */
final class MovementCases {
  private static final String PIN = "/device:GPU:0";
  private static final int ROWS = 3;

  private final List<Case> cases = new ArrayList<>();
  private final TestValues values = new TestValues(5);

  private MovementCases() {
    images();
    matrices();
    shapes();
    errors();
  }

  /**
   * A function of one tensor.
   *
   * @param launches those of a call
   */
  record Case(String name, Tensor input, TracedFunction function, int launches) {
    private List<Tensor> onCpu(Tensor argument) {
      FunctionLibrary library =
          new FunctionLibrary(
              FunctionDefLibrary.newBuilder().addAllFunction(function.library().values()).build(),
              OpRegistry.standard());
      return library
          .instantiate(new FunctionRef(function.name()))
          .call(List.of(argument), StepContext.standalone());
    }

    private PinnedFunction pinned() {
      Map<String, FunctionDef> library = function.library();
      return new PinnedFunction(
          PIN,
          Objects.requireNonNull(library.get(function.name())),
          library.values().stream()
              .filter(other -> !other.getSignature().getName().equals(function.name()))
              .toList());
    }

    /** How the device's answers to one row and to many differ from the CPU's. */
    Optional<String> difference(GpuDevice device) {
      try (AcceleratorDevices devices = devices(device)) {
        Tensor other = rotated(input);
        List<Tensor> rows = List.of(input, other, input);
        PinnedFunction pinned = pinned();
        String expected = text(() -> onCpu(input));
        String expectedRows =
            text(() ->
                List.of(
                    Column.stackRows(rows.stream().map(row -> onCpu(row).getFirst()).toList())));
        String one = text(() -> devices.call(pinned, List.of(input), new Cancellation()).join());
        String many =
            text(() ->
                devices
                    .callRows(
                        pinned,
                        ROWS,
                        List.of(Column.stackRows(rows)),
                        List.of(true),
                        new Cancellation())
                    .join());
        if (!one.equals(expected)) {
          return Optional.of("%s: %s, not %s".formatted(name, one, expected));
        }
        return many.equals(expectedRows)
            ? Optional.empty()
            : Optional.of("rows of %s: %s, not %s".formatted(name, many, expectedRows));
      }
    }

    /** Calls the function for one row, which may fail. */
    void run(GpuDevice device) {
      try (AcceleratorDevices devices = devices(device)) {
        var _ = text(() -> devices.call(pinned(), List.of(input), new Cancellation()).join());
      }
    }

    /** Calls the function for some rows at once. */
    void runRows(GpuDevice device, int rows) {
      List<Tensor> all = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        all.add(input);
      }
      try (AcceleratorDevices devices = devices(device)) {
        var _ =
            devices
                .callRows(
                    pinned(),
                    rows,
                    List.of(Column.stackRows(all)),
                    List.of(true),
                    new Cancellation())
                .join();
      }
    }
  }

  private static AcceleratorDevices devices(GpuDevice device) {
    return new AcceleratorDevices(
        Device.HOST,
        List.of(new GpuAccelerator(device)),
        OpRegistry.standard(),
        RemoteDevices.none());
  }

  /** The bits of an answer, or its error. */
  private static String text(Answer answer) {
    try {
      Tensor result = answer.get().getFirst();
      return result.typeAndShape()
          + " "
          + HexFormat.of().formatHex(WrittenCaseRunner.bits(result).toArray(ValueLayout.JAVA_BYTE));
    } catch (CompletionException e) {
      return String.valueOf(e.getCause());
    } catch (StatusException e) {
      return e.toString();
    }
  }

  /** Gives results, or fails. */
  @FunctionalInterface
  private interface Answer {
    List<Tensor> get();
  }

  private static Tensor rotated(Tensor tensor) {
    Tensor twice =
        Column.stackRows(List.of(tensor, tensor)).reshape(Shape.of(2L * tensor.elements()));
    return TensorMemory.part(twice, tensor.shape(), 1);
  }

  static List<Case> all() {
    return List.copyOf(new MovementCases().cases);
  }

  /** Normalized planes of an image of bytes. */
  static Case planes(Shape shape) {
    Tensor image = new TestValues(1).tensor(DataType.UINT8, shape);
    return of("planes", 1, image, x -> normalized(x, 3).transpose(2, 0, 1));
  }

  /** Bytes, pixel by pixel, of planes. */
  static Case bytesOfPlanes(Shape shape) {
    Tensor planes = new TestValues(1).numbers(DataType.FLOAT32, shape, 0, 1);
    return of("bytes", 1, planes, x -> x.mul(255).transpose(1, 2, 0).cast(DataType.UINT8));
  }

  /** A matrix, scaled and transposed. */
  static Case transposed(Shape shape) {
    Tensor matrix = new TestValues(1).numbers(DataType.FLOAT32, shape, -1, 1);
    return of("transposed", 1, matrix, x -> x.mul(3).transpose(1, 0));
  }

  /** Compares all cases with the CPU. */
  static CaseReport againstCpu(GpuDevice device) {
    List<Case> all = all();
    List<String> differences = new ArrayList<>();
    all.forEach(one -> one.difference(device).ifPresent(differences::add));
    return new CaseReport(all.size(), differences);
  }

  private void add(String name, int launches, Tensor input, UnaryOperator<Output> function) {
    cases.add(of(name, launches, input, function));
  }

  private static Case of(String name, int launches, Tensor input, UnaryOperator<Output> function) {
    TracedFunction traced =
        FunctionBuilder.trace(
            "moving",
            OpRegistry.standard(),
            List.of(input.dtype()),
            List.of(input.shape()),
            inputs -> List.of(function.apply(inputs.getFirst())));
    return new Case(name, input, traced, launches);
  }

  private Tensor bytes(long... sizes) {
    return values.tensor(DataType.UINT8, Shape.of(sizes));
  }

  private Tensor numbers(DataType dtype, long... sizes) {
    return values.numbers(dtype, Shape.of(sizes), dtype.isInteger() ? 0 : -2, 100);
  }

  private static Output normalized(Output image, long... shape) {
    Tensor means = Tensor.vector(123.7f, 116.3f, 103.5f).reshape(Shape.of(shape));
    Tensor factors = Tensor.vector(0.0171f, 0.0175f, 0.0174f).reshape(Shape.of(shape));
    return image.cast(DataType.FLOAT32).sub(Ops.constant(means)).mul(Ops.constant(factors));
  }

  private void images() {
    add("planes", 1, bytes(18, 31, 3), x -> normalized(x, 3).transpose(2, 0, 1));
    add("planes, moved first", 1, bytes(5, 7, 3), x -> normalized(x.transpose(2, 0, 1), 3, 1, 1));
    add("planes of a batch", 1, bytes(2, 6, 9, 3), x -> normalized(x, 3).transpose(0, 3, 1, 2));
    add("planes of four", 1, bytes(9, 40, 4), x -> x.cast(DataType.FLOAT32).transpose(2, 0, 1));
    add("small planes", 1, bytes(2, 3, 3), x -> normalized(x, 3).transpose(2, 0, 1));
    add(
        "planes to bytes",
        1,
        numbers(DataType.FLOAT32, 3, 11, 13),
        x -> x.mul(2).transpose(1, 2, 0).cast(DataType.UINT8));
    add("channels reversed", 1, bytes(6, 7, 3), x -> normalized(x.reverse(2), 3));
    add(
        "cut, flipped, planes",
        1,
        bytes(12, 30, 3),
        x ->
            normalized(x.slice(new long[] {2, 5, 0}, new long[] {9, 20, 3}).reverse(1), 3)
                .transpose(2, 0, 1));
    add(
        "planes, cut, flipped",
        1,
        bytes(12, 30, 3),
        x ->
            normalized(x, 3)
                .transpose(2, 0, 1)
                .slice(new long[] {0, 2, 5}, new long[] {2, 9, 25})
                .reverse(2));
  }

  private void matrices() {
    for (DataType dtype :
        List.of(
            DataType.UINT8,
            DataType.INT16,
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.FLOAT32,
            DataType.INT64,
            DataType.FLOAT64)) {
      add("transposed " + dtype, 1, numbers(dtype, 37, 45), x -> x.add(x).transpose(1, 0));
    }
    add("many matrices", 1, numbers(DataType.FLOAT32, 3, 33, 70), x -> x.neg().transpose(0, 2, 1));
    add("both orders", 1, numbers(DataType.FLOAT32, 37, 37), x -> x.sub(x.transpose(1, 0)));
    add("twice", 1, numbers(DataType.FLOAT32, 8, 9), x -> x.transpose(1, 0).abs().transpose(1, 0));
    add(
        "all reversed",
        1,
        numbers(DataType.INT32, 5, 6, 7),
        x -> x.transpose(2, 1, 0).reverse(0, 1, 2).add(1));
    add(
        "moved twice",
        1,
        numbers(DataType.FLOAT32, 4, 50, 6),
        x -> x.transpose(2, 0, 1).reverse(0).slice(new long[] {1, 0, 3}, new long[] {4, 4, 40}));
  }

  private void shapes() {
    add(
        "pixels as rows",
        1,
        bytes(6, 7, 3),
        x -> normalized(x.reshape(42, 3), 3).transpose(1, 0).reshape(3, 6, 7));
    add(
        "expanded and squeezed",
        1,
        numbers(DataType.FLOAT32, 5, 4),
        x -> x.square().expandDims(0).transpose(2, 1, 0).squeeze(2).add(1));
    add(
        "repeated",
        1,
        numbers(DataType.FLOAT32, 6),
        x -> x.reshape(6, 1).add(Ops.constant(Tensor.vector(1f, 2f, 3f))).transpose(1, 0).mul(2));
    add(
        "elements",
        1,
        numbers(DataType.FLOAT32, 9, 8),
        x -> x.slice(new long[] {3, 2}, new long[] {1, 1}).reshape().mul(3));
    // The rows of one have no strides in the other.
    add(
        "columns as rows",
        3,
        numbers(DataType.FLOAT32, 4, 6),
        x -> x.mul(2).transpose(1, 0).reshape(8, 3).add(Ops.constant(Tensor.vector(1f, 2f, 3f))));
  }

  private void errors() {
    Tensor divisors = numbers(DataType.INT32, 6, 5);
    divisors = Tensor.of(DataType.INT32, divisors.shape(), zeroAt(divisors, 17));
    add(
        "division by zero",
        2,
        divisors,
        x -> Ops.constant(Tensor.scalar(100)).floorDiv(x).transpose(1, 0));
  }

  private static int[] zeroAt(Tensor tensor, int at) {
    int[] array = new int[tensor.elements()];
    for (int i = 0; i < array.length; i++) {
      array[i] = i == at ? 0 : 1 + (int) tensor.integer(i);
    }
    return array;
  }
}

package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Cases of matrix products: single elements, odd sizes, all transposes, all kinds of batches. */
final class MatMulCases {
  private final DataType dtype;
  private final TestValues values;
  private final List<WrittenCase> cases = new ArrayList<>();

  private MatMulCases(DataType dtype) {
    this.dtype = dtype;
    this.values = new TestValues(dtype.number());
  }

  /** The cases of a dtype whose products are small. */
  static List<WrittenCase> of(DataType dtype) {
    MatMulCases all = new MatMulCases(dtype);
    for (int transposes = 0; transposes < 4; transposes++) {
      boolean isOneOf = transposes == 1 || transposes == 2;
      all.plain(3, 5, 4, transposes);
      all.plain(isOneOf ? 17 : 2, 17, isOneOf ? 2 : 18, transposes);
    }
    all.batched("BatchMatMul", Shape.of(3), Shape.of(3), 1);
    all.batched("BatchMatMulV2", Shape.of(2, 1, 2), Shape.of(2, 1), 0);
    all.batched("BatchMatMulV2", Shape.of(), Shape.of(3, 2), 3);
    all.batched("BatchMatMulV2", Shape.of(2, 1), Shape.of(2), 2);
    all.batched("BatchMatMulV2", Shape.of(3), Shape.of(), 1);
    all.plain(1, 1, 1, 0);
    all.plain(2, 0, 3, 0);
    all.ofNan();
    all.mixed();
    all.fused();
    all.refused();
    return all.cases;
  }

  /** Cases of a dtype for tiles of 64 x 64 elements. */
  static List<WrittenCase> large(DataType dtype) {
    MatMulCases all = new MatMulCases(dtype);
    all.plain(66, 18, 67, 0);
    all.plain(65, 17, 3, 3);
    return all.cases;
  }

  /** Cases for a library: of many terms, which it adds up in parts, and of many elements. */
  static List<WrittenCase> huge(DataType dtype) {
    MatMulCases all = new MatMulCases(dtype);
    all.ofSmallNumbers("MatMul", Shape.of(64, 8192), Shape.of(8192, 64));
    all.ofSmallNumbers("BatchMatMulV2", Shape.of(8, 256, 256), Shape.of(8, 256, 256));
    all.ofSmallNumbers("BatchMatMulV2", Shape.of(8, 256, 256), Shape.of(256, 256));
    return all.cases;
  }

  /** The product of two square matrices of floats. */
  static WrittenCase square(int edge) {
    MatMulCases one = new MatMulCases(DataType.FLOAT32);
    one.ofSmallNumbers("MatMul", Shape.of(edge, edge), Shape.of(edge, edge));
    return one.cases.getFirst();
  }

  /** A product of numbers from -1 to 1, whose sums are near the square root of their number. */
  private void ofSmallNumbers(String op, Shape left, Shape right) {
    double terms = left.size(left.rank() - 1);
    double rounding =
        switch (dtype) {
          case FLOAT64 -> 0x1p-52;
          case FLOAT16 -> 0x1p-10;
          case BFLOAT16 -> 0x1p-7;
          default -> 0x1p-23;
        };
    double ofSum = (dtype == DataType.FLOAT64 ? 0x1p-52 : 0x1p-23) * terms;
    cases.add(
        WrittenCase.of(
                op,
                List.of(values.numbers(dtype, left, -1, 1), values.numbers(dtype, right, -1, 1)),
                "T",
                dtype)
            .within(ofSum + rounding * 4 * Math.sqrt(terms)));
  }

  private Tensor x(Shape batch, int height, int width) {
    List<Long> sizes = new ArrayList<>();
    for (long size : batch.dimensions()) {
      sizes.add(size);
    }
    sizes.add((long) height);
    sizes.add((long) width);
    Shape shape = Shape.of(sizes.stream().mapToLong(Long::longValue).toArray());
    return dtype.isFloating() ? values.numbers(dtype, shape, -10, 10) : values.tensor(dtype, shape);
  }

  /** A product of k terms for each of m x n elements; bits of {@code transposes} say of which. */
  private void plain(int m, int k, int n, int transposes) {
    product("MatMul", Shape.of(), Shape.of(), new int[] {m, k, n}, transposes, "transpose_");
  }

  private void batched(String op, Shape left, Shape right, int transposes) {
    product(op, left, right, new int[] {2, 3, 4}, transposes, "adj_");
  }

  private void product(
      String op, Shape left, Shape right, int[] sizes, int transposes, String prefix) {
    int m = sizes[0];
    int k = sizes[1];
    int n = sizes[2];
    boolean isX = (transposes & 1) != 0;
    boolean isY = (transposes & 2) != 0;
    String suffixes = op.equals("MatMul") ? "ab" : "xy";
    cases.add(
        WrittenCase.of(
                op,
                List.of(isX ? x(left, k, m) : x(left, m, k), isY ? x(right, n, k) : x(right, k, n)),
                "T",
                dtype,
                prefix + suffixes.charAt(0),
                isX,
                prefix + suffixes.charAt(1),
                isY)
            .within(tolerance(k)));
  }

  /** The bound of docs/ops.md for k terms, on either side. */
  private double tolerance(int k) {
    double terms = 100.0 * k;
    double sum = 2 * (k + 1) * terms;
    return switch (dtype) {
      case FLOAT64 -> 0x1p-52 * sum;
      case FLOAT16 -> 0x1p-23 * sum + 0x1p-10 * terms;
      case BFLOAT16 -> 0x1p-23 * sum + 0x1p-7 * terms;
      default -> 0x1p-23 * sum;
    };
  }

  private void ofNan() {
    if (dtype.isFloating()) {
      Object array = dtype.kind().newArray(6);
      for (int i = 0; i < 6; i++) {
        TestValues.set(array, dtype, i, i == 1 ? Double.NaN : i);
      }
      Tensor some = Tensor.wrap(dtype, Shape.of(2, 3), array);
      cases.add(
          WrittenCase.of("MatMul", List.of(some, x(Shape.of(), 3, 2)), "T", dtype)
              .within(tolerance(3)));
    }
  }

  /** Products of bytes in this dtype. */
  private void mixed() {
    if (dtype == DataType.FLOAT64) {
      return; // which are the CPU's
    }
    Tensor bytes = values.tensor(DataType.UINT8, Shape.of(3, 4));
    Tensor signed = values.tensor(DataType.INT8, Shape.of(4, 5));
    cases.add(
        WrittenCase.of(
                "BatchMatMulV3",
                List.of(bytes, signed),
                "Ta",
                DataType.UINT8,
                "Tb",
                DataType.INT8,
                "Tout",
                dtype)
            .within(dtype == DataType.BFLOAT16 ? 512 : dtype == DataType.FLOAT16 ? 64 : 0));
    cases.add(
        WrittenCase.of(
                "BatchMatMulV3",
                List.of(x(Shape.of(), 2, 3), x(Shape.of(), 3, 2)),
                "Ta",
                dtype,
                "Tb",
                dtype,
                "Tout",
                dtype)
            .within(tolerance(3)));
  }

  /**
   * Products with what follows them: vectors of columns, summands, none; and arguments that fail.
   */
  private void fused() {
    if (dtype != DataType.FLOAT32 && dtype != DataType.FLOAT16 && dtype != DataType.BFLOAT16) {
      return;
    }
    Tensor column = x(Shape.of(), 1, 5).row(0);
    fused(List.of("BiasAdd", "Relu"), List.of(column), true);
    fused(List.of("BiasAdd", "Add", "Relu6"), List.of(column, x(Shape.of(), 3, 5)), false);
    fused(List.of(), List.of(), false);
    fused(List.of("BiasAdd"), List.of(x(Shape.of(), 1, 4).row(0)), false);
  }

  private void fused(List<String> ops, List<Tensor> arguments, boolean isTransposed) {
    List<Tensor> inputs = new ArrayList<>();
    inputs.add(isTransposed ? x(Shape.of(), 4, 3) : x(Shape.of(), 3, 4));
    inputs.add(x(Shape.of(), 4, 5));
    inputs.addAll(arguments);
    cases.add(
        WrittenCase.of(
                "_FusedMatMul",
                inputs,
                "T",
                dtype,
                "num_args",
                arguments.size(),
                "fused_ops",
                ops,
                "transpose_a",
                isTransposed)
            .within(tolerance(4)));
  }

  private void refused() {
    List<Tensor> differing = List.of(x(Shape.of(), 2, 3), x(Shape.of(), 2, 3));
    cases.add(WrittenCase.of("MatMul", differing, "T", dtype));
    List<Tensor> vector = List.of(x(Shape.of(), 2, 3).row(0), x(Shape.of(), 3, 2));
    cases.add(WrittenCase.of("MatMul", vector, "T", dtype));
    List<Tensor> batch = List.of(x(Shape.of(2), 2, 3), x(Shape.of(2), 3, 2));
    cases.add(WrittenCase.of("MatMul", batch, "T", dtype));
    List<Tensor> batches = List.of(x(Shape.of(2), 2, 3), x(Shape.of(1), 3, 2));
    cases.add(WrittenCase.of("BatchMatMul", batches, "T", dtype));
    List<Tensor> unequal = List.of(x(Shape.of(2), 2, 3), x(Shape.of(3), 3, 2));
    cases.add(WrittenCase.of("BatchMatMulV2", unequal, "T", dtype));
  }
}

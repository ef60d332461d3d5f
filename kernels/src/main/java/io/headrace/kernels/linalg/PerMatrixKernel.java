package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Runs kernels that compute one matrix of a batch after the other, in double precision. */
final class PerMatrixKernel {
  /** The dtypes of ops that are computed this way. */
  static final String TYPES = "T: {double, float}";

  /** The remark on how those ops differ from TensorFlow's. */
  static final String DOUBLE_PRECISION = "Computed in double precision and rounded once.";

  private PerMatrixKernel() {}

  /** The computation for one matrix of the batch. */
  @FunctionalInterface
  interface Body {
    /**
     * The elements of each output, row-major.
     *
     * @param inputs one matrix of each input, row-major; the callee may overwrite them
     */
    double[][] compute(double[][] inputs, Cancellation stop);
  }

  /** The order of the square matrices of input 0; INVALID_ARGUMENT if they are not square. */
  static int square(Rows rows, String message) {
    Shape shape = matrices(rows);
    long height = shape.size(shape.rank() - 2);
    if (height != shape.size(shape.rank() - 1)) {
      throw invalidArgument("%s", message);
    }
    return (int) height;
  }

  /** The shape of input 0; INVALID_ARGUMENT if its rank is below 2. */
  static Shape matrices(Rows rows) {
    Shape shape = rows.shape(0);
    if (shape.rank() < 2) {
      throw invalidArgument("Input tensor 0 must have rank >= 2, got %d", shape.rank());
    }
    return shape;
  }

  /** INVALID_ARGUMENT unless inputs 0 and 1 have the same batch dimensions. */
  static void checkBatches(Rows rows) {
    checkBatches(rows, 2);
  }

  /** INVALID_ARGUMENT unless the first {@code count} inputs have the same batch dimensions. */
  static void checkBatches(Rows rows, int count) {
    Shape first = matrices(rows);
    for (int i = 1; i < count; i++) {
      checkBatch(first, rows.shape(i));
    }
  }

  private static void checkBatch(Shape first, Shape second) {
    if (first.rank() != second.rank()) {
      throw invalidArgument(
          "All input tensors must have the same rank. They are %s and %s", first, second);
    }
    int outer = first.rank() - 2;
    if (!first.sub(0, outer).equals(second.sub(0, outer))) {
      throw invalidArgument(
          "All input tensors must have the same outer dimensions. They are %s and %s",
          first, second);
    }
  }

  /**
   * Sets the outputs: for each matrix of the batch, output i has the shape {@code results[i]}.
   * Returns true, the result of a row kernel.
   */
  static boolean run(Rows rows, List<Shape> results, Body body) {
    return run(rows, rows.inputs(), results, body);
  }

  /** The same where only the first {@code count} inputs are matrices. */
  static boolean run(Rows rows, int count, List<Shape> results, Body body) {
    DataType dtype = rows.dtype(0);
    Shape outer = rows.shape(0).sub(0, rows.shape(0).rank() - 2);
    Object[] arrays = new Object[results.size()];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = rows.allocate(dtype, Shapes.concat(outer, results.get(i)));
    }
    int matrices = outer.elements();
    for (int at = 0; at < matrices * rows.count(); at++) {
      rows.cancellation().check();
      double[][] outputs = body.compute(read(rows, count, at, matrices), rows.cancellation());
      for (int i = 0; i < arrays.length; i++) {
        write(outputs[i], arrays[i], at * outputs[i].length);
      }
    }
    for (int i = 0; i < arrays.length; i++) {
      rows.set(i, dtype, Shapes.concat(outer, results.get(i)), arrays[i]);
    }
    return true;
  }

  /** The computation for one matrix of complex numbers. */
  @FunctionalInterface
  interface ComplexBody {
    /**
     * The parts of the elements of each output, row-major: real parts, then imaginary ones.
     *
     * @param re the real parts of the matrix, row-major; the callee may overwrite them
     * @param im the imaginary parts, zeros if the input is real
     */
    double[][] compute(double[] re, double[] im, Cancellation stop);
  }

  /** Sets the outputs, of {@code dtype}, for each matrix of input 0, like {@link #run}. */
  static boolean runComplex(Rows rows, DataType dtype, List<Shape> results, ComplexBody body) {
    Shape shape = rows.shape(0);
    Shape outer = shape.sub(0, shape.rank() - 2);
    int size = shape.dropFirst(outer.rank()).elements();
    Object[] arrays = new Object[results.size()];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = rows.allocate(dtype, Shapes.concat(outer, results.get(i)));
    }
    int matrices = outer.elements();
    for (int at = 0; at < matrices * rows.count(); at++) {
      rows.cancellation().check();
      double[] re = new double[size];
      double[] im = new double[size];
      Tensor tensor = rows.row(0, at / matrices);
      int from = TensorMemory.offset(tensor) + at % matrices * size;
      if (tensor.dtype().isComplex()) {
        ComplexParts.read(TensorMemory.array(tensor), from, re, im, size);
      } else {
        ComplexParts.readReal(TensorMemory.array(tensor), from, re, size);
      }
      double[][] outputs = body.compute(re, im, rows.cancellation());
      for (int i = 0; i < arrays.length; i++) {
        int length = outputs[2 * i].length;
        ComplexParts.write(outputs[2 * i], outputs[2 * i + 1], length, arrays[i], at * length);
      }
    }
    for (int i = 0; i < arrays.length; i++) {
      rows.set(i, dtype, Shapes.concat(outer, results.get(i)), arrays[i]);
    }
    return true;
  }

  private static double[][] read(Rows rows, int count, int at, int matrices) {
    double[][] inputs = new double[count][];
    for (int i = 0; i < inputs.length; i++) {
      Tensor tensor = rows.row(i, at / matrices);
      int size = tensor.elements() / matrices;
      inputs[i] = new double[size];
      int from = TensorMemory.offset(tensor) + at % matrices * size;
      ComplexParts.readReal(TensorMemory.array(tensor), from, inputs[i], size);
    }
    return inputs;
  }

  private static void write(double[] values, Object array, int at) {
    switch (array) {
      case float[] floats -> {
        for (int i = 0; i < values.length; i++) {
          floats[at + i] = (float) values[i];
        }
      }
      case double[] doubles -> System.arraycopy(values, 0, doubles, at, values.length);
      default -> throw new AssertionError(array.getClass());
    }
  }

  /** Sets output {@code index} to an empty vector: the attrs do not ask for it. */
  static void setNone(Rows rows, int index) {
    DataType dtype = rows.dtype(0);
    Shape none = Shape.of(0);
    rows.setSame(index, Tensor.wrap(dtype, none, TensorLimit.allocate(dtype, none)));
  }

  /** The transpose of an {@code n} by {@code n} matrix. */
  static double[] transposed(int n, double[] matrix) {
    double[] result = new double[n * n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        result[j * n + i] = matrix[i * n + j];
      }
    }
    return result;
  }
}

package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The ops FFT, IFFT, RFFT and IRFFT: discrete Fourier transforms of the last dimension. */
final class FftOps {
  private static final String DOUBLE = "Computed in double precision and rounded once.";

  private FftOps() {}

  static List<Op> ops() {
    return List.of(
        complex("FFT", false),
        complex("IFFT", true),
        Op.define("RFFT(input: Treal, fft_length: int32) -> output: Tcomplex")
            .attrs("Treal: {float, double} = float", "Tcomplex: complex = complex64")
            .shape(in -> realRule(in, true))
            .remark(DOUBLE)
            .kernel(
                RowKernel.made(node -> {
                  DataType complex = node.attrs().type("Tcomplex");
                  checkPair("forward", node.attrs().type("Treal"), complex);
                  return rows -> forward(rows, complex);
                })),
        Op.define("IRFFT(input: Tcomplex, fft_length: int32) -> output: Treal")
            .attrs("Treal: {float, double} = float", "Tcomplex: complex = complex64")
            .shape(in -> realRule(in, false))
            .remark(DOUBLE)
            .kernel(
                RowKernel.made(node -> {
                  DataType real = node.attrs().type("Treal");
                  checkPair("backward", real, node.attrs().type("Tcomplex"));
                  return rows -> backward(rows, real);
                })));
  }

  static void checkPair(String direction, DataType real, DataType complex) {
    if ((real == DataType.FLOAT32) != (complex == DataType.COMPLEX64)) {
      throw invalidArgument(
          "Wrong types for %s real FFT: %s and %s", direction, real.tfName(), complex.tfName());
    }
  }

  private static Op complex(String name, boolean inverse) {
    return Op.define(name + "(input: Tcomplex) -> output: Tcomplex")
        .attrs("Tcomplex: complex = complex64")
        .shape(in -> {
          Shapes.checkRankAtLeast(in.shape(0), 1);
          return List.of(in.shape(0));
        })
        .remark(DOUBLE)
        .kernel(RowKernel.of(rows -> transform(rows, inverse)));
  }

  private static List<Shape> realRule(ShapeFunction.Inputs in, boolean forward) {
    Shape shape = in.shape(0);
    Shapes.checkRankAtLeast(shape, 1);
    Shapes.mergeSize(Shapes.withRank(in.shape(1), 1).size(0), 1);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    OptionalLong length = Shapes.constantScalar(in, 1);
    long size = length.isEmpty() ? -1 : outSize(length.getAsLong(), forward);
    return List.of(Shapes.withSize(shape, shape.rank() - 1, size));
  }

  /** The size of the last output dimension. */
  private static long outSize(long length, boolean forward) {
    return forward && length != 0 ? length / 2 + 1 : length;
  }

  /** The size of the last dimension. */
  private static int lineSize(Shape shape) {
    if (shape.rank() < 1) {
      throw invalidArgument("Input must have rank of at least 1 but got: %s", shape);
    }
    return (int) shape.size(shape.rank() - 1);
  }

  private static boolean transform(Rows rows, boolean inverse) {
    int n = lineSize(rows.shape(0));
    Tensor input = rows.all(0);
    Object out = rows.allocateUnset(input.dtype(), rows.shape(0));
    double[] re = new double[n];
    double[] im = new double[n];
    ComplexFft fourier = input.elements() == 0 ? null : ComplexFft.of(n);
    for (int at = 0; fourier != null && at < input.elements(); at += n) {
      rows.cancellation().check();
      ComplexParts.read(TensorMemory.array(input), TensorMemory.offset(input) + at, re, im, n);
      if (inverse) {
        fourier.inverse(re, im);
        for (int i = 0; i < n; i++) {
          re[i] /= n;
          im[i] /= n;
        }
      } else {
        fourier.transform(re, im);
      }
      ComplexParts.write(re, im, n, out, at);
    }
    rows.set(0, Tensor.wrap(input.dtype(), input.shape(), out));
    return true;
  }

  /** The fft_length in {@code length}; INVALID_ARGUMENT if lines of {@code shape} are too short. */
  private static int length(Tensor length, Shape shape, boolean forward) {
    if (length.shape().rank() != 1 || length.elements() != 1) {
      throw invalidArgument("fft_length must have shape [1]");
    }
    long n = length.integer(0);
    if (n < 0) {
      throw invalidArgument("fft_length[0] must >= 0, but got: %d", n);
    }
    long needed = forward ? n : n / 2 + 1;
    int size = lineSize(shape);
    if (size != 0 && size < needed) {
      throw invalidArgument(
          "Input dimension %d must have length of at least %d but got: %d",
          shape.rank() - 1, needed, size);
    }
    return (int) n;
  }

  private static boolean forward(Rows rows, DataType complex) {
    Tensor lengths = rows.same(1);
    if (lengths == null || rows.isMany() != rows.varies(0)) {
      return false;
    }
    Shape shape = rows.shape(0);
    int size = lineSize(shape);
    int n = length(lengths, shape, true);
    Shape result = Shapes.withSize(shape, shape.rank() - 1, outSize(n, true));
    Tensor input = rows.all(0);
    boolean isEmpty = n == 0 || input.elements() == 0;
    Object out = isEmpty ? rows.allocate(complex, result) : rows.allocateUnset(complex, result);
    if (!isEmpty) {
      spectra(input, size, new RealFft(n), out, rows.cancellation());
    }
    rows.set(0, complex, result, out);
    return true;
  }

  /** Writes the spectra of the beginnings of lines of {@code size} elements. */
  private static void spectra(
      Tensor input, int size, RealFft fourier, Object out, Cancellation stop) {
    int lines = input.elements() / size;
    Object array = TensorMemory.array(input);
    int offset = TensorMemory.offset(input);
    @Nullable NativeFourier loops = NativeFourier.INSTANCE;
    if (loops != null && array instanceof float[] floats && fourier.isForNativeLoops()) {
      fourier.spectra(loops, floats, offset, size, lines, (float[]) out, stop);
      return;
    }
    double[] line = new double[fourier.length()];
    double[] re = new double[fourier.spectrumLength()];
    double[] im = new double[fourier.spectrumLength()];
    for (int i = 0; i < lines; i++) {
      stop.check();
      ComplexParts.readReal(array, offset + i * size, line, line.length);
      fourier.forward(line, re, im);
      ComplexParts.write(re, im, re.length, out, i * re.length);
    }
  }

  private static boolean backward(Rows rows, DataType real) {
    Tensor lengths = rows.same(1);
    if (lengths == null || rows.isMany() != rows.varies(0)) {
      return false;
    }
    Shape shape = rows.shape(0);
    int size = lineSize(shape);
    int n = length(lengths, shape, false);
    Shape result = Shapes.withSize(shape, shape.rank() - 1, n);
    Tensor input = rows.all(0);
    boolean isEmpty = n == 0 || input.elements() == 0;
    Object out = isEmpty ? rows.allocate(real, result) : rows.allocateUnset(real, result);
    if (!isEmpty) {
      RealFft fourier = new RealFft(n);
      double[] line = new double[n];
      double[] re = new double[fourier.spectrumLength()];
      double[] im = new double[fourier.spectrumLength()];
      for (int i = 0; i < input.elements() / size; i++) {
        rows.cancellation().check();
        ComplexParts.read(
            TensorMemory.array(input), TensorMemory.offset(input) + i * size, re, im, re.length);
        fourier.inverse(re, im, line);
        for (int k = 0; k < n; k++) {
          NumericElements.setFloating(real, out, i * n + k, line[k]);
        }
      }
    }
    rows.set(0, real, result, out);
    return true;
  }
}

package io.headrace.kernels.signal;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ComplexParts;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * FFT2D, IFFT2D, RFFT2D, IRFFT2D and the same over three dimensions: discrete Fourier transforms of
 * the last dimensions.
 */
final class FftNdOps {
  private static final String DOUBLE = "Computed in double precision and rounded once.";

  private FftNdOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    for (int rank = 2; rank <= 3; rank++) {
      ops.add(complex("FFT" + rank + "D", rank, false));
      ops.add(complex("IFFT" + rank + "D", rank, true));
      ops.add(realToComplex(rank));
      ops.add(complexToReal(rank));
    }
    return ops;
  }

  private static Op complex(String name, int rank, boolean inverse) {
    return Op.define(name + "(input: Tcomplex) -> output: Tcomplex")
        .attrs("Tcomplex: complex = complex64")
        .shape(in -> {
          Shapes.checkRankAtLeast(in.shape(0), rank);
          return List.of(in.shape(0));
        })
        .remark(DOUBLE)
        .stateless(call -> {
          Tensor input = call.input(0);
          long[] sizes = sizes(input.shape(), rank);
          Object result = TensorLimit.allocate(input.dtype(), input.shape());
          Block block = new Block(sizes, call.cancellation());
          for (int i = 0; i < blocks(input.shape(), rank); i++) {
            int at = i * block.elements;
            ComplexParts.read(
                TensorMemory.array(input),
                TensorMemory.offset(input) + at,
                block.re,
                block.im,
                block.elements);
            block.transform(rank, inverse);
            ComplexParts.write(block.re, block.im, block.elements, result, at);
          }
          call.setOutput(0, Tensor.wrap(input.dtype(), input.shape(), result));
        });
  }

  private static Op realToComplex(int rank) {
    return Op.define("RFFT" + rank + "D(input: Treal, fft_length: int32) -> output: Tcomplex")
        .attrs("Treal: {float, double} = float", "Tcomplex: complex = complex64")
        .shape(in -> realRule(in, rank, true))
        .remark(DOUBLE)
        .kernel(node -> {
          DataType complex = node.attrs().type("Tcomplex");
          FftOps.checkPair("forward", node.attrs().type("Treal"), complex);
          return call -> forward(call, rank, complex);
        });
  }

  private static Op complexToReal(int rank) {
    return Op.define("IRFFT" + rank + "D(input: Tcomplex, fft_length: int32) -> output: Treal")
        .attrs("Treal: {float, double} = float", "Tcomplex: complex = complex64")
        .shape(in -> realRule(in, rank, false))
        .remark(DOUBLE)
        .kernel(node -> {
          DataType real = node.attrs().type("Treal");
          FftOps.checkPair("backward", real, node.attrs().type("Tcomplex"));
          return call -> backward(call, rank, real);
        });
  }

  private static List<Shape> realRule(ShapeFunction.Inputs in, int rank, boolean forward) {
    Shape shape = in.shape(0);
    Shapes.checkRankAtLeast(shape, rank);
    Shapes.mergeSize(Shapes.withRank(in.shape(1), 1).size(0), rank);
    if (shape.isUnknownRank()) {
      return List.of(shape);
    }
    Tensor lengths = in.constant(1);
    Shape result = shape;
    for (int i = 0; i < rank; i++) {
      long size = lengths == null ? -1 : lengths.integer(i);
      boolean halved = forward && i == rank - 1 && size > 0;
      result = Shapes.withSize(result, shape.rank() - rank + i, halved ? size / 2 + 1 : size);
    }
    return List.of(result);
  }

  /** The sizes of the last {@code rank} dimensions. */
  private static long[] sizes(Shape shape, int rank) {
    if (shape.rank() < rank) {
      throw invalidArgument("Input must have rank of at least %d but got: %s", rank, shape);
    }
    return shape.sub(shape.rank() - rank, shape.rank()).dimensions();
  }

  /** The number of blocks to transform; 0 if they are empty. */
  private static int blocks(Shape shape, int rank) {
    return shape.elements() == 0 ? 0 : shape.sub(0, shape.rank() - rank).elements();
  }

  private static long[] lengths(KernelCall call, long[] sizes, boolean forward) {
    Tensor lengths = call.input(1);
    int rank = sizes.length;
    if (lengths.shape().rank() != 1 || lengths.elements() != rank) {
      throw invalidArgument("fft_length must have shape [%d]", rank);
    }
    Shape shape = call.input(0).shape();
    for (int i = 0; i < rank; i++) {
      long length = lengths.integer(i);
      if (length < 0) {
        throw invalidArgument("fft_length[%d] must >= 0, but got: %d", i, length);
      }
      long needed = !forward && i == rank - 1 ? length / 2 + 1 : length;
      if (sizes[i] != 0 && sizes[i] < needed) {
        throw invalidArgument(
            "Input dimension %d must have length of at least %d but got: %d",
            shape.rank() - rank + i, needed, sizes[i]);
      }
    }
    return lengths.integers();
  }

  private static Shape withLast(Shape shape, long[] sizes) {
    return Shapes.concat(shape.sub(0, shape.rank() - sizes.length), Shape.of(sizes));
  }

  private static void forward(KernelCall call, int rank, DataType complex) {
    Tensor input = call.input(0);
    long[] given = sizes(input.shape(), rank);
    long[] lengths = lengths(call, given, true);
    long[] spectrum = lengths.clone();
    int n = (int) lengths[rank - 1];
    spectrum[rank - 1] = n == 0 ? 0 : n / 2 + 1;
    Shape shape = withLast(input.shape(), spectrum);
    Object result = TensorLimit.allocate(complex, shape);
    Block block = new Block(spectrum, call.cancellation());
    int blocks = shape.elements() == 0 ? 0 : blocks(input.shape(), rank);
    if (blocks > 0) {
      RealFft fourier = new RealFft(n);
      double[] line = new double[n];
      double[] re = new double[fourier.spectrumLength()];
      double[] im = new double[fourier.spectrumLength()];
      int inputBlock = Shape.of(given).elements();
      for (int i = 0; i < blocks; i++) {
        for (int l = 0; l < block.elements / re.length; l++) {
          call.cancellation().check();
          int from = TensorMemory.offset(input) + i * inputBlock + lineStart(l, spectrum, given);
          ComplexParts.readReal(TensorMemory.array(input), from, line, n);
          fourier.forward(line, re, im);
          System.arraycopy(re, 0, block.re, l * re.length, re.length);
          System.arraycopy(im, 0, block.im, l * im.length, im.length);
        }
        block.transform(rank - 1, false);
        ComplexParts.write(block.re, block.im, block.elements, result, i * block.elements);
      }
    }
    call.setOutput(0, Tensor.wrap(complex, shape, result));
  }

  private static void backward(KernelCall call, int rank, DataType real) {
    Tensor input = call.input(0);
    long[] given = sizes(input.shape(), rank);
    long[] lengths = lengths(call, given, false);
    long[] spectrum = lengths.clone();
    int n = (int) lengths[rank - 1];
    spectrum[rank - 1] = n / 2 + 1L;
    Shape shape = withLast(input.shape(), lengths);
    Object result = TensorLimit.allocate(real, shape);
    int blocks = shape.elements() == 0 ? 0 : blocks(input.shape(), rank);
    if (blocks > 0) {
      Block block = new Block(spectrum, call.cancellation());
      RealFft fourier = new RealFft(n);
      double[] line = new double[n];
      double[] re = new double[fourier.spectrumLength()];
      double[] im = new double[fourier.spectrumLength()];
      int inputBlock = Shape.of(given).elements();
      int lines = block.elements / re.length;
      for (int i = 0; i < blocks; i++) {
        for (int l = 0; l < lines; l++) {
          int from = TensorMemory.offset(input) + i * inputBlock + lineStart(l, spectrum, given);
          ComplexParts.read(TensorMemory.array(input), from, re, im, re.length);
          System.arraycopy(re, 0, block.re, l * re.length, re.length);
          System.arraycopy(im, 0, block.im, l * im.length, im.length);
        }
        block.transform(rank - 1, true);
        for (int l = 0; l < lines; l++) {
          call.cancellation().check();
          System.arraycopy(block.re, l * re.length, re, 0, re.length);
          System.arraycopy(block.im, l * im.length, im, 0, im.length);
          fourier.inverse(re, im, line);
          for (int k = 0; k < n; k++) {
            NumericElements.setFloating(real, result, (i * lines + l) * n + k, line[k]);
          }
        }
      }
    }
    call.setOutput(0, Tensor.wrap(real, shape, result));
  }

  /**
   * The first element of line {@code line} of a block of {@code sizes} cut out of {@code given}.
   */
  private static int lineStart(int line, long[] sizes, long[] given) {
    int at = 0;
    int stride = (int) given[given.length - 1];
    for (int axis = sizes.length - 2; axis >= 0; axis--) {
      at += (int) (line % sizes[axis]) * stride;
      line /= (int) sizes[axis];
      stride *= (int) given[axis];
    }
    return at;
  }

  /** A block of complex numbers, transformed in place. */
  private static final class Block {
    private final long[] sizes;
    private final Cancellation stop;
    private final int elements;
    private final double[] re;
    private final double[] im;

    Block(long[] sizes, Cancellation stop) {
      this.sizes = sizes;
      this.stop = stop;
      this.elements = Shape.of(sizes).elements();
      TensorLimit.check(DataType.COMPLEX128, Shape.of(sizes));
      this.re = new double[elements];
      this.im = new double[elements];
    }

    /** Transforms the first {@code axes} dimensions, or inversely, divided by their sizes. */
    void transform(int axes, boolean inverse) {
      int stride = elements;
      for (int axis = 0; axis < axes; axis++) {
        int n = (int) sizes[axis];
        stride /= n;
        ComplexFft fourier = ComplexFft.of(n);
        double[] lineRe = new double[n];
        double[] lineIm = new double[n];
        for (int line = 0; line < elements / n; line++) {
          stop.check();
          int start = line / stride * stride * n + line % stride;
          for (int k = 0; k < n; k++) {
            lineRe[k] = re[start + k * stride];
            lineIm[k] = im[start + k * stride];
          }
          if (inverse) {
            fourier.inverse(lineRe, lineIm);
          } else {
            fourier.transform(lineRe, lineIm);
          }
          double scale = inverse ? n : 1;
          for (int k = 0; k < n; k++) {
            re[start + k * stride] = lineRe[k] / scale;
            im[start + k * stride] = lineIm[k] / scale;
          }
        }
      }
    }
  }
}
